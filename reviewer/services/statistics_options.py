"""The options of a request: a preset, what differs from it, and the window that follows."""

from dataclasses import dataclass, replace
from datetime import date, tzinfo

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.services import project_days
from reviewer.stats.deviations import PRESETS, DeviationOptions, with_option
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.window import Window, window
from reviewer.store.project import Project

DEFAULT_MONTHS = Scope().window_months


@dataclass(frozen=True, slots=True)
class Choices:
    """How figures are made.

    Attributes:
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


def choices(
    project: Project,
    scope: Scope,
    *,
    preset: str = "published",
    options: tuple[tuple[str, str], ...] = (),
    policy: IntervalPolicy | None = None,
) -> Choices:
    """Read a request's options; the window of the scope wins over the option of that name.

    Raises:
        ReviewerError: There is no such preset or option, or a value does not fit.
    """
    name = project_days.zone_name(project)
    zone = project_days.zone_of(name)
    as_of = scope.as_of or project_days.today(zone)
    try:
        made = options_of(preset, options)
        if scope.window_months != DEFAULT_MONTHS:
            made = replace(made, window_months=scope.window_months, window_days=None)
        span = window(as_of, months=made.window_months, days=made.window_days)
    except ValueError as error:
        raise ReviewerError(str(error)) from error
    return Choices(
        options=made,
        changed=tuple(dict.fromkeys(name for name, _ in options)),
        as_of=as_of,
        span=span,
        zone=zone,
        zone_name=name,
        policy=policy or IntervalPolicy(),
    )


def options_of(preset: str, changes: tuple[tuple[str, str], ...] = ()) -> DeviationOptions:
    """Give a preset with some options changed.

    Raises:
        ReviewerError: There is no such preset or option, or a value does not fit.
    """
    if preset not in PRESETS:
        raise ReviewerError(f"There is no preset {preset!r}; there are: {', '.join(PRESETS)}.")
    made = PRESETS[preset]
    try:
        for name, text in changes:
            made = with_option(made, name, text)
    except ValueError as error:
        raise ReviewerError(str(error)) from error
    if made.repeat_policy != "newest":
        raise ReviewerError(
            f"Option repeat_policy is {made.repeat_policy!r}; figures take the newest of repeated "
            "scores by one scorer version, so it can only be newest."
        )
    return made
