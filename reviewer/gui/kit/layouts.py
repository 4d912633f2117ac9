"""Columns, rows and grids of widgets, each laid out in one statement."""

from collections.abc import Mapping
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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
