"""What the queue does: built from a filter, stepped through, counted, kept under names."""

from array import array
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from reviewer.domain.errors import ReviewerError
from reviewer.domain.filters import parse, parts
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import Tasks, soon
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.filter_bar import FacetReader
from reviewer.gui.review.queue_model import QueueModel
from reviewer.gui.review.queue_view import NO_MATCH, QueueView
from reviewer.services.adjudicating import decisions
from reviewer.services.listing import listing
from reviewer.services.listing.listing import Queue, QueueOrder, QueueProgress, QueueRow
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session
from reviewer.services.queues import working

EMPTY = "This project holds no evaluations yet. Drop a result file here, or import one (Ctrl+I)."
NONE_OPEN = "Nothing else here waits for an answer. J and K go through what is finished, too."
FROM_ABOVE = "That was the end of the list. This one above was left open."
LOOK_AHEAD = 256
FIRST = 2_048
"""How many evaluations are shown at once; those after them follow when keys rest."""
COUNT_MS, FIRST_COUNT_MS = 60, 200


class QueueSide(QObject):
    """The queue in view.

    Attributes:
        given: The name of the queue for people that is in view, None for a filter.

    Signals:
        opened: The evaluation with this key is to be shown.
        emptied: There is nothing to show; the sentence says why.
        noted: A passing line for the notice bar.
        counted: How far the labeler is with the queue.
        sight_changed: Another queue decides otherwise whether auto scores are hidden.
    """

    opened = Signal(int)
    emptied = Signal(str)
    noted = Signal(str)
    counted = Signal(QueueProgress)
    sight_changed = Signal()

    def __init__(self, theme: Theme, tasks: Tasks) -> None:
        """Make the side without a project."""
        super().__init__()
        self._session: Session | None = None
        self._queue = Queue()
        self._shown: int | None = None
        self._listed: int | None = None
        self._first: int | None = None
        self.given: str | None = None
        self.model = QueueModel(self._read_rows)
        self._reader = FacetReader(tasks)
        self.view = QueueView(theme, self.model, self._reader)
        self.setParent(self.view)
        self._count_soon = soon(self, self.count)
        connect(
            (self.view.chosen, self.opened),
            (self.view.filter_requested, lambda x, order: self.build(x, QueueOrder(order))),
            (self.view.menus.queue_chosen, self.work_on),
        )
        self.view.menus.list_given = lambda: _given(self._session)
        self.view.menus.count_asked = lambda: _count_asked(self._session)
        self._saved = SavedViews(self.view)

    def open(self, session: Session, first: int | None = None) -> None:
        """Show all evaluations of a project, at first one by its key, else what is open."""
        self._session = self._reader.session = session
        self._shown = None
        self._first = first
        self.view.menus.set_blind(blind=session.blind)
        self.view.menus.set_runs(session.run_names()[::-1])
        self._saved.open(session)
        given = session.queue.name if session.queue else listing.last_given(session)
        if given is None or not self._work_on(given):
            self._come_back(session)

    def close(self) -> None:
        """Let go of the project."""
        self._count_soon.stop()
        self._saved.open(None)
        self._session = self._reader.session = None
        self._queue = Queue()
        self._shown = None
        self.model.set_keys(array("q"))

    def build(self, words: str, order: QueueOrder, *, stay: bool = False) -> None:
        """Make the queue of what a filter finds and show its first open evaluation.

        With `stay` an evaluation in view stays there also where the filter finds it no more.
        """
        session = self._session
        if session is None:
            return
        given, session.queue = session.queue, None
        try:
            found = listing.build(session, filter_text=words, order=order, first=FIRST)
        except ReviewerError as error:
            session.queue = given
            self.view.show_problem(error)
            return
        self._take(session, found, before=session.blind if given is None else given.blind)
        self.given = None
        listing.keep_queue(session, words, order)
        # what is being typed stays where others changed something
        self.view.show_filter(None if stay else words, order)
        self.view.show_empty((NO_MATCH if words else EMPTY) if not self._queue.total else "")
        if words and not self._queue.total:
            asked = parts(parse(words))
            self._reader.count_without(asked, partial(self.view.empty.show_ways, asked))
        self._show_shown(stay=stay)

    def work_on(self, name: str) -> None:
        """Go to the first open evaluation of the labeler's part of a queue for people."""
        if self.given != name:
            self._shown = None
        self._work_on(name)

    def _work_on(self, name: str, *, stay: bool = False) -> bool:
        session = self._session
        if session is None:
            return False
        before = session.blind
        try:
            self._take(session, listing.build(session, queue=name), before=before)
        except ReviewerError as error:
            self.view.show_problem(error)
            return False
        words, order = listing.first_queue(session)
        self.given = session.queue.name if session.queue else None
        listing.keep_queue(session, words, order, self.given)
        self.view.show_filter("", order, self.given or "")
        self.view.show_empty("")
        if not stay and self._shown is not None and self.model.place_of(self._shown) is None:
            self._shown = None
        self._show_shown(stay=stay)
        return True

    def _take(self, session: Session, queue: Queue, *, before: bool) -> None:
        self._queue = listing.enter(session, queue)
        self.view.show_problem(None)
        self.model.set_keys(self._queue.ids)
        self._count_soon.start(FIRST_COUNT_MS)
        if session.blind != before:
            self.view.menus.set_blind(blind=session.blind)
            self.sight_changed.emit()
            if self._shown is not None:
                self.opened.emit(self._shown)

    def _come_back(self, session: Session) -> None:
        """Go back to the filter that was in force before a queue for people."""
        words, order = listing.first_queue(session)
        self.view.show_filter(words, order)
        self.build(words, order, stay=True)

    def complete(self) -> None:
        """Fetch what follows the first evaluations of the queue, where there is more."""
        session, queue = self._session, self._queue
        if session is None or queue.whole:
            return
        self._queue = listing.build(session, filter_text=queue.filter_text, order=queue.order)
        self.model.add_keys(self._queue.ids)
        if self._shown is not None:
            self.view.select(self._shown)

    def rebuild(self) -> None:
        """Make the present queue again, after evaluations came or went."""
        session = self._session
        if session is None:
            return
        self.view.menus.set_runs(session.run_names()[::-1])
        if not _is_there(session, self._shown):
            self._shown = None
        # who labels is never led elsewhere by what others do
        if self.given is None:
            self.build(self._queue.filter_text, self._queue.order, stay=True)
        elif session.queue is None or not self._work_on(session.queue.name, stay=True):
            self._come_back(session)

    def show(self, key: int) -> None:
        """Mark the evaluation in view."""
        if self._shown is not None and self.model.place_of(self._shown) is not None:
            self._listed = self._shown
        self._shown = key
        self.view.select(key)

    def step_to_open(self) -> None:
        """Go to the next one that waits for an answer, at the end to one that was left open."""
        session = self._session
        if session is None:
            return
        start = _goal(self.model, self._shown, self._listed, 1)
        goal = listing.next_open(session, self._queue, start)
        if goal is None and not self._queue.whole:
            self.complete()
            goal = listing.next_open(session, self._queue, start)
        left = listing.next_open(session, self._queue, 0) if goal is None else None
        if goal is not None:
            self.opened.emit(self._queue.ids[goal])
        elif left is not None and self._queue.ids[left] != self._shown:
            self.opened.emit(self._queue.ids[left])
            self.noted.emit(FROM_ABOVE)
        elif self._queue.total and not self._begin_repeats():
            self.noted.emit(NONE_OPEN)

    def step(self, by: int) -> None:
        """Go on or back in the queue."""
        goal = _goal(self.model, self._shown, self._listed, by)
        if 0 <= goal < self._queue.total:
            self.opened.emit(self._queue.ids[goal])
        elif by > 0 and self._queue.total and not self._begin_repeats():
            self.noted.emit("That was the last evaluation of this queue.")

    def tell_known(self, view: EvaluationView) -> None:
        """Show what is known of an evaluation of a training queue, once it is answered."""
        session = self._session
        known = ""
        if session is not None and session.queue is not None and not view.hidden:
            from reviewer.services.queues import training

            known = training.sentence(session, view)
        self.view.show_known(known)

    def _begin_repeats(self) -> bool:
        """At the end of a queue for people, go to what is still open in it, repeats too."""
        session = self._session
        if session is None or self._queue.given is None:
            return False
        self._queue = listing.enter(session, self._queue)
        self._arrange()
        rows = listing.rows(session, self._queue.ids)
        key = next((row.key for row in rows if row.state != "done" and row.key != self._shown), 0)
        if key:
            self.opened.emit(key)
        return bool(key)

    def _arrange(self) -> None:
        """Put a queue for people into its present order: what was skipped comes last."""
        if self._session is None:
            return
        moved = listing.arranged(self._session, self._queue)
        if moved is not None:
            self._queue = moved
            self.model.set_keys(moved.ids)
            if self._shown is not None:
                self.view.select(self._shown)

    def refresh(self, key: int) -> None:
        """Show a changed row and, a moment later, the new progress."""
        self.model.refresh(key)
        self._count_soon.start(COUNT_MS)

    def count(self) -> None:
        """Fetch the rest of the queue, and count how far the labeler is with it."""
        if self._session is not None:
            self.complete()
            self._arrange()
            progress = listing.progress(self._session, self._queue)
            self.view.show_progress(progress)
            self.counted.emit(progress)

    def _read_rows(self, keys: Sequence[int]) -> list[QueueRow]:
        return listing.rows(self._session, keys) if self._session is not None else []

    def _show_shown(self, *, stay: bool) -> None:
        """Mark the evaluation in view where it stays, else show the first open one."""
        if stay and self._shown is not None:
            self.view.select(self._shown)
            return
        if not self._queue.total:
            self._first = self._shown or self._first
            self._shown = None
            if not stay or self._first is None:
                self.emptied.emit(NO_MATCH if self._queue.filter_text else EMPTY)
            return
        if self._shown is not None:
            if self.model.place_of(self._shown) is None:
                self.complete()
            if self.model.place_of(self._shown) is not None:
                self.view.select(self._shown)
                return
        if self._first is not None:
            key, self._first = self._first, None
            self.opened.emit(key)
            return
        look = range(min(self._queue.total, LOOK_AHEAD))
        first = next((at for at in look if self.model.row(at).state in ("new", "partial")), 0)
        self.opened.emit(self._queue.ids[first])


def _goal(model: QueueModel, shown: int | None, listed: int | None, by: int) -> int:
    """Give the place beside what is in view; from what is not listed, where one was before."""
    for key, step in ((shown, by), (listed, 0)):
        place = None if key is None else model.place_of(key)
        if place is not None:
            return place + step
    return by - 1


def _is_there(session: Session, key: int | None) -> bool:
    try:
        return key is not None and bool(session.place(key))
    except ReviewerError:
        return False


def _given(session: Session | None) -> list[tuple[str, str]]:
    return [] if session is None else working.lines(session)


def _count_asked(session: Session | None) -> int:
    return 0 if session is None else int(decisions.count_to_me(session))


class SavedViews(QObject):
    """Keeps and forgets views, and tells the menus what there is."""

    def __init__(self, view: QueueView) -> None:
        """Follow the wishes of a queue's menus; nothing is kept before `open`."""
        super().__init__(view)
        self._view = view
        self._session: Session | None = None
        view.save_requested.connect(self._save)
        view.menus.forget_chosen.connect(self._forget)

    def open(self, session: Session | None) -> None:
        """Offer a project's views, or none."""
        self._session = session
        if session is not None:
            self._view.menus.set_saved(listing.saved_views(session))

    def _save(self, words: str) -> None:
        order = self._view.menus.order
        title = f"Name for “{words}”, {order}:"
        name, agreed = QInputDialog.getText(self._view, "Save as a view", title)
        if agreed and name.strip() and self._session is not None:
            listing.save_view(self._session, name.strip(), words, order)
            self.open(self._session)

    def _forget(self, name: str) -> None:
        if self._session is not None:
            listing.delete_view(self._session, name)
            self.open(self._session)
