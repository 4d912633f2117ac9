"""What a filter is made of: its fields, its tree, and the tree written back as text."""

import re
from typing import Literal

from msgspec import Struct

Kind = Literal["text", "number", "metric", "optional metric", "date", "state", "people", "has"]


class Field(Struct, frozen=True):
    """One field of the language, as completion and help show it.

    Attributes:
        kind: What follows it: a text, a number with a comparison, a metric and a comparison (or
            perhaps a metric), a date, or one of `choices`.
        sighted: True where it reads what a blind labeler must not see.
    """

    name: str
    kind: Kind
    help: str
    example: str
    choices: tuple[str, ...] = ()
    sighted: bool = False


STATES = ("new", "open", "partial", "done", "skipped", "flagged", "excluded")
QUESTIONS = ("open", "answered")
PARTS = ("error", "comment", "highlight", "image", "tools")
HALVES = ("dev", "held_out")
FIELDS: tuple[Field, ...] = (
    Field("category", "text", "The category; * stands for any text", "category:policies"),
    Field("run", "text", "The run's name", 'run:"agent v7"'),
    Field("tag", "text", "One of the tags", "tag:refund"),
    Field("queue", "text", "A queue that it is in", 'queue:"Validate accuracy"'),
    Field("id", "text", "The id within its run; * stands for any text", "id:c-00*"),
    Field("case", "text", "The test case", "case:c-0033"),
    Field("model", "text", "The evaluated model or bot", "model:agent-v7"),
    Field("complexity", "text", "The complexity", "complexity:high"),
    Field("error", "text", "A piece of the error message", "error:timeout"),
    Field("text", "text", "A word or a phrase that it holds", 'text:"pool bar"'),
    Field("state", "state", "How far you are with it, or excluded", "state:open", choices=STATES),
    Field(
        "question", "has", "A question of a lead about a label", "question:open",
        choices=QUESTIONS, sighted=True,
    ),
    Field("asked", "text", "An open question to you, or to somebody by name", "asked:me"),
    Field("has", "has", "What it holds", "has:highlight", choices=PARTS),
    Field(
        "part", "has", "The half of the labelled responses: for prompts, or held out", "part:dev",
        choices=HALVES,
    ),
    Field("labeler", "people", "At least so many labelers, or one by name", "labeler:2"),
    Field(
        "gap", "optional metric", "Human minus auto score, overall or of a metric",
        "gap:accuracy<=-1", sighted=True,
    ),
    Field(
        "|gap|", "optional metric", "The gap whatever its sign", "|gap|>1", sighted=True
    ),
    Field("auto", "metric", "The auto score of a metric", "auto:accuracy<3", sighted=True),
    Field("human", "metric", "The human score of a metric", "human:accuracy=5", sighted=True),
    Field("latency", "number", "Milliseconds the answer took", "latency>1000"),
    Field("cost", "number", "Dollars the answer cost", "cost>0.01"),
    Field("tokens_in", "number", "Tokens that went in", "tokens_in>2000"),
    Field("tokens_out", "number", "Tokens that came out", "tokens_out<20"),
    Field("turns", "number", "Messages of the conversation", "turns>6"),
    Field("date", "date", "When it was evaluated, else happened", "date>=2026-11-01"),
)  # fmt: skip
BY_NAME: dict[str, Field] = {entry.name: entry for entry in FIELDS}
WORDS: dict[str, str] = {"flag": "flagged", "skip": "skipped"}
"""Bare words that mean a state; in quotes they are text to search for."""


class Words(Struct, frozen=True):
    """Text that the evaluation holds: a phrase word for word, else a word by its beginning."""

    text: str
    phrase: bool = False


class Term(Struct, frozen=True):
    """A comparison of one field, such as `category:policies` or `auto:accuracy<3`.

    `op` is ":" or one of = != < <= > >=; `metric` is None where none is named; a `quoted` value is
    taken literally.
    """

    field: str
    op: str
    value: str
    metric: str | None = None
    quoted: bool = False


class Not(Struct, frozen=True):
    """What does not match the part."""

    part: "Filter"


class All(Struct, frozen=True):
    """What matches every part; with no parts, everything."""

    parts: tuple["Filter", ...] = ()


class Either(Struct, frozen=True):
    """What matches at least one part."""

    parts: tuple["Filter", ...]


Filter = Words | Term | Not | All | Either


def terms(tree: Filter) -> list[Term]:
    """Give every comparison of a filter, from left to right."""
    match tree:
        case Term():
            return [tree]
        case Not(part=part):
            return terms(part)
        case All(parts=parts) | Either(parts=parts):
            return [term for part in parts for term in terms(part)]
    return []


def has_words(tree: Filter) -> bool:
    """Tell whether a filter searches texts."""
    match tree:
        case Words():
            return True
        case Not(part=part):
            return has_words(part)
        case All(parts=parts) | Either(parts=parts):
            return any(map(has_words, parts))
    return False


def to_text(tree: Filter) -> str:
    """Write a filter so that reading it gives the same tree."""
    match tree:
        case Words(text=text, phrase=phrase):
            return quote(text) if phrase else text
        case Term():
            return _term_text(tree)
        case Not(part=part):
            return "-" + _grouped(part)
        case All(parts=parts):
            return " ".join(_grouped(x) if isinstance(x, Either) else to_text(x) for x in parts)
        case Either(parts=parts):
            return " OR ".join(to_text(x) for x in parts)


def _grouped(tree: Filter) -> str:
    return f"({to_text(tree)})" if isinstance(tree, All | Either) else to_text(tree)


def _term_text(term: Term) -> str:
    metric = ""
    if term.metric is not None:
        bare = re.fullmatch(r"[\w.-]+", term.metric)
        metric = ":" + (term.metric if bare else quote(term.metric))
    return f"{term.field}{metric}{term.op}{quote(term.value) if term.quoted else term.value}"


def quote(text: str) -> str:
    """Put a text in double quotes, as the language reads it back."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
