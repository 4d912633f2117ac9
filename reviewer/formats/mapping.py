"""Say how the columns of a foreign table become fields, scores and labels.

A mapping is a TOML file:

```toml
layout = "wide"            # one row an evaluation; "long": one row an evaluation and metric
run = "{system}"           # optional: names the run
records = "instances"      # JSON: the list inside one object; "*" any key, "." the object itself;
                           # a workbook: the sheet
only = { type = "match" }  # other rows are passed over; "" = blank, "*" = filled
keep = "rest"              # what goes to meta: "rest" (columns not named here), "all", "none"
                           # or a list of columns
delimiter = ";"            # tables: else found by content; also quote = "'", header = false
scale = { from = [0, 10], to = [1, 5] }   # scores on another scale than the rubric's
decimal = ","              # numbers in texts: "," before the decimals, "." (1,000.5); else 1000.5
dates = "day-first"        # times such as 01.10.2026, "month-first" such as 10/01/2026; else ISO

[fields]                        # any key of the native format
id = "{doc_id}|{system_id}"     # a column, a path (info.task[0].text) or a template with braces
input = "question"
response = { from = ["output", "answer"], extract = "^System: (.*)" }
messages = "traj"               # other tools' turns are understood

[split]                         # a dialog in one text, cut at the speakers' prefixes
text = "context"
user = "User: "
assistant = "System: "

[[candidates]]                  # a comparison
id = "1"
response = "output_1"

[[scores]]
metric = ["coherence", "fluency"]         # a list repeats the block; {metric} stands for each name
value = "{metric}_score"
reasoning = "{metric}_reason"
scorer = "judge"                          # a constant or template; or scorer_column

[[labels]]
metrics_in = "annotations"                # one block a key of this object (or text of this list)
value = "annotations.{metric}[]"          # [] = one label an element, numbered {n} from 1
labeler = "annotator {n}"                 # or labeler_column
several = ", "                            # divides labelers whose mean the value is
not_applicable = ["N/A*"]                 # texts that mean so; skip = [...] passes over silently;
                                          # of a score: that there is none, kept as its error
as = "number"                             # "text", "number", "boolean"; else as it looks

[[join]]                                  # records of another file, reached as NAME.key
name = "judge"
file = "judge_{model_id}.jsonl"           # beside the table; .gz too
key = "{id}"                              # in the other file
on = "{id}"                               # in this one
```

Where a value is taken (in [fields] as a table, in [[scores]] and [[labels]] beside `value`):
`extract` (patterns, the first that matches gives its first group), `map` (text → value, "*" for
all others), `scale`, `combine` ("mean", "majority", "first" or "last" of several), `when` (only in
rows like this), `unless` (not in those). In templates `{index}` counts rows from 0, `{number}`
from 1, `{file}` is the file's name and `{key}` what `*` in `records` stood for. Repeated column
names are told apart as `Score`, `Score#2`; columns without a name are `column 3`.
"""

import re
import tomllib
from collections.abc import Mapping as Values
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import tomli_w
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from reviewer.confined import patterns
from reviewer.domain import toml_text
from reviewer.domain.errors import FormatError, refusal
from reviewer.formats.habits import Dates, Decimal

PATTERN_FLAGS: Final = re.DOTALL | re.MULTILINE
"""How patterns under `extract` are read."""


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _sound_pattern(text: str) -> str:
    try:
        patterns.Pattern(text, PATTERN_FLAGS)
    except ValueError as error:
        raise ValueError(f"{text!r} is no pattern: {error}") from None
    return text


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]
Patterns = Annotated[
    tuple[Annotated[str, AfterValidator(_sound_pattern)], ...], BeforeValidator(_several)
]
PathText = Annotated[str, Field(min_length=1)]
Paths = Annotated[tuple[PathText, ...], BeforeValidator(_several)]
Kind = Literal["text", "number", "boolean"]
Condition = dict[str, str | bool | int | float | tuple[str | bool | int | float, ...]]


class _Part(BaseModel):
    """A piece of a mapping; unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Scale(_Part):
    """The ends of a source scale and what they become."""

    low_high: tuple[float, float] = Field(alias="from")
    to: tuple[float, float]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.low_high[0] == self.low_high[1]:
            raise ValueError("from needs two different ends")
        return self

    def apply(self, value: float) -> float:
        """Move a number from the source scale to the other, keeping its relative place."""
        low, high = self.low_high
        start, end = self.to
        return start + (value - low) * (end - start) / (high - low)


class Rule(_Part):
    """How a value is made from what a cell holds."""

    extract: Patterns = ()
    map: dict[str, bool | int | float | str] = Field(default_factory=dict)
    as_: Kind | None = Field(default=None, alias="as")
    scale: Scale | None = None
    combine: Literal["mean", "majority", "first", "last"] | None = None
    skip: Texts = ()
    when: Condition = Field(default_factory=dict)
    unless: Condition = Field(default_factory=dict)


class FieldRule(Rule):
    """Where a field comes from when a column's name alone does not say enough."""

    source: Paths = Field(default=(), alias="from")
    constant: JsonValue = None
    split: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.source and self.constant is None:
            raise ValueError("a field needs from or constant")
        return self


class ScoreRule(Rule):
    """One auto score a row, or several."""

    metric: Texts = ()
    metric_column: PathText | None = None
    metrics_in: PathText | None = None
    value: Paths = Field(min_length=1)
    reasoning: PathText | None = None
    examples: PathText | None = None
    scorer: Texts = ()
    scorer_column: PathText | None = None
    scorer_version: str | None = None
    error: PathText | None = None
    at: PathText | None = None
    raw: PathText | None = None
    trace: PathText | None = None
    model: PathText | None = None
    confidence: PathText | None = None
    cost_usd: PathText | None = None
    latency_ms: PathText | None = None
    not_applicable: Texts = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_metric(self)
        if self.scorer and self.scorer_column:
            raise ValueError("scorer and scorer_column exclude each other")
        return self


class LabelRule(Rule):
    """One label a row, or several."""

    metric: Texts = ()
    metric_column: PathText | None = None
    metrics_in: PathText | None = None
    value: Paths = Field(min_length=1)
    labeler: Texts = ()
    labeler_column: PathText | None = None
    comment: PathText | None = None
    at: PathText | None = None
    kind: Literal["label", "adjudication"] | None = None
    blind: bool | None = None
    blind_column: PathText | None = None
    aggregate: int | None = None
    several: str | None = None
    not_applicable: Texts = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_metric(self)
        if bool(self.labeler) == bool(self.labeler_column):
            raise ValueError("either labeler or labeler_column says who labelled")
        return self


def _check_metric(rule: ScoreRule | LabelRule) -> None:
    given = [bool(rule.metric), rule.metric_column is not None, rule.metrics_in is not None]
    if sum(given) != 1:
        raise ValueError("exactly one of metric, metric_column, metrics_in names the metric")


class Candidate(_Part):
    """One answer of a comparison."""

    id: str
    response: PathText
    model: PathText | None = None


class Split(_Part):
    """A dialog in one text and the prefixes of its speakers' lines."""

    text: PathText
    user: str = "User: "
    assistant: str = "Assistant: "
    system: str | None = None
    tool: str | None = None

    @property
    def prefixes(self) -> dict[str, str]:
        """Give the prefixes by role."""
        named = {
            "user": self.user,
            "assistant": self.assistant,
            "system": self.system,
            "tool": self.tool,
        }
        return {role: prefix for role, prefix in named.items() if prefix}


class Join(_Part):
    """Records of another file that belong to the rows of this one."""

    name: Texts
    file: str
    key: str = "{id}"
    on: str = "{id}"
    records: str = ""


_BLOCKS = ("candidates", "scores", "labels", "join")


def _plain_field(value: object) -> object:
    return {"from": (value,)} if isinstance(value, str) else value


FieldSource = Annotated[FieldRule, BeforeValidator(_plain_field)]


class Fields(_Part):
    """The keys of the native format and where each comes from."""

    id: FieldSource | None = None
    run: FieldSource | None = None
    case: FieldSource | None = None
    category: FieldSource | None = None
    complexity: FieldSource | None = None
    tags: FieldSource | None = None
    input: FieldSource | None = None
    messages: FieldSource | None = None
    response: FieldSource | None = None
    expected: FieldSource | None = None
    expected_keywords: FieldSource | None = None
    expected_tools: FieldSource | None = None
    tools_used: FieldSource | None = None
    context: FieldSource | None = None
    error: FieldSource | None = None
    latency_ms: FieldSource | None = None
    cost_usd: FieldSource | None = None
    tokens_in: FieldSource | None = None
    tokens_out: FieldSource | None = None
    model: FieldSource | None = None
    occurred_at: FieldSource | None = None
    evaluated_at: FieldSource | None = None
    sources: FieldSource | None = None
    expected_sources: FieldSource | None = None
    feedback: FieldSource | None = None
    template_matched: FieldSource | None = None
    direct_substitution: FieldSource | None = None
    cache: FieldSource | None = None
    cluster: FieldSource | None = None
    meta: FieldSource | None = None

    def given(self) -> list[tuple[str, FieldRule]]:
        """Give the fields that are mapped, in the order of the native format."""
        pairs = ((name, getattr(self, name)) for name in type(self).model_fields)
        return [(name, rule) for name, rule in pairs if rule is not None]


class Mapping(_Part):
    """How the rows of one kind of file become records; see the module's text."""

    format: Literal["table", "json"] | None = None
    layout: Literal["wide", "long"] = "wide"
    run: str | None = None
    records: str = ""
    only: Condition = Field(default_factory=dict)
    keep: Literal["rest", "all", "none"] | tuple[PathText, ...] = "rest"
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    quote: str | None = Field(default=None, max_length=1)
    header: bool = True
    scale: Scale | None = None
    decimal: Decimal | None = None
    dates: Dates | None = None
    fields: Fields = Field(default_factory=Fields)
    split: Split | None = None
    candidates: tuple[Candidate, ...] = ()
    scores: tuple[ScoreRule, ...] = ()
    labels: tuple[LabelRule, ...] = ()
    join: tuple[Join, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.layout == "long" and self.fields.id is None:
            raise ValueError('layout "long" needs id under [fields]: it tells which rows belong')
        names = [name for name, _ in self.fields.given()]
        if not names and not (self.scores or self.labels or self.candidates or self.split):
            raise ValueError(
                "the mapping says nothing; [fields] needs at least id or a text column"
            )
        return self

    @property
    def has_text(self) -> bool:
        """Tell whether records get something to look at; else rows are labels alone."""
        named = self.fields.input or self.fields.messages or self.fields.response
        return bool(named or self.split or self.candidates)

    def to_toml(self) -> str:
        """Write the mapping as a TOML file that `read_mapping` reads back."""
        document = self.model_dump(by_alias=True, exclude_defaults=True, mode="json")
        for name, rule in document.get("fields", {}).items():
            source = rule.get("from", [])
            if rule.keys() == {"from"} and len(source) == 1:
                document["fields"][name] = source[0]
        for block in (*document.get("scores", ()), *document.get("labels", ())):
            for key in ("metric", "value", "scorer", "labeler"):
                if isinstance(block.get(key), list) and len(block[key]) == 1:
                    block[key] = block[key][0]
        lists = {name: document.pop(name) for name in _BLOCKS if name in document}
        blocks = [(name, block) for name, several in lists.items() for block in several]
        parts = [tomli_w.dumps(document)]
        parts += [
            tomli_w.dumps({name: block}).replace(f"[{name}]", f"[[{name}]]", 1)
            for name, block in blocks
        ]
        return "\n".join(part for part in parts if part)


def read_mapping(path: Path) -> Mapping:
    """Read a mapping file.

    Raises:
        FormatError: It cannot be read, is no TOML, or breaks a rule; the field is named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path.name} is not in UTF-8; save the mapping as UTF-8.") from None
    except OSError as error:
        reason = refusal(error)
        raise FormatError(f"The mapping {path} cannot be read: {reason}.") from None
    return mapping_of(text, path.name)


def mapping_of(text: str, name: str = "the mapping") -> Mapping:
    """Read a mapping from TOML text.

    Raises:
        FormatError: The text is no TOML or breaks a rule; the field is named.
    """
    try:
        document: dict[str, Any] = toml_text.document(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name} is no TOML: {error}.") from None
    return mapping_from(document, name)


def mapping_from(document: Values[str, Any], name: str = "the mapping") -> Mapping:
    """Make a mapping of the keys of its TOML file.

    Raises:
        FormatError: It breaks a rule; the field is named.
    """
    try:
        return Mapping.model_validate(document)
    except ValidationError as error:
        raise FormatError(f"{name}: {_sentence(error)}") from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "there is no such key in a mapping"
    more = error.error_count() - 1
    tail = f" (and {more} more)." if more else "."
    return f"{place}: {message}{tail}" if place else f"{message}{tail}"
