"""The rows behind the list of cases: keys for all of them, words only for those in sight."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from typing_extensions import override

from reviewer.gui.audit.cause_bar import SHORT
from reviewer.gui.kit.grid import Cell, Column, GridModel
from reviewer.gui.kit.text import number, one_line, signed
from reviewer.gui.kit.theme import Theme
from reviewer.services.deciding.causes import TITLES
from reviewer.services.deciding.disputes import EXPLAINED, DisputeRow, Order

_Index = QModelIndex | QPersistentModelIndex
Read = Callable[[Sequence[int]], list[DisputeRow]]
BLOCK = 64
BLOCKS_KEPT = 60
COLUMNS = (
    Column("response"),
    Column("auto", 42, number=True),
    Column("human", 50, number=True),
    Column("gap", 56, number=True, tip="Human minus auto."),
    Column("spread", 50, number=True, tip="Highest minus lowest label.", drop=2),
    Column("state", 98, drop=1),
)
ORDERS: dict[int, Order] = {
    1: Order.AUTO, 2: Order.HUMAN, 3: Order.GAP, 4: Order.SPREAD, 5: Order.STATE,
}  # fmt: skip
"""What a click on the head of a column sorts by."""
NOTHING = (Cell(""),) * len(COLUMNS)


class CasesModel(GridModel):
    """Cases in an order; rows are read in blocks as the view asks for them."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__(theme, COLUMNS)
        self._read: Read = lambda _: []
        self._ids: array[int] = array("q")
        self._sorted: array[int] = array("q")
        self._places: array[int] = array("q")
        self._blocks: OrderedDict[int, dict[int, tuple[Cell, ...]]] = OrderedDict()

    def show_keys(self, keys: Sequence[int], read: Read) -> None:
        """Show other cases, in the order of their keys; `read` fetches a block of rows."""
        self.beginResetModel()
        self._read = read
        self._ids = array("q", keys)
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        self._places = array("q", order)
        self._sorted = array("q", (self._ids[place] for place in order))
        self._blocks.clear()
        self.endResetModel()

    def read_again(self, read: Read) -> None:
        """Read the rows anew as they come in sight: the cases are the same."""
        self._read = read
        self._blocks.clear()
        if self._ids:
            last = self.index(len(self._ids) - 1, len(COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def place_of(self, key: Hashable) -> int | None:
        """Find the row of a case."""
        if not isinstance(key, int):
            return None
        at = bisect_left(self._sorted, key)
        if at < len(self._sorted) and self._sorted[at] == key:
            return self._places[at]
        return None

    def keys_between(self, first: int, last: int) -> Sequence[int]:
        """Give the cases from one row to another, both included."""
        return self._ids[first : last + 1]

    @property
    @override
    def keys(self) -> Sequence[int]:
        """Give the keys of the cases in order."""
        return self._ids

    @property
    @override
    def has_second_lines(self) -> bool:
        """Say that rows have one line, without reading them."""
        return False

    @override
    def cell(self, row: int, column: int) -> Cell:
        """Give one cell, reading its block where that is still to do."""
        at = row // BLOCK
        block = self._blocks.get(at)
        if block is None:
            block = self._load(at)
        else:
            self._blocks.move_to_end(at)
        return block.get(self._ids[row], NOTHING)[column]

    @override
    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the cases."""
        return 0 if parent.isValid() else len(self._ids)

    def _load(self, at: int) -> dict[int, tuple[Cell, ...]]:
        keys = self._ids[at * BLOCK : (at + 1) * BLOCK]
        block = {row.key: _cells(row) for row in self._read(keys)}
        self._blocks[at] = block
        if len(self._blocks) > BLOCKS_KEPT:
            self._blocks.popitem(last=False)
        return block


def _cells(row: DisputeRow) -> tuple[Cell, ...]:
    title = one_line(row.title, 300)
    sure = "" if row.confidence is None else f"\nThe judge is {row.confidence:.0%} sure."
    return (
        Cell(title, tip=f"{row.run} / {row.id}\n{title}{sure}"),
        Cell(number(row.auto), "auto"),
        Cell(number(row.human), "human"),
        Cell(signed(row.gap), strong=True),
        Cell(number(row.spread) if row.spread else "", "muted"),
        _state(row),
    )


def _state(row: DisputeRow) -> Cell:
    if row.standing is None and row.cause is None:
        return Cell("agree", "muted", "People and judge say the same.")
    tips = [EXPLAINED[row.standing]] if row.standing else []
    words = str(row.standing or "explained")
    if row.cause is not None:
        tips.append(f"Cause: {TITLES[row.cause]}.")
        if words in ("open", "disputed"):
            words = SHORT[row.cause]
    role = {"answered": "human", "newer labels": "human", "adjudicated": "adjusted"}.get(words)
    return Cell(words, role or "muted", "\n".join(tips))
