"""Keywords of test cases: which say nothing, and which an expected answer would offer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Literal

from reviewer.scoring.frequent_words import LATIN
from reviewer.scoring.texts import Folded, tokens

Fault = Literal["common", "generic", "everywhere"]

_GENERIC: Final = """
property properties llc inc corp ltd gmbh company business item items thing things stuff document
documents file files information info data detail details answer question response result results
value values name names type number numbers year month day today various several many general
system user users customer guest guests
"""
GENERIC: Final = frozenset(_GENERIC.split())
"""Words that stand in answers of every kind."""
MOST: Final = 0.5
LOOKED_AT: Final = 200
FEWEST: Final = 5
"""Other responses that must be there before a word counts as found in most of them."""
_VALUE: Final = re.compile(
    r"[$€£¥]\s?\d[\d.,]*\d|[$€£¥]\s?\d|"
    r"[\w.+-]+@[\w-]+\.[\w.]+|https?://[^\s,;]+|"
    r"\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]\.?\s?m\.?|o'clock|Uhr|h(?:\s?\d{1,2}\s?min)?)(?!\w)|"
    r"\d{4}-\d{2}-\d{2}|"
    r"\d{3}-\d{4}|"
    r"\d+(?:[.,'\u2019]\d+)*\s?(?:%|(?:US)?[$€£](?!\d)|[A-Za-z²³°/]{1,8}(?!\w))|"
    r"[A-Z]+-?\d[\w-]*|"
    r"\d+(?:[.,:]\d+)*"
)
_NAME: Final = re.compile(
    r"\b[A-ZÄÖÜ][\w\u2019'-]+(?:\s+(?:of|de|the|van|von)?\s*[A-ZÄÖÜ][\w\u2019'-]+)+"
)
_CRITICAL: Final = re.compile(
    r"\b(?:not|no|never|only|must|cannot|can't|without|except|at most|at least|free|"
    r"closed|compulsory|forbidden|required|unless|until)\b(?:\s+(?!the\b|a\b|an\b)[\w\u2019'-]+)?",
    re.IGNORECASE,
)
_HALF_DAY: Final = re.compile(r"[ap]\.\s?m\.$")
_WORD: Final = re.compile(r"[^\W\d_][\w\u2019'-]{3,}")


@dataclass(frozen=True, slots=True)
class Lint:
    """A keyword that tells good responses from bad ones poorly, and why."""

    keyword: str
    fault: Fault
    reason: str


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Keywords that an expected answer offers.

    Attributes:
        values: Specific values: amounts, times, numbers, addresses, codes.
        concepts: Key concepts: names, and the rarer words that the question does not hold.
        critical: Critical terms, which turn the answer around where they are missing.
    """

    values: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    critical: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Give all of them, the surest first."""
        return tuple(dict.fromkeys((*self.values, *self.critical, *self.concepts)))


class Corpus:
    """Responses of a test set's cases, in which keywords are looked up once each.

    Of many, the first `LOOKED_AT` are taken to be like the others.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take texts by case."""
        self._texts = {id_: Folded(text) for id_, text in islice(texts.items(), LOOKED_AT)}
        self._holding: dict[str, frozenset[str]] = {}

    def holding(self, word: str, case: str = "") -> tuple[int, int]:
        """Give in how many texts of other cases a word stands, and how many there are."""
        sought = word.strip().lower()
        if sought not in self._holding:
            found = (x for x, text in self._texts.items() if text.places(sought, words=True))
            self._holding[sought] = frozenset(found) if sought else frozenset()
        holding = self._holding[sought]
        return len(holding - {case}), len(self._texts) - (case in self._texts)


NOTHING: Final = Corpus({})


def lint(keyword: str, corpus: Corpus = NOTHING, case: str = "") -> Lint | None:
    """Say what is wrong with a keyword, None where nothing is.

    Args:
        keyword: of one case.
        corpus: responses, or expected answers, of the whole test set.
        case: whose keyword it is; its own text does not count.
    """
    words = tokens(keyword)
    if words and words <= common_words():
        return Lint(keyword, "common", "it stands in nearly every sentence")
    if words and words <= GENERIC | common_words():
        return Lint(keyword, "generic", "it stands in answers to nearly every question")
    found, others = corpus.holding(keyword, case)
    if others < FEWEST or found / others <= MOST:
        return None
    return Lint(keyword, "everywhere", f"{found} of {others} other responses hold it too")


def suggest(
    expected: str, question: str = "", corpus: Corpus = NOTHING, case: str = ""
) -> Suggestions:
    """Offer keywords from an expected answer; none that `lint` would refuse.

    Args:
        expected: the answer.
        question: what it answers; words of the question prove nothing.
        corpus: answers of the whole test set, so that rarer words come first.
        case: whose answer it is.
    """
    values = _distinct(map(_value, _VALUE.findall(expected)))
    names = _distinct(x.group().strip() for x in _NAME.finditer(expected))
    critical = _distinct(
        x for x in map(_term, _CRITICAL.finditer(expected)) if lint(x, corpus, case) is None
    )
    known = tokens(question) | common_words() | GENERIC
    held = " ".join((*values, *names, *critical)).lower()
    words = _distinct(
        x for x in _WORD.findall(expected) if x.lower() not in known and x.lower() not in held
    )
    spread = {x: corpus.holding(x, case)[0] for x in words}
    rare = sorted(words, key=lambda x: (spread[x], words.index(x)))
    return Suggestions(
        values=tuple(x for x in values if x.lower() not in question.lower()),
        concepts=tuple(x for x in (*names, *rare) if lint(x, corpus, case) is None)[:5],
        critical=critical,
    )


@cache
def common_words() -> frozenset[str]:
    """Give English words that no sentence can do without."""
    return frozenset(LATIN["en"].split()) | {"may", "each", "every", "per"} - {
        "order",
        "password",
        "account",
    }


def _value(found: str) -> str:
    """Take off what ends the sentence, and a last word that is no unit."""
    if not _HALF_DAY.search(found):
        found = found.rstrip(".")
    number, _, unit = found.strip(" ,;:").rpartition(" ")
    return number if number and unit.lower() in common_words() - {"am"} else found.strip(" ,;:")


def _term(found: re.Match[str]) -> str:
    """Give a critical term with the word after it, where that says something."""
    last = found.group().rpartition(" ")
    says = last[2].lower() not in common_words() and not last[2].isdigit()
    return found.group() if says or not last[0] else last[0]


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(x for x in found if x))
