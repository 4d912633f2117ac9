"""What the queue does: built from a filter, stepped through, counted, kept under names."""

from array import array
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QInputDialog

from reviewer.domain.errors import ReviewerError
from reviewer.gui.review.queue_model import QueueModel
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.theme import Theme
from reviewer.services import queue_memory, queues
from reviewer.services.queues import Queue, QueueOrder, QueueProgress, QueueRow
from reviewer.services.session import Session

NO_MATCH = "No evaluation matches this filter. Clear it, or ask for something else."
EMPTY = "This project holds no evaluations yet. Drop a result file here, or import one (Ctrl+I)."
LOOK_AHEAD = 256
FIRST = 2_048
"""How many evaluations are shown at once; those after them follow when keys rest."""
COUNT_MS, FIRST_COUNT_MS = 60, 200


class QueueSide(QObject):
    """The queue in view.

    Signals:
        opened: The evaluation with this key is to be shown.
        emptied: There is nothing to show; the sentence says why.
        noted: A passing line for the notice bar.
        counted: How far the labeler is with the queue.
    """

    opened = Signal(int)
    emptied = Signal(str)
    noted = Signal(str)
    counted = Signal(QueueProgress)

    def __init__(self, theme: Theme) -> None:
        """Make the side without a project."""
        super().__init__()
        self._session: Session | None = None
        self._queue = Queue()
        self._shown: int | None = None
        self.model = QueueModel(self._read_rows)
        self.view = QueueView(theme, self.model)
        self.setParent(self.view)
        self._count_soon = QTimer(self)
        self._count_soon.setSingleShot(True)
        self._count_soon.timeout.connect(self.count)
        self.view.chosen.connect(self.opened)
        self.view.filter_requested.connect(self._on_filter)
        self.view.save_requested.connect(self._save)
        self.view.forget_requested.connect(self._forget)

    def open(self, session: Session) -> None:
        """Show all evaluations of a project."""
        self._session = session
        self._shown = None
        self.view.set_blind(blind=session.blind)
        self.view.set_runs(session.run_names()[::-1])
        self.view.set_saved(queues.saved_filters(session))
        words, order = queue_memory.first_queue(session)
        self.view.show_filter(words, order)
        self.build(words, order)

    def close(self) -> None:
        """Let go of the project."""
        self._count_soon.stop()
        self._session = None
        self._queue = Queue()
        self._shown = None
        self.model.set_keys(array("q"))

    def build(self, words: str, order: QueueOrder) -> None:
        """Make the queue of what a filter finds and show its first open evaluation."""
        session = self._session
        if session is None:
            return
        try:
            self._queue = queues.build(session, filter_text=words, order=order, first=FIRST)
        except ReviewerError as error:
            self.view.show_problem(str(error))
            return
        self.view.show_problem("")
        session.selection_reason = self._queue.reason
        queue_memory.keep_queue(session, words, order)
        self.model.set_keys(self._queue.ids)
        self._count_soon.start(FIRST_COUNT_MS)
        empty = not self._queue.total
        self.view.show_empty((NO_MATCH if words else EMPTY) if empty else "")
        self._show_first()

    def complete(self) -> None:
        """Fetch what follows the first evaluations of the queue, where there is more."""
        session, queue = self._session, self._queue
        if session is None or queue.whole:
            return
        self._queue = queues.build(session, filter_text=queue.filter_text, order=queue.order)
        self.model.add_keys(self._queue.ids)
        if self._shown is not None:
            self.view.select(self._shown)

    def rebuild(self) -> None:
        """Make the present queue again, after evaluations came or went."""
        if self._session is not None:
            self.view.set_runs(self._session.run_names()[::-1])
        self.build(self._queue.filter_text, self._queue.order)

    def show(self, key: int) -> None:
        """Mark the evaluation in view."""
        self._shown = key
        self.view.select(key)

    def step(self, by: int) -> None:
        """Go on or back in the queue."""
        place = None if self._shown is None else self.model.place_of(self._shown)
        goal = (-1 if place is None else place) + by
        if 0 <= goal < self._queue.total:
            self.opened.emit(self._queue.ids[goal])
        elif by > 0 and self._queue.total:
            self.noted.emit("That was the last evaluation of this queue.")

    def refresh(self, key: int) -> None:
        """Show a changed row and, a moment later, the new progress."""
        self.model.refresh(key)
        self._count_soon.start(COUNT_MS)

    def count(self) -> None:
        """Fetch the rest of the queue, and count how far the labeler is with it."""
        if self._session is not None:
            self.complete()
            progress = queues.progress(self._session, self._queue)
            self.view.show_progress(progress)
            self.counted.emit(progress)

    def _read_rows(self, keys: Sequence[int]) -> list[QueueRow]:
        return queues.rows(self._session, keys) if self._session is not None else []

    def _on_filter(self, words: str, order: str) -> None:
        self.build(words, QueueOrder(order))

    def _show_first(self) -> None:
        if not self._queue.total:
            if self._shown is None:
                self.emptied.emit(EMPTY)
            return
        if self._shown is not None:
            if self.model.place_of(self._shown) is None:
                self.complete()
            if self.model.place_of(self._shown) is not None:
                self.view.select(self._shown)
                return
        look = range(min(self._queue.total, LOOK_AHEAD))
        first = next((at for at in look if self.model.row(at).state in ("new", "partial")), 0)
        self.opened.emit(self._queue.ids[first])

    def _save(self, words: str) -> None:
        title = f"Name for “{words}”:"
        name, agreed = QInputDialog.getText(self.view, "Save this filter", title)
        if agreed and name.strip() and self._session is not None:
            queues.save_filter(self._session, name.strip(), words)
            self.view.set_saved(queues.saved_filters(self._session))

    def _forget(self, name: str) -> None:
        if self._session is not None:
            queues.delete_filter(self._session, name)
            self.view.set_saved(queues.saved_filters(self._session))
