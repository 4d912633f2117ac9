"""What comes after a bot has answered: its run is scored, and stands beside the one before."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Following, Job, JobPlan, Selection
from reviewer.domain.rubric import Rubric
from reviewer.services.calls import selecting
from reviewer.services.jobs import planning, scorers
from reviewer.services.project.session import Session
from reviewer.store import case_sets, figures, jobs


def check(session: Session, wish: Following, rubric: Rubric | None = None) -> None:
    """Hold what is to score a run to what there is, before a bot is asked.

    Raises:
        ReviewerError: A scorer, a judge with its endpoint, or a metric is not there.
    """
    for name in wish.scorers:
        scorers.get(name)
    for name in wish.judges:
        planning.placed(session, name)
    if rubric is not None:
        planning.check_metrics(rubric, wish.metrics)


def add(session: Session, key: int, plan: JobPlan) -> str | None:
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


def waiting(session: Session, key: int) -> tuple[Job, ...]:
    """Give the jobs that score what a bot's job answered and that nobody began."""
    return tuple(x for x in jobs.after(session.project.conn, key) if x.state == "waiting")


def target(session: Session, key: int) -> str | None:
    """Give the run that a bot's job made, None for other jobs and before it is there."""
    name = jobs.plan(session.project.conn, key).target_run
    return name if name in session.run_names() else None


def before(session: Session, run: str) -> str | None:
    """Find what a run is compared with: the newest earlier one of its rubric with its cases."""
    places = figures.run_places(session.project)
    mine = next((x for x in places if x[1] == run), None)
    if mine is None:
        return None
    cases = case_sets.cases_of_run(session.project.conn, mine[0])
    shared = {key for key, _, _ in case_sets.runs_with(session.project.conn, cases)}
    earlier = [
        name for key, name, rubric in places[: places.index(mine)]
        if rubric == mine[2] and key in shared
    ]  # fmt: skip
    return earlier[-1] if earlier else None


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
