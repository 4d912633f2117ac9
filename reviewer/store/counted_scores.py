"""Which of the scores of one evaluation, metric, score set and turn is the one that counts.

It is the first that is no error: what the same version says again is a repeat. A score that an
import brings with another value of the same time takes its place. After a text was
replaced, it is the first that was given to the new one. Where a record counts repeats, a value
made of all of them stands beside them and counts instead.
"""

import sqlite3
from typing import Any, NamedTuple

from reviewer.domain.values import to_micros
from reviewer.stats.values import RepeatPolicy, Value, of_repeats
from reviewer.store import reading
from reviewer.store.schema import MADE, WHOLE

Group = tuple[Any, ...]
"""Evaluation, number of the metric, score set, turn."""
_IN_GROUP = "evaluation = ? AND metric = ? AND score_set = ? AND turn = ?"
IS_GIVEN = "value IS NOT NULL AND ifnull(json_extract(extra, '$.error'), '') IN ('', 0)"
"""Tells a score from a reply that is none."""
_SINGLE = (
    "SELECT ordinal, value, at, at_us, import FROM scores "
    f"WHERE {_IN_GROUP} AND ordinal >= 0 AND {IS_GIVEN} ORDER BY ordinal"
)
_MARK = f"UPDATE scores SET latest = (ordinal = ?) WHERE {_IN_GROUP}"
_UNMAKE = f"DELETE FROM scores WHERE {_IN_GROUP} AND ordinal = {MADE}"
_MAKE = (
    "INSERT INTO scores(evaluation, metric, score_set, turn, ordinal, value, at, at_us, latest) "
    f"VALUES (?, ?, ?, ?, {MADE}, ?, ?, ?, 1)"
)
_REPEATS_COUNT = (
    "SELECT e.run FROM evaluations e JOIN records r ON r.run = e.run AND r.metric = ?2 "
    "WHERE e.id = ?1 AND r.score_set = ?3 AND r.with_repeats = 1"
)
_REPLACED = (
    "SELECT replaced_at, import FROM evaluation_versions WHERE evaluation = ? "
    "ORDER BY revision DESC LIMIT 1"
)


class _Single(NamedTuple):
    ordinal: int
    value: Value
    at: str | None
    at_us: int | None
    brought: int | None


def mark_counted(conn: sqlite3.Connection, group: Group) -> None:
    """Mark the value that counts of an evaluation, metric, score set and turn; inside `write`."""
    given = [_Single(*row) for row in conn.execute(_SINGLE, group).fetchall()]
    if len(given) > 1:
        given = _to_present_text(conn, group, _standing(given))
    conn.execute(_UNMAKE, group)
    conn.execute(_MARK, (given[0].ordinal if given else MADE, *group))
    if len(given) > 1 and group[3] == WHOLE:
        run = conn.execute(_REPEATS_COUNT, group[:3]).fetchone()
        if run is not None:
            _make(conn, group, int(run[0]), given)


def mark_run(conn: sqlite3.Connection, run: int, metric: int, score_set: int) -> None:
    """Mark anew what counts of a score set's repeats in a run; inside `write`."""
    repeated = conn.execute(
        "SELECT DISTINCT s.evaluation FROM evaluations e CROSS JOIN scores s "
        "ON s.evaluation = e.id AND s.metric = ? AND s.score_set = ? AND s.turn = ? "
        "AND s.ordinal > 0 WHERE e.run = ?",
        (metric, score_set, WHOLE, run),
    ).fetchall()
    for (evaluation,) in repeated:
        mark_counted(conn, (evaluation, metric, score_set, WHOLE))


def _standing(given: list[_Single]) -> list[_Single]:
    """Leave out what a later import gave another value, as somebody wished."""
    return [
        x
        for x in given
        if not any(
            y.ordinal > x.ordinal and y.at == x.at and y.brought not in (None, x.brought)
            for y in given
        )
    ]


def _to_present_text(
    conn: sqlite3.Connection, group: Group, given: list[_Single]
) -> list[_Single]:
    replaced = conn.execute(_REPLACED, group[:1]).fetchone()
    if replaced is None:
        return given
    moment, number = to_micros(replaced[0]) or 0, replaced[1]
    return [x for x in given if _is_of_text(x, moment, number)] or given


def _is_of_text(single: _Single, moment: int, number: int | None) -> bool:
    """Tell whether a value was given to the text that came at a moment with an import."""
    if single.brought is not None and number is not None:
        return single.brought >= number
    return single.at_us is not None and single.at_us >= moment


def _make(conn: sqlite3.Connection, group: Group, run: int, given: list[_Single]) -> None:
    rubric = reading.rubrics(conn)[reading.run_rubrics(conn)[run]]
    name = conn.execute("SELECT name FROM metrics WHERE id = ?", group[1:2]).fetchone()[0]
    metric = rubric.by_name.get(name)
    if metric is None:
        return
    policy: RepeatPolicy = rubric.repeat_policy if metric.has_means else "majority"
    # by time, so that the newest is the same one wherever an export of them is imported
    ordered = sorted(given, key=lambda x: (x.at_us is not None, x.at_us or 0))
    value = of_repeats([x.value for x in ordered], policy)
    conn.execute(_MARK, (MADE, *group))
    conn.execute(_MAKE, (*group, value, ordered[-1].at, ordered[-1].at_us))
