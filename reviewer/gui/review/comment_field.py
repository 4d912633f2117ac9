"""The line below the cards: the comment on a metric, or what is said of a mark when asked for."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit
from typing_extensions import override

from reviewer.gui.kit.pieces import connect, text
from reviewer.gui.kit.theme import Theme

STEPS: dict[int, int] = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for in the comment's place.

    Attributes:
        about: What the words are about; where there are several, Up and Down choose.
        hint: What to write, and what Return does.
        keep: Takes the words, and the place in `about`.
        drop: Hears that the line was left with words in it: by a click, say, not by Return.
        words: What was said before.
        place: Where in `about` to begin.
    """

    about: tuple[str, ...]
    hint: str
    keep: Callable[[str, int], object]
    drop: Callable[[], object] = lambda: None
    words: str = ""
    place: int = 0


class CommentField(QLineEdit):
    """A line that says what its comment is about, and tells once that it was changed and left.

    Signals:
        left: The comment was edited and left; the words.
        told: What was asked for was told, or is not to be; the comment's place is free again.
    """

    left = Signal(str)
    told = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty line."""
        super().__init__()
        self._theme = theme
        self._before = ""
        # a placeholder is gone with the first letter, when it matters most
        self._about = text("", "muted")
        self._about.setParent(self)
        self._about.hide()
        self._asked: Question | None = None
        connect(
            (self.returnPressed, self._tell),
            (self.editingFinished, self.leave),
            (self.textChanged, lambda _: self._place()),
        )

    def show_comment(
        self, words: str, title: str, unsaved: str | None = None, *, last: bool = False
    ) -> None:
        """Show what a labeler said about the metric of a title, the one answered `last` or not.

        Words that could not be saved stand in its place, and are told again when they are left.
        """
        self._before = words
        about = f"Comment on {title}" if title else "Comment"
        self.setAccessibleName(about)
        self.setPlaceholderText(f"{about}{', answered last' if last else ''}   C")
        self._about.setText(f"{title}:" if title else "")
        self.setText(words if unsaved is None else unsaved)
        self.setCursorPosition(0)
        self._place()

    def ask(self, question: Question) -> None:
        """Take words on something else: Return tells them, Escape goes back to the comment."""
        self.leave()
        self._asked = question
        self.setPlaceholderText(question.hint)
        self.setText(question.words)
        self._name_subject()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Tell of the comment if it was changed; a question is only answered by Return."""
        words = self.text().strip()
        if self._asked is not None:
            asked = self._asked
            self.give_up()
            if words not in ("", asked.words):
                asked.drop()
        elif words != self._before:
            self._before = words
            self.left.emit(words)

    def give_up(self) -> None:
        """Leave a question without an answer."""
        if self._asked is not None:
            self._asked = None
            self.told.emit()

    @override
    def event(self, event: QEvent) -> bool:
        """Keep Up and Down from the page's commands while a question is open."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._asked is not None
            and event.key() in STEPS
        ):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Up and Down what a question is about."""
        step = STEPS.get(event.key(), 0)
        if self._asked is None or not step:
            super().keyPressEvent(event)
            return
        place = (self._asked.place + step) % len(self._asked.about)
        self._asked = replace(self._asked, place=place)
        self._name_subject()

    def _tell(self) -> None:
        if self._asked is not None:
            asked, self._asked = self._asked, None
            words = self.text().strip()
            self._before = words
            asked.keep(words, asked.place)
            self.told.emit()

    def _name_subject(self) -> None:
        if self._asked is not None:
            about = self._asked.about[self._asked.place]
            self.setAccessibleName(about)
            self._about.setText(f"{about}:")
            self._place()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say what is written about, and go on where the words end."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason:
            self.end(False)  # noqa: FBT003 - Qt's signature
        self._place()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the whole offer again where nothing was written."""
        super().focusOutEvent(event)
        self._place()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the metric's name in the middle of the line's height."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        shown = bool(self._about.text()) and (self.hasFocus() or bool(self.text()))
        self._about.setVisible(shown)
        if not shown:
            self.setTextMargins(0, 0, 0, 0)
            return
        size, edge = self._about.sizeHint(), self._theme.px(9)
        width = min(size.width(), self.width() // 2)
        self._about.setGeometry(edge, (self.height() - size.height()) // 2, width, size.height())
        self.setTextMargins(width + self._theme.px(4), 0, 0, 0)
