"""What `reviewer evaluate` reports once it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from reviewer.cli.printing import out
from reviewer.cli.sessions import opened
from reviewer.domain.job import Job
from reviewer.services.reporting import evaluated

PassingScore = Annotated[
    float | None,
    typer.Option(
        "--passing-score",
        metavar="X",
        help="The pass mark of the report; default: the rubric's (guest responses: 3).",
    ),
]
OutputDir = Annotated[
    Path | None,
    typer.Option(
        "--output-dir",
        metavar="DIR",
        help="Where the report goes; guest responses: evaluation/reports/output.",
    ),
]


def report(
    project: Path,
    jobs: Sequence[Job],
    *,
    passing: float | None,
    folder: Path | None,
    quiet: bool,
) -> dict[str, Any]:
    """Report finished jobs, and give their part of the document where one is printed."""
    if any(job.state != "done" for job in jobs):
        return {}
    with opened(project) as session:
        session.blind = False
        made = evaluated.report(session, [job.key for job in jobs], passing=passing, folder=folder)
        document = made.to_json() if made is not None and quiet else {}
    if made is not None and made.files is not None and not quiet:
        for title, written in zip(("JSON", "Markdown"), made.files, strict=True):
            out(f"{title} report: {written.file}")
    return document
