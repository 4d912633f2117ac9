"""What is said in passing, and expected errors: a line at the foot of the window.

It has its place there before anything is said, so that nothing moves under a hand. What is too
long for the line floats above it, over what one reads and over no button.
"""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct
from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line

KEPT = 20
WIDEST, TALLEST = 560, 240
"""Pixels at most that a notice takes which floats."""
ABOVE = 6


class Kind(StrEnum):
    """How serious a notice is; a note stays until the next one, all others until dismissed.

    An offer goes with the project, too.
    """

    ERROR = "error"
    WARNING = "warning"
    OFFER = "offer"
    NOTE = "note"


_SIGNS = {
    Kind.ERROR: "Error", Kind.WARNING: "Please note", Kind.OFFER: "Please note", Kind.NOTE: "",
}  # fmt: skip
_FRAMES = {
    Kind.ERROR: "error", Kind.WARNING: "warning", Kind.OFFER: "warning", Kind.NOTE: "said",
}  # fmt: skip
_ROLES = {
    Kind.ERROR: "alert", Kind.WARNING: "human", Kind.OFFER: "human", Kind.NOTE: "muted",
}  # fmt: skip


class Notice(Struct, frozen=True):
    """One thing to say.

    Attributes:
        more: What a button beside it is called that leads further; empty for none.
        act: What that button does.
    """

    kind: Kind
    text: str
    more: str = ""
    act: Callable[[], object] | None = None


class NoticeBar(QFrame):
    """Shows the newest notice; the ones before it come back when it is dismissed.

    Attributes:
        over: Gives what one reads, over which stands what has no room in the line.

    Signals:
        diagnosis_requested: The user wants versions, system and log on the clipboard.
        turned: A notice is shown, or none any more.
    """

    diagnosis_requested = Signal()
    turned = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Make the bar, hidden."""
        super().__init__(parent)
        self.setAccessibleName("Notices")
        self.over: Callable[[], QWidget] = self.window
        self._notices: list[Notice] = []
        self._answer = Notice(Kind.NOTE, "")
        self._sign = pieces.text("", "strong")
        self._sign.setProperty("weight", "strong")
        self._text = pieces.ElidedText("")
        self._whole = FloatingText(self)
        self._read = pieces.Button(
            "Read", self._turn_whole, kind="link", name="Read the whole notice"
        )
        self._more = pieces.text("", "small")
        self._rest = pieces.Button("", self._act, kind="link", name="What the notice leads to")
        self._copy = pieces.Button("Copy diagnosis", self.diagnosis_requested.emit, kind="link")
        self._close = pieces.Button("Dismiss", self.dismiss, kind="link")
        for button in (self._read, self._rest, self._copy, self._close):
            # a click leaves the keys where they were
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        layouts.row(
            self._sign,
            (self._text, 1),
            self._read,
            self._more,
            self._rest,
            self._copy,
            self._close,
            on=self,
            margins=(8, 0, 8, 0),
            gap=8,
        )
        self.hide()

    @property
    def line_height(self) -> int:
        """Give the pixels that the line takes when there is something to say."""
        return self._close.sizeHint().height()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Give what is shown or waits behind it, the newest last."""
        return tuple(self._notices)

    def error(self, text: str) -> None:
        """Say what went wrong, until it is dismissed."""
        self.show_notice(Notice(Kind.ERROR, text))

    def warn(self, text: str) -> None:
        """Warn of something, until it is dismissed."""
        self.show_notice(Notice(Kind.WARNING, text))

    def offer(self, text: str, words: str, act: Callable[[], object]) -> None:
        """Say what waits for somebody; a button with words does it, and is gone with that.

        What opens by itself would take the keys of whoever is at work.
        """

        def take_up() -> None:
            self.take_back(text)
            act()

        self.show_notice(Notice(Kind.OFFER, text, words, take_up))

    def note(self, text: str) -> None:
        """Say something until the next note."""
        self.show_notice(Notice(Kind.NOTE, text))

    def answer(self, text: str) -> None:
        """Say what became of a key or click; without words the last such answer is over."""
        if text:
            self._answer = Notice(Kind.NOTE, text)
            self.show_notice(self._answer)
        elif self._answer in self._notices:
            self._notices.remove(self._answer)
            self._show_newest()

    def show_notice(self, notice: Notice) -> None:
        """Show a notice in front of the others; the same words again only come to the front."""
        said = (notice.kind, notice.text)
        kept = [x for x in self._notices if (x.kind, x.text) != said and x.kind is not Kind.NOTE]
        self._notices = [*kept, notice][-KEPT:]
        self._show_newest()

    def take_back(self, text: str) -> None:
        """Take away what is so no more."""
        self._notices = [x for x in self._notices if x.text != text]
        self._show_newest()

    def dismiss(self) -> None:
        """Take the notice in front away."""
        if self._notices:
            self._notices.pop()
        self._show_newest()

    def clear(self) -> None:
        """Take all notices away."""
        self._notices.clear()
        self._show_newest()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let what has no room in the line float, and what has room again come down."""
        super().resizeEvent(event)
        self._show_whole()

    def _act(self) -> None:
        act = self._notices[-1].act if self._notices else None
        if act is not None:
            act()

    def let_pass(self, *kinds: Kind) -> None:
        """Take away what was said in passing, and notices of other kinds."""
        gone = (Kind.NOTE, *kinds)
        self._notices = [x for x in self._notices if x.kind not in gone]
        self._show_newest()

    def _show_newest(self) -> None:
        if not self._notices:
            self.hide()
            self.turned.emit()
            self._whole.hide()
            return
        notice = self._notices[-1]
        pieces.set_property(self, "kind", _FRAMES[notice.kind])
        pieces.set_property(self._sign, "role", _ROLES[notice.kind])
        self._sign.setText(_SIGNS[notice.kind])
        self._sign.setVisible(notice.kind is not Kind.NOTE)
        self._text.setText(one_line(notice.text, 1000))
        self._text.setAccessibleName(notice.text)
        waiting = len(self._notices) - 1
        self._more.setText(f"{waiting} more" if waiting else "")
        pieces.write(self._rest, notice.more, name=notice.more)
        self._rest.setVisible(bool(notice.more))
        self._copy.setVisible(notice.kind is Kind.ERROR)
        self.show()
        self.turned.emit()
        self._whole.hide()
        self._show_whole()

    @property
    def _is_cut(self) -> bool:
        wanted = self._text.sizeHint().width()
        return "\n" in (self._notices[-1].text if self._notices else "") or (
            wanted > self._text.width()
        )

    @property
    def _is_urgent(self) -> bool:
        return self._notices[-1].kind is not Kind.NOTE or self._notices[-1] is self._answer

    def _show_whole(self) -> None:
        """Show what is cut, of itself where something is wrong or a key waits for an answer."""
        for holder in (self.parentWidget(), self):
            layout = holder.layout() if holder is not None else None
            if layout is not None:
                layout.activate()
        cut = bool(self._notices) and self._is_cut
        self._read.setVisible(cut)
        if not cut or not self.isVisible():
            self._whole.hide()
        elif self._is_urgent or self._whole.isVisible():
            self._whole.show_above(self, self._notices[-1].text, self.over())

    def _turn_whole(self) -> None:
        if self._whole.isVisible():
            self._whole.hide()
        elif self._notices:
            self._whole.show_above(self, self._notices[-1].text, self.over())


class FloatingText(QFrame):
    """A text in as many lines as it takes, in front of what one reads, at its foot."""

    def __init__(self, parent: QWidget) -> None:
        """Make it out of sight."""
        super().__init__(parent)
        self.setProperty("kind", "floating")
        self.setAccessibleName("Whole notice")
        self._text = pieces.text("", wrap=True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(self._text, 1, on=content, margins=(12, 10, 12, 10))
        self._area = pieces.ScrolledColumn(content, "Whole notice")
        layouts.column(self._area, on=self, margins=1)
        self.hide()

    def show_above(self, foot: QWidget, words: str, over: QWidget) -> None:
        """Show words above the bar that a notice stands in, in the middle of what is read."""
        window, bar = foot.window(), foot.parentWidget() or foot
        if self.parentWidget() is not window:
            self.setParent(window)
        self._text.setText(words)
        self.ensurePolished()
        room = QRect(over.mapTo(window, QPoint(0, 0)), over.size())
        width = min(WIDEST, room.width() - 2 * ABOVE)
        tall = self._text.heightForWidth(width - 40) + 28
        height = min(tall, TALLEST, round(window.height() * 0.4))
        top = bar.mapTo(window, QPoint(0, 0)).y() - height - ABOVE
        self.setGeometry(room.center().x() - width // 2, top, width, height)
        self.show()
        self.raise_()
