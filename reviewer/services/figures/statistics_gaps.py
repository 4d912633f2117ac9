"""Gaps, deviations, band and adjusted mean of a metric and of the overall, from columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_blocks import GapBlock
from reviewer.services.figures.statistics_options import Choices
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import overall_rule
from reviewer.stats.deviations import DeviationOptions, Deviations, composite_band, deviations
from reviewer.stats.overall_columns import OverallColumns, overall_columns
from reviewer.stats.reasons import UNORDERED
from reviewer.stats.satisfaction import OverallRule

NO_SCORE = "no auto score in scope"
NO_PAIR = "no evaluation inside the window has both scores"
TOO_FEW = "too few labelled evaluations on this side"
NO_METRIC = "no metric of the rubric takes part in an overall score"


@dataclass(frozen=True)
class Frame:
    """A table with the choices that figures are made by."""

    table: FigureTable
    choices: Choices

    def inside(self, times: Ints) -> Flags:
        """Tell which evaluations lie in the window; `times` are those of their labels."""
        return self._within(times) if self.by_label else self._inside_by_date

    @cached_property
    def _inside_by_date(self) -> Flags:
        found = self._within(self.table.dates)
        found.flags.writeable = False
        return found

    def _within(self, moments: Ints) -> Flags:
        return project_days.inside(moments, self.choices.span, self.choices.zone)

    def dates(self, times: Ints) -> Ints:
        """Give the moments that the window bounds, of evaluations or of their labels."""
        return times if self.by_label else self.table.dates

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
    times: Ints


def metric_gaps(frame: Frame, table: MetricTable) -> GapBlock:
    """Work out the gaps of one metric."""
    if table.metric.scale == "categorical":
        return _named(frame, table)
    inside = table.both & frame.inside(table.human.times)
    sides = _Sides(
        auto=table.auto,
        human=table.human.score,
        used=inside & ~frame.left_out,
        n_chosen=int(np.count_nonzero(inside & frame.left_out)),
        has_human=table.has_human,
        all_blind=table.human.all_blind,
        times=table.human.times,
    )
    return _block(frame, sides, bounds=table.metric.bounds)


def overall_gaps(frame: Frame, metrics: Mapping[str, GapBlock]) -> GapBlock:
    """Work out the gaps of the overall; `metrics` are those of all numeric metrics."""
    options = frame.choices.options
    rule = overall_rule(frame.table.rubric, options)
    if not rule.parts:
        return _empty(dict.fromkeys((*_AUTO, *_HUMAN, "coverage_mean"), NO_METRIC))
    found = overall_columns(frame.table.autos(), frame.table.humans(), rule)
    blind = _all_blind(frame.table, rule)
    inside, times = _used(frame, rule, found)
    used = inside & ~frame.left_out
    sides = _Sides(
        auto=found.auto,
        human=found.human,
        used=used,
        n_chosen=int(np.count_nonzero(inside & frame.left_out)),
        has_human=np.isfinite(found.human),
        all_blind=blind,
        times=times,
    )
    band = None
    if options.composite_band == "metrics":
        weighted = [part for part in rule.parts if part.weight]
        band = composite_band(
            [part.weight for part in weighted], [metrics[part.name].band for part in weighted]
        )
    coverage = _mean(found.covered[used])
    return _block(frame, sides, bounds=rule.range, band=band, coverage=coverage, overall=True)


def _used(frame: Frame, rule: OverallRule, found: OverallColumns) -> tuple[Flags, Ints]:
    """Tell which evaluations can make the overall's deviations, and when they were labelled."""
    # a million moments are read only where the window bounds them
    times = label_times(frame.table, rule) if frame.by_label else frame.table.dates
    return counted(found, frame.choices.options) & frame.inside(times), times


def overall_rows(frame: Frame) -> tuple[Flags, Flags]:
    """Tell which evaluations have an overall auto score, and which make its deviations."""
    rule = overall_rule(frame.table.rubric, frame.choices.options)
    if not rule.parts:
        nothing = np.zeros(frame.table.keys.size, dtype=np.bool_)
        return nothing, nothing
    found = overall_columns(frame.table.autos(), frame.table.humans(), rule)
    return np.isfinite(found.auto), _used(frame, rule, found)[0] & ~frame.left_out


def counted(found: OverallColumns, options: DeviationOptions) -> Flags:
    """Tell which evaluations' overall gap makes deviations and band, whatever their date."""
    there = np.isfinite(found.gap)
    return np.asarray(there & ~found.mixed if options.exclude_mixed else there)


def label_times(table: FigureTable, rule: OverallRule) -> Ints:
    """Give when each evaluation's newest label on the overall's metrics was given."""
    return reduce(np.maximum, (table.metrics[part.name].human.times for part in rule.parts))


def _all_blind(table: FigureTable, rule: OverallRule) -> Flags:
    blind = np.ones(table.keys.size, dtype=np.bool_)
    for part in rule.parts:
        one = table.metrics[part.name]
        blind &= ~one.has_human | one.human.all_blind
    return blind


_AUTO = ("auto_mean", "adjusted_mean")
_HUMAN = ("human_mean", "gap_mean")


def _block(
    frame: Frame,
    sides: _Sides,
    *,
    bounds: tuple[float, float] | None,
    band: float | None = None,
    coverage: float | None = None,
    overall: bool = False,
) -> GapBlock:
    options = frame.choices.options
    gaps = _in_order(frame, sides)
    found = deviations(gaps.tolist(), options)
    band = found.band if band is None else band
    judged = np.isfinite(sides.auto)
    autos = sides.auto if judged.all() else sides.auto[judged]
    auto_mean, human_mean = _mean(autos), _mean(sides.human[sides.used])
    shifted = None if auto_mean is None else auto_mean + band
    if shifted is not None and options.clip == "hard" and bounds:
        shifted = _mean(adjusted(autos, band, bounds, options))
    return GapBlock(
        n_auto=int(autos.size),
        n_human=int(np.count_nonzero(sides.has_human)),
        n_blind=int(np.count_nonzero(sides.used & sides.all_blind)),
        auto_mean=auto_mean,
        human_mean=human_mean,
        deviations=found,
        band=band,
        adjusted_mean=shifted,
        capped=is_capped(auto_mean, band, bounds, options),
        coverage_mean=coverage,
        n_chosen=sides.n_chosen,
        undefined=_undefined(found, auto_mean, human_mean, overall=overall),
    )


def adjusted(
    autos: Floats, band: float, bounds: tuple[float, float] | None, options: DeviationOptions
) -> Floats:
    """Add the band to auto scores; with `clip=hard` none leaves the scale."""
    moved = autos + band
    if options.clip == "hard" and bounds:
        moved = np.clip(moved, *bounds)
    return np.asarray(moved)


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


def _in_order(frame: Frame, sides: _Sides) -> Floats:
    rows = np.flatnonzero(sides.used)
    if frame.choices.options.top_which == "recent":
        dates = frame.dates(sides.times)
        zone = frame.choices.zone
        days = [project_days.day_of(int(dates[row]), zone) for row in rows]
        ids = [str(key) for key in frame.table.keys[rows].tolist()]
        places = [(day.toordinal() if day else 0, key) for day, key in zip(days, ids, strict=True)]
        rows = rows[sorted(range(rows.size), key=places.__getitem__)]
    return np.asarray(sides.human[rows] - sides.auto[rows])


def _undefined(
    found: Deviations, auto_mean: float | None, human_mean: float | None, *, overall: bool
) -> dict[str, str]:
    undefined: dict[str, str] = {}
    if auto_mean is None:
        undefined.update(dict.fromkeys(_AUTO, NO_SCORE))
    if human_mean is None:
        undefined.update(dict.fromkeys(_HUMAN, NO_PAIR))
        if overall:
            undefined["coverage_mean"] = NO_PAIR
    for name, value in (("upper_deviation", found.upper), ("lower_deviation", found.lower)):
        if value is None:
            undefined[name] = TOO_FEW
    return undefined


def _named(frame: Frame, table: MetricTable) -> GapBlock:
    """Count categories: no value is higher than another, so there is no gap."""
    inside = table.both & frame.inside(table.human.times)
    used = inside & ~frame.left_out
    same = int((table.auto[used] == table.human.score[used]).sum())
    block = _empty(
        dict.fromkeys((*_AUTO, *_HUMAN, "n_higher", "n_lower"), UNORDERED), n=int(used.sum())
    )
    return GapBlock(
        n_auto=int(table.has_auto.sum()),
        n_human=int(table.has_human.sum()),
        n_blind=int((used & table.human.all_blind).sum()),
        auto_mean=None,
        human_mean=None,
        deviations=_no_gaps(int(used.sum()), same),
        band=0.0,
        adjusted_mean=None,
        ordered=False,
        n_chosen=int(np.count_nonzero(inside & frame.left_out)),
        undefined=block.undefined,
    )


def _no_gaps(n: int, same: int = 0) -> Deviations:
    return Deviations(
        n_labelled=n,
        n_higher=0,
        n_lower=0,
        n_equal=same,
        upper=None,
        lower=None,
        band=0.0,
        status="none",
        gap_mean=None,
        kept_upper=0,
        kept_lower=0,
        band_source="none",
    )


def _empty(undefined: dict[str, str], n: int = 0) -> GapBlock:
    why = next(iter(undefined.values()))
    return GapBlock(
        n_auto=0,
        n_human=0,
        n_blind=0,
        auto_mean=None,
        human_mean=None,
        deviations=_no_gaps(n),
        band=0.0,
        adjusted_mean=None,
        undefined=undefined | dict.fromkeys(("upper_deviation", "lower_deviation"), why),
    )


def _mean(values: Floats) -> float | None:
    return float(values.sum() / values.size) if values.size else None
