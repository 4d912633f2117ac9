"""Read what an export needs, run by run, in the order of arrival."""

from collections.abc import Iterator
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.store import reading
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.scoping import Condition, condition


def _runs(project: Project, scope: Scope | None) -> list[tuple[int, str, int]]:
    """Give number, name and rubric of the runs in scope, in the order of their import."""
    rows = project.conn.execute("SELECT id, name, rubric FROM runs ORDER BY id").fetchall()
    if scope is None or not scope.runs:
        return rows
    known = {row[1] for row in rows}
    missing = [name for name in scope.runs if name not in known]
    if missing:
        there = ", ".join(sorted(known)) or "none yet"
        raise ReviewerError(f"There is no run {missing[0]!r} in this project; there are: {there}.")
    return [row for row in rows if row[1] in scope.runs]


def _within(scope: Scope | None, run: int) -> Condition | None:
    return None if scope is None else condition(scope, [run])


def records(project: Project, scope: Scope | None) -> Iterator[dict[str, Any]]:
    """Give the records of the runs in scope.

    Raises:
        ReviewerError: The scope names a run that is not there.
    """
    rubrics = reading.rubrics(project.conn)
    reader = RecordReader(project)
    for key, name, rubric in _runs(project, scope):
        metrics = rubrics[rubric].metrics if rubric in rubrics else ()
        ranks = {metric.name: rank for rank, metric in enumerate(metrics)}
        for stored in reader.of_run((key, name), ranks, _within(scope, key)):
            yield stored.fields


def count(project: Project, scope: Scope | None) -> int:
    """Count the evaluations in scope."""
    total = 0
    for key, _, _ in _runs(project, scope):
        within = _within(scope, key)
        also = f" AND {within.sql}" if within else ""
        total += project.conn.execute(
            f"SELECT count(*) FROM visible_evaluations e WHERE e.run = ?{also}",
            (key, *(within.parameters if within else ())),
        ).fetchone()[0]
    return total
