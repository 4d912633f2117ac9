"""How a project computes its figures: a preset, and the options that differ from it.

The window, the Audit page and the command line follow these, unless a request says otherwise.
Where the project keeps no preset, that of the rubric holds.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import astuple, dataclass

from reviewer.domain.change import FiguresChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import as_typed
from reviewer.services.project.session import Session, require_lead
from reviewer.stats.deviations import OF_TRUST, PRESETS, DeviationOptions, with_option
from reviewer.stats.limits import Limits
from reviewer.store.project import Project
from reviewer.store.watching import FIGURES

KEY = FIGURES
_LOG = logging.getLogger(__name__)
Changes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FigureSettings:
    """A preset, None for the rubric's own, and names and values of options that differ from it."""

    preset: str | None = None
    options: Changes = ()


def read(project: Project) -> FigureSettings:
    """Give a project's settings; what cannot be read is taken for the defaults."""
    text = project.setting(KEY)
    if not text:
        return FigureSettings()
    try:
        kept = json.loads(text)
        preset = None if kept["preset"] is None else str(kept["preset"])
        found = FigureSettings(preset, _changes(kept["options"]))
        _check(found)
    except (ValueError, TypeError, KeyError, AttributeError, ReviewerError):
        _LOG.warning("how figures are computed could not be read from the project")
        return FigureSettings()
    return found


def kept_options(project: Project, rubric: Rubric) -> DeviationOptions:
    """Give the options by which a project computes the figures of a rubric."""
    kept = read(project)
    return options_of(preset_of(kept, rubric), kept.options)


def write(project: Project, settings: FigureSettings) -> None:
    """Keep a project's settings.

    Raises:
        ReviewerError: There is no such preset or option, or a value does not fit.
    """
    _check(settings)
    kept = {"preset": settings.preset, "options": dict(settings.options)}
    project.set_setting(KEY, json.dumps(kept, ensure_ascii=False))


def resolved(project: Project, preset: str | None, options: Changes) -> FigureSettings:
    """Give what a request comes down to: a named preset leaves the project's settings aside."""
    if preset is not None:
        return FigureSettings(preset, options)
    kept = read(project)
    return FigureSettings(kept.preset, kept.options + options)


def preset_of(settings: FigureSettings, rubric: Rubric) -> str:
    """Give the preset that holds: the one that is asked for or kept, else the rubric's."""
    return settings.preset or rubric.preset


def options_of(preset: str, changes: Changes = ()) -> DeviationOptions:
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
            f"Option repeat_policy is {made.repeat_policy!r}; whether repeats count says the "
            "version of record, and how says the rubric's repeat_policy, so it can only be newest."
        )
    return made


def as_text(settings: FigureSettings) -> str:
    """Write the options that differ as a person types them."""
    return ", ".join(f"{name}={value}" for name, value in settings.options)


def change(session: Session, preset: str | None, text: str) -> None:
    """Let a project compute its figures otherwise, from a preset and options as typed.

    Without a preset that of the rubric holds.

    Raises:
        ReviewerError: An option is malformed, not known, or its value does not fit.
    """
    write(session.project, FigureSettings(preset, parsed(text)))
    session.publish(FiguresChanged())


def set_limits(session: Session, metric: str | None, limits: Limits | None) -> None:
    """Let a judge have to reach other limits, on one metric or on all without their own.

    Without limits the usual ones hold again.

    Raises:
        ReviewerError: Whoever asks is no lead, or a limit is none.
    """
    require_lead(session, "set the limits of trust", "Switch the labeler.")
    kept = read(session.project)
    before = "" if metric is None else f"{metric}:"
    names = [f"{before}trust_{one}" for one in OF_TRUST]
    others = tuple(x for x in kept.options if x[0] not in names)
    usual = options_of(kept.preset or "recommended", others).limits(None)
    own: Changes = ()
    if limits is not None:
        wanted, others_have = astuple(limits), astuple(usual)
        # what is as usual follows it when that changes
        own = tuple(
            (name, as_typed(value))
            for name, value, other in zip(names, wanted, others_have, strict=True)
            if value != other
        )
    write(session.project, FigureSettings(kept.preset, others + own))
    session.publish(FiguresChanged())


def parsed(text: str) -> Changes:
    """Read options as typed, each as NAME=VALUE, divided by commas.

    Raises:
        ReviewerError: An option is malformed.
    """
    found = []
    for part in filter(None, (piece.strip() for piece in text.replace(";", ",").split(","))):
        name, sign, value = part.partition("=")
        if not (sign and name.strip() and value.strip()):
            raise ReviewerError(f"{part!r} is no option; NAME=VALUE is expected.")
        found.append((name.strip(), value.strip()))
    return tuple(dict(found).items())


def _check(settings: FigureSettings) -> None:
    # which options there are and what they may be is the same under every preset
    options_of(settings.preset or "recommended", settings.options)


def _changes(options: Mapping[str, str]) -> Changes:
    return tuple((str(name), str(value)) for name, value in options.items())
