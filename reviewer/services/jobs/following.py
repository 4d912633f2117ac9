"""What comes after a bot has answered: its run is scored, and stands beside the one before."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Following, Job, JobPlan, Selection
from reviewer.domain.judging import Judge
from reviewer.domain.rubric import Rubric
from reviewer.services.calls import clients, selecting
from reviewer.services.jobs import planning, scorers
from reviewer.services.project.session import Session
from reviewer.store import case_sets, figures, jobs, judging


def check(session: Session, wish: Following, rubric: Rubric | None = None) -> None:
    """Hold what is to score a run to what there is, before a bot is asked.

    Raises:
        ReviewerError: A scorer, judge or metric is not there.
    """
    for name in wish.scorers:
        if scorers.find(name) is None:
            raise ReviewerError(
                f"There is no scorer {name!r}; there are: {', '.join(scorers.names())}."
            )
    known = [judge.name for judge in judging.every(session.project.conn, Judge)]
    for name in wish.judges:
        if name not in known and clients.brought(name)[0] is None:
            raise ReviewerError(
                f"The project has no judge {name!r}; it has: {', '.join(known) or 'none'}."
            )
    for name in wish.metrics if rubric else ():
        if rubric and name not in rubric.by_name:
            raise ReviewerError(
                f"The rubric {rubric.name} has no metric {name!r}; it has: "
                f"{', '.join(rubric.by_name)}."
            )


def add(session: Session, key: int, plan: JobPlan) -> str | None:
    """Keep the jobs that score what a bot's job answered; tells why one could not be planned.

    Called again for the same job it adds nothing.
    """
    if plan.then is None or plan.target_run is None or jobs.after(session.project.conn, key):
        return None
    problems = []
    for made in _plans(session, Selection(runs=(plan.target_run,)), plan.then):
        if isinstance(made, ReviewerError):
            problems.append(str(made))
        else:
            planning.add(session, _bound(made, plan, key))
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


def _plans(
    session: Session, selection: Selection, wish: Following
) -> Iterator[JobPlan | ReviewerError]:
    """Plan the rubric's own scorers, those that were named besides, and the judges."""
    rubric = selecting.rubric_of(session, selection)
    own = {
        x.name: scorer.name
        for x in rubric.metrics
        if (scorer := scorers.of_metric(x)) is not None
        and (not wish.metrics or x.name in wish.metrics)
    }
    making = []
    if own:
        making.append(partial(planning.scoring_plan, session, selection, metrics=tuple(own)))
    if set(wish.scorers) - set(own.values()):
        making.append(
            partial(
                planning.scoring_plan, session, selection,
                scorers=wish.scorers, metrics=wish.metrics,
            )
        )  # fmt: skip
    making += [
        partial(
            planning.judging_plan, session, name, selection,
            metrics=wish.metrics, model=wish.model, repeats=wish.repeats,
        )
        for name in wish.judges
    ]  # fmt: skip
    for make in making:
        try:
            made = make()
        except ReviewerError as error:
            yield error
        else:
            yield made


def _bound(made: JobPlan, plan: JobPlan, key: int) -> JobPlan:
    """Let the bot's limit hold for what judges it too; its cost is counted while they ask."""
    return replace(
        made,
        after=key,
        use_cache=plan.use_cache,
        max_cost=plan.max_cost if made.kind == "judge" else None,
        concurrency=plan.concurrency if made.kind == "judge" else None,
    )
