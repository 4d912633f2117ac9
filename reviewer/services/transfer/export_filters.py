"""Refuse to export by names that the project does not hold, rather than export nothing."""

from collections.abc import Iterable

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.store import figures, reading
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
        if scope.scorer not in {name for x in versions for name in (x.name, x.scorer)}:
            _refuse("scorer", (scope.scorer,), sorted({x.name for x in versions}))


def _refuse(kind: str, wanted: Iterable[str], there: Iterable[str]) -> None:
    known = tuple(there)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        listed = ", ".join(known) or "none yet"
        raise ReviewerError(
            f"There is no {kind} {unknown[0]!r} in this project; there are: {listed}."
        )
