"""The scorer versions of a project file, each with a name that tells it from the others."""

import sqlite3
from functools import cache, partial

from reviewer.domain.run import ScorerVersion, told_apart


def every(conn: sqlite3.Connection) -> tuple[ScorerVersion, ...]:
    """Give every score set, in the order of their making."""
    rows = conn.execute(
        "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets ORDER BY id"
    )
    names = ("key", "scorer", "version", "model", "prompt_hash", "parameters")
    found = [ScorerVersion(**dict(zip(names, row, strict=True))) for row in rows]
    return told_apart(found, cache(partial(_metrics_scored, conn)))


def _metrics_scored(conn: sqlite3.Connection, score_set: int) -> frozenset[int]:
    rows = conn.execute(
        "SELECT id FROM metrics m WHERE EXISTS (SELECT 1 FROM scores s "
        "JOIN visible_evaluations e ON e.id = s.evaluation WHERE s.metric = m.id "
        "AND s.score_set = ? AND s.latest = 1 AND s.turn = -1)",
        (score_set,),
    )
    return frozenset(key for (key,) in rows)
