"""Tab goes through a page or a dialog as it is read, whenever its parts were made."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollArea,
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
    """List the widgets in another one as they are read: row by row, and along each row.

    Places are compared, not layouts: asking a layout's items for their widgets hands the items to
    those widgets in Python's eyes, and they go with them.
    """
    if isinstance(widget, QScrollArea):
        inner = widget.widget()
        return [] if inner is None else [inner]
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    found = [x for x in widget.findChildren(QWidget, options=direct) if not x.isWindow()]
    backwards = widget.isRightToLeft()
    return [
        child
        for row in _rows(found)
        for child in sorted(row, key=lambda x: x.geometry().x(), reverse=backwards)
    ]


def _rows(widgets: Iterable[QWidget]) -> list[list[QWidget]]:
    """Put widgets that stand beside each other into one row."""
    rows: list[list[QWidget]] = []
    bottom = 0
    for widget in sorted(widgets, key=lambda x: x.geometry().y()):
        box = widget.geometry()
        if not rows or box.center().y() >= bottom:
            rows.append([])
            bottom = box.bottom()
        rows[-1].append(widget)
        bottom = min(bottom, box.bottom()) if len(rows[-1]) > 1 else box.bottom()
    return rows
