"""An audit packet of a project, for whoever checks its figures without the program."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.console import answer, be_known, opened, reporting
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.stats import Computing
from reviewer.cli.table import DONE
from reviewer.services.reporting import packet


@dataclass(frozen=True, kw_only=True)
class PacketOptions(Computing):
    """Which figures to hand out, and where to."""

    project: ProjectArgument
    to: Annotated[
        Path, typer.Argument(metavar="TO.zip", help="The packet to write.", show_default=False)
    ]
    json: JsonOption = False


@takes(PacketOptions)
def write_packet(options: PacketOptions) -> int:
    """Write records, labels and figures with a script that works the figures out again."""
    request = options.request()
    with opened(options.project, tells=True) as session, reporting("Packing") as progress:
        be_known(session)
        session.sees_all = True
        made = packet.make(session, options.to, request, progress)
    answer(made.to_json(), made.sentence, as_json=options.json)
    return DONE
