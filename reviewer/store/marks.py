"""The append-only history of marks: skips, flags, highlights, causes, questions and reveals.

Of a person's marks on one thing the one that arrived last counts. What an undo brought back takes,
among everybody's marks and among the rounds of a repeat, the place of the mark that it restores.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.evaluation import Mark
from reviewer.domain.uids import Uid
from reviewer.store import packing

_FIRST = """
    CASE WHEN k.restores IS NULL THEN k.{0} ELSE ifnull((SELECT r.{0} FROM marks r
        WHERE r.evaluation = k.evaluation AND r.kind = k.kind AND r.labeler = k.labeler
            AND r.uid = k.restores), k.{0}) END
"""
_READ = f"""
    SELECT k.evaluation, k.kind, p.name, k.at, m.name, k.turn, k.span_start, k.span_end, k.note,
        k.value, k.restores, k.seq, k.id, k.labeler, k.metric, k.uid, {_FIRST.format("seq")},
        {_FIRST.format("at")}
    FROM marks k JOIN labelers p ON p.id = k.labeler LEFT JOIN metrics m ON m.id = k.metric
    WHERE {{where}} ORDER BY {{order}}
"""
_FIELDS = (
    "evaluation", "kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value",
    "restores", "seq",
)  # fmt: skip


class Entry(Struct, frozen=True):
    """A row of the history: the mark and the numbers that the file knows it by.

    Attributes:
        first: The number in the order of changes at which it, or the mark whose place it takes,
            was set first, and `first_at` when that was.
    """

    key: int
    mark: Mark
    labeler: int
    metric: int | None
    uid: Uid = b""
    first: int = 0
    first_at: str | None = None

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
    return Entry(
        key=row[12], mark=mark, labeler=row[13], metric=row[14], uid=row[15], first=row[16],
        first_at=row[17],
    )  # fmt: skip


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
    """Give the marks of an evaluation that stand, in the order of their places."""
    return standing(history(conn, evaluation))


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """Give the marks that stand of some in arrival order, in the order of their places."""
    newest = {entry.thing: entry for entry in entries}
    return sorted((x for x in newest.values() if x.stands), key=lambda x: (x.first, x.key))


def since(conn: sqlite3.Connection, seq: int, limit: int) -> list[Entry]:
    """Give at most `limit` marks after a number of the order of changes, in that order."""
    return _select(conn, "k.seq > ?", (seq,), order=f"k.seq LIMIT {int(limit)}")


def newest(entries: Iterable[Entry], thing: tuple[object, ...]) -> Entry | None:
    """Give the newest of some entries for a thing, standing or taken back."""
    found = [entry for entry in entries if entry.thing == thing]
    return found[-1] if found else None


def is_set(entries: Iterable[Entry], kind: str, *, labeler: int, since: int) -> bool:
    """Tell whether a labeler has a mark of a kind, on whatever metric, in the round `since`."""
    mine = (x for x in entries if x.labeler == labeler and x.mark.kind == kind)
    return any(x.first > since for x in standing(x for x in mine if x.mark.seq > since))


_APPEND = """
    INSERT INTO marks(
        seq, evaluation, kind, labeler, at, metric, turn, span_start, span_end, note, value,
        extra, uid, restores)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""


def append(
    conn: sqlite3.Connection,
    mark: Mark,
    *,
    labeler: int,
    metric: int | None = None,
    restored: Entry | None = None,
) -> Entry:
    """Add a mark to the history, in the place of a restored one; call inside `Project.write`."""
    if restored is not None:
        mark = replace(mark, restores=restored.mark.restores or restored.uid)
    extra = packing.entry_extra("mark", {"value": mark.value}) if mark.value is not None else None
    uid = uids.fresh()
    row = conn.execute(
        _APPEND,
        (
            mark.seq, mark.evaluation, mark.kind, labeler, mark.at, metric, mark.turn, mark.start,
            mark.end, mark.note, mark.value, extra, uid, mark.restores,
        ),
    ).fetchall()[0]  # fmt: skip
    return Entry(
        key=int(row[0]), mark=mark, labeler=labeler, metric=metric, uid=uid,
        first=restored.first if restored else mark.seq,
        first_at=restored.first_at if restored else mark.at,
    )  # fmt: skip
