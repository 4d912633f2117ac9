"""Text in several lines, whatever the words are."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from typing_extensions import override

from reviewer.gui.kit.text import breakable


class WrappedText(QLabel):
    """Plain text whose lines end inside a word too, where that is longer than a line."""

    def __init__(self, words: str = "") -> None:
        """Make the label."""
        super().__init__()
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    @override
    def text(self) -> str:
        """Give the words as they were set."""
        return self._words

    @override
    def setText(self, words: str) -> None:
        """Show other words; what has markup is shown as it is."""
        self._words = words
        plain = self.textFormat() == Qt.TextFormat.PlainText
        super().setText(breakable(words) if plain else words)
