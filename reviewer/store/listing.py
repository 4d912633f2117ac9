"""Lists of evaluations: their keys in order, what a list shows of some, and a labeler's pace."""

import json
from array import array
from collections.abc import Sequence

from msgspec import Struct

from reviewer.store.project import Project
from reviewer.store.scoping import Condition
from reviewer.store.states import State

FILE_ORDER = "v.run, v.id"
NEWEST_FIRST = "v.dated DESC, v.id"
OLDEST_FIRST = "v.dated IS NULL, v.dated, v.id"
BY_CATEGORY = "v.category IS NULL, v.category, v.run, v.id"


class Listed(Struct, frozen=True):
    """What a list needs of one evaluation; `run` and `run_name` are its run's key and name.

    Attributes:
        excluded: Why it counts in no figure, None where it counts.
    """

    key: int
    id: str
    title: str
    category: str | None
    run: int
    run_name: str
    state: State
    excluded: str | None = None


def keys(
    project: Project, within: Condition, order: str = FILE_ORDER, limit: int | None = None
) -> "array[int]":
    """Give the keys of the visible evaluations `v` within a condition, in one of the orders.

    With `limit`, no more than the first so many.
    """
    some = "" if limit is None else f"LIMIT {limit:d}"
    # one text is read twice as fast as a row a key
    text = project.conn.execute(
        "SELECT group_concat(id) FROM "
        f"(SELECT v.id FROM visible_evaluations v WHERE {within.sql} ORDER BY {order} {some})",
        within.parameters,
    ).fetchone()[0]
    return array("q", json.loads(f"[{text or ''}]"))


_LISTED = """
    SELECT v.id, v.ext_id, v.title, v.category, v.run, r.name, s.answered, s.complete, s.skipped,
        s.flagged, s.revealed, x.reason
    FROM json_each(?) k CROSS JOIN visible_evaluations v ON v.id = k.value
    JOIN runs r ON r.id = v.run
    LEFT JOIN states s ON s.labeler = ? AND s.evaluation = v.id
    LEFT JOIN exclusions x ON x.evaluation = v.id
"""


def listed(project: Project, wanted: Sequence[int], labeler: int) -> dict[int, Listed]:
    """Read what a list shows of some evaluations, by key; those that are gone are missing."""
    rows = project.conn.execute(_LISTED, (json.dumps(list(wanted)), labeler))
    return {
        row[0]: Listed(
            key=row[0],
            id=row[1],
            title=row[2] or row[1],
            category=row[3],
            run=row[4],
            run_name=row[5],
            state=State(row[6] or 0, bool(row[7]), bool(row[8]), bool(row[9]), bool(row[10])),
            excluded=row[11],
        )
        for row in rows
    }


def changed_since(project: Project, seq: int, limit: int) -> list[int] | None:
    """Give the evaluations labelled or marked after a number, None where there are too many."""
    rows = project.conn.execute(
        "SELECT DISTINCT evaluation FROM (SELECT evaluation FROM labels WHERE seq > ? "
        "UNION ALL SELECT evaluation FROM marks WHERE seq > ?) LIMIT ?",
        (seq, seq, limit + 1),
    ).fetchall()
    return None if len(rows) > limit else [key for (key,) in rows]


def numbers(project: Project) -> tuple[int, int]:
    """Give the newest number of the order of changes and that of the newest rubric version."""
    row = project.conn.execute(
        "SELECT (SELECT value FROM counters WHERE name = 'seq'), "
        "(SELECT ifnull(max(seq), 0) FROM rubric_versions)"
    ).fetchone()
    return int(row[0]), int(row[1])


def recent_times(project: Project, labeler: int, count: int) -> list[tuple[int, int]]:
    """Give a labeler's newest live entries as (evaluation, microseconds), the newest first."""
    return project.conn.execute(
        "SELECT evaluation, at_us FROM labels WHERE seq > (SELECT value FROM counters "
        "WHERE name = 'seq') - 5000 AND labeler = ? AND import IS NULL AND at_us IS NOT NULL "
        "ORDER BY seq DESC LIMIT ?",
        (labeler, count),
    ).fetchall()


def answered_since(project: Project, labeler: int, since: int) -> int:
    """Count the evaluations that a labeler answered since a moment in microseconds.

    Looked for among the newest 20,000 entries of the project: what was done today is there.
    """
    row = project.conn.execute(
        "SELECT count(DISTINCT evaluation) FROM labels WHERE seq > (SELECT value FROM counters "
        "WHERE name = 'seq') - 20000 AND labeler = ? AND import IS NULL AND at_us >= ? "
        "AND kind IN ('label', 'not_applicable')",
        (labeler, since),
    ).fetchone()
    return int(row[0])


def saved_views(project: Project) -> list[tuple[str, str, str]]:
    """Give the saved views as name, filter and order."""
    return project.conn.execute(
        "SELECT name, expression, sort FROM saved_filters ORDER BY name COLLATE NOCASE"
    ).fetchall()


def save_view(project: Project, name: str, expression: str, sort: str) -> None:
    """Keep a filter and an order under a name."""
    with project.write() as conn:
        conn.execute(
            "INSERT OR REPLACE INTO saved_filters VALUES (?, ?, ?)", (name, expression, sort)
        )


def delete_view(project: Project, name: str) -> None:
    """Forget a view."""
    with project.write() as conn:
        conn.execute("DELETE FROM saved_filters WHERE name = ?", (name,))
