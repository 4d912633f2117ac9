"""Scores that a job makes, added beside what is there."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from reviewer.domain.evaluation import now_text, to_micros
from reviewer.store.packing import entry_extra
from reviewer.store.project import Project
from reviewer.store.query import finds
from reviewer.store.rows import Names
from reviewer.store.schema import WHOLE
from reviewer.store.scores import mark_counted

Fields = dict[str, Any]
Place = tuple[int, int, int]
"""Evaluation, number of the metric, score set."""
Row = tuple[int, int, int, Any, Any, Any, str | None]
"""A place, then value, reasoning, time and what has no column."""
_OUTDATED = object()
"""Stands for a value of a text that is gone, which no new value is equal to."""
_INSERT = (
    "INSERT INTO scores(evaluation, metric, score_set, turn, ordinal, value, reasoning, at, "
    "extra, at_us, job, latest) "
    "SELECT ?1, ?2, ?3, ?4, ifnull(max(ordinal) + 1, 0), ?5, ?6, ?7, ?8, ?9, ?10, 0 "
    "FROM scores WHERE evaluation = ?1 AND metric = ?2 AND score_set = ?3 AND turn = ?4 "
    "AND ordinal >= 0"
)
_INSERT_FIRST = (
    "INSERT OR IGNORE INTO scores(evaluation, metric, score_set, turn, ordinal, value, "
    "reasoning, at, extra, at_us, job, latest) VALUES (?, ?, ?, -1, 0, ?, ?, ?, ?, ?, ?, 1)"
)


class ScoreBook:
    """Where a job's scores go; its score sets are marked as running while it is at work.

    What a running set holds is read anew at every look, as it grows between two of them.
    """

    def __init__(self, project: Project, job: int) -> None:
        """Start without a score set."""
        self._project = project
        self._job = job
        self.names = Names(project)
        self._sets: dict[int, None] = {}

    def open(self, metric: int, score: Fields, rubric_version: str) -> int:
        """Give the number of the score set that such scores go to, made where absent.

        Args:
            metric: the number of the metric that they are of.
            score: scorer, scorer_version, model, prompt_hash and parameters as in a record.
            rubric_version: of the rubric that the scores are made for.
        """
        key = self.names.score_set(score)
        if key not in self._sets:
            self._sets[key] = None
            with self._project.write() as conn:
                conn.execute(
                    "UPDATE score_sets SET rubric_version = ?, "
                    "started_at = ifnull(started_at, ?) WHERE id = ? AND status <> 'done' "
                    "AND NOT EXISTS (SELECT 1 FROM scores WHERE score_set = ?3)",
                    (rubric_version, now_text(), key),
                )
                conn.execute("UPDATE score_sets SET status = 'running' WHERE id = ?", (key,))
        with self._project.write() as conn:
            conn.execute(
                "INSERT OR REPLACE INTO job_sets VALUES (?, ?, ?)", (self._job, metric, key)
            )
        return key

    def close(self) -> None:
        """Say that the job's sets grow no more, whether it ended or was stopped."""
        with self._project.write() as conn:
            conn.executemany(
                "UPDATE score_sets SET status = 'done', finished_at = ? WHERE id = ?",
                [(now_text(), key) for key in self._sets],
            )
            conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")


def row(evaluation: int, metric: int, score_set: int, score: Fields) -> Row:
    """Make a score of a whole evaluation ready to be added, while nobody waits for the lock.

    Args:
        evaluation: The number of the evaluation.
        metric: The number of the metric.
        score_set: The number of the score set.
        score: The fields as in a record.
    """
    return (evaluation, metric, score_set, score.get("value"), score.get("reasoning"),
            score.get("at"), entry_extra("score", score))  # fmt: skip


def add(conn: sqlite3.Connection, made: Row, job: int) -> None:
    """Add a job's score behind those of its set that are there already; inside `write`."""
    group = (*made[:3], WHOLE)
    conn.execute(_INSERT, (*group, *made[3:], to_micros(made[5]), job))
    mark_counted(conn, group)


def has_reply(
    conn: sqlite3.Connection, score_set: int, *, evaluation: int, metric: int, score: Fields
) -> bool:
    """Tell whether a set holds the score of this very reply; stored again it would be a repeat."""
    repeat = (score.get("meta") or {}).get("repeat", 0)
    return finds(
        conn,
        "SELECT 1 FROM scores WHERE evaluation = ? AND metric = ? AND score_set = ? AND turn = -1 "
        "AND json_extract(extra, '$.raw') = ? AND value IS ? "
        "AND ifnull(json_extract(extra, '$.meta.repeat'), 0) = ? LIMIT 1",
        (evaluation, metric, score_set, score.get("raw"), score.get("value"), repeat),
    )


def add_changed(conn: sqlite3.Connection, rows: Sequence[Row], job: int) -> None:
    """Add scorers' scores where a set has none yet, or another value; inside `write`."""
    known = _known(conn, rows)
    fresh = [x for x in rows if x[:3] not in known] if known else rows
    stored = conn.executemany(_INSERT_FIRST, [(*x, to_micros(x[5]), job) for x in fresh]).rowcount
    if stored < len(fresh):
        # an error stands where nothing counts yet
        known |= _known(conn, fresh)
        for x in fresh:
            if x[:3] not in known:
                add(conn, x, job)
    for x in rows if known else ():
        if known.get(x[:3], x[3]) != x[3]:
            add(conn, x, job)


def _known(conn: sqlite3.Connection, rows: Sequence[Row]) -> dict[Place, Any]:
    """Give the values that count of the rows' sets already, by their places."""
    known: dict[Place, Any] = {}
    sets = {(x[1], x[2]) for x in rows}
    for metric, score_set in sorted(x for x in sets if _any(conn, x[1], x[0])):
        found = conn.execute(
            # the signs keep it from the index of what counts, which every block would read whole
            "SELECT evaluation, value FROM scores WHERE evaluation BETWEEN ? AND ? "
            "AND +metric = ? AND +score_set = ? AND latest = 1 AND turn = -1",
            (min(x[0] for x in rows), max(x[0] for x in rows), metric, score_set),
        )
        known |= {(evaluation, metric, score_set): value for evaluation, value in found}
        known |= dict.fromkeys(_outdated(conn, rows, metric, score_set), _OUTDATED)
    return known


def _outdated(
    conn: sqlite3.Connection, rows: Sequence[Row], metric: int, score_set: int
) -> list[Place]:
    """Give the places of values that count and were given to a text that was replaced since."""
    if conn.execute("SELECT 1 FROM evaluation_versions LIMIT 1").fetchone() is None:
        return []
    found = conn.execute(
        "SELECT DISTINCT s.evaluation FROM evaluation_versions v "
        "JOIN scores s ON s.evaluation = v.evaluation WHERE v.evaluation BETWEEN ? AND ? "
        "AND s.metric = ? AND s.score_set = ? AND s.latest = 1 AND s.turn = -1 "
        "AND CASE WHEN s.import IS NULL OR v.import IS NULL "
        "THEN julianday(s.at) < julianday(v.replaced_at) ELSE s.import < v.import END",
        (min(x[0] for x in rows), max(x[0] for x in rows), metric, score_set),
    )
    return [(evaluation, metric, score_set) for (evaluation,) in found]


def _any(conn: sqlite3.Connection, score_set: int, metric: int) -> bool:
    return finds(
        conn,
        "SELECT 1 FROM scores WHERE metric = ? AND score_set = ? AND latest = 1 "
        "AND turn = -1 LIMIT 1",
        (metric, score_set),
    )
