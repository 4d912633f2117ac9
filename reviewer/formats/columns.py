"""The columns of a table's first rows: names that results go by, and what values they hold."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reviewer.domain.evaluation import Value, is_finite, text_problem
from reviewer.domain.record import SYNONYMS
from reviewer.formats.cells import is_blank, looks_like
from reviewer.formats.habits import Decimal
from reviewer.formats.paths import Json, Row, parsed, quoted, steps_of

_DEEPEST = 4
_FEW = 12
_LONG = 40
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")


@dataclass
class Column:
    """One column, or one key inside nested objects, over the first rows.

    Attributes:
        path: How a mapping names it.
        values: Its filled values, numbers read as such.
        rows: How many rows were looked at.
        is_flat: True where the path is a plain name, whatever dots it has.
    """

    path: str
    rows: int = 0
    is_flat: bool = True
    values: list[Json] = field(default_factory=list)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Give the last step of its name as lower-case words."""
        return words_of(self.last)

    @property
    def last(self) -> str:
        """Give the last step of its name; a table's column has one step only."""
        if self.is_flat:
            return self.path
        step = steps_of(self.path)[-1]
        return step if isinstance(step, str) else self.path

    @cached_property
    def name(self) -> str:
        """Give the words with underscores between them."""
        return "_".join(self.words)

    @property
    def all_words(self) -> frozenset[str]:
        """Give the words of its whole path."""
        return frozenset(words_of(self.path))

    @property
    def distinct(self) -> int:
        """Count its different values."""
        return len({repr(value) for value in self.values})

    @property
    def is_unique(self) -> bool:
        """Tell whether no two rows have the same value and none has nothing."""
        return len(self.values) == self.rows == self.distinct

    @property
    def numbers(self) -> list[float]:
        """Give its numbers; yes and no are none."""
        return [
            float(v)
            for v in self.values
            if isinstance(v, int | float) and not isinstance(v, bool) and is_finite(v)
        ]

    @property
    def has_remarks(self) -> bool:
        """Tell whether texts such as "N/A" stand beside numbers, which are the answers."""
        texts = [v for v in self.values if isinstance(v, str)]
        if not texts or not self.numbers:
            return False
        return all(map(says_nothing, texts)) or len(self.numbers) > len(texts)

    @property
    def has_inner_remarks(self) -> bool:
        """Tell whether its lists have texts such as "N/A" among numbers."""
        inner = [x for v in self.values if isinstance(v, list) for x in v if not is_blank(x)]
        return Column(self.path, values=inner).has_remarks

    @property
    def is_numeric(self) -> bool:
        """Tell whether all values are numbers or yes and no."""
        return bool(self.values) and all(isinstance(v, int | float) for v in self.values)

    @property
    def is_boolean(self) -> bool:
        """Tell whether all values are yes or no."""
        return bool(self.values) and all(isinstance(v, bool) for v in self.values)

    @property
    def is_scale(self) -> bool:
        """Tell whether its values could be opinions on a scale."""
        return self.is_numeric or self.has_remarks or (self.has_few_values and self.is_text)

    @property
    def is_text(self) -> bool:
        """Tell whether all values are texts."""
        return bool(self.values) and all(isinstance(v, str) for v in self.values)

    @property
    def is_list(self) -> bool:
        """Tell whether all values are lists."""
        return bool(self.values) and all(isinstance(v, list) for v in self.values)

    @property
    def is_long(self) -> bool:
        """Tell whether its texts are something to read rather than names."""
        texts = [value for value in self.values if isinstance(value, str)]
        return bool(texts) and sum(map(len, texts)) / len(texts) >= _LONG

    @property
    def has_few_values(self) -> bool:
        """Tell whether it looks like a scale or a set of categories rather than a measure."""
        short = all(not isinstance(v, str) or len(v) <= 40 for v in self.values)
        return short and self.distinct <= min(_FEW, max(2, len(self.values) // 2 + 1))

    @property
    def examples(self) -> str:
        """Give a few of its values for a sentence."""
        return ", ".join(list(dict.fromkeys(str(value)[:20] for value in self.values))[:4])


def words_of(name: str) -> tuple[str, ...]:
    """Cut a name into its lower-case words: `GPT4Score_1` gives gpt4, score, 1."""
    return tuple(word for word in _OTHER.split(_CAMEL.sub("_", name).lower()) if word)


_NOTHING = re.compile(
    r"(?i)[\s\W]*(?:n\s*/?\s*a\b|none\b|null\b|unsure\b|not sure\b|not applicable\b|unknown\b|"
    r"don.?t know\b|can.?t (?:say|tell)\b|cannot (?:say|tell)\b|skip|undecided\b|[-?–—.]*$)"
)


def says_nothing(text: str) -> bool:
    """Tell whether a text says that there is no answer: "N/A", "Unsure", "–"."""
    return _NOTHING.match(text) is not None


def columns_of(
    rows: Sequence[Row], *, texts: bool, decimal: Decimal | None = None
) -> list[Column]:
    """Give the columns of rows, with one for each key inside objects.

    Args:
        rows: The first rows of a file.
        texts: True for tables, whose numbers are still texts.
        decimal: How its numbers are written.
    """
    found: dict[str, Column] = {}
    for row in rows:
        for path, value in _leaves(row, ""):
            column = found.setdefault(path, Column(path, len(rows), path in row))
            if not is_blank(value):
                column.values.append(_seen(value, decimal) if texts else value)
    return list(found.values())


def _seen(value: Json, decimal: Decimal | None) -> Json:
    if not isinstance(value, str):
        return value
    opened = parsed(value)
    return looks_like(opened, decimal) if isinstance(opened, str) else opened


def _leaves(row: Row, prefix: str) -> Iterable[tuple[str, Json]]:
    for key, value in row.items():
        if not _can_be_named(key):
            continue
        path = f"{prefix}.{quoted(key)}" if prefix else key
        inner = _inside(key, value)
        if isinstance(inner, dict) and inner and path.count(".") < _DEEPEST:
            yield from _leaves(inner, path if prefix else quoted(key))
        else:
            yield path, value


def _inside(key: str, value: Json) -> Json:
    """Give an object that stands as a text, unless the text is what somebody asked or answered."""
    if not isinstance(value, str) or value[:1] != "{" or "_".join(words_of(key)) in _SAID:
        return value
    return parsed(value)


def _can_be_named(key: str) -> bool:
    """Tell whether a mapping, which is a text, can name a key."""
    return bool(key) and text_problem(key) is None


def role_name(column: Column) -> str:
    """Give the name by which a column is a question, an answer and so on.

    A flattened table has `inputs.question` and `outputs.answer`; what stands in a reference is
    what was expected, whatever it is called there.
    """
    head, dot, rest = column.path.partition(".")
    if dot and "_".join(words_of(head)) in _REFERENCES:
        return "expected"
    is_inner = column.is_flat and dot and "_".join(words_of(head)) in _HOLDERS
    return "_".join(words_of(rest)) if is_inner else column.name


def names_in(text: str) -> tuple[str, ...]:
    """Give the names that a text lists."""
    return tuple(text.split())


def is_value_list(values: Sequence[Json]) -> bool:
    """Tell whether lists hold single values only, of which one at least is no long text."""
    inner = [one for value in values for one in value]
    short = (not isinstance(one, str) or len(one) <= 40 for one in inner)
    scalar = all(isinstance(one, Value | None) for one in inner)
    return bool(inner) and scalar and any(short)


_GUESSES: dict[str, tuple[str, ...]] = {
    "messages": (
        "messages conversation conversations turns traj trajectory chat dialog dialogue",
        "prompt context input",
    ),
    "input": (
        "input prompt question query user_input user_prompt user_message",
        "inputs instruction request source_text article message",
    ),
    "response": (
        "response output answer completion reply model_output model_response actual_output",
        "outputs prediction generation generated_text system_output bot_response "
        "assistant_response decoded summary hypothesis",
        "text",
    ),
    "expected": (
        "expected expected_output expected_answer expected_response",
        "reference references ground_truth reference_answer correct_answer ideal target gold",
    ),
    "context": (
        "context contexts retrieved_contexts retrieval_context",
        "source passage document knowledge text",
    ),
    "category": ("category", "topic domain intent plugin"),
    "complexity": ("complexity", "difficulty"),
    "tags": ("tags",),
    "run": ("run run_name", "experiment"),
    "case": ("case case_id test_case",),
    "model": ("model model_name model_id", "system system_id generator provider bot"),
    "error": ("error error_message",),
    "occurred_at": ("occurred_at timestamp created_at time", "date datetime"),
    "evaluated_at": ("evaluated_at scored_at judged_at",),
    "latency_ms": ("latency_ms duration_ms response_time_ms",),
    "cost_usd": ("cost_usd cost price",),
    "tokens_in": ("tokens_in prompt_tokens input_tokens",),
    "tokens_out": ("tokens_out completion_tokens output_tokens",),
    **{
        name: (name,)
        for name in (
            "expected_keywords",
            "expected_tools",
            "tools_used",
            "sources",
            "expected_sources",
            "feedback",
            "template_matched",
            "direct_substitution",
            "cache",
        )
    },
}


def _with_synonyms(role: str, tiers: tuple[str, ...]) -> tuple[str, ...]:
    known = {name for tier in tiers for name in tier.split()}
    more = [name for name in SYNONYMS.get(role, ()) if name not in known]
    return (*tiers, " ".join(more)) if more else tiers


NAMES = {role: _with_synonyms(role, tiers) for role, tiers in _GUESSES.items()}
"""What tables call the fields, in tiers: the likelier first, every synonym of the format among."""
_SAID = frozenset(
    name
    for role in ("messages", "input", "response", "expected", "context")
    for tier in NAMES[role]
    for name in tier.split()
)
_REFERENCES = frozenset(
    names_in("reference references reference_outputs reference_output expected ground_truth")
)
_HOLDERS = frozenset(names_in("input inputs output outputs data row example item"))
IDS = (
    "id", "item_id", "record_id", "test_case_id", "sample_id", "example_id", "evaluation_id",
    "conversation_id", "trace_id", "test_id", "uid", "uuid", "guid",
)  # fmt: skip
WEAK_IDS = ("question_id", "pair_id", "doc_id", "task_id", "key", "idx", "index", "row")
"""Names whose values often repeat for another model or trial further down."""
COMPANIONS = (
    "model", "model_id", "model_name", "system", "system_id", "response_source", "filter", "trial",
    "epoch", "variant", "run",
)  # fmt: skip
METRIC = ("metric", "metric_name", "criterion", "criteria", "dimension", "aspect")
LABELER = (
    "labeler", "labeller", "annotator", "annotator_id", "annotator_name", "rater", "rater_id",
    "worker_id", "evaluator",
)  # fmt: skip
SCORER = ("judge", "judge_model", "judge_name", "scorer", "grader_model", "evaluator_model")
ANSWERS = frozenset(names_in("output response answer completion reply model_output summary"))


def stem(name: str) -> str:
    """Give a column's name without what says that it is a score."""
    bare = re.sub(r"(?i)(^|[_\s:./-]+)(score|rating|grade)s?(?=$|[_\s:./-])", "", name)
    return bare.strip("_ :./-")
