"""The bar under the top of the window for expected errors and warnings; never a box in the way."""

from enum import StrEnum

from msgspec import Struct
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.tasks import soon

PASSING_MS = 8_000
KEPT = 20


class Kind(StrEnum):
    """How serious a notice is; errors and warnings stay until they are dismissed."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_SIGNS = {Kind.ERROR: "Error", Kind.WARNING: "Please note", Kind.NOTE: ""}
_FRAMES = {Kind.ERROR: "error", Kind.WARNING: "warning", Kind.NOTE: "panel"}
_ROLES = {Kind.ERROR: "alert", Kind.WARNING: "human", Kind.NOTE: "muted"}


class Notice(Struct, frozen=True):
    """One thing to say.

    Attributes:
        more: What a button beside it is called that leads to the rest; empty for none.
    """

    kind: Kind
    text: str
    more: str = ""


class NoticeBar(QFrame):
    """Shows the newest notice; the ones before it come back when it is dismissed.

    Signals:
        diagnosis_requested: The user wants versions, system and log on the clipboard.
        more_requested: The user wants the rest of a notice.
    """

    diagnosis_requested = Signal()
    more_requested = Signal(Notice)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Make the bar, hidden."""
        super().__init__(parent)
        self.setAccessibleName("Notices")
        self.setProperty("edge", "bottom")
        self._notices: list[Notice] = []
        self._sign = pieces.text("", "strong")
        self._sign.setProperty("weight", "strong")
        self._text = pieces.text("", wrap=True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._more = pieces.text("", "small")
        self._rest = pieces.Button(
            "", self._ask_more, dense=True, name="Show the rest of the notice"
        )
        self._copy = pieces.Button("Copy diagnosis", self.diagnosis_requested.emit, dense=True)
        self._close = pieces.Button("Dismiss", self.dismiss, dense=True)
        layouts.row(
            self._sign,
            (self._text, 1),
            self._more,
            self._rest,
            self._copy,
            self._close,
            on=self,
            margins=(14, 7, 14, 7),
            gap=10,
        )
        self._timer = soon(self, self.let_pass, PASSING_MS)
        self.hide()

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

    def note(self, text: str) -> None:
        """Say something in passing."""
        self.show_notice(Notice(Kind.NOTE, text))

    def show_notice(self, notice: Notice) -> None:
        """Show a notice in front of the others; the same one again only comes to the front."""
        kept = [x for x in self._notices if x != notice and x.kind is not Kind.NOTE]
        self._notices = [*kept, notice][-KEPT:]
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

    def _ask_more(self) -> None:
        if self._notices:
            self.more_requested.emit(self._notices[-1])

    def let_pass(self) -> None:
        """Take away what was said in passing."""
        self._notices = [x for x in self._notices if x.kind is not Kind.NOTE]
        self._show_newest()

    def _show_newest(self) -> None:
        self._timer.stop()
        if not self._notices:
            self.hide()
            return
        notice = self._notices[-1]
        pieces.set_property(self, "kind", _FRAMES[notice.kind])
        pieces.set_property(self._sign, "role", _ROLES[notice.kind])
        self._sign.setText(_SIGNS[notice.kind])
        self._sign.setVisible(notice.kind is not Kind.NOTE)
        self._text.setText(notice.text)
        waiting = len(self._notices) - 1
        self._more.setText(f"{waiting} more" if waiting else "")
        pieces.write(self._rest, notice.more, name=notice.more)
        self._rest.setVisible(bool(notice.more))
        self._copy.setVisible(notice.kind is Kind.ERROR)
        if notice.kind is Kind.NOTE:
            self._timer.start()
        self.show()
