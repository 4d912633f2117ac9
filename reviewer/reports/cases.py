"""The cases that a report is made of, and averages that are None where nothing is counted."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.label import Label
from reviewer.domain.rubric import Rubric
from reviewer.domain.values import Value, as_number
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
    """Give the value that a share of `level` lies below, linear between neighbours.

    Args:
        ordered: ascending.
        level: from 0 to 1.
    """
    if not ordered:
        return None
    place = level * (len(ordered) - 1)
    below = math.floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low + (high - low) * (place - below)
