"""What people said: labels with their history, and marks beside them."""

from typing import Literal

from msgspec import Struct

from reviewer.domain.uids import Uid
from reviewer.domain.values import JsonValue, Value

LabelKind = Literal["label", "adjudication", "not_applicable", "withdrawn", "comment"]
Ended = Literal["label"]
"""What a withdrawal ends; one from before says nothing and ends the decision too."""
CAUSE_TITLES: dict[str, str] = {
    "judge_wrong": "judge wrong",
    "human_slip": "human slip",
    "rubric_unclear": "rubric unclear",
    "data_broken": "response or data broken",
    "both_defensible": "both defensible",
}
"""Why people and judge differ: what a mark of the kind `cause` holds, in words."""
MarkKind = Literal["skip", "flag", "highlight", "cause", "question", "reveal"]
SelectionReason = Literal[
    "random", "stratum", "active", "browse", "search", "disputed", "imported"
]


class Label(Struct, frozen=True, kw_only=True):
    """One entry of the append-only label history.

    A person's entries are two streams: their label, and their decision (`adjudication`, without a
    value where it is taken back). A `comment` belongs to the label and ends nothing.

    Attributes:
        of: What a withdrawal ends: the label, or None for the label and the decision.
        claims: The claims of a response as a lead corrected them, from which the decided value
            follows.
        restores: The entry that an undo brought back with this one, whose place it takes.
    """

    evaluation: int
    metric: str
    labeler: str
    value: Value | None
    kind: LabelKind = "label"
    of: Ended | None = None
    comment: str | None = None
    at: str | None = None
    blind: bool | None = None
    turn: int | None = None
    seconds: float | None = None
    rubric_version: str | None = None
    judge_version: str | None = None
    selection_reason: SelectionReason | None = None
    selection_prob: float | None = None
    aggregate: int | None = None
    claims: JsonValue = None
    restores: Uid | None = None
    seq: int = 0

    @property
    def counts(self) -> bool:
        """Tell whether this entry, when current, is a label with a value."""
        return self.kind in ("label", "adjudication") and self.value is not None


class Mark(Struct, frozen=True, kw_only=True):
    """A skip, flag, highlight, question, cause or reveal; `value` false takes it back.

    Attributes:
        restores: The mark that an undo brought back with this one, whose place it takes.
    """

    evaluation: int
    kind: MarkKind
    labeler: str
    at: str | None = None
    metric: str | None = None
    turn: int | None = None
    start: int | None = None
    end: int | None = None
    note: str | None = None
    value: Value | None = None
    restores: Uid | None = None
    seq: int = 0
