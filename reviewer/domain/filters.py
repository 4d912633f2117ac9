"""The filter language of queues, window and command line: its fields, its tree and its text.

Terms beside each other all hold, `OR` binds weaker, `-` in front negates, parentheses group. A
bare word finds texts with a word that begins so, a quoted one the phrase. Errors say where they
are and what was probably meant.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from reviewer.domain.errors import FilterError
from reviewer.domain.evaluation import text_problem

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
PARTS = ("error", "comment", "highlight", "unsure", "image", "tools")
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


def parts(tree: Filter) -> tuple[Filter, ...]:
    """Give what must hold all together, as a filter's chips show it; nothing for everything."""
    return tree.parts if isinstance(tree, All) else (tree,)


def joined(found: Iterable[Filter]) -> Filter:
    """Make the filter under which all parts hold."""
    return _joined(All, list(found))


def named(field: str, value: str, metric: str | None = None) -> Term:
    """Make the term that means exactly a value, however it is written."""
    compared = BY_NAME[field].kind.endswith("metric")
    bare = re.fullmatch(_BARE.pattern, value) and "*" not in value
    people = field == "labeler" and value.isdecimal()
    return Term(field, "=" if compared else ":", value, metric, quoted=not bare or people)


def turned(found: Iterable[Filter], term: Term) -> tuple[Filter, ...]:
    """Add a value to the parts of a filter, or take it out where it is asked for.

    Values of one field stand beside each other: either of them is found.
    """
    changed: list[Filter] = []
    met = False
    for part in found:
        values = among(part, term)
        if values and not met:
            met = True
            kept = [x for x in values if x != term]
            values = kept if len(kept) < len(values) else [*values, term]
            if values:
                changed.append(_joined(Either, list(values)))
        else:
            changed.append(part)
    return tuple(changed if met else [*changed, term])


def beside(found: Iterable[Filter], field: str, metric: str | None) -> tuple[Filter, ...]:
    """Give the parts that ask something else than a field's value."""
    asked = {(field, metric)}
    return tuple(part for part in found if {(x.field, x.metric) for x in terms(part)} != asked)


def among(part: Filter, term: Term) -> list[Term]:
    """Give the values that a part asks of a term's field, none where it asks something else."""
    values = part.parts if isinstance(part, Either) else (part,)
    same = [
        x
        for x in values
        if isinstance(x, Term) and (x.field, x.metric, x.op) == (term.field, term.metric, term.op)
    ]
    return same if len(same) == len(values) else []


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


_OP = re.compile(r"!=|>=|<=|[:=<>]")
_HEAD = re.compile(r"(\|?\w+\|?)(?=[:=<>]|!=)")
_BARE = re.compile(r'[^\s()"]+')
_METRIC = re.compile(r'[^\s()"!=<>]+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_DEPTH = 50


def parse(text: str) -> Filter:
    """Read a filter expression; an empty one finds everything.

    Raises:
        FilterError: It cannot be understood; the sentence names the position and a remedy.
    """
    if text_problem(text):
        raise FilterError(f"The filter cannot be read: {text_problem(text)}.")
    # a pasted null byte would end the text for SQLite
    return _Reader(text.replace("\0", " ")).whole()


def needs_sight(tree: Filter) -> bool:
    """Tell whether a filter reads auto scores, other people's labels or gaps (off while blind)."""
    return any(BY_NAME[term.field].sighted for term in terms(tree))


class _Reader:
    """A cursor over one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Filter:
        self._skip()
        if self._at == len(self._text):
            return All()
        tree = self._either()
        if self._at < len(self._text):
            raise self._error("a closing parenthesis without an opening one", self._at)
        return tree

    def _either(self) -> Filter:
        parts = [self._all()]
        while self._keyword("OR"):
            parts.append(self._all())
        return _joined(Either, parts)

    def _all(self) -> Filter:
        parts = [self._part()]
        while not self._ends():
            self._keyword("AND")
            parts.append(self._part())
        return _joined(All, parts)

    def _part(self) -> Filter:
        self._skip()
        start = self._at
        if self._ends():
            raise self._error("something to look for is missing", start)
        if self._text[start] == "-":
            self._at += 1
            if self._at == len(self._text) or self._text[self._at].isspace():
                raise self._error("after - the part that must not match is missing", start)
            return Not(self._deeper(self._part))
        if self._keyword("NOT"):
            return Not(self._deeper(self._part))
        if self._text[start] == "(":
            return self._group(start)
        return self._term() if _HEAD.match(self._text, start) else self._words()

    def _group(self, start: int) -> Filter:
        self._at += 1
        tree = self._deeper(self._either)
        self._skip()
        if not self._text.startswith(")", self._at):
            raise self._error("this parenthesis is not closed", start)
        self._at += 1
        return tree

    def _deeper(self, read: Callable[[], Filter]) -> Filter:
        self._depth += 1
        if self._depth > _DEPTH:
            raise self._error("the expression is nested too deeply", self._at)
        tree = read()
        self._depth -= 1
        return tree

    def _words(self) -> Filter:
        start = self._at
        text, quoted = self._value()
        if not quoted and text in WORDS:
            return Term("state", ":", WORDS[text])
        return self._search(text, start, phrase=quoted)

    def _search(self, text: str, start: int, *, phrase: bool) -> Words:
        if not any(character.isalnum() for character in text):
            raise self._error(f"{text!r} has no letter or digit to search for", start)
        return Words(text, phrase)

    def _term(self) -> Filter:
        start = self._at
        head = _HEAD.match(self._text, start)
        name = head.group(1).lower() if head else ""
        field = BY_NAME.get(name)
        if field is None:
            meant = _nearest(name, BY_NAME)
            problem = f"there is no field {name!r}"
            problem += "" if meant else "; text to search for that holds it goes in quotes"
            raise self._error(problem, start, meant=meant, example='"check-in: 14:30"')
        self._at += len(name)
        metric = self._metric(field)
        op = self._operator(field, metric)
        at = self._at
        value, quoted = self._value(missing=f"a value is missing after {name}{op}")
        if field.name == "text":
            return self._search(value, at, phrase=quoted)
        term = Term(field.name, op, value, metric, quoted=quoted)
        self._check(field, term, at)
        if op == "!=" and field.kind not in (
            "number",
            "metric",
            "optional metric",
            "people",
            "date",
        ):
            return Not(Term(field.name, ":", value, metric, quoted=quoted))
        return term

    def _metric(self, field: Field) -> str | None:
        if not field.kind.endswith("metric") or not self._text.startswith(":", self._at):
            return None
        self._at += 1
        quoted = _QUOTED.match(self._text, self._at)
        bare = _METRIC.match(self._text, self._at)
        found = quoted or bare
        if found is None:
            raise self._error("a metric's name is missing here", self._at, example=field.example)
        self._at = found.end()
        return _unescaped(found.group(1)) if quoted else found.group()

    def _operator(self, field: Field, metric: str | None) -> str:
        found = _OP.match(self._text, self._at)
        if field.kind == "metric" and metric is None:
            raise self._error(f"{field.name} needs a metric", self._at, example=field.example)
        if field.kind.endswith("metric") and (found is None or found.group() == ":"):
            raise self._error(
                "a comparison such as >1 is missing here", self._at, example=field.example
            )
        op = found.group() if found else ":"
        if field.kind in ("text", "state", "has"):
            if op not in (":", "=", "!="):
                raise self._error(
                    f"{field.name} cannot be compared with {op}", self._at, example=field.example
                )
            op = ":" if op == "=" else op
        elif op == ":" and field.kind in ("number", "date"):
            op = "="
            self._at += 1
            return op
        self._at += len(found.group()) if found else 0
        return op

    def _check(self, field: Field, term: Term, at: int) -> None:
        problem = _problem(field, term)
        if problem:
            raise self._error(
                problem, at, meant=_nearest(term.value, field.choices), example=field.example
            )

    def _value(self, missing: str = "something to look for is missing") -> tuple[str, bool]:
        if self._text.startswith('"', self._at):
            quoted = _QUOTED.match(self._text, self._at)
            if quoted is None:
                raise self._error("this quotation mark is not closed", self._at)
            self._at = quoted.end()
            return _unescaped(quoted.group(1)), True
        bare = _BARE.match(self._text, self._at)
        if bare is None:
            raise self._error(missing, self._at)
        self._at = bare.end()
        return bare.group(), False

    def _keyword(self, word: str) -> bool:
        self._skip()
        end = self._at + len(word)
        follows = self._text[end : end + 1]
        if self._text.startswith(word, self._at) and (not follows or follows in ' \t\n("-'):
            self._at = end
            return True
        return False

    def _ends(self) -> bool:
        self._skip()
        rest = self._text[self._at :]
        return not rest or rest[0] == ")" or re.match(r'OR(?=[\s("-]|$)', rest) is not None

    def _skip(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _error(self, problem: str, at: int, *, meant: str = "", example: str = "") -> FilterError:
        tail = f" Did you mean {meant}?" if meant else f" Write, for example, {example}."
        error = FilterError(
            f"The filter cannot be read at character {at + 1}: {problem}."
            + (tail if meant or example else "")
        )
        error.at = at
        return error


def _joined(kind: type[All] | type[Either], parts: list[Filter]) -> Filter:
    if len(parts) == 1:
        return parts[0]
    flat: list[Filter] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return kind(tuple(flat))


def _problem(field: Field, term: Term) -> str | None:
    value = term.value
    match field.kind:
        case "number" | "optional metric" if not _is_number(value):
            return f"{value!r} is no number"
        case "date" if not _DATE.fullmatch(value):
            return f"{value!r} is no year, month or day"
        case "state" | "has" if value not in field.choices:
            return f"{field.name} is one of {', '.join(field.choices)}, not {value!r}"
        case "people" if term.op != ":" and (term.quoted or not value.isdecimal()):
            return f"{value!r} is no number of people"
    return None


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _nearest(word: str, choices: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.5)
    return found[0] if found else ""


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
