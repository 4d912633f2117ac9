"""Reports of what changed, published once per operation; screens redraw from them."""

from dataclasses import dataclass

from reviewer.domain.label import Label, Mark


@dataclass(frozen=True, slots=True)
class LabelChanged:
    """A labeler's entry for one metric of one evaluation was set, changed or withdrawn.

    `before` is the labeler's previous current entry, None where there was none.
    """

    before: Label | None
    after: Label


@dataclass(frozen=True, slots=True)
class MarkChanged:
    """A skip, flag, highlight, question, cause or reveal was set or taken back."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class EvaluationsChanged:
    """Runs or evaluations were added, hidden or replaced, or scores arrived; lists reload."""

    reason: str


@dataclass(frozen=True, slots=True)
class RubricChanged:
    """A rubric got a new version."""

    name: str


@dataclass(frozen=True, slots=True)
class PeopleChanged:
    """Profiles of labelers or their queues were made, renamed, closed or deleted."""

    reason: str


@dataclass(frozen=True, slots=True)
class FiguresChanged:
    """The project computes its figures by another preset or other options."""

    preset: str


Change = (
    LabelChanged
    | MarkChanged
    | EvaluationsChanged
    | RubricChanged
    | PeopleChanged
    | FiguresChanged
)
