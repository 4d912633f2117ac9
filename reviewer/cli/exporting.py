"""Write evaluations, labels, disagreements, consensus or a report to a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli.console import answer, opened, reporting, say
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.wording import counted
from reviewer.services.reporting import making
from reviewer.services.transfer import exporting
from reviewer.services.transfer.exporting import ExportRequest


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Filters):
    """What to export, where to and how."""

    project: ProjectArgument
    to: Annotated[
        Path,
        typer.Argument(
            metavar="TO", help="The file; its suffix chooses the format.", show_default=False
        ),
    ]
    what: Annotated[
        Literal["evaluations", "labels", "disagreements", "consensus"],
        typer.Option(
            "--what",
            help="Evaluations, the label history, where opinions differ, or what people say "
            "together.",
        ),
    ] = "evaluations"
    labels: Annotated[
        Literal["each", "mean", "adjudicated"],
        typer.Option("--labels", help="Every entry, the people's mean, or the decided value."),
    ] = "each"
    format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="The format, whatever the name.")
    ] = None
    json: JsonOption = False


@takes(ExportOptions)
def export_file(options: ExportOptions) -> int:
    """Export evaluations, labels, disagreements or consensus; the file is whole or not there."""
    request = ExportRequest(
        what=options.what,
        labels=options.labels,
        format=options.format,
        filters=options.scope(),
    )
    with (
        opened(options.project) as session,
        reporting("Exporting") as progress,
    ):
        made = exporting.export(session.project, options.to, request, progress)
    if made.files:
        say(f"Beside it: {counted(made.files, 'picture or file', 'pictures and files')}.")
    words = f"{counted(made.rows, 'row')}, {made.bytes:,} bytes in {made.file}"
    answer(made.to_json(), words, as_json=options.json)
    return DONE


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Filters):
    """What to report, where to and how."""

    project: ProjectArgument
    to: Annotated[
        Path,
        typer.Argument(metavar="TO", help="The file: .html, .md or .json.", show_default=False),
    ]
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
    json: JsonOption = False


@takes(ReportOptions)
def write_report(options: ReportOptions) -> int:
    """Report scores, people's agreement, targets, failure patterns, best and worst cases."""
    scope = options.scope()
    with opened(options.project) as session:
        session.blind = False
        made = making.make(
            session.project, options.to, scope, template=options.template, top=options.top
        )
    answer(made.to_json(), f"{made.bytes:,} bytes in {made.file}", as_json=options.json)
    return DONE
