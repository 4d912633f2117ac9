"""Labelling: each call is on disk before it returns, is journalled for undo, and is published once."""

from reviewer.domain.change import LabelChanged, MarkChanged
from reviewer.domain.label import Mark
from reviewer.domain.values import Value
from reviewer.services.session import Session


def commit(  # noqa: PLR0913 - the label and what is known about how it came
    session: Session,
    evaluation: int,
    metric: str,
    value: Value,
    *,
    comment: str | None = None,
    seconds: float | None = None,
) -> LabelChanged:
    """Give a metric of an evaluation a label; without `comment` the present comment stays.

    Pressing the value that stands already changes nothing.

    Raises:
        LabelError: The rubric has no such metric, or the value is off its scale.
        ProjectError: The file cannot be written; nothing was saved.
    """
    raise NotImplementedError


def not_applicable(session: Session, evaluation: int, metric: str) -> LabelChanged:
    """Say that the metric does not apply; it counts as answered, but has no value."""
    raise NotImplementedError


def withdraw(session: Session, evaluation: int, metric: str) -> LabelChanged:
    """Take the label back; the history keeps it."""
    raise NotImplementedError


def comment(session: Session, evaluation: int, metric: str, text: str) -> LabelChanged:
    """Put a comment beside the label, keeping its value; empty text removes it."""
    raise NotImplementedError


def toggle_skip(session: Session, evaluation: int) -> MarkChanged:
    """Skip the evaluation, or take that back."""
    raise NotImplementedError


def toggle_flag(session: Session, evaluation: int) -> MarkChanged:
    """Flag the evaluation for a second look, or take that back."""
    raise NotImplementedError


def reveal(session: Session, evaluation: int) -> MarkChanged:
    """Show the auto scores now; every later label on the evaluation records that."""
    raise NotImplementedError


def highlight(  # noqa: PLR0913 - a span and its note
    session: Session, evaluation: int, *, turn: int | None, start: int, end: int, note: str = ""
) -> MarkChanged:
    """Highlight characters start to end of a turn (None: the response), with a note."""
    raise NotImplementedError


def remove_highlight(session: Session, mark: Mark) -> MarkChanged:
    """Take a highlight back."""
    raise NotImplementedError
