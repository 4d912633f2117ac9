"""The score sets that the scores of jobs went to."""

import sqlite3


def sets_of(conn: sqlite3.Connection, key: int) -> dict[int, int]:
    """Give the score sets that a job's scores went to, by the numbers of the metrics."""
    return dict(conn.execute("SELECT metric, score_set FROM job_sets WHERE job = ?", (key,)))
