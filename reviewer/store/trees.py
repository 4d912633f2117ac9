"""The trees of a damaged file: what rows look like, where they stand, and where some are lost.

A row is taken where it stands in a page that its tree leads to, has the columns of its table, and
lies between its neighbours. A part that cannot be read is a gap between two keys.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from reviewer.store.pages import (
    INDEX_INNER,
    INDEX_LEAF,
    TABLE_INNER,
    TABLE_LEAF,
    Cell,
    Page,
    Pages,
)

Key = tuple[Any, ...]
Entry = tuple[Key, list[Any]]
_DEEPEST: Final = 40
_TYPES: Final[dict[str, frozenset[type]]] = {
    "INTEGER": frozenset((int, float)),
    "TEXT": frozenset((str,)),
    "BLOB": frozenset((bytes,)),
}
_ANY: Final[frozenset[type]] = frozenset((int, float, str, bytes, type(None)))
_NOTHING: Final[frozenset[type]] = frozenset((type(None),))
_RANKS: Final = {type(None): 0, int: 1, float: 1, str: 2, bytes: 3}


@dataclass(frozen=True)
class Gap:
    """Where rows are lost: behind the key `after`, up to `to`; None where no key bounds it."""

    after: Key | None
    to: Key | None

    def holds(self, key: Key) -> bool:
        """Tell whether a row with this key would stand here."""
        return (self.after is None or key > self.after) and (self.to is None or key <= self.to)


EVERYTHING: Final = Gap(None, None)
_Task = tuple[int | Entry, Gap, int]


@dataclass(frozen=True)
class Shape:
    """What the rows of a table or of an index look like in its pages.

    Attributes:
        columns: Their names in the order in which they stand there.
        kinds: The types that each may have.
        least: How many columns a row has at least; those behind came later.
        keys: How many of the first columns make the key; 0 where rows are numbered.
        number: Which column is the row's number, -1 for none.
        mixed: Whether keys may hold values of different types, as those of an index do.
    """

    table: str
    columns: tuple[str, ...]
    kinds: tuple[frozenset[type], ...]
    least: int
    keys: int
    number: int = -1
    mixed: bool = False

    def fits(self, cell: Cell | None) -> bool:
        """Tell whether a cell can be a row of it."""
        if cell is None or cell.values is None or (cell.key is None) is not (self.keys > 0):
            return False
        n = len(cell.values)
        return self.least <= n <= len(self.kinds) and all(
            type(value) in kinds for value, kinds in zip(cell.values, self.kinds, strict=False)
        )

    def entry(self, cell: Cell) -> Entry:
        """Give the key and the columns of a cell that fits."""
        values = cell.values or []
        if cell.key is None:
            if self.mixed:
                return tuple((_RANKS[type(x)], 0 if x is None else x) for x in values), values
            return tuple(values[: self.keys]), values
        if self.number >= 0:
            values[self.number] = cell.key
        return (cell.key,), values


def shapes(conn: sqlite3.Connection) -> dict[str, Shape]:
    """Give the shapes of the tables and indexes of a database, by name."""
    found: dict[str, Shape] = {}
    tables = conn.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'view' "
        "AND name NOT LIKE 'search%' AND name <> 'sqlite_schema'"
    ).fetchall()
    for table, bare in tables:
        columns = conn.execute(f'PRAGMA table_info("{table}")').fetchall()
        for _, name, _, origin, _ in conn.execute(f'PRAGMA index_list("{table}")').fetchall():
            order = conn.execute(f'PRAGMA index_xinfo("{name}")').fetchall()
            if origin == "pk" and bare:
                stored = [columns[x[1]] for x in order]
                keys = sum(1 for x in columns if x[5])
                found[table] = _shape(table, stored, keys)
            else:
                found[name] = _index_shape(table, columns, order)
        if not bare:
            found[table] = _shape(table, columns, 0)
    return found


def _shape(table: str, columns: list[Any], keys: int) -> Shape:
    numbers = [x[1] for x in columns if not keys and x[5] and x[2] == "INTEGER"]
    kinds = tuple(
        _NOTHING if x[1] in numbers else _kinds(x[2], needed=bool(x[3] or (keys and x[5])))
        for x in columns
    )
    names = tuple(x[1] for x in columns)
    needed = [place for place, x in enumerate(columns, 1) if (x[3] and x[4] is None) or x[5]]
    least = max(needed, default=1)
    return Shape(table, names, kinds, least, keys, names.index(numbers[0]) if numbers else -1)


def _kinds(declared: str, *, needed: bool) -> frozenset[type]:
    kinds = _TYPES.get(declared, _ANY)
    return kinds.difference(_NOTHING) if needed else kinds.union(_NOTHING)


def _index_shape(table: str, columns: list[Any], order: list[Any]) -> Shape:
    names: list[str] = []
    kinds: list[frozenset[type]] = []
    for _, place, _, _, _, _ in order:
        if place >= 0:
            is_number = columns[place][5] and columns[place][2] == "INTEGER"
            names.append(columns[place][1])
            kinds.append(_kinds(columns[place][2], needed=bool(columns[place][3] or is_number)))
        else:
            names.append("rowid" if place == -1 else "")
            kinds.append(frozenset((int,)) if place == -1 else _ANY)
    return Shape(table, tuple(names), tuple(kinds), len(names), len(names), mixed=True)


class Piece(NamedTuple):
    """The rows of a page between two keys, and where some of it are missing."""

    rows: list[Entry]
    gaps: list[Gap]


@dataclass
class Forest:
    """All trees of a file.

    Attributes:
        visited: The pages that a tree leads to.
        twins: Pages with rows whose content stands in the file more than once.
        kinds: What each page with rows is.
        same: Of pages that stand in the file more than once, the first of each.
    """

    pages: Pages
    visited: set[int] = field(default_factory=set)
    twins: set[int] = field(default_factory=set)
    kinds: dict[int, int] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)

    def survey(self) -> None:
        """Look once at every page, for its kind and for copies."""
        first: dict[int, int] = {}
        for number in range(1, self.pages.count + 1):
            content = self.pages.read(number)
            if content is None:
                continue
            kind = self.pages.kind(number, content)
            if kind:
                self.kinds[number] = kind
            if content[3:5] != bytes(2) or (not kind and any(content)):
                twin = first.setdefault(zlib.crc32(content), number)
                if twin != number:
                    self.same[number] = self.same[twin] = twin
        self.twins = self.same.keys() & self.kinds.keys()
        self.pages.copies = self.same.keys() - self.kinds.keys()

    def mixed(self) -> frozenset[int]:
        """Give the pages of which one is a copy, as what they follow on is not the same."""
        contexts: dict[int, set[bytes]] = {}
        for number, before in self.pages.chained.items():
            contexts.setdefault(self.same[number], set()).add(before)
        return frozenset(x for x in self.pages.chained if len(contexts[self.same[x]]) > 1)

    def rows(self, root: int, shape: Shape, gaps: list[Gap]) -> Iterator[Entry]:
        """Give the rows of a tree in order, and add where some are lost to `gaps`."""
        waiting: list[_Task] = [(root, EVERYTHING, 0)]
        while waiting:
            top, room, depth = waiting.pop()
            if isinstance(top, tuple):
                yield top
                continue
            page = self._page(top, shape, depth)
            if page is None or (depth and not page.cells):
                gaps.append(room)
            elif page.kind in (TABLE_LEAF, INDEX_LEAF):
                piece = leaf(page, shape, room)
                if piece is None:
                    gaps.append(room)
                    continue
                self.visited.add(top)
                gaps += piece.gaps
                yield from piece.rows
            else:
                below = _below(page, shape, room, depth)
                if below is None:
                    gaps.append(room)
                    continue
                self.visited.add(top)
                waiting += reversed(below)

    def claim(self, root: int) -> None:
        """Take the pages of a tree whose rows are not wanted for pages in use."""
        waiting = [(root, 0)]
        while waiting:
            number, depth = waiting.pop()
            kind = self.kinds.get(number)
            if number in self.visited or depth > _DEEPEST or kind is None:
                continue
            self.visited.add(number)
            page = self.taken_apart(number) if kind in (TABLE_INNER, INDEX_INNER) else None
            if page is not None:
                below = [cell.child for cell in page.cells if cell is not None]
                waiting += [(child, depth + 1) for child in (*below, page.last)]

    def stray(self, free: set[int] | None) -> Iterator[tuple[int, Page]]:
        """Give the pages of trees that nothing leads to."""
        for number in sorted(self.kinds.keys() - self.visited - (free or set())):
            page = self.taken_apart(number)
            if page is not None and page.cells and page.kind != TABLE_INNER:
                yield number, page

    def taken_apart(self, number: int) -> Page | None:
        """Take a page apart, whatever leads to it; None where it is no tree's."""
        content = self.pages.read(number)
        return self.pages.page(number, content) if content else None

    def _page(self, number: int, shape: Shape, depth: int) -> Page | None:
        kinds = (INDEX_LEAF, INDEX_INNER) if shape.keys else (TABLE_LEAF, TABLE_INNER)
        if number in self.visited or depth > _DEEPEST or self.kinds.get(number) not in kinds:
            return None
        return self.taken_apart(number)


def leaf(page: Page, shape: Shape, room: Gap) -> Piece | None:
    """Give the rows of a leaf that stand in order between its neighbours.

    None where most of what can be read in it belongs to something else.
    """
    rows: list[Entry] = []
    gaps: list[Gap] = []
    after, to, broken, strange = room.after, room.to, False, 0
    for cell in page.cells:
        if cell is not None and shape.fits(cell):
            entry = shape.entry(cell)
            key = entry[0]
            if (after is None or key > after) and (to is None or key <= to):
                if broken:
                    gaps.append(Gap(after, key))
                    broken = False
                rows.append(entry)
                after = key
                continue
        strange += cell is not None and cell.values is not None
        broken = True
    if strange > len(rows) or (broken and not rows):
        return None
    if broken:
        gaps.append(Gap(after, to))
    return Piece(rows, gaps)


def _below(page: Page, shape: Shape, room: Gap, depth: int) -> list[_Task] | None:
    """Give what an inner page leads to in order; None where it is no page of this tree."""
    found: list[_Task] = []
    key: Key
    after = room.after
    for cell in page.cells:
        if cell is None:
            return None
        if page.kind == TABLE_INNER:
            key, entry = (cell.key,), None
        elif shape.fits(cell):
            entry = shape.entry(cell)
            key = entry[0]
        else:
            return None
        if not room.holds(key) or (after is not None and key <= after):
            return None
        found.append((cell.child, Gap(after, key), depth + 1))
        if entry is not None:
            found.append((entry, EVERYTHING, depth))
        after = key
    found.append((page.last, Gap(after, room.to), depth + 1))
    return found
