"""Text that ends in an ellipsis where its room ends; what is cut stands in its tooltip."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy
from typing_extensions import override

from reviewer.gui.kit.text import breakable

SPARE = 4
"""Pixels of a line that its text leaves free."""


class ElidedLabel(QLabel):
    """Plain text in one line; the whole of it is the accessible name."""

    def __init__(self, words: str = "", role: str = "") -> None:
        """Make a line in one of the style sheet's roles."""
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._words = ""
        if role:
            self.setProperty("role", role)
        self.set_words(words)

    def set_words(self, words: str) -> None:
        """Show another text."""
        self._words = words
        self.setAccessibleName(words)
        self._cut()

    @property
    def whole_width(self) -> int:
        """Give how wide it is with nothing cut."""
        return self.fontMetrics().horizontalAdvance(self._words) + SPARE

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut anew at the new width."""
        super().resizeEvent(event)
        self._cut()

    @override
    def minimumSizeHint(self) -> QSize:
        """Be content with little width."""
        return QSize(20, super().minimumSizeHint().height())

    def _cut(self) -> None:
        room = max(self.width() - SPARE, 20)
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self.setText(shown)
        self.setToolTip("" if shown == self._words else self._words)


class FoldedText(ElidedLabel):
    """Plain text in one line, or the whole of it in as many as it takes."""

    def show_words(self, words: str, *, folded: bool) -> None:
        """Show a text in one line or whole."""
        if (words, folded) != (self._words, not self.wordWrap()):
            self.setWordWrap(not folded)
            self.set_words(words)

    @override
    def _cut(self) -> None:
        if not self.wordWrap():
            super()._cut()
        elif self.text() != (whole := breakable(self._words)):
            self.setText(whole)
            self.setToolTip("")
