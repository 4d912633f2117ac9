"""Queues given to labelers: what they are drawn from, and who gets which of it in which order."""

import json
import sqlite3
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from reviewer.domain.evaluation import SelectionReason, now_text
from reviewer.store.project import Project
from reviewer.store.query import finds, number_of, values_of
from reviewer.store.scoping import Condition

DRAWN = frozenset({"random", "stratum", "active"})
"""Reasons of evaluations that were drawn by chance, and so can stand for others."""
ItemKind = Literal["label", "repeat", "gold"]


class QueueRow(NamedTuple):
    """A queue; `plan` is its plan as JSON, `labeler` the name of who made it."""

    key: int
    name: str
    recipe: str
    plan: str
    reason: str
    blind: bool
    is_open: bool
    labeler: str | None
    created_at: str


class Item(NamedTuple):
    """One evaluation in a labeler's part of a queue, and how far they are with it.

    Attributes:
        prob: The chance with which it was drawn, None where it was not drawn by chance.
        since: For a repeat that has begun, the change after which answers belong to it.
    """

    position: int
    evaluation: int
    kind: ItemKind
    prob: float | None
    since: int
    answered: int
    complete: bool
    skipped: bool
    flagged: bool


_READ = """
    SELECT q.id, q.name, q.recipe, q.plan, q.reason, q.blind, q.state = 'open', p.name,
        q.created_at
    FROM queues q LEFT JOIN labelers p ON p.id = q.labeler
"""


def _queue(row: tuple[object, ...]) -> QueueRow:
    made = QueueRow(*row)  # type: ignore[arg-type]
    return made._replace(blind=bool(made.blind), is_open=bool(made.is_open))


def every(conn: sqlite3.Connection) -> list[QueueRow]:
    """Give all queues, the newest first."""
    return [_queue(row) for row in conn.execute(f"{_READ} ORDER BY q.id DESC")]


def find(conn: sqlite3.Connection, name: str) -> QueueRow | None:
    """Give the queue of a name, whatever its case; None where there is none."""
    rows = conn.execute(
        f"{_READ} WHERE q.name = ? COLLATE NOCASE ORDER BY q.name = ? DESC LIMIT 1",
        (name, name),
    ).fetchall()
    return _queue(rows[0]) if rows else None


def read(conn: sqlite3.Connection, key: int) -> QueueRow | None:
    """Give a queue by its key, None where it was deleted."""
    rows = conn.execute(f"{_READ} WHERE q.id = ?", (key,)).fetchall()
    return _queue(rows[0]) if rows else None


class NewQueue(NamedTuple):
    """A queue to be made."""

    name: str
    recipe: str
    plan: str
    reason: str
    blind: bool


def add(project: Project, queue: NewQueue, labeler: int) -> int:
    """Add a labeler's queue without items and give its key; call inside `Project.write`.

    No queue gets the key of one that was deleted, by which others may still know that.
    """
    row = project.conn.execute(
        "INSERT INTO queues(id, name, recipe, plan, reason, blind, labeler, created_at, seq) "
        "SELECT max(?8, ifnull(max(id), 0) + 1), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM queues "
        "RETURNING id",
        (*queue[:4], int(queue.blind), labeler, now_text(), project.next_seq()),
    ).fetchall()[0]
    return int(row[0])


def put_items(
    conn: sqlite3.Connection,
    queue: int,
    labeler: int,
    items: Iterable[tuple[int, ItemKind, float | None]],
) -> None:
    """Give a labeler evaluations (key, kind, chance) in order; call inside `Project.write`."""
    conn.executemany(
        "INSERT INTO queue_items(queue, labeler, position, evaluation, kind, prob) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ((queue, labeler, at, *item) for at, item in enumerate(items)),
    )


def set_open(conn: sqlite3.Connection, queue: int, *, is_open: bool) -> None:
    """Open or close a queue; call inside `Project.write`."""
    state = "open" if is_open else "closed"
    conn.execute("UPDATE queues SET state = ? WHERE id = ?", (state, queue))


def rename(conn: sqlite3.Connection, queue: int, name: str) -> None:
    """Give a queue another name; call inside `Project.write`."""
    conn.execute("UPDATE queues SET name = ? WHERE id = ?", (name, queue))


def delete(conn: sqlite3.Connection, queue: int) -> None:
    """Delete a queue; labels stay. Call inside `Project.write`."""
    conn.execute("DELETE FROM queue_items WHERE queue = ?", (queue,))
    conn.execute("DELETE FROM queues WHERE id = ?", (queue,))


_ITEMS = """
    SELECT i.position, i.evaluation, i.kind, i.prob, i.since, ifnull(s.answered, 0),
        ifnull(s.complete, 0), ifnull(s.skipped, 0), ifnull(s.flagged, 0)
    FROM queue_items i JOIN visible_evaluations v ON v.id = i.evaluation
    LEFT JOIN states s ON s.labeler = i.labeler AND s.evaluation = i.evaluation
    WHERE i.queue = ? AND i.labeler = ? ORDER BY i.position
"""


def items(conn: sqlite3.Connection, queue: int, labeler: int) -> list[Item]:
    """Give a labeler's part of a queue in order, without evaluations that are gone."""
    return [
        Item(at, key, kind, prob, since, answered, bool(done), bool(skipped), bool(flagged))
        for at, key, kind, prob, since, answered, done, skipped, flagged in conn.execute(
            _ITEMS, (queue, labeler)
        )
    ]


def people(conn: sqlite3.Connection, queue: int) -> list[tuple[int, str]]:
    """Give key and name of everybody who has a part in a queue, by name."""
    rows = conn.execute(
        "SELECT id, name FROM labelers WHERE id IN "
        "(SELECT DISTINCT labeler FROM queue_items WHERE queue = ?) ORDER BY name COLLATE NOCASE",
        (queue,),
    )
    return [(key, name) for key, name in rows]


def of_labeler(conn: sqlite3.Connection, labeler: int) -> list[int]:
    """Give the queues in which a labeler has a part, the newest first."""
    return values_of(
        conn,
        "SELECT id FROM queues q WHERE EXISTS (SELECT 1 FROM queue_items i "
        "WHERE i.queue = q.id AND i.labeler = ?) ORDER BY id DESC",
        (labeler,),
    )


def sealed_for(conn: sqlite3.Connection, labeler: int) -> frozenset[int]:
    """Give the evaluations that open blind queues ask of a labeler."""
    return frozenset(
        values_of(
            conn,
            "SELECT evaluation FROM queue_items WHERE labeler = ? AND queue IN "
            "(SELECT id FROM queues WHERE blind = 1 AND state = 'open')",
            (labeler,),
        )
    )


def chance(
    conn: sqlite3.Connection, queue: int, labeler: int, evaluation: int
) -> tuple[ItemKind, float | None] | None:
    """Give kind and chance with which a labeler got an evaluation, None where they did not."""
    row = conn.execute(
        "SELECT kind, prob FROM queue_items WHERE evaluation = ? AND queue = ? AND labeler = ? "
        "ORDER BY kind = 'repeat' LIMIT 1",
        (evaluation, queue, labeler),
    ).fetchone()
    return (row[0], row[1]) if row else None


def draw(
    conn: sqlite3.Connection, queue: QueueRow, labeler: int, evaluation: int
) -> tuple[SelectionReason, float | None]:
    """Give what labels of a queue record of how their evaluation was drawn."""
    kind, prob = chance(conn, queue.key, labeler, evaluation) or ("gold", None)
    reason: SelectionReason = queue.reason  # type: ignore[assignment]
    if kind != "label":
        return "browse", None
    if prob is None and reason in DRAWN:
        return "disputed", None
    return reason, prob


def drawn(
    conn: sqlite3.Connection, labeler: int, evaluation: int
) -> tuple[SelectionReason, float] | None:
    """Give reason and chance of an open queue that drew an evaluation for a labeler."""
    rows = conn.execute(
        "SELECT q.reason, i.prob FROM queue_items i JOIN queues q ON q.id = i.queue "
        "WHERE i.evaluation = ? AND i.labeler = ? AND i.kind = 'label' AND i.prob IS NOT NULL "
        "AND q.state = 'open' ORDER BY q.id LIMIT 1",
        (evaluation, labeler),
    ).fetchall()
    return rows[0] if rows and rows[0][0] in DRAWN else None


def begun(conn: sqlite3.Connection, queue: int, labeler: int) -> int:
    """Count the repeats of a labeler's part that have begun."""
    return number_of(conn, f"SELECT count(*) {_BEGUN}", (queue, labeler))


class Counts(NamedTuple):
    """How far a labeler is with their part; a first answer whose repeat has begun is done.

    A repeat waits for its first answer, so where that is skipped the repeat is skipped with it.
    """

    total: int
    done: int
    skipped: int
    flagged: int


# few repeats have begun, and only their index holds nothing else
_BEGUN = (
    "FROM queue_items INDEXED BY queue_items_begun WHERE since > 0 AND queue = ? AND labeler = ?"
)
_COUNTS = f"""
    SELECT count(*), total(done), total(skipped AND NOT done),
        count(DISTINCT CASE WHEN flagged THEN evaluation END)
    FROM (SELECT i.evaluation, ifnull(s.flagged, 0) AS flagged,
            ifnull(s.skipped, 0) AND (i.kind <> 'repeat' OR i.since > 0 OR NOT s.complete)
                AS skipped,
            CASE WHEN i.kind = 'repeat' THEN i.since > 0 AND ifnull(s.complete, 0)
                ELSE ifnull(s.complete, 0) OR i.evaluation IN (SELECT evaluation {_BEGUN}) END
                AS done
        FROM queue_items i JOIN visible_evaluations v ON v.id = i.evaluation
        LEFT JOIN states s ON s.labeler = i.labeler AND s.evaluation = i.evaluation
        WHERE i.queue = ? AND i.labeler = ?)
"""


_LISTED = f"""
    SELECT group_concat(evaluation) FROM (
        SELECT i.evaluation
        FROM queue_items i JOIN visible_evaluations v ON v.id = i.evaluation
        LEFT JOIN states s ON s.labeler = i.labeler AND s.evaluation = i.evaluation
        WHERE i.queue = ? AND i.labeler = ? AND CASE WHEN i.kind = 'repeat' THEN i.since > 0
            ELSE i.evaluation NOT IN (SELECT evaluation {_BEGUN}) END
        ORDER BY ifnull(s.skipped AND NOT s.complete, 0), i.position)
"""


def listed(conn: sqlite3.Connection, queue: int, labeler: int) -> "array[int]":
    """Give a labeler's part of a queue as a list shows it, skipped evaluations last.

    Each evaluation is there once. A repeat that has begun stands in its own place; one that has
    not is not there.
    """
    text = conn.execute(_LISTED, (queue, labeler, queue, labeler)).fetchone()[0]
    return array("q", json.loads(f"[{text or ''}]"))


def folded(conn: sqlite3.Connection, queue: int, labeler: int) -> int:
    """Count the first answers of a labeler's part whose repeat has begun."""
    return number_of(
        conn,
        "SELECT count(*) FROM queue_items WHERE queue = ? AND labeler = ? AND kind <> 'repeat' "
        f"AND evaluation IN (SELECT evaluation {_BEGUN})",
        (queue, labeler, queue, labeler),
    )


def counts(conn: sqlite3.Connection, queue: int, labeler: int) -> Counts:
    """Count how far a labeler is with their part of a queue."""
    return Counts(*map(int, conn.execute(_COUNTS, (queue, labeler, queue, labeler)).fetchone()))


def has_waiting(conn: sqlite3.Connection, queue: int, labeler: int) -> bool:
    """Tell whether repeats of a labeler's part have still to begin."""
    return finds(
        conn,
        "SELECT 1 FROM queue_items INDEXED BY queue_items_waiting WHERE queue = ? "
        "AND labeler = ? AND kind = 'repeat' AND since = 0 LIMIT 1",
        (queue, labeler),
    )


def skipped_repeats(conn: sqlite3.Connection, queue: int, labeler: int) -> int:
    """Count the repeats of a labeler's part that wait for a skipped first answer."""
    return number_of(
        conn,
        "SELECT count(*) FROM queue_items i INDEXED BY queue_items_waiting "
        "JOIN visible_evaluations v ON v.id = i.evaluation "
        "JOIN states s ON s.labeler = i.labeler AND s.evaluation = i.evaluation "
        "WHERE i.queue = ? AND i.labeler = ? AND i.kind = 'repeat' AND i.since = 0 "
        "AND s.skipped AND NOT s.complete",
        (queue, labeler),
    )


def waiting_repeats(conn: sqlite3.Connection, labeler: int) -> list[int]:
    """Give the evaluations that open queues will ask a labeler once more."""
    return values_of(
        conn,
        "SELECT i.evaluation FROM queue_items i JOIN queues q ON q.id = i.queue "
        "WHERE i.labeler = ? AND i.kind = 'repeat' AND i.since = 0 AND q.state = 'open'",
        (labeler,),
    )


_RESTART = """
    INSERT INTO states(labeler, evaluation, repeat_from) VALUES (?, ?, ?)
    ON CONFLICT(labeler, evaluation) DO UPDATE SET answered = 0, complete = 0, skipped = 0,
        flagged = 0, revealed = 0, repeat_from = excluded.repeat_from
"""


def begin_repeat(project: Project, queue: int, labeler: int, item: Item) -> int:
    """Let a labeler answer an evaluation once more from now on; inside `Project.write`.

    Gives the number of the change after which their answers belong to the new round.
    """
    since = project.next_seq()
    project.conn.execute(
        "UPDATE queue_items SET since = ? WHERE queue = ? AND labeler = ? AND position = ?",
        (since, queue, labeler, item.position),
    )
    project.conn.execute(_RESTART, (labeler, item.evaluation, since))
    return since


def gold(conn: sqlite3.Connection) -> list[int]:
    """Give the evaluations with the tag gold whose answers are decided."""
    return values_of(
        conn,
        "SELECT v.id FROM visible_evaluations v JOIN tags t ON t.evaluation = v.id "
        "WHERE t.tag = 'gold' AND v.id NOT IN (SELECT evaluation FROM exclusions) "
        "AND EXISTS (SELECT 1 FROM current_labels c WHERE c.evaluation = v.id "
        "AND c.decided = 1 AND c.kind = 'adjudication') ORDER BY v.id",
    )


def not_applicable(conn: sqlite3.Connection, queue: int, labeler: int) -> int:
    """Count a labeler's answers "not applicable" on the evaluations of their part."""
    return number_of(
        conn,
        "SELECT count(*) FROM current_labels WHERE labeler = ? AND kind = 'not_applicable' "
        "AND turn = -1 AND evaluation IN "
        "(SELECT evaluation FROM queue_items WHERE queue = ? AND labeler = ?)",
        (labeler, queue, labeler),
    )


def last_times(conn: sqlite3.Connection, queue: int, labeler: int) -> list[tuple[int, int]]:
    """Give a labeler's live entries on their part as (evaluation, microseconds), newest first."""
    return conn.execute(
        "SELECT evaluation, at_us FROM labels WHERE labeler = ? AND import IS NULL "
        "AND at_us IS NOT NULL AND evaluation IN "
        "(SELECT evaluation FROM queue_items WHERE queue = ? AND labeler = ?) "
        "ORDER BY seq DESC LIMIT 300",
        (labeler, queue, labeler),
    ).fetchall()


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


def read_drawable(project: Project, within: Condition) -> DrawingColumns:
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
    return tuple(
        values_of(
            project.conn,
            "SELECT name FROM runs WHERE id IN (SELECT run FROM visible_evaluations WHERE id IN "
            "(SELECT evaluation FROM queue_items WHERE queue = ?)) ORDER BY id",
            (queue,),
        )
    )


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
