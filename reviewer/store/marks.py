"""The append-only history of marks: skips, flags, highlights, causes, questions and reveals."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from reviewer.domain.label import Mark
from reviewer.store import packing

_READ = """
    SELECT k.evaluation, k.kind, p.name, k.at, m.name, k.turn, k.span_start, k.span_end, k.note,
        k.value, k.seq, k.id, k.labeler, k.metric
    FROM marks k JOIN labelers p ON p.id = k.labeler LEFT JOIN metrics m ON m.id = k.metric
    WHERE {where} ORDER BY {order}
"""
_FIELDS = (
    "evaluation", "kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value",
    "seq",
)  # fmt: skip


class Entry(Struct, frozen=True):
    """A row of the history: the mark and the numbers that the file knows it by."""

    key: int
    mark: Mark
    labeler: int
    metric: int | None

    @property
    def thing(self) -> tuple[object, ...]:
        """Give what a later mark must share to replace this one."""
        mark = self.mark
        span = (mark.turn, mark.start, mark.end) if mark.kind == "highlight" else ()
        return (mark.evaluation, mark.kind, self.labeler, self.metric, *span)

    @property
    def stands(self) -> bool:
        """Tell whether the mark is set rather than taken back."""
        return self.mark.value is None or self.mark.value not in (0, False, "")


def _entry(row: tuple[Any, ...]) -> Entry:
    fields = dict(zip(_FIELDS, row, strict=False))
    if fields["value"] in (0, 1):
        fields["value"] = bool(fields["value"])
    mark = Mark(**fields)
    return Entry(key=row[11], mark=mark, labeler=row[12], metric=row[13])


def _select(
    conn: sqlite3.Connection, where: str, parameters: tuple[object, ...], order: str = "k.id"
) -> list[Entry]:
    rows = conn.execute(_READ.format(where=where, order=order), parameters)
    return [_entry(row) for row in rows]


def where(conn: sqlite3.Connection, condition: str, parameters: Sequence[object]) -> list[Entry]:
    """Give the entries `k` that fulfil an SQL condition, in arrival order."""
    return _select(conn, condition, tuple(parameters))


def read(conn: sqlite3.Connection, key: int) -> Entry | None:
    """Give one entry of the history, None where it left with the import that brought it."""
    found = _select(conn, "k.id = ?", (key,))
    return found[0] if found else None


def history(conn: sqlite3.Connection, evaluation: int) -> list[Entry]:
    """Give every mark of an evaluation, in arrival order."""
    return _select(conn, "k.evaluation = ?", (evaluation,))


def current(conn: sqlite3.Connection, evaluation: int) -> list[Entry]:
    """Give the marks of an evaluation that stand, in arrival order."""
    newest = {entry.thing: entry for entry in history(conn, evaluation)}
    return sorted((x for x in newest.values() if x.stands), key=lambda x: x.key)


def since(conn: sqlite3.Connection, seq: int, limit: int) -> list[Entry]:
    """Give at most `limit` marks after a number of the order of changes, in that order."""
    return _select(conn, "k.seq > ?", (seq,), order=f"k.seq LIMIT {int(limit)}")


def newest(
    conn: sqlite3.Connection, mark: Mark, *, labeler: int, metric: int | None = None
) -> Entry | None:
    """Give the labeler's newest entry for the same thing as a mark, standing or taken back."""
    found = [
        entry
        for entry in _select(conn, "k.evaluation = ?", (mark.evaluation,))
        if entry.thing == Entry(0, mark, labeler, metric).thing
    ]
    return found[-1] if found else None


_APPEND = """
    INSERT INTO marks(
        seq, evaluation, kind, labeler, at, metric, turn, span_start, span_end, note, value,
        extra)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""


def append(
    conn: sqlite3.Connection, mark: Mark, *, labeler: int, metric: int | None = None
) -> Entry:
    """Add a mark to the history; call inside `Project.write`."""
    extra = packing.entry_extra("mark", {"value": mark.value}) if mark.value is not None else None
    row = conn.execute(
        _APPEND,
        (
            mark.seq, mark.evaluation, mark.kind, labeler, mark.at, metric, mark.turn, mark.start,
            mark.end, mark.note, mark.value, extra,
        ),
    ).fetchall()[0]  # fmt: skip
    return Entry(key=int(row[0]), mark=mark, labeler=labeler, metric=metric)
