"""Expected keywords to tick: the share that the answer really conveys is the label."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.domain.rubric import Metric
from reviewer.gui.kit.pieces import Button, FlowLayout, text
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme

TICKED_SCORER = "response_quality"
"""The scorer whose metric people label by ticking keywords."""
KEYS = 10


def is_ticked(metric: Metric) -> bool:
    """Tell whether people label a metric by ticking expected keywords."""
    return metric.scorer == TICKED_SCORER and metric.scale == "range"


class TickRow(QWidget):
    """A button a keyword, with the number of the key that ticks it.

    Signals:
        share_chosen: The share of ticked keywords, 0 to 1, after each tick.
    """

    share_chosen = Signal(float)

    def __init__(self, theme: Theme) -> None:
        """Make a row without keywords."""
        super().__init__()
        self._keywords: tuple[str, ...] = ()
        self._ticked: set[str] = set()
        self._buttons: list[Button] = []
        self._hint = text("", "small", wrap=True)
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder, spacing=theme.px(5))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        column.addWidget(self._hint)
        column.addWidget(self._holder)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Give the keywords in their order."""
        return self._keywords

    @property
    def ticked(self) -> frozenset[str]:
        """Give what is ticked."""
        return frozenset(self._ticked)

    @property
    def buttons(self) -> tuple[Button, ...]:
        """Give the keywords' buttons in the same order."""
        return tuple(self._buttons)

    def show_keywords(self, keywords: Sequence[str]) -> None:
        """Show the keywords of an evaluation, none of them ticked."""
        self.show_ticked(())
        wanted = tuple(dict.fromkeys(keywords))
        if wanted == self._keywords:
            return
        self._keywords = wanted
        for button in self._buttons:
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(place, word) for place, word in enumerate(self._keywords)]
        for button in self._buttons:
            self._flow.addWidget(button)
        self._show()

    def show_ticked(self, words: Iterable[str]) -> None:
        """Show what is ticked."""
        wanted = set(words) & set(self._keywords)
        if wanted != self._ticked:
            self._ticked = wanted
            self._show()

    def toggle(self, place: int) -> None:
        """Tick the keyword at a place, or take the tick away."""
        if place < len(self._keywords):
            self._ticked ^= {self._keywords[place]}
            self._changed()

    def set_all(self, *, ticked: bool) -> None:
        """Tick every keyword, or none."""
        self._ticked = set(self._keywords) if ticked else set()
        self._changed()

    def _button(self, place: int, word: str) -> Button:
        key = str((place + 1) % KEYS) if place < KEYS else ""
        button = Button(one_line(word, 40), lambda: self.toggle(place), key=key, dense=True)
        button.setCheckable(True)
        button.setAccessibleName(f"keyword {word}")
        return button

    def _changed(self) -> None:
        self._show()
        self.share_chosen.emit(len(self._ticked) / len(self._keywords))

    def _show(self) -> None:
        for word, button in zip(self._keywords, self._buttons, strict=True):
            button.setChecked(word in self._ticked)
        self._hint.setText(
            "Tick what the answer really conveys; the share is your label. Y all · N none"
        )
