"""What a job planned: its evaluations, and whose scores it was to bring."""

from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Job, JobPlan
from reviewer.services.calls import selecting
from reviewer.services.project.session import Session
from reviewer.services.reporting import evaluated
from reviewer.store import figures, jobs
from reviewer.store.monitors import among

LAST = "last"


@dataclass(frozen=True, slots=True)
class Planned:
    """What jobs that were asked for together were to score.

    Attributes:
        runs: The runs of their evaluations.
        keys: The evaluations.
        sets: The score sets that they filled, by metric.
    """

    runs: tuple[str, ...]
    keys: tuple[int, ...]
    sets: Mapping[str, int]


def planned(session: Session, text: str) -> Planned:
    """Give what a job planned, by its number, or the newest one and those asked for with it.

    Raises:
        ReviewerError: There is no such job, or it scores nothing.
    """
    conn = session.project.conn
    found = [job.key for job in _jobs(session, text) if job.kind != "bot"]
    if not found:
        raise ReviewerError(f"--evaluated {text}: no job has scored anything there.")
    sets, plan = evaluated.sets_of(session.project, found), jobs.plan(conn, found[0])
    keys = evaluated.planned(session, plan.selection, sets)
    return Planned(_runs(session, plan), tuple(sorted(keys)), sets)


def _jobs(session: Session, text: str) -> tuple[Job, ...]:
    conn = session.project.conn
    if text == LAST:
        newest = jobs.every(conn)[:1]
        return (*newest, *(other for job in newest for other in jobs.sharing(conn, job.key)))
    if not (text.isascii() and text.isdigit()):
        raise ReviewerError(f"--evaluated {text!r}: the number of a job, or last, is expected.")
    job = jobs.get(conn, int(text))
    return jobs.after(conn, job.key) if job.kind == "bot" else (job,)


def _runs(session: Session, plan: JobPlan) -> tuple[str, ...]:
    if plan.selection.keys is None:
        return selecting.runs_of(session, plan.selection)[0]
    named = figures.read_groups(session.project, among(plan.selection.keys), "run")
    return tuple(dict.fromkeys(name for name in named if name is not None))
