"""The columns that figures are computed from: evaluations, auto scores and their dates, labels."""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Value, to_micros
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.store import scores
from reviewer.store.labels import restored_by
from reviewer.store.project import Project
from reviewer.store.query import number_of, values_of
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition, field_expression
from reviewer.store.unseen import shown_runs

UNDATED = -(2**62)
"""The date of an evaluation that has none."""

_BLOCK = 20_000


class EvaluationColumns(Struct, frozen=True):
    """Keys in ascending order and dates (microseconds since 1970 UTC, or `UNDATED`).

    Attributes:
        runs: The keys of each run's evaluations, ascending, by the run's key.
    """

    keys: "array[int]"
    dates: "array[int]"
    runs: "dict[int, array[int]]"


class LabelColumns(Struct, frozen=True):
    """Current entries that count: one row a person, evaluation and metric.

    Attributes:
        adjudicated: 1 where the entry is a lead's decision.
        blind: 1 where the entry was given unseen, 0 where the auto score was seen, -1 where nobody
            knows.
        times: When the entry was given, or the one whose place it takes.
        orders: Arrival numbers of the same, for the latest decision where times are equal.
    """

    evaluations: "array[int]" = field(default_factory=lambda: array("q"))
    metrics: "array[int]" = field(default_factory=lambda: array("q"))
    labelers: "array[int]" = field(default_factory=lambda: array("q"))
    values: list[Value] = field(default_factory=list)
    adjudicated: "array[int]" = field(default_factory=lambda: array("b"))
    blind: "array[int]" = field(default_factory=lambda: array("b"))
    aggregates: "array[int]" = field(default_factory=lambda: array("q"))
    times: "array[int]" = field(default_factory=lambda: array("q"))
    orders: "array[int]" = field(default_factory=lambda: array("q"))
    reasons: list[str | None] = field(default_factory=list)
    probabilities: list[float | None] = field(default_factory=list)


@contextmanager
def snapshot(project: Project) -> Iterator[int]:
    """Read everything inside the block as of one moment, and give the newest change's number."""
    nested = project.conn.in_transaction
    if not nested:
        project.conn.execute("BEGIN")
    try:
        yield newest_change(project)
    finally:
        if not nested and project.conn.in_transaction:
            project.conn.execute("COMMIT")


def newest_change(project: Project) -> int:
    """Give the number of the newest change."""
    return number_of(project.conn, "SELECT value FROM counters WHERE name = 'seq'")


def run_places(project: Project) -> list[tuple[int, str, int]]:
    """Give key, name and rubric's key of every run, in the order of import."""
    return list(
        project.conn.execute(f"SELECT id, name, rubric FROM runs WHERE {shown_runs()} ORDER BY id")
    )


def metric_keys(project: Project) -> dict[str, int]:
    """Give the project's own numbers of metric names."""
    return dict(project.conn.execute("SELECT name, id FROM metrics"))


def labeler_names(project: Project) -> dict[int, str]:
    """Give labeler names by the project's own numbers."""
    return dict(project.conn.execute("SELECT id, name FROM labelers"))


def scorer_versions(project: Project) -> tuple[ScorerVersion, ...]:
    """Give every score set of the project, each with a name that tells it from the others."""
    return scores.every_version(project.conn)


_DATED_BY_SCORES = (
    "SELECT id FROM evaluations INDEXED BY evaluations_of_scores "
    "WHERE evaluated_at IS NULL AND occurred_at IS NULL AND dated IS NOT NULL"
)


def read_evaluations(project: Project, within: Condition) -> EvaluationColumns:
    """Read the keys and own dates of the evaluations within a condition.

    Lists put an evaluation without a date where its scores are; figures date it by metric.
    """
    # one long text a column is read six times as fast as rows, and lets other threads run
    rows = project.conn.execute(
        f"SELECT e.run, group_concat(e.id), group_concat(ifnull(e.dated, {UNDATED})) "
        f"FROM visible_evaluations e WHERE {within.sql} GROUP BY e.run",
        within.parameters,
    ).fetchall()
    keys: list[int] = []
    dates: list[int] = []
    runs: dict[int, array[int]] = {}
    for run, keys_text, dates_text in rows:
        mine = whole_numbers(keys_text)
        keys += mine
        dates += whole_numbers(dates_text)
        runs[run] = array("q", sorted(mine))
    ascending = sorted(keys)
    if ascending != keys:
        order = sorted(range(len(keys)), key=keys.__getitem__)
        keys, dates = ascending, [dates[place] for place in order]
    undated = set(values_of(project.conn, _DATED_BY_SCORES))
    if undated:
        dates = [UNDATED if key in undated else x for key, x in zip(keys, dates, strict=True)]
    return EvaluationColumns(array("q", keys), array("q", dates), runs)


def read_chat_dates(project: Project, within: Condition) -> "array[int]":
    """Read when each chat was, in the order of `read_evaluations`, `UNDATED` where unknown."""
    rows = project.conn.execute(
        f"SELECT e.occurred_at FROM visible_evaluations e WHERE {within.sql} ORDER BY e.id",
        within.parameters,
    )
    dates = array("q")
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        found = (to_micros(text) for (text,) in block)
        dates.extend(UNDATED if micros is None else micros for micros in found)
    return dates


def whole_numbers(text: str | None) -> list[int]:
    """Read what SQL put together with commas between."""
    found: list[int] = json.loads(f"[{text or ''}]")
    return found


def read_groups(project: Project, within: Condition, name: str) -> list[str | None]:
    """Read a field of each evaluation, in the order of `read_evaluations`."""
    expression, values = field_expression(name)
    rows = project.conn.execute(
        f"SELECT CAST({expression} AS TEXT) FROM visible_evaluations e "
        f"WHERE {within.sql} ORDER BY e.id",
        (*values, *within.parameters),
    )
    return [row[0] for row in rows]


def read_clusters(project: Project) -> tuple["array[int]", list[str]]:
    """Read which evaluations name the conversation they share with others, and its name."""
    rows = project.conn.execute(
        "SELECT id, json_extract(extra, '$.cluster') AS cluster FROM evaluations "
        "WHERE instr(extra, '\"cluster\"') > 0 AND json_valid(extra) AND cluster IS NOT NULL"
    )
    keys, names = array("q"), list[str]()
    for key, name in rows:
        keys.append(key)
        names.append(str(name))
    return keys, names


def score_sets_present(project: Project, metric: int) -> list[int]:
    """Give the score sets that scored a metric anywhere."""
    return values_of(
        project.conn,
        "SELECT id FROM score_sets s WHERE EXISTS (SELECT 1 FROM scores WHERE metric = ? "
        "AND score_set = s.id AND latest = 1 AND turn = -1)",
        (metric,),
    )


def running_score_sets(project: Project) -> frozenset[int]:
    """Give the score sets that are still being filled."""
    return frozenset(values_of(project.conn, "SELECT id FROM score_sets WHERE status = 'running'"))


def score_sets_in_use(project: Project, metric: int, within: Condition) -> list[int]:
    """Give the score sets that scored a metric in scope, in the order of their making."""
    return values_of(
        project.conn,
        "SELECT b.id FROM score_sets b WHERE EXISTS (SELECT 1 FROM scores s "
        "JOIN visible_evaluations e ON e.id = s.evaluation WHERE s.metric = ? "
        f"AND s.score_set = b.id AND s.latest = 1 AND s.turn = -1 AND {within.sql}) ORDER BY b.id",
        (metric, *within.parameters),
    )


def read_scores(
    project: Project, metric: int, score_set: int
) -> Iterator[tuple[tuple[Value, ...], list[int], str]]:
    """Read the values that count for one metric and scorer version, in the order of the values.

    Yields:
        Values, how many evaluations have each, and the keys of these with commas between them.
    """
    # the index is in the order of values, so that nothing is read twice and nothing is sorted
    rows = project.conn.execute(
        "SELECT value, group_concat(evaluation) FROM scores "
        "WHERE metric = ? AND score_set = ? AND latest = 1 AND turn = -1 GROUP BY value",
        (metric, score_set),
    )
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        values, texts = zip(*block, strict=True)
        yield values, [text.count(",") + 1 for text in texts], ",".join(texts)


_COUNTS = f"c.turn = {WHOLE} AND c.value IS NOT NULL AND c.kind IN ('label', 'adjudication')"
_CURRENT = """
    SELECT c.evaluation, c.metric, c.labeler, c.value, c.decided, ifnull(c.blind, -1),
        ifnull(c.aggregate, 0), ifnull(c.at_us, {none}), c.place, l.selection_reason,
        l.selection_prob
    FROM current_labels c JOIN labels l ON l.id = c.place
    WHERE {counts} AND {where}
    ORDER BY c.place
"""
_BLIND = """
    SELECT b.evaluation, b.metric, b.labeler, b.value, b.decided, 1, ifnull(b.aggregate, 0),
        ifnull(iif(r.id IS NULL, b.at_us, r.at_us), {none}), ifnull(r.id, b.id),
        b.selection_reason, b.selection_prob
    FROM (SELECT *, kind = 'adjudication' AS decided, row_number() OVER (
            PARTITION BY evaluation, metric, labeler, kind = 'adjudication'
            ORDER BY ifnull(at_us, {none}) DESC, id DESC) AS newest
        FROM labels c WHERE blind = 1 AND turn = {whole} AND kind <> 'comment' AND {where}) b
    LEFT JOIN labels r ON {restored}
    WHERE b.newest = 1 AND b.value IS NOT NULL AND (b.kind = 'label' OR b.decided
        AND NOT EXISTS (SELECT 1 FROM labels w WHERE w.evaluation = b.evaluation
            AND w.metric = b.metric AND w.labeler = b.labeler AND w.turn = {whole}
            AND (w.kind = 'withdrawn' AND w.of IS NULL
                OR w.kind = 'adjudication' AND w.value IS NULL)
            AND (ifnull(w.at_us, {none}), w.id) > (ifnull(b.at_us, {none}), b.id)))
    ORDER BY ifnull(r.id, b.id)
"""


_FILLED = {"none": UNDATED, "whole": WHOLE, "counts": _COUNTS, "restored": restored_by("b")}
_ALL = {False: _CURRENT.format(**_FILLED, where="1"), True: _BLIND.format(**_FILLED, where="1")}
_ONE = {
    False: _CURRENT.format(**_FILLED, where="c.evaluation = ?"),
    True: _BLIND.format(**_FILLED, where="c.evaluation = ?"),
}


_AMONG = f"""
    SELECT c.evaluation, c.metric, c.value, c.decided, ifnull(c.at_us, {UNDATED}), c.label
    FROM current_labels c
    WHERE {_COUNTS} AND c.evaluation IN (SELECT value FROM json_each(?))
"""


def read_labels(project: Project, scope: Scope) -> LabelColumns:
    """Read the entries that count in a scope, of all evaluations, oldest arrival first.

    With `scope.blind_only`, a person's newest entry that is known to be blind counts; with
    `scope.labelers`, only those people's labels and no adjudication.
    """
    columns = LabelColumns()
    wanted = labeler_keys(project, scope.labelers)
    rows = project.conn.execute(_ALL[scope.blind_only])
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        extend(columns, _counting(block, wanted))
    return columns


def read_labels_of(
    project: Project, evaluation: int, wanted: frozenset[int], *, blind_only: bool
) -> list[tuple[Any, ...]]:
    """Read the entries of one evaluation as rows in the order of `LabelColumns`.

    `wanted` are the only people whose labels count; empty means everybody, and decisions too.
    """
    return _counting(project.conn.execute(_ONE[blind_only], (evaluation,)).fetchall(), wanted)


CountedLabel = tuple[int, int, Value, int, int, int]
"""Evaluation, metric, value, whether it is a decision, when it was given, and its number."""


def labels_among(project: Project, wanted: Sequence[int]) -> list[CountedLabel]:
    """Read the entries that count on some evaluations, in any order."""
    return project.conn.execute(_AMONG, (_listed(wanted),)).fetchall()


def scores_among(project: Project, wanted: Sequence[int]) -> list[tuple[int, int, int, Value]]:
    """Read (evaluation, metric, score set, value) of some evaluations."""
    return project.conn.execute(
        # + keeps SQLite from walking a whole index for a few evaluations
        "SELECT evaluation, metric, score_set, value FROM scores WHERE +latest = 1 "
        "AND +turn = -1 AND evaluation IN (SELECT value FROM json_each(?))",
        (_listed(wanted),),
    ).fetchall()


def _listed(keys: Sequence[int]) -> str:
    return "[" + ",".join(map(str, keys)) + "]"


def _counting(rows: list[tuple[Any, ...]], wanted: frozenset[int]) -> list[tuple[Any, ...]]:
    return [row for row in rows if row[2] in wanted and not row[4]] if wanted else rows


def is_open_to(project: Project, labeler: int, evaluation: int) -> bool:
    """Tell whether a labeler has neither finished nor revealed an evaluation."""
    row = project.conn.execute(
        "SELECT complete OR revealed FROM states WHERE labeler = ? AND evaluation = ?",
        (labeler, evaluation),
    ).fetchone()
    return row is None or not row[0]


def scores_of(project: Project, evaluation: int) -> dict[tuple[str, int], Value]:
    """Read the newest values of one evaluation by metric and scorer version."""
    rows = project.conn.execute(
        "SELECT m.name, s.score_set, s.value FROM scores s JOIN metrics m ON m.id = s.metric "
        "WHERE s.evaluation = ? AND s.latest = 1 AND s.turn = -1",
        (evaluation,),
    )
    return {(name, score_set): value for name, score_set, value in rows}


def touched_since(project: Project, seq: int, limit: int) -> list[int]:
    """Give at most `limit` evaluations with labels or reveals after a number of the order."""
    return values_of(
        project.conn,
        "SELECT evaluation FROM labels WHERE seq > ? UNION "
        "SELECT evaluation FROM marks WHERE seq > ? AND kind = 'reveal' LIMIT ?",
        (seq, seq, limit),
    )


def hidden_from(project: Project, labeler: int) -> "array[int]":
    """Give the evaluations that a labeler has begun, but neither finished nor revealed."""
    rows = project.conn.execute(
        "SELECT evaluation FROM states WHERE labeler = ? AND complete = 0 AND revealed = 0",
        (labeler,),
    )
    return array("q", (key for (key,) in rows))


def labeler_keys(project: Project, names: Sequence[str]) -> frozenset[int]:
    """Give the numbers of people.

    Raises:
        ReviewerError: Nobody in the project has one of the names.
    """
    if not names:
        return frozenset()
    known = {name: key for key, name in labeler_names(project).items()}
    unknown = [name for name in names if name not in known]
    if unknown:
        there = ", ".join(sorted(known)) or "none yet"
        raise ReviewerError(
            f"There is no labeler {unknown[0]!r} in this project; there are: {there}."
        )
    return frozenset(known[name] for name in names)


def extend(columns: LabelColumns, rows: Iterable[tuple[Any, ...]]) -> None:
    """Add rows in the order of the columns."""
    parts = list(zip(*rows, strict=True))
    if parts:
        targets: tuple[Any, ...] = (
            columns.evaluations,
            columns.metrics,
            columns.labelers,
            columns.values,
            columns.adjudicated,
            columns.blind,
            columns.aggregates,
            columns.times,
            columns.orders,
            columns.reasons,
            columns.probabilities,
        )
        for target, part in zip(targets, parts, strict=True):
            target.extend(part)


def read_score_dates(
    project: Project, metric: int, score_set: int
) -> tuple["array[int]", "array[int]"]:
    """Read which evaluations' scores of a version bear a time, ascending, and these times."""
    keys, times = project.conn.execute(
        "SELECT group_concat(evaluation), group_concat(at_us) FROM ("
        "SELECT evaluation, at_us FROM scores INDEXED BY scores_dated WHERE metric = ? "
        "AND score_set = ? AND latest = 1 AND turn = -1 AND at_us IS NOT NULL "
        "ORDER BY evaluation)",
        (metric, score_set),
    ).fetchone()
    return array("q", whole_numbers(keys)), array("q", whole_numbers(times))


def scored_times(project: Project) -> list[tuple[int, int]]:
    """Give every evaluation that a score with a time counts on, with these times."""
    return project.conn.execute(
        "SELECT evaluation, at_us FROM scores INDEXED BY scores_dated "
        "WHERE latest = 1 AND turn = -1 AND at_us IS NOT NULL"
    ).fetchall()
