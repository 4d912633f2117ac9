"""Open the window: on a project, on the demo, or only to paint every page."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli import console, showing
from reviewer.cli.console import out, reporting, say
from reviewer.cli.options import JsonOption, takes
from reviewer.cli.showing import show
from reviewer.domain.errors import ProjectError, ReviewerError
from reviewer.services.upkeep import projects


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


System = Literal["guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent"]


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Which demo to make."""

    project: Annotated[
        Path | None,
        typer.Argument(
            metavar="PROJECT",
            help="The file to make; default: a fresh one in the data folder.",
        ),
    ] = None
    system: Annotated[
        System | None,
        typer.Option("--system", help="The example of this evaluation system instead."),
    ] = None
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Make the project without opening the window.")
    ] = False
    json: JsonOption = False


@takes(DemoOptions)
def make_demo(options: DemoOptions) -> int:
    """Make the demo project and open it."""
    if not options.no_open:
        showing.require()
    with reporting("Making the demo") as progress:
        made = projects.make_demo(options.project, options.system, progress)
    if options.json:
        console.write({"project": str(made)})
    else:
        say(f"The demo project is {made}.")
    return 0 if options.no_open else show(made)


@dataclass(frozen=True, kw_only=True)
class TourOptions:
    """What to paint, and where."""

    to: Annotated[
        Path, typer.Argument(metavar="TO", help="The folder for the pictures.", show_default=False)
    ]
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="PROJECT", help="Show this project; default: the demo."),
    ] = None
    json: JsonOption = False


@takes(TourOptions)
def paint_tour(options: TourOptions) -> int:
    """Render every page, light and dark, to PNG files; needs no display."""
    if options.to.is_file():
        raise ReviewerError(f"{options.to} is a file; name a folder for the pictures.")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.project is not None:
        if not options.project.is_file():
            raise ReviewerError(f"There is no project file {options.project}.")
        return _paint(options.project, options)
    with tempfile.TemporaryDirectory() as folder, reporting("Making the demo") as progress:
        return _paint(projects.make_demo(Path(folder) / "demo.review", None, progress), options)


def _paint(project: Path, options: TourOptions) -> int:
    from reviewer.gui import tour as pages

    options.to.mkdir(parents=True, exist_ok=True)
    files = pages.render(project, options.to)
    if options.json:
        console.write({"files": [str(file) for file in files]})
    else:
        for file in files:
            out(str(file))
        say(f"{len(files)} pictures are in {options.to}.")
    return 0
