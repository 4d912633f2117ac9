"""One response or conversation of a run, with its turns, scores and sources.

The fields follow the native record format one to one; times stay texts as they came.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from reviewer.domain.values import Value


class Part(BaseModel):
    """A piece of a turn: text, reasoning, an image or a file."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: Literal["text", "image", "reasoning", "file"]
    text: str | None = None
    name: str | None = None
    data: str | None = None
    path: str | None = None


class ToolCall(BaseModel):
    """A tool call of an assistant turn; arguments as an object or as text."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str | None = None
    name: str
    arguments: JsonValue = None


class Turn(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(frozen=True, extra="allow")

    role: Literal["system", "user", "assistant", "tool"]
    content: str | tuple[Part, ...] | None = None
    at: str | None = None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """Give the turn's readable text; images, files and reasoning are left out."""
        if isinstance(self.content, tuple):
            return "\n".join(p.text for p in self.content if p.type == "text" and p.text)
        return self.content or ""


class Score(BaseModel):
    """An auto score of one metric with the judge's reasoning."""

    model_config = ConfigDict(frozen=True)

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


class Candidate(BaseModel):
    """One of two or more answers that are compared."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    response: str | None = None
    messages: tuple[Turn, ...] = ()
    model: str | None = None


class Source(BaseModel):
    """A retrieved document in rank order."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    title: str | None = None
    text: str | None = None
    relevance: float | None = None


class Evaluation(BaseModel):
    """Everything the window shows of one evaluation except labels and marks."""

    model_config = ConfigDict(frozen=True)

    key: int = Field(description="the project's own number of this evaluation")
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
    rest: dict[str, JsonValue] = Field(default_factory=dict)
    revision: int = 1

    @property
    def title(self) -> str:
        """Give the question in one line, for lists."""
        first_user = next((t.text for t in self.messages if t.role == "user"), None)
        return " ".join((self.input or first_user or self.response or self.id).split())
