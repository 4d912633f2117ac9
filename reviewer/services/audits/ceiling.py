"""How well people agree with each other, and how much of that the judge reaches with them."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.wording import counted, in_percent, percent, two, upper_first
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.findings.insights_source import LabelRows, Source, numbered
from reviewer.services.findings.insights_values import Topic
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.ceiling import NO_BOUND, NO_UNITS, Name, Reach, Units, reach, units_of
from reviewer.stats.intervals import Interval, IntervalPolicy

NOBODY = "nobody has labelled this here yet"
ONE_LABELER = "only one person has labelled: there is nobody to compare with"
NO_AUTO = "the judge scored none of the evaluations that two people labelled"
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class OwnRepeats:
    """How one person agrees with their own earlier labels."""

    labeler: str
    figures: tuple[Reach, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(Topic):
    """People among themselves and with the judge, on the same evaluations.

    Attributes:
        figures: By statistic, the one of the sentence first.
        keys: The evaluations behind them.
        repeats: Everybody who labelled something twice, by name.
    """

    figures: tuple[Reach, ...] = ()
    keys: Ints
    repeats: tuple[OwnRepeats, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Labels of evaluations that two people or more labelled, grouped by evaluation."""

    places: Ints
    groups: list[Floats]


def ceiling(source: Source, table: MetricTable) -> Ceiling:
    """Compare people with each other and with the judge on one metric."""
    rows = source.labels[table.metric.name]
    found = shared(rows)
    judged = np.isfinite(table.auto[found.places])
    places = found.places[judged]
    groups = [group for group, there in zip(found.groups, judged.tolist(), strict=True) if there]
    units = units_of(groups, table.auto[places], scale_of(table.metric))
    policy = IntervalPolicy(level=source.level, resamples=RESAMPLES)
    clusters = source.table.clusters
    figures = tuple(
        reach(units, name, policy, None if clusters is None else clusters[places])
        for name in _names(units)
    )
    reason = _reason(rows, found, figures)
    return Ceiling(
        sentence=upper_first(reason) if reason else _sentence(figures[0], source.level),
        reason=reason,
        figures=figures,
        keys=source.table.keys[places],
        repeats=_repeats(source, table, policy),
    )


def shared(rows: LabelRows) -> Shared:
    """Gather single labels by evaluation, where two people or more gave one."""
    order = np.argsort(rows.places, kind="stable")
    there, starts, counts = np.unique(rows.places[order], return_index=True, return_counts=True)
    parts = np.split(rows.values[order], starts[1:]) if there.size else []
    many = counts > 1
    return Shared(
        there[many], [part for part, kept in zip(parts, many.tolist(), strict=True) if kept]
    )


def _names(units: Units) -> tuple[Name, ...]:
    """Name the statistics that make sense, the usual one first."""
    if not units.ordered:
        return ("kappa", "percent")
    return ("kappa_quadratic",) if units.scale is None else ("kappa_quadratic", "percent", "kappa")


def _reason(rows: LabelRows, found: Shared, figures: tuple[Reach, ...]) -> str | None:
    if not rows.labelers.size:
        return NOBODY
    if np.unique(rows.labelers).size < 2:
        return ONE_LABELER
    if found.places.size and not figures[0].n:
        return NO_AUTO
    if not found.places.size:
        return NO_UNITS
    return figures[0].undefined.get("share")


def _repeats(source: Source, table: MetricTable, policy: IntervalPolicy) -> tuple[OwnRepeats, ...]:
    made = []
    for name, groups in sorted(source.relabelled.get(table.metric.name, {}).items()):
        values = [np.array(group) for group in numbered(table.metric, groups)]
        units = units_of(values, None, scale_of(table.metric))
        if len(units.sums):
            figures = tuple(reach(units, one, policy) for one in _names(units))
            made.append(OwnRepeats(name, figures))
    return tuple(made)


def _sentence(found: Reach, level: float) -> str:
    title = FIGURES[found.name].sign
    people, judge, share = found.people or 0.0, found.judge or 0.0, found.share or 0.0
    interval = found.intervals.get("share")
    around = "" if interval is None else f" ({_level(level)} {_ends(interval)})"
    said = (
        f"On {counted(found.n, 'evaluation')} that two people or more labelled, people agree "
        f"with each other at {title} {two(people)} and with the judge at {two(judge)}: "
    )
    if is_boundless(found):
        return f"{said}what share the judge reaches cannot be told, as {NO_BOUND}."
    said += f"the judge reaches {percent_of(share)} of what people reach{around}"
    return f"{said}{_verdict(interval)}."


def _verdict(interval: Interval | None) -> str:
    if interval is None:
        return ""
    if interval.high < 1:
        return ", less than one more person would"
    if interval.low > 1:
        return ", more than one more person would"
    return ", which may be as much as one more person would"


def _level(level: float) -> str:
    return f"{100 * level:g} %"


def _ends(interval: Interval) -> str:
    return f"{percent_of(interval.low)} to {percent_of(interval.high)}"


def percent_of(share: float) -> str:
    """Write a share that may be negative or above 1."""
    return percent(share) if 0 <= share <= 1 else in_percent(share, 0)


def is_boundless(found: Reach) -> bool:
    """Tell whether people agree so little that the share says nothing."""
    return found.undefined.get("interval") == NO_BOUND


def told(found: Reach, level: float) -> str:
    """Say one statistic in a sentence that stands alone."""
    if found.share is None:
        return f"{upper_first(FIGURES[found.name].sign)[:-1]}: {found.undefined['share']}."
    return _sentence(found, level)


def steps(found: Reach) -> tuple[Step, ...]:
    """Explain a statistic with its numbers."""
    drawn = "one label, drawn at random, beside"
    parts = [
        Step(
            "People among themselves",
            f"{FIGURES[found.name].sign} of {drawn} another person's on the same evaluation = "
            f"{_number(found.people)} ({counted(found.labels, 'label')} on "
            f"{counted(found.n, 'evaluation')}; every evaluation counts alike).",
        ),
        Step(
            "People and judge",
            f"{FIGURES[found.name].sign} of {drawn} the judge's score on the same evaluations = "
            f"{_number(found.judge)}.",
        ),
    ]
    if found.share is None:
        return (*parts, Step("Reached", upper_first(found.undefined["share"])))
    interval = found.intervals.get("share")
    around = f"{_ends(interval)}, from drawing evaluations again" if interval else "no interval"
    return (
        *parts,
        Step(
            "Reached",
            f"{_number(found.judge)} / {_number(found.people)} = {percent_of(found.share)} "
            f"({around}).",
        ),
    )


def _number(value: float | None) -> str:
    return "—" if value is None else two(value)
