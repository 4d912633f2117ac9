"""The queue as a list model that reads rows as they come in sight, and how a row is painted."""

import unicodedata
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from reviewer.domain.wording import gap_words
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.services.listing.listing import QueueRow

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
        words.append(f"excluded: {row.excluded}" if row.excluded else "excluded")
    words.append("auto scores hidden" if row.hidden else f"gap {gap_words(row.gap)}")
    return " · ".join(word for word in words if word)


class QueueDelegate(QStyledItemDelegate):
    """Paint queue rows; the state is told by shape as well as by colour."""

    def __init__(self, theme: Theme) -> None:
        """Paint with a theme's colours and fonts."""
        super().__init__()
        self._theme = theme

    @property
    def height(self) -> int:
        """Give the height of every row in pixels."""
        title = self._theme.metrics(TextStyle.BODY).height()
        second = self._theme.metrics(TextStyle.SMALL).height()
        return title + second + self._theme.px(18)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        row = index.data(ROW)
        if not isinstance(row, QueueRow):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, rect, selected=bool(state & QStyle.StateFlag.State_Selected))
        px = self._theme.px
        self._symbol(painter, QPointF(rect.left() + px(17), rect.center().y()), row)
        self._words(painter, rect.adjusted(px(34), px(8), -px(12), -px(8)), row)
        painter.restore()

    def _ground(self, painter: QPainter, rect: QRect, *, selected: bool) -> None:
        colour = self._theme.colour
        if selected:
            painter.setPen(Qt.PenStyle.NoPen)
            edge = QRect(rect.topLeft(), QSize(self._theme.px(3), rect.height()))
            for part, role in ((rect, "selection"), (edge, "accent")):
                # not `fillRect`, which loads every gradient that Qt knows first
                painter.setBrush(colour(role))
                painter.drawRect(part)
        painter.setPen(QPen(colour("border"), 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _symbol(self, painter: QPainter, centre: QPointF, row: QueueRow) -> None:
        radius = self._theme.px(5)
        if row.flagged:
            painter.setPen(self._theme.colour("alert"))
            painter.setFont(self._theme.font(TextStyle.STRONG))
            around = QRectF(centre.x() - 12, centre.y() - 12, 24, 24)
            painter.drawText(around, Qt.AlignmentFlag.AlignCenter, "⚑")
            return
        role = {"done": "adjusted_fill", "partial": "human_fill"}.get(row.state, "control")
        painter.setPen(QPen(self._theme.colour(role), 1.6))
        painter.setBrush(
            self._theme.colour(role) if row.state == "done" else Qt.BrushStyle.NoBrush
        )
        painter.drawEllipse(centre, radius, radius)
        circle = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
        if row.state == "partial":
            painter.setBrush(self._theme.colour(role))
            painter.drawPie(circle, 90 * 16, 180 * 16)
        elif row.state == "skipped":
            painter.drawLine(centre - QPointF(radius, 0), centre + QPointF(radius, 0))

    def _words(self, painter: QPainter, rect: QRect, row: QueueRow) -> None:
        # while it is hidden the title has the room; the pill above the cards says why
        right = "" if row.hidden else gap_words(row.gap, 1)
        measures = self._theme.metrics(TextStyle.STRONG)
        room = measures.horizontalAdvance(right) + self._theme.px(10) if right else 0
        painter.setFont(self._theme.font(TextStyle.STRONG))
        painter.setPen(self._theme.colour("muted" if row.gap is None else "text"))
        trailing = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, trailing, right)
        left = rect.adjusted(0, 0, -room, 0)
        title_font, second_font = (
            self._theme.font(TextStyle.BODY),
            self._theme.font(TextStyle.SMALL),
        )
        out = "excluded" if row.excluded is not None else ""
        second = " · ".join(x for x in (out, row.category, row.id) if x)
        tone = "muted" if out else "text"
        self._line(painter, left, row.title, role=tone, font_top=(title_font, True))
        self._line(painter, left, second, role="muted", font_top=(second_font, False))

    def _line(
        self,
        painter: QPainter,
        rect: QRect,
        words: str,
        *,
        role: str,
        font_top: tuple[object, bool],
    ) -> None:
        font, top = font_top
        painter.setFont(font)  # type: ignore[arg-type]
        painter.setPen(self._theme.colour(role))
        metrics = painter.fontMetrics()
        cut = metrics.elidedText(one_line(words), Qt.TextElideMode.ElideRight, rect.width())
        place = Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag.AlignBottom
        # the line stays beside its symbol, and its ellipsis stands where the reading ends
        painter.setLayoutDirection(_direction(cut))
        left = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, left | place, cut)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def _direction(words: str) -> Qt.LayoutDirection:
    """Tell which way a text is read by its first letter."""
    for letter in words:
        kind = unicodedata.bidirectional(letter)
        if kind in ("L", "R", "AL"):
            rightwards = kind == "L"
            return Qt.LayoutDirection.LeftToRight if rightwards else Qt.LayoutDirection.RightToLeft
    return Qt.LayoutDirection.LeftToRight
