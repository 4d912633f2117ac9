"""Score, judge or answer again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import answering, documents, evaluate_plans, evaluate_reports
from reviewer.cli.console import clean, reporting, say
from reviewer.cli.evaluate_options import EvaluateOptions
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.printing import out, table
from reviewer.cli.sessions import be_known, opened
from reviewer.cli.table import DONE, NOT_HELD, STOPPED
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Job
from reviewer.services.evaluating import job_list, planning, running
from reviewer.services.evaluating.control import Control
from reviewer.services.project.session import Session
from reviewer.services.reporting import evaluated


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
            return _foretell(session, options)
        else:
            plans = evaluate_plans.planned(session, options)
            evaluated.check(
                session, plans, passing=options.passing_score, folder=options.output_dir
            )
            keys = planning.add_together(session, plans)
    done = _work_all(options.project, keys)
    is_recorded = _record(options.project, done) if options.record else _tell(options, done)
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
    return max(*map(_code, done), DONE if is_recorded else NOT_HELD)


def _record(project: Path, done: list[Job]) -> bool:
    """Let what was scored count; tells whether all of it ended whole and does."""
    with opened(project) as session:
        be_known(session)
        scored = [job for job in done if job.kind != "bot"]
        whole = [job for job in scored if job.state == "done"]
        for job in whole:
            say(job_list.name_record(session, job.key))
    for job in scored:
        if job.state != "done":
            say(f"Job {job.key} did not end whole, so its scores do not count.")
    return len(whole) == len(scored)


def _tell(options: EvaluateOptions, done: list[Job]) -> bool:
    """Say where other scores count than those that were made."""
    with opened(options.project) as session:
        for sentence in job_list.not_counted(session, [job.key for job in done]):
            say(sentence)
    return True


def _foretell(session: Session, options: EvaluateOptions) -> int:
    if options.resume:
        raise ReviewerError(
            "--resume goes on with a job that is planned already; leave out --dry-run. "
            "`reviewer jobs PROJECT` says how far it is."
        )
    told = []
    for plan, guess in evaluate_plans.foretold(session, options):
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
    """Which project, and whose scores to take back."""

    project: ProjectArgument
    action: Annotated[
        Literal["list", "discard"],
        typer.Argument(help="list, or discard to take a job's scores back.", show_default=False),
    ] = "list"
    job: Annotated[int | None, typer.Argument(metavar="JOB", help="The number of the job.")] = None
    json: JsonOption = False


@takes(JobsOptions)
def list_jobs(options: JobsOptions) -> int:
    """List what was evaluated again, and how far it is, or take the scores of a job back."""
    with opened(options.project) as session:
        if options.action == "discard":
            be_known(session)
            return _discard(session, options)
        found = job_list.every(session)
        discarded = {job.key for job in found if job_list.is_discarded(session, job.key)}
    if options.json:
        documents.write(
            {"jobs": [job_list.fields(x) | {"discarded": x.key in discarded} for x in found]}
        )
        return DONE
    table(
        "",
        ("job>", "what", "state", "done>", "failed>", "calls>", "cost>", "note"),
        [
            (
                str(job.key), job.title, job.state, f"{job.done:,} of {job.total:,}",
                f"{job.failed:,}", f"{job.calls:,}", f"${job.cost_usd:.4f}",
                "scores discarded" if job.key in discarded else job.sentence or "",
            )
            for job in found
        ],
    )  # fmt: skip
    return DONE


def _discard(session: Session, options: JobsOptions) -> int:
    if options.job is None:
        raise ReviewerError(
            "Name the job: `reviewer jobs PROJECT discard JOB`; `jobs PROJECT` lists them."
        )
    told = job_list.discard(session, options.job)
    say(told)
    if options.json:
        documents.write({"job": options.job, "text": told})
    return DONE
