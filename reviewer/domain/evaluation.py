"""One response or conversation of a run: its turns, scores, labels and marks, and their values.

The fields follow the native record format one to one; times stay texts as they came. What a
format adds beyond them stays in `rest`. Labels are a history that is only added to.
"""

import math
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from msgspec import Struct, field

from reviewer.domain.uids import Uid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Value = bool | int | float | str
"""What a score or a label may be: a number, yes or no, or a category."""


class AnyJson:
    """Has a value from outside checked to be what JSON can say, wherever it is checked at all."""

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: Any) -> Any:  # noqa: ANN401
        """Give the schema of a JSON value, called by the check only."""
        from pydantic import JsonValue as Checked

        return handler.generate_schema(Checked)


JsonValue = Annotated[
    bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None, AnyJson
]
"""Anything that JSON can say."""


def as_number(value: Value | None) -> float | None:
    """Give the number behind a value; categories and missing values have none."""
    if value is None or isinstance(value, str):
        return None
    return float(value)


_EXACT = 1 << 53
LARGEST = 2**63 - 1
"""The largest whole number that is kept exactly."""


def as_written(number: float) -> int | float:
    """Give a number as people write it: a whole one whole, where floats hold each of them."""
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def is_finite(value: float) -> bool:
    """Tell whether a number is finite, and a whole one within what a float holds."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def value_problem(value: object) -> str | None:
    """Say why a raw JSON value can be no score or label, or None where it can."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN and infinity are not values; a finite number is expected"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "the number is too large; at most 19 digits are kept exactly"
    if isinstance(value, str):
        return text_problem(value)
    if not isinstance(value, bool | int | float):
        return "a number, a text, true or false is expected"
    return None


def text_problem(text: str) -> str | None:
    """Say why a text cannot be stored, or None where it can."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it holds an unpaired surrogate, which no UTF-8 text can carry"
    return None


def parse_time(text: str) -> datetime:
    """Read an ISO 8601 time; without a zone it is UTC.

    Raises:
        ValueError: The text is no ISO 8601 date or time.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def to_micros(text: str | None) -> int | None:
    """Give the microseconds since 1970 in UTC of an ISO 8601 time, None for none or unreadable."""
    if not text:
        return None
    try:
        moment = parse_time(text)
    except ValueError:
        return None
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def now_text() -> str:
    """Give the present as ISO 8601 in UTC with milliseconds, as stored with every label."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Role = Literal["system", "user", "assistant", "tool"]
PartType = Literal["text", "image", "reasoning", "file"]


class Part(Struct, frozen=True, kw_only=True):
    """A piece of a turn: text, reasoning, an image or a file."""

    type: PartType
    text: str | None = None
    name: str | None = None
    data: str | None = None
    path: str | None = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class ToolCall(Struct, frozen=True, kw_only=True):
    """A tool call of an assistant turn; arguments as an object or as text."""

    id: str | None = None
    name: str
    arguments: JsonValue = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class Turn(Struct, frozen=True, kw_only=True):
    """One message of a conversation."""

    role: Role
    content: str | tuple[Part, ...] | None = None
    at: str | None = None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    rest: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Give the turn's readable text; images, files and reasoning are left out."""
        if isinstance(self.content, tuple):
            return "\n".join(p.text for p in self.content if p.type == "text" and p.text)
        return self.content or ""


class Score(Struct, frozen=True, kw_only=True):
    """An auto score of one metric with the judge's reasoning.

    Attributes:
        raw, trace: The judge's reply as received, and what it thought before.
        cost_usd, latency_ms, tokens_in, tokens_out: Of the judge's call.
        meta: What else stands with it, such as `claims` or `injection`.
        made_of: Whether it is made of what the same version said several times.
    """

    metric: str
    value: Value | None
    reasoning: str | None = None
    scorer: str | None = None
    scorer_version: str | None = None
    error: str | None = None
    at: str | None = None
    turn: int | None = None
    examples: tuple[str, ...] = ()
    confidence: float | None = None
    model: str | None = None
    raw: str | None = None
    trace: str | None = None
    prompt_hash: str | None = None
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    cost_usd: float | None = None
    latency_ms: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    meta: dict[str, JsonValue] = field(default_factory=dict)
    made_of: bool = False


class Candidate(Struct, frozen=True, kw_only=True):
    """One of two or more answers that are compared."""

    id: str
    response: str | None = None
    messages: tuple[Turn, ...] = ()
    model: str | None = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class Source(Struct, frozen=True, kw_only=True):
    """A retrieved document in rank order."""

    id: str
    title: str | None = None
    text: str | None = None
    relevance: float | None = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class Subject(Struct, frozen=True, kw_only=True):
    """What people, judges and scorers look at alike; what is absent is None or empty.

    Attributes:
        case: The id of the same test case across runs.
        tools_used: Names of the tools in the order of their calls, repeats included.
        sources: Retrieved documents in rank order.
        feedback: As the record has it, reactions of the end user.
    """

    case: str | None = None
    category: str | None = None
    complexity: str | None = None
    tags: tuple[str, ...] = ()
    response: str | None = None
    expected: str | None = None
    tools_used: tuple[str, ...] = ()
    context: JsonValue = None
    error: str | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    model: str | None = None
    occurred_at: str | None = None
    evaluated_at: str | None = None
    sources: tuple[Source, ...] = ()
    feedback: JsonValue = None


class Evaluation(Subject, frozen=True, kw_only=True):
    """Everything the window shows of one evaluation except labels and marks.

    Attributes:
        key: The project's own number of this evaluation.
    """

    key: int
    id: str
    run: str
    input: str | None = None
    messages: tuple[Turn, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    expected_keywords: tuple[str, ...] = ()
    expected_tools: tuple[str, ...] = ()
    tokens_in: float | None = None
    tokens_out: float | None = None
    scores: tuple[Score, ...] = ()
    rest: dict[str, JsonValue] = field(default_factory=dict)
    revision: int = 1

    @property
    def title(self) -> str:
        """Give the question in one line, for lists."""
        first_user = next((t.text for t in self.messages if t.role == "user"), None)
        return " ".join((self.input or first_user or self.response or self.id).split())

    @property
    def unreadable(self) -> frozenset[str]:
        """Give the fields that came with a value of the wrong kind."""
        found = self.rest.get("unreadable")
        return frozenset(found) if isinstance(found, dict) else frozenset()

    @property
    def called(self) -> tuple[str, ...]:
        """Give the tools that were used, in order, repeats included: named, else as called."""
        if self.tools_used or not self.messages:
            return self.tools_used
        return tuple(x.name for turn in self.messages for x in turn.tool_calls)

    @property
    def answer(self) -> str:
        """Give the response, else the last thing that the assistant said."""
        said = (x.text for x in reversed(self.messages) if x.role == "assistant" and x.text)
        return self.response or next(said, "")


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
MarkKind = Literal["skip", "flag", "highlight", "cause", "question", "reveal", "unsure"]
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
    """A skip, flag, highlight, question, cause, reveal or doubt; `value` false takes it back.

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
