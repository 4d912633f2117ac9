"""Laying out once for many changes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLayout, QScrollArea, QSplitter, QWidget


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

    By itself Qt takes several rounds of events, and each of them is seen for a moment. The area's
    bar must keep its room: what is inside is laid out in the width that it has.
    """
    for widget in changed:
        widget.updateGeometry()
        _activate(widget)
    inside = area.widget()
    for outer in (area,) if inside is None else (area, inside):
        QApplication.sendEvent(outer, QEvent(QEvent.Type.LayoutRequest))
    _activate(pane)
    for outer in (pane, area, area.viewport(), *(() if inside is None else (inside,))):
        # what has just been done, asked for once more by every widget in it
        QApplication.removePostedEvents(outer, QEvent.Type.LayoutRequest)


class SplitterRest:
    """Spares a splitter what changes nothing for it: laying out all panes for one pane's words.

    Each layout asks everything around it to be laid out anew, whatever came of it.
    """

    def __init__(self, split: QSplitter) -> None:
        """Know the splitter."""
        self._split = split

    def keep(self) -> None:
        """Take back that the splitter be laid out where every pane has the room that it needs."""
        panes = map(self._split.widget, range(self._split.count()))
        if all(_fits(pane) for pane in panes if pane is not None):
            QApplication.removePostedEvents(self._split, QEvent.Type.LayoutRequest)


def _fits(widget: QWidget) -> bool:
    least = widget.minimumSizeHint()
    return least.boundedTo(widget.size()) == least


def _activate(widget: QWidget) -> None:
    layout = widget.layout()
    if layout is not None:
        layout.activate()
