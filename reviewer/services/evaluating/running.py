"""Work on a job from where it stands: the one loop of window, worker and command line."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Job, JobPlan, Wish
from reviewer.domain.progress import Progress
from reviewer.services.computer import secrets
from reviewer.services.evaluating import cases, clients, company, following, prices, selecting
from reviewer.services.evaluating.bot_job import BotJob
from reviewer.services.evaluating.budget import Budget
from reviewer.services.evaluating.control import Control, Pace
from reviewer.services.evaluating.judge_job import JudgeJob
from reviewer.services.evaluating.outcome import Ending, Teller
from reviewer.services.evaluating.results import Results
from reviewer.services.evaluating.score_job import ScoreJob
from reviewer.services.project.session import Session
from reviewer.store import jobs, leftovers, of_record
from reviewer.store.jobs import Counts


def run(path: Path, key: int, progress: Progress, control: Control) -> Job:
    """Work on a job until it is done, paused or cancelled, and give it as it is then.

    Raises:
        ReviewerError: There is no such job, another process works on it, or the project cannot be
            opened or written. What was done until then is kept.
    """
    session = Session.open(path)
    session.blind = False
    try:
        return _work(session, key, progress, control)
    finally:
        session.close()


def _work(session: Session, key: int, progress: Progress, control: Control) -> Job:
    project = session.project
    before = jobs.get(project.conn, key)
    if before.state == "done":
        return before
    plan = jobs.plan(project.conn, key)
    before = jobs.take(project, key, leftovers.owner_name())
    progress.advance(before.done + before.failed, before.total)
    before_wish = control.wished

    def wished() -> Wish | None:
        # a first Ctrl-C pauses: what is under way is kept, and the job can go on
        if progress.cancelled:
            return "pause"
        return before_wish() or jobs.wished(project.conn, key)

    control.wished = wished
    project.hasty()
    work = {"scorer": _scored, "judge": _asked, "bot": _answered}[plan.kind]
    try:
        # another run may be the newest, and nothing be unlabelled any more, when it ends
        runs = () if plan.kind == "bot" else selecting.run_keys(session, plan.selection)
        ending = work(session, key, plan, before, progress, control)
        if ending.state == "done" and plan.kind == "bot":
            ending = _followed(session, key, plan, ending)
        elif ending.state == "done":
            _fix_record(session, key, runs)
    except ReviewerError as error:
        ending = Ending("failed", str(error))
    except BaseException:
        project.careful()
        jobs.settle(project, key, "paused", "Stopped; it can go on from here.")
        raise
    project.careful()
    return jobs.settle(project, key, ending.state, ending.sentence)


def _scored(
    session: Session,
    key: int,
    plan: JobPlan,
    before: Job,
    progress: Progress,
    control: Control,
) -> Ending:
    job = ScoreJob(
        project=session.project,
        key=key,
        plan=plan,
        rubric=selecting.rubric_of(session, plan.selection),
        keys=selecting.selected(session, plan.selection),
        control=control,
        teller=Teller(progress, _counts(before), before.total, control.heard),
    )
    return job.run()


def _answered(
    session: Session,
    key: int,
    plan: JobPlan,
    before: Job,
    progress: Progress,
    control: Control,
) -> Ending:
    job = BotJob(
        session=session,
        key=key,
        plan=plan,
        rubric=cases.rubric_of(session, plan),
        cases=cases.of_plan(session, plan),
        control=control,
        teller=Teller(progress, _counts(before), before.total, control.heard),
    )
    return asyncio.run(job.run())


def _followed(session: Session, key: int, plan: JobPlan, ending: Ending) -> Ending:
    said = following.add(session, key, plan)
    both = " ".join(filter(None, (ending.sentence, said)))
    return Ending(ending.state, both or None)


def _fix_record(session: Session, key: int, runs: Sequence[int]) -> None:
    """Let the job's scores count in runs where nothing does yet: it has ended whole."""
    brought = of_record.scored_in_runs(session.project.conn, key, runs)
    with session.project.write():
        of_record.fix(session.project, brought)


def _asked(
    session: Session,
    key: int,
    plan: JobPlan,
    before: Job,
    progress: Progress,
    control: Control,
) -> Ending:
    keys = selecting.selected(session, plan.selection)
    rubric = selecting.rubric_of(session, plan.selection)
    teller = Teller(progress, _counts(before), before.total, control.heard)
    results = Results(session.project, key, teller)
    if plan.endpoint is None or plan.judge is None:
        raise ReviewerError("The job names no judge.")

    def wait_for(other: company.Ahead) -> None:
        control.heard(other.told)
        progress.advance(before.done + before.failed, before.total, other.words)

    if company.wait(session, key, plan, keys, control=control, say=wait_for):
        teller.tell(Counts(), at_once=True)
    endpoint = plan.endpoint
    price = prices.price_of(session.project, plan.judge.model)
    spent = before.cost_usd + jobs.spent_beside(session.project.conn, key)
    budget = Budget(price=price, limit=plan.max_cost, spent=spent)
    secret = secrets.key_of(endpoint)

    async def asking() -> Ending:
        async with clients.client(endpoint, secret) as client:
            job = JudgeJob(
                plan=plan,
                rubric=rubric,
                keys=keys,
                client=client,
                budget=budget,
                control=control,
                results=results,
                pace=Pace(endpoint.per_minute),
            )
            return await job.run()

    ending = asyncio.run(asking())
    teller.tell(Counts(), at_once=True)
    return ending


def _counts(job: Job) -> Counts:
    return Counts(
        done=job.done,
        failed=job.failed,
        calls=job.calls,
        cached=job.cached,
        cost_usd=job.cost_usd,
        tokens_in=job.tokens_in,
        tokens_out=job.tokens_out,
    )
