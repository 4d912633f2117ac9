"""Options of commands as frozen tables, and the filters that several commands share."""

import contextlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from msgspec import UNSET, UnsetType

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.project.session import Session

Command = Callable[..., int]
"""A command as typer takes it: keyword arguments in, exit code out."""
Table = TypeVar("Table")
EVERY_RUN = "all"
"""The word of `--run` that pools all runs; the run of that name is asked for as `=all`."""

ProjectArgument = Annotated[
    Path, typer.Argument(metavar="PROJECT", help="The project file.", show_default=False)
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]


def takes(table: type[Table]) -> Callable[[Callable[[Table], int]], Command]:
    """Turn a function of one table of options into a command with these options."""
    hints = get_type_hints(table, include_extras=True)
    entries: tuple[Field[Any], ...] = fields(table)  # type: ignore[arg-type]
    parameters = [
        inspect.Parameter(
            entry.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(entry),
            annotation=hints[entry.name],
        )
        for entry in entries
    ]

    def wrap(function: Callable[[Table], int]) -> Command:
        def command(**given: object) -> int:
            return function(table(**given))

        command.__doc__ = function.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return wrap


def _default(entry: Field[Any]) -> object:
    if entry.default is not MISSING:
        return entry.default
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    return inspect.Parameter.empty


def pass_mark(session: Session, word: str | None, scope: Scope) -> float | None:
    """Read a pass mark: a number, or a name that the rubric of the scope's runs has for one.

    Raises:
        ReviewerError: It is neither, or the scope names something that is not there.
    """
    if word is None:
        return None
    with contextlib.suppress(ValueError):
        if math.isfinite(number := float(word)):
            return number
    # what reads figures is slow to load, and most who share this module read none
    from reviewer.services.figures.request import covered

    return covered(session.project, scope).rubric.pass_mark(word)


def pairs(texts: Sequence[str], option: str) -> tuple[tuple[str, str], ...]:
    """Split each NAME=VALUE at its first equals sign.

    Raises:
        ReviewerError: One has no equals sign or no name.
    """
    found = [
        (name.strip(), sign, value) for name, sign, value in (x.partition("=") for x in texts)
    ]
    for (name, sign, _), text in zip(found, texts, strict=True):
        if not (name and sign):
            raise ReviewerError(f"{option} {text!r}: NAME=VALUE is expected.")
    return tuple((name, value) for name, _, value in found)


def day(text: str | None, option: str) -> date | None:
    """Read a calendar date.

    Raises:
        ReviewerError: It is none.
    """
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ReviewerError(
            f"{option} {text!r}: a date is expected, such as 2026-11-20."
        ) from None


def named_runs(texts: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Read the runs that are named, and whether all are pooled instead.

    `=all` is the run called "all", `==all` that called "=all", and so on.

    Raises:
        ReviewerError: All runs and a single one are asked for at once.
    """
    pooled = EVERY_RUN in texts
    if pooled and any(text != EVERY_RUN for text in texts):
        raise ReviewerError(
            "--run all pools all runs, so no other run can be named beside it; a run that is "
            "called all is named --run =all."
        )
    if pooled:
        return (), True
    escaped = [text.startswith("=") and text.lstrip("=") == EVERY_RUN for text in texts]
    named = (text[1:] if mine else text for text, mine in zip(texts, escaped, strict=True))
    return tuple(named), False


def months(text: str | None) -> int | UnsetType | None:
    """Read the length of a window in months, `none` for no bound; unset where none is given.

    Raises:
        ReviewerError: It is neither.
    """
    if text is None:
        return UNSET
    if text.lower() == "none":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1200):
        raise ReviewerError(
            f"--window-months {text!r}: a whole number from 1, or none, is expected."
        )
    return int(text)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which evaluations, labels and scores count; shared by stats and export."""

    run: Annotated[
        list[str],
        typer.Option(
            "--run",
            metavar="NAME|all",
            help="This run; may be repeated. Figures cover the newest run unless told otherwise; "
            "all pools the runs of its rubric (a run called all is =all).",
        ),
    ] = field(default_factory=list)
    metric: Annotated[
        list[str],
        typer.Option("--metric", metavar="NAME", help="List only this metric; may be repeated."),
    ] = field(default_factory=list)
    labeler: Annotated[
        list[str],
        typer.Option(
            "--labeler",
            metavar="NAME",
            help="Only this person's labels, without decisions of a lead; may be repeated.",
        ),
    ] = field(default_factory=list)
    category: Annotated[
        list[str],
        typer.Option("--category", metavar="NAME", help="Only this category; may be repeated."),
    ] = field(default_factory=list)
    tag: Annotated[
        list[str], typer.Option("--tag", metavar="TAG", help="Only this tag; may be repeated.")
    ] = field(default_factory=list)
    scorer: Annotated[
        str | None,
        typer.Option("--scorer", metavar="NAME[@VERSION]", help="Whose auto scores count."),
    ] = None
    blind_only: Annotated[
        bool,
        typer.Option("--blind-only", help="Only labels given without sight of the auto score."),
    ] = False
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Last day of the window; default: today."),
    ] = None
    window_months: Annotated[
        str | None,
        typer.Option(
            "--window-months",
            metavar="N|none",
            help="Only what was evaluated in these months, for every figure; none: no bound at "
            "all. Without it deviations and bands alone look back six months.",
        ),
    ] = None
    where: Annotated[
        list[str],
        typer.Option(
            "--where", metavar="FIELD=VALUE", help="Only where a field is so; may be repeated."
        ),
    ] = field(default_factory=list)

    def scope(self) -> Scope:
        """Give the filters as the services take them.

        Raises:
            ReviewerError: A date, a window or a pair is malformed.
        """
        runs, every_run = named_runs(self.run)
        return Scope(
            runs=runs,
            every_run=every_run,
            metrics=tuple(self.metric),
            labelers=tuple(self.labeler),
            categories=tuple(self.category),
            tags=tuple(self.tag),
            scorer=self.scorer,
            blind_only=self.blind_only,
            as_of=day(self.as_of, "--as-of"),
            window_months=months(self.window_months),
            where=pairs(self.where, "--where"),
        )
