"""Refuse to export by names that the project does not hold, rather than export nothing."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import aspects, aspects_of
from reviewer.domain.scope import Scope
from reviewer.store import figures, reading
from reviewer.store.chosen import fitting
from reviewer.store.project import Project


def check(project: Project, scope: Scope | None) -> None:
    """Hold the names in a scope, but for runs, against those of the project.

    Raises:
        ReviewerError: There is no such metric, labeler or scorer.
    """
    if scope is None:
        return
    figures.labeler_keys(project, scope.labelers)
    known = {x.name: None for one in reading.rubrics(project.conn).values() for x in one.metrics}
    _refuse("metric", scope.metrics, [*known | figures.metric_keys(project)])
    if scope.scorer is not None:
        versions = figures.scorer_versions(project)
        if not any(x.is_called(scope.scorer) for x in versions):
            _refuse("scorer", (scope.scorer,), sorted({x.name for x in versions}))


def of_scorer(project: Project, scope: Scope) -> Callable[[dict[str, Any]], bool]:
    """Give what tells the scores that a scope's scorer gave: of the full name, else of every one.

    A name that is the full one of a version means that version alone where it scored a metric.
    """
    wanted = scope.scorer or ""
    numbers = figures.metric_keys(project)
    every = {x.key: x for x in figures.scorer_versions(project)}
    called = {frozenset(aspects(x).items()): x for x in every.values() if x.is_called(wanted)}

    @cache
    def meant(metric: str) -> frozenset[int]:
        used = figures.score_sets_present(project, numbers.get(metric, -1))
        found = fitting(wanted, used, versions=every)
        is_exact = any(every[x].name == wanted for x in found)
        return frozenset(found) if is_exact else frozenset(x.key for x in called.values())

    def is_meant(score: dict[str, Any]) -> bool:
        version = called.get(frozenset(aspects_of(score).items()))
        return version is not None and version.key in meant(score["metric"])

    return is_meant


def _refuse(kind: str, wanted: Iterable[str], there: Iterable[str]) -> None:
    known = tuple(there)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        listed = ", ".join(known) or "none yet"
        raise ReviewerError(
            f"There is no {kind} {unknown[0]!r} in this project; there are: {listed}."
        )
