"""Keep a project safe: a copy while it is in use, a check, a repair."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.console import answer, opened, say
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.domain.errors import ProjectError, ReviewerError
from reviewer.services.project import backups
from reviewer.services.upkeep import doctor, forgetting
from reviewer.services.upkeep.doctor import DoctorReport


@dataclass(frozen=True, kw_only=True)
class BackupOptions:
    """What to copy, and where to."""

    project: ProjectArgument
    to: Annotated[
        Path | None,
        typer.Argument(metavar="TO", help="The copy; default: beside the project."),
    ] = None
    json: JsonOption = False


@takes(BackupOptions)
def back_up(options: BackupOptions) -> int:
    """Make a consistent copy of a project, also while it is in use."""
    with opened(options.project) as session:
        made = backups.make(session.project, options.to)
    answer(made.to_json(), f"{made.bytes:,} bytes in {made.file}", as_json=options.json)
    return 0


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Which project to check."""

    project: ProjectArgument
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Put the newest backup where no project is left; remove what stopped imports "
            "left.",
        ),
    ] = False
    json: JsonOption = False


@takes(DoctorOptions)
def examine(options: DoctorOptions) -> int:
    """Check a project and repair it; a damaged file is set aside for what can be read of it."""
    report = doctor.check(options.project)
    if options.repair or (not report.ok and report.offer is None):
        report = _repaired(options.project, report)
    for sentence in (*report.problems, *report.sentences):
        say(sentence)
    answer(report.to_json(), _verdict(report), as_json=options.json)
    return 0 if report.ok else 1


def _repaired(project: Path, found: DoctorReport) -> DoctorReport:
    try:
        return doctor.repair(project)
    except ProjectError as error:
        say(str(error))
        return found


def _verdict(report: DoctorReport) -> str:
    if report.repaired_from is not None:
        return f"Repaired, with what {report.repaired_from} has."
    if report.ok:
        return "Repaired." if report.problems else "All is well."
    return "Not repaired."


@dataclass(frozen=True, kw_only=True)
class ForgetOptions:
    """What is to be forgotten, and whether that is meant."""

    project: ProjectArgument
    record: Annotated[
        str | None,
        typer.Option("--record", metavar="ID", help="A record by its id, or as RUN/ID."),
    ] = None
    person: Annotated[
        str | None, typer.Option("--person", metavar="NAME", help="Somebody who labels.")
    ] = None
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    json: JsonOption = False


@takes(ForgetOptions)
def forget(options: ForgetOptions) -> int:
    """Erase a record, or a person's name and words, for good: nothing brings them back.

    A person's labels stay, under a name that tells nothing, so that no figure changes.
    """
    if (options.record is None) == (options.person is None):
        raise ReviewerError("Name either a --record or a --person to forget.")
    with opened(options.project) as session:
        key = forgetting.find(session, options.record) if options.record is not None else None
        what = options.record or options.person
        if not options.yes and not _sure(f"Forget {what} for good? Nothing brings it back."):
            raise ReviewerError("Nothing was forgotten; --yes says that it is meant.")
        if key is not None:
            found = forgetting.forget_record(session, key)
        else:
            found = forgetting.forget_person(session, options.person or "")
    for path in found.still_in:
        say(f"This backup still holds it: {path}")
    answer(found.to_json(), found.sentence, as_json=options.json)
    return 0


def _sure(question: str) -> bool:
    """Ask whoever sits before the terminal; nobody there means no."""
    return sys.stdin.isatty() and typer.confirm(question, err=True)
