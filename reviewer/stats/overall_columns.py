"""The overall score of many evaluations at once: the same rules as `satisfaction`, in columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.satisfaction import OverallRule, Part

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.intp]
Columns = Mapping[str, Floats]

Verdicts = NDArray[np.int8]
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

    def counted(self, *, exclude_mixed: bool) -> Flags:
        """Tell which evaluations' gap makes deviations and band, whatever their date."""
        there = np.isfinite(self.gap)
        return np.asarray(there & ~self.mixed if exclude_mixed else there)


def overall_columns(auto: Columns, human: Columns, rule: OverallRule) -> OverallColumns:
    """Work out both overalls of n evaluations; columns of shape (n,) by metric name."""
    size = len(next(iter(auto.values()))) if auto else 0
    counted = [part for part in rule.parts if part.weight or not rule.require_weighted_label]
    labelled = np.zeros(size, dtype=np.bool_)
    for part in counted:
        labelled |= np.isfinite(human[part.name])
    found = OverallColumns(
        auto=weighted_means(auto, rule, size),
        human=np.full(size, np.nan),
        gap=np.full(size, np.nan),
        covered=np.zeros(size),
        mixed=np.zeros(size, dtype=np.bool_),
        labelled=labelled,
    )
    # most evaluations have no label: the human side is worked out for the others only
    rows = np.flatnonzero(labelled)
    known, given, merged, mixed = _merged(rows, (auto, human), rule, counted)
    found.human[rows] = weighted_means(merged, rule, rows.size)
    found.gap[rows] = found.human[rows] - found.auto[rows]
    found.covered[rows] = np.divide(given, known, out=np.zeros(rows.size), where=known > 0)
    found.mixed[rows] = mixed & np.isfinite(found.gap[rows])
    return found


def _merged(
    rows: Ints, sides: tuple[Columns, Columns], rule: OverallRule, counted: Sequence[Part]
) -> tuple[Floats, Floats, Columns, Flags]:
    """Put labels in the place of auto scores on some rows.

    Gives the weight that has a score or a label, that has a label, the scores by metric, and
    where a weighted metric without auto score is labelled.
    """
    known, given = np.zeros(rows.size), np.zeros(rows.size)
    mixed = np.zeros(rows.size, dtype=np.bool_)
    merged: dict[str, Floats] = {}
    for part in rule.parts:
        auto, human = (side[part.name][rows] for side in sides)
        has_auto, has_label = np.isfinite(auto), np.isfinite(human)
        if part not in counted:
            has_label[:] = False
        merged[part.name] = np.where(has_label, human, auto)
        if part.weight:
            mixed |= has_label & ~has_auto
        given += part.weight * has_label
        known += part.weight * (has_label | has_auto)
    return known, given, merged, mixed


def weighted_means(values: Columns, rule: OverallRule, size: int) -> Floats:
    """Give the weighted means on the overall's range, shape (n,), NaN where undefined."""
    onto = rule.range
    total, weight = np.zeros(size), np.zeros(size)
    missing = np.zeros(size, dtype=np.bool_)
    for part in rule.parts:
        column = values[part.name]
        there = np.isfinite(column)
        if there.all():
            total += part.weight * _brought(part, column, rule, onto)
            weight += part.weight
            continue
        brought = _brought(part, np.where(there, column, part.low), rule, onto)
        np.add(total, part.weight * brought, out=total, where=there)
        weight += part.weight * there
        if part.weight:
            missing |= ~there
    means: Floats = np.divide(total, weight, out=np.full(size, np.nan), where=weight > 0)
    if rule.missing == "null":
        means[missing] = np.nan
    return means


def verdict_columns(values: Columns, rule: OverallRule, *, need_all: bool = False) -> Verdicts:
    """Judge n evaluations by one side's scores: `PASS`, `FAIL` or `OPEN`, shape (n,)."""
    size = len(next(iter(values.values()))) if values else 0
    verdicts = np.full(size, OPEN, dtype=np.int8)
    known = np.zeros(size, dtype=np.bool_)
    for part in rule.parts:
        known |= np.isfinite(values[part.name])
    if known.all():
        return _verdicts(values, rule, verdicts, need_all=need_all)
    # where there is nothing at all, as on most of people's side, nothing need be worked out
    some = {part.name: values[part.name][known] for part in rule.parts}
    verdicts[known] = _verdicts(some, rule, verdicts[known], need_all=need_all)
    return verdicts


def _verdicts(
    values: Columns, rule: OverallRule, verdicts: Verdicts, *, need_all: bool
) -> Verdicts:
    if rule.passing == "every":
        return _every(values, rule, verdicts)
    if rule.passing == "none" or rule.pass_at is None:
        return verdicts
    means = weighted_means(values, rule, verdicts.size)
    known = np.isfinite(means)
    if need_all:
        for part in rule.parts:
            if part.weight:
                known &= np.isfinite(values[part.name])
    verdicts[known] = np.where(reached(means[known], rule.pass_at), PASS, FAIL)
    return verdicts


def _every(values: Columns, rule: OverallRule, verdicts: Verdicts) -> Verdicts:
    marked = [part for part in rule.parts if part.pass_at is not None]
    complete = np.full(verdicts.size, fill_value=bool(marked))
    failed = np.zeros(verdicts.size, dtype=np.bool_)
    for part in marked:
        column = values[part.name]
        there = np.isfinite(column)
        mark = part.pass_at or 0.0
        failed |= there & ~reached(column, mark, higher_is_better=part.higher_is_better)
        complete &= there
    verdicts[complete] = PASS
    verdicts[failed] = FAIL
    return verdicts


def reached(column: Floats, mark: float, *, higher_is_better: bool = True) -> Flags:
    """Compare values with a mark on 9 decimals, as `satisfaction.reaches` does one."""
    exact, mark = np.round(column, 9), round(mark, 9)
    return np.asarray(exact >= mark if higher_is_better else exact <= mark)


def _brought(part: Part, column: Floats, rule: OverallRule, onto: tuple[float, float]) -> Floats:
    turned = column if part.higher_is_better else part.low + part.high - column
    if (part.low, part.high) == onto:
        return turned
    if rule.rescale == "ratio":
        return turned * onto[1] / part.high
    return onto[0] + (turned - part.low) * (onto[1] - onto[0]) / (part.high - part.low)
