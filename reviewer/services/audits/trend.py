"""Auto and human means over weeks, with today's band and deviations on every point."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo

import numpy as np

from reviewer.domain.evaluation import to_micros
from reviewer.domain.run import DateBasis
from reviewer.services.figures.bands import BandOrScore, Bounds, shown_adjusted
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps
from reviewer.services.project import project_days
from reviewer.stats.deviations import DeviationOptions
from reviewer.store.figures import UNDATED

LABELS_FROM = 10
"""Labels that a point of the human mean needs."""
_WEEK = timedelta(days=7)
NO_MEANS = "Categories have no order, so there is no mean to follow over time."
NO_DATES: dict[DateBasis, str] = {
    "evaluation": "No evaluation in this scope and window has a date.",
    "chat": "No evaluation in this scope and window says when its chat was.",
}


@dataclass(frozen=True, slots=True)
class Week:
    """One week with evaluations; a mean that is None has too little behind it.

    Attributes:
        start: Its Monday, in the project's time zone.
        n_auto: Evaluations with an auto score.
        n_human: Evaluations with a human score.
        n_labels: Labels behind these.
        human_mean: None below `LABELS_FROM` labels.
        adjusted: What stands where their mean with the band of the whole scope added is shown.
    """

    start: date
    n_auto: int
    auto_mean: float | None
    n_human: int
    n_labels: int
    human_mean: float | None
    adjusted: BandOrScore

    @property
    def name(self) -> str:
        """Name the week as calendars do."""
        year, number, _ = self.start.isocalendar()
        return f"week {number}, {year}"


@dataclass(frozen=True, slots=True)
class Trend:
    """A metric over weeks; weeks without evaluations are left out.

    Attributes:
        upper, lower: The deviations of the whole scope as of today, None where there are none.
        band: What stands where the error band as of today is shown.
        n_undated: Evaluations in scope without a date, which are in no week.
        reason: Why there are no weeks.
    """

    metric: str
    title: str
    weeks: tuple[Week, ...]
    upper: float | None
    lower: float | None
    band: BandOrScore
    as_of: date
    n_undated: int
    reason: str = ""


def trend(frame: Frame, metric: str, basis: DateBasis = "evaluation") -> Trend:
    """Work out the weeks of a metric: all of them up to `as_of`, or those of an asked window.

    `basis` says which dates the frame holds.
    """
    table, made_by = frame.table.metrics[metric], frame.choices
    gaps = metric_gaps(frame, table)
    weeks, starts = _weeks(frame, table.dates)
    reason = NO_DATES[basis] if not starts else ""
    if not table.metric.is_numeric:
        starts, reason = (), NO_MEANS
    return Trend(
        metric=metric,
        title=table.metric.heading,
        weeks=_means(
            _Sides(
                weeks,
                table.auto,
                table.human.score,
                np.asarray(table.human.count),
            ),
            starts,
            _Adding(gaps.shown_band, table.metric.bounds, made_by.options),
        ),
        upper=gaps.deviations.upper,
        lower=gaps.deviations.lower,
        band=gaps.shown_band,
        as_of=made_by.as_of,
        n_undated=int((table.dates == UNDATED).sum()),
        reason=reason,
    )


def keys_of(frame: Frame, metric: str, start: date, *, labelled: bool) -> Ints:
    """Give the evaluations of a week with an auto score, or with a human score."""
    table = frame.table.metrics[metric]
    weeks, starts = _weeks(frame, table.dates)
    wanted = table.has_human if labelled else table.has_auto
    place = bisect_left(starts, start)
    if place == len(starts) or starts[place] != start:
        return frame.table.keys[:0]
    return np.asarray(frame.table.keys[(weeks == place) & wanted])


@dataclass(frozen=True, slots=True)
class _Sides:
    """What weeks are worked out from: the week of each evaluation, -1 for none, and its scores."""

    weeks: Ints
    auto: Floats
    human: Floats
    labels: Ints


@dataclass(frozen=True, slots=True)
class _Adding:
    """The band that is added to the auto scores of every week."""

    band: BandOrScore
    bounds: Bounds | None
    options: DeviationOptions

    def to(self, autos: Floats) -> BandOrScore:
        """Show the adjusted mean of some auto scores."""
        held, band = None, self.band.value
        if self.options.clip == "hard" and self.bounds and band is not None and autos.size:
            held = float(np.clip(autos + band, *self.bounds).mean())
        return shown_adjusted(
            float(autos.mean()) if autos.size else None,
            self.band,
            bounds=self.bounds,
            options=self.options,
            held=held,
        )


def _weeks(frame: Frame, dates: Ints) -> tuple[Ints, tuple[date, ...]]:
    """Number the week of every evaluation, -1 without one, and give the weeks' Mondays."""
    zone, span = frame.choices.zone, frame.choices.span
    if frame.choices.look_back:
        # what bounds deviations alone leaves no week out
        span = replace(span, start=None)
    there: Flags = (dates != UNDATED) & project_days.inside(dates, span, zone)
    weeks = np.full(dates.size, -1, dtype=np.int64)
    first, last = _days(dates[there], zone)
    if first is None or last is None:
        return weeks, ()
    monday = first - timedelta(days=first.weekday())
    mondays = [monday]
    while mondays[-1] + _WEEK <= last:
        mondays.append(mondays[-1] + _WEEK)
    edges = np.array([_micros(day, zone) for day in mondays], dtype=np.int64)
    weeks[there] = np.searchsorted(edges, dates[there], side="right") - 1
    used, numbered = np.unique(weeks[there], return_inverse=True)
    weeks[there] = numbered
    return weeks, tuple(mondays[place] for place in used.tolist())


def _days(dates: Ints, zone: tzinfo) -> tuple[date | None, date | None]:
    if not dates.size:
        return None, None
    return (
        project_days.day_of(int(dates.min()), zone),
        project_days.day_of(int(dates.max()), zone),
    )


def _micros(day: date, zone: tzinfo) -> int:
    return to_micros(datetime.combine(day, time(), zone).isoformat()) or 0


def _means(sides: _Sides, starts: tuple[date, ...], adding: _Adding) -> tuple[Week, ...]:
    size = len(starts)
    placed = sides.weeks >= 0
    judged, labelled = placed & np.isfinite(sides.auto), placed & np.isfinite(sides.human)
    n_auto = np.bincount(sides.weeks[judged], minlength=size)
    n_human = np.bincount(sides.weeks[labelled], minlength=size)
    autos = np.bincount(sides.weeks[judged], weights=sides.auto[judged], minlength=size)
    humans = np.bincount(sides.weeks[labelled], weights=sides.human[labelled], minlength=size)
    labels = np.bincount(sides.weeks[labelled], weights=sides.labels[labelled], minlength=size)
    edges = np.cumsum(n_auto)[:-1]
    in_order = np.argsort(sides.weeks[judged], kind="stable")
    by_week = np.split(sides.auto[judged][in_order], edges) if size else []
    found = []
    for place, start in enumerate(starts):
        auto = float(autos[place] / n_auto[place]) if n_auto[place] else None
        enough = labels[place] >= LABELS_FROM
        found.append(
            Week(
                start=start,
                n_auto=int(n_auto[place]),
                auto_mean=auto,
                n_human=int(n_human[place]),
                n_labels=int(labels[place]),
                human_mean=float(humans[place] / n_human[place]) if enough else None,
                adjusted=adding.to(by_week[place]),
            )
        )
    return tuple(found)
