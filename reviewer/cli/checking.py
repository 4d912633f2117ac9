"""Hold a project to limits, for CI."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli import console
from reviewer.cli.console import clean, opened, out
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, pass_mark, takes
from reviewer.cli.table import DONE, NOT_HELD
from reviewer.services.checks import checking, junit, words
from reviewer.services.checks.check import (
    Limits,
    agreement_limit,
    latency_limit,
    score_limit,
)
from reviewer.services.checks.checking import Checked
from reviewer.services.figures import known_names


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Filters):
    """What must hold."""

    project: ProjectArgument
    min_pass_rate: Annotated[
        float | None,
        typer.Option(
            "--min-pass-rate",
            metavar="X",
            help="The judge's pass rate, 0 to 1; people's and the corrected rate are printed "
            "beside it.",
        ),
    ] = None
    min_corrected_pass_rate: Annotated[
        float | None,
        typer.Option(
            "--min-corrected-pass-rate",
            metavar="X",
            help="The corrected pass rate: its interval must lie above, fails below, and cannot "
            "be said (exit code 1) between.",
        ),
    ] = None
    min_coverage: Annotated[
        float | None,
        typer.Option(
            "--min-coverage",
            metavar="X",
            help="The least share of evaluations that must be scored for a pass rate to hold; "
            "default: 1.",
        ),
    ] = None
    passing_score: Annotated[
        str | None,
        typer.Option(
            "--passing-score",
            metavar="X|NAME",
            help="A pass mark in place of the rubric's, for all, or the name of one, such as "
            "conservative.",
        ),
    ] = None
    evaluated: Annotated[
        str | None,
        typer.Option(
            "--evaluated",
            metavar="JOB|last",
            help="Check what that job planned: its evaluations, by the version that it made.",
        ),
    ] = None
    lower: Annotated[
        bool,
        typer.Option("--lower", help="Hold the lower end of the interval to every --min."),
    ] = False
    upper: Annotated[
        bool,
        typer.Option("--upper", help="Hold the upper end of the interval to every --max."),
    ] = False
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
        bool,
        typer.Option("--targets", help="The rubric's targets; none holds unsaid."),
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
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="FILE", help="Write the checks as JUnit XML, too, for a CI system."
        ),
    ] = None
    json: JsonOption = False


@takes(CheckOptions)
def check_project(options: CheckOptions) -> int:
    """Check figures against limits: a line for each, and exit code 1 where one does not hold.

    What it comes to, and whether to rely on the judge, ends it in words for a ticket.
    """
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
        min_corrected_pass_rate=options.min_corrected_pass_rate,
        min_coverage=options.min_coverage,
        lower=options.lower,
        upper=options.upper,
        evaluated=options.evaluated,
    )
    with opened(options.project, tells=True) as session:
        session.sees_all = True
        if options.junit is not None:
            junit.refuse(options.junit, session)
        known_names.check(session.project, options.scope())
        limits = replace(
            limits, passing=pass_mark(session, options.passing_score, options.scope())
        )
        found = checking.run(session, options.scope(), limits)
    if options.junit is not None:
        junit.write(options.junit, found)
    if options.json:
        console.write(found.to_json())
    else:
        _print(found)
    return DONE if found.ok else NOT_HELD


def _print(found: Checked) -> None:
    for check in found.checks:
        out(clean(words.line(check)))
    out(words.tally(found.checks))
    out()
    out(clean(found.sentence))
