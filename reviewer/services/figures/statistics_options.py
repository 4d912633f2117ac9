"""The options of a request: a preset, what differs from it, and the window that follows."""

from dataclasses import dataclass, replace
from datetime import date, tzinfo

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import options_of
from reviewer.services.project import project_days
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.window import Window, window
from reviewer.store.project import Project

DEFAULT_MONTHS = Scope().window_months


@dataclass(frozen=True, slots=True)
class Choices:
    """How figures are made.

    Attributes:
        preset: The preset that the options start from.
        as_of: The last day of the window, in the project's time zone.
        changed: Names of the options that differ from the preset.
    """

    options: DeviationOptions
    changed: tuple[str, ...]
    as_of: date
    span: Window
    zone: tzinfo
    zone_name: str
    policy: IntervalPolicy
    preset: str = "published"


def choices(
    project: Project,
    scope: Scope,
    *,
    preset: str | None = None,
    options: tuple[tuple[str, str], ...] = (),
    policy: IntervalPolicy | None = None,
) -> Choices:
    """Read a request's options; the window of the scope wins over the option of that name.

    Without a preset the project's own settings hold, with `options` changed besides.

    Raises:
        ReviewerError: There is no such preset or option, or a value does not fit.
    """
    name = project_days.zone_name(project)
    zone = project_days.zone_of(name)
    as_of = scope.as_of or project_days.today(zone)
    kept = figure_settings.resolved(project, preset, options)
    made = options_of(kept.preset, kept.options)
    try:
        if scope.window_months != DEFAULT_MONTHS:
            made = replace(made, window_months=scope.window_months, window_days=None)
        span = window(as_of, months=made.window_months, days=made.window_days)
    except ValueError as error:
        raise ReviewerError(str(error)) from error
    return Choices(
        options=made,
        preset=kept.preset,
        changed=tuple(dict.fromkeys(name for name, _ in kept.options)),
        as_of=as_of,
        span=span,
        zone=zone,
        zone_name=name,
        policy=policy or IntervalPolicy(),
    )
