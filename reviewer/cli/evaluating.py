"""Score, judge or answer again."""

import json as json_text
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import answering, documents, evaluate_reports
from reviewer.cli.answering import Tests
from reviewer.cli.console import clean, reporting, say
from reviewer.cli.options import JsonOption, ProjectArgument, pairs, takes
from reviewer.cli.printing import out, table
from reviewer.cli.sessions import opened
from reviewer.cli.table import DONE, NOT_HELD, STOPPED
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Following, Job, JobPlan, Selection
from reviewer.domain.values import JsonValue
from reviewer.services.evaluating import (
    estimating,
    job_list,
    planning,
    prices,
    running,
    scorers,
    selecting,
    starting,
)
from reviewer.services.evaluating.control import Control
from reviewer.services.project.session import Session
from reviewer.services.reporting import evaluated


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """What to evaluate, by what, and how much it may cost."""

    project: ProjectArgument
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
        str | None,
        typer.Option("--bot", metavar="NAME", help="Let this bot answer first, as a new run."),
    ] = None
    tests: Annotated[
        str | None,
        typer.Option(
            "--tests", metavar="FILE|NAME", help="The cases of this test set; a file is added."
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
        int | None, typer.Option("--repeat", min=1, max=100, metavar="N", help="Score N times.")
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
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask again what was asked before.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would take, and ask nothing.")
    ] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest job that is not done.")
    ] = False
    passing_score: evaluate_reports.PassingScore = None
    output_dir: evaluate_reports.OutputDir = None
    json: JsonOption = False


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> int:
    """Score again, or let a bot answer again: a new score set or run, the old ones kept.

    With nothing named the rubric's own scorers score; a rubric without any asks its judge.
    """
    with opened(options.project) as session:
        session.blind = False
        if options.resume and not options.dry_run:
            keys = [job_list.newest_open(session)]
            if options.max_cost is not None:
                job_list.set_limit(session, keys[0], options.max_cost)
        elif options.dry_run:
            with session.project.rehearsal():
                return _foretell(session, _plans(session, options), options)
        else:
            plans = _plans(session, options)
            evaluated.check(
                session, plans, passing=options.passing_score, folder=options.output_dir
            )
            keys = planning.add_together(session, plans)
    done = _work_all(options.project, keys)
    compared = answering.told(options.project, done, quiet=options.json)
    reported = evaluate_reports.report(
        options.project,
        done,
        passing=options.passing_score,
        folder=options.output_dir,
        quiet=options.json,
    )
    if options.json:
        documents.write(_document(done) | compared | reported)
    return max(_code(job) for job in done)


def _plans(session: Session, options: EvaluateOptions) -> list[JobPlan]:
    if options.resume:
        raise ReviewerError(
            "--resume goes on with a job that is planned already; leave out --dry-run. "
            "`reviewer jobs PROJECT` says how far it is."
        )
    selection = Selection(
        runs=tuple(options.run),
        categories=tuple(options.category),
        filter_text=options.where,
        only=options.only,
        part=options.part,
        limit=options.limit,
    )
    tests = _tests(options)
    if options.bot is not None:
        then = Following(
            scorers=tuple(options.scorer),
            judges=tuple(options.judge),
            metrics=tuple(options.metric),
            model=options.model,
            repeats=options.repeat,
        )
        plans = [answering.plan(session, options.bot, selection, tests, then)]
    else:
        if tests is not None:
            selection = answering.narrowed(session, tests, selection)
        plans = _scoring(session, options, selection)
    made = [
        replace(
            plan,
            use_cache=not options.no_cache,
            max_cost=options.max_cost,
            concurrency=options.concurrency,
        )
        for plan in plans
    ]
    for plan in made:
        prices.check_limit(session.project, plan)
    return made


def _tests(options: EvaluateOptions) -> Tests | None:
    if options.tests is not None:
        return Tests(name=options.tests, tags=tuple(options.tag), where=tuple(options.fields))
    if options.tag or options.fields:
        raise ReviewerError("--tag and --where choose cases of a test set; name it with --tests.")
    return None


def _scoring(session: Session, options: EvaluateOptions, selection: Selection) -> list[JobPlan]:
    metrics = tuple(options.metric)
    parameters = _parameters(options)
    free = not (options.judge or options.scorer or options.model) and scorers.cover(
        selecting.rubric_of(session, selection), metrics
    )
    judges = list(options.judge)
    if not judges and not options.scorer and not free:
        judges = [starting.judge_for(session, options.model or starting.DEFAULT_MODEL).name]
    plans = [
        planning.judging_plan(
            session, name, selection,
            metrics=metrics, model=options.model, repeats=options.repeat,
        )
        for name in judges
    ]  # fmt: skip
    if options.examples:
        plans = [planning.with_suggested(session, plan, options.examples) for plan in plans]
    if options.scorer or free:
        plans.append(
            planning.scoring_plan(
                session,
                selection,
                scorers=tuple(options.scorer),
                metrics=metrics,
                parameters=parameters,
            )
        )
    return plans


def _parameters(options: EvaluateOptions) -> dict[str, JsonValue]:
    if options.parameter and (len(options.scorer) != 1 or options.bot is not None):
        raise ReviewerError("--parameter is of one --scorer; name that scorer, without a bot.")
    return {name: _value(text) for name, text in pairs(options.parameter, "--parameter")}


def _value(text: str) -> JsonValue:
    try:
        read: JsonValue = json_text.loads(text)
    except ValueError:
        return text
    return read


def _foretell(session: Session, plans: list[JobPlan], options: EvaluateOptions) -> int:
    told = []
    for plan in plans:
        guess = estimating.estimate(session, plan)
        told.append(
            {
                "title": plan.title,
                "evaluations": guess.evaluations,
                "calls": guess.calls,
                "cached": guess.cached,
                "excluded": guess.excluded,
                "tokens_in": guess.tokens_in,
                "tokens_out": guess.tokens_out,
                "cost_usd": guess.cost_usd,
                "seconds": guess.seconds,
            }
        )
        if not options.json:
            out(f"{clean(plan.title)}: {guess.sentence}")
    if options.json:
        documents.write({"dry_run": True, "jobs": told})
    else:
        out("Nothing was asked and nothing kept (--dry-run).")
    return DONE


def _work_all(project: Path, keys: list[int]) -> list[Job]:
    """Work on jobs one after the other, and on what scores a bot's answers right after it.

    Who stops one of them stops those that were to come, too; they wait.
    """
    done: list[Job] = []
    waiting = list(keys)
    while waiting and not (done and _stopped(done[-1])):
        done.append(_work(project, waiting.pop(0)))
        waiting = answering.followers(project, done[-1]) + waiting
    return done


def _work(project: Path, key: int) -> Job:
    with reporting("Evaluating") as progress:
        job = running.run(project, key, progress, Control())
    say(job_list.sentence(job))
    return job


def _code(job: Job) -> int:
    if job.state == "failed":
        raise ReviewerError(job.sentence or "The job failed.")
    if job.state in ("paused", "cancelled"):
        return STOPPED if job.sentence in (None, "Paused.") else NOT_HELD
    return DONE


def _stopped(job: Job) -> bool:
    """Tell whether somebody stopped a job; at its limit it stops by itself."""
    return job.state == "cancelled" or (job.state == "paused" and _code(job) == STOPPED)


def _document(done: list[Job]) -> dict[str, Any]:
    return {"jobs": [job_list.fields(job) for job in done]}


@dataclass(frozen=True, kw_only=True)
class JobsOptions:
    """Which project."""

    project: ProjectArgument
    json: JsonOption = False


@takes(JobsOptions)
def list_jobs(options: JobsOptions) -> int:
    """List what was evaluated again, and how far it is."""
    with opened(options.project) as session:
        found = job_list.every(session)
    if options.json:
        documents.write({"jobs": [job_list.fields(job) for job in found]})
        return DONE
    table(
        "",
        ("job>", "what", "state", "done>", "failed>", "calls>", "cost>", "note"),
        [
            (
                str(job.key), job.title, job.state, f"{job.done:,} of {job.total:,}",
                f"{job.failed:,}", f"{job.calls:,}", f"${job.cost_usd:.4f}", job.sentence or "",
            )
            for job in found
        ],
    )  # fmt: skip
    return DONE
