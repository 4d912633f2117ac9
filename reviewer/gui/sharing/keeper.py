"""The window's commands about sharing: share, invite, join, leave, and a database restored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QMessageBox

from reviewer.domain.change import PeopleChanged
from reviewer.gui.kit import pieces
from reviewer.gui.kit.tasks import telling
from reviewer.gui.page import ProjectSurroundings, around
from reviewer.gui.password_dialog import ENTER
from reviewer.gui.window import MainWindow, led, session_of
from reviewer.services.project.session import Session

RESTORE = "hub-restored"
SHARED = "The project is shared already; this is how it stands."
ALONE = "The project is not shared."
LEAVE = (
    "Leave the hub? Nothing more is sent or taken in. All that is in this file stays, and the hub "
    "keeps what it has."
)
RESTORED = (
    "Was the database restored from an older backup? Then everybody sends again what it lacks. "
    "Nothing is lost and nothing comes twice."
)
LEFT = "The file is on its own now; all that is in it stays."
AGAIN = "Everybody sends again what the database lacks."


class SharingKeeper(QObject):
    """Answers the window's commands about sharing.

    Attributes:
        dialog: The dialog that was opened last, None before the first.
        show_team: Opens the dialog about everybody.
    """

    def __init__(self, window: MainWindow, show_team: Callable[[], object]) -> None:
        """Wait for commands."""
        super().__init__(window)
        self._window = window
        self.show_team = show_team
        self.dialog: QDialog | None = None
        window.start.join_requested.connect(self.join)

    def share(self) -> None:
        """Share the open project, or show how it is shared."""
        session = led(self._window, "share the project")
        if session is None:
            return

        from reviewer.services.sharing import link as links

        if links.is_shared(session.project):
            self._window.notices.answer(SHARED)
            self.show_team()
            return
        from reviewer.gui.sharing.share_dialog import ShareDialog

        made = ShareDialog(self._around(session), self._window)
        pieces.connect((made.shared, self._follow), (made.invite_requested, self.invite))
        self._show(made)

    def invite(self) -> None:
        """Invite somebody to the open project, which is to be shared before."""
        session = led(self._window, "invite people")
        if session is None:
            return

        from reviewer.services.sharing import link as links

        if not links.is_shared(session.project):
            self.share()
            return
        from reviewer.gui.sharing.invite_dialog import InviteDialog

        made = InviteDialog(self._around(session), self._window)
        made.invited.connect(lambda _: self._follow())
        self._show(made)

    def join(self) -> None:
        """Make a file of a shared project."""
        from reviewer.gui.sharing.join_dialog import JoinDialog

        made = JoinDialog(self._window.surroundings, self._window)
        made.joined.connect(self._open)
        self._show(made)

    def leave(self) -> None:
        """End the sharing of this file, after a question."""
        session = session_of(self._window)
        from reviewer.services.sharing import link as links
        from reviewer.services.sharing import taking_part

        if not links.is_shared(session.project):
            self._window.notices.answer(ALONE)
            return
        if self._agrees("Leave", LEAVE):
            with telling(self._window.notices.error):
                taking_part.leave(session)
                self._window.notices.answer(LEFT)
            self._follow()

    def restore(self) -> None:
        """Say that the database came out of an older backup, after a question."""
        session = led(self._window, "say that the database was restored")
        if session is None or not self._agrees("Restored", RESTORED):
            return
        from reviewer.gui.asking import Asking
        from reviewer.services.sharing import syncing, taking_part

        def act(own: Session, hub: Any) -> object:  # noqa: ANN401 - the hub's own
            taking_part.restored(hub)
            return syncing.sync(own, hub)

        with telling(self._window.notices.error):
            asking = Asking(self._window.surroundings.tasks, self._window, RESTORE, session)
            offer = self._window.notices.offer
            asking.locked.connect(lambda why: offer(why, ENTER, asking.unlock))
            asking.ask(
                taking_part.place_in(session.project),
                lambda own, hub, _: act(own, hub),
                then=lambda _: self._window.notices.answer(AGAIN),
                failed=self._window.notices.error,
            )

    def _follow(self) -> None:
        """Begin or end keeping it in step, and let everything that is open show it."""
        self._window.surroundings.hub.look()
        session = self._window.session
        if session is not None:
            session.poll()
            session.publish(PeopleChanged("how the project is shared changed"))

    def _open(self, path: Path) -> None:
        self._window.open_project(path)

    def _agrees(self, title: str, question: str) -> bool:
        given = QMessageBox.question(self._window, title, question)
        return given == QMessageBox.StandardButton.Yes

    def _around(self, session: Session) -> ProjectSurroundings:
        return around(self._window.surroundings, session)

    def _show(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.show()
