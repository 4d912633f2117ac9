"""A run held to an earlier one: no regression, and no pass rate that falls too far."""

from collections.abc import Iterator

from msgspec.structs import replace

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.checks.check import Check, Limits, held
from reviewer.services.figures.covered import Covered, covered
from reviewer.services.figures.figure_table import Loader
from reviewer.services.monitoring import regressions, run_columns, trending
from reviewer.services.monitoring.regressions import COST, P95, PASSING
from reviewer.services.monitoring.trending import RunPoint, Step
from reviewer.services.project.session import Session
from reviewer.stats.intervals import INTERVALS_FROM, Interval
from reviewer.stats.quantities import Quantity
from reviewer.stats.regression import LIMIT, Change


def checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Hold the newest run in scope to the baseline, on the cases that both have.

    The pass rate and every average score fail where they are worse beyond chance, or, with a
    limit, where they fall by more than that. p95 latency and average cost fail where they went up
    by more than 20 % beyond chance, p95 from forty cases on. What neither run carries is not
    checked; what fewer than ten cases say is undefined and fails.

    Raises:
        ReviewerError: A run is not there, both are the same, or their rubrics differ; or a limit
            is given without a baseline.
    """
    if limits.baseline is None:
        if limits.max_drop is not None:
            raise ReviewerError("--max-drop needs --baseline RUN, the run to compare with.")
        return
    first = covered(session.project, _only(scope, limits.baseline))
    name = _newest(session, scope, first)
    second = covered(session.project, _only(scope, name))
    if first.rubric.name != second.rubric.name:
        raise ReviewerError(
            f"{limits.baseline} has the rubric {first.rubric.name} and {name} the rubric "
            f"{second.rubric.name}; runs of one rubric can be compared."
        )
    loader = Loader(session.project)
    before, after = (run_columns.load(loader, x, scope.scorer) for x in (first, second))
    point = trending.point(second.rubric, before, after)
    yield from _scores(point, second.rubric, limits)
    for title, change in ((P95, point.p95_step), (COST, point.cost_step)):
        if change is not None:
            yield _change(point, title, change)


def _only(scope: Scope, run: str) -> Scope:
    return replace(scope, runs=(run,), metrics=())


def _newest(session: Session, scope: Scope, first: Covered) -> str:
    baseline = first.runs[0]
    known = set(session.run_names())
    missing = next((name for name in scope.runs if name not in known), None)
    if missing is not None:
        raise ReviewerError(f"There is no run {missing!r} in this project.")
    if scope.runs == (baseline,):
        raise ReviewerError(f"{baseline} is the run itself; name an earlier run as the baseline.")
    wanted = scope.runs or trending.runs_of(session, first.rubric.name)
    others = [name for name in session.run_names() if name in wanted and name != baseline]
    if not others:
        raise ReviewerError(
            f"There is no other run with the rubric {first.rubric.name} that could be held to "
            f"{baseline}."
        )
    return others[-1]


def _scores(point: RunPoint, rubric: Rubric, limits: Limits) -> Iterator[Check]:
    passing = point.passing_step
    steps = {} if passing is None or not point.passing.n else {PASSING: passing}
    steps |= {x: step for x, step in point.steps.items() if step.n or x in point.averages}
    for title, step in steps.items():
        metric = rubric.by_name.get(title)
        if metric is not None and not metric.kind.is_answered:
            continue
        if limits.max_drop is None:
            yield _step(point, title, step)
            continue
        higher = metric is None or metric.higher_is_better
        rise = step.difference
        drop = None if rise is None else (-rise if higher else rise)
        yield held(
            f"max-drop {'pass_rate' if title == PASSING else title}",
            Quantity.of(drop, step.n, _drop(step, higher=higher), step.reason),
            limits.max_drop,
            side="most",
            by_end=limits.upper,
        )


def _drop(step: Step, *, higher: bool) -> Interval | None:
    """Give the interval of how far a figure fell."""
    if step.low is None or step.high is None:
        return None
    low, high = (-step.high, -step.low) if higher else (step.low, step.high)
    return Interval(low, high, "t")


def _step(point: RunPoint, name: str, step: Step) -> Check:
    tested = step.tested is not None and step.tested.p is not None and step.n >= INTERVALS_FROM
    told = tested and step.word != "worse"
    reason = None
    if not tested:
        reason = step.reason
    elif step.word == "worse":
        reason = regressions.step_sentence(point, name, step).removesuffix(".")
    return Check(
        name=_name(name),
        value=step.difference,
        limit="not worse",
        n=step.n,
        state="holds" if told else "fails",
        low=step.low,
        high=step.high,
        reason=reason,
    )


def _change(point: RunPoint, name: str, change: Change) -> Check:
    worse = regressions.is_regression(change, LIMIT)
    enough = change.n >= INTERVALS_FROM
    told = enough and not worse
    reason, limit = None, f"at most +{100 * LIMIT:g} %"
    if worse:
        reason = regressions.change_sentence(point, name, change).removesuffix(".")
    elif not enough:
        reason = f"{change.n} values in a run: a change can be told from {INTERVALS_FROM}"
    elif not change.is_tested:
        # nobody asked for it by name, so that too few cases stop no release; they are said
        limit = f"{limit}; not checked: {change.reason}"
    return Check(
        name=_name(name),
        value=change.difference,
        limit=limit,
        n=change.n,
        state="holds" if told else "fails",
        low=change.low,
        high=change.high,
        reason=reason,
    )


def _name(figure: str) -> str:
    return f"baseline {figure}"
