"""The declaration of the native record format: every key with what it may hold, in its order.

Reading, the checks, the schema that `reviewer schema` prints, CSV and the store follow from it.
Unknown keys are allowed everywhere and come back in an export; a key that is null is absent.
"""

import re
from enum import Enum, auto
from typing import Any, get_args

from msgspec import Struct

from reviewer.domain.evaluation import Ended, LabelKind, MarkKind, PartType, Role, SelectionReason


class Kind(Enum):
    """What a field may hold, beside null."""

    TEXT = auto()
    NAME = auto()
    """A text that is not empty."""
    IDENTITY = auto()
    """A text that is not empty; a number becomes one."""
    TIME = auto()
    UID = auto()
    CHOICE = auto()
    """One of the field's `choices`."""
    NUMBER = auto()
    SHARE = auto()
    """A number from 0 to 1."""
    RELEVANCE = auto()
    """A number from 0."""
    POSITION = auto()
    """A whole number from 0."""
    TRUTH = auto()
    VALUE = auto()
    """What a score or a label may be; its scale is checked elsewhere."""
    REACTION = auto()
    """`up`, `down` or a number."""
    TEXTS = auto()
    OBJECT = auto()
    """An object, of the shape `of` where one is given."""
    CONTEXT = auto()
    """A text, an object or a list."""
    SAID = auto()
    """A text; an object or a list becomes its JSON."""
    JSON = auto()
    """Anything that JSON can say."""
    CONTENT = auto()
    """A text, or a list of `of`."""
    WHOLE = auto()
    """A list of `of`, of which a wrong one makes the record unusable."""
    ENTRIES = auto()
    """A list of `of`, of which a wrong one is left out."""
    LIST = auto()
    """A list of `of`, which is kept as it came."""
    IDS = auto()
    """A list of ids, or of `of`."""


TEXT_KINDS = frozenset(
    {Kind.TEXT, Kind.NAME, Kind.IDENTITY, Kind.TIME, Kind.UID, Kind.CHOICE, Kind.SAID}
)
"""Kinds whose values are texts."""


class Field(Struct, frozen=True):
    """One key of an object.

    Attributes:
        title: What it means, for the schema.
        needed: The object says nothing without it.
        decisive: With a wrong one, the object would say something else.
        synonyms: What others call it; read as this key where the key itself is absent.
    """

    name: str
    kind: Kind
    title: str = ""
    choices: tuple[str, ...] = ()
    of: "Shape | None" = None
    needed: bool = False
    decisive: bool = False
    synonyms: tuple[str, ...] = ()


class Shape(Struct, frozen=True):
    """An object of the format: its name, what it is, and its keys in the order of writing."""

    name: str
    title: str
    fields: tuple[Field, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Give the names of the fields."""
        return tuple(field.name for field in self.fields)


_UTC = "ISO 8601; without a zone it is UTC"
_VALUE = "a number, a category, yes or no; null is none"
_UID = "names the entry everywhere"
_RESTORES = "the `uid` of the entry that an undo brought back, whose place this takes"

PART = Shape(
    "Part",
    "A piece of a turn.",
    (
        Field("type", Kind.CHOICE, choices=get_args(PartType), needed=True),
        Field("text", Kind.TEXT),
        Field("name", Kind.TEXT),
        Field("data", Kind.TEXT, "the bytes of an image or file as base64"),
        Field("path", Kind.TEXT),
    ),
)
TOOL_CALL = Shape(
    "ToolCall",
    "A tool call of an assistant turn.",
    (
        Field("id", Kind.TEXT),
        Field("name", Kind.TEXT, needed=True),
        Field("arguments", Kind.JSON, "an object, or text as it came"),
    ),
)
TURN = Shape(
    "Turn",
    "One message of a conversation.",
    (
        Field("role", Kind.CHOICE, choices=get_args(Role), needed=True),
        Field("content", Kind.CONTENT, of=PART),
        Field("at", Kind.TIME, _UTC),
        Field("name", Kind.TEXT),
        Field("tool_calls", Kind.WHOLE, of=TOOL_CALL),
        Field("tool_call_id", Kind.TEXT),
    ),
)
CANDIDATE = Shape(
    "Candidate",
    "One of several answers that are compared; its metrics choose an id or `tie`.",
    (
        Field("id", Kind.TEXT, needed=True),
        Field("response", Kind.TEXT),
        Field("messages", Kind.WHOLE, of=TURN),
        Field("model", Kind.TEXT),
    ),
)
SCORE = Shape(
    "Score",
    "An auto score.",
    (
        Field("metric", Kind.NAME, needed=True, decisive=True),
        Field("value", Kind.VALUE, _VALUE, decisive=True),
        Field("reasoning", Kind.TEXT),
        Field("examples", Kind.TEXTS),
        Field("scorer", Kind.TEXT),
        Field("scorer_version", Kind.TEXT),
        Field("error", Kind.TEXT, "what went wrong; needed where there is no value"),
        Field("at", Kind.TIME, _UTC),
        Field("raw", Kind.TEXT, "the judge's reply as received"),
        Field("trace", Kind.TEXT, "the judge's reasoning trace"),
        Field("passed", Kind.TRUTH),
        Field("confidence", Kind.SHARE),
        Field("turn", Kind.POSITION, "the turn it is about, from 0", decisive=True),
        Field("model", Kind.TEXT),
        Field("prompt_hash", Kind.TEXT),
        Field("parameters", Kind.OBJECT),
        Field("cost_usd", Kind.NUMBER, "of the judge's call, like the next three"),
        Field("latency_ms", Kind.NUMBER),
        Field("tokens_in", Kind.NUMBER),
        Field("tokens_out", Kind.NUMBER),
        Field("meta", Kind.OBJECT),
    ),
)
LABEL = Shape(
    "LabelEntry",
    "An entry of a person's label history; the latest of a labeler counts.\n\n"
    "A decision (`adjudication`) is a stream of its own: one without a value takes it back.",
    (
        Field("metric", Kind.NAME, needed=True, decisive=True),
        Field("labeler", Kind.NAME, needed=True, decisive=True),
        Field("value", Kind.VALUE, _VALUE, decisive=True),
        Field("comment", Kind.TEXT),
        Field("at", Kind.TIME, _UTC),
        Field("blind", Kind.TRUTH, "given without sight of the auto score"),
        Field("kind", Kind.CHOICE, choices=get_args(LabelKind), decisive=True),
        Field(
            "of",
            Kind.CHOICE,
            "what `withdrawn` ends; without it the decision ends with the label",
            choices=get_args(Ended),
            decisive=True,
        ),
        Field("turn", Kind.POSITION, decisive=True),
        Field("seconds", Kind.NUMBER),
        Field("rubric_version", Kind.TEXT),
        Field("aggregate", Kind.POSITION, "how many people a mean stands for"),
        Field("selection_reason", Kind.CHOICE, choices=get_args(SelectionReason)),
        Field("selection_prob", Kind.SHARE),
        Field("judge_version", Kind.TEXT),
        Field("uid", Kind.UID, _UID),
        Field("restores", Kind.UID, _RESTORES),
    ),
)
LABEL_ROW = Shape(
    "LabelRow",
    "A label on a line of its own, for an evaluation that is in the project already.",
    (
        *LABEL.fields,
        Field("run", Kind.TEXT, decisive=True),
        Field("id", Kind.IDENTITY, "the id of the evaluation", needed=True, decisive=True),
    ),
)
ANALYSIS = Shape(
    "Analysis",
    "What our exports of labels say beside a label; none of it is imported.",
    (
        Field("value_text", Kind.TEXT, "the label where it is a category, yes (true) or no"),
        Field("current", Kind.TRUTH, "nothing later of this person stands in its place"),
        Field("counts", Kind.TRUTH, "it stands behind the human score of these filters"),
        Field("auto", Kind.NUMBER, "the auto score of record as a number; yes is 1 and no is 0"),
        Field("auto_text", Kind.TEXT, "the auto score of record where it is a category"),
        Field("scorer", Kind.TEXT, "the scorer or judge of record"),
        Field("scorer_version", Kind.TEXT, "its version, with what tells it from others"),
        Field("scale", Kind.TEXT, "the scale of the metric and its permitted values"),
    ),
)
UNKNOWN = "other"
"""The column for keys that the format does not know."""
UNSURE = "unsure"
"""Said beside the label that a person is unsure of."""
OF_EVALUATION = "evaluation_"
"""How the columns begin that an export of labels tells of the evaluation."""
MARK = Shape(
    "Mark",
    "A skip, flag, highlight, cause, question, reveal, or being unsure of the answer to a metric; "
    "`value` false takes it back.",
    (
        Field("kind", Kind.CHOICE, choices=get_args(MarkKind), needed=True, decisive=True),
        Field("labeler", Kind.NAME, needed=True, decisive=True),
        Field("at", Kind.TIME, _UTC),
        Field("metric", Kind.TEXT, decisive=True),
        Field("turn", Kind.POSITION, decisive=True),
        Field("start", Kind.POSITION, decisive=True),
        Field("end", Kind.POSITION, decisive=True),
        Field("note", Kind.TEXT),
        Field("value", Kind.VALUE, _VALUE),
        Field("uid", Kind.UID, _UID),
        Field("restores", Kind.UID, _RESTORES),
    ),
)
EXCLUSION = Shape(
    "Exclusion",
    "Why an evaluation is in lists, but in no figure.",
    (
        Field("reason", Kind.NAME, needed=True),
        Field("by", Kind.TEXT),
        Field("at", Kind.TIME, _UTC),
    ),
)
SOURCE = Shape(
    "Source",
    "A retrieved document.",
    (
        Field("id", Kind.TEXT, needed=True),
        Field("title", Kind.TEXT),
        Field("text", Kind.TEXT),
        Field("relevance", Kind.RELEVANCE),
    ),
)
EXPECTED_SOURCE = Shape(
    "ExpectedSource",
    "A document that should have been retrieved.",
    (Field("id", Kind.TEXT, needed=True), Field("relevance", Kind.RELEVANCE)),
)
FEEDBACK = Shape(
    "Feedback",
    "The end user's reaction.",
    (
        Field("value", Kind.REACTION),
        Field("comment", Kind.TEXT),
        Field("at", Kind.TIME, _UTC),
        Field("user", Kind.TEXT),
    ),
)
RECORD = Shape(
    "Record",
    "One evaluation: a line of a .jsonl file, with an id and something to look at.",
    (
        Field("id", Kind.IDENTITY, "unique within its run", needed=True),
        Field("run", Kind.TEXT),
        Field("case", Kind.TEXT, "the same test case across runs; default: id"),
        Field("category", Kind.TEXT),
        Field("complexity", Kind.TEXT),
        Field("tags", Kind.TEXTS),
        Field(
            "input",
            Kind.TEXT,
            "the question of a single-turn evaluation",
            synonyms=("question", "query", "prompt", "user_input", "instruction"),
        ),
        Field("messages", Kind.WHOLE, of=TURN),
        Field(
            "response",
            Kind.TEXT,
            "the answer under evaluation; default: the last assistant turn",
            synonyms=(
                "answer",
                "output",
                "completion",
                "agent_response",
                "actual_output",
                "generated_answer",
            ),
        ),
        Field("candidates", Kind.WHOLE, of=CANDIDATE),
        Field(
            "expected",
            Kind.SAID,
            "an object becomes its JSON",
            synonyms=(
                "expected_answer",
                "expected_output",
                "expected_behavior",
                "expected_response",
                "ground_truth",
                "reference",
                "gold",
            ),
        ),
        Field("expected_keywords", Kind.TEXTS, synonyms=("keywords",)),
        Field("expected_tools", Kind.TEXTS),
        Field("tools_used", Kind.TEXTS, "default: the tool calls in messages"),
        Field(
            "context",
            Kind.CONTEXT,
            "what the answer may rely on",
            synonyms=("retrieved_contexts", "documents"),
        ),
        Field(
            "error",
            Kind.SAID,
            "what went wrong while answering",
            synonyms=("error_message",),
        ),
        Field("latency_ms", Kind.NUMBER, synonyms=("duration_ms", "response_time_ms")),
        Field("cost_usd", Kind.NUMBER),
        Field("tokens_in", Kind.NUMBER, synonyms=("prompt_tokens", "input_tokens")),
        Field("tokens_out", Kind.NUMBER, synonyms=("completion_tokens", "output_tokens")),
        Field("model", Kind.TEXT, "the evaluated model or bot"),
        Field("occurred_at", Kind.TIME, _UTC),
        Field("evaluated_at", Kind.TIME, _UTC),
        Field("scores", Kind.ENTRIES, of=SCORE),
        Field("labels", Kind.ENTRIES, of=LABEL),
        Field("sources", Kind.LIST, "retrieved, in rank order", of=SOURCE),
        Field("expected_sources", Kind.IDS, of=EXPECTED_SOURCE),
        Field("feedback", Kind.LIST, of=FEEDBACK),
        Field("template_matched", Kind.TRUTH),
        Field("direct_substitution", Kind.TRUTH),
        Field("cache", Kind.CHOICE, choices=("warm", "cold")),
        Field("cluster", Kind.TEXT, "what evaluations of one conversation share, for intervals"),
        Field("marks", Kind.ENTRIES, of=MARK),
        Field("excluded", Kind.OBJECT, "seen, but counted in no figure", of=EXCLUSION),
        Field(
            "unreadable",
            Kind.OBJECT,
            "values of the wrong kind by field, as they came; what needs them is not scored",
        ),
        Field("meta", Kind.OBJECT, "anything else"),
    ),
)
SUBJECTS = ("input", "messages", "response", "candidates")
"""A record has one of these at least: something to look at."""
RECORD_KEYS = RECORD.keys
SCORE_KEYS = SCORE.keys
LABEL_KEYS = LABEL.keys
ANALYSIS_KEYS = ANALYSIS.keys
EXCLUSION_KEYS = EXCLUSION.keys
MARK_KEYS = MARK.keys

SYNONYMS: dict[str, tuple[str, ...]] = {x.name: x.synonyms for x in RECORD.fields if x.synonyms}
"""What others call a record's keys, the likeliest first: the one list for whatever is read."""
USAGE = "usage"
"""The object in which models' replies and agents tell their tokens."""
_NATIVE = {other: name for name, others in SYNONYMS.items() for other in others}
_OTHERS = frozenset({*_NATIVE, USAGE})

SUFFIXES = re.compile(
    r"(?i)(\.(jsonl|ndjson|json|csv|tsv|txt|yaml|yml|eval|zip|xlsx|xlsm|ods|parquet|traj))?(\.gz)?$"
)

Json = Any
"""Anything that JSON can say."""


def run_name(file_name: str) -> str:
    """Name the run of a file's records that name none: the file's name without suffixes."""
    return SUFFIXES.sub("", file_name, count=1) or file_name


def native_names(fields: dict[str, Json]) -> dict[str, Json]:
    """Give a record under the format's own keys; where both stand, the native one wins.

    Tokens that `usage` tells are added; the object itself is kept.
    """
    if fields.keys().isdisjoint(_OTHERS):
        return fields
    chosen: dict[str, str] = {}
    for name, others in SYNONYMS.items():
        if fields.get(name) is None:
            other = next((x for x in others if fields.get(x) is not None), None)
            if other is not None:
                chosen[other] = name
    replaced = set(chosen.values())
    found = {
        chosen.get(key, key): value
        for key, value in fields.items()
        if key in chosen or key not in replaced
    }
    usage = found.get(USAGE)
    if isinstance(usage, dict):
        told = native_names({key: x for key, x in usage.items() if key != USAGE})
        for name in ("tokens_in", "tokens_out"):
            if found.get(name) is None and told.get(name) is not None:
                found[name] = told[name]
    return found
