"""Compute and show every figure of a scope."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import typer

from reviewer.cli import console, figures
from reviewer.cli.console import opened
from reviewer.cli.figures import PAIRS_SHOWN
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, pairs, takes
from reviewer.domain.errors import ReviewerError
from reviewer.services.figures import figure_settings, known_names, statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.findings import insights

PAIRS_IN_DOCUMENT = 2000
"""Pairs of labelers a metric whose intervals a document holds unasked: all of 63 people."""


@dataclass(frozen=True, kw_only=True)
class Computing(Filters):
    """Which figures, and how they are made; shared by all that gives the whole document."""

    preset: Annotated[
        Literal["published", "recommended"] | None,
        typer.Option(
            "--preset",
            help="How deviations and adjusted scores are computed; default: as --keep said, else "
            "as the rubric says.",
        ),
    ] = None
    option: Annotated[
        list[str],
        typer.Option("--option", metavar="NAME=VALUE", help="Change one option of the preset."),
    ] = field(default_factory=list)
    level: Annotated[
        float, typer.Option("--level", metavar="0.95", help="The level of intervals.")
    ] = 0.95
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="The seed of resampled intervals.")
    ] = 0

    def request(self, pair_intervals: int | None = PAIRS_IN_DOCUMENT) -> StatsRequest:
        """Give what is to be computed.

        Raises:
            ReviewerError: A filter, an option or the level is malformed.
        """
        if not 0.5 <= self.level < 1:
            raise ReviewerError(f"--level {self.level}: a number from 0.5 to below 1 is expected.")
        return StatsRequest(
            scope=self.scope(),
            preset=self.preset,
            options=pairs(self.option, "--option"),
            pair_intervals=pair_intervals,
            level=self.level,
            seed=self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class StatsOptions(Computing):
    """What to compute, and how."""

    project: ProjectArgument
    golden: Annotated[
        str | None,
        typer.Option(
            "--golden",
            metavar="RUN|tag:TAG",
            help="A separate golden set, whose labels tell how the judge errs on verdicts.",
        ),
    ] = None
    group_by: Annotated[
        str | None,
        typer.Option("--group-by", metavar="FIELD", help="Correlate within groups by this field."),
    ] = None
    pair_intervals: Annotated[
        str | None,
        typer.Option(
            "--pair-intervals",
            metavar="N|all",
            help="Pairs of labelers a metric that get intervals, those with the most in common; "
            "2000 with --json.",
        ),
    ] = None
    insights: Annotated[
        bool,
        typer.Option(
            "--insights",
            help="Also labels needed, calibration, self-consistency, change since the run before, "
            "drift of labelers, consensus, slices by category (or --group-by).",
        ),
    ] = False
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Let the project compute so from now on, in the window too."),
    ] = False
    json: JsonOption = False


@takes(StatsOptions)
def show_stats(options: StatsOptions) -> int:
    """Show gap, deviations, adjusted scores, agreement and pass rates of a scope."""
    request = replace(
        options.request(_most(options)), golden=options.golden, group_by=options.group_by
    )
    with opened(options.project, tells=True) as session:
        known_names.check(session.project, request.scope)
        if options.keep:
            kept = figure_settings.resolved(session.project, request.preset, request.options)
            figure_settings.write(session.project, kept)
        document = statistics.compute(session.project, request).to_json()
        if options.insights:
            document["insights"] = insights.compute(session.project, request)
    if options.json:
        console.write(document)
    else:
        figures.show(document)
    return 0


def _most(options: StatsOptions) -> int | None:
    text = options.pair_intervals
    if text is None:
        return PAIRS_IN_DOCUMENT if options.json else PAIRS_SHOWN
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit()):
        raise ReviewerError(f"--pair-intervals {text!r}: a whole number, or all, is expected.")
    return int(text)
