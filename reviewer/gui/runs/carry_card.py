"""Labels of other runs that fit identical texts: offered here, never carried silently."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many
from reviewer.services.transfer.carry_offers import Offer

HELP = (
    "Response, question, context and conversation are the same byte for byte. Copies name where "
    "they came from and enter no corrected mean; Undo this import takes them back."
)


class CarryCard(pieces.Card):
    """One line a run whose labels can be carried over to the chosen one.

    Signals:
        carry_requested: The labels of this run shall be carried over.
    """

    carry_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make a card that is hidden until there is something to offer."""
        super().__init__("Labels that fit")
        self.body.addWidget(pieces.text(HELP, "small", wrap=True))
        self.buttons: list[pieces.Button] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.px(6))
        self.body.addLayout(self._column)
        self.hide()

    def show_offers(self, found: Sequence[Offer], *, writable: bool) -> None:
        """Show what another run offers."""
        pieces.clear(self._column)
        self.buttons = [self._button(offer) for offer in found if writable]
        for button in self.buttons:
            self._column.addWidget(button)
        self.setVisible(bool(self.buttons))

    def _button(self, offer: Offer) -> pieces.Button:
        words = f"Carry {many(offer.labels, 'label')} over from {one_line(offer.run, 30)}"
        return pieces.Button(words, lambda: self.carry_requested.emit(offer.run), dense=True)
