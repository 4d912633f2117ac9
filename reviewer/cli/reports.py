"""Write reports for people who have no program, and keep how they are made as recipes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli import console
from reviewer.cli.console import answer, opened, out
from reviewer.cli.options import (
    Filters,
    JsonOption,
    ProjectArgument,
    named_runs,
    pairs,
    pass_mark,
    takes,
)
from reviewer.cli.table import DONE
from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.figures import known_names
from reviewer.services.project.session import Session
from reviewer.services.reporting import making, recipes
from reviewer.services.reporting.making import ReportRequest
from reviewer.services.reporting.recipes import Recipe

HTML = ".html"


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Filters):
    """What to report, where to and how."""

    project: ProjectArgument
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="TO",
            help="The file: .html, .pdf, .md or .json; may be left out with --recipe.",
            show_default=False,
        ),
    ] = None
    template: Annotated[
        str | None,
        typer.Option(
            "--template", metavar="NAME|FILE", help="One that ships, or a file of your own."
        ),
    ] = None
    top: Annotated[
        int,
        typer.Option("--top", min=0, max=1000, metavar="N", help="Best and worst cases told."),
    ] = 5
    passing_score: Annotated[
        str | None,
        typer.Option(
            "--passing-score",
            metavar="X|NAME",
            help="A pass mark in place of the rubric's, or the name of one, such as conservative.",
        ),
    ] = None
    preset: Annotated[
        Literal["published", "recommended"] | None,
        typer.Option("--preset", help="How deviations and adjusted scores are computed."),
    ] = None
    option: Annotated[
        list[str],
        typer.Option("--option", metavar="NAME=VALUE", help="Change one option of the preset."),
    ] = field(default_factory=list)
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help="Make the report of a recipe again."),
    ] = None
    keep_recipe: Annotated[
        str | None,
        typer.Option(
            "--keep-recipe",
            metavar="NAME",
            help="Keep these choices as a recipe; TO may hold {project}, {run} and {date}.",
        ),
    ] = None
    recipes: Annotated[bool, typer.Option("--recipes", help="List the recipes.")] = False
    json: JsonOption = False

    def request(self, session: Session) -> ReportRequest:
        """Give the report that is asked for.

        Raises:
            ReviewerError: A filter, an option or the pass mark is malformed.
        """
        return ReportRequest(
            scope=self.scope(),
            template=self.template,
            top=self.top,
            passing=pass_mark(session, self.passing_score, self.scope()),
            preset=self.preset,
            options=pairs(self.option, "--option"),
        )


@takes(ReportOptions)
def write_report(options: ReportOptions) -> int:
    """Report whether the judge can be trusted, what passes, where people differ, and more."""
    asked = (options.recipe, options.keep_recipe, options.recipes or None)
    if sum(one is not None for one in asked) > 1:
        raise ReviewerError("--recipe, --keep-recipe and --recipes do different things; name one.")
    with opened(options.project, tells=True) as session:
        session.sees_all = True
        if options.recipes:
            return _list(session, options)
        if options.recipe is not None:
            return _again(session, options, options.recipe)
        if options.keep_recipe is not None:
            return _keep(session, options, options.keep_recipe)
        if options.to is None:
            raise ReviewerError("Name the file to write (report.html), or a --recipe.")
        known_names.check(session.project, options.scope())
        return _write(session, options, Path(options.to), options.request(session))


def _list(session: Session, options: ReportOptions) -> int:
    found = recipes.every(session.project)
    if options.json:
        console.write({"recipes": [one.to_json() for one in found]})
        return DONE
    if not found:
        out("There is no recipe yet; --keep-recipe NAME keeps one.")
        return DONE
    rows = [
        (one.name, one.file, _runs(one.request.scope), one.request.template or "") for one in found
    ]
    console.table("Recipes", ("recipe", "file", "runs", "template"), rows)
    return DONE


def _runs(scope: Scope) -> str:
    return "all" if scope.every_run else ", ".join(scope.runs) or "the newest"


def _again(session: Session, options: ReportOptions, name: str) -> int:
    recipe = recipes.find(session.project, name)
    runs, every_run = named_runs(options.run)
    if options.request(session) != ReportRequest(scope=Scope(runs=runs, every_run=every_run)):
        raise ReviewerError(
            "A recipe has its own choices; beside --recipe only --run and a file can be named."
        )
    recipe = recipe.of_runs(runs, every_run=every_run)
    if options.to is None:
        to = recipes.file_of(session.project, recipe, Path())
    else:
        to = Path(options.to)
    try:
        return _write(session, options, to, recipe.request)
    except ReviewerError as error:
        raise ReviewerError(f"The recipe {recipe.name} cannot be made: {error}") from error


def _keep(session: Session, options: ReportOptions, name: str) -> int:
    request = options.request(session)
    pattern = recipes.PATTERN + HTML if options.to is None else Path(options.to).name
    making.kind_of(pattern, request)
    recipe = Recipe(name=name, file=pattern, request=request)
    recipe = recipes.keep(session.project, recipe)
    if options.to is None:
        document = {"recipe": recipe.to_json()}
        answer(document, f"The recipe {recipe.name} is kept.", as_json=options.json)
        return DONE
    to = recipes.file_of(session.project, recipe, Path(options.to).parent)
    return _write(session, options, to, request)


def _write(session: Session, options: ReportOptions, to: Path, request: ReportRequest) -> int:
    made = making.make(session.project, to, request, _print)
    answer(made.to_json(), f"{made.bytes:,} bytes in {made.file}", as_json=options.json)
    return DONE


def _print(text: str, to: Path, title: str) -> int:
    # Qt takes a while to load, and only print needs it
    from reviewer.gui import printing

    return printing.write(text, to, title)
