"""The strata that a queue can be drawn within: category, run, or level of the judge's score."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.errors import QueueError
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import brief
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.services.project.session import Session
from reviewer.services.queues.plans import QueuePlan
from reviewer.stats.pairs import places
from reviewer.store import figures
from reviewer.store.queues import DrawingColumns

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
