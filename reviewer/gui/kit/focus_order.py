"""Tab goes through a page or a dialog as it is read, whenever its parts were made."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QGridLayout,
    QLayout,
    QLineEdit,
    QScrollArea,
    QSplitter,
    QWidget,
)

_WHOLE = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)
"""What takes the focus as one, whatever it is made of."""


def follow_layout(root: QWidget) -> None:
    """Put everything that takes the focus by Tab into the order in which it is laid out.

    Qt's own order is that of making, so that what is made late would come after all the rest.
    """
    stops = list(_stops(root))
    for before, after in pairwise(stops):
        if before.nextInFocusChain() is not after:
            QWidget.setTabOrder(before, after)


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget
    if not isinstance(widget, _WHOLE):
        for child in _children(widget):
            yield from _stops(child)


def _children(widget: QWidget) -> list[QWidget]:
    """List the widgets in another one, as they are laid out; what is in no layout comes last."""
    if isinstance(widget, QScrollArea):
        inner = widget.widget()
        return [] if inner is None else [inner]
    layout = widget.layout()
    placed = [] if layout is None else list(_laid_out(layout))
    if isinstance(widget, QSplitter):
        panes = (widget.widget(place) for place in range(widget.count()))
        placed = [pane for pane in panes if pane is not None]
    known = set(placed)
    others = [x for x in widget.children() if isinstance(x, QWidget) and x not in known]
    return placed + [other for other in others if not other.isWindow()]


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    for place in _places(layout):
        item = layout.itemAt(place)
        if item is None:
            continue
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _laid_out(inner)


def _places(layout: QLayout) -> list[int]:
    """Give the numbers of the items, of a grid row by row."""
    places = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        places.sort(key=lambda place: layout.getItemPosition(place)[:2])  # type: ignore[index]
    return places
