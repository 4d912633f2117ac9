"""Queues: an ordered list of evaluations, the rows that a list shows of it, and its progress."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from reviewer.domain.label import SelectionReason
from reviewer.services.session import Session

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
        reason: How its evaluations were chosen, as recorded with labels.
    """

    ids: "array[int]" = field(default_factory=lambda: array("q"))
    filter_text: str = ""
    order: QueueOrder = QueueOrder.FILE
    run: str | None = None
    reason: SelectionReason = "browse"

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


def build(
    session: Session,
    *,
    filter_text: str = "",
    order: QueueOrder = QueueOrder.FILE,
    run: str | None = None,
) -> Queue:
    """Make the queue of what a filter finds.

    Raises:
        FilterError: The filter cannot be understood, or needs what a blind labeler may not see.
    """
    raise NotImplementedError


def rows(session: Session, keys: Sequence[int]) -> list[QueueRow]:
    """Read what a list shows of about 256 evaluations, in the order of the keys."""
    raise NotImplementedError


def progress(session: Session, queue: Queue) -> QueueProgress:
    """Count how far the active labeler is; only the first call of a queue takes time."""
    raise NotImplementedError


def saved_filters(session: Session) -> dict[str, str]:
    """Give the project's saved filters by name."""
    raise NotImplementedError


def save_filter(session: Session, name: str, text: str) -> None:
    """Keep a filter under a name, replacing an older one of that name."""
    raise NotImplementedError


def delete_filter(session: Session, name: str) -> None:
    """Forget a saved filter."""
    raise NotImplementedError
