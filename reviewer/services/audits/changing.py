"""A rubric with other pass marks, weights or rules."""

from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, PassRule, Rubric
from reviewer.scoring.overall import has_extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is tried; everything else stays as it is.

    Attributes:
        marks: Metrics with another pass mark, None for no mark.
        weights: Metrics with another weight.
        pass_rule: Another rule of pass and fail.
        pass_at: Another mark of the overall.
        preset: Another preset of deviations, without what the page's options change.
        options: Names and values of options that differ from the preset, or from the page's.
    """

    marks: tuple[tuple[str, float | None], ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    pass_rule: PassRule | None = None
    pass_at: float | None = None
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Tell whether nothing is tried at all."""
        return self == Change()


def changed_rubric(rubric: Rubric, change: Change) -> Rubric:
    """Give the rubric as it would be.

    Raises:
        ReviewerError: A metric is not there, a weight is negative, a mark lies off the scale, or
            the rule of the overall has no mark.
    """
    marks, weights = dict(change.marks), dict(change.weights)
    unknown = [name for name in (*marks, *weights) if name not in rubric.by_name]
    if unknown:
        raise ReviewerError(f"The rubric {rubric.name} has no metric {unknown[0]!r}.")
    metrics = tuple(
        _changed(metric, marks.get(metric.name, metric.pass_at), weights.get(metric.name))
        for metric in rubric.metrics
    )
    pass_at = rubric.pass_at if change.pass_at is None else change.pass_at
    pass_rule = change.pass_rule or rubric.pass_rule
    if pass_rule == "overall" and pass_at is None:
        raise ReviewerError("Verdicts by the overall need its pass mark; give one.")
    return replace(rubric, metrics=metrics, pass_rule=pass_rule, pass_at=pass_at)


def _changed(metric: Metric, mark: float | None, weight: float | None) -> Metric:
    if weight is not None and not 0 <= weight < np.inf:
        raise ReviewerError(f"{metric.heading}: a weight is 0 or more, not {weight:g}.")
    if mark is not None and mark != metric.pass_at:
        if not has_extent(metric) or metric.bounds is None:
            raise ReviewerError(f"{metric.heading} has no range, so it takes no pass mark.")
        low, high = metric.bounds
        if not low <= mark <= high:
            raise ReviewerError(
                f"{metric.heading} runs from {low:g} to {high:g}; a pass mark of {mark:g} lies "
                "outside."
            )
    return replace(metric, pass_at=mark, weight=metric.weight if weight is None else weight)
