"""A line of text that ends in an ellipsis where its room ends."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy
from typing_extensions import override


class ElidedLabel(QLabel):
    """Plain text in one line; the whole of it is the tooltip and the accessible name."""

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
        room = max(self.width() - 4, 20)
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
