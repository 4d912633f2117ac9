"""The append-only history of labels, and the current entries kept beside it.

A labeler's current entry is the one with the latest time; entries without a time are the earliest,
and of equal times the one that arrived later counts. So that the newest press always wins, even
on a computer whose clock went back, a live entry never gets a time before that of the entry it
follows.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from reviewer.domain.label import Label
from reviewer.domain.values import now_text, to_micros
from reviewer.store.packing import entry_extra
from reviewer.store.project import Project
from reviewer.store.schema import WHOLE

NO_TIME = -(2**62)
"""What a missing time counts as when entries are ordered: before every other."""

CLAIMS = "claims"
"""The key under which a label's claims stand in a record."""

_READ = """
    SELECT l.evaluation, m.name, p.name, l.value, l.kind, l.comment, l.at, l.blind, l.turn,
        l.seconds, l.rubric_version, l.judge_version, l.selection_reason, l.selection_prob,
        l.aggregate, l.seq, l.id, l.metric, l.labeler, l.at_us, l.extra
    FROM {source} JOIN metrics m ON m.id = l.metric JOIN labelers p ON p.id = l.labeler
    WHERE {where} ORDER BY {order}
"""
_FIELDS = (
    "evaluation", "metric", "labeler", "value", "kind", "comment", "at", "blind", "turn",
    "seconds", "rubric_version", "judge_version", "selection_reason", "selection_prob",
    "aggregate", "seq",
)  # fmt: skip


class Entry(Struct, frozen=True):
    """A row of the history: the label and the numbers that the file knows it by."""

    key: int
    label: Label
    metric: int
    labeler: int
    at_us: int | None

    @property
    def place(self) -> tuple[int, int]:
        """Give what entries of one labeler and thing are ordered by; the greatest is current."""
        return (NO_TIME if self.at_us is None else self.at_us, self.key)


def _entry(row: tuple[Any, ...]) -> Entry:
    fields = dict(zip(_FIELDS, row, strict=False))
    fields["turn"] = None if row[8] == WHOLE else row[8]
    fields["blind"] = None if row[7] is None else bool(row[7])
    if row[20] is not None:
        fields["claims"] = json.loads(row[20]).get(CLAIMS)
    return Entry(
        key=row[16],
        label=Label(**fields),
        metric=row[17],
        labeler=row[18],
        at_us=row[19],
    )


def _select(
    conn: sqlite3.Connection, where: str, parameters: Iterable[object], **parts: str
) -> list[Entry]:
    query = _READ.format(
        source=parts.get("source", "labels l"), where=where, order=parts.get("order", "l.id")
    )
    return [_entry(row) for row in conn.execute(query, tuple(parameters))]


def metric_key(conn: sqlite3.Connection, name: str) -> int:
    """Give the key of a metric's name, made where absent; call inside `Project.write`."""
    row = conn.execute("SELECT id FROM metrics WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = conn.execute(
            "INSERT INTO metrics(name) VALUES (?) RETURNING id", (name,)
        ).fetchall()[0]
    return int(row[0])


def read(conn: sqlite3.Connection, key: int) -> Entry | None:
    """Give one entry of the history, None where it left with the import that brought it."""
    found = _select(conn, "l.id = ?", (key,))
    return found[0] if found else None


def history(conn: sqlite3.Connection, evaluation: int) -> list[Entry]:
    """Give every entry of an evaluation, oldest first."""
    return _select(
        conn,
        "l.evaluation = ?",
        (evaluation,),
        order=f"ifnull(l.at_us, {NO_TIME}), l.id",
    )


def since(conn: sqlite3.Connection, seq: int, limit: int) -> list[Entry]:
    """Give at most `limit` entries after a number of the order of changes, in that order."""
    return _select(conn, "l.seq > ?", (seq,), order=f"l.seq LIMIT {int(limit)}")


def before(conn: sqlite3.Connection, entry: Entry) -> Entry | None:
    """Give what was current when an entry arrived, of the same labeler, thing and track."""
    track = "=" if entry.label.kind == "adjudication" else "<>"
    found = _select(
        conn,
        "l.evaluation = ? AND l.metric = ? AND l.labeler = ? AND l.turn = ? AND l.id < ? "
        f"AND l.kind {track} 'adjudication'",
        (
            entry.label.evaluation,
            entry.metric,
            entry.labeler,
            _turn(entry.label),
            entry.key,
        ),
        order=f"ifnull(l.at_us, {NO_TIME}) DESC, l.id DESC LIMIT 1",
    )
    return found[0] if found else None


def current(conn: sqlite3.Connection, evaluation: int) -> list[Entry]:
    """Give everybody's current entries of an evaluation, withdrawn ones too, as they arrived."""
    return _select(
        conn,
        "c.evaluation = ?",
        (evaluation,),
        source="current_labels c JOIN labels l ON l.id = c.label",
    )


def current_of(
    conn: sqlite3.Connection, evaluation: int, *, metric: int, labeler: int
) -> list[Entry]:
    """Give a labeler's current entries on a metric of the whole evaluation: label and decision."""
    return _select(
        conn,
        "c.evaluation = ? AND c.metric = ? AND c.labeler = ? AND c.turn = -1",
        (evaluation, metric, labeler),
        source="current_labels c JOIN labels l ON l.id = c.label",
        order="c.decided",
    )


def live_time(earlier: Iterable[Entry]) -> tuple[str, int]:
    """Give the time of a live entry, as text and microseconds: now, never before earlier ones."""
    text = now_text()
    micros = to_micros(text) or 0
    for entry in earlier:
        if entry.at_us is not None and entry.at_us > micros and entry.label.at:
            text, micros = entry.label.at, entry.at_us
    return text, micros


_COLUMNS = (
    "seq, evaluation, metric, labeler, turn, value, kind, comment, at, at_us, blind, seconds, "
    "revision, rubric_version, judge_version, selection_reason, selection_prob, aggregate, extra"
)
_APPEND = f"INSERT INTO labels({_COLUMNS}) VALUES ({', '.join('?' * 19)}) RETURNING id"
_KEEP = """
    INSERT OR REPLACE INTO current_labels
        (evaluation, metric, labeler, turn, decided, label, value, kind, blind, aggregate, at_us)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DROP_DECISION = """
    DELETE FROM current_labels
    WHERE evaluation = ? AND metric = ? AND labeler = ? AND turn = ? AND decided = 1
"""


def append(
    conn: sqlite3.Connection, label: Label, *, metric: int, labeler: int, at_us: int, revision: int
) -> Entry:
    """Add a live entry to the history and make it current; call inside `Project.write`."""
    blind = None if label.blind is None else int(label.blind)
    turn = _turn(label)
    key = conn.execute(
        _APPEND,
        (
            label.seq, label.evaluation, metric, labeler, turn, label.value, label.kind,
            label.comment, label.at, at_us, blind, label.seconds, revision, label.rubric_version,
            label.judge_version, label.selection_reason, label.selection_prob, label.aggregate,
            _extra(label),
        ),
    ).fetchall()[0][0]  # fmt: skip
    decided = int(label.kind == "adjudication")
    thing = (label.evaluation, metric, labeler, turn)
    conn.execute(
        _KEEP,
        (*thing, decided, key, label.value, label.kind, blind, label.aggregate, at_us),
    )
    if label.kind == "withdrawn":
        conn.execute(_DROP_DECISION, thing)
    return Entry(key=int(key), label=label, metric=metric, labeler=labeler, at_us=at_us)


def _extra(label: Label) -> str | None:
    """Pack what has no column as an import would, so that an export gives it again."""
    if label.claims is None:
        return None
    return entry_extra("label", {"judge_version": label.judge_version, CLAIMS: label.claims})


def _turn(label: Label) -> int:
    return WHOLE if label.turn is None else label.turn


def outdate(project: Project, imports: Sequence[int], evaluations: Sequence[int]) -> None:
    """Mark the labels that imports brought to evaluations as given beside another text."""
    if not imports or not evaluations:
        return
    with project.write() as conn:
        conn.executemany(
            "UPDATE labels SET revision = 0 WHERE evaluation = ? AND import = ?",
            [(evaluation, number) for evaluation in evaluations for number in imports],
        )
