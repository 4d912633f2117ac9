"""List the runs of a project."""

from dataclasses import dataclass

from reviewer.cli import console
from reviewer.cli.console import opened, percent, table
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.domain.wording import DASH
from reviewer.services.upkeep import projects


@dataclass(frozen=True, kw_only=True)
class RunsOptions:
    """Which project."""

    project: ProjectArgument
    json: JsonOption = False


@takes(RunsOptions)
def list_runs(options: RunsOptions) -> int:
    """List the runs with counts, dates, judges and the judge's pass rate."""
    with opened(options.project, tells=True) as session:
        found = projects.list_runs(session.project)
    if options.json:
        console.write(projects.document(found))
        return 0
    table(
        f"Runs of {options.project.name}",
        ("run", "evaluations>", "labelled>", "pass rate>", "first", "last", "imported", "rubric",
         "scores of", "source"),
        (
            (
                run.name,
                f"{run.evaluations:,}"
                + (f" (and {run.excluded:,} excluded)" if run.excluded else ""),
                f"{run.labelled:,}",
                percent(run.pass_rate),
                (run.first or DASH)[:10],
                (run.last or DASH)[:10],
                run.imported_at[:10],
                run.rubric,
                run.judged_by or DASH,
                run.source or DASH,
            )
            for run in found
        ),
    )  # fmt: skip
    return 0
