"""A metric over weeks: means, gap and agreement with intervals, and what may have moved them."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Literal

import numpy as np

from reviewer.domain.evaluation import to_micros
from reviewer.domain.run import DateBasis
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures import run_records
from reviewer.services.figures.bands import BandOrScore, Bounds, shown_adjusted
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_agreement import evidence_of
from reviewer.services.figures.statistics_blocks import GapBlock
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import is_overall
from reviewer.services.project.session import Session
from reviewer.stats.agreement import agreement
from reviewer.stats.clustering import mean_interval
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.draws import resampled
from reviewer.stats.intervals import INTERVALS_FROM, IntervalPolicy, containing
from reviewer.store import figures, rubrics
from reviewer.store.figures import UNDATED
from reviewer.store.project import Project

LABELS_FROM = 10
"""Labels that a point of the human mean needs."""
_WEEK = timedelta(days=7)
NO_MEANS = "Categories have no order, so there is no mean to follow over time."
NO_DATES: dict[DateBasis, str] = {
    "evaluation": "No evaluation in this scope and window has a date.",
    "chat": "No evaluation in this scope and window says when its chat was.",
}


@dataclass(frozen=True, slots=True)
class Spanned:
    """A figure of a week with its interval; None where too little is behind it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def ends(self) -> tuple[float, float] | None:
        """Give the interval, None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that may have moved the figures.

    Attributes:
        since: The first day of it.
        title: What stands beside its line.
        words: All of it in a line.
    """

    since: date
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Week:
    """One week with evaluations; a mean that is None has too little behind it.

    Attributes:
        start: Its Monday, in the project's time zone.
        n_auto: Evaluations with an auto score.
        n_human: Evaluations with a human score.
        n_labels: Labels behind these.
        human: People's mean, None below `LABELS_FROM` labels.
        gap: The mean of human − auto, from as many labels.
        agreement: The coefficient that suits the scale, from as many pairs as an interval takes.
        adjusted: What stands where their mean with the band of the whole scope added is shown.
    """

    start: date
    n_auto: int
    auto_mean: float | None
    n_human: int
    n_labels: int
    human: Spanned
    gap: Spanned
    agreement: Spanned
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
        gaps: Of the whole scope as of today: means, deviations, band and adjusted mean.
        n_undated: Evaluations in scope without a date, which are in no week.
        n_unscored: Evaluations in scope that the judge did not score.
        coefficient: The name in the catalogue of the agreement of weeks.
        level: Of all intervals.
        marks: What may have moved the figures, in the order of time.
        reason: Why there are no weeks.
    """

    metric: str
    title: str
    weeks: tuple[Week, ...]
    gaps: GapBlock
    as_of: date
    n_undated: int
    n_unscored: int
    coefficient: str
    level: float
    marks: tuple[Mark, ...] = ()
    reason: str = ""

    @property
    def upper(self) -> float | None:
        """Give the upper deviation, None where there is none."""
        return self.gaps.deviations.upper

    @property
    def lower(self) -> float | None:
        """Give the lower deviation, None where there is none."""
        return self.gaps.deviations.lower

    @property
    def band(self) -> BandOrScore:
        """Give what stands where the error band is shown."""
        return self.gaps.shown_band

    @property
    def has_labels(self) -> bool:
        """Tell whether any week has a gap."""
        return any(week.gap.value is not None for week in self.weeks)

    @property
    def has_agreement(self) -> bool:
        """Tell whether any week has an agreement; a scale without levels has none."""
        return any(week.agreement.value is not None for week in self.weeks)


def trend(
    frame: Frame,
    metric: str,
    basis: DateBasis = "evaluation",
    policy: IntervalPolicy | None = None,
) -> Trend:
    """Work out the weeks of a metric: all of them up to `as_of`, or those of an asked window.

    Args:
        frame: The columns, with the dates that `basis` says.
        metric: Its name.
        basis: Which dates these are.
        policy: By which intervals are made, that of the frame where it is not given.
    """
    policy = policy or frame.choices.policy
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
            _Sides(frame, table, weeks, policy),
            starts,
            _Adding(gaps.shown_band, table.metric.bounds, made_by.options),
        ),
        gaps=gaps,
        as_of=made_by.as_of,
        n_undated=int((table.dates == UNDATED).sum()),
        n_unscored=int((~table.has_auto).sum()),
        coefficient=table.metric.kind.coefficient,
        level=policy.level,
        reason=reason,
    )


Side = Literal["judged", "labelled", "compared"]
"""Which evaluations of a week: with an auto score, with a human score, with both that count."""


def keys_of(frame: Frame, metric: str, start: date, side: Side) -> Ints:
    """Give the evaluations of a week on one side."""
    table = frame.table.metrics[metric]
    weeks, starts = _weeks(frame, table.dates)
    sides = {
        "judged": table.has_auto,
        "labelled": table.has_human,
        "compared": table.both & frame.counted,
    }
    place = bisect_left(starts, start)
    if place == len(starts) or starts[place] != start:
        return frame.table.keys[:0]
    return np.asarray(frame.table.keys[(weeks == place) & sides[side]])


@dataclass(frozen=True, slots=True)
class _Sides:
    """What weeks are worked out from; `weeks` has the week of each evaluation, -1 for none."""

    frame: Frame
    table: MetricTable
    weeks: Ints
    policy: IntervalPolicy

    def human(self, place: int, labelled: Flags) -> Spanned:
        """Give people's mean in a week."""
        return self._mean(self.table.human.score, labelled & (self.weeks == place))

    def gap(self, place: int, labelled: Flags) -> Spanned:
        """Give the mean gap in a week."""
        there = labelled & np.isfinite(self.table.auto) & (self.weeks == place)
        return self._mean(self.table.human.score - self.table.auto, there & self.frame.counted)

    def agreement(self, place: int) -> Spanned:
        """Give the agreement of judge and people in a week."""
        whole, made_by = self.frame.table, self.frame.choices
        there = self.weeks == place
        n = int(np.count_nonzero(self.table.both & there & self.frame.counted))
        evidence = evidence_of(whole, self.table, made_by.options.counting, among=there)
        name = self.table.metric.kind.coefficient
        value = agreement(evidence)[name] if evidence.n_table >= INTERVALS_FROM else None
        if value is None:
            return Spanned(n=n)
        found = resampled(evidence, (name,), self.policy).get(name)
        if found is None:
            return Spanned(value, n=n)
        around = containing(found, value)
        return Spanned(value, around.low, around.high, n)

    def _mean(self, values: Floats, there: Flags) -> Spanned:
        clusters = self.frame.table.clusters
        found = mean_interval(
            values[there], None if clusters is None else clusters[there], self.policy.level
        )
        return Spanned(found.mean, found.low, found.high, found.n)


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


def _answers(sides: _Sides) -> Ints:
    """Count who answered each evaluation: an overall has as many as the part with the most."""
    if not is_overall(sides.table.metric):
        return np.asarray(sides.table.human.count, dtype=np.int64)
    whole = sides.frame.table
    counts = [whole.metrics[part.name].human.count for part in whole.overall_rule.parts]
    return np.asarray(np.maximum.reduce(counts), dtype=np.int64)


def _means(sides: _Sides, starts: tuple[date, ...], adding: _Adding) -> tuple[Week, ...]:
    size, people, auto = len(starts), sides.table.human, sides.table.auto
    placed = sides.weeks >= 0
    judged, labelled = placed & np.isfinite(auto), placed & np.isfinite(people.score)
    n_auto = np.bincount(sides.weeks[judged], minlength=size)
    n_human = np.bincount(sides.weeks[labelled], minlength=size)
    autos = np.bincount(sides.weeks[judged], weights=auto[judged], minlength=size)
    counts = _answers(sides)[labelled]
    labels = np.bincount(sides.weeks[labelled], weights=counts, minlength=size)
    edges = np.cumsum(n_auto)[:-1]
    in_order = np.argsort(sides.weeks[judged], kind="stable")
    by_week = np.split(auto[judged][in_order], edges) if size else []
    found = []
    for place, start in enumerate(starts):
        enough = labels[place] >= LABELS_FROM
        few = Spanned(n=int(n_human[place]))
        found.append(
            Week(
                start=start,
                n_auto=int(n_auto[place]),
                auto_mean=float(autos[place] / n_auto[place]) if n_auto[place] else None,
                n_human=int(n_human[place]),
                n_labels=int(labels[place]),
                human=sides.human(place, labelled) if enough else few,
                gap=sides.gap(place, labelled) if enough else few,
                agreement=sides.agreement(place) if enough else few,
                adjusted=adding.to(by_week[place]),
            )
        )
    return tuple(found)


def with_marks(session: Session, audit: Audit, found: Trend) -> Trend:
    """Add what may have moved the figures: other runs, judges and prompts, and other rubrics.

    Raises:
        ReviewerError: The scope names something that the project does not have any more.
    """
    project, scope, keys = session.project, audit.request.scope, audit.frame.table.keys
    runs = memory_of(session).look(project).evaluations(scope, covered(project, scope).within).runs
    names = {key: name for key, name, _ in figures.run_places(project)}
    rows = {names[key]: np.flatnonzero(np.isin(keys, mine)) for key, mine in runs.items()}
    return marked(project, audit.frame, found, rows)


def marked(project: Project, frame: Frame, found: Trend, runs: Mapping[str, Ints]) -> Trend:
    """Add the marks that lie among the weeks; `runs` are the rows of each run by its name."""
    if not found.weeks:
        return found
    first, last = found.weeks[0].start, found.weeks[-1].start + _WEEK
    made = [*_of_runs(frame, found.metric, runs), *_of_rubric(project, frame)]
    inside = (mark for mark in made if first <= mark.since < last)
    return replace(found, marks=tuple(sorted(inside, key=lambda mark: mark.since)))


def _of_runs(frame: Frame, metric: str, runs: Mapping[str, Ints]) -> Iterator[Mark]:
    """Say where a run begins and what judges it; the first run is no change."""
    table, zone = frame.table.metrics[metric], frame.choices.zone
    began: list[tuple[int, str]] = []
    for name, rows in runs.items():
        dates = table.dates[rows]
        dates = dates[dates != UNDATED]
        if dates.size:
            began.append((int(dates.min()), name))
    judged = {record.run: record.version for record in table.records}
    for (_, before), (since, name) in pairwise(sorted(began)):
        change = run_records.change_of(judged.get(before), judged.get(name))
        title = f"{name}, {change[0]}" if change else name
        day = project_days.day_of(since, zone)
        if day is not None:
            yield Mark(day, title, f"run {name}{f': {change[1]}' if change else ''}")


def _of_rubric(project: Project, frame: Frame) -> Iterator[Mark]:
    """Say when the rubric became another version; its first one is no change."""
    zone, rubric = frame.choices.zone, frame.table.rubric.name
    for version, at in rubrics.dates(project, rubric)[1:]:
        moment = to_micros(at)
        day = None if moment is None else project_days.day_of(moment, zone)
        if day is not None:
            yield Mark(day, f"rubric {version}", f"rubric {rubric} {version}")
