"""Columns, rows and grids of widgets, each laid out in one statement, and rows that break."""

from collections.abc import Mapping
from typing import TypeVar

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

Part = QWidget | QLayout
Item = Part | int | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag]
Margins = int | tuple[int, int, int, int]
Box = TypeVar("Box", bound=QBoxLayout)


def column(
    *items: Item, on: QWidget | None = None, margins: Margins | None = None, gap: int | None = None
) -> QVBoxLayout:
    """Lay items out from top to bottom.

    Args:
        items: Widgets and layouts, each alone or with its stretch and alignment; a number is empty
            room that stretches so much.
        on: The widget that it fills, None for a layout inside another one.
        margins: Pixels at each edge, or at left, top, right and bottom; the style's where None.
        gap: Pixels between items; the style's where None.
    """
    return _filled(QVBoxLayout() if on is None else QVBoxLayout(on), items, margins, gap)


def row(
    *items: Item, on: QWidget | None = None, margins: Margins | None = None, gap: int | None = None
) -> QHBoxLayout:
    """Lay items out in the direction of reading, as `column` does from top to bottom."""
    return _filled(QHBoxLayout() if on is None else QHBoxLayout(on), items, margins, gap)


def grid(
    *,
    on: QWidget | None = None,
    margins: Margins | None = None,
    across: int | None = None,
    down: int | None = None,
    stretch: Mapping[int, int] | None = None,
) -> QGridLayout:
    """Make an empty grid.

    Args:
        on: The widget that it fills, None for a layout inside another one.
        margins: Pixels at each edge, or at left, top, right and bottom; the style's where None.
        across: Pixels between columns; the style's where None.
        down: Pixels between rows; the style's where None.
        stretch: The columns that take what the others leave, each with its share.
    """
    made = QGridLayout() if on is None else QGridLayout(on)
    _keep_off(made, margins)
    if across is not None:
        made.setHorizontalSpacing(across)
    if down is not None:
        made.setVerticalSpacing(down)
    for place, share in (stretch or {}).items():
        made.setColumnStretch(place, share)
    return made


def _filled(box: Box, items: tuple[Item, ...], margins: Margins | None, gap: int | None) -> Box:
    _keep_off(box, margins)
    if gap is not None:
        box.setSpacing(gap)
    fill(box, *items)
    return box


def _keep_off(box: QLayout, margins: Margins | None) -> None:
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))


def fill(box: QLayout, *items: Item) -> None:
    """Add items at the end of a column or row; a flow of buttons takes widgets alone."""
    for item in items:
        if isinstance(item, QWidget):
            box.addWidget(item)
        elif isinstance(box, QBoxLayout):
            _add(box, item)


def _add(box: QBoxLayout, item: Item) -> None:
    if isinstance(item, int):
        box.addStretch(item)
        return
    part, stretch = (item[0], item[1]) if isinstance(item, tuple) else (item, 0)
    if not isinstance(part, QWidget):
        box.addLayout(part, stretch)
    elif isinstance(item, tuple) and len(item) == 3:
        box.addWidget(part, stretch, item[2])
    else:
        box.addWidget(part, stretch)


def take_out(widget: QWidget) -> None:
    """Take a widget out of the layout that it stands in, if any.

    To be done before a widget goes to another layout or out of the world: where Qt does it by
    itself, Shiboken 6.11 goes on to know the item of a nested layout by the address that it had,
    and takes what is made there next for that item.
    """
    holder = widget.parentWidget()
    outer = holder.layout() if holder is not None else None
    if outer is None:
        return
    for layout in (outer, *outer.findChildren(QLayout)):
        if layout.indexOf(widget) >= 0:
            layout.removeWidget(widget)
            return


_Placed = tuple[QLayoutItem, QSize, int]
"""An item, its size and its number."""


class WholeColumn(QVBoxLayout):
    """Gives every item its height, beyond its widget's end until a scroll area has enlarged it.

    Qt would squeeze what is above for the frame in which something opens below.
    """

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        height = max(rect.height(), self.totalHeightForWidth(rect.width()))
        super().setGeometry(QRect(rect.x(), rect.y(), rect.width(), height))


class FlowLayout(QLayout):
    """Place widgets in rows that break where the width ends, in reading direction."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        spacing: int = 8,
        together: bool = False,
        pushed_from: int | None = None,
    ) -> None:
        """Make an empty layout.

        Args:
            parent: The widget it belongs to.
            spacing: Pixels between items.
            together: Ask for one row, and break only where there is no room for it.
            pushed_from: The item that goes to the far edge with all that follow it in its row.
        """
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._together = together
        self._pushed_from = pushed_from
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    @override
    def addItem(self, item: QLayoutItem) -> None:
        """Take one more item at the end."""
        self._items.append(item)

    @override
    def count(self) -> int:
        """Count the items."""
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        """Give an item by position, None outside."""
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item and give it."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def hasHeightForWidth(self) -> bool:
        """Say that the height follows the width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Give the height of the rows at a width."""
        return self._arrange(QRect(0, 0, width, 0), place=False)

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._arrange(rect, place=True)

    @override
    def sizeHint(self) -> QSize:
        """Ask for the widest item at least, or for one row of all."""
        if not self._together:
            return self.minimumSize()
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(len(sizes) - 1, 0)
        height = max((size.height() for size in sizes), default=0)
        return QSize(width, height).grownBy(self.contentsMargins())

    @override
    def minimumSize(self) -> QSize:
        """Ask for the widest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _arrange(self, rect: QRect, *, place: bool) -> int:
        edge = self.contentsMargins()
        room = rect.marginsRemoved(edge)
        y = 0
        for row in self._rows(room.width()):
            height = max(size.height() for _, size, _ in row)
            if place:
                self._place(row, QRect(room.x(), room.y() + y, room.width(), height))
            y += height + self.spacing()
        return max(y - self.spacing(), 0) + edge.top() + edge.bottom()

    def _rows(self, width: int) -> list[list[_Placed]]:
        """Break the items into rows; one that is wider than a row is squeezed into its width."""
        rows: list[list[_Placed]] = []
        used = 0
        for number, item in enumerate(self._items):
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if size.width() > width > 0:
                height = item.heightForWidth(width) if item.hasHeightForWidth() else size.height()
                size = QSize(width, height)
            if not rows or used + size.width() > width:
                rows.append([])
                used = 0
            rows[-1].append((item, size, number))
            used += size.width() + self.spacing()
        return rows

    def _place(self, row: list[_Placed], room: QRect) -> None:
        owner = self.parentWidget()
        mirrored = owner is not None and owner.isRightToLeft()
        spare = room.width() - sum(size.width() + self.spacing() for _, size, _ in row)
        x = 0
        for item, size, number in row:
            if number == self._pushed_from:
                x += max(spare + self.spacing(), 0)
            left = room.right() - x - size.width() + 1 if mirrored else room.x() + x
            top = room.y() + (room.height() - size.height()) // 2
            item.setGeometry(QRect(left, top, size.width(), size.height()))
            x += size.width() + self.spacing()


LONG, THICK = 28, 3
"""Pixels at 100 % of the grip that is painted on the line."""
