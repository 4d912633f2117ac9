"""Hold a project to limits, for CI."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import typer

from reviewer.cli import documents
from reviewer.cli.console import clean
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, takes
from reviewer.cli.printing import out
from reviewer.cli.sessions import opened
from reviewer.cli.table import DONE, NOT_HELD
from reviewer.services.checks import check as checks
from reviewer.services.checks import checking
from reviewer.services.checks.check import Check
from reviewer.services.checks.limits import (
    Limits,
    agreement_limit,
    latency_limit,
    score_limit,
)


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Filters):
    """What must hold."""

    project: ProjectArgument
    min_pass_rate: Annotated[
        float | None,
        typer.Option("--min-pass-rate", metavar="X", help="The judge's pass rate, 0 to 1."),
    ] = None
    min_agreement: Annotated[
        list[str],
        typer.Option(
            "--min-agreement",
            metavar="[METRIC:]STAT:X",
            help="Judge and people on every labelled metric, or on one, such as kappa:0.6.",
        ),
    ] = field(default_factory=list)
    max_gap: Annotated[
        float | None,
        typer.Option("--max-gap", min=0.0, metavar="X", help="Mean gap, whatever its sign."),
    ] = None
    min_labels: Annotated[
        int | None,
        typer.Option("--min-labels", min=0, metavar="N", help="Labelled evaluations a metric."),
    ] = None
    targets: Annotated[
        bool, typer.Option("--targets", help="The rubric's targets; too few cases meet none.")
    ] = False
    min_score: Annotated[
        list[str],
        typer.Option("--min-score", metavar="METRIC:X", help="Mean auto score, or overall:X."),
    ] = field(default_factory=list)
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="RUN", help="Compare the newest run in scope with it."),
    ] = None
    max_drop: Annotated[
        float | None,
        typer.Option(
            "--max-drop",
            min=0.0,
            metavar="X",
            help="How far pass rate (0 to 1) and means may lie below the baseline's.",
        ),
    ] = None
    max_avg_cost: Annotated[
        float | None,
        typer.Option("--max-avg-cost", min=0.0, metavar="USD", help="Mean cost a response."),
    ] = None
    max_latency: Annotated[
        list[str],
        typer.Option("--max-latency", metavar="STAT:MS", help="average, p50, p95 or p99."),
    ] = field(default_factory=list)
    monitor: Annotated[
        Literal["warning", "critical"] | None,
        typer.Option("--monitor", help="Fail from this status of the monitor on."),
    ] = None
    json: JsonOption = False


@takes(CheckOptions)
def check_project(options: CheckOptions) -> int:
    """Check figures against limits: exit code 1, and a line for each that does not hold."""
    limits = Limits(
        min_pass_rate=options.min_pass_rate,
        min_agreement=tuple(map(agreement_limit, options.min_agreement)),
        max_gap=options.max_gap,
        min_labels=options.min_labels,
        targets=options.targets,
        min_score=tuple(map(score_limit, options.min_score)),
        baseline=options.baseline,
        max_drop=options.max_drop,
        max_avg_cost=options.max_avg_cost,
        max_latency=tuple(map(latency_limit, options.max_latency)),
        monitor=options.monitor,
    )
    with opened(options.project) as session:
        session.blind = False
        found = checking.run(session, options.scope(), limits)
    if options.json:
        documents.write(checks.document(found))
    else:
        _print(found)
    return DONE if all(check.ok for check in found) else NOT_HELD


def _print(found: list[Check]) -> None:
    broken = [check for check in found if not check.ok]
    for check in broken:
        out(f"{clean(check.name)}: {clean(check.reason or 'it does not hold')} (n {check.n:,}).")
    held = len(found) - len(broken)
    out(f"{held:,} of {len(found):,} checks hold.")
