"""What the window says of a shared project: in the status bar, in notices, and as it closes."""

import re
import sys

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer

from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon
from reviewer.gui.password_dialog import ENTER, PasswordDialog
from reviewer.gui.window import PAINTED_MS, MainWindow
from reviewer.services.computer import secrets
from reviewer.services.project.session import Session
from reviewer.services.sharing.states import POLLS, SyncState

COUNT_MS = 1_000


class HubWatch(QObject):
    """Ties what keeps the project in step to the window around the pages."""

    def __init__(self, window: MainWindow) -> None:
        """Watch over a window."""
        super().__init__(window)
        self._window = window
        self._hub = window.surroundings.hub
        self._told: set[str] = set()
        self._refusal = self._offered = ""
        self._pressed = False
        self._handed = ""
        self.dialog: PasswordDialog | None = None
        # the first page comes first
        self._begin = soon(self, self._start, PAINTED_MS)
        self._count = QTimer(self, interval=COUNT_MS)
        self._count.timeout.connect(self._show)
        connect(
            (window.session_opened, self._open),
            (window.session_closing, self._close),
            (window.status.hub_clicked, self.explain),
            (self._hub.changed, self._take),
            (self._hub.came, self._look),
            (self._hub.parted, self._part),
        )

    def explain(self) -> None:
        """Say how the project stands, and do what somebody who asks may want."""
        state = self._hub.state
        if state is None:
            return
        if state.doing == "password":
            self.ask()
            return
        if state.older:
            # where it is said there is what mends it
            self._window.run_command("window.labelers")
            return
        if state.doing in ("no line", "held up", "refused"):
            self._pressed = True
            self._hub.again()
            # the time of the next try is another one by now
            state = replace(self._hub.state or state, again_at=0.0)
        self._window.notices.answer(state.sentences)

    def ask(self) -> None:
        """Ask for the password, and hand it over; whoever wants to say it later may."""
        state = self._hub.state
        if state is None or self.dialog is not None:
            return
        user = state.user or "your role"
        self._withdraw()
        self.dialog = PasswordDialog(
            state.reason, user, keyring=secrets.keyring_works(), parent=self._window
        )
        self.dialog.finished.connect(self._take_password)
        self.dialog.open()

    def _take_password(self, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        if result:
            word = dialog.word.text()
            # another one that is refused is told again
            self._offered = ""
            self._hub.give_password(word, keep=dialog.keep.isChecked())
            self._known(word)
        dialog.word.clear()
        dialog.deleteLater()

    def _open(self, _: Session) -> None:
        self._told.clear()
        self._refusal = self._offered = ""
        self._pressed = False
        self._handed = ""
        self._begin.start()

    def _start(self) -> None:
        self._hub.open(self._window.session)

    def _close(self) -> None:
        self._begin.stop()
        self._hub.open(None)

    def _look(self) -> None:
        if self._window.session is not None:
            self._window.session.poll()

    def _take(self) -> None:
        state = self._hub.state
        self._show()
        if state is None or self._window.session is None:
            self._count.stop()
            return
        if state.again_at:
            self._count.start()
        else:
            self._count.stop()
        self._tell(state)
        if self._pressed:
            self._pressed = state.doing == "connecting"
            self._window.notices.answer(state.sentences)
        if state.doing == "password":
            if not self._offered and not self._hand_over():
                self._offered = state.reason
                self._window.notices.offer(state.reason, ENTER, self.ask)
        elif state.is_connected:
            # the next time that none works is another matter
            self._withdraw()
            self._offered = self._handed = ""
            if self._refusal:
                self._window.notices.take_back(self._refusal)
                self._told.discard(_mark(self._refusal))
                self._refusal = ""

    def _withdraw(self) -> None:
        if self._offered:
            self._window.notices.take_back(self._offered)

    def _hand_over(self) -> bool:
        """Give the process the password that somebody typed elsewhere in this window, once."""
        word = self._known()
        if not word or word == self._handed:
            return False
        self._handed = word
        self._hub.give_password(word, keep=False)
        return True

    def _known(self, word: str = "") -> str:
        """Give the password that this window knows; one that is given is known from now on."""
        from reviewer.services.sharing import link, taking_part

        session = self._window.session
        shared = None if session is None else link.of(session.project)
        if shared is None:
            return ""
        if word:
            self._handed = word
            taking_part.hold_password(shared.place, word)
        return taking_part.held_password(shared.place)

    def _show(self) -> None:
        state = self._hub.state
        self._window.status.show_hub("" if state is None else state.words)

    def _tell(self, state: SyncState) -> None:
        said = [*state.told, POLLS if state.polls else ""]
        if state.doing in ("refused", "held up"):
            self._refusal = state.reason
            said.append(state.reason)
        for sentence in said:
            mark = _mark(sentence)
            if sentence and mark not in self._told:
                self._told.add(mark)
                self._window.notices.warn(sentence)

    def _part(self, sentence: str) -> None:
        self._window.notices.warn(sentence)
        # the window may be gone before anybody has read it there
        sys.stderr.write(f"{sentence}\n")


def _mark(sentence: str) -> str:
    """Give what makes it the same sentence: times and counts in it go on."""
    return re.sub(r"\d[\d.,]*", "0", sentence)
