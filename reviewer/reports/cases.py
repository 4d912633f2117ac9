"""The cases that a report is made of, and averages that are None where nothing is counted."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, NamedTuple, Protocol

from pydantic import JsonValue

from reviewer.domain.evaluation import Evaluation, Label, Score, Value, as_number
from reviewer.domain.rubric import Rubric
from reviewer.scoring.scorer import Case, case_of
from reviewer.stats.clustering import Quantity
from reviewer.stats.satisfaction import Verdict


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """Hold a case and one score a metric: that of the scorer version that was chosen."""

    case: Case
    scores: Mapping[str, Score] = field(default_factory=dict)

    def value(self, metric: str) -> float | None:
        """Give the number of a metric's score, None without one."""
        score = self.scores.get(metric)
        return None if score is None else as_number(score.value)

    def values(self, metrics: Iterable[str]) -> dict[str, float | None]:
        """Give the numbers of several metrics."""
        return {metric: self.value(metric) for metric in metrics}

    def reasoning(self, metric: str) -> str | None:
        """Give the reasoning of a metric's score."""
        score = self.scores.get(metric)
        return None if score is None else score.reasoning

    def reason(self, metric: str) -> str | None:
        """Give the reasoning of a metric's score; of one without a value, why there is none."""
        score = self.scores.get(metric)
        return None if score is None else score.reasoning or score.error


def scored_case(evaluation: Evaluation, scores: Iterable[Score] | None = None) -> ScoredCase:
    """Take what summaries read of an evaluation.

    Args:
        evaluation: the record.
        scores: those of the scorer version that counts; without, the evaluation's own, of each
            metric the last that has a value.
    """
    found: dict[str, Score] = {}
    for score in evaluation.scores if scores is None else scores:
        if score.value is not None or score.metric not in found:
            found[score.metric] = score
    return ScoredCase(case_of(evaluation), found)


Judgement = tuple[float | None, Verdict]
"""The overall of a case and its verdict."""


class WholeCases(Protocol):
    """Reads cases with their texts, scores and labels while a report is written."""

    def read(self, keys: Sequence[int]) -> Iterator[ScoredCase]:
        """Read the cases of evaluations, in the order of their keys."""

    def labels(self, key: int) -> tuple[Label, ...]:
        """Read people's current labels of an evaluation."""

    def humans(self, key: int) -> Mapping[str, Value]:
        """Give the human scores of an evaluation, those that people gave."""


class Lagging(NamedTuple):
    """What in a report mixes or lags behind, how much of it, and a sentence that says so."""

    what: str
    reason: str
    n: int
    text: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A list of responses on which families of metrics contradict each other.

    Attributes:
        title, meaning: what it is called, and what it says of a response.
        low, high: the metrics that are low and high on them, None where that does not matter.
        n: responses that have every value it needs.
        keys: the responses that are on it.
    """

    title: str
    meaning: str
    low: str | None
    high: str | None
    n: int
    keys: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCases:
    """What a report is made of.

    Attributes:
        rubric: with the pass mark that was asked for.
        left_out: runs that are not covered.
        keys: the evaluations, in the order of their arrival.
        cases: what figures are worked out from, without a text: of scores the numbers alone.
        scorers: whose scores count, by metric.
        judged: overall and verdict of every case, as all figures of the run have them.
        figures: what targets compare, over the same evaluations.
        whole: the same cases with their texts.
        lagging: what lags behind among the scores.
        contradictions: where families of metrics contradict each other, as the project has it.
    """

    rubric: Rubric
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    keys: tuple[int, ...]
    cases: tuple[ScoredCase, ...]
    scorers: Mapping[str, str | None]
    judged: tuple[Judgement, ...]
    figures: Mapping[str, Quantity]
    whole: WholeCases
    lagging: tuple[Lagging, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def present(values: Iterable[float | None]) -> list[float]:
    """Leave out what is missing or no finite number."""
    return [value for value in values if value is not None and math.isfinite(value)]


def mean(values: Iterable[float | None]) -> float | None:
    """Give the mean of what is there, the same in whatever order it comes."""
    found = present(values)
    return math.fsum(found) / len(found) if found else None


def share(part: int, whole: int) -> float | None:
    """Give a part of a whole, None of nothing."""
    return part / whole if whole else None


def percentile(ordered: Sequence[float], level: float) -> float | None:
    """Give the value that a share of `level` lies below, linear between neighbours as numpy's.

    Args:
        ordered: ascending.
        level: from 0 to 1.
    """
    if not ordered:
        return None
    place = level * (len(ordered) - 1)
    below = math.floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    part = place - below
    # from the nearer neighbour, so that the last digit is numpy's, too
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


FAST_BELOW_MS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Hold latencies in milliseconds; percentiles are linear between neighbours.

    Attributes:
        n: cases that carry a latency.
        fast_share: the share below one second.
    """

    n: int
    average: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    fast_share: float | None


def latency_figures(latencies: Iterable[float | None]) -> LatencyFigures:
    """Work out the figures of latencies in milliseconds."""
    found = sorted(present(latencies))
    return LatencyFigures(
        n=len(found),
        average=mean(found),
        p50=percentile(found, 0.5),
        p95=percentile(found, 0.95),
        p99=percentile(found, 0.99),
        fast_share=share(sum(1 for value in found if value < FAST_BELOW_MS), len(found)),
    )


@dataclass(frozen=True, slots=True)
class Operations:
    """Hold how a run performed.

    Attributes:
        warm, cold: the latencies of the cases whose cache was so.
        total_cost, average_cost: US dollars over the cases that carry a cost.
        template_match: matched, of all that say whether they were.
        direct_substitution: substituted, of all that matched; of none where no record says so.
    """

    latency: LatencyFigures
    warm: LatencyFigures
    cold: LatencyFigures
    total_cost: float | None
    average_cost: float | None
    n_cost: int
    template_match: float | None
    n_template: int
    direct_substitution: float | None
    n_direct: int

    @property
    def cache_p95(self) -> float | None:
        """Give how many milliseconds the cache saves at p95: cold − warm."""
        return _less(self.cold.p95, self.warm.p95)

    @property
    def cache_p99(self) -> float | None:
        """Give how many milliseconds the cache saves at p99: cold − warm."""
        return _less(self.cold.p99, self.warm.p99)

    def figures(self) -> dict[str, Quantity]:
        """Give latency, cost and templates by the names that targets use."""
        latency = self.latency
        return {
            "avg_cost_usd": Quantity(self.average_cost, self.n_cost),
            "avg_latency_ms": Quantity(latency.average, latency.n),
            "p95_latency_ms": Quantity(latency.p95, latency.n),
            "template_match_rate": Quantity(self.template_match, self.n_template),
            "direct_substitution_rate": Quantity(self.direct_substitution, self.n_direct),
        }

    def to_json(self) -> dict[str, JsonValue]:
        """Give all figures by name."""
        return {
            "latency_ms": asdict(self.latency),
            "warm": asdict(self.warm),
            "cold": asdict(self.cold),
            "cache_effect_ms": {"p95": self.cache_p95, "p99": self.cache_p99},
            "total_cost_usd": self.total_cost,
            "avg_cost_usd": self.average_cost,
            "template_match_rate": self.template_match,
            "direct_substitution_rate": self.direct_substitution,
        }


def operations_of(cases: Sequence[Case]) -> Operations:
    """Work out how the responses of cases came about."""
    return operations(
        [case.latency_ms for case in cases],
        [case.cost_usd for case in cases],
        [case.cache for case in cases],
        [case.template_matched for case in cases],
        [case.direct_substitution for case in cases],
    )


def operations(
    latencies: Sequence[float | None],
    costs: Iterable[float | None],
    caches: Sequence[object],
    matched: Sequence[object],
    substituted: Sequence[object],
) -> Operations:
    """Work out how responses came about, from columns of one length; what is unknown is left out.

    Args:
        latencies: milliseconds.
        costs: US dollars.
        caches: `warm` or `cold` where it is known.
        matched: whether a template was, true and false or 1 and 0 where it is known.
        substituted: whether it was directly, likewise.
    """
    paid = present(costs)
    says = sum(1 for x in matched if x in (0, 1))
    matches = [x for x, match in zip(substituted, matched, strict=True) if match == 1]
    n_direct = len(matches) if any(x in (0, 1) for x in substituted) else 0
    warm, cold = (
        [x for x, cache in zip(latencies, caches, strict=True) if cache == wanted]
        for wanted in ("warm", "cold")
    )
    return Operations(
        latency=latency_figures(latencies),
        warm=latency_figures(warm),
        cold=latency_figures(cold),
        total_cost=math.fsum(paid) if paid else None,
        average_cost=mean(paid),
        n_cost=len(paid),
        template_match=share(len(matches), says),
        n_template=says,
        direct_substitution=share(sum(1 for x in matches if x == 1), n_direct),
        n_direct=n_direct,
    )


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
