"""How kept jobs are written in cards and lists, and made ready to go on."""

from reviewer.domain.judging import Job
from reviewer.domain.wording import DASH
from reviewer.gui.jobs import job_words
from reviewer.gui.jobs.jobs_at_work import JobAtWork
from reviewer.services.jobs import job_list
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.project.session import Session

STATES = {
    "waiting": "not begun",
    "running": "running in another window or program",
    "interrupted": "interrupted",
    "paused": "paused",
    "done": "done",
    "failed": "failed",
    "cancelled": "cancelled",
}
ROLES = {"done": "adjusted", "failed": "alert", "interrupted": "alert", "running": "auto"}


def to_work(session: Session, key: int) -> JobAtWork:
    """Make a kept job ready to be started, or gone on with.

    Raises:
        ReviewerError: There is no such job.
    """
    row = job_list.row(session, job_list.get(session, key))
    job, plan = row.job, row.plan
    return JobAtWork(
        key=key,
        title=job.title,
        asks=plan.kind != "scorer",
        max_cost=plan.max_cost,
        priced=row.priced,
        total=job.total,
    )


def count(job: Job) -> str:
    """Say how much of a job is done."""
    return f"{job.done + job.failed:,} of {job.total:,}"


def cost(row: JobRow) -> str:
    """Say what a job cost; a dash where it asks nothing, or nobody knows the price."""
    is_told = row.job.kind != "scorer" and (row.priced or row.job.cost_usd > 0)
    return job_words.money(row.job.cost_usd) if is_told else DASH


def stopped(row: JobRow) -> str:
    """Say where and why a job stands still."""
    job = row.job
    parts = [STATES[row.standing], count(job)]
    if job.cost_usd:
        parts.append(job_words.money(job.cost_usd))
    elif not row.priced:
        parts.append(job_words.UNPRICED)
    if job.failed:
        parts.append(f"{job.failed:,} failed")
    line = " · ".join(parts)
    if row.standing == "interrupted":
        return f"{line}. Its process ended before it was done; nothing that was paid for is lost."
    if job.sentence and job.sentence not in ("Paused.",):
        return f"{line}. {job.sentence}"
    return f"{line}."
