"""Scorers for rubrics of one's own: a pattern, texts to hold, a tolerance, a JSON Schema."""

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from pydantic import JsonValue

from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE, EndedError
from reviewer.domain.wording import brief
from reviewer.scoring.patterns import Pattern, Searched
from reviewer.scoring.scorer import (
    Case,
    Deterministic,
    Failure,
    Hit,
    Option,
    Outcome,
    ParameterError,
    Rule,
    ScoreOutcome,
    Settings,
    a_text,
    anything,
    number_from,
    one_of,
    or_null,
    some_texts,
    yes_or_no,
)
from reviewer.scoring.texts import Folded, listed, quoted, shown

Field = Callable[[Case], str | None]


def _context(case: Case) -> str | None:
    if case.context is None or isinstance(case.context, str):
        return case.context
    return json.dumps(case.context, ensure_ascii=False)


_FIELDS: Final[dict[str, Field]] = {
    "response": lambda case: case.response,
    "question": lambda case: case.question,
    "expected": lambda case: case.expected,
    "context": _context,
    "error": lambda case: case.error,
}
FIELD: Final = Option(
    "field",
    default="response",
    help="The text that is looked at: response, question, expected, context or error.",
    check=one_of(*_FIELDS),
)


def field_of(settings: Settings) -> tuple[str, Field]:
    """Give the name of the chosen text and how to read it."""
    name = settings.text("field")
    return name, _FIELDS[name]


def absent(name: str) -> Failure:
    """Say that the record lacks the text."""
    return Failure("missing", f"The record has no {name}.")


_NUMBER: Final = re.compile(
    "(?:\\d{1,3}(?:[,'\u2019\u2009\u202f\u00a0]\\d{3})+(?!\\d)|\\d+)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?"
)
_NOT_DIGITS: Final = str.maketrans("\u2212", "-", ",'\u2019\u2009\u202f\u00a0")
_SIGNS: Final = "-+\u2212"
_LOWEST: Final = -1e300


def _regex(settings: Settings) -> Rule:
    source = settings.text("pattern")
    if not source:
        raise ParameterError("parameter pattern: a regular expression is needed")
    try:
        pattern = Pattern(source, ignore_case=not settings.truth("case_sensitive"))
    except ParameterError as error:
        raise ParameterError(f"parameter pattern: {error}") from None
    wanted = settings.text("expect") == "match"
    name, read = field_of(settings)

    def rule(case: Case) -> Outcome:
        text = read(case)
        if text is None:
            return absent(name)
        match = pattern.search(Searched(text))
        value = float((match is not None) == wanted)
        if match is None:
            return ScoreOutcome(value, f"The {name} does not match {quoted(source)}.")
        quote = match.text
        hits = (Hit(match.start, match.end, quote, source),) if name == "response" else ()
        return ScoreOutcome(
            value, f"The {name} matches {quoted(source)}: {quoted(quote)}.", hits, (quote,)
        )

    return rule


def _contains(settings: Settings) -> Rule:
    texts = settings.texts("texts")
    if not texts:
        raise ParameterError("parameter texts: a list of texts to look for is needed")
    mode, exact = settings.text("mode"), settings.truth("case_sensitive")
    words = settings.text("match") == "word"
    name, read = field_of(settings)

    def rule(case: Case) -> Outcome:
        text = read(case)
        if text is None:
            return absent(name)
        folded = Folded(text)
        found, hits = [], []
        for sought in texts:
            places = folded.places(sought.lower(), words=words)
            if exact:
                places = [(a, b) for a, b in places if text[a:b] == sought]
            if places:
                found.append(sought)
                hits += [Hit(a, b, text[a:b], sought) for a, b in places]
        hits.sort()
        missing = [sought for sought in texts if sought not in found]
        reasoning = f"Found: {listed(found)}. Not found: {listed(missing)}."
        marked = tuple(hits) if name == "response" else ()
        return ScoreOutcome(_held(mode, len(found), len(texts)), reasoning, marked)

    return rule


def _held(mode: str, found: int, sought: int) -> float:
    if mode == "share":
        return found / sought
    return float({"all": found == sought, "any": found > 0, "none": not found}[mode])


def _numeric(settings: Settings) -> Rule:
    absolute, relative = settings.number("absolute"), settings.number("relative")
    fixed = settings.raw("value")
    which = settings.text("which")
    name, read = field_of(settings)

    def rule(case: Case) -> Outcome:
        wanted = _wanted(fixed, case)
        if isinstance(wanted, Failure):
            return wanted
        text = read(case)
        if text is None:
            return absent(name)
        found = _chosen(_numbers(text), which, wanted)
        if found is None:
            return ScoreOutcome(0.0, f"The {name} holds no number; expected: {shown(wanted)}.")
        allowed = max(absolute, relative * abs(wanted))
        off = abs(found.value - wanted)
        good = round(off, 9) <= round(allowed, 9)
        hits = (Hit(found.start, found.end, found.text, shown(wanted)),)
        return ScoreOutcome(
            float(good),
            f"Expected: {shown(wanted)}. Found: {quoted(found.text)}, off by "
            f"{brief(off, 9)} with {brief(allowed, 9)} allowed.",
            hits if name == "response" else (),
        )

    return rule


def _wanted(fixed: object, case: Case) -> float | Failure:
    if isinstance(fixed, int | float):
        return float(fixed)
    if case.expected is None:
        return Failure("missing", "The record has no expected answer to take a number from.")
    found = next(_numbers(case.expected), None)
    if found is None:
        return Failure("input", f"The expected answer {case.expected!r} holds no number.")
    return found.value


class _Number(NamedTuple):
    start: int
    end: int
    text: str
    value: float


def _numbers(text: str) -> Iterator[_Number]:
    """Read the finite numbers of a text; a minus or plus counts where no word stands before it."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before = text[max(start - 2, 0) : start]
        if before[-1:] in _SIGNS and before and not before[:-1].isalnum():
            start -= 1
        value = float(text[start:end].translate(_NOT_DIGITS))
        if math.isfinite(value):
            yield _Number(start, end, text[start:end], value)


def _chosen(numbers: Iterator[_Number], which: str, wanted: float) -> _Number | None:
    if which == "first":
        return next(numbers, None)
    found = list(numbers)
    if which == "nearest":
        return min(found, key=lambda number: abs(number.value - wanted), default=None)
    return found[-1] if found else None


_CASE_SENSITIVE: Final = Option(
    "case_sensitive",
    default=False,
    help="Tell upper from lower case.",
    check=yes_or_no,
)
REGEX: Final = Deterministic(
    name="regex",
    metrics=(),
    title="Pattern",
    help="1 if a regular expression matches somewhere in the text, else 0.",
    build=_regex,
    options=(
        Option("pattern", "", "The regular expression, in Python's notation.", a_text),
        Option(
            "expect",
            "match",
            '"match" gives 1 where it matches, "no match" where it does not.',
            one_of("match", "no match"),
        ),
        _CASE_SENSITIVE,
        FIELD,
    ),
)
CONTAINS: Final = Deterministic(
    name="contains",
    metrics=(),
    title="Texts to hold",
    help="1 if the text holds all, any or none of the given texts, else 0; or their share.",
    build=_contains,
    options=(
        Option("texts", [], "The texts to look for.", some_texts),
        Option(
            "mode",
            "all",
            "all, any or none of the texts; share gives the share that is found.",
            one_of("all", "any", "none", "share"),
        ),
        Option(
            "match",
            "substring",
            '"substring" finds a text anywhere; "word" only where no letter or digit stands on '
            "either side.",
            one_of("substring", "word"),
        ),
        _CASE_SENSITIVE,
        FIELD,
    ),
)
NUMERIC: Final = Deterministic(
    name="numeric",
    metrics=(),
    title="Number within a tolerance",
    help="1 if the number in the text is near enough to the expected one, else 0. Numbers may "
    "have thousands separators and a point before decimals.",
    build=_numeric,
    reads=("expected", "response"),
    options=(
        Option(
            "value",
            None,
            "The expected number; without it the first number of the expected answer.",
            or_null(number_from(_LOWEST)),
        ),
        Option("absolute", 0, "How far the number may be off.", number_from(0)),
        Option(
            "relative",
            0,
            "How far it may be off as a share of the expected number; the larger of both counts.",
            number_from(0),
        ),
        Option(
            "which",
            "first",
            "Which number of the text counts: first, last or nearest to the expected one.",
            one_of("first", "last", "nearest"),
        ),
        FIELD,
    ),
)


_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_MOST_PROBLEMS: Final = 5
_SLOW: Final = ('"pattern', 'Ref"', 'ref"', '"uniqueItems"')
"""What a schema needs to take longer than in proportion to itself and the document."""
_VALID: Final = ScoreOutcome(1.0, "The JSON keeps to the schema.")

Problems = Callable[[JsonValue], list[str]]


def _build(settings: Settings) -> Rule:
    problems = _checker(settings.raw("schema"))
    fenced = settings.text("where") == "fenced"
    name, read = field_of(settings)

    def rule(case: Case) -> Outcome:
        text = read(case)
        if text is None:
            return absent(name)
        match = _FENCE.search(text) if fenced else None
        try:
            found = problems(json.loads(match[1] if match else text, parse_constant=_refuse))
        except RecursionError:
            return ScoreOutcome(0.0, f"The {name} is nested too deeply to be checked.")
        except ValueError as error:
            return ScoreOutcome(0.0, f"The {name} is no JSON: {error}.")
        except EndedError as error:
            return Failure("input", f"The schema on the {name} of {case.id}: the check {error}")
        if not found:
            return _VALID
        return ScoreOutcome(0.0, "The JSON breaks the schema: " + "; ".join(found) + ".")

    return rule


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _checker(schema: JsonValue) -> Problems:
    if schema is None:
        return lambda _document: []
    # slow to import, so only where a rubric has a schema
    import jsonschema

    if not isinstance(schema, dict):
        raise ParameterError(f"parameter schema: {schema!r} was found, a JSON Schema is expected")
    try:
        _kind_of(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        place = error.json_path.removeprefix("$.")
        raise ParameterError(f"parameter schema: at {place}: {error.message}") from None
    except RecursionError:
        raise ParameterError("parameter schema: it is nested too deeply") from None
    source = json.dumps(schema)
    is_quick = not any(word in source for word in _SLOW)
    return partial(broken if is_quick else _CHECK, source)


def broken(source: str, document: JsonValue) -> list[str]:
    """Say where a document breaks a JSON Schema, wherever this is called."""
    import referencing

    validator = _validator(source)
    try:
        if validator.is_valid(document):
            return []
        errors = sorted(validator.iter_errors(document), key=lambda error: error.json_path)
    except referencing.exceptions.Unresolvable as error:
        return [f"the schema refers to {error.ref}, which is not part of it"]
    except re.error as error:
        return [f"the schema holds a pattern that is no regular expression: {error}"]
    except RecursionError:
        return [
            "it is nested too deeply to be checked, or the schema refers to itself without end"
        ]
    named = [f"{error.json_path}: {error.message}" for error in errors[:_MOST_PROBLEMS]]
    more = len(errors) - len(named)
    return [*named, f"and {more} more"] if more else named


@lru_cache(maxsize=16)
def _validator(source: str) -> Any:  # noqa: ANN401 - the library names no common type
    import referencing

    schema = json.loads(source)
    # an empty registry: a reference is never fetched from the network
    return _kind_of(schema)(schema, registry=referencing.Registry())


def _kind_of(schema: dict[str, JsonValue]) -> Any:  # noqa: ANN401 - the library names no common type
    import jsonschema

    return jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)


_CHECK: Final = Confined(broken, seconds=5.0, memory=512 * MEGABYTE)


JSON_SCHEMA: Final = Deterministic(
    name="json_schema",
    metrics=(),
    title="JSON of a given shape",
    help="1 if the text is JSON and keeps to the schema, else 0 with what breaks it; without a "
    "schema, 1 if it is JSON. References are resolved within the schema only.",
    build=_build,
    options=(
        Option(
            "schema",
            None,
            "The JSON Schema, as a table; draft 2020-12 unless $schema names another.",
            anything,
        ),
        Option(
            "where",
            "fenced",
            '"fenced" takes the first block between ``` where there is one, "whole" always the '
            "whole text.",
            one_of("fenced", "whole"),
        ),
        FIELD,
    ),
)
