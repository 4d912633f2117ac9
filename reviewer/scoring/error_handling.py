"""Error handling: did the query end without a crash and without an error as its reply?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from reviewer.scoring.case import Case
from reviewer.scoring.options import (
    Option,
    ParameterError,
    Settings,
    lists_by_name,
    some_texts,
    yes_or_no,
)
from reviewer.scoring.outcome import Hit, Outcome, ScoreOutcome
from reviewer.scoring.patterns import Pattern, Searched
from reviewer.scoring.scorer import Deterministic, Rule
from reviewer.scoring.texts import quoted

SYSTEM_KINDS: Final = ("database", "tool", "timeout", "memory")
RESPONSE_KINDS: Final = ("null", "empty", "trace", "message")
PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "database": (
        r"(?i)(database|sqlite|postgres|psycopg|mysql|sql).{0,80}"
        r"(refused|lost|closed|reset|unreachable)",
        r"(?i)(connection|could not connect|lost connection).{0,80}"
        r"(database|sqlite|postgres|psycopg|mysql|sql)",
        r"(?i)connection (refused|lost|reset)",
        r"(?i)OperationalError",
    ),
    "tool": (
        r"(?i)tool\w*(Error|Exception)",
        r"(?i)(error|exception|failure) (while|when) (running|executing|calling)",
        r"(?i)tool (call )?(failed|raised|crashed)",
    ),
    "timeout": (r"(?i)time[d]?[ -]?out", r"(?i)deadline exceeded"),
    "memory": (r"(?i)MemoryError", r"(?i)out of memory", r"(?i)cannot allocate memory"),
    "trace": (
        r"Traceback \(most recent call last\)",
        r'(?m)^[ \t]*File "[^"]+", line \d+',
        r"(?m)^[ \t]*at [\w.$<>]+\([^)]*:\d+\)",
    ),
    "message": (
        r"(?i)I encountered an error",
        r"(?i)internal server error",
        r"(?m)^[ \t]*[\w.]*(Error|Exception):",
    ),
}
"""The shipped rubric's patterns, used where a rubric gives none of its own for a kind."""
_HEADINGS: Final = {
    "database": "Database error",
    "tool": "Tool error",
    "timeout": "Time-out",
    "memory": "Memory error",
    "other": "Other error",
    "null": "Null response",
    "empty": "Empty response",
    "trace": "Trace in the response",
    "message": "Error message in the response",
}
_NONE: Final = ScoreOutcome(1.0, "No error.")

Kinds = tuple[tuple[str, tuple[Pattern, ...]], ...]


@dataclass(frozen=True, slots=True)
class FoundError:
    """Hold the kind of an error, the text that shows it, and where in the response it stands."""

    kind: str
    quote: str = ""
    hits: tuple[Hit, ...] = ()

    @property
    def sentence(self) -> str:
        """Name the kind and quote the text."""
        heading = _HEADINGS.get(self.kind, self.kind)
        return f"{heading}: {quoted(self.quote)}." if self.quote else f"{heading}."


Detection = Callable[[Case], FoundError | None]


def detection(settings: Settings) -> Detection:
    """Make the search for errors: the record's `error` first, then the response.

    Any `error` that is not empty counts, as "other" where no kind fits. System kinds are looked
    for in the error, response kinds in the response, kinds of the user's own in both; the first
    kind in the order of `error_kinds` wins.

    Raises:
        ParameterError: for a kind without patterns or a pattern that is no regular expression.
    """
    kinds = settings.texts("error_kinds")
    patterns = _patterns(settings.texts_by_name("patterns"), kinds)
    in_error: Kinds = tuple(x for x in patterns if x[0] not in RESPONSE_KINDS)
    in_response: Kinds = tuple(x for x in patterns if x[0] not in SYSTEM_KINDS)
    null, empty = "null" in kinds, "empty" in kinds

    def find(case: Case) -> FoundError | None:
        if case.error:
            return _in_error(case.error, in_error)
        response = case.response
        if response is None:
            return FoundError("null") if null else None
        if not response or response.isspace():
            return FoundError("empty") if empty else None
        return _in_response(response, in_response)

    return find


def _patterns(given: Mapping[str, tuple[str, ...]], kinds: tuple[str, ...]) -> Kinds:
    known = {**PATTERNS, **given}
    for kind in kinds:
        if kind not in known and kind not in {"null", "empty"}:
            raise ParameterError(f"parameter error_kinds: {kind} has no entry under patterns")
    try:
        return tuple((kind, tuple(map(Pattern, known[kind]))) for kind in kinds if kind in known)
    except ParameterError as error:
        raise ParameterError(f"parameter patterns: {error}") from None


def _in_error(error: str, kinds: Kinds) -> FoundError:
    text = Searched(error)
    for kind, patterns in kinds:
        for pattern in patterns:
            if match := pattern.search(text):
                return FoundError(kind, match.group().strip())
    first_line = error.strip().partition("\n")[0]
    return FoundError("other", first_line)


def _in_response(response: str, kinds: Kinds) -> FoundError | None:
    text = Searched(response)
    for kind, patterns in kinds:
        for pattern in patterns:
            if match := pattern.search(text):
                quote = match.group().strip()
                start = match.start() + match.group().find(quote)
                return FoundError(kind, quote, (Hit(start, start + len(quote), quote, kind),))
    return None


def _build(settings: Settings) -> Rule:
    find = detection(settings)

    def rule(case: Case) -> Outcome:
        found = find(case)
        if found is None:
            return _NONE
        examples = (found.quote,) if found.quote else ()
        return ScoreOutcome(0.0, found.sentence, found.hits, examples)

    return rule


ERROR_HANDLING: Final = Deterministic(
    name="error_handling",
    metrics=("error_handling",),
    title="Error handling",
    help=(
        "1 if the query ended without a crash and with a reply that is no error, else 0 with the "
        "kind and the text that shows it. The published text counts empty responses as errors, "
        "the published code looks at the error field alone: error_kinds = [] gives the code's "
        "score."
    ),
    build=_build,
    options=(
        Option(
            "error_kinds",
            default=[*SYSTEM_KINDS, *RESPONSE_KINDS],
            help="The kinds of error that count, the first match wins: database, tool, timeout "
            "and memory in the error field, null, empty, trace and message in the response. "
            "Whatever is listed, an error field that is not empty counts; with [] nothing else "
            "does, as in the published code.",
            check=some_texts,
        ),
        Option(
            "patterns",
            default={},
            help="Regular expressions by kind; kinds of your own are looked for in the error and "
            "in the response.",
            check=lists_by_name,
        ),
        Option(
            "error_zeroes_total",
            default=False,
            help="Give the whole case 0 when this metric is 0. Without it a crash with no tools "
            "and no keywords expected still scores 0.80, grade B.",
            check=yes_or_no,
        ),
    ),
)
