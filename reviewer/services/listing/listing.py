"""Queues: an ordered list of evaluations, the rows that a list shows of it, and its progress.

A queue is what a filter finds, or a labeler's part of a queue that was made for people.
"""

import itertools
import json
from array import array
from collections.abc import Sequence
from enum import StrEnum
from operator import itemgetter
from typing import Literal

from msgspec import Struct, field

from reviewer.domain.errors import FilterError, QueueError, ReviewerError
from reviewer.domain.evaluation import SelectionReason
from reviewer.domain.filters import All, Filter, Term, has_words, parse, quote, terms
from reviewer.services.figures import filtered, listed_scores
from reviewer.services.project import writing
from reviewer.services.project.session import Session
from reviewer.services.project.sight import is_hidden
from reviewer.store import listing
from reviewer.store import queues as kept_queues
from reviewer.store.queues import QueueRow as GivenQueue
from reviewer.store.states import EMPTY, State, of_labeler, read, settled_among

MANY = 500
"""More evaluations than this are counted anew rather than one by one."""
BREAK_SECONDS = 600
"""A longer pause between two evaluations is a break and tells nothing about the pace."""


class Counts(Struct):
    """Evaluations of a queue by state; flagged ones are counted beside."""

    done: int = 0
    partial: int = 0
    skipped: int = 0
    flagged: int = 0

    def add(self, state: State, sign: int) -> None:
        """Count a state in (1) or out (-1)."""
        if state.complete:
            self.done += sign
        elif state.skipped:
            self.skipped += sign
        elif state.answered:
            self.partial += sign
        if state.flagged:
            self.flagged += sign


class Counter:
    """The counts of one labeler and queue; reads what changed since it was last asked."""

    def __init__(self, ids: "array[int]") -> None:
        """Take the queue's keys; nothing is counted yet."""
        self._ids = ids
        self._members: frozenset[int] = frozenset()
        self._states: dict[int, State] = {}
        self._counts = Counts()
        self._seen: tuple[int, int] | None = None

    def counts(self, session: Session) -> Counts:
        """Give the present counts."""
        now = listing.numbers(session.project)
        if self._seen == now:
            return self._counts
        changed = None
        if self._seen is not None and self._seen[1] == now[1]:
            changed = listing.changed_since(session.project, self._seen[0], MANY)
        if changed is None:
            self._count(session)
        else:
            for key in self._members.intersection(changed):
                self._move(key, read(session.project.conn, session.labeler.key, key))
        self._seen = now
        return self._counts

    def _count(self, session: Session) -> None:
        if self._seen is None:
            self._members = frozenset(self._ids)
        states = of_labeler(session.project.conn, session.labeler.key)
        self._states, self._counts = {}, Counts()
        for key in self._members.intersection(states):
            self._move(key, states[key])

    def _move(self, key: int, state: State) -> None:
        self._counts.add(self._states.get(key, EMPTY), -1)
        self._counts.add(state, 1)
        self._states[key] = state


def seconds_each(entries: Sequence[tuple[int, int]]) -> float | None:
    """Give the median seconds an evaluation takes, from (evaluation, microseconds), newest first.

    None until three are known; breaks are left out.
    """
    starts: list[int] = []
    last = None
    # what came from elsewhere came in another order
    for evaluation, at in sorted(entries, key=itemgetter(1)):
        if evaluation != last:
            starts.append(at)
        last = evaluation
    spans = [(after - before) / 1e6 for before, after in itertools.pairwise(starts)]
    counted = sorted(span for span in spans if 0 < span <= BREAK_SECONDS)
    half = len(counted) // 2
    return (counted[half] + counted[~half]) / 2 if len(counted) >= 3 else None


RowState = Literal["new", "partial", "done", "skipped"]


class QueueOrder(StrEnum):
    """In which order a queue gives its evaluations."""

    FILE = "file"
    RANDOM = "random"
    NEWEST = "newest"
    OLDEST = "oldest"
    GAP = "gap"
    CATEGORY = "category"
    UNLABELLED_FIRST = "unlabelled first"


class Queue(Struct, frozen=True, eq=False):
    """An ordered list of evaluations given to a labeler.

    Attributes:
        ids: The evaluations' keys in order, as array("q").
        whole: False where more evaluations may follow, as only the first ones were asked for.
        reason: How its evaluations were chosen; `enter` puts it into the session.
        counters: How far each labeler is, kept up by `progress`.
        given: The queue of which this is the labeler's part; None for what a filter finds.
        answers: How many evaluations the part asks for, repeats counted again.
        folded: First answers that are not listed, as their repeat is.
        skipped, begun: How many were skipped and repeated when it was put in order.
    """

    ids: "array[int]" = field(default_factory=lambda: array("q"))
    filter_text: str = ""
    order: QueueOrder = QueueOrder.FILE
    run: str | None = None
    whole: bool = True
    reason: SelectionReason = "browse"
    counters: dict[str, Counter] = field(default_factory=dict)
    given: GivenQueue | None = None
    answers: int = 0
    folded: int = 0
    skipped: int = 0
    begun: int = 0

    @property
    def total(self) -> int:
        """Give the number of evaluations."""
        return len(self.ids)


class QueueRow(Struct, frozen=True):
    """What a list shows of one evaluation; no gap while it is hidden.

    Attributes:
        excluded: Why it counts in no figure, empty where that is hidden; None where it counts.
    """

    key: int
    id: str
    title: str
    category: str | None
    run: str
    state: RowState
    flagged: bool
    hidden: bool
    gap: float | None
    excluded: str | None = None


LOOK_AHEAD = 1_000
"""Evaluations of a queue that are looked through at once for an open one."""


class QueueProgress(Struct, frozen=True):
    """How far the labeler is with a queue; seconds_left is None until a pace can be told."""

    total: int
    done: int
    partial: int
    skipped: int
    flagged: int
    seconds_left: float | None


_ORDERS = {
    QueueOrder.NEWEST: listing.NEWEST_FIRST,
    QueueOrder.OLDEST: listing.OLDEST_FIRST,
    QueueOrder.CATEGORY: listing.BY_CATEGORY,
}
_WORKED_OUT = (QueueOrder.RANDOM, QueueOrder.GAP, QueueOrder.UNLABELLED_FIRST)
_STRATA = frozenset({"category", "run", "tag", "model", "complexity", "date", "latency", "cost"})


def build(
    session: Session,
    *,
    filter_text: str = "",
    order: QueueOrder = QueueOrder.FILE,
    run: str | None = None,
    first: int | None = None,
    queue: str | None = None,
) -> Queue:
    """Make the queue of what a filter finds, or of a labeler's part of a queue by its name.

    Args:
        session: The project and the labeler.
        filter_text: What the evaluations must match.
        order: In which order they come.
        run: Only those of this run.
        first: No more than so many, where that is faster.
        queue: The labeler's part of this queue, in its own order; filter and order say nothing.

    Raises:
        FilterError: The filter cannot be understood, or needs what a blind labeler may not see.
        QueueError: There is no such queue, or the labeler has no part in it.
    """
    if queue is not None:
        return _given(session, queue)
    tree = parse(filter_text)
    filtered.check_sight(session, tree, by_gap=order is QueueOrder.GAP)
    parts = (tree,) if run is None else (Term("run", ":", run, quoted=True), tree)
    found = filtered.condition(session, All(parts))
    limit = None if order in _WORKED_OUT else first
    ids = listing.keys(session.project, found, _ORDERS.get(order, listing.FILE_ORDER), limit)
    if order in _WORKED_OUT:
        from reviewer.services.listing import list_orders

        ids = list_orders.in_order(session, ids, order.value)
    return Queue(
        ids=ids,
        filter_text=filter_text,
        order=order,
        run=run,
        whole=limit is None or len(ids) < limit,
        reason=_reason(tree, order),
    )


def _given(session: Session, name: str) -> Queue:
    conn = session.project.conn
    row = kept_queues.find(conn, name)
    if row is None:
        there = ", ".join(x.name for x in kept_queues.every(conn)) or "none"
        raise QueueError(f"The project has no queue {name!r}; it has: {there}.")
    me = session.labeler.key
    counts = kept_queues.counts(conn, row.key, me)
    if not counts.total:
        raise QueueError(f"{session.labeler.name} has no part in the queue {row.name!r}.")
    begun = kept_queues.begun(conn, row.key, me)
    return Queue(
        ids=kept_queues.listed(conn, row.key, me),
        reason=row.reason,  # type: ignore[arg-type]
        given=row,
        answers=counts.total,
        folded=kept_queues.folded(conn, row.key, me) if begun else 0,
        skipped=counts.skipped,
        begun=begun,
    )


def enter(session: Session, queue: Queue) -> Queue:
    """Let the labeler work on a queue: how it chose and whether it is blind hold from now on.

    Gives the queue with the repeats whose turn has come.
    """
    session.selection_reason = queue.reason
    session.queue = queue.given
    if queue.given is None or session.project.read_only or not session.is_named:
        return queue
    if not kept_queues.has_waiting(session.project.conn, queue.given.key, session.labeler.key):
        return queue
    with session.project.write():
        me = session.my_key()
        begun = writing.begin_due_repeats(session, me)
    return _given(session, queue.given.name) if begun else queue


def arranged(session: Session, queue: Queue) -> Queue | None:
    """Give a part of a queue in its present order, None where nothing moved.

    What is skipped comes back at the end; a repeat takes its place when its turn has come.
    """
    given, me = queue.given, session.labeler
    if given is None:
        return None
    begun = kept_queues.begun(session.project.conn, given.key, me.key)
    skipped = _counter(session, queue).counts(session).skipped
    if (skipped, begun) == (queue.skipped, queue.begun):
        return None
    return _given(session, given.name)


def _reason(tree: Filter, order: QueueOrder) -> SelectionReason:
    """Say how the queue chooses evaluations, as corrected means need to know."""
    if tree == All():
        return "random" if order is QueueOrder.RANDOM else "browse"
    if has_words(tree):
        return "search"
    in_strata = {term.field for term in terms(tree)} <= _STRATA
    return "stratum" if order is QueueOrder.RANDOM and in_strata else "browse"


def rows(session: Session, keys: Sequence[int]) -> list[QueueRow]:
    """Read what a list shows of about 256 evaluations, in the order of the keys.

    Evaluations that are gone, because an import was undone, are left out.
    """
    found = listing.listed(session.project, keys, session.labeler.key)
    hidden = {
        key: is_hidden(session, row.state, session.rubric_of_run(row.run), key)
        for key, row in found.items()
    }
    open_to = {key: row.run for key, row in found.items() if not hidden[key]}
    gaps = listed_scores.gaps_of(session, open_to) if open_to else {}
    return [
        QueueRow(
            key=key,
            id=found[key].id,
            title=found[key].title,
            category=found[key].category,
            run=found[key].run_name,
            state=_row_state(found[key].state),
            flagged=found[key].state.flagged,
            hidden=hidden[key],
            gap=gaps.get(key),
            excluded=_reason_seen(session, found[key].excluded, hidden=hidden[key]),
        )
        for key in keys
        if key in found
    ]


def _reason_seen(session: Session, reason: str | None, *, hidden: bool) -> str | None:
    # leads exclude, and know why
    return "" if reason and hidden and session.labeler.role != "lead" else reason


def next_open(session: Session, queue: Queue, start: int) -> int | None:
    """Find the place of the next evaluation of a queue that waits for the labeler's answer.

    Args:
        session: Whose labeler it is about.
        queue: What is worked on.
        start: The first place that comes into question.
    """
    conn, me = session.project.conn, session.labeler.key
    for at in range(start, len(queue.ids), LOOK_AHEAD):
        keys = queue.ids[at : at + LOOK_AHEAD]
        settled = settled_among(conn, me, keys)
        for place, key in enumerate(keys, at):
            if key not in settled:
                return place
    return None


def _row_state(state: State) -> RowState:
    if state.complete:
        return "done"
    if state.skipped:
        return "skipped"
    return "partial" if state.answered else "new"


def progress(session: Session, queue: Queue) -> QueueProgress:
    """Count how far the active labeler is; only the first call of a queue takes time."""
    counts = _counter(session, queue).counts(session)
    total = len(queue.ids) if queue.given is None else queue.answers
    done = counts.done + queue.folded
    skipped = counts.skipped
    if skipped and queue.given is not None:
        me = session.labeler.key
        skipped += kept_queues.skipped_repeats(session.project.conn, queue.given.key, me)
    left = total - done - skipped
    pace = seconds_each(listing.recent_times(session.project, session.labeler.key, 300))
    return QueueProgress(
        total=total,
        done=done,
        partial=counts.partial,
        skipped=skipped,
        flagged=counts.flagged,
        seconds_left=None if pace is None else left * pace,
    )


def _counter(session: Session, queue: Queue) -> Counter:
    name = session.labeler.name
    return queue.counters.setdefault(name, Counter(queue.ids))


class SavedView(Struct, frozen=True):
    """A filter and an order that were kept under a name."""

    words: str
    order: QueueOrder


def saved_views(session: Session) -> dict[str, SavedView]:
    """Give the project's views by name."""
    return {
        name: SavedView(words, QueueOrder(order))
        for name, words, order in listing.saved_views(session.project)
    }


def save_view(session: Session, name: str, words: str, order: QueueOrder) -> None:
    """Keep a filter and an order under a name, replacing an older view of that name.

    Raises:
        FilterError: The name is empty, or the filter cannot be understood.
    """
    if not name.strip():
        raise FilterError("A saved view needs a name.")
    parse(words)
    listing.save_view(session.project, name.strip(), words, order.value)


def delete_view(session: Session, name: str) -> None:
    """Forget a view."""
    listing.delete_view(session.project, name)


def last_queue(session: Session) -> tuple[str, QueueOrder] | None:
    """Give filter and order of the labeler's last queue, None where there is none."""
    try:
        kept = json.loads(session.project.setting(_name(session)) or "null")
        return str(kept["filter"]), QueueOrder(kept["order"])
    except (ValueError, TypeError, KeyError):
        return None


def last_given(session: Session) -> str | None:
    """Give the name of the queue for people that the labeler worked on, None after a filter."""
    try:
        return str(json.loads(session.project.setting(_name(session)) or "null")["given"])
    except (ValueError, TypeError, KeyError):
        return None


def keep_queue(
    session: Session, filter_text: str, order: QueueOrder, given: str | None = None
) -> None:
    """Remember the labeler's queue; a project that cannot be written forgets it silently.

    `given` is the name of a queue for people; filter and order are what they come back to.
    """
    same = last_queue(session) == (filter_text, order) and last_given(session) == given
    if same or not session.is_named:
        return
    fields = {"filter": filter_text, "order": order.value}
    if given is not None:
        fields["given"] = given
    kept = json.dumps(fields, ensure_ascii=False)
    try:
        session.project.set_setting(_name(session), kept)
    except ReviewerError:
        return


def first_queue(session: Session) -> tuple[str, QueueOrder]:
    """Give the queue to begin with: the last one, else the newest run."""
    kept = last_queue(session)
    if kept is not None:
        return kept
    runs = session.run_names()
    return (run_filter(runs[-1]) if len(runs) > 1 else "", QueueOrder.FILE)


def some_filter(session: Session, keys: Sequence[int]) -> str:
    """Write the filter for a few evaluations."""
    return " OR ".join(
        f"({run_filter(row.run)} id:{quote(row.id)})" for row in rows(session, keys)
    )


def run_filter(run: str) -> str:
    """Write the filter for one run."""
    quoted = run.replace("\\", "\\\\").replace('"', '\\"')
    return f'run:"{quoted}"'


def _name(session: Session) -> str:
    return f"queue of {session.labeler.name}"
