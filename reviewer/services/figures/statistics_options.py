"""The options of a request: a preset, what differs from it, and the window that follows."""

from dataclasses import dataclass, replace
from datetime import date, tzinfo

from msgspec import UNSET

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import options_of, preset_of
from reviewer.services.project import project_days
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.window import Window, window
from reviewer.store.project import Project


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
