"""The metrics that scorers have ready, as a menu in which those of the rubric are ticked."""

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu

from reviewer.gui.kit import pieces
from reviewer.services.project import ready_metrics


class ReadyButton(pieces.Button):
    """A button with the menu below it.

    Signals:
        ticked: A metric was ticked, or its tick taken away; with the metric, and whether it is on.
    """

    ticked = Signal(object, bool)

    def __init__(self, there: Callable[[], Collection[str]]) -> None:
        """Make the button; `there` gives the names of the rubric's metrics."""
        super().__init__("Ready metrics ▾", self._open, dense=True)
        self._there = there
        self.setToolTip("Metrics of scorers; what is ticked is in the rubric")

    def menu_now(self) -> QMenu:
        """Make the menu as the rubric is now."""
        menu = QMenu(self, toolTipsVisible=True)
        there = self._there()
        for metric in ready_metrics.every():
            act = menu.addAction(metric.heading)
            act.setCheckable(True)
            act.setChecked(metric.name in there)
            act.setToolTip(metric.description)
            act.toggled.connect(lambda on, metric=metric: self.ticked.emit(metric, on))
        return menu

    def _open(self) -> None:
        menu = self.menu_now()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pieces.open_below(self, menu)
