"""Work packages: made for a labeler on another machine, and taken in again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli import console
from reviewer.cli.console import answer, be_known, opened, out, say
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import ReviewerError
from reviewer.services.parcels import merging, packing, sheets
from reviewer.services.parcels.returned import Returned
from reviewer.services.parcels.sheets import SheetReturned
from reviewer.services.queues import working

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
        bool | None,
        typer.Option(
            "--blind/--seeing",
            help="Leave auto scores and reasoning out of the file, or put them in; without "
            "either as the queue is.",
            show_default=False,
        ),
    ] = None
    json: JsonOption = False


@takes(PackageOptions)
def package(options: PackageOptions) -> int:
    """Write a labeler's part of a queue into a project file of its own."""
    with opened(options.project, tells=True) as session:
        blind = options.blind
        if blind is None:
            blind = working.find(session, options.queue).blind
        made = packing.make(
            session, options.to, queue=options.queue, labeler=options.labeler, blind=blind
        )
    document = {
        "file": str(made.file), "queue": made.queue, "labeler": made.labeler,
        "evaluations": made.evaluations, "blind": made.blind,
    }  # fmt: skip
    answer(document, made.sentence, as_json=options.json)
    return DONE


@dataclass(frozen=True, kw_only=True)
class SheetOptions(Filters):
    """For whom, and which responses."""

    project: ProjectArgument
    to: Annotated[
        Path, typer.Argument(metavar="TO", help="The sheet (.xlsx or .csv).", show_default=False)
    ]
    person: Annotated[str, typer.Option("--for", metavar="NAME", help="The labeler.")]
    json: JsonOption = False


@takes(SheetOptions)
def sheet(options: SheetOptions) -> int:
    """Write a sheet with responses and empty columns to fill; `merge` takes it in again."""
    with opened(options.project) as session:
        rows = sheets.write(session, options.to, options.person, options.scope())
    words = f"{rows:,} rows for {options.person} in {options.to}"
    answer({"file": str(options.to), "rows": rows}, words, as_json=options.json)
    return DONE


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Which packages, and whether for good."""

    project: ProjectArgument
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Returned packages or sheets.", show_default=False),
    ]
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what they bring, and take nothing in.")
    ] = False
    json: JsonOption = False


@takes(MergeOptions)
def merge_files(options: MergeOptions) -> int:
    """Take the labels of returned work packages and labelers' sheets in."""
    if not options.files:
        raise ReviewerError("Name at least one FILE.")
    found: list[Returned | SheetReturned] = []
    problems: list[str] = []
    with opened(options.project) as session:
        be_known(session)
        for file in options.files:
            # one that cannot be taken does not hold up the others
            try:
                take = sheets.take if sheets.is_sheet(file) else merging.merge
                found.append(take(session, file, dry_run=options.dry_run))
            except ReviewerError as error:
                problems.append(str(error))
    if options.json:
        console.write({"packages": [returned.to_json() for returned in found]})
    else:
        for returned in found:
            out(returned.sentence)
            _tell(returned)
        if options.dry_run:
            out("Nothing was taken in (--dry-run).")
    if problems:
        raise ReviewerError("\n".join(problems))
    return DONE


def _tell(returned: Returned | SheetReturned) -> None:
    if isinstance(returned, SheetReturned):
        for told in returned.changed[:SHOWN]:
            say(f"{told.words}; the sheet's counts from now on.")
        for told in returned.conflicts[:SHOWN]:
            say(f"{told.words}; given here since the sheet was made, so this one stays.")
        for refused in returned.refused[:SHOWN]:
            say(f"{refused}.")
        return
    for note in returned.notes:
        say(note)
    for differ in returned.conflicts[:SHOWN]:
        here, there = differ.words
        say(
            f"{differ.run}/{differ.id}, {differ.metric}: {here} here, {there} in the package; the "
            f"one {'here' if differ.later == 'here' else 'in the package'} is later and counts."
        )
    for run, name in returned.changed[:SHOWN]:
        say(f"{run}/{name}: its text is another one here by now; these labels are marked stale.")
    for run, name in returned.missing[:SHOWN]:
        say(f"{run}/{name} is not in this project any more; its labels were left out.")
    for one in returned.refused[:SHOWN]:
        say(one.sentence)
