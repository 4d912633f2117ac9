"""Work packages: made for a labeler on another machine, and taken in again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli import documents
from reviewer.cli.console import say
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.printing import out
from reviewer.cli.sessions import opened
from reviewer.cli.table import DONE
from reviewer.domain.errors import ReviewerError
from reviewer.services.parcels import merging, packing
from reviewer.services.parcels.merging import Returned

SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class PackageOptions:
    """Whose part of which queue."""

    project: ProjectArgument
    to: Annotated[
        Path, typer.Argument(metavar="TO", help="The package to write.", show_default=False)
    ]
    queue: Annotated[str, typer.Option("--queue", metavar="NAME", help="The queue.")]
    labeler: Annotated[str, typer.Option("--labeler", metavar="NAME", help="For whom.")]
    blind: Annotated[
        bool,
        typer.Option("--blind", help="Leave auto scores and reasoning out of the file at all."),
    ] = False
    json: JsonOption = False


@takes(PackageOptions)
def package(options: PackageOptions) -> int:
    """Write a labeler's part of a queue into a project file of its own."""
    with opened(options.project) as session:
        made = packing.make(
            session, options.to, queue=options.queue, labeler=options.labeler, blind=options.blind
        )
    if options.json:
        documents.write(
            {"file": str(made.file), "queue": made.queue, "labeler": made.labeler,
             "evaluations": made.evaluations, "blind": made.blind}
        )  # fmt: skip
    else:
        out(made.sentence)
    return DONE


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Which packages, and whether for good."""

    project: ProjectArgument
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Returned packages.", show_default=False)
    ]
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what they bring, and take nothing in.")
    ] = False
    json: JsonOption = False


@takes(MergeOptions)
def merge_files(options: MergeOptions) -> int:
    """Take the labels of returned work packages in."""
    if not options.files:
        raise ReviewerError("Name at least one FILE.")
    with opened(options.project) as session:
        found = [merging.merge(session, x, dry_run=options.dry_run) for x in options.files]
    if options.json:
        documents.write({"packages": [returned.to_json() for returned in found]})
        return DONE
    for returned in found:
        out(returned.sentence)
        _tell(returned)
    if options.dry_run:
        out("Nothing was taken in (--dry-run).")
    return DONE


def _tell(returned: Returned) -> None:
    for note in returned.notes:
        say(note)
    for one in returned.conflicts[:SHOWN]:
        say(
            f"{one.run}/{one.id}, {one.metric}: {one.here} here, {one.there} in the package; the "
            f"one {'here' if one.later == 'here' else 'in the package'} is later and counts."
        )
    for run, name in returned.changed[:SHOWN]:
        say(f"{run}/{name}: its text is another one here by now; these labels are marked stale.")
    for run, name in returned.missing[:SHOWN]:
        say(f"{run}/{name} is not in this project any more; its labels were left out.")
    for sentence in returned.refused[:SHOWN]:
        say(sentence)
