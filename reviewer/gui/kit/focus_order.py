"""Tab goes through a page as it is read, and F6 from one area of the window to the next."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
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
    for before, after in pairwise(list(_stops(root))):
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


def cycle(panes: Sequence[QWidget], step: int) -> QWidget | None:
    """Move the focus to the next (1) or previous (-1) visible pane and give what took it."""
    shown = [pane for pane in panes if pane.isVisible()]
    if not shown:
        return None
    here = _holder(shown, QApplication.focusWidget())
    start = here if here is not None else (-1 if step > 0 else 0)
    for distance in range(1, len(shown) + 1):
        target = _first_stop(shown[(start + step * distance) % len(shown)])
        if target is not None:
            target.setFocus(Qt.FocusReason.TabFocusReason)
            return target
    return None


def _holder(panes: Sequence[QWidget], focused: QWidget | None) -> int | None:
    if focused is None:
        return None
    holding = (n for n, pane in enumerate(panes) if pane is focused or pane.isAncestorOf(focused))
    return next(holding, None)


def _first_stop(pane: QWidget) -> QWidget | None:
    inside = [pane, *pane.findChildren(QWidget)]
    return next((widget for widget in inside if _takes_focus(widget)), None)


def _takes_focus(widget: QWidget) -> bool:
    tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(tab) and widget.isVisible() and widget.isEnabled()
