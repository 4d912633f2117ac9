"""What a queue draws from: strata, and evaluations worth a look: two that differ, one in doubt."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.errors import QueueError
from reviewer.domain.filters import quote
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.domain.wording import brief
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.services.project.session import Session
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.queues.sharing import chance_of
from reviewer.stats.overall_columns import FAIL
from reviewer.stats.pairs import places
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


BINS = 5
"""Levels made of a range that has none."""
NO_CATEGORY = "without a category"
NO_SCORE = "without an auto score"


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Names of strata in their order, and the stratum of each evaluation."""

    names: tuple[str, ...]
    codes: NDArray[np.intp]


def strata_of(session: Session, plan: QueuePlan, columns: DrawingColumns) -> Strata:
    """Give the strata that a plan names.

    Raises:
        QueueError: There is no such field, or nothing was scored on the metric.
    """
    if plan.stratify == "category":
        return _named([name or NO_CATEGORY for name in columns.categories])
    if plan.stratify == "run":
        names = dict(zip(session.run_keys(), session.run_names(), strict=True))
        return _named([names[run] for run in columns.runs], list(names.values()))
    head, _, metric = plan.stratify.partition(":")
    if head != "auto" or not metric:
        raise QueueError(
            f"{plan.stratify!r} is nothing to stratify by; give category, run or auto:METRIC."
        )
    return _by_score(session, metric, columns)


def _named(values: Sequence[str], order: Sequence[str] = ()) -> Strata:
    known = list(dict.fromkeys((*(x for x in order if x in set(values)), *sorted(set(values)))))
    place = {name: at for at, name in enumerate(known)}
    return Strata(tuple(known), np.array([place[x] for x in values], dtype=np.intp))


def _by_score(session: Session, name: str, columns: DrawingColumns) -> Strata:
    metric = _metric(session, name, columns)
    auto = auto_scores(session, metric, columns)
    if not np.isfinite(auto).any():
        raise QueueError(f"Nothing has an auto score of {metric.heading} to stratify by.")
    codes, names = _levels(metric, auto)
    known = np.isfinite(auto)
    codes = np.where(known, codes, len(names))
    return _used((*names, NO_SCORE), codes)


def _metric(session: Session, name: str, columns: DrawingColumns) -> Metric:
    for run in dict.fromkeys(columns.runs):
        rubric = session.rubric_of_run(run)
        if name in rubric.by_name:
            return rubric.by_name[name]
    raise QueueError(f"No rubric of these evaluations has a metric {name!r}.")


def auto_scores(session: Session, metric: Metric, columns: DrawingColumns) -> Floats:
    """Give the auto scores that count, beside the columns; NaN where there is none."""
    auto = np.full(len(columns.keys), np.nan)
    number = figures.metric_keys(session.project).get(metric.name)
    if number is None:
        return auto
    keys = np.frombuffer(columns.keys, dtype=np.int64)
    runs = np.frombuffer(columns.runs, dtype=np.int64)
    sets: dict[int, list[int]] = {}
    for run in dict.fromkeys(columns.runs):
        chosen = session.chosen(run, metric.name)
        if chosen is not None:
            sets.setdefault(chosen.key, []).append(run)
    for score_set, its in sets.items():
        mine = np.isin(runs, its)
        auto[mine] = scores_of(session, metric, number, score_set, keys)[mine]
    return auto


def scored(session: Session, columns: DrawingColumns) -> Ints:
    """Give the evaluations with an auto score that counts, of any metric that people label."""
    keys = np.frombuffer(columns.keys, dtype=np.int64)
    there = np.zeros(keys.size, dtype=np.bool_)
    metrics = {
        metric.name: metric
        for run in dict.fromkeys(columns.runs)
        for metric in session.rubric_of_run(run).labelled_metrics
    }
    for metric in metrics.values():
        there |= np.isfinite(auto_scores(session, metric, columns))
    return np.asarray(keys[there])


def scores_of(session: Session, metric: Metric, number: int, score_set: int, keys: Ints) -> Floats:
    """Give one score set's values of a metric beside keys in any order; NaN where none."""
    columns = memory_of(session).look(session.project)
    return columns.scores(metric, number, score_set).at(keys)


def _levels(metric: Metric, auto: Floats) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    scale = scale_of(metric)
    known = np.where(np.isfinite(auto), auto, np.nanmin(auto))
    if scale is not None:
        return places(known, scale)[0], tuple(str(x) for x in scale_values(metric))
    low, high = metric.bounds or (float(np.nanmin(auto)), float(np.nanmax(auto)))
    edges = np.linspace(low, high, BINS + 1)
    codes = np.clip(np.searchsorted(edges, known, side="right") - 1, 0, BINS - 1)
    names = tuple(f"{brief(a, 3)} – {brief(b, 3)}" for a, b in itertools.pairwise(edges))
    return codes, names


def _used(names: Sequence[str], codes: NDArray[np.intp]) -> Strata:
    there, packed = np.unique(codes, return_inverse=True)
    return Strata(tuple(names[at] for at in there.tolist()), np.asarray(packed, dtype=np.intp))
