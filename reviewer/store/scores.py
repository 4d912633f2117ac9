"""Scores and score sets: what counts, what a job's calls took, and how its scores are taken back.

Of the scores of one evaluation, metric, score set and turn the first that is no error counts: what
the same version says again is a repeat. A score that an import brings with another value of the
same time takes its place. After a text was replaced, it is the first that was given to the new
one. Where a record counts repeats, a value made of all of them stands beside them and counts.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from reviewer.domain.evaluation import to_micros
from reviewer.domain.run import ScorerVersion, told_apart
from reviewer.stats.values import RepeatPolicy, Value, of_repeats
from reviewer.store import reading
from reviewer.store.journal import Discarding
from reviewer.store.query import finds, values_of
from reviewer.store.schema import MADE, WHOLE
from reviewer.store.unseen import shown_names

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
    for (evaluation,) in conn.execute(
        "SELECT DISTINCT s.evaluation FROM evaluations e CROSS JOIN scores s "
        "ON s.evaluation = e.id AND s.metric = ? AND s.score_set = ? AND s.turn = ? "
        "AND s.ordinal > 0 WHERE e.run = ?",
        (metric, score_set, WHOLE, run),
    ).fetchall():
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
    metric = rubric.by_name.get(
        conn.execute("SELECT name FROM metrics WHERE id = ?", group[1:2]).fetchone()[0]
    )
    if metric is None:
        return
    policy: RepeatPolicy = rubric.repeat_policy if metric.has_means else "majority"
    # by time, so that the newest is the same one wherever an export of them is imported
    ordered = sorted(given, key=lambda x: (x.at_us is not None, x.at_us or 0))
    value = of_repeats([x.value for x in ordered], policy)
    conn.execute(_MARK, (MADE, *group))
    conn.execute(_MAKE, (*group, value, ordered[-1].at, ordered[-1].at_us))


_ROW = (
    "evaluation, metric, score_set, turn, ordinal, value, reasoning, at, extra, import, at_us, job"
)
_AMONG = "evaluation IN (SELECT value FROM json_each(?))"
_GROUPS = "SELECT DISTINCT evaluation, metric, score_set, turn FROM {} WHERE job = ? AND " + _AMONG
_KEEP = (
    f"INSERT OR REPLACE INTO discarded_scores({_ROW}) SELECT {_ROW} FROM scores "
    f"WHERE {_AMONG} AND job = ?"
)
_PUT = f"INSERT INTO scores({_ROW}) VALUES ({', '.join('?' * 12)})"
_ORDINAL = 4


def scored(conn: sqlite3.Connection, job: int) -> list[int]:
    """Give the evaluations that a job scored, ascending."""
    found: set[int] = set()
    for metric, score_set in sets_of(conn, job).items():
        rows = conn.execute(
            # whatever a job scored has a value that counts, of this job or of another
            "SELECT c.evaluation FROM scores c WHERE c.metric = ?1 AND c.score_set = ?2 "
            "AND c.latest = 1 AND c.turn = -1 AND EXISTS (SELECT 1 FROM scores s "
            "WHERE s.evaluation = c.evaluation AND s.metric = ?1 AND s.score_set = ?2 "
            "AND s.job = ?3)",
            (metric, score_set, job),
        )
        found.update(key for (key,) in rows)
    return sorted(found)


def is_discarded(conn: sqlite3.Connection, job: int) -> bool:
    """Tell whether scores of a job were taken back."""
    return finds(conn, "SELECT 1 FROM discarded_scores WHERE job = ? LIMIT 1", (job,))


def apply(conn: sqlite3.Connection, part: Discarding, keys: Sequence[int]) -> None:
    """Take back or put back the scores of some evaluations; may be done twice, inside `write`."""
    listed = json.dumps(list(keys))
    if part.present:
        groups = conn.execute(_GROUPS.format("scores"), (part.job, listed)).fetchall()
        conn.execute(_KEEP, (listed, part.job))
        conn.execute(f"DELETE FROM scores WHERE {_AMONG} AND job = ?", (listed, part.job))
    else:
        groups = conn.execute(_GROUPS.format("discarded_scores"), (part.job, listed)).fetchall()
        for group in groups:
            _put_back(conn, group, part.job)
        conn.execute(
            f"DELETE FROM discarded_scores WHERE job = ? AND {_AMONG}", (part.job, listed)
        )
    for group in groups:
        mark_counted(conn, group)


def _put_back(conn: sqlite3.Connection, group: Group, job: int) -> None:
    kept = conn.execute(
        f"SELECT {_ROW} FROM discarded_scores WHERE job = ? AND {_IN_GROUP} ORDER BY ordinal",
        (job, *group),
    ).fetchall()
    there = conn.execute(
        f"SELECT {_ROW} FROM scores WHERE {_IN_GROUP} AND ordinal >= 0 ORDER BY ordinal", group
    ).fetchall()
    if {row[_ORDINAL] for row in kept} & {row[_ORDINAL] for row in there}:
        # others came since: what was there first stands before them again
        conn.execute(f"DELETE FROM scores WHERE {_IN_GROUP}", group)
        kept = [_at(row, place) for place, row in enumerate((*kept, *there))]
    conn.executemany(_PUT, kept)


def _at(row: tuple[Any, ...], ordinal: int) -> tuple[Any, ...]:
    return (*row[:_ORDINAL], ordinal, *row[_ORDINAL + 1 :])


def every_version(conn: sqlite3.Connection) -> tuple[ScorerVersion, ...]:
    """Give every score set, in the order of their making."""
    rows = conn.execute(
        "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets "
        f"WHERE {shown_names('score_sets')} ORDER BY id"
    )
    names = ("key", "scorer", "version", "model", "prompt_hash", "parameters")
    found = [ScorerVersion(**dict(zip(names, row, strict=True))) for row in rows]
    return told_apart(found, cache(partial(_metrics_scored, conn)))


def _metrics_scored(conn: sqlite3.Connection, score_set: int) -> frozenset[int]:
    return frozenset(
        values_of(
            conn,
            "SELECT id FROM metrics m WHERE EXISTS (SELECT 1 FROM scores s "
            "JOIN visible_evaluations e ON e.id = s.evaluation WHERE s.metric = m.id "
            "AND s.score_set = ? AND s.latest = 1 AND s.turn = -1)",
            (score_set,),
        )
    )


def sets_of(conn: sqlite3.Connection, key: int) -> dict[int, int]:
    """Give the score sets that a job's scores went to, by the numbers of the metrics."""
    return dict(conn.execute("SELECT metric, score_set FROM job_sets WHERE job = ?", (key,)))


class Call(NamedTuple):
    """One score: its value (None after an error) and what it took, None where nobody knows."""

    evaluation: int
    value: Value | None
    cost_usd: float | None
    latency_ms: float | None


_CALLS = """
    SELECT s.evaluation,
        CASE WHEN s.extra IS NULL OR json_extract(s.extra, '$.error') IS NULL THEN s.value END,
        json_extract(s.extra, '$.cost_usd'), json_extract(s.extra, '$.latency_ms')
    FROM scores s
    WHERE s.evaluation IN (SELECT value FROM json_each(?)) AND s.metric = ? AND s.score_set = ?
        AND s.turn = -1 AND s.ordinal >= 0
    ORDER BY s.evaluation, s.ordinal
"""


def calls(
    conn: sqlite3.Connection, *, metric: int, score_set: int, keys: Sequence[int]
) -> Iterator[Call]:
    """Give every score of some evaluations by one score set, repeats beside each other."""
    listed = "[" + ",".join(map(str, keys)) + "]"
    return (Call(*row) for row in conn.execute(_CALLS, (listed, metric, score_set)))
