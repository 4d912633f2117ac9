"""Reports of what changed, published once per operation; screens redraw from them."""

from msgspec import Struct

from reviewer.domain.evaluation import Label, Mark


class LabelChanged(Struct, frozen=True):
    """A labeler's entry for one metric of one evaluation was set, changed or withdrawn.

    `before` is the labeler's previous current entry, None where there was none.
    """

    before: Label | None
    after: Label


class MarkChanged(Struct, frozen=True):
    """A skip, flag, highlight, question, cause or reveal was set or taken back."""

    mark: Mark

    @property
    def is_sight(self) -> bool:
        """Tell whether a lead merely saw something that was not hidden: it moves no figure."""
        return self.mark.kind == "reveal" and self.mark.value == "led"


class EvaluationsChanged(Struct, frozen=True):
    """Runs or evaluations were added, hidden or replaced, or scores arrived; lists reload."""

    reason: str


class ScoresChanged(Struct, frozen=True):
    """Scores came to evaluations that are here; lists keep their order, as after labels."""


class RubricChanged(Struct, frozen=True):
    """A rubric got a new version."""

    name: str


class PeopleChanged(Struct, frozen=True):
    """Profiles of labelers or their queues were made, renamed, closed or deleted."""

    reason: str


class FiguresChanged(Struct, frozen=True):
    """The project computes its figures by another preset or other options."""


class JudgingChanged(Struct, frozen=True):
    """Judges, endpoints, keys, prompts, bots or prices were kept or removed."""

    reason: str


class MonitorsChanged(Struct, frozen=True):
    """A monitor's settings, samples or status changed, or who watches with it."""


Change = (
    LabelChanged
    | MarkChanged
    | EvaluationsChanged
    | ScoresChanged
    | RubricChanged
    | PeopleChanged
    | FiguresChanged
    | JudgingChanged
    | MonitorsChanged
)
