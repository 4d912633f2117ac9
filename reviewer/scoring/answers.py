"""The FAQ-bot framework's metrics of an answer: match, recall, likeness, politeness, length."""

import math
from collections.abc import Iterable
from typing import Final

from reviewer.domain.wording import trimmed
from reviewer.scoring.harness import share_found
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
    some_texts,
)
from reviewer.scoring.texts import STRIPPED, Folded, counted, listed, plain, shown, tokens

_NO_EXPECTED: Final = Failure("missing", "The record has no expected answer.")
_NO_RESPONSE: Final = Failure("missing", "The record has no response.")
MARKERS: Final = ("please", "thank you", "happy to help", "sorry", "welcome")
"""The markers that ship; the source names "please" and "happy to help" alone."""


def exact_match(answer: str, expected: str) -> bool:
    """Tell whether two texts are the same apart from case and spaces."""
    return plain(answer) == plain(expected)


def token_cosine(one: set[str], other: set[str]) -> float:
    """Give the cosine of two sets of words."""
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def _exact(settings: Settings) -> Rule:
    del settings
    same = ScoreOutcome(1.0, "The answer equals the expected answer.")
    differs = ScoreOutcome(0.0, "The answer differs from the expected answer.")
    absent = ScoreOutcome(0.0, "There is no response.")

    def rule(case: Case) -> Outcome:
        if case.expected is None:
            return _NO_EXPECTED
        if case.response is None:
            return absent
        return same if exact_match(case.response, case.expected) else differs

    return rule


def _recall(settings: Settings) -> Rule:
    del settings

    def rule(case: Case) -> Outcome:
        if case.expected is None:
            return _NO_EXPECTED
        words = (raw.strip(STRIPPED) for raw in case.expected.lower().split())
        wanted = tuple(dict.fromkeys(word for word in words if word))
        if not wanted:
            return ScoreOutcome(0.0, "The expected answer is empty.")
        if case.response is None:
            return ScoreOutcome(0.0, f"{share_found((), wanted)} There is no response.")
        found = tokens(case.response).intersection(wanted)
        hits = _token_hits(case.response, found)
        return ScoreOutcome(len(found) / len(wanted), share_found(found, wanted), hits)

    return rule


def _token_hits(response: str, found: Iterable[str]) -> tuple[Hit, ...]:
    """Give the first place of each word; marking every "the" would hide what matters."""
    text = Folded(response)
    places = ((text.token_place(word), word) for word in found)
    hits = [Hit(at[0], at[1], response[at[0] : at[1]], word) for at, word in places if at]
    hits.sort()
    return tuple(hits)


def _likeness(settings: Settings) -> Rule:
    del settings

    def rule(case: Case) -> Outcome:
        if case.expected is None:
            return _NO_EXPECTED
        if case.response is None:
            return ScoreOutcome(0.0, "There is no response.")
        one, other = tokens(case.response), tokens(case.expected)
        shared = sorted(one & other)
        reasoning = (
            f"{len(shared)} shared of {len(one)} and {len(other)} words: {listed(shared)}. "
            f"Missed: {listed(sorted(other - one))}."
        )
        hits = _token_hits(case.response, shared)
        return ScoreOutcome(token_cosine(one, other), reasoning, hits)

    return rule


def _polite(settings: Settings) -> Rule:
    markers = settings.texts("markers")
    lower = tuple(marker.lower() for marker in markers)
    for marker, small in zip(markers, lower, strict=True):
        if any(small in other for at, other in enumerate(lower) if markers[at] is not marker):
            raise ParameterError(
                f"parameter markers: {marker!r} stands inside another marker and would count "
                "twice; keep one of them"
            )

    def rule(case: Case) -> Outcome:
        if case.response is None:
            return ScoreOutcome(0.0, "There is no response.")
        text = Folded(case.response)
        hits: list[Hit] = []
        found = []
        for marker, small in zip(markers, lower, strict=True):
            places = text.places(small, words=True)
            if places:
                found.append(marker)
                hits += [Hit(a, b, case.response[a:b], marker) for a, b in places]
        hits.sort()
        return ScoreOutcome(
            min(0.5 * len(found), 1.0), f"Markers found: {listed(found)}.", tuple(hits)
        )

    return rule


def _length(settings: Settings) -> Rule:
    del settings

    def rule(case: Case) -> Outcome:
        if case.response is None:
            return _NO_RESPONSE
        size = len(case.response)
        return ScoreOutcome(size, f"{counted(size, 'character')}.")

    return rule


def _latency(settings: Settings) -> Rule:
    del settings

    def rule(case: Case) -> Outcome:
        value = case.latency_ms
        problem = _amount_problem("latency_ms", value)
        if value is None or problem:
            return problem or _NO_RESPONSE
        return ScoreOutcome(value, f"{shown(value)} ms from question to answer.")

    return rule


def _cost(settings: Settings) -> Rule:
    del settings

    def rule(case: Case) -> Outcome:
        value = case.cost_usd
        problem = _amount_problem("cost_usd", value)
        if value is None or problem:
            return problem or _NO_RESPONSE
        return ScoreOutcome(value, f"${trimmed(value, 10)} for the answer.")

    return rule


def _amount_problem(field: str, value: float | None) -> Failure | None:
    if value is None:
        return Failure("missing", f"The record has no {field}.")
    if not 0 <= value < math.inf:
        return Failure("input", f"{field} is {value}; a number from 0 is expected.")
    return None


EXACT_MATCH: Final = Deterministic(
    name="exact_match",
    metrics=("exact_match",),
    title="Exact match",
    help="1 if the answer is the expected answer apart from case and spaces, else 0. "
    'Punctuation and the spaces between words count: "3 pm" is not "3pm".',
    build=_exact,
    reads=("expected", "response"),
)
KEYWORD_RECALL: Final = Deterministic(
    name="keyword_recall",
    metrics=("keyword_recall",),
    title="Keyword recall",
    help="The share of the expected answer's different words that the answer has; 0 where the "
    "expected answer is empty, as the source says.",
    build=_recall,
    reads=("expected", "response"),
)
COSINE: Final = Deterministic(
    name="cosine",
    metrics=("cosine", "similarity"),
    title="Likeness of words",
    help="Shared words of answer and expected answer over the root of the product of both "
    "numbers of different words; 0 where one of them has none.",
    build=_likeness,
    reads=("expected", "response"),
)
POLITENESS: Final = Deterministic(
    name="politeness",
    metrics=("politeness",),
    version="2",
    title="Politeness",
    help="Half a point for each different marker in the answer, at most one; a marker twice "
    'counts once, so "Please, please" gives 0.5.',
    build=_polite,
    options=(
        Option(
            "markers",
            default=[*MARKERS],
            help="The words and phrases looked for, in upper or lower case, as whole words: "
            '"displeased" is no "please". The source names "please" and "happy to help"; the '
            "others are Reviewer's. No marker may contain another.",
            check=some_texts,
        ),
    ),
)
ANSWER_LENGTH: Final = Deterministic(
    name="answer_length",
    metrics=("answer_length",),
    title="Answer length",
    help="The number of characters of the answer; descriptive, part of no overall score.",
    build=_length,
    gives="measure",
)
LATENCY: Final = Deterministic(
    name="latency",
    metrics=("latency", "latency_ms"),
    title="Latency",
    help="The milliseconds from the question to the whole answer, as the record has them; "
    "descriptive, part of no overall score.",
    build=_latency,
    reads=("latency_ms",),
    gives="measure",
)
COST: Final = Deterministic(
    name="cost",
    metrics=("cost", "cost_usd"),
    title="Cost",
    help="The US dollars that the answer cost, as the record has them; descriptive, part of no "
    "overall score.",
    build=_cost,
    reads=("cost_usd",),
    gives="measure",
)
