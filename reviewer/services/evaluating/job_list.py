"""The jobs of a project, as lists and documents tell them."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Attempt, Job, JobPlan, JobState, Wish
from reviewer.services.evaluating import prices
from reviewer.services.evaluating.outcome import note
from reviewer.services.project.session import Session
from reviewer.store import jobs
from reviewer.store.jobs import Counts

Standing = Literal["waiting", "running", "interrupted", "paused", "done", "failed", "cancelled"]
UNFINISHED = ("waiting", "running", "paused", "failed", "cancelled")


def every(session: Session) -> tuple[Job, ...]:
    """Give all jobs, the newest first."""
    return jobs.every(session.project.conn)


def get(session: Session, key: int) -> Job:
    """Give a job by its number.

    Raises:
        ProjectError: There is none.
    """
    return jobs.get(session.project.conn, key)


def newest_open(session: Session) -> int:
    """Give the number of the newest job that is not done and that nobody works on.

    Raises:
        ReviewerError: Every job is done.
    """
    for job in every(session):
        if job.state in UNFINISHED and not at_work(job):
            return job.key
    raise ReviewerError("There is no job to go on with; every one is done or at work.")


def at_work(job: Job) -> bool:
    """Tell whether another process works on a job now."""
    return jobs.at_work(job)


def standing(job: Job) -> Standing:
    """Give a job's state; one that says it runs but that nobody works on is interrupted."""
    return "interrupted" if job.state == "running" and not at_work(job) else job.state


def waits(job: Job) -> bool:
    """Tell whether a job stands still in the middle and is likely to be gone on with."""
    return standing(job) in ("waiting", "interrupted", "paused")


def wish(session: Session, key: int, what: Wish) -> None:
    """Ask whoever works on a job to pause or cancel it."""
    jobs.wish(session.project, key, what)


def stop(session: Session, key: int, what: Wish) -> bool:
    """Pause or cancel a job and tell whether somebody works on it, who was asked to.

    A job that nobody works on is paused or cancelled at once; one that is done stays so.
    """
    job = get(session, key)
    if at_work(job):
        wish(session, key, what)
        return True
    if job.state not in ("done", "cancelled"):
        state: JobState = "cancelled" if what == "cancel" else "paused"
        said = "Cancelled; what was scored until then is kept." if what == "cancel" else "Paused."
        jobs.settle(session.project, key, state, said)
    return False


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as lists show it, with what it is to do."""

    job: Job
    standing: Standing
    plan: JobPlan


def rows(session: Session) -> tuple[JobRow, ...]:
    """Give all jobs with their standing and plan, the newest first."""
    return tuple(JobRow(job, standing(job), plan(session, job.key)) for job in every(session))


def row(session: Session, key: int) -> JobRow:
    """Give one job with its standing and plan.

    Raises:
        ReviewerError: There is no such job.
    """
    job = get(session, key)
    return JobRow(job, standing(job), plan(session, key))


def set_limit(session: Session, key: int, dollars: float | None) -> None:
    """Let a job that stands still spend so much in all, None without limit.

    Whatever shares its limit and is not done gets the same one.

    Raises:
        ReviewerError: What a model costs is not known, so nothing would hold it to the limit.
    """
    conn = session.project.conn
    beside = [x.key for x in jobs.sharing(conn, key) if x.state != "done" and x.kind != "scorer"]
    plans = {x: replace(plan(session, x), max_cost=dollars) for x in (key, *beside)}
    for changed in plans.values():
        prices.check_limit(session.project, changed)
    for one, changed in plans.items():
        jobs.set_plan(session.project, one, changed)


def plan(session: Session, key: int) -> JobPlan:
    """Give what a job is to do."""
    return jobs.plan(session.project.conn, key)


def failures(session: Session, key: int) -> tuple[Attempt, ...]:
    """Give the failed and excluded attempts of a job, at most the first 1,000."""
    return jobs.failures(session.project.conn, key)


def failure_counts(session: Session, key: int) -> dict[str, int]:
    """Give how many attempts of a job failed, by kind."""
    return jobs.failure_counts(session.project.conn, key)


def retry_failures(session: Session, key: int) -> int:
    """Make the failed attempts of a job open again and give their number."""
    return jobs.forget_failures(session.project, key)


def sentence(job: Job) -> str:
    """Say how a job ended."""
    took = note(
        Counts(calls=job.calls, cached=job.cached, failed=job.failed, cost_usd=job.cost_usd)
    )
    why = f" {job.sentence}" if job.sentence else ""
    return f"{job.title}: {job.state}, {job.done:,} of {job.total:,} ({took}).{why}"


def fields(job: Job) -> dict[str, Any]:
    """Give a job as the documents of the command line have it."""
    return {
        "job": job.key,
        "kind": job.kind,
        "title": job.title,
        "state": job.state,
        "total": job.total,
        "done": job.done,
        "failed": job.failed,
        "calls": job.calls,
        "cached": job.cached,
        "cost_usd": job.cost_usd,
        "tokens_in": job.tokens_in,
        "tokens_out": job.tokens_out,
        "sentence": job.sentence,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }
