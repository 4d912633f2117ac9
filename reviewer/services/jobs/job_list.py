"""The jobs of a project, as lists and documents tell them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import Progress, ReviewerError, Silent
from reviewer.domain.judging import Job, JobPlan, JobState, Wish
from reviewer.domain.wording import counted
from reviewer.services.calls import prices, selecting
from reviewer.services.jobs.control import note
from reviewer.services.project import record
from reviewer.services.project.session import Session, last_job_before, require_lead
from reviewer.store import bulk, figures, jobs, of_record, scores
from reviewer.store.jobs import Counts
from reviewer.store.journal import Body, Discarding

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


def waiting(session: Session, key: int) -> tuple[Job, ...]:
    """Give the jobs that score what a bot's job answered and that nobody began."""
    return tuple(x for x in jobs.after(session.project.conn, key) if x.state == "waiting")


def target(session: Session, key: int) -> str | None:
    """Give the run that a bot's job made, None for other jobs and before it is there."""
    name = jobs.plan(session.project.conn, key).target_run
    return name if name in session.run_names() else None


def stop(session: Session, key: int, what: Wish) -> bool:
    """Pause or cancel a job and tell whether somebody works on it, who was asked to.

    A job that nobody works on is paused or cancelled at once; one that is done stays so.
    """
    job = get(session, key)
    if at_work(job):
        jobs.wish(session.project, key, what)
        return True
    if job.state not in ("done", "cancelled"):
        state: JobState = "cancelled" if what == "cancel" else "paused"
        said = "Cancelled; what was scored until then is kept." if what == "cancel" else "Paused."
        jobs.settle(session.project, key, state, said)
    return False


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as lists show it, with what it is to do.

    Attributes:
        discarded: Whether its scores were taken back.
        priced: Whether it is known what its calls cost.
    """

    job: Job
    standing: Standing
    plan: JobPlan
    discarded: bool = False
    priced: bool = True


def rows(session: Session) -> tuple[JobRow, ...]:
    """Give all jobs with their standing and plan, the newest first."""
    return tuple(row(session, job) for job in every(session))


def row(session: Session, job: Job) -> JobRow:
    """Give one job with its standing and plan."""
    made = plan(session, job.key)
    return JobRow(
        job,
        standing(job),
        made,
        is_discarded(session, job.key),
        prices.is_known(session.project, made),
    )


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


def failure_counts(session: Session, key: int) -> dict[str, int]:
    """Give how many attempts of a job failed, by kind."""
    return jobs.failure_counts(session.project.conn, key)


def retry_failures(session: Session, key: int) -> int:
    """Make the failed attempts of a job open again and give their number."""
    return jobs.forget_failures(session.project, key)


def discard(session: Session, key: int, progress: Progress | None = None) -> str:
    """Take a job's scores back, as one act that undo brings back, and say how it stands then.

    Raises:
        ReviewerError: It is at work, or nothing of it is there to be taken back.
        LabelError: The labeler may not decide that.
    """
    require_lead(session, "discard scores")
    job, conn = get(session, key), session.project.conn
    keys = scores.scored(conn, key)
    problem = discard_problem(session, job, len(keys))
    if problem:
        raise ReviewerError(problem)
    title = f"Discard the scores of job {key} ({job.title})"
    with session.project.write():
        mine = session.my_key()
    told = progress or Silent()
    bulk.do(
        session.project, labeler=mine, kind="discard", title=title,
        body=Body(bulk=(Discarding(key, tuple(keys)),)),
        tell=lambda done: told.advance(done, len(keys)),
    )  # fmt: skip
    session.publish(EvaluationsChanged(title))
    return " ".join(
        filter(None, (f"{title}: {counted(len(keys), 'evaluation')}.", _left_bare(session, key)))
    )


def discard_problem(session: Session, job: Job, scored: int) -> str:
    """Say why a job's scores cannot be discarded, empty where they can.

    Args:
        session: The open project.
        job: Any job.
        scored: How many evaluations have scores of it.
    """
    if at_work(job):
        return f"Job {job.key} is at work; pause or cancel it first."
    if job.kind == "bot":
        return f"Job {job.key} made a run; undo its import to take that back."
    return "" if scored else _nothing_to_discard(session, job.key)


def worked_on(session: Session, key: int) -> Sequence[int]:
    """Give the evaluations that a job worked on.

    A job that was to take the newest run worked on that of its time: what it scored tells.
    """
    chosen = plan(session, key).selection
    if chosen.runs or chosen.keys is not None:
        return selecting.selected(session, chosen)
    return scores.scored(session.project.conn, key) or selecting.selected(session, chosen)


def record_problem(job: Job) -> str:
    """Say why a job's scores cannot be made the record, empty where they can."""
    if job.kind == "bot":
        return f"Job {job.key} made a run of its own; its scores count there."
    if job.state != "done":
        return f"Job {job.key} is {standing(job)}, not done: only what has ended whole can count."
    return ""


def name_record(session: Session, key: int) -> str:
    """Let a job's scores count in the runs that it worked on, and say so.

    Raises:
        ReviewerError: It has not ended whole, makes a run of its own, or scored nothing.
        LabelError: The labeler may not decide that.
    """
    problem = record_problem(get(session, key))
    if problem:
        raise ReviewerError(problem)
    return record.name_of_job(session, key, worked_on(session, key))


def not_counted(session: Session, keys: Sequence[int]) -> list[str]:
    """Say where other scores count than those that jobs made, and how that is changed."""
    conn = session.project.conn
    versions = {x.key: x.name for x in figures.scorer_versions(session.project)}
    metrics = {number: name for name, number in figures.metric_keys(session.project).items()}
    others: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        if get(session, key).kind == "bot":
            continue
        places = of_record.scored_by_job(conn, key, worked_on(session, key))
        for (run, metric), counts in places.items():
            record_there = of_record.find(conn, run, metric)
            made = next(iter(counts))
            if record_there is not None and record_there.score_set != made:
                others.setdefault((versions[made], versions[record_there.score_set]), []).append(
                    metrics[metric]
                )
    return [
        f"{made} does not count for {', '.join(dict.fromkeys(found))}: {counts} does. "
        f'`judges PROJECT record "{made}"` or `evaluate --record` would let it.'
        for (made, counts), found in others.items()
    ]


def _nothing_to_discard(session: Session, key: int) -> str:
    if is_discarded(session, key):
        return f"The scores of job {key} are discarded already."
    if key <= last_job_before(session):
        return (
            f"Job {key} was made by an older version of Reviewer, which did not note whose its "
            "scores are; they cannot be discarded singly."
        )
    return f"Job {key} scored nothing, so there is nothing to discard."


def _left_bare(session: Session, key: int) -> str:
    """Say whose record has no score left now, empty where every one has."""
    conn = session.project.conn
    bare = [x for x in of_record.of_job(conn, key) if not of_record.has_scores(conn, x)]
    names = {number: name for name, number in figures.metric_keys(session.project).items()}
    metrics = ", ".join(dict.fromkeys(names[x.metric] for x in bare))
    return f"Nothing counts for {metrics} there now; name another version." if bare else ""


def sentence(job: Job) -> str:
    """Say how a job ended."""
    took = note(
        Counts(calls=job.calls, cached=job.cached, failed=job.failed, cost_usd=job.cost_usd)
    )
    why = f" {job.sentence}" if job.sentence else ""
    return f"{job.title}: {job.state}, {job.done:,} of {job.total:,} ({took}).{why}"


def is_discarded(session: Session, key: int) -> bool:
    """Tell whether a job's scores were taken back."""
    return scores.is_discarded(session.project.conn, key)


@dataclass(frozen=True, slots=True)
class Failures:
    """The failures of a job of one kind: how many, and what one of them says."""

    kind: str
    n: int
    example: str

    @property
    def told(self) -> str:
        """Say how many and why."""
        return f"{self.n:,} failed ({self.kind}): {self.example}"


def failures(session: Session, key: int) -> tuple[Failures, ...]:
    """Give why scores of a job failed, the most frequent kind first."""
    found = jobs.failure_kinds(session.project.conn, key)
    return tuple(Failures(kind, n, example) for kind, n, example, _ in found)


def fields(session: Session, job: Job) -> dict[str, Any]:
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
        "failures": [asdict(x) for x in failures(session, job.key)],
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }
