"""What leads said about disagreements: decisions, causes, questions, and the texts beside."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.domain.evaluation import Mark, Value, to_micros
from reviewer.store import marks
from reviewer.store.labels import NO_TIME
from reviewer.store.project import Project

_DECISIONS = f"""
    SELECT d.evaluation, d.value, EXISTS (
        SELECT 1 FROM current_labels c WHERE c.evaluation = d.evaluation
            AND c.metric = d.metric AND c.turn = -1 AND c.decided = 0
            AND c.kind IN ('label', 'not_applicable')
            AND (ifnull(c.at_us, {NO_TIME}), c.place) > (ifnull(d.at_us, {NO_TIME}), d.place))
    FROM current_labels d
    WHERE d.metric = ? AND d.decided = 1 AND d.turn = -1 AND d.kind = 'adjudication'
    ORDER BY d.evaluation, ifnull(d.at_us, {NO_TIME}), d.place
"""
_ENTRIES = f"""
    SELECT kind, value, ifnull(comment, ''), ifnull(at_us, {NO_TIME}), seq FROM labels
    WHERE evaluation = ? AND metric = ? AND turn = -1 AND kind <> 'adjudication'
        AND labeler = (SELECT id FROM labelers WHERE name = ?)
    ORDER BY ifnull(at_us, {NO_TIME}), id
"""
_KINDS = "k.kind IN ('cause', 'question')"
"""Written like the condition of the index that finds them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A lead's question to a labeler about one metric of an evaluation.

    Attributes:
        asked: Whom it goes to.
        answered: Whether they say something else by now, by label or comment.
    """

    key: int
    mark: Mark
    asked: str
    answered: bool


def decisions(conn: sqlite3.Connection, metric: int) -> dict[int, tuple[Value, bool]]:
    """Give the latest decision on a metric by evaluation, and whether newer labels came after."""
    rows = conn.execute(_DECISIONS, (metric,))
    return {key: (value, bool(newer)) for key, value, newer in rows}


def causes(
    conn: sqlite3.Connection, metric: int | None = None, evaluation: int | None = None
) -> list[marks.Entry]:
    """Give the cause that stands for each evaluation and metric; of one metric or all.

    Where several leads name one, the latest stands.
    """
    found: dict[tuple[int, int | None], marks.Entry] = {}
    for entry in _standing(conn, "cause", metric, evaluation):
        found[entry.mark.evaluation, entry.metric] = entry
    return sorted(found.values(), key=lambda entry: (entry.first, entry.key))


def questions(
    conn: sqlite3.Connection, metric: int | None = None, evaluation: int | None = None
) -> list[Question]:
    """Give the questions that stand, the oldest first; of one metric or evaluation, or all."""
    return [
        Question(
            key=entry.key,
            mark=entry.mark,
            asked=str(entry.mark.value),
            answered=_is_answered(conn, entry),
        )
        for entry in _standing(conn, "question", metric, evaluation)
    ]


def confidences(
    conn: sqlite3.Connection, *, metric: int, score_set: int, keys: Sequence[int]
) -> dict[int, float]:
    """Give how sure the judge says it was of its score on some evaluations."""
    rows = conn.execute(
        "SELECT evaluation, json_extract(extra, '$.confidence') AS sure FROM scores "
        "WHERE evaluation IN (SELECT value FROM json_each(?)) AND metric = ? AND score_set = ? "
        "AND turn = -1 AND latest = 1 AND instr(extra, '\"confidence\"') > 0 "
        "AND sure IS NOT NULL",
        ("[" + ",".join(map(str, keys)) + "]", metric, score_set),
    )
    return dict(rows)


def _standing(
    conn: sqlite3.Connection, kind: str, metric: int | None, evaluation: int | None = None
) -> list[marks.Entry]:
    where, values = f"{_KINDS} AND k.kind = ?", [kind]
    parts: list[Any] = [*values]
    if metric is not None:
        where += " AND k.metric = ?"
        parts.append(metric)
    if evaluation is not None:
        where += " AND k.evaluation = ?"
        parts.append(evaluation)
    return marks.standing(marks.where(conn, where, parts))


def _is_answered(conn: sqlite3.Connection, entry: marks.Entry) -> bool:
    """Compare what the asked person says now with what they said when they were asked."""
    asked_at = to_micros(entry.first_at)
    moment = (NO_TIME if asked_at is None else asked_at, entry.first)
    rows = conn.execute(
        _ENTRIES, (entry.mark.evaluation, entry.metric, str(entry.mark.value))
    ).fetchall()
    return _said(rows) != _said([row for row in rows if row[3:] <= moment])


def _said(rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Give label and comment after some entries, oldest first; what is withdrawn is nothing."""
    kind, value, comment = None, None, ""
    for given, number, words, *_ in rows:
        comment = words
        if given != "comment":
            kind, value = (None, None) if given == "withdrawn" else (given, number)
    return kind, value, comment


_LISTED = "IN (SELECT value FROM json_each(?))"
_SCORES = (
    "SELECT s.evaluation, m.name, s.score_set, s.value, s.reasoning FROM scores s "
    "JOIN metrics m ON m.id = s.metric "
    f"WHERE s.evaluation {_LISTED} AND s.latest = 1 AND s.turn = -1"
)
_DECIDED = (
    "SELECT c.evaluation, m.name FROM current_labels c JOIN metrics m ON m.id = c.metric "
    f"WHERE c.evaluation {_LISTED} AND c.decided = 1 AND c.kind = 'adjudication'"
)
_AFTER = (
    "SELECT 1 FROM current_labels {0} WHERE {0}.evaluation = d.evaluation "
    "AND {0}.metric = d.metric AND {0}.turn = -1 AND {1} AND "
    f"(ifnull({{0}}.at_us, {NO_TIME}), {{0}}.place) > (ifnull(d.at_us, {NO_TIME}), d.place)"
)
_LATER_DECISION = _AFTER.format("x", "x.decided = 1 AND x.kind = 'adjudication'")
_LATER_LABEL = _AFTER.format("x", "x.decided = 0 AND x.kind IN ('label', 'not_applicable')")
_NEWER = (
    "SELECT d.evaluation, m.name FROM current_labels d JOIN metrics m ON m.id = d.metric "
    f"WHERE d.evaluation {_LISTED} AND d.turn = -1 AND d.decided = 1 AND d.kind = 'adjudication' "
    f"AND NOT EXISTS ({_LATER_DECISION}) AND EXISTS ({_LATER_LABEL})"
)
_CAUSES = f"k.evaluation {_LISTED} AND k.kind = 'cause'"
_RUNS = f"SELECT e.id, r.name FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.id {_LISTED}"


@dataclass(slots=True)
class Texts:
    """What belongs to a few evaluations, by number and metric."""

    runs: dict[int, str] = field(default_factory=dict)
    scores: dict[tuple[int, str, int], tuple[Value, str | None]] = field(default_factory=dict)
    decided: set[tuple[int, str]] = field(default_factory=set)
    outdated: set[tuple[int, str]] = field(default_factory=set)
    causes: dict[tuple[int, str | None], Value | None] = field(default_factory=dict)


def read_texts(project: Project, keys: Sequence[int]) -> Texts:
    """Read what belongs to a few evaluations."""
    listed = ("[" + ",".join(map(str, keys)) + "]",)
    conn = project.conn
    texts = Texts(runs=dict(conn.execute(_RUNS, listed)))
    for key, metric, score_set, value, reasoning in conn.execute(_SCORES, listed):
        texts.scores[key, metric, score_set] = (value, reasoning)
    texts.decided = {(key, metric) for key, metric in conn.execute(_DECIDED, listed)}
    texts.outdated = {(key, metric) for key, metric in conn.execute(_NEWER, listed)}
    for mark in (entry.mark for entry in marks.standing(marks.where(conn, _CAUSES, listed))):
        cause = mark.note if mark.value is None else mark.value
        texts.causes[mark.evaluation, mark.metric] = cause
    return texts


def places(project: Project) -> dict[int, tuple[str, str]]:
    """Give the runs and ids of all labelled evaluations by number."""
    rows = project.conn.execute(
        "SELECT v.id, r.name, v.ext_id FROM visible_evaluations v JOIN runs r ON r.id = v.run "
        "WHERE v.id IN (SELECT evaluation FROM current_labels)"
    )
    return {key: (run, identity) for key, run, identity in rows}
