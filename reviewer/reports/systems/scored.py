"""A case with its scores, and averages that are None where there is nothing to count."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.values import as_number
from reviewer.scoring.case import Case, case_of


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
