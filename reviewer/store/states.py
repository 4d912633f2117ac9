"""How far each labeler is with each evaluation, and which entries count: kept live and in bulk.

Rules, the same in both:

- A metric is answered where the labeler's current entry on the whole evaluation is a label or "not
  applicable". Decisions of leads and comments answer nothing.
- An evaluation is complete when every labelled metric of its run's rubric (newest version) is
  answered. A rubric without labelled metrics completes nothing and hides nothing.
- Of skips and flags, each metric apart, the one that arrived last counts; a reveal is never taken
  back.
- Where a labeler answers once more, entries up to `repeat_from` tell nothing of the new round, nor
  does what an undo brings back of them.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reviewer.domain.rubric import Rubric
from reviewer.store import reading
from reviewer.store.labels import NO_TIME, restored_by
from reviewer.store.query import values_of


class State(NamedTuple):
    """One labeler's state on one evaluation; entries up to `repeat_from` are of earlier rounds."""

    answered: int = 0
    complete: bool = False
    skipped: bool = False
    flagged: bool = False
    revealed: bool = False
    repeat_from: int = 0


EMPTY = State()


def read(conn: sqlite3.Connection, labeler: int, evaluation: int) -> State:
    """Give a labeler's state on an evaluation."""
    row = conn.execute(
        "SELECT answered, complete, skipped, flagged, revealed, repeat_from FROM states "
        "WHERE labeler = ? AND evaluation = ?",
        (labeler, evaluation),
    ).fetchone()
    if not row:
        return EMPTY
    answered, complete, skipped, flagged, revealed, since = row
    return State(
        answered, bool(complete), bool(skipped), bool(flagged), bool(revealed), repeat_from=since
    )


def settled_among(conn: sqlite3.Connection, labeler: int, keys: Sequence[int]) -> set[int]:
    """Give those of some evaluations that a labeler completed or skipped."""
    return set(
        values_of(
            conn,
            "SELECT evaluation FROM states WHERE labeler = ? AND (complete OR skipped) "
            "AND evaluation IN (SELECT value FROM json_each(?))",
            (labeler, json.dumps(list(keys))),
        )
    )


def of_labeler(conn: sqlite3.Connection, labeler: int) -> dict[int, State]:
    """Give a labeler's states by evaluation."""
    rows = conn.execute(
        "SELECT evaluation, answered, complete, skipped, flagged, revealed, repeat_from "
        "FROM states WHERE labeler = ?",
        (labeler,),
    )
    return {
        key: State(given, bool(complete), bool(skipped), bool(flagged), bool(revealed), since)
        for key, given, complete, skipped, flagged, revealed, since in rows
    }


def keep(conn: sqlite3.Connection, labeler: int, evaluation: int, state: State) -> None:
    """Keep a labeler's state, but not `repeat_from`; call inside `Project.write`."""
    conn.execute(
        "INSERT INTO states(labeler, evaluation, answered, complete, skipped, flagged, revealed) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(labeler, evaluation) DO UPDATE SET "
        "answered = excluded.answered, complete = excluded.complete, skipped = excluded.skipped, "
        "flagged = excluded.flagged, revealed = excluded.revealed",
        (
            labeler,
            evaluation,
            state.answered,
            state.complete,
            state.skipped,
            state.flagged,
            state.revealed,
        ),
    )


def answered(
    conn: sqlite3.Connection, labeler: int, evaluation: int, names: Iterable[str]
) -> frozenset[str]:
    """Give those of some metrics that a labeler has answered on an evaluation, in this round."""
    rows = conn.execute(
        "SELECT m.name FROM current_labels c JOIN metrics m ON m.id = c.metric "
        "JOIN labels l ON l.id = c.place "
        "WHERE c.evaluation = ? AND c.labeler = ? AND c.turn = -1 AND c.decided = 0 "
        "AND c.kind IN ('label', 'not_applicable') AND l.seq > ifnull((SELECT repeat_from "
        "FROM states s WHERE s.labeler = c.labeler AND s.evaluation = c.evaluation), 0)",
        (evaluation, labeler),
    )
    return frozenset(name for (name,) in rows).intersection(names)


def evaluations_of_rubric(conn: sqlite3.Connection, rubric: int) -> list[int]:
    """Give the evaluations with labels or marks whose states hang on a rubric."""
    return values_of(
        conn,
        "SELECT DISTINCT s.evaluation FROM states s JOIN evaluations e ON e.id = s.evaluation "
        "JOIN runs r ON r.id = e.run WHERE r.rubric = ?",
        (rubric,),
    )


_SETUP = """
    CREATE TEMP TABLE IF NOT EXISTS refreshed(id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE IF NOT EXISTS wanted(
        rubric INTEGER, metric INTEGER, PRIMARY KEY (rubric, metric));
    CREATE TEMP TABLE IF NOT EXISTS rounds(
        labeler INTEGER, evaluation INTEGER, since INTEGER, PRIMARY KEY (labeler, evaluation));
    DELETE FROM temp.refreshed;
    DELETE FROM temp.wanted;
    DELETE FROM temp.rounds
"""
_ROUNDS = """
    INSERT INTO temp.rounds SELECT labeler, evaluation, repeat_from FROM states
    WHERE repeat_from > 0 AND evaluation IN (SELECT id FROM temp.refreshed)
"""
_CURRENT = f"""
    INSERT INTO current_labels
        (evaluation, metric, labeler, turn, decided, label, value, kind, blind, aggregate, at_us,
        place, comment)
    SELECT s.evaluation, s.metric, s.labeler, s.turn, s.decided, s.id, s.value, s.kind, s.blind,
        s.aggregate, iif(r.id IS NULL, s.at_us, r.at_us), ifnull(r.id, s.id), s.said
    FROM (
        SELECT *, kind = 'adjudication' AS decided, row_number() OVER (
            PARTITION BY evaluation, metric, labeler, turn, kind = 'adjudication'
            ORDER BY kind = 'comment', ifnull(at_us, {NO_TIME}) DESC, id DESC) AS newest,
        first_value(id) OVER (
            PARTITION BY evaluation, metric, labeler, turn, kind = 'adjudication'
            ORDER BY ifnull(at_us, {NO_TIME}) DESC, id DESC) AS said
        FROM labels WHERE evaluation IN (SELECT id FROM temp.refreshed)) s
    LEFT JOIN labels r ON {restored_by("s")}
    WHERE s.newest = 1 AND NOT (s.decided AND s.value IS NULL)
"""
# a decision falls to the same person's later withdrawal that does not say what it ends
_WITHDRAWN = f"""
    DELETE FROM current_labels
    WHERE decided = 1 AND evaluation IN (SELECT id FROM temp.refreshed) AND EXISTS (
        SELECT 1 FROM labels l JOIN labels d ON d.id = current_labels.label
        WHERE l.evaluation = current_labels.evaluation AND l.metric = current_labels.metric
            AND l.labeler = current_labels.labeler AND l.turn = current_labels.turn
            AND l.kind = 'withdrawn' AND l.of IS NULL
            AND (ifnull(l.at_us, {NO_TIME}), l.id) > (ifnull(d.at_us, {NO_TIME}), d.id))
"""
_STATES = """
    INSERT INTO states(
        labeler, evaluation, answered, complete, skipped, flagged, revealed, repeat_from)
    WITH given AS (
        SELECT c.labeler, c.evaluation, count(*) AS answered
        FROM current_labels c JOIN evaluations e ON e.id = c.evaluation
        JOIN runs r ON r.id = e.run
        JOIN temp.wanted w ON w.rubric = r.rubric AND w.metric = c.metric
        LEFT JOIN temp.rounds o ON o.labeler = c.labeler AND o.evaluation = c.evaluation
        WHERE c.evaluation IN (SELECT id FROM temp.refreshed) AND c.turn = -1 AND c.decided = 0
            AND c.kind IN ('label', 'not_applicable')
            AND (o.since IS NULL OR (SELECT seq FROM labels l WHERE l.id = c.place) > o.since)
        GROUP BY c.labeler, c.evaluation),
    fresh AS (
        SELECT k.id, k.labeler, k.evaluation, k.kind, k.metric, iif(
            k.restores IS NULL OR o.since IS NULL OR (SELECT r.seq FROM marks r
                WHERE r.evaluation = k.evaluation AND r.uid = k.restores) > o.since,
            k.value, 0) AS value
        FROM marks k
        LEFT JOIN temp.rounds o ON o.labeler = k.labeler AND o.evaluation = k.evaluation
        WHERE k.evaluation IN (SELECT id FROM temp.refreshed) AND k.seq > ifnull(o.since, 0)),
    newest AS (
        SELECT labeler, evaluation, kind, value, max(id) FROM fresh
        WHERE kind IN ('skip', 'flag') GROUP BY labeler, evaluation, kind, metric),
    marked AS (
        SELECT labeler, evaluation, kind FROM newest WHERE value IS NULL OR value NOT IN (0, '')
        UNION SELECT labeler, evaluation, kind FROM fresh WHERE kind = 'reveal'),
    people AS (
        SELECT labeler, evaluation FROM given UNION SELECT labeler, evaluation FROM marked
        UNION SELECT labeler, evaluation FROM temp.rounds)
    SELECT p.labeler, p.evaluation, ifnull(g.answered, 0),
        ifnull(g.answered, 0) > 0 AND g.answered >= (
            SELECT count(*) FROM temp.wanted w JOIN runs r ON r.rubric = w.rubric
            JOIN evaluations e ON e.run = r.id WHERE e.id = p.evaluation),
        EXISTS (SELECT 1 FROM marked m WHERE m.labeler = p.labeler
            AND m.evaluation = p.evaluation AND m.kind = 'skip'),
        EXISTS (SELECT 1 FROM marked m WHERE m.labeler = p.labeler
            AND m.evaluation = p.evaluation AND m.kind = 'flag'),
        EXISTS (SELECT 1 FROM marked m WHERE m.labeler = p.labeler
            AND m.evaluation = p.evaluation AND m.kind = 'reveal'),
        ifnull((SELECT since FROM temp.rounds o WHERE o.labeler = p.labeler
            AND o.evaluation = p.evaluation), 0)
    FROM people p LEFT JOIN given g ON g.labeler = p.labeler AND g.evaluation = p.evaluation
"""


def refresh(conn: sqlite3.Connection, evaluations: Iterable[int]) -> None:
    """Work out the current entries and states of some evaluations from the histories.

    Call inside `Project.write`, after rows were added to `labels` or `marks` in bulk, or with
    `evaluations_of_rubric` after a rubric got a new version.
    """
    for statement in _SETUP.split(";"):
        conn.execute(statement)
    conn.executemany(
        "INSERT OR IGNORE INTO temp.refreshed VALUES (?)", ((x,) for x in evaluations)
    )
    _want(conn, reading.rubrics(conn))
    conn.execute(_ROUNDS)
    for table in ("current_labels", "states"):
        conn.execute(f"DELETE FROM {table} WHERE evaluation IN (SELECT id FROM temp.refreshed)")
    for statement in (_CURRENT, _WITHDRAWN, _STATES):
        conn.execute(statement)


def _want(conn: sqlite3.Connection, rubrics: Mapping[int, Rubric]) -> None:
    names = [(key, metric.name) for key, x in rubrics.items() for metric in x.labelled_metrics]
    conn.executemany(
        "INSERT OR IGNORE INTO metrics(name) VALUES (?)", ((name,) for _, name in names)
    )
    conn.executemany("INSERT INTO temp.wanted SELECT ?, id FROM metrics WHERE name = ?", names)
