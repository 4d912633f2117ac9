"""What `reviewer evaluate` takes, and what it reports once it is done."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import testing, transfer
from reviewer.cli.console import opened, out, say
from reviewer.cli.options import JsonOption, ProjectArgument
from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Job, Selection
from reviewer.services.calls import selecting
from reviewer.services.jobs import cluster
from reviewer.services.jobs.away import Workers
from reviewer.services.project import ready_metrics
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.testing import sets

PassingScore = Annotated[
    str | None,
    typer.Option(
        "--passing-score",
        metavar="X|NAME",
        help="The pass mark of the report, or the name of one, such as conservative; default: "
        "the rubric's (guest responses: 3).",
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
        session.sees_all = True
        made = making.report_evaluated(
            session, [job.key for job in jobs], passing=passing, folder=folder
        )
        document = made.to_json() if made is not None and quiet else {}
    if made is not None and made.files is not None and not quiet:
        for title, written in zip(("JSON", "Markdown"), made.files, strict=True):
            out(f"{title} report: {written.file}")
    return document


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """What to evaluate, by what, and how much it may cost."""

    project: ProjectArgument
    files: Annotated[
        list[Path],
        typer.Option(
            "--import",
            metavar="FILE",
            help="Import these answers first, into a new project where there is none; may be "
            "repeated.",
        ),
    ] = field(default_factory=list)
    run: Annotated[
        list[str], typer.Option("--run", metavar="NAME", help="The run; default: the newest.")
    ] = field(default_factory=list)
    scorer: Annotated[
        list[str],
        typer.Option("--scorer", metavar="NAME", help="Score with this; may be repeated."),
    ] = field(default_factory=list)
    parameter: Annotated[
        list[str],
        typer.Option(
            "--parameter", metavar="NAME=VALUE", help="Of the scorer; instead of the rubric's."
        ),
    ] = field(default_factory=list)
    judge: Annotated[
        list[str],
        typer.Option("--judge", metavar="NAME", help="Let this judge score; may be repeated."),
    ] = field(default_factory=list)
    bot: Annotated[
        list[str],
        typer.Option(
            "--bot",
            metavar="NAME|FILE",
            help="Let this bot answer first, as a new run; an FAQ table (CSV) is a bot, too; may "
            "be repeated.",
        ),
    ] = field(default_factory=list)
    tests: Annotated[
        str | None,
        typer.Option(
            "--tests", metavar="FILE|NAME", help="The cases of this test set; a file is added."
        ),
    ] = None
    rubric: Annotated[
        str | None,
        typer.Option(
            "--rubric",
            metavar="NAME",
            help="By which what is imported, or runs of the added test set, are scored.",
        ),
    ] = None
    tag: Annotated[
        list[str],
        typer.Option("--tag", metavar="TAG", help="Of the test set's cases; may be repeated."),
    ] = field(default_factory=list)
    fields: Annotated[
        list[str],
        typer.Option(
            "--where", metavar="FIELD=VALUE", help="Of the test set's cases; may be repeated."
        ),
    ] = field(default_factory=list)
    metric: Annotated[
        list[str], typer.Option("--metric", metavar="NAME", help="Only this; may be repeated.")
    ] = field(default_factory=list)
    add_metric: Annotated[
        list[str],
        typer.Option(
            "--add-metric",
            metavar="NAME",
            help="Let the rubric have this metric of a scorer first, such as retrieval_ndcg, "
            "user_feedback or tool_credit; may be repeated.",
        ),
    ] = field(default_factory=list)
    category: Annotated[
        list[str], typer.Option("--category", metavar="NAME", help="Only this category.")
    ] = field(default_factory=list)
    where: Annotated[
        str, typer.Option("--filter", metavar="FILTER", help="In the filter language.")
    ] = ""
    only: Annotated[
        Literal["unlabelled", "labelled", "disagreements", "failed"] | None,
        typer.Option("--only", help="By what people, or the last attempt, said."),
    ] = None
    part: Annotated[
        Literal["dev", "held_out"] | None,
        typer.Option("--part", help="Only this half of what people labelled."),
    ] = None
    examples: Annotated[
        int | None,
        typer.Option(
            "--examples",
            min=1,
            max=20,
            metavar="N",
            help="Show the judge N cases of the dev half on which it and people differ.",
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="The first N of the file.")
    ] = None
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", min=1, max=100, metavar="N", help="Let the judge score N times."),
    ] = None
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The judge's model.")
    ] = None
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, max=512, help="Calls at the same time.")
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0.0, metavar="USD", help="Stop before more is spent."),
    ] = None
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers",
            metavar="dask://HOST:PORT",
            help="Let the workers of this Dask cluster score, ask and answer.",
        ),
    ] = None
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask again what was asked before.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would take, and ask nothing.")
    ] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest job that is not done.")
    ] = False
    record: Annotated[
        bool,
        typer.Option("--record", help="Let these scores count, if the job ends whole."),
    ] = False
    allow_failures: Annotated[
        int | None,
        typer.Option(
            "--allow-failures",
            min=0,
            metavar="N",
            help="End with 0 although up to N scores failed; default: none may.",
        ),
    ] = None
    passing_score: PassingScore = None
    output_dir: OutputDir = None
    json: JsonOption = False


@contextmanager
def workers(options: EvaluateOptions) -> Iterator[Workers | None]:
    """Give the workers of the cluster that is named; a dry run needs none.

    Raises:
        ReviewerError: The cluster cannot be reached or used.
    """
    if options.workers is None or options.dry_run:
        yield None
        return
    with cluster.opened(options.workers) as found:
        yield found


def imported(options: EvaluateOptions) -> EvaluateOptions:
    """Import the answers that are named, and choose their runs.

    Raises:
        ReviewerError: A file cannot be read or understood, or it makes no sense beside the rest.
    """
    if not options.files:
        return options
    if options.tests or options.resume or options.dry_run:
        other = "--tests" if options.tests else "--resume" if options.resume else "--dry-run"
        raise ReviewerError(
            f"--import brings answers into the project first, which {other} does not want; use "
            "`reviewer import PROJECT FILE` before it."
        )
    wish = transfer.ImportOptions(project=options.project, rubric=options.rubric)
    report = transfer.bring(options.files, wish)
    say(transfer.outcome(report))
    return replace(options, rubric=None, run=options.run or list(report.runs))


def add_metrics(session: Session, options: EvaluateOptions) -> None:
    """Let the runs' rubric have the metrics that were asked for.

    Raises:
        ReviewerError: There is no such run or metric, or it is a dry run.
    """
    if not options.add_metric:
        return
    if options.dry_run:
        raise ReviewerError("--add-metric changes the rubric, which --dry-run does not.")
    _, rubric = selecting.runs_of(session, Selection(runs=tuple(options.run)))
    sentence = ready_metrics.add(session, rubric.name, options.add_metric)
    if sentence:
        say(sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Which cases of which test set, as the command line names them."""

    name: str
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    rubric: str | None = None


def tests_of(session: Session, wish: Tests, selection: Selection) -> CaseSet:
    """Give the cases that are meant; a FILE becomes a test set of the project first.

    Raises:
        ReviewerError: There is neither a set nor a file of that name, or no case fits.
    """
    name, file = wish.name, Path(wish.name)
    if name not in [x.name for x in sets.every(session)] and file.is_file():
        told = sets.add_file(session, file, rubric=wish.rubric)
        say(told.sentence)
        name = told.name
    found = testing.chosen(session, name, tags=wish.tags, where=wish.where)
    kept = [
        case for case in found.cases
        if not selection.categories or case.get("category") in selection.categories
    ][: selection.limit]  # fmt: skip
    if not kept:
        raise ReviewerError(
            f"No case of {found.title} is in the category {', '.join(selection.categories)}."
        )
    return replace(found, cases=tuple(kept))
