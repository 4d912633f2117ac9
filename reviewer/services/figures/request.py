"""What a request covers and asks: evaluations of one rubric, options over a preset, windows.

The window that a scope puts on every figure is another than the look-back of deviations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo

import numpy as np
from msgspec import UNSET

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import options_of, preset_of
from reviewer.services.figures.filtered import found_by
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions, Window, window
from reviewer.stats.intervals import IntervalPolicy
from reviewer.store import figures, reading
from reviewer.store.project import Project
from reviewer.store.scoping import Condition, among, counted, narrowed


@dataclass(frozen=True, slots=True)
class Choices:
    """How figures are made.

    Attributes:
        preset: The preset that the options start from.
        as_of: The last day of the window, in the project's time zone.
        changed: Names of the options that differ from the preset.
        look_back: The days that bound means of labelled evaluations, deviations and band alone,
            in words; nothing where they bound every figure or none.
    """

    options: DeviationOptions
    changed: tuple[str, ...]
    as_of: date
    span: Window
    zone: tzinfo
    zone_name: str
    policy: IntervalPolicy
    preset: str
    look_back: str = ""


def choices(
    project: Project,
    scope: Scope,
    rubric: Rubric,
    *,
    preset: str | None = None,
    options: tuple[tuple[str, str], ...] = (),
    policy: IntervalPolicy | None = None,
) -> Choices:
    """Read a request's options; the window of the scope wins over the option of that name.

    Without a preset the project's own settings hold, or the rubric's preset where it keeps none,
    with `options` changed besides.

    Raises:
        ReviewerError: There is no such preset or option, or a value does not fit.
    """
    name = project_days.zone_name(project)
    zone = project_days.zone_of(name)
    as_of = scope.as_of or project_days.today(zone)
    kept = figure_settings.resolved(project, preset, options)
    preset = preset_of(kept, rubric)
    made = options_of(preset, kept.options)
    _check_metrics(rubric, [of for of, sign, _ in (x.rpartition(":") for x, _ in options) if sign])
    try:
        if scope.window_months is not UNSET:
            made = replace(made, window_months=scope.window_months, window_days=None)
        span = window(as_of, months=made.window_months, days=made.window_days)
    except ValueError as error:
        raise ReviewerError(str(error)) from error
    return Choices(
        options=made,
        preset=preset,
        changed=tuple(dict.fromkeys(name for name, _ in kept.options)),
        as_of=as_of,
        span=span,
        zone=zone,
        zone_name=name,
        policy=policy or IntervalPolicy(),
        look_back=look_back(made, None if scope.as_of is None else as_of)
        if scope.window_months is UNSET or span.start is None
        else "",
    )


def look_back(options: DeviationOptions, as_of: date | None) -> str:
    """Say how far the options look back: from a day, or from today; nothing without a bound."""
    if options.window_days is not None:
        length = _counted(options.window_days, "day")
    elif options.window_months is not None:
        length = _counted(options.window_months, "month")
    else:
        # later days make no gap, whatever the window
        return "" if as_of is None else f"up to {as_of}"
    return f"last {length}" if as_of is None else f"{length} to {as_of}"


def _counted(n: int, unit: str) -> str:
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"


def bounded(project: Project, scope: Scope, within: Condition) -> Condition:
    """Narrow a condition to the evaluations that the window of a scope lets in, if it has one.

    Those are in it that are themselves, or by any of their scores; which counts for a metric is
    told with its columns.
    """
    found = project_days.asked_window(project, scope)
    if found is None:
        return within
    columns = figures.read_evaluations(project, within)
    by_chat = scope.dates == "chat"
    dates = figures.read_chat_dates(project, within) if by_chat else columns.dates
    keys = np.frombuffer(columns.keys, np.int64)
    inside = project_days.inside(np.frombuffer(dates, np.int64), *found)
    if not by_chat:
        scored = np.array(figures.scored_times(project), dtype=np.int64).reshape(-1, 2)
        inside = inside | np.isin(keys, scored[project_days.inside(scored[:, 1], *found), 0])
    return among(within, keys[inside].tolist())


@dataclass(frozen=True, slots=True)
class Covered:
    """The runs that figures cover.

    Attributes:
        left_out: The other runs: all of the project where none is named, else those of other
            rubrics among the named ones.
        within: The condition on evaluations.
    """

    rubric: Rubric
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    within: Condition


def covered(project: Project, scope: Scope) -> Covered:
    """Find the runs of a scope: the newest, the named ones, or all of the newest one's rubric.

    Named runs of another rubric than the last of them are left out.

    Raises:
        ReviewerError: The scope names a run or metric that is not there, its filter cannot be
            understood, or there is no run.
    """
    runs = figures.run_places(project)
    if not runs:
        raise ReviewerError(
            f"{project.path.name} holds no run yet; import evaluation results first."
        )
    known = {name for _, name, _ in runs}
    for name in scope.runs:
        if name not in known:
            there = ", ".join(sorted(known))
            raise ReviewerError(f"There is no run {name!r} in this project; there are: {there}.")
    named = [run for run in runs if not scope.runs or run[1] in scope.runs]
    asked = named if scope.runs or scope.every_run else runs[-1:]
    rubric_key = asked[-1][2]
    rubric = reading.rubrics(project.conn)[rubric_key]
    _check_metrics(rubric, scope.metrics)
    mine = [run for run in asked if run[2] == rubric_key]
    within = counted(scope, [key for key, _, _ in mine])
    if scope.filter:
        within = narrowed(within, found_by(Session.onlooker(project, scope.viewer), scope.filter))
    within = bounded(project, scope, within)
    return Covered(
        rubric=rubric,
        runs=tuple(name for _, name, _ in mine),
        left_out=tuple(run[1] for run in named if run not in mine),
        within=within,
    )


def _check_metrics(rubric: Rubric, names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in rubric.by_name]
    if unknown:
        there = ", ".join(rubric.by_name)
        raise ReviewerError(
            f"The rubric {rubric.name} has no metric {unknown[0]!r}; it has: {there}."
        )
