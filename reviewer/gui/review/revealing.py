"""Shows auto scores before the answer; in a shared project the hub is asked first."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.password_dialog import ENTER
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session

ASK = "hub-reveal"
ASKING = "Asking the hub to show the auto scores…"
REFUSED = "Nothing was revealed: the hub has to keep who looks before answering. {why}"


class Revealing(QObject):
    """Reveals one response at a time.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line, such as why the hub let nothing be revealed.
        offered: A line that waits, the words of its button, and what that does.
        saved: It is revealed, and on disk.
    """

    failed = Signal(str)
    noted = Signal(str)
    offered = Signal(str, str, object)
    saved = Signal()

    def __init__(self, owner: QWidget, tasks: Tasks) -> None:
        """Reveal nothing yet."""
        super().__init__(owner)
        self._owner, self._tasks = owner, tasks
        self._session: Session | None = None

    def open(self, session: Session | None) -> None:
        """Reveal in a project, or in none."""
        self._session = session

    def reveal(self, evaluation: int) -> None:
        """Show the auto scores of a response, once that is kept."""
        session = self._session
        if session is None:
            return
        # most people never do this, and the first page does without
        from reviewer.services.sharing import revealing

        try:
            if revealing.asks(session):
                self._ask(session, evaluation)
                return
            entering.reveal(session, evaluation)
        except ReviewerError as error:
            self.failed.emit(str(error))
        else:
            self.noted.emit("")
            self.saved.emit()

    def _ask(self, session: Session, evaluation: int) -> None:
        from reviewer.gui.asking import Asking
        from reviewer.services.sharing import revealing, taking_part

        self.noted.emit(ASKING)

        def show(_: object) -> None:
            if session is self._session:
                session.poll()
                self.noted.emit("")
                self.saved.emit()

        asking = Asking(self._tasks, self._owner, ASK, session)
        asking.locked.connect(
            lambda why: self.offered.emit(REFUSED.format(why=why), ENTER, asking.unlock)
        )
        asking.ask(
            taking_part.place_in(session.project),
            lambda own, hub, _: revealing.reveal(own, hub, evaluation),
            then=show,
            # it is about this response alone, and goes with it
            failed=lambda why: self.noted.emit(REFUSED.format(why=why)),
        )
