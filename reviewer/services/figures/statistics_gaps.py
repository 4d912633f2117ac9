"""Gaps, deviations, band and adjusted mean of a metric and of the overall, from columns."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reviewer.services.figures import derived_columns
from reviewer.services.figures.bands import (
    Band,
    BandOrScore,
    of_metrics,
    shown_adjusted,
    shown_band,
)
from reviewer.services.figures.derived_columns import all_blind
from reviewer.services.figures.figure_table import FigureTable, MetricTable, overall_dates
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import Choices
from reviewer.services.figures.statistics_blocks import GapBlock
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import is_overall
from reviewer.stats.clustering import mean_interval
from reviewer.stats.deviations import DeviationOptions, Deviations, deviations, no_gaps
from reviewer.stats.intervals import INTERVALS_FROM, Interval
from reviewer.stats.overall_columns import OverallColumns
from reviewer.stats.reasons import NO_PAIR, NO_SCORE, TOO_FEW, UNORDERED
from reviewer.stats.satisfaction import OverallRule

NO_METRIC = "no metric of the rubric takes part in an overall score"


@dataclass(frozen=True)
class Frame:
    """A table with the choices that figures are made by."""

    table: FigureTable
    choices: Choices

    def inside(self, table: MetricTable) -> Flags:
        """Tell which evaluations lie in the window of a metric."""
        return self._within(self.moments(table))

    def inside_overall(self, rule: OverallRule) -> Flags:
        """Tell which evaluations lie in the window of the overall."""
        return self._within(self.overall_moments(rule))

    def moments(self, table: MetricTable) -> Ints:
        """Give what the window of a metric bounds: when its labels or its scores were given."""
        return table.human.times if self.by_label else table.dates

    def overall_moments(self, rule: OverallRule) -> Ints:
        """Give what the window of the overall bounds."""
        return (label_times if self.by_label else overall_dates)(self.table, rule)

    def _within(self, moments: Ints) -> Flags:
        if moments is not self.table.dates:
            return project_days.inside(moments, self.choices.span, self.choices.zone)
        return self._inside_by_date

    @cached_property
    def _inside_by_date(self) -> Flags:
        found = project_days.inside(self.table.dates, self.choices.span, self.choices.zone)
        found.flags.writeable = False
        return found

    @cached_property
    def overall(self) -> GapBlock:
        """Work out the gaps of the overall."""
        options, rule = self.choices.options, self.table.overall_rule
        if not rule.parts:
            return _empty(dict.fromkeys((*_AUTO, *_HUMAN, _COVERAGE), NO_METRIC))
        found = self.table.overall()
        humans = {name: one.human for name, one in self.table.metrics.items()}
        inside = _used(self, rule, found)
        used = inside & ~self.left_out
        sides = _Sides(
            auto=found.auto,
            human=found.human,
            used=used,
            n_chosen=int(np.count_nonzero(inside & self.left_out)),
            has_human=np.isfinite(found.human),
            all_blind=all_blind(humans, rule.parts),
            moments=self.overall_moments(rule),
        )
        band = None
        if options.composite_band == "metrics":
            weighted = [part for part in rule.parts if part.weight]
            metrics = [metric_gaps(self, self.table.metrics[part.name]) for part in weighted]
            band = of_metrics([part.weight for part in weighted], [band_of(x) for x in metrics])
        coverage = _mean(found.covered[used])
        return _block(self, sides, bounds=rule.range, band=band, coverage=coverage, overall=True)

    @property
    def counted(self) -> Flags:
        """Tell which evaluations were not left out of agreement, since somebody chose them."""
        return ~self.table.selection.left_out(self.choices.options.selection)

    @cached_property
    def left_out(self) -> Flags:
        """Tell which evaluations make no gap, since somebody chose them."""
        options = self.choices.options
        rule = "all" if options.band_selection == "all" else options.selection
        return self.table.selection.left_out(rule)

    @property
    def by_label(self) -> bool:
        """Tell whether the window bounds the time of labelling, and not of evaluation."""
        return self.choices.options.window_date == "label"


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both sides of n evaluations; the rows of `used` make deviations and band.

    Attributes:
        n_chosen: How many would as well, had nobody chosen them.
    """

    auto: Floats
    human: Floats
    used: Flags
    n_chosen: int
    has_human: Flags
    all_blind: Flags
    moments: Ints


def metric_gaps(frame: Frame, table: MetricTable) -> GapBlock:
    """Work out the gaps of one metric; of the one that is the overall, the overall's."""
    if is_overall(table.metric):
        whole = overall_gaps(frame)
        why = {name: text for name, text in whole.undefined.items() if name != _COVERAGE}
        return replace(whole, coverage_mean=None, undefined=why)
    if not table.metric.is_numeric:
        return _named(frame, table)
    inside = table.both & frame.inside(table)
    sides = _Sides(
        auto=table.auto,
        human=table.human.score,
        used=inside & ~frame.left_out,
        n_chosen=int(np.count_nonzero(inside & frame.left_out)),
        has_human=table.has_human,
        all_blind=table.human.all_blind,
        moments=frame.moments(table),
    )
    return _block(frame, sides, bounds=table.metric.bounds)


def band_of(block: GapBlock) -> Band:
    """Give a metric's band, with what is still missing for it."""
    return Band(block.band, block.deviations.gate)


def overall_gaps(frame: Frame) -> GapBlock:
    """Work out the gaps of the overall."""
    return frame.overall


def _used(frame: Frame, rule: OverallRule, found: OverallColumns) -> Flags:
    """Tell which evaluations can make the overall's deviations."""
    return found.counted(exclude_mixed=frame.choices.options.exclude_mixed) & frame.inside_overall(
        rule
    )


def overall_rows(frame: Frame) -> tuple[Flags, Flags]:
    """Tell which evaluations have an overall auto score, and which make its deviations."""
    rule = frame.table.overall_rule
    if not rule.parts:
        nothing = np.zeros(frame.table.keys.size, dtype=np.bool_)
        return nothing, nothing
    found = frame.table.overall()
    return np.isfinite(found.auto), _used(frame, rule, found) & ~frame.left_out


def label_times(table: FigureTable, rule: OverallRule) -> Ints:
    """Give when each evaluation's newest label on the overall's metrics was given."""
    humans = {name: one.human for name, one in table.metrics.items()}
    return derived_columns.label_times(humans, rule.parts)


_COVERAGE = "coverage_mean"
_AUTO = ("auto_mean", "adjusted_mean")
_HUMAN = ("human_mean", "gap_mean")


def _block(
    frame: Frame,
    sides: _Sides,
    *,
    bounds: tuple[float, float] | None,
    band: Band | None = None,
    coverage: float | None = None,
    overall: bool = False,
) -> GapBlock:
    options = frame.choices.options
    rows = np.flatnonzero(sides.used)
    if frame.choices.options.top_which == "recent":
        dates = sides.moments
        zone = frame.choices.zone
        days = [project_days.day_of(int(dates[row]), zone) for row in rows]
        ids = [str(key) for key in frame.table.keys[rows].tolist()]
        places = [(day.toordinal() if day else 0, key) for day, key in zip(days, ids, strict=True)]
        rows = rows[sorted(range(rows.size), key=places.__getitem__)]
    found = deviations(np.asarray(sides.human[rows] - sides.auto[rows]).tolist(), options)
    band = Band(found.band, found.gate) if band is None else band
    judged = np.isfinite(sides.auto)
    autos = sides.auto if judged.all() else sides.auto[judged]
    auto_mean, human_mean = _mean(autos), _mean(sides.human[sides.used])
    held = None
    if options.clip == "hard" and bounds:
        held = _mean(np.clip(autos + band.value, *bounds))
    n_human = int(np.count_nonzero(sides.has_human))
    shown = shown_band(band, n_labelled=found.n_labelled, n_human=n_human)
    return GapBlock(
        n_auto=int(autos.size),
        n_human=n_human,
        n_blind=int(np.count_nonzero(sides.used & sides.all_blind)),
        auto_mean=auto_mean,
        human_mean=human_mean,
        deviations=found,
        band=band.value,
        adjusted_mean=None if auto_mean is None else auto_mean + band.value,
        shown_band=shown,
        shown_adjusted=shown_adjusted(auto_mean, shown, bounds=bounds, options=options, held=held),
        capped=is_capped(auto_mean, band.value, bounds, options),
        coverage_mean=coverage,
        intervals=_intervals(frame, sides, judged),
        n_chosen=sides.n_chosen,
        undefined=_undefined(found, auto_mean, human_mean, overall=overall),
    )


def _intervals(frame: Frame, sides: _Sides, judged: Flags) -> dict[str, Interval]:
    level, whole = frame.choices.policy.level, frame.table.clusters
    gaps = sides.human - sides.auto
    found: dict[str, Interval] = {}
    for name, values, rows in (
        ("auto_mean", sides.auto, judged),
        ("human_mean", sides.human, sides.used),
        ("gap_mean", gaps, sides.used),
    ):
        if np.count_nonzero(rows) < INTERVALS_FROM:
            continue
        clusters = None if whole is None else whole[rows]
        interval = mean_interval(values[rows], clusters, level).interval
        if interval is not None:
            found[name] = interval
    return found


def is_capped(
    auto_mean: float | None,
    band: float,
    bounds: tuple[float, float] | None,
    options: DeviationOptions,
) -> bool:
    """Tell whether a screen shows the end of the scale instead of an adjusted mean."""
    if auto_mean is None or bounds is None or options.clip == "none":
        return False
    return not round(bounds[0], 9) <= round(auto_mean + band, 9) <= round(bounds[1], 9)


def _undefined(
    found: Deviations, auto_mean: float | None, human_mean: float | None, *, overall: bool
) -> dict[str, str]:
    undefined: dict[str, str] = {}
    if auto_mean is None:
        undefined.update(dict.fromkeys(_AUTO, NO_SCORE))
    if human_mean is None:
        undefined.update(dict.fromkeys(_HUMAN, NO_PAIR))
        if overall:
            undefined[_COVERAGE] = NO_PAIR
    for name, value in (("upper_deviation", found.upper), ("lower_deviation", found.lower)):
        if value is None:
            undefined[name] = TOO_FEW
    return undefined


def _named(frame: Frame, table: MetricTable) -> GapBlock:
    """Count categories: no value is higher than another, so there is no gap."""
    inside = table.has_auto & np.isfinite(table.human.score) & frame.inside(table)
    used = inside & ~frame.left_out
    same = int((table.auto[used] == table.human.score[used]).sum())
    return replace(
        _empty(dict.fromkeys((*_AUTO, *_HUMAN, "n_higher", "n_lower"), UNORDERED)),
        n_auto=int(table.has_auto.sum()),
        n_human=int(table.has_human.sum()),
        n_blind=int((used & table.human.all_blind).sum()),
        deviations=no_gaps(int(used.sum()), same),
        ordered=False,
        n_chosen=int(np.count_nonzero(inside & frame.left_out)),
    )


def _empty(undefined: dict[str, str]) -> GapBlock:
    why = next(iter(undefined.values()))
    return GapBlock(
        n_auto=0,
        n_human=0,
        n_blind=0,
        auto_mean=None,
        human_mean=None,
        deviations=no_gaps(0),
        band=0.0,
        adjusted_mean=None,
        shown_band=BandOrScore(reason=why),
        shown_adjusted=BandOrScore(reason=why),
        undefined=undefined | dict.fromkeys(("upper_deviation", "lower_deviation"), why),
    )


def _mean(values: Floats) -> float | None:
    return float(values.sum() / values.size) if values.size else None
