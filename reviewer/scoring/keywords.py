"""Response quality: the share of the expected keywords that the response holds."""

from collections.abc import Collection
from typing import Final

from reviewer.scoring.case import Case
from reviewer.scoring.options import Option, Settings, one_of, yes_or_no
from reviewer.scoring.outcome import Failure, Hit, Outcome, ScoreOutcome
from reviewer.scoring.scorer import Deterministic, Rule
from reviewer.scoring.texts import Folded

_MOST_HITS: Final = 1000
_EMPTY: Final = Failure(
    "input", "expected_keywords holds an empty keyword; every keyword needs a text."
)


def _build(settings: Settings) -> Rule:
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
    build=_build,
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
