"""What is asked of a hub, beside the window, and of a person where it wants a password.

A hub answers when it will, and by then somebody may label: the question for a password waits until
it is opened.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.errors import Progress
from reviewer.gui.background import beside
from reviewer.gui.kit import pieces
from reviewer.gui.kit.tasks import Task, Tasks
from reviewer.gui.password_dialog import ENTER, PasswordDialog
from reviewer.services.project.session import Session
from reviewer.services.sharing import door
from reviewer.services.sharing.door import Locked, Word

STOPPED = "Stopped."
NO_WORD = "Without a password nothing was asked."


class Asking(QObject):
    """Asks one thing at a time of a hub.

    Signals:
        began: Something is being asked.
        ended: It is answered, or was not to be.
        advanced: How far it is, in words.
        locked: A password is wanted, as a sentence says; `unlock` lets somebody type it.

    Attributes:
        dialog: What asks for a password, None while nothing does.
    """

    began = Signal()
    ended = Signal()
    advanced = Signal(str)
    locked = Signal(str)

    def __init__(
        self, tasks: Tasks, owner: QWidget, kind: str, session: Session | None = None
    ) -> None:
        """Ask nothing yet; `kind` is that of the tasks, which get a session of their own."""
        super().__init__(owner)
        self._session = session
        self._tasks, self._owner, self._kind = tasks, owner, kind
        self._word: Word | None = None
        self._wanted: Callable[[], object] = lambda: None
        self._gone: list[bool] = []
        # it may be gone before the hub answers, when nothing of it can be asked any more
        gone = self._gone
        self.destroyed.connect(lambda *_: gone.append(True))
        self.dialog: PasswordDialog | None = None

    def ask(
        self,
        address: Any,  # noqa: ANN401 - the hub's own, handed from service to service
        act: Callable[[Any, Any, Progress], Any],
        *,
        then: Callable[[Any], object],
        failed: Callable[[str], object],
    ) -> None:
        """Do something at the hub of an address; `failed` is told a sentence.

        Args:
            address: Where it is.
            act: Gets a session, None where there is none, the hub, and who hears how far it is.
            then: Gets what it gave.
            failed: Gets a sentence why it gave nothing.
        """
        word, gone = self._word, self._gone

        def enter(own: Session | None, progress: Progress) -> object:
            return door.enter(address, lambda hub: act(own, hub, progress), word)

        self.began.emit()

        def answer(found: object) -> None:
            if gone:
                return
            self.ended.emit()
            if isinstance(found, Locked):
                self._word = None
                again = partial(self.ask, address, act, then=then, failed=failed)
                self._wanted = partial(self._need, found, again, failed)
                failed(found.reason)
                self.locked.emit(found.reason)
            else:
                then(found)

        def fail(sentence: str) -> None:
            if gone:
                return
            self.ended.emit()
            failed(sentence)

        task: Task = self._tasks.run(
            self._kind,
            partial(enter, None) if self._session is None else beside(self._session, enter),
            then=answer,
            failed=fail,
        )
        pieces.connect((task.progressed, self._advance), (task.cancelled, lambda: fail(STOPPED)))

    def unlock(self) -> None:
        """Let somebody type the password that is wanted, and ask again."""
        if self.dialog is None:
            self._wanted()

    def button(self) -> pieces.Button:
        """Make what opens the question for a password; it shows while one is wanted."""
        made = pieces.Button(ENTER, self.unlock)
        made.hide()
        pieces.connect((self.locked, lambda _: made.show()), (self.began, made.hide))
        return made

    def stop(self) -> None:
        """Ask no more; what was done until then stays."""
        self._tasks.cancel(self._kind)

    def _advance(self, done: int, total: int | None, note: str) -> None:
        of = f" of {total:,}" if total else ""
        self.advanced.emit(f"{note}: {done:,}{of}")

    def _need(
        self, locked: Locked, again: Callable[[], object], failed: Callable[[str], object]
    ) -> None:
        dialog = PasswordDialog(
            locked.reason, locked.user, keyring=locked.keyring, parent=self._owner
        )
        self.dialog = dialog

        def take(agreed: int) -> None:
            text, keeps = dialog.typed, dialog.keep.isChecked()
            self.dialog = None
            dialog.word.clear()
            dialog.deleteLater()
            if agreed:
                self._word = Word(text, keeps)
                again()
            else:
                failed(NO_WORD)

        dialog.finished.connect(take)
        dialog.open()
