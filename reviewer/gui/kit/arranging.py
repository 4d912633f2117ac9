"""Laying out once for many changes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLayout, QScrollArea, QWidget


@contextmanager
def arranged_once(*layouts: QLayout | None) -> Iterator[None]:
    """Hold layouts still while widgets in them are shown, hidden and changed.

    Qt lays out all parents anew, at once, for every single widget that is shown; held layouts
    are laid out once, before the next painting.
    """
    held = [x for x in layouts if x is not None and x.isEnabled()]
    for layout in held:
        layout.setEnabled(False)
    try:
        yield
    finally:
        for layout in held:
            layout.setEnabled(True)


def arrange_now(pane: QWidget, area: QScrollArea, changed: Sequence[QWidget]) -> None:
    """Find the places of changed widgets of a pane, some of them in a scroll area, in one go.

    By itself Qt takes several rounds of events, and each of them is seen for a moment.
    """
    # from the outside in: the other way round, what is inside is laid out once in its old width
    for widget in changed:
        widget.updateGeometry()
    _activate(pane)
    inside = area.widget()
    for outer in (area,) if inside is None else (area, inside):
        QApplication.sendEvent(outer, QEvent(QEvent.Type.LayoutRequest))
    for widget in changed:
        _activate(widget)


def _activate(widget: QWidget) -> None:
    layout = widget.layout()
    if layout is not None:
        layout.activate()
