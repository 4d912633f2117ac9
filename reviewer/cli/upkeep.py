"""Keep a project safe: a copy while it is in use, a check, a repair."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.console import answer, opened, say
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.domain.errors import ProjectError
from reviewer.services.project import backups
from reviewer.services.upkeep import doctor
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
    json: JsonOption = False


@takes(DoctorOptions)
def examine(options: DoctorOptions) -> int:
    """Check a project and repair it; a damaged file is set aside for its newest whole backup."""
    report = doctor.check(options.project)
    if not report.ok:
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
        return f"Repaired from {report.repaired_from}."
    if report.ok:
        return "Repaired." if report.problems else "All is well."
    return "Not repaired."
