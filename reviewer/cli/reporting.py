"""Write the report of a project's runs to a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli import documents
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, takes
from reviewer.cli.printing import out
from reviewer.cli.sessions import opened
from reviewer.cli.table import DONE
from reviewer.services.reporting import making
from reviewer.services.reporting.making import ReportRequest


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
    request = ReportRequest(scope=options.scope(), template=options.template, top=options.top)
    with opened(options.project) as session:
        session.blind = False
        made = making.make(session.project, options.to, request)
    if options.json:
        documents.write(made.to_json())
    else:
        out(f"{made.bytes:,} bytes in {made.file}")
    return DONE
