"""What leads said about disagreements: decisions, causes and questions."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.domain.label import Mark
from reviewer.domain.values import Value, to_micros
from reviewer.store import marks
from reviewer.store.labels import NO_TIME

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
    place = (entry.mark.evaluation, entry.metric, str(entry.mark.value))
    rows = conn.execute(_ENTRIES, place).fetchall()
    return _said(rows) != _said([row for row in rows if row[3:] <= moment])


def _said(rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Give label and comment after some entries, oldest first; what is withdrawn is nothing."""
    kind, value, comment = None, None, ""
    for given, number, words, *_ in rows:
        comment = words
        if given != "comment":
            kind, value = (None, None) if given == "withdrawn" else (given, number)
    return kind, value, comment
