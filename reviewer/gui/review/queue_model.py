"""The queue as a list model: it holds keys only and reads rows in blocks as they come in sight."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from typing_extensions import override

from reviewer.gui.kit.text import signed
from reviewer.services.queueing.queues import QueueRow

Index = QModelIndex | QPersistentModelIndex
BLOCK = 128
BLOCKS_KEPT = 40
ROW = int(Qt.ItemDataRole.UserRole)
STATES = {
    "new": "not labelled",
    "partial": "partly labelled",
    "done": "done",
    "skipped": "skipped",
}


class QueueModel(QAbstractListModel):
    """Keys in the queue's order; `data` with the role `ROW` gives a `QueueRow`."""

    def __init__(self, read: Callable[[Sequence[int]], list[QueueRow]]) -> None:
        """Make an empty queue; `read` fetches rows by their keys."""
        super().__init__()
        self._read = read
        self._keys: array[int] = array("q")
        self._places: dict[int, int] = {}
        self._blocks: OrderedDict[int, list[QueueRow]] = OrderedDict()

    @property
    def keys(self) -> "array[int]":
        """Give the evaluations' keys in order."""
        return self._keys

    def set_keys(self, keys: "array[int]") -> None:
        """Show another queue; the same one keeps its place and what is selected in it."""
        if keys == self._keys:
            self.refresh_all()
            return
        self.beginResetModel()
        self._keys = keys
        self._places = {}
        self._blocks.clear()
        self.endResetModel()

    def add_keys(self, keys: "array[int]") -> None:
        """Show a longer queue that begins as the present one; any other replaces it."""
        shown = len(self._keys)
        if keys[:shown] != self._keys or shown % BLOCK:
            self.set_keys(keys)
        elif len(keys) > shown:
            self.beginInsertRows(QModelIndex(), shown, len(keys) - 1)
            self._keys = keys
            self.endInsertRows()

    def place_of(self, key: int) -> int | None:
        """Find the row of an evaluation, None where the queue lacks it."""
        # keys in file order mostly ascend; a table of all places would take 10 MB at 100,000
        at = bisect_left(self._keys, key)
        if at < len(self._keys) and self._keys[at] == key:
            return at
        if key not in self._places:
            try:
                self._places[key] = self._keys.index(key)
            except ValueError:
                return None
        return self._places[key]

    def refresh(self, key: int) -> None:
        """Read one row again, after a change of its evaluation."""
        place = self.place_of(key)
        if place is None:
            return
        block = self._blocks.get(place // BLOCK)
        if block is not None:
            block[place % BLOCK] = self._read([key])[0]
        index = self.index(place)
        self.dataChanged.emit(index, index)

    def refresh_all(self) -> None:
        """Read every row again when it comes in sight."""
        self._blocks.clear()
        if self._keys:
            self.dataChanged.emit(self.index(0), self.index(len(self._keys) - 1))

    def row(self, place: int) -> QueueRow:
        """Give the row at a place."""
        number, offset = divmod(place, BLOCK)
        block = self._blocks.get(number)
        if block is None:
            block = self._read(self._keys[number * BLOCK : (number + 1) * BLOCK])
            self._blocks[number] = block
            if len(self._blocks) > BLOCKS_KEPT:
                self._blocks.popitem(last=False)
        return block[offset]

    @override
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the evaluations."""
        return 0 if parent.isValid() else len(self._keys)

    @override
    def data(self, index: Index, role: int = ROW) -> object:
        """Give a row, or its text for screen readers and search."""
        if not index.isValid():
            return None
        if role == ROW:
            return self.row(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return describe(self.row(index.row()))
        if role == Qt.ItemDataRole.ToolTipRole:
            return describe(self.row(index.row()))
        return None


def describe(row: QueueRow) -> str:
    """Say a row in words."""
    words = [row.title, row.id, row.category or "", STATES[row.state]]
    if row.flagged:
        words.append("flagged")
    if row.excluded is not None:
        words.append(f"excluded: {row.excluded}")
    words.append("auto scores hidden" if row.hidden else f"gap {signed(row.gap)}")
    return " · ".join(word for word in words if word)
