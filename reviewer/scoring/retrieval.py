"""Retrieval at k: precision, recall and NDCG of the sources in the order they were retrieved."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from reviewer.scoring.scorer import (
    Case,
    Deterministic,
    Failure,
    Option,
    Outcome,
    Rule,
    ScoreOutcome,
    Settings,
    number_from,
    one_of,
)
from reviewer.scoring.texts import counted, shown

Gain = Literal["linear", "exponential"]
Figure = Literal["precision", "recall", "ndcg"]
NO_RELEVANT: Final = "no relevant source is known"
_LARGEST: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Hold the three figures of one ranking, each from 0 to 1."""

    precision: float
    recall: float
    ndcg: float


def retrieval(
    relevances: Sequence[float], known: Sequence[float], k: int, gain: Gain = "linear"
) -> Retrieval | None:
    """Work out precision, recall and NDCG at k; None where no known source is relevant.

    Precision is relevant among the first k over k, also where fewer were retrieved; recall is
    relevant among the first k over all known relevant. NDCG is Σ gain(relevance) / log₂(rank + 1)
    over the first k, divided by the same of the best order of all known sources.

    Args:
        relevances: of the retrieved sources in rank order, 0 for one that does not count.
        known: of all known sources, retrieved or not.
        k: how many of the first ranks count, from 1.
        gain: `linear` takes the relevance itself, `exponential` 2 ** relevance − 1.
    """
    relevant = sum(1 for value in known if value > 0)
    if not relevant:
        return None
    first = relevances[:k]
    hits = sum(1 for value in first if value > 0)
    best = _discounted(sorted(known, reverse=True)[:k], gain)
    return Retrieval(hits / k, hits / relevant, _discounted(first, gain) / best)


def _discounted(relevances: Sequence[float], gain: Gain) -> float:
    worth = relevances if gain == "linear" else [2.0**value - 1 for value in relevances]
    return math.fsum(value / math.log2(rank) for rank, value in enumerate(worth, 2))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hold what the retrieved and the known sources of a case are worth."""

    relevances: tuple[float, ...]
    known: tuple[float, ...]


def ranking_of(case: Case) -> Ranking | Failure:
    """Read a case's sources; a relevance in `expected_sources` wins over the source's own.

    An expected source without relevance is worth 1, a retrieved one without any 0. A source that
    comes twice counts at its first rank; the later place stays and is worth nothing.
    """
    expected = _expected(case.expected_sources)
    if isinstance(expected, Failure):
        return expected
    known: dict[str, float] = dict(expected)
    relevances = []
    seen: set[str] = set()
    for source in case.sources:
        value = expected.get(source.id, source.relevance or 0.0)
        problem = _relevance_problem("sources", source.id, value)
        if problem:
            return problem
        relevances.append(0.0 if source.id in seen else value)
        seen.add(source.id)
        known.setdefault(source.id, value)
    return Ranking(tuple(relevances), tuple(known.values()))


def _expected(listed: JsonValue) -> dict[str, float] | Failure:
    if listed is None:
        return {}
    if not isinstance(listed, list):
        return Failure("input", f"expected_sources is {listed!r}; a list is expected.")
    found: dict[str, float] = {}
    for item in listed:
        entry = item if isinstance(item, dict) else {"id": item}
        name, value = entry.get("id"), entry.get("relevance")
        value = 1 if value is None else value
        if not isinstance(name, str) or not isinstance(value, int | float):
            return Failure(
                "input",
                f"expected_sources holds {item!r}; an id or an object with id and relevance "
                "is expected.",
            )
        problem = _relevance_problem("expected_sources", name, value)
        if problem:
            return problem
        found.setdefault(name, float(value))
    return found


def _relevance_problem(field: str, name: str, value: float) -> Failure | None:
    if isinstance(value, bool) or not 0 <= value <= _LARGEST:
        return Failure(
            "input", f"{field}: the relevance of {name} is {value}; 0 to 1000 is expected."
        )
    return None


def _figure(figure: Figure, settings: Settings) -> Rule:
    k = settings.count("k")
    gain: Gain = "exponential" if settings.text("gain") == "exponential" else "linear"

    def rule(case: Case) -> Outcome:
        ranking = ranking_of(case)
        if isinstance(ranking, Failure):
            return ranking
        found = retrieval(ranking.relevances, ranking.known, k, gain)
        if found is None:
            return Failure("undefined", f"{NO_RELEVANT.capitalize()}, so nothing can be found.")
        return ScoreOutcome(getattr(found, figure), _sentence(ranking, k))

    return rule


def _sentence(ranking: Ranking, k: int) -> str:
    ranks = [str(rank) for rank, value in enumerate(ranking.relevances[:k], 1) if value > 0]
    relevant = sum(1 for value in ranking.known if value > 0)
    where = f" at rank {', '.join(ranks)}" if ranks else ""
    return (
        f"{len(ranks)} of {counted(relevant, 'known relevant source')} among the first "
        f"{shown(k)}{where}; {len(ranking.relevances)} retrieved."
    )


def _scorer(figure: Figure, title: str, text: str) -> Deterministic:

    return Deterministic(
        name=f"retrieval_{figure}",
        metrics=(f"retrieval_{figure}",),
        title=title,
        help=f"{text} A source is relevant from a relevance above 0; one retrieved twice counts "
        "at its first rank only, the later place stays taken. Undefined where no relevant source "
        "is known.",
        build=lambda settings: _figure(figure, settings),
        reads=("sources", "expected_sources"),
        options=(
            Option("k", 5, "How many of the first ranks count: 1, 3, 5, 10 …", _WHOLE),
            Option(
                "gain",
                "linear",
                "What a relevance is worth in NDCG: itself (linear) or 2 to its power less 1 "
                "(exponential), which makes highly relevant sources count for more.",
                one_of("linear", "exponential"),
            ),
        ),
    )


_WHOLE = number_from(1, whole=True)
RETRIEVAL: Final = (
    _scorer("precision", "Precision at k", "The relevant sources among the first k, over k."),
    _scorer(
        "recall", "Recall at k", "The relevant sources among the first k, over all known relevant."
    ),
    _scorer(
        "ndcg",
        "NDCG at k",
        "The worth of the first k sources, less the further down they stand, over the worth of "
        "the best order of all known sources.",
    ),
)
