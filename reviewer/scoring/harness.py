"""The harness's scorers: tool usage, response quality by keywords, and error handling."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from reviewer.scoring.patterns import Pattern, Searched
from reviewer.scoring.scorer import (
    NO_PARAMETERS,
    Case,
    Deterministic,
    Failure,
    Hit,
    Option,
    Outcome,
    ParameterError,
    Parameters,
    Rule,
    ScoreOutcome,
    Settings,
    lists_by_name,
    one_of,
    settle,
    some_texts,
    yes_or_no,
)
from reviewer.scoring.texts import Folded, listed, quoted

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
        r"(?i)\ban? ([a-z]+ )?(error|exception) (has )?occurred (while|when|during|processing)",
        r"(?im)\ban? ([a-z]+ )?(error|exception) (has )?occurred[.!]?( please| try|[ \t]*$)",
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
        text = Searched(response)
        for kind, patterns in in_response:
            for pattern in patterns:
                if match := pattern.search(text):
                    quote = match.text.strip()
                    start = match.start + match.text.find(quote)
                    return FoundError(kind, quote, (Hit(start, start + len(quote), quote, kind),))
        return None

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


_FRAME: Final = re.compile(r'(?m)^[ \t]+File "[^"\n]*", line \d+[^\n]*\n')
_RAISED: Final = re.compile(r"(?m)^[^ \t\n^~]")


def raised(error: str) -> str:
    """Give what a traceback ends with, without the lines of code that it quotes; else the text."""
    frames = [match.end() for match in _FRAME.finditer(error)]
    found = _RAISED.search(error, frames[-1]) if frames else None
    return error[found.start() :] if found else error


def _in_error(error: str, kinds: Kinds) -> FoundError:
    error = raised(error)
    text = Searched(error)
    for kind, patterns in kinds:
        for pattern in patterns:
            if match := pattern.search(text):
                return FoundError(kind, match.text.strip())
    return FoundError("other", error.strip().partition("\n")[0])


def _build(settings: Settings) -> Rule:
    find = detection(settings)

    def rule(case: Case) -> Outcome:
        found = find(case)
        if found is None:
            return _NONE
        return ScoreOutcome(0.0, found.sentence, found.hits, (found.quote,) if found.quote else ())

    return rule


ERROR_HANDLING: Final = Deterministic(
    name="error_handling",
    metrics=("error_handling",),
    version="2",
    title="Error handling",
    help=(
        "1 if the query ended without a crash and with a reply that is no error, else 0 with the "
        "kind and the text that shows it. The published text counts empty responses as errors, "
        "the published code looks at the error field alone: error_kinds = [] gives the code's "
        "score. Of a traceback in the error field only what it ends with is looked at, not the "
        "code that it quotes."
    ),
    build=_build,
    reads=("error", "response"),
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


_MOST_HITS: Final = 1000
_EMPTY: Final = Failure(
    "input", "expected_keywords holds an empty keyword; every keyword needs a text."
)


def _keywords_from(settings: Settings) -> Rule:
    words = settings.text("match") == "word"
    numbers = settings.truth("normalize_numbers")

    def rule(case: Case) -> Outcome:
        keywords = case.keywords
        if not keywords:
            return ScoreOutcome(1.0, "No keywords expected.")
        if not all(map(str.strip, keywords)):
            return _EMPTY
        if case.response is None:
            return ScoreOutcome(0.0, f"{share_found((), keywords)} There is no response.")
        hits, missing = _find(case.response, keywords, words=words, numbers=numbers)
        found = len(keywords) - len(missing)
        return ScoreOutcome(found / len(keywords), _sentence(found, keywords, missing), hits)

    return rule


def keywords_in(case: Case, parameters: Parameters = NO_PARAMETERS) -> frozenset[str]:
    """Give the expected keywords that response quality finds, with a metric's parameters.

    Raises:
        ParameterError: for parameters that response quality does not have.
    """
    settings = settle(RESPONSE_QUALITY.options, parameters)
    keywords = tuple(word for word in case.keywords if word.strip())
    words, numbers = settings.text("match") == "word", settings.truth("normalize_numbers")
    _, missing = _find(case.response or "", keywords, words=words, numbers=numbers)
    return frozenset(keywords).difference(missing)


def _find(
    response: str, keywords: tuple[str, ...], *, words: bool, numbers: bool
) -> tuple[tuple[Hit, ...], list[str]]:
    text = Folded(response)
    # the usual case without a call a keyword: one search through lower case
    direct = text.lower if text.letter_by_letter and not words else ""
    hits: list[Hit] = []
    missing = []
    for keyword in keywords:
        sought = keyword.lower()
        at = direct.find(sought)
        if at >= 0:
            while at >= 0 and len(hits) < _MOST_HITS:
                end = at + len(sought)
                hits.append(Hit(at, end, response[at:end], keyword))
                at = direct.find(sought, end)
            continue
        places = text.places(sought, words=words, numbers=numbers)
        if not places:
            missing.append(keyword)
        for start, end in places:
            hits.append(Hit(start, end, response[start:end], keyword))
    hits.sort()
    return tuple(hits), missing


def share_found(found: Collection[str], sought: tuple[str, ...]) -> str:
    """Say how many of the sought were found and which are missing."""
    return _sentence(len(found), sought, [word for word in sought if word not in found])


def _sentence(found: int, sought: tuple[str, ...], missing: list[str]) -> str:
    tail = f", missing: {', '.join(missing)}" if missing else ""
    return f"{found} of {len(sought)} found{tail}."


RESPONSE_QUALITY: Final = Deterministic(
    name="response_quality",
    metrics=("response_quality",),
    title="Response quality",
    help=(
        "The share of the expected keywords that the response holds, in upper or lower case; 1 "
        "where none is expected, 0 without a response. The published example and the published "
        'code contradict each other: the keyword "442300" does not stand in "$442,300", so the '
        "code gives 0.6 where the text says 0.8. Reviewer reads numbers without their thousands "
        "separators as well and gives 0.8; normalize_numbers = false gives the code's 0.6."
    ),
    build=_keywords_from,
    reads=("expected_keywords", "response"),
    options=(
        Option(
            "match",
            default="substring",
            help='"substring" finds a keyword anywhere, so "CO" is found in "company"; "word" '
            "finds it only where no letter or digit stands on either side.",
            check=one_of("substring", "word"),
        ),
        Option(
            "normalize_numbers",
            default=True,
            help="Read the response's numbers also without thousands separators: a comma, an "
            "apostrophe, a thin or no-break space before exactly three digits. The keyword "
            '442300 then matches "$442,300", as the published example has it (0.8); without, '
            "the published code's figure results (0.6).",
            check=yes_or_no,
        ),
    ),
)


def _tools_from(settings: Settings) -> Rule:
    partial = settings.truth("partial_credit")

    def rule(case: Case) -> Outcome:
        expected = dict.fromkeys(case.tools_expected)
        used = dict.fromkeys(case.tools_used)
        missing = [name for name in expected if name not in used]
        extra = [name for name in used if name not in expected]
        reasoning = (
            f"Expected: {listed(expected)}. Used: {listed(used)}. "
            f"Missing: {listed(missing)}. Extra: {listed(extra)}."
        )
        if not missing:
            return ScoreOutcome(1.0, reasoning)
        if not partial:
            return ScoreOutcome(0.0, reasoning)
        found = len(expected) - len(missing)
        reasoning += f" {found} of {len(expected)} expected tools used."
        return ScoreOutcome(found / len(expected), reasoning)

    return rule


TOOL_USAGE: Final = Deterministic(
    name="tool_usage",
    metrics=("tool_usage",),
    title="Tool usage",
    help=(
        "1 if every expected tool was used, else 0; 1 where none is expected. Further tools, "
        "their order and repeats do not matter."
    ),
    build=_tools_from,
    reads=("expected_tools", "tools_used", "messages"),
    shared_by="partial_credit",
    options=(
        Option(
            "partial_credit",
            default=False,
            help="Give the share of the expected tools that were used; the metric then needs the "
            "range 0 to 1 in place of yes and no; the ready metric tool_credit has it.",
            check=yes_or_no,
        ),
    ),
)
