"""What a rubric means to figures: scales, the overall's rule, pass marks, grades, derivations."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from msgspec import Struct

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring import overall
from reviewer.scoring.overall import has_extent, part_of
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.satisfaction import OverallRule, weighted_mean
from reviewer.stats.values import Scale

NO_RULE = OverallRule(parts=())
"""For what is derived of parts without a weight."""
Way = Literal["min", "max", "mean", "weighted_mean"]
_DERIVED = re.compile(r"^\s*(min|max|mean)\s*\((.+)\)\s*$")


def scale_of(metric: Metric) -> Scale | None:
    """Give the declared scale; None for a range without levels and for measures."""
    if not metric.is_numeric:
        return Scale(tuple(float(place) for place in range(len(metric.values))), ordered=False)
    return Scale(metric.grid) if metric.grid and metric.kind.is_answered else None


def furthest_gaps(metric: Metric) -> float:
    """Give how far two mean gaps can be apart on a metric's scale."""
    low, high = metric.bounds or (-math.inf, math.inf)
    return 2 * (high - low)


def scale_values(metric: Metric) -> tuple[Value, ...]:
    """Give the declared values as the rubric writes them, lowest first."""
    return metric.kind.values if scale_of(metric) else ()


def value_of(metric: Metric, number: float) -> Value | None:
    """Give a number of the columns as people write it: whole numbers whole, categories by name."""
    return metric.kind.value_of(number) if math.isfinite(number) else None


def overall_rule(rubric: Rubric, options: DeviationOptions) -> OverallRule:
    """Give the rule of the overall; it has no parts where no metric takes part.

    The overall runs over the range that the weighted metrics share, or 0 to 1 where they differ.
    """
    return replace(
        overall.overall_rule(rubric),
        rescale=options.rescale,
        require_weighted_label=options.require_weighted_label,
    )


def verdict_rule(rubric: Rubric, options: DeviationOptions) -> OverallRule:
    """Give the rule of pass and fail: with `every`, derived metrics with a mark count too."""
    rule = overall_rule(rubric, options)
    if rubric.pass_rule != "every":
        return rule
    marked = [m for m in rubric.metrics if m.pass_at is not None and has_extent(m)]
    return OverallRule(parts=tuple(map(part_of, marked)), passing="every")


class Derivation(Struct, frozen=True):
    """How a metric without a value of its own follows from others.

    Attributes:
        parts: Names of the metrics; for `weighted_mean` those of the overall.
    """

    way: Way
    parts: tuple[str, ...]


def is_overall(metric: Metric) -> bool:
    """Tell whether a metric is the overall itself, under a name of the rubric's own."""
    text = metric.fallback or metric.derived or ""
    return metric.derived is not None and text.strip() == "weighted_mean"


def derivations(rubric: Rubric) -> dict[str, Derivation]:
    """Give the derivations by metric, each after those that it needs."""
    found: dict[str, Derivation] = {}
    weighted = tuple(part.name for part in overall.overall_rule(rubric).parts if part.weight)
    late: dict[str, Derivation] = {}
    for metric in rubric.metrics:
        text = (metric.fallback or metric.derived or "").strip()
        match = _DERIVED.match(text)
        if match:
            parts = tuple(x.strip() for x in match[2].split(","))
            if all(x in rubric.by_name and rubric.by_name[x].is_numeric for x in parts):
                found[metric.name] = Derivation(match[1], parts)  # type: ignore[arg-type]
        elif text == "weighted_mean" and weighted:
            late[metric.name] = Derivation("weighted_mean", weighted)
    return found | late


def derive(derivation: Derivation, values: Mapping[str, float], rule: OverallRule) -> float | None:
    """Work out a derived value of complete parts."""
    some = [values[part] for part in derivation.parts]
    match derivation.way:
        case "min":
            return min(some)
        case "max":
            return max(some)
        case "mean":
            return sum(some) / len(some)
        case "weighted_mean":
            return weighted_mean(values, rule)
