"""One response or conversation of a run, with its turns, scores and sources.

The fields follow the native record format one to one; times stay texts as they came. What a
format adds beyond them stays in `rest`.
"""

from typing import Literal

from msgspec import Struct, field

from reviewer.domain.values import JsonValue, Value

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


class Evaluation(Struct, frozen=True, kw_only=True):
    """Everything the window shows of one evaluation except labels and marks.

    Attributes:
        key: The project's own number of this evaluation.
    """

    key: int
    id: str
    run: str
    case: str | None = None
    category: str | None = None
    complexity: str | None = None
    tags: tuple[str, ...] = ()
    input: str | None = None
    messages: tuple[Turn, ...] = ()
    response: str | None = None
    candidates: tuple[Candidate, ...] = ()
    expected: str | None = None
    expected_keywords: tuple[str, ...] = ()
    expected_tools: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    context: JsonValue = None
    error: str | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    model: str | None = None
    occurred_at: str | None = None
    evaluated_at: str | None = None
    scores: tuple[Score, ...] = ()
    sources: tuple[Source, ...] = ()
    feedback: JsonValue = None
    rest: dict[str, JsonValue] = field(default_factory=dict)
    revision: int = 1

    @property
    def title(self) -> str:
        """Give the question in one line, for lists."""
        first_user = next((t.text for t in self.messages if t.role == "user"), None)
        return " ".join((self.input or first_user or self.response or self.id).split())

    @property
    def called(self) -> tuple[str, ...]:
        """Give the tools that were used, in order, repeats included: named, else as called."""
        return self.tools_used or tuple(x.name for turn in self.messages for x in turn.tool_calls)

    @property
    def answer(self) -> str:
        """Give the response, else the last thing that the assistant said."""
        said = (x.text for x in reversed(self.messages) if x.role == "assistant" and x.text)
        return self.response or next(said, "")
