"""The native record format as types, and the JSON Schema that `reviewer schema` prints of them.

What the reader refuses, the schema refuses too, except where JSON Schema cannot say it: times are
checked in full, ids are unique within a run, values lie on the rubric's scale. Unknown keys are
allowed everywhere; they come back in an export. A key that is null counts as absent.
"""

from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict, override

from reviewer.domain.label import Ended, LabelKind, MarkKind, SelectionReason

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Text = str | None
Number = float | None
Texts = list[str] | None
Truth = bool | None
Value = Annotated[
    float | str | bool | None, Field(description="a number, a category, yes or no; null is none")
]
Name = Annotated[str, Field(min_length=1)]
Time = Annotated[Text, Field(description="ISO 8601; without a zone it is UTC")]
Position = Annotated[int | None, Field(ge=0, lt=2**31)]
Share = Annotated[Number, Field(ge=0, le=1)]
Object = dict[str, JsonValue] | None
_UUID = Field(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
Uid = Annotated[Annotated[str, _UUID] | None, Field(description="names the entry everywhere")]
Restores = Annotated[
    Annotated[str, _UUID] | None,
    Field(description="the `uid` of the entry that an undo brought back, whose place this takes"),
]


class Part(TypedDict, total=False):
    """A piece of a turn."""

    type: Required[Literal["text", "image", "reasoning", "file"]]
    text: Text
    name: Text
    data: Annotated[Text, Field(description="the bytes of an image or file as base64")]
    path: Text


class ToolCall(TypedDict, total=False):
    """A tool call of an assistant turn."""

    id: Text
    name: Required[str]
    arguments: Annotated[JsonValue, Field(description="an object, or text as it came")]


class Turn(TypedDict, total=False):
    """One message of a conversation."""

    role: Required[Literal["system", "user", "assistant", "tool"]]
    content: str | list[Part] | None
    at: Time
    name: Text
    tool_calls: list[ToolCall] | None
    tool_call_id: Text


class Candidate(TypedDict, total=False):
    """One of several answers that are compared; its metrics choose an id or `tie`."""

    id: Required[str]
    response: Text
    messages: list[Turn] | None
    model: Text


class Score(TypedDict, total=False):
    """An auto score."""

    __pydantic_config__ = ConfigDict(  # type: ignore[misc]
        json_schema_extra={
            "if": {"properties": {"value": {"type": "null"}}},
            "then": {"required": ["error"]},
        }
    )

    metric: Required[Name]
    value: Value
    reasoning: Text
    examples: Texts
    scorer: Text
    scorer_version: Text
    error: Annotated[Text, Field(description="what went wrong; needed where there is no value")]
    at: Time
    raw: Annotated[Text, Field(description="the judge's reply as received")]
    trace: Annotated[Text, Field(description="the judge's reasoning trace")]
    passed: Truth
    confidence: Share
    turn: Annotated[Position, Field(description="the turn it is about, from 0")]
    model: Text
    prompt_hash: Text
    parameters: Object
    cost_usd: Annotated[Number, Field(description="of the judge's call, like the next three")]
    latency_ms: Number
    tokens_in: Number
    tokens_out: Number
    meta: Object


class LabelEntry(TypedDict, total=False):
    """An entry of a person's label history; the latest of a labeler counts.

    A decision (`adjudication`) is a stream of its own: one without a value takes it back.
    """

    metric: Required[Name]
    labeler: Required[Name]
    value: Value
    comment: Text
    at: Time
    blind: Annotated[Truth, Field(description="given without sight of the auto score")]
    kind: LabelKind | None
    of: Annotated[
        Ended | None,
        Field(description="what `withdrawn` ends; without it the decision ends with the label"),
    ]
    turn: Position
    seconds: Number
    rubric_version: Text
    aggregate: Annotated[Position, Field(description="how many people a mean stands for")]
    selection_reason: SelectionReason | None
    selection_prob: Share
    judge_version: Text
    uid: Uid
    restores: Restores


class LabelRow(LabelEntry, total=False):
    """A label on a line of its own, for an evaluation that is in the project already."""

    run: Text
    id: Required[Annotated[Name | float, Field(description="the id of the evaluation")]]


class Mark(TypedDict, total=False):
    """A skip, flag, highlight, cause, question or reveal; `value` false takes it back."""

    kind: Required[MarkKind]
    labeler: Required[Name]
    at: Time
    metric: Text
    turn: Position
    start: Position
    end: Position
    note: Text
    value: Value
    uid: Uid
    restores: Restores


class Exclusion(TypedDict, total=False):
    """Why an evaluation is in lists, but in no figure."""

    reason: Required[Name]
    by: Text
    at: Time


class Source(TypedDict, total=False):
    """A retrieved document."""

    id: Required[str]
    title: Text
    text: Text
    relevance: Annotated[Number, Field(ge=0)]


class ExpectedSource(TypedDict, total=False):
    """A document that should have been retrieved."""

    id: Required[str]
    relevance: Annotated[Number, Field(ge=0)]


class Feedback(TypedDict, total=False):
    """The end user's reaction."""

    value: Literal["up", "down"] | float | None
    comment: Text
    at: Time
    user: Text


class Record(TypedDict, total=False):
    """One evaluation: a line of a .jsonl file, with an id and something to look at."""

    __pydantic_config__ = ConfigDict(  # type: ignore[misc]
        json_schema_extra={
            "anyOf": [
                {"required": [key]} for key in ("input", "messages", "response", "candidates")
            ]
        }
    )

    id: Required[Annotated[Name | float, Field(description="unique within its run")]]
    run: Text
    case: Annotated[Text, Field(description="the same test case across runs; default: id")]
    category: Text
    complexity: Text
    tags: Texts
    input: Annotated[Text, Field(description="the question of a single-turn evaluation")]
    messages: list[Turn] | None
    response: Annotated[
        Text, Field(description="the answer under evaluation; default: the last assistant turn")
    ]
    candidates: list[Candidate] | None
    expected: Text
    expected_keywords: Texts
    expected_tools: Texts
    tools_used: Annotated[Texts, Field(description="default: the tool calls in messages")]
    context: Annotated[
        str | dict[str, JsonValue] | list[JsonValue] | None,
        Field(description="what the answer may rely on"),
    ]
    error: Annotated[Text, Field(description="what went wrong while answering")]
    latency_ms: Number
    cost_usd: Number
    tokens_in: Number
    tokens_out: Number
    model: Annotated[Text, Field(description="the evaluated model or bot")]
    occurred_at: Time
    evaluated_at: Time
    scores: list[Score] | None
    labels: list[LabelEntry] | None
    sources: Annotated[list[Source] | None, Field(description="retrieved, in rank order")]
    expected_sources: list[str | ExpectedSource] | None
    feedback: list[Feedback] | None
    template_matched: Truth
    direct_substitution: Truth
    cache: Literal["warm", "cold"] | None
    cluster: Annotated[
        Text, Field(description="what evaluations of one conversation share, for intervals")
    ]
    marks: list[Mark] | None
    excluded: Annotated[Exclusion | None, Field(description="seen, but counted in no figure")]
    meta: Annotated[Object, Field(description="anything else")]


class _Untitled(GenerateJsonSchema):
    """Leave out the titles, which would only repeat the keys."""

    @override
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema() -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a record; `$defs` has that of a label row too."""
    made = TypeAdapter(Record).json_schema(schema_generator=_Untitled)
    row = TypeAdapter(LabelRow).json_schema(schema_generator=_Untitled)
    definitions = {**made.pop("$defs"), **row.pop("$defs", {}), "LabelRow": row}
    return {
        "$schema": DIALECT,
        **made,
        "title": "Evaluation record of Reviewer",
        "$defs": definitions,
    }
