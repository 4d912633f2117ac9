"""F6 and Shift+F6: the focus goes from one area of the window to the next."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


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
