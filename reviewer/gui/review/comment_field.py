"""The line for a comment on the metric in focus."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit


class CommentField(QLineEdit):
    """A line that tells once that its comment was changed and left.

    Signals:
        left: The comment was edited and left; the words.
    """

    left = Signal(str)

    def __init__(self) -> None:
        """Make an empty line."""
        super().__init__()
        self.setAccessibleName("Comment on the metric in focus")
        self._before = ""
        self.editingFinished.connect(self.leave)

    def show_comment(self, words: str, title: str, unsaved: str | None = None) -> None:
        """Show what a labeler said about the metric of a title.

        Words that could not be saved stand in its place, and are told again when they are left.
        """
        self._before = words
        self.setText(words if unsaved is None else unsaved)
        self.setCursorPosition(0)
        self.setPlaceholderText(f"Comment on {title}…   C" if title else "Comment…   C")

    def leave(self) -> None:
        """Tell of the comment if it was changed."""
        words = self.text().strip()
        if words != self._before:
            self._before = words
            self.left.emit(words)
