"""Bring the scores of a project of format 1 to versions that only what makes one tells apart.

There every seed made a score set of its own, and so did the order in which parameters came. Of the
values of a version the newest counted, now the first does.
"""

import json
import sqlite3
from typing import Any

from reviewer.domain.run import telling
from reviewer.store import counted_scores
from reviewer.store.packing import dump

_FAR = 1 << 40
"""Places behind every score, for scores on their way."""
_UNDATED = -(1 << 62)
_IN_GROUP = (
    "scores.evaluation = {0}.evaluation AND scores.metric = {0}.metric "
    "AND scores.score_set = {0}.score_set AND scores.turn = {0}.turn"
)
_ALIKE = "CREATE TEMP TABLE alike(score_set INTEGER PRIMARY KEY, target INTEGER, given TEXT)"
_KEEP_GIVEN = """
    UPDATE scores SET extra = json_set(ifnull(extra, '{}'), '$.parameters', json(alike.given))
    FROM temp.alike WHERE alike.score_set = scores.score_set AND alike.given IS NOT NULL
"""
_MOVED = f"""
    CREATE TEMP TABLE moved AS
    SELECT s.evaluation, s.metric, s.score_set, s.turn, s.ordinal, a.target, row_number() OVER (
        PARTITION BY s.evaluation, s.metric, a.target, s.turn
        ORDER BY coalesce(i.started_at, s.at, ''), ifnull(s.at_us, {_UNDATED}), s.score_set,
            s.ordinal) - 1 AS place
    FROM scores s JOIN temp.alike a ON a.score_set = s.score_set
    LEFT JOIN imports i ON i.id = s.import
    WHERE a.target IN (SELECT target FROM temp.alike GROUP BY target HAVING count(*) > 1)
"""
_MOVE = f"""
    UPDATE scores SET score_set = moved.target, ordinal = moved.place + {_FAR} FROM temp.moved
    WHERE {_IN_GROUP.format("moved")} AND scores.ordinal = moved.ordinal
"""
_REPEATED = """
    CREATE TEMP TABLE repeated AS
    SELECT DISTINCT evaluation, metric, score_set, turn FROM scores WHERE ordinal > 0
"""
_FIRST = f"""
    CREATE TEMP TABLE first AS
    SELECT r.*, min(CASE WHEN value IS NOT NULL AND ifnull(json_extract(extra, '$.error'), '') = ''
        THEN ordinal END) AS ordinal
    FROM temp.repeated r JOIN scores ON {_IN_GROUP.format("r")} GROUP BY 1, 2, 3, 4
"""
_COUNT_FIRST = f"""
    UPDATE scores SET latest = (scores.ordinal IS first.ordinal) FROM temp.first
    WHERE {_IN_GROUP.format("first")}
"""
_REPLACED = f"""
    SELECT evaluation, metric, score_set, turn FROM temp.repeated r
    WHERE evaluation IN (SELECT evaluation FROM evaluation_versions)
    OR EXISTS (SELECT 1 FROM scores WHERE {_IN_GROUP.format("r")} AND import IS NOT NULL
        GROUP BY at HAVING count(DISTINCT import) > 1)
"""


def join(conn: sqlite3.Connection) -> dict[int, int]:
    """Make one of the score sets that differ in nothing that makes a version.

    Returns:
        The set that holds the scores now, by each that is gone.
    """
    conn.execute(_ALIKE)
    changed = _find_alike(conn)
    gone = dict(conn.execute("SELECT score_set, target FROM temp.alike WHERE target <> score_set"))
    conn.execute(_KEEP_GIVEN)
    if gone:
        _move(conn)
    conn.executemany("UPDATE score_sets SET parameters = ? WHERE id = ?", changed)
    conn.execute("DROP TABLE temp.alike")
    return gone


def _find_alike(conn: sqlite3.Connection) -> list[tuple[str | None, int]]:
    """Note which sets are one version, and give the parameters of those that stay, spelt alike."""
    first: dict[tuple[Any, ...], int] = {}
    changed = []
    rows = conn.execute(
        "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets ORDER BY id"
    ).fetchall()
    for key, *identity, parameters in rows:
        given = json.loads(parameters) if parameters else None
        kept = telling(given)
        made = None if kept is None else dump(kept)
        target = first.setdefault((*identity, made), key)
        # what the set will no longer tell stays with each score
        left = None if kept is given else parameters
        conn.execute("INSERT INTO temp.alike VALUES (?, ?, ?)", (key, target, left))
        if target == key and left is not None:
            changed.append((made, key))
    return changed


def _move(conn: sqlite3.Connection) -> None:
    """Put the scores of sets that are one into one, in the order in which they came."""
    conn.execute(_MOVED)
    conn.execute(_MOVE)
    conn.execute(f"UPDATE scores SET ordinal = ordinal - {_FAR} WHERE ordinal >= {_FAR}")
    conn.execute("DROP TABLE temp.moved")
    conn.execute(
        "UPDATE OR IGNORE held_out_looks SET score_set = alike.target FROM temp.alike "
        "WHERE alike.score_set = held_out_looks.score_set"
    )
    gone = "(SELECT score_set FROM temp.alike WHERE target <> score_set)"
    conn.execute(f"DELETE FROM held_out_looks WHERE score_set IN {gone}")
    conn.execute(f"DELETE FROM score_sets WHERE id IN {gone}")


def count_first(conn: sqlite3.Connection) -> None:
    """Let the first of several values of a version count, of those given to the present text."""
    conn.execute(_REPEATED)
    conn.execute(_FIRST)
    conn.execute(_COUNT_FIRST)
    for group in conn.execute(_REPLACED).fetchall():
        counted_scores.mark_counted(conn, group)
    for table in ("repeated", "first"):
        conn.execute(f"DROP TABLE temp.{table}")
