"""The overall of many evaluations: the rules of `satisfaction` in columns, and label by label."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.deviations import PUBLISHED, DeviationOptions, Window
from reviewer.stats.figures import Figures, GapWindow, Key, figures_of, overall_figures
from reviewer.stats.satisfaction import Overall, OverallRule, Part
from reviewer.stats.tally import AutoSums, DrawnTally
from reviewer.stats.values import Counting

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


class SatisfactionTally:
    """Keep the figures of the overall while people label.

    `put` the overall of every evaluation in scope, worked out with `require_weighted_label` off;
    the options decide at reading which of them count. Both presets are kept up to date; other
    combinations are worked out when asked for.

    Attributes:
        autos: The overalls of automatic scores. `put` counts its own in; evaluations that nobody
            labelled can be counted here alone, and taken out before their first `put`.
    """

    __slots__ = ("_chosen", "_drawn", "_every", "_overalls", "_rule", "_scope", "autos", "span")

    def __init__(self, span: Window, rule: Counting, scope: DrawnTally) -> None:
        """Start empty."""
        self.span = span
        self.autos = AutoSums()
        self._rule = rule
        self._scope = scope
        self._chosen: set[Key] = set()
        self._overalls: dict[Key, tuple[Overall, date | None]] = {}
        self._every = {kept: GapWindow(span) for kept in _KEPT}
        self._drawn: dict[tuple[bool, bool], GapWindow] | None = None

    def __len__(self) -> int:
        """Count the evaluations that were put."""
        return len(self._overalls)

    def get(self, key: Key) -> Overall | None:
        """Give an evaluation's overall."""
        found = self._overalls.get(key)
        return found[0] if found else None

    def is_chosen(self, key: Key) -> bool:
        """Tell whether somebody chose an evaluation that is in."""
        return key in self._chosen

    def put(
        self, key: Key, found: Overall | None, day: date | None = None, *, chosen: bool = False
    ) -> None:
        """Set an evaluation's overall, or take it out with None.

        Args:
            key: the evaluation.
            found: its overall.
            day: its date.
            chosen: whether somebody chose it, as `Pair.chosen`.
        """
        self._drop(key)
        if found is None:
            return
        if chosen:
            if self._drawn is None:
                self._drawn = {kept: window.copy() for kept, window in self._every.items()}
            self._chosen.add(key)
        self._overalls[key] = (found, day)
        if found.auto is not None:
            self.autos.add(found.auto)
        if found.gap is not None and found.human is not None:
            for kept, window in self._windows(chosen=chosen):
                if _takes(kept, found):
                    window.put(key, day, found.gap, found.human, found.covered)

    def load(self, overalls: Iterable[tuple[Key, Overall, date | None, bool]]) -> None:
        """Set many new evaluations' overalls: key, overall, date, and whether it was chosen."""
        every = list(overalls)
        found = {key: (one, day) for key, one, day, chosen in every if not chosen}
        self._overalls.update(found)
        known = Counter(one.auto for one, _ in found.values() if one.auto is not None)
        for auto, count in known.items():
            self.autos.add(auto, count)
        for kept, window in self._windows(chosen=False):
            window.load(
                (key, day, one.gap, one.human, one.covered)
                for key, (one, day) in found.items()
                if one.gap is not None and one.human is not None and _takes(kept, one)
            )
        for key, one, day, chosen in every:
            if chosen:
                self.put(key, one, day, chosen=True)

    def _windows(self, *, chosen: bool) -> Iterator[tuple[tuple[bool, bool], GapWindow]]:
        """Go through the windows that an evaluation enters."""
        yield from self._every.items()
        if self._drawn is not None and not chosen:
            yield from self._drawn.items()

    def _drop(self, key: Key) -> None:
        before = self._overalls.pop(key, None)
        if before is None:
            return
        if before[0].auto is not None:
            self.autos.remove(before[0].auto)
        for _, window in self._windows(chosen=False):
            window.drop(key)
        self._chosen.discard(key)
        if not self._chosen:
            self._drawn = None

    def move(self, span: Window) -> None:
        """Change the window, as on a new day."""
        self.span = span
        for _, window in self._windows(chosen=False):
            window.move(span)

    def _leaves_out(self, options: DeviationOptions) -> bool:
        return options.band_selection == "drawn" and self._scope.leaves_out(self._rule)

    def _window(self, options: DeviationOptions) -> GapWindow | None:
        kept = (options.exclude_mixed, options.require_weighted_label)
        leaves_out = self._drawn is not None and self._leaves_out(options)
        return (self._drawn or {} if leaves_out else self._every).get(kept)

    def figures(self, options: DeviationOptions = PUBLISHED) -> Figures:
        """Read the figures, equal to `overall_figures` over all evaluations."""
        window = self._window(options)
        if window is None:
            left_out = self._chosen if self._leaves_out(options) else frozenset[Key]()
            return overall_figures(self._overalls, self.span, options, left_out)
        return figures_of(
            (self.autos.n, self.autos.mean()),
            window.human_mean(),
            window.deviations(options),
            coverage_mean=window.covered_mean(),
        )

    def gaps(self, options: DeviationOptions = PUBLISHED) -> Iterator[tuple[float, int]]:
        """Go through the distinct gaps inside the window and their counts, lowest first."""
        window = self._window(options)
        return window.inside.items() if window else iter(())


def _takes(kept: tuple[bool, bool], found: Overall) -> bool:
    """Tell whether an overall counts without mixed ones, with labels of weight only, or both."""
    no_mixed, weighted = kept
    return not (no_mixed and found.mixed) and (found.covered > 0 or not weighted)


_KEPT = ((False, False), (True, True))
