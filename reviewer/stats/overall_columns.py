"""The overall score of many evaluations at once: the same rules as `satisfaction`, in columns."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.satisfaction import OverallRule, Part

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Columns = Mapping[str, Floats]

PASS, FAIL, OPEN = 1, 0, -1
"""Codes of a verdict column: passed, failed, and incomplete or without a rule."""


@dataclass(frozen=True, slots=True)
class OverallColumns:
    """Hold the overall of n evaluations; NaN stands for a missing value inside the columns.

    Attributes:
        auto: shape (n,), weighted mean of the auto scores.
        human: shape (n,), the same with the label where there is one.
        gap: shape (n,), human minus auto.
        covered: shape (n,), labelled share of the weight that has a label or an auto score.
        mixed: shape (n,), True where a weighted metric without auto score is labelled.
        labelled: shape (n,), True where at least one label counts.
    """

    auto: Floats
    human: Floats
    gap: Floats
    covered: Floats
    mixed: Flags
    labelled: Flags


def overall_columns(auto: Columns, human: Columns, rule: OverallRule) -> OverallColumns:
    """Work out both overalls of n evaluations; columns of shape (n,) by metric name."""
    size = len(next(iter(auto.values()))) if auto else 0
    labelled_weight, known_weight = np.zeros(size), np.zeros(size)
    any_label, without_auto = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    merged: dict[str, Floats] = {}
    for part in rule.parts:
        has_label = np.isfinite(human[part.name])
        if not part.weight and rule.require_weighted_label:
            has_label = np.zeros(size, dtype=np.bool_)
        has_auto = np.isfinite(auto[part.name])
        merged[part.name] = np.where(has_label, human[part.name], auto[part.name])
        any_label |= has_label
        if part.weight:
            without_auto |= has_label & ~has_auto
        labelled_weight += part.weight * has_label
        known_weight += part.weight * (has_label | has_auto)
    auto_overall = weighted_means(auto, rule, size)
    human_overall = np.where(any_label, weighted_means(merged, rule, size), np.nan)
    gap = human_overall - auto_overall
    return OverallColumns(
        auto=auto_overall,
        human=human_overall,
        gap=gap,
        covered=np.divide(
            labelled_weight, known_weight, out=np.zeros(size), where=known_weight > 0
        ),
        mixed=without_auto & np.isfinite(gap),
        labelled=any_label,
    )


def weighted_means(values: Columns, rule: OverallRule, size: int) -> Floats:
    """Give the weighted means on the overall's range, shape (n,), NaN where undefined."""
    onto = rule.range
    total, weight = np.zeros(size), np.zeros(size)
    missing = np.zeros(size, dtype=np.bool_)
    for part in rule.parts:
        column = values[part.name]
        there = np.isfinite(column)
        brought = _brought(part, np.where(there, column, part.low), rule, onto)
        np.add(total, part.weight * brought, out=total, where=there)
        weight += part.weight * there
        if part.weight:
            missing |= ~there
    means: Floats = np.divide(total, weight, out=np.full(size, np.nan), where=weight > 0)
    if rule.missing == "null":
        means[missing] = np.nan
    return means


def verdict_columns(
    values: Columns, rule: OverallRule, *, need_all: bool = False
) -> NDArray[np.int8]:
    """Judge n evaluations by one side's scores: `PASS`, `FAIL` or `OPEN`, shape (n,)."""
    size = len(next(iter(values.values()))) if values else 0
    verdicts = np.full(size, OPEN, dtype=np.int8)
    if rule.passing == "every":
        return _every(values, rule, verdicts)
    if rule.passing == "none" or rule.pass_at is None:
        return verdicts
    means = np.round(weighted_means(values, rule, size), 9)
    known = np.isfinite(means)
    if need_all:
        for part in rule.parts:
            if part.weight:
                known &= np.isfinite(values[part.name])
    verdicts[known] = np.where(means[known] >= round(rule.pass_at, 9), PASS, FAIL)
    return verdicts


def _every(values: Columns, rule: OverallRule, verdicts: NDArray[np.int8]) -> NDArray[np.int8]:
    marked = [part for part in rule.parts if part.pass_at is not None]
    complete = np.full(verdicts.size, fill_value=bool(marked))
    failed = np.zeros(verdicts.size, dtype=np.bool_)
    for part in marked:
        column = values[part.name]
        there = np.isfinite(column)
        mark = round(part.pass_at or 0.0, 9)
        exact = np.round(column, 9)
        failed |= there & ((exact < mark) if part.higher_is_better else (exact > mark))
        complete &= there
    verdicts[complete] = PASS
    verdicts[failed] = FAIL
    return verdicts


def _brought(part: Part, column: Floats, rule: OverallRule, onto: tuple[float, float]) -> Floats:
    turned = column if part.higher_is_better else part.low + part.high - column
    if (part.low, part.high) == onto:
        return turned
    if rule.rescale == "ratio":
        return turned * onto[1] / part.high
    return onto[0] + (turned - part.low) * (onto[1] - onto[0]) / (part.high - part.low)
