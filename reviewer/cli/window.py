"""The command that opens the window."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.options import takes
from reviewer.cli.showing import show
from reviewer.domain.errors import ProjectError


@dataclass(frozen=True, kw_only=True)
class OpenOptions:
    """What to show in the window."""

    project: Annotated[
        Path | None, typer.Argument(metavar="PROJECT", help="The project file.")
    ] = None
    open_id: Annotated[
        str | None,
        typer.Option("--open", metavar="ID", help="Show this evaluation, by its id or RUN/ID."),
    ] = None


@takes(OpenOptions)
def open_(options: OpenOptions) -> int:
    """Open the window, on a project where one is named."""
    if options.project is not None and not options.project.is_file():
        raise ProjectError(
            f"There is no project file {options.project}; "
            "`reviewer import` makes one from results, `reviewer demo` an example."
        )
    return show(options.project, options.open_id)
