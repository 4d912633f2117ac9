"""Metrics to choose some of, as buttons that stay down."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line


class MetricTicks(QWidget):
    """A button a metric; none pressed stands for every one that fits.

    Signals:
        changed: Other metrics are chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        """Make it without a metric."""
        super().__init__()
        self.setAccessibleName("Metrics; none chosen stands for all")
        self._flow = pieces.FlowLayout(self, spacing=4)
        self.buttons: dict[str, pieces.Button] = {}

    @property
    def chosen(self) -> tuple[str, ...]:
        """Give the ids of the chosen metrics, nothing for all."""
        return tuple(name for name, button in self.buttons.items() if button.isChecked())

    def offer(self, metrics: Sequence[tuple[str, str]]) -> None:
        """Offer metrics by id and heading; what was chosen stays so where it is still there."""
        if tuple(self.buttons) == tuple(name for name, _ in metrics):
            return
        kept = set(self.chosen)
        pieces.clear(self._flow)
        self.buttons = {}
        for name, heading in metrics:
            button = pieces.Button(one_line(heading, 40), dense=True)
            button.setCheckable(True)
            button.setChecked(name in kept)
            button.toggled.connect(lambda _: self.changed.emit())
            self.buttons[name] = button
            self._flow.addWidget(button)
        self.updateGeometry()

    def choose(self, *names: str) -> None:
        """Choose metrics by their ids."""
        for name, button in self.buttons.items():
            button.setChecked(name in names)
