"""Queues: an ordered list of evaluations, the rows that a list shows of it, and its progress."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo

from reviewer.domain.errors import FilterError
from reviewer.domain.filter_tree import All, Filter, Term, has_words, terms
from reviewer.domain.filters import needs_sight, parse
from reviewer.domain.label import SelectionReason
from reviewer.services import deferred
from reviewer.services.gaps import gaps_of
from reviewer.services.queue_progress import Counter, seconds_each
from reviewer.services.session import Session
from reviewer.services.writing import is_hidden
from reviewer.store import figures, filtering, listing
from reviewer.store.states import State

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


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """An ordered list of evaluations given to a labeler.

    Attributes:
        ids: The evaluations' keys in order, as array("q").
        whole: False where more evaluations may follow, as only the first ones were asked for.
        reason: How its evaluations were chosen; put it into the session's `selection_reason`.
        counters: How far each labeler is, kept up by `progress`.
    """

    ids: "array[int]" = field(default_factory=lambda: array("q"))
    filter_text: str = ""
    order: QueueOrder = QueueOrder.FILE
    run: str | None = None
    whole: bool = True
    reason: SelectionReason = "browse"
    counters: dict[str, Counter] = field(default_factory=dict, repr=False)

    @property
    def total(self) -> int:
        """Give the number of evaluations."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """What a list shows of one evaluation; no gap while it is hidden."""

    key: int
    id: str
    title: str
    category: str | None
    run: str
    state: RowState
    flagged: bool
    hidden: bool
    gap: float | None


@dataclass(frozen=True, slots=True)
class QueueProgress:
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
) -> Queue:
    """Make the queue of what a filter finds; with `first`, no more than so many, where faster.

    Raises:
        FilterError: The filter cannot be understood, or needs what a blind labeler may not see.
    """
    tree = parse(filter_text)
    if session.blind and (needs_sight(tree) or order is QueueOrder.GAP):
        what = (
            "This order reads gaps"
            if not needs_sight(tree)
            else ("This filter reads auto scores or gaps")
        )
        raise FilterError(
            f"{what}, which stay hidden while you label blind; turn blind off first."
        )
    parts = (tree,) if run is None else (Term("run", ":", run, quoted=True), tree)
    found = filtering.condition(All(parts), _situation(session))
    limit = None if order in _WORKED_OUT else first
    ids = listing.keys(session.project, found, _ORDERS.get(order, listing.FILE_ORDER), limit)
    if order in _WORKED_OUT:
        ids = deferred.load(deferred.IN_ORDER)(session, ids, order.value)
    return Queue(
        ids=ids,
        filter_text=filter_text,
        order=order,
        run=run,
        whole=limit is None or len(ids) < limit,
        reason=_reason(tree, order),
    )


def _situation(session: Session) -> filtering.Situation:
    def chosen(metric: str) -> list[tuple[int, list[int]]]:
        runs: dict[int, list[int]] = {}
        for run in session.run_keys():
            version = session.chosen(run, metric)
            if version is not None:
                runs.setdefault(version.key, []).append(run)
        return list(runs.items())

    def gaps(term: Term) -> list[int]:
        holds = filtering.HOLDS[term.op]
        limit = round(float(term.value), 9)
        size = abs if term.field == "|gap|" else float
        found: dict[int, float] = deferred.load(deferred.EVERY_GAP)(session)
        return [key for key, gap in found.items() if holds(round(size(gap), 9), limit)]

    return filtering.Situation(
        labeler=session.labeler.key,
        own_only=session.blind,
        zone=ZoneInfo(session.project.setting("time_zone", "UTC")),
        metrics=figures.metric_keys(session.project),
        chosen=chosen,
        overall_gaps=gaps,
    )


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
        key: is_hidden(session, row.state, session.rubric_of_run(row.run))
        for key, row in found.items()
    }
    gaps = gaps_of(session, [key for key in found if not hidden[key]])
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
        )
        for key in keys
        if key in found
    ]


def _row_state(state: State) -> RowState:
    if state.complete:
        return "done"
    if state.skipped:
        return "skipped"
    return "partial" if state.answered else "new"


def progress(session: Session, queue: Queue) -> QueueProgress:
    """Count how far the active labeler is; only the first call of a queue takes time."""
    counter = queue.counters.get(session.labeler.name)
    if counter is None:
        counter = queue.counters[session.labeler.name] = Counter(queue.ids)
    counts = counter.counts(session)
    left = len(queue.ids) - counts.done - counts.skipped
    pace = seconds_each(listing.recent_times(session.project, session.labeler.key, 300))
    return QueueProgress(
        total=len(queue.ids),
        done=counts.done,
        partial=counts.partial,
        skipped=counts.skipped,
        flagged=counts.flagged,
        seconds_left=None if pace is None else left * pace,
    )


def saved_filters(session: Session) -> dict[str, str]:
    """Give the project's saved filters by name."""
    return listing.saved_filters(session.project)


def save_filter(session: Session, name: str, text: str) -> None:
    """Keep a filter under a name, replacing an older one of that name.

    Raises:
        FilterError: The name is empty, or the filter cannot be understood.
    """
    if not name.strip():
        raise FilterError("A saved filter needs a name.")
    parse(text)
    listing.save_filter(session.project, name.strip(), text)


def delete_filter(session: Session, name: str) -> None:
    """Forget a saved filter."""
    listing.delete_filter(session.project, name)
