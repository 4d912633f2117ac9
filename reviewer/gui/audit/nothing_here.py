"""What to do where a scope holds no response."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme

NOTHING = "No response is in this scope."
NO_RESPONSES = "The project has no responses yet. Import evaluation results first."


class NothingHere(QWidget):
    """The ways out of an empty scope, as buttons.

    Signals:
        everything_requested: The scope is to let everything in again.
        command_requested: A command of the window is to be run, by its id.
    """

    everything_requested = Signal()
    command_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the buttons, out of sight."""
        super().__init__()
        row = pieces.FlowLayout(self, spacing=theme.px(8))
        self.widen = pieces.Button("Clear filter and choices", self.everything_requested.emit)
        wish = partial(self.command_requested.emit, "window.import")
        self.bring = pieces.Button("Import results…", wish, name="Import results")
        for button in (self.widen, self.bring):
            row.addWidget(button)
        self.hide()

    def offer(self, *, narrowed: bool) -> None:
        """Offer what helps: to widen the scope, or to bring results where nothing narrows it."""
        self.widen.setVisible(narrowed)
        self.bring.setVisible(not narrowed)
        self.show()
