"""Work on a job from where it stands: the one loop of window, worker and command line.

Of two that would ask the same no reply is paid for twice, and of two that share a limit each knows
what the other has spent.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.judging import Following, Job, JobPlan, Selection, Wish
from reviewer.scoring.calling import Caller
from reviewer.services.bots import bots
from reviewer.services.calls import clients, prices, selecting
from reviewer.services.computer import secrets
from reviewer.services.jobs import planning, scorers
from reviewer.services.jobs.away import AwayClient, Workers
from reviewer.services.jobs.bot_job import BotJob
from reviewer.services.jobs.control import Budget, Control, Crew, Ending, Pace, Teller
from reviewer.services.jobs.judge_job import JudgeJob, Results
from reviewer.services.jobs.scoring_jobs import ScoreJob
from reviewer.services.project.session import Session
from reviewer.store import jobs, of_record, owners
from reviewer.store.jobs import Counts


def run(
    path: Path,
    key: int,
    progress: Progress,
    control: Control,
    workers: Workers | None = None,
) -> Job:
    """Work on a job until it is done, paused or cancelled, and give it as it is then.

    Where there are workers they score, ask and answer; this process asks for what is known, keeps
    what comes, and holds pace and budget.

    Raises:
        ReviewerError: There is no such job, another process works on it, or the project cannot be
            opened or written. What was done until then is kept.
    """
    with closing(Session.open(path)) as session:
        session.sees_all = True
        return _work(session, key, progress, control, workers)


def _work(
    session: Session, key: int, progress: Progress, control: Control, workers: Workers | None
) -> Job:
    project = session.project
    before = jobs.get(project.conn, key)
    if before.state == "done":
        return before
    plan = jobs.plan(project.conn, key)
    before = jobs.take(project, key, owners.owner_name())
    progress.advance(before.done + before.failed, before.total)
    before_wish = control.wished

    def wished() -> Wish | None:
        # a first Ctrl-C pauses: what is under way is kept, and the job can go on
        if progress.cancelled:
            return "pause"
        return before_wish() or jobs.wished(project.conn, key)

    control.wished = wished
    # replies were paid for, while a scorer gives the same again
    project.hasty(synced=plan.kind != "scorer")
    work = {"scorer": _scored, "judge": _asked, "bot": _answered}[plan.kind]
    try:
        # another run may be the newest, and nothing be unlabelled any more, when it ends
        runs = () if plan.kind == "bot" else selecting.run_keys(session, plan.selection)
        teller = Teller(progress, _counts(before), before.total, control.heard)
        ending = work(session, key, plan, teller, control, workers)
        if ending.state == "done" and plan.kind == "bot":
            both = " ".join(filter(None, (ending.sentence, add_following(session, key, plan))))
            ending = Ending(ending.state, both or None)
        elif ending.state == "done":
            brought = of_record.scored_in_runs(session.project.conn, key, runs)
            with session.project.write():
                of_record.fix(session.project, brought)
    except ReviewerError as error:
        ending = Ending("failed", str(error))
    except BaseException:
        project.careful()
        jobs.settle(project, key, "paused", "Stopped; it can go on from here.")
        raise
    project.careful()
    return jobs.settle(project, key, ending.state, ending.sentence)


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


def _scored(
    session: Session,
    key: int,
    plan: JobPlan,
    teller: Teller,
    control: Control,
    workers: Workers | None,
) -> Ending:
    return ScoreJob(
        project=session.project,
        key=key,
        plan=plan,
        rubric=selecting.rubric_of(session, plan.selection),
        keys=selecting.selected(session, plan.selection),
        control=control,
        teller=teller,
        workers=workers,
    ).run()


def _answered(
    session: Session,
    key: int,
    plan: JobPlan,
    teller: Teller,
    control: Control,
    workers: Workers | None,
) -> Ending:
    job = BotJob(
        session=session,
        key=key,
        plan=plan,
        rubric=bots.rubric_of(session, plan),
        cases=bots.of_plan(session, plan),
        crew=Crew(control, partial(_follow, teller, workers)),
        teller=teller,
        workers=workers,
    )
    return asyncio.run(job.run())


def add_following(session: Session, key: int, plan: JobPlan) -> str | None:
    """Keep the jobs that score what a bot's job answered; tells why one could not be planned.

    Called again for the same job it adds nothing.
    """
    if plan.then is None or plan.target_run is None or jobs.after(session.project.conn, key):
        return None
    problems = []
    for make in _ways(session, Selection(runs=(plan.target_run,)), plan.then):
        try:
            made = make()
        except ReviewerError as error:
            problems.append(str(error))
            continue
        is_paid = made.kind == "judge"
        # the bot's limit holds for what judges it too; its cost is counted while they ask
        bound = replace(
            made,
            after=key,
            use_cache=plan.use_cache,
            max_cost=plan.max_cost if is_paid else None,
            concurrency=plan.concurrency if is_paid else None,
        )
        planning.add(session, bound)
    return f"The run is not scored as wished: {' '.join(problems)}" if problems else None


def _ways(
    session: Session, selection: Selection, wish: Following
) -> Iterator[Callable[[], JobPlan]]:
    """Plan the rubric's own scorers, those that were named besides, and the judges."""
    own = {
        x.name: scorer.name
        for x in selecting.rubric_of(session, selection).metrics
        if (scorer := scorers.of_metric(x)) is not None
        and (not wish.metrics or x.name in wish.metrics)
    }
    if own:
        yield partial(planning.scoring_plan, session, selection, metrics=tuple(own))
    if set(wish.scorers) - set(own.values()):
        yield partial(
            planning.scoring_plan, session, selection, scorers=wish.scorers, metrics=wish.metrics
        )
    for name in wish.judges:
        yield partial(
            planning.judging_plan, session, name, selection,
            metrics=wish.metrics, model=wish.model, repeats=wish.repeats,
        )  # fmt: skip


def _asked(
    session: Session,
    key: int,
    plan: JobPlan,
    teller: Teller,
    control: Control,
    workers: Workers | None,
) -> Ending:
    keys = selecting.selected(session, plan.selection)
    rubric = selecting.rubric_of(session, plan.selection)
    results = Results(session.project, key, teller)
    if plan.endpoint is None or plan.judge is None:
        raise ReviewerError("The job names no judge.")

    def say(other: Ahead) -> None:
        teller.wait(other.told, other.words)

    if wait(session, key, plan, keys, control=control, say=say):
        teller.tell(Counts(), at_once=True)
    endpoint = plan.endpoint
    price = prices.price_of(session.project, plan.judge.model)
    spent = teller.counts.cost_usd + jobs.spent_beside(session.project.conn, key)
    budget = Budget(price=price, limit=plan.max_cost, spent=spent)

    secret = None if workers else secrets.key_of(endpoint)

    async def asking() -> Ending:
        async with AsyncExitStack() as stack:
            client: Caller
            if workers is not None:
                client = AwayClient(workers, endpoint)
            else:
                made = clients.client(endpoint, secret)
                client = await stack.enter_async_context(made)
            return await JudgeJob(
                plan=plan,
                rubric=rubric,
                keys=keys,
                client=client,
                budget=budget,
                crew=Crew(control, partial(_follow, teller, workers), Pace(endpoint.per_minute)),
                results=results,
            ).run()

    ending = asyncio.run(asking())
    teller.tell(Counts(), at_once=True)
    return ending


def _follow(teller: Teller, workers: Workers | None) -> None:
    """Say how far a job is, and hold the workers to their promise."""
    teller.catch_up()
    if workers is not None:
        workers.look()


LOOK_EVERY = 0.2


class Ahead(NamedTuple):
    """A job that goes first, and whether that is because of a common limit."""

    job: int
    by_limit: bool

    @property
    def words(self) -> str:
        """Say for which job another one waits, and why."""
        why = "as one limit holds for both" if self.by_limit else "which asks the same"
        return f"waits for job {self.job}, {why}"

    @property
    def told(self) -> dict[str, float]:
        """Say it as processes tell it."""
        return {"limit_with" if self.by_limit else "waits_for": self.job}


def wait(
    session: Session,
    key: int,
    plan: JobPlan,
    keys: Sequence[int],
    *,
    control: Control,
    say: Callable[[Ahead], None],
) -> bool:
    """Wait while an earlier job asks the same or spends of the same limit, or until a wish.

    `keys` are the evaluations of the job; `say` is told for which job it waits, again and again.
    Tells whether there was one.
    """
    conn = session.project.conn
    limited = {x.key for x in jobs.sharing(conn, key)} if plan.max_cost is not None else set()
    ahead = [
        Ahead(x.key, by_limit=x.key in limited)
        for x in jobs.taken_before(conn, key)
        if (x.key in limited and x.kind != "scorer") or _overlaps(session, x.key, plan, keys)
    ]
    waits = bool(ahead)
    while ahead and not control.stops:
        say(ahead[0])
        time.sleep(LOOK_EVERY)
        control.look()
        at_work = {x.key for x in jobs.taken_before(conn, key)}
        ahead = [x for x in ahead if x.job in at_work]
    return waits


def _overlaps(session: Session, other: int, plan: JobPlan, keys: Sequence[int]) -> bool:
    theirs = jobs.plan(session.project.conn, other)
    if _asked_together(plan).isdisjoint(_asked_together(theirs)):
        return False
    return not set(keys).isdisjoint(selecting.selected(session, theirs.selection))


def _asked_together(plan: JobPlan) -> set[tuple[str | None, ...]]:
    """Name what a plan asks, apart from the evaluations; nothing where nobody shares its replies.

    Details that decide a reply as well are left out: at worst two jobs go one after the other.
    """
    if plan.endpoint is None or plan.judge is None or not plan.use_cache:
        return set()
    place = (plan.endpoint.kind, plan.endpoint.base_url, plan.judge.model)
    return {(*place, prompt.metric, prompt.hash) for prompt in plan.prompts}
