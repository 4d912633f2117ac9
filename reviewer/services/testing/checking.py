"""Check a test set: what is missing, thin, double, or says too little; each with its cases."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Final, Literal

from reviewer.domain.case_set import EXPECTATIONS, Fields, question_of
from reviewer.domain.wording import counted, listed
from reviewer.scoring.frequent_words import LATIN
from reviewer.scoring.texts import Folded, tokens
from reviewer.services.testing.sets import complexity_of, ids

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
        return len(self._holding[sought] - {case}), len(self._texts) - (case in self._texts)


NOTHING: Final = Corpus({})


def lint(keyword: str, corpus: Corpus = NOTHING, case: str = "") -> str | None:
    """Say why a keyword tells good responses from bad ones poorly, None where it does not.

    Args:
        keyword: of one case.
        corpus: responses, or expected answers, of the whole test set.
        case: whose keyword it is; its own text does not count.
    """
    words = tokens(keyword)
    if words and words <= common_words():
        return "it stands in nearly every sentence"
    if words and words <= GENERIC | common_words():
        return "it stands in answers to nearly every question"
    found, others = corpus.holding(keyword, case)
    if others < FEWEST or found / others <= MOST:
        return None
    return f"{found} of {others} other responses hold it too"


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


Kind = Literal[
    "no_expected", "absent_category", "thin_category", "no_category", "absent_complexity",
    "thin_complexity", "duplicate", "near_duplicate", "no_edge_case", "absent_edge_case",
    "keyword", "suggestion",
]  # fmt: skip

THIN: Final = 3
"""Fewer cases than these tell nothing about a category or complexity."""
SHOWN: Final = 5
LEVELS: Final = {
    "simple": ("simple", "easy", "low", "basic", "trivial"),
    "medium": ("medium", "moderate", "normal", "intermediate"),
    "hard": ("hard", "complex", "difficult", "high", "advanced", "very_complex", "very complex"),
}
"""Names that complexities go by."""
EXPECTED_CATEGORIES: Final[dict[str, dict[str, str]]] = {
    "guest-response": {
        "check-in and check-out": r"check[\W_]*(in|out)|arrival|departure",
        "amenities": r"amenit|facilit|equipment|wi[\W_]?fi",
        "policies": r"polic|rule|house[\W_]*rule",
        "directions": r"direction|location|parking|transport|getting[\W_]*here",
        "reservations": r"reserv|booking",
        "edge cases": r"edge|off[\W_]*topic|adversarial|pii|personal[\W_]*data|safety",
    }
}
"""Categories that a rubric's cases should cover, with what they are known by."""
EXPECTED_EDGES: Final[dict[str, dict[str, str]]] = {
    "guest-response": {
        "off-topic": r"off[\W_]*topic|out[\W_]*of[\W_]*scope|beside[\W_]*the[\W_]*point",
        "personal data": r"pii|personal[\W_]*data|privacy|private",
    }
}
EDGES: Final = re.compile(
    r"edge|off[\W_]*topic|out[\W_]*of[\W_]*scope|adversarial|injection|jailbreak|pii|personal[\W_]*data|"
    r"privacy|safety|misleading|trap|hostile|abuse|insult|unanswerable|not[\W_]*in[\W_]*context",
    re.IGNORECASE,
)
_SIGNS: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a test set lacks or has too much of.

    Attributes:
        problem: True where the set should not be relied on as it is; False is a remark.
        cases: Ids of the cases it is about, empty where cases are absent.
        groups: Cases that are the same, where it is about duplicates.
        about: What a case would be given, for remedies: a category or complexity.
        suggestions: Keywords that the expected answers offer, by case.
    """

    kind: Kind
    sentence: str
    problem: bool = True
    cases: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    about: str | None = None
    suggestions: Mapping[str, Suggestions] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Give the finding as the command line prints it."""
        told: dict[str, object] = {
            "kind": self.kind,
            "problem": self.problem,
            "text": self.sentence,
            "cases": list(self.cases),
        }
        if self.groups:
            told["groups"] = [list(group) for group in self.groups]
        if self.suggestions:
            told["suggestions"] = {
                id_: {
                    "values": list(x.values),
                    "concepts": list(x.concepts),
                    "critical": list(x.critical),
                }
                for id_, x in self.suggestions.items()
            }
        return told


def check(
    cases: Sequence[Fields],
    rubric: str | None = None,
    responses: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    """Check the cases of a test set, problems first.

    Args:
        cases: of the set.
        rubric: whose expected categories they are held to.
        responses: by the case's id, to find keywords that stand in most other responses; without
            them the expected answers serve.
    """
    found = [
        *_without_expectation(cases),
        *_categories(cases, rubric),
        *_complexities(cases),
        *_duplicates(cases),
        *_edges(cases, rubric),
        *_keywords(cases, responses or {}),
    ]
    return tuple(sorted(found, key=lambda x: not x.problem))


def _without_expectation(cases: Sequence[Fields]) -> Iterable[Finding]:
    bare = ids(case for case in cases if not any(case.get(x) for x in EXPECTATIONS))
    if bare:
        yield Finding(
            kind="no_expected",
            sentence=f"{counted(len(bare), 'case')} of {len(cases):,} without expected behaviour: "
            f"{_some(bare)}.",
            cases=bare,
        )


def _categories(cases: Sequence[Fields], rubric: str | None) -> Iterable[Finding]:
    by_name: dict[str, list[str]] = defaultdict(list)
    none = ids(case for case in cases if not case.get("category"))
    for case in cases:
        if case.get("category"):
            by_name[str(case["category"])].append(str(case["id"]))
    for wanted, pattern in EXPECTED_CATEGORIES.get(rubric or "", {}).items():
        if not any(re.search(pattern, name, re.IGNORECASE) for name in by_name):
            yield Finding(
                kind="absent_category", sentence=f"No case of the category {wanted}.", about=wanted
            )
    if none and by_name:
        yield Finding(
            kind="no_category",
            sentence=f"{counted(len(none), 'case')} without a category: {_some(none)}.",
            problem=False,
            cases=none,
        )
    yield from _thin("category", by_name)


def _complexities(cases: Sequence[Fields]) -> Iterable[Finding]:
    by_level: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        by_level[level_of(complexity_of(case))].append(str(case["id"]))
    for level in LEVELS:
        if level not in by_level and cases:
            yield Finding(kind="absent_complexity", sentence=f"No case is {level}.", about=level)
    yield from _thin("complexity", by_level)


def _thin(
    what: Literal["category", "complexity"], groups: Mapping[str, list[str]]
) -> list[Finding]:
    kind: Kind = "thin_category" if what == "category" else "thin_complexity"
    return [
        Finding(
            kind=kind,
            sentence=f"The {what} {name} has {counted(len(ids), 'case')}; fewer than {THIN} tell "
            "little.",
            problem=False,
            cases=tuple(ids),
            about=name,
        )
        for name, ids in groups.items()
        if len(ids) < THIN
    ]


def _duplicates(cases: Sequence[Fields]) -> Iterable[Finding]:
    exact = _groups(cases, _whole)
    same = {frozenset(group) for group in exact}
    near = [group for group in _groups(cases, _normal) if frozenset(group) not in same]
    yield from _doubles("duplicate", exact, "word for word")
    yield from _doubles("near_duplicate", near, "but for case, spaces and punctuation")


def _doubles(kind: Kind, groups: list[tuple[str, ...]], how: str) -> Iterable[Finding]:
    if groups:
        together = "; ".join(" = ".join(group) for group in groups[:SHOWN])
        more = f" and {len(groups) - SHOWN:,} more" if len(groups) > SHOWN else ""
        yield Finding(
            kind=kind,
            sentence=f"{counted(len(groups), 'question')} asked more than once, {how}: "
            f"{together}{more}.",
            cases=tuple(id_ for group in groups for id_ in group),
            groups=tuple(groups),
        )


def _groups(
    cases: Sequence[Fields], key: Callable[[Fields], tuple[str, ...]]
) -> list[tuple[str, ...]]:
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for case in cases:
        found[key(case)].append(str(case["id"]))
    return [tuple(ids) for ids in found.values() if len(ids) > 1]


def _whole(case: Fields) -> tuple[str, ...]:
    turns = case.get("messages") or ()
    context = repr(case.get("context"))
    return (str(case.get("input") or ""), *map(repr, turns), context)


def _normal(case: Fields) -> tuple[str, ...]:
    texts = [question_of(case)]
    texts += [str(turn.get("content")) for turn in (case.get("messages") or ())[:-1]]
    context = repr(case.get("context"))
    return (*(_SIGNS.sub(" ", text.lower()).strip() for text in texts), context)


def _edges(cases: Sequence[Fields], rubric: str | None) -> Iterable[Finding]:
    told = {str(case["id"]): " ".join(_marks(case)) for case in cases}
    if cases and not any(EDGES.search(marks) for marks in told.values()):
        yield Finding(
            kind="no_edge_case",
            sentence="No edge case: none is marked off-topic, adversarial, misleading, personal "
            "data or the like by its category or a tag.",
        )
        return
    for name, pattern in EXPECTED_EDGES.get(rubric or "", {}).items():
        if not any(re.search(pattern, marks, re.IGNORECASE) for marks in told.values()):
            yield Finding(
                kind="absent_edge_case",
                sentence=f"No edge case about {name}.",
                about=name,
            )


def _marks(case: Fields) -> list[str]:
    return [
        str(case.get("category") or ""), str(case.get("complexity") or ""),
        *map(str, case.get("tags") or ()),
    ]  # fmt: skip


def _keywords(cases: Sequence[Fields], responses: Mapping[str, str]) -> Iterable[Finding]:
    expected = {str(case["id"]): str(case.get("expected") or "") for case in cases}
    corpus = Corpus(responses or {id_: text for id_, text in expected.items() if text})
    bare: dict[str, Suggestions] = {}
    for case in cases:
        id_, own = str(case["id"]), case.get("expected_keywords") or ()
        faults = [f"“{word}” ({why})" for word in own if (why := lint(str(word), corpus, id_))]
        if own and not faults:
            continue
        offered = suggest(expected[id_], question_of(case), corpus, id_)
        if faults:
            said = listed(faults)
            yield Finding(
                kind="keyword",
                sentence=f"{id_}: weak keywords: {said}.",
                cases=(id_,),
                suggestions={id_: offered},
            )
        elif offered.values or offered.critical:
            bare[id_] = offered
    if bare:
        first = next(iter(bare))
        words = ", ".join(bare[first].all[:SHOWN])
        yield Finding(
            kind="suggestion",
            sentence=f"{counted(len(bare), 'case')} without keywords, though the expected answer "
            f"offers some; {first}: {words}.",
            problem=False,
            cases=tuple(bare),
            suggestions=bare,
        )


def level_of(name: str) -> str:
    """Bring the name of a complexity to simple, medium or hard, where it means one of them."""
    plain = name.strip().lower()
    return next((level for level, names in LEVELS.items() if plain in names), plain)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    return ", ".join(ids[:SHOWN]) + more
