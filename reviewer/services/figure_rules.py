"""What a rubric means to figures: scales, the overall's rule, pass marks, grades, derivations."""

import re
from typing import Literal

from msgspec import Struct

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import Value
from reviewer.scoring.overall import has_extent, part_of
from reviewer.stats.deviations import PUBLISHED, DeviationOptions
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import Scale

Way = Literal["min", "max", "mean", "weighted_mean"]
_DERIVED = re.compile(r"^\s*(min|max|mean)\s*\((.+)\)\s*$")


def scale_of(metric: Metric) -> Scale | None:
    """Give the declared scale; None for a range without levels and for measures."""
    if metric.scale == "categorical":
        return Scale(tuple(float(place) for place in range(len(metric.values))), ordered=False)
    return Scale(metric.grid) if metric.grid and metric.scale != "measure" else None


def scale_values(metric: Metric) -> tuple[Value, ...]:
    """Give the declared values as the rubric writes them, lowest first."""
    if metric.scale == "categorical":
        return metric.values
    if metric.scale == "binary":
        return (0, 1)
    return tuple(level.value for level in metric.sorted_levels) if scale_of(metric) else ()


def overall_rule(rubric: Rubric, options: DeviationOptions = PUBLISHED) -> OverallRule:
    """Give the rule of the overall; it has no parts where no metric takes part.

    The overall runs over the range that the weighted metrics share, or 0 to 1 where they differ.
    """
    parts = tuple(part_of(metric) for metric in rubric.overall_metrics if has_extent(metric))
    ranges = {(part.low, part.high) for part in parts if part.weight}
    return OverallRule(
        parts=parts,
        missing=rubric.missing,
        target=ranges.pop() if len(ranges) == 1 else None,
        rescale=options.rescale,
        passing=rubric.pass_rule,
        pass_at=rubric.pass_at,
        require_weighted_label=options.require_weighted_label,
    )


def verdict_rule(rubric: Rubric) -> OverallRule:
    """Give the rule of pass and fail: with `every`, derived metrics with a mark count too."""
    rule = overall_rule(rubric)
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


def derivations(rubric: Rubric) -> dict[str, Derivation]:
    """Give the derivations by metric, each after those that it needs."""
    found: dict[str, Derivation] = {}
    weighted = tuple(part.name for part in overall_rule(rubric).parts if part.weight)
    late: dict[str, Derivation] = {}
    for metric in rubric.metrics:
        text = metric.fallback or metric.derived or ""
        match = _DERIVED.match(text)
        if match:
            parts = tuple(x.strip() for x in match[2].split(","))
            if all(x in rubric.by_name and rubric.by_name[x].is_numeric for x in parts):
                found[metric.name] = Derivation(match[1], parts)  # type: ignore[arg-type]
        elif text == "weighted_mean" and weighted:
            late[metric.name] = Derivation("weighted_mean", weighted)
    return found | late
