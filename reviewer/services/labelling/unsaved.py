"""Answers that the file cannot take just now: kept in their order, and written as soon as it can.

Another program may hold the file, or the disk be full. Nobody waits for that with the hand on a
key: the answer counts as not yet saved, what is answered next comes behind it, and each is written
once, by whom and for which queue it was given.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import ReviewerError, UnwritableError
from reviewer.domain.evaluation import Label, SelectionReason
from reviewer.domain.wording import counted
from reviewer.services.project.session import Session
from reviewer.store.queues import QueueRow

PATIENCE_S = 0.15
"""Seconds for which an answer waits for others who write, before it is kept."""
LAST_PATIENCE_S = 2.0
"""The same when the project is about to be closed."""
_KEPT = "unsaved"
"""Under this name a session keeps them."""


class Answer(NamedTuple):
    """What is to be written.

    Attributes:
        evaluation: What it is about.
        write: Writes it.
        shown: What a card shows of it meanwhile; None where it shows nothing.
    """

    evaluation: int
    write: Callable[[], object]
    shown: Label | None = None


class _Seat(NamedTuple):
    """Who answered, and on which way they came to it."""

    name: str
    queue: QueueRow | None
    reason: SelectionReason


class Unsaved:
    """What waits to be written, the oldest first.

    Attributes:
        why: Why it waits, in a sentence.
        refused: Why something that had waited was not taken in the end; who shows it empties it.
    """

    def __init__(self, session: Session) -> None:
        """Begin with nothing."""
        self._session = session
        self._waiting: list[tuple[_Seat, Answer]] = []
        self.why = ""
        self.refused: list[str] = []

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._waiting)

    @property
    def words(self) -> str:
        """Say how much waits and why."""
        many = counted(len(self), "answer is", "answers are")
        return f"{many} not yet saved, and will be as soon as that is possible. {self.why}"

    def shown(self, evaluation: int, metric: str) -> Label | None:
        """Give what was said last of a metric and is not yet saved."""
        found = (x.shown for _, x in reversed(self._waiting) if x.evaluation == evaluation)
        return next((x for x in found if x is not None and x.metric == metric), None)

    def do(self, answer: Answer) -> bool:
        """Write an answer behind those that wait, or keep it; tells whether it is on disk.

        Raises:
            ReviewerError: It cannot be given at all, such as a value off its scale.
        """
        if self.write(0.0):
            try:
                with self._patient(PATIENCE_S):
                    answer.write()
            except UnwritableError as error:
                self.why = str(error)
            else:
                return True
        self._waiting.append((self._seat, answer))
        return False

    def write(self, patience: float = 0.0) -> bool:
        """Write what waits, in its order; tells whether nothing waits any more."""
        moved = False
        with self._patient(patience):
            while self._waiting:
                seat, answer = self._waiting[0]
                moved = moved or seat != self._seat
                if not self._written(seat, answer):
                    break
                del self._waiting[0]
        if moved:
            # pages heard of it as if whoever sits here now had answered
            self._session.publish(EvaluationsChanged("answers of before were saved"))
        return not self._waiting

    def take_back(self) -> bool:
        """Forget what was answered last; tells whether there was anything."""
        return bool(self._waiting and self._waiting.pop())

    def _written(self, seat: _Seat, answer: Answer) -> bool:
        project = self._session.project
        before = project.written
        try:
            with self._seated(seat):
                answer.write()
        except UnwritableError as error:
            self.why = str(error)
            # what heard of it may have failed, and it is not written twice
            return project.written != before
        except ReviewerError as error:
            self.refused.append(str(error))
        return True

    @property
    def _seat(self) -> _Seat:
        session = self._session
        return _Seat(session.labeler.name, session.queue, session.selection_reason)

    @contextmanager
    def _seated(self, seat: _Seat) -> Iterator[None]:
        """Let the labeler and queue of an answer have the seat while it is written."""
        present = self._seat
        self._sit(seat)
        try:
            yield
        finally:
            self._sit(present)

    def _sit(self, seat: _Seat) -> None:
        if seat == self._seat:
            return
        session = self._session
        session.set_labeler(seat.name)
        session.queue, session.selection_reason = seat.queue, seat.reason

    @contextmanager
    def _patient(self, seconds: float) -> Iterator[None]:
        project = self._session.project
        before, project.patience = project.patience, seconds
        try:
            yield
        finally:
            project.patience = before


def of(session: Session) -> Unsaved:
    """Give what waits in an open project."""
    found = session.kept.get(_KEPT)
    if not isinstance(found, Unsaved):
        found = session.kept[_KEPT] = Unsaved(session)
    return found
