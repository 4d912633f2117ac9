"""What evaluations are drawn from: those that a filter finds, without what is excluded."""

import sqlite3
from array import array
from dataclasses import dataclass, field

from reviewer.store.project import Project
from reviewer.store.scoping import Condition

_BLOCK = 20_000


@dataclass(frozen=True, slots=True)
class DrawingColumns:
    """Evaluations in the order of their files, in columns of one length.

    Attributes:
        dates: Microseconds since 1970 UTC, None where unknown.
    """

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    runs: "array[int]" = field(default_factory=lambda: array("q"))
    categories: list[str | None] = field(default_factory=list)
    dates: list[int | None] = field(default_factory=list)


def read(project: Project, within: Condition) -> DrawingColumns:
    """Read the evaluations `v` within a condition that are not excluded."""
    found = DrawingColumns()
    rows = project.conn.execute(
        "SELECT v.id, v.run, v.category, v.dated FROM visible_evaluations v "
        f"WHERE ({within.sql}) AND v.id NOT IN (SELECT evaluation FROM exclusions) "
        "ORDER BY v.run, v.id",
        within.parameters,
    )
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        keys, runs, categories, dates = zip(*block, strict=True)
        found.keys.extend(keys)
        found.runs.extend(runs)
        found.categories.extend(categories)
        found.dates.extend(dates)
    return found


def cases(project: Project, run: int) -> dict[str, int]:
    """Give the evaluations of a run by their test case; of several the first."""
    rows = project.conn.execute(
        "SELECT coalesce(case_id, ext_id), id FROM visible_evaluations WHERE run = ? "
        "ORDER BY id DESC",
        (run,),
    )
    return dict(rows.fetchall())


def within_queue(queue: int, within: Condition) -> Condition:
    """Narrow a condition on evaluations `e` to what a queue drew, without repeats and gold."""
    return Condition(
        f"({within.sql}) AND e.id IN "
        "(SELECT evaluation FROM queue_items WHERE queue = ? AND kind = 'label')",
        (*within.parameters, queue),
    )


def runs_of_queue(project: Project, queue: int) -> tuple[str, ...]:
    """Give the names of the runs that a queue's evaluations belong to."""
    rows = project.conn.execute(
        "SELECT name FROM runs WHERE id IN (SELECT run FROM visible_evaluations WHERE id IN "
        "(SELECT evaluation FROM queue_items WHERE queue = ?)) ORDER BY id",
        (queue,),
    )
    return tuple(name for (name,) in rows)


def answers_of_queue(conn: sqlite3.Connection, queue: int) -> dict[int, dict[str, str]]:
    """Give what a queue drew, each with its people's answers by metric.

    Of several people's answers on a metric a `label` is given before a `not_applicable`.
    """
    found: dict[int, dict[str, str]] = {}
    for key, metric, kind in conn.execute(
        "SELECT v.id, m.name, min(c.kind) FROM visible_evaluations v "
        "LEFT JOIN current_labels c ON c.evaluation = v.id AND c.turn = -1 AND c.decided = 0 "
        "AND c.kind IN ('label', 'not_applicable') "
        "AND c.labeler IN (SELECT labeler FROM queue_items WHERE queue = ?) "
        "LEFT JOIN metrics m ON m.id = c.metric "
        "WHERE v.id IN (SELECT evaluation FROM queue_items WHERE queue = ? AND kind = 'label') "
        "GROUP BY v.id, c.metric",
        (queue, queue),
    ):
        answers = found.setdefault(key, {})
        if metric is not None:
            answers[metric] = kind
    return found
