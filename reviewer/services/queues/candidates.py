"""Evaluations worth a look for what the judge says of them: two that differ, or one in doubt."""

from collections.abc import Iterator

import numpy as np

from reviewer.domain.errors import QueueError
from reviewer.domain.filters import quote
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.project.session import Session
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.queues.sharing import chance_of
from reviewer.services.queues.strata import auto_scores, scores_of
from reviewer.stats.overall_columns import FAIL
from reviewer.store import figures, queues, repeats
from reviewer.store.of_record import fitting
from reviewer.store.queues import DrawingColumns

EQUAL = 1e-9


def newest_run(session: Session) -> str:
    """Give the filter that finds the newest run."""
    return f"run:{quote(session.run_names()[-1])}"


def disagreeing(session: Session, plan: QueuePlan, columns: DrawingColumns) -> list[int]:
    """Give the evaluations on which another judge or run differs, the largest difference first.

    A difference counts by the range of its metric; of several metrics the largest counts.

    Raises:
        QueueError: There is no such judge or run.
    """
    keys = np.frombuffer(columns.keys, dtype=np.int64)
    largest = np.zeros(keys.size)
    for metric in _metrics(session, plan, columns):
        auto = auto_scores(session, metric, columns)
        other = (
            _of_run(session, metric, plan.other or "", columns)
            if plan.other_is_run
            else _of_scorer(session, metric, plan.other or "", keys)
        )
        apart = np.nan_to_num(np.abs(auto - other)) / _extent(metric)
        if not metric.is_numeric:
            apart = (apart > EQUAL).astype(np.float64)
        largest = np.maximum(largest, apart)
    order = np.argsort(-largest, kind="stable")
    return [int(keys[at]) for at in order.tolist() if largest[at] > EQUAL]


def undecided(session: Session, plan: QueuePlan, columns: DrawingColumns) -> list[int]:
    """Give the evaluations the judge is in doubt of: its repeats differ, or it sits at the mark.

    Those whose repeats differ come first, each group in an order drawn by the seed.
    """
    keys = np.frombuffer(columns.keys, dtype=np.int64)
    if not keys.size:
        return []
    differing = _differing_repeats(session, keys)
    at_mark = np.zeros(keys.size, dtype=np.bool_)
    for metric in _metrics(session, plan, columns):
        if metric.pass_at is not None:
            at_mark |= np.abs(auto_scores(session, metric, columns) - metric.pass_at) < EQUAL
    shuffled = chance_of(plan.seed, "undecided").permutation(keys.size).tolist()
    first = [int(keys[at]) for at in shuffled if int(keys[at]) in differing]
    second = [int(keys[at]) for at in shuffled if at_mark[at] and int(keys[at]) not in differing]
    return first + second


def for_release(session: Session, plan: QueuePlan, columns: DrawingColumns) -> list[int]:
    """Give what to look at before a release: the run's fails, and cases people differed on before.

    The two take turns, each in an order drawn by the seed.
    """
    run = session.run_names()[-1]
    shuffled = chance_of(plan.seed, "release").permutation(np.frombuffer(columns.keys, np.int64))
    order = {int(key): at for at, key in enumerate(shuffled.tolist())}
    groups = [
        sorted((x for x in found if x in order), key=lambda x: order[x])
        for found in (_fails(session, run), _differed_before(session, run))
    ]
    turns: list[int] = []
    for at in range(max(map(len, groups), default=0)):
        turns.extend(group[at] for group in groups if at < len(group))
    return list(dict.fromkeys(turns))


def _metrics(session: Session, plan: QueuePlan, columns: DrawingColumns) -> list[Metric]:
    found: dict[str, Metric] = {}
    for run in dict.fromkeys(columns.runs):
        for metric in session.rubric_of_run(run).labelled_metrics:
            found.setdefault(metric.name, metric)
    if plan.metric is not None and plan.metric not in found:
        there = ", ".join(found) or "none"
        raise QueueError(f"These evaluations have no metric {plan.metric!r}; there are: {there}.")
    return [x for x in found.values() if plan.metric in (None, x.name)]


def _extent(metric: Metric) -> float:
    low, high = metric.bounds or (0.0, 1.0)
    return high - low or 1.0


def _of_scorer(session: Session, metric: Metric, name: str, keys: Ints) -> Floats:
    """Give the scores of one version; several are never mixed."""
    project = session.project
    versions = {x.key: x for x in figures.scorer_versions(project)}
    if not any(x.is_called(name) for x in versions.values()):
        there = ", ".join(sorted({x.name for x in versions.values()})) or "none"
        raise QueueError(f"There is no judge {name!r} in this project; there are: {there}.")
    number = figures.metric_keys(project).get(metric.name, -1)
    named = fitting(name, figures.score_sets_present(project, number), versions=versions)
    if len(named) > 1:
        there = ", ".join(versions[x].name for x in named)
        raise QueueError(f"{name} has several versions: {there}. Name one in full.")
    if not named:
        return np.full(keys.size, np.nan)
    return scores_of(session, metric, number, named[0], keys)


def _of_run(session: Session, metric: Metric, name: str, columns: DrawingColumns) -> Floats:
    """Give the scores of another run on the same test cases."""
    numbers = {run: key for key, run in zip(session.run_keys(), session.run_names(), strict=True)}
    if name not in numbers:
        raise QueueError(f"There is no run {name!r}; there are: {', '.join(numbers) or 'none'}.")
    other = queues.cases(session.project, numbers[name])
    twins = DrawingColumns()
    places = []
    for run in dict.fromkeys(columns.runs):
        own = queues.cases(session.project, run)
        by_key = {key: case for case, key in own.items()}
        for at, key in enumerate(columns.keys):
            twin = other.get(by_key.get(key, ""))
            if columns.runs[at] == run and twin is not None and twin != key:
                places.append(at)
                twins.keys.append(twin)
                twins.runs.append(numbers[name])
    found = np.full(len(columns.keys), np.nan)
    found[places] = auto_scores(session, metric, twins)
    return found


def _differing_repeats(session: Session, keys: Ints) -> set[int]:
    inside = set(keys.tolist())
    span = (int(keys.min()), int(keys.max()))
    found = repeats.read_repeats(session.project, span, lambda: None)
    first: dict[tuple[int, int, int], object] = {}
    differing = set()
    rows = zip(found.evaluations, found.metrics, found.score_sets, found.values, strict=True)
    for *thing, value in rows:
        place = (thing[0], thing[1], thing[2])
        if first.setdefault(place, value) != value and thing[0] in inside:
            differing.add(thing[0])
    return differing


def _table(session: Session, scope: Scope, found: Covered) -> FigureTable:
    return figure_table.load(
        session.project,
        scope,
        rubric=found.rubric,
        within=found.within,
        options=kept_options(session.project, found.rubric),
    )


def _fails(session: Session, run: str) -> Iterator[int]:
    scope = Scope(runs=(run,))
    found = covered(session.project, scope)
    table = _table(session, scope, found)
    if why_no_verdict(table) is None:
        yield from table.keys[table.auto_verdicts() == FAIL].tolist()


def _differed_before(session: Session, run: str) -> Iterator[int]:
    """Give the run's evaluations of cases on which people differed from an earlier judge."""
    names = session.run_names()
    numbers = dict(zip(names, session.run_keys(), strict=True))
    rubric = session.rubric_of_run(numbers[run]).name
    earlier = tuple(
        x for x in names if x != run and session.rubric_of_run(numbers[x]).name == rubric
    )
    if not earlier:
        return
    scope = Scope(runs=earlier)
    found = covered(session.project, scope)
    table = _table(session, scope, found)
    apart = np.zeros(table.keys.size, dtype=np.bool_)
    for one in table.metrics.values():
        apart |= np.nan_to_num(np.abs(one.human.score - one.auto)) > EQUAL
    cases = figures.read_groups(session.project, found.within, "case")
    mine = queues.cases(session.project, numbers[run])
    for at in np.flatnonzero(apart).tolist():
        key = mine.get(cases[at] or "")
        if key is not None:
            yield key
