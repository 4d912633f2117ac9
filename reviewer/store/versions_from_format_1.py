"""Bring the scores of a project of format 1 to versions that only what makes one tells apart.

There every seed made a score set of its own, and so did the order in which parameters came. Of the
values of a version the newest counted, now the first does.
"""

import json
import re
import sqlite3
from typing import Any, NamedTuple

from reviewer.domain.evaluation import to_micros
from reviewer.domain.run import telling
from reviewer.store import schema, scores
from reviewer.store.packing import dump

_NAME = re.compile(r"CREATE (?:TABLE|INDEX) (scores(?:_latest|_dated)?)\b")
_UNDATED = -(1 << 62)
_ALIKE = "CREATE TEMP TABLE alike(score_set INTEGER PRIMARY KEY, target INTEGER, given TEXT)"
_SEVERAL = """
    CREATE TEMP TABLE several AS
    SELECT score_set FROM temp.alike WHERE target IN
        (SELECT target FROM temp.alike GROUP BY target HAVING count(*) > 1)
    UNION SELECT score_set FROM scores_before WHERE ordinal > 0
"""
_PLACES = """
    CREATE TEMP TABLE places(
        evaluation INTEGER, metric INTEGER, score_set INTEGER, turn INTEGER, ordinal INTEGER,
        place INTEGER, latest INTEGER,
        PRIMARY KEY (evaluation, metric, score_set, turn, ordinal)) WITHOUT ROWID
"""
_PLACE = f"""
    INSERT INTO temp.places
    SELECT evaluation, metric, score_set, turn, ordinal, row_number() OVER came - 1,
        counts AND sum(counts) OVER came = 1
    FROM (
        SELECT s.evaluation, s.metric, s.score_set, s.turn, s.ordinal, a.target,
            max(coalesce(i.started_at, s.at, '')) OVER arrived AS came_at,
            max(ifnull(micros(s.at), {_UNDATED})) OVER arrived AS at,
            {scores.IS_GIVEN} AS counts
        FROM scores_before s JOIN temp.alike a ON a.score_set = s.score_set
        LEFT JOIN imports i ON i.id = s.import
        WHERE s.score_set IN (SELECT score_set FROM temp.several)
        WINDOW arrived AS (PARTITION BY s.evaluation, s.metric, s.score_set, s.turn
            ORDER BY s.ordinal ROWS UNBOUNDED PRECEDING)
    )
    WINDOW came AS (PARTITION BY evaluation, metric, target, turn
        ORDER BY came_at, at, score_set, ordinal ROWS UNBOUNDED PRECEDING)
"""
_SCORES = """
    INSERT INTO scores(evaluation, metric, score_set, turn, ordinal, value, reasoning, at, extra,
        latest, import, at_us)
    SELECT s.evaluation, s.metric, a.target, s.turn, ifnull(p.place, s.ordinal), s.value,
        s.reasoning, s.at, CASE WHEN a.given IS NULL THEN s.extra
            ELSE json_set(ifnull(s.extra, '{}'), '$.parameters', json(a.given)) END,
        ifnull(p.latest, s.latest), s.import, micros(s.at)
    FROM scores_before s CROSS JOIN temp.alike a ON a.score_set = s.score_set
    LEFT JOIN temp.places p ON p.evaluation = s.evaluation AND p.metric = s.metric
        AND p.score_set = s.score_set AND p.turn = s.turn AND p.ordinal = s.ordinal
"""
_REPLACED = """
    SELECT DISTINCT s.evaluation, s.metric, s.score_set, s.turn FROM evaluation_versions v
    JOIN scores s ON s.evaluation = v.evaluation AND s.ordinal > 0
    UNION
    SELECT s.evaluation, s.metric, s.score_set, s.turn FROM scores s JOIN scores b
    ON b.evaluation = s.evaluation AND b.metric = s.metric AND b.score_set = s.score_set
    AND b.turn = s.turn AND b.ordinal < s.ordinal AND b.at IS s.at AND b.import <> s.import
    WHERE s.ordinal > 0
"""


class Joined(NamedTuple):
    """What became of the score sets.

    Attributes:
        gone: The set that holds the scores now, by each that is gone.
        is_same: Whether nothing counts that did not count before.
    """

    gone: dict[int, int]
    is_same: bool


def convert(conn: sqlite3.Connection) -> Joined:
    """Make the table of scores anew, with their times as numbers and sets that are versions."""
    conn.execute(_ALIKE)
    changed = _find_alike(conn)
    gone = dict(conn.execute("SELECT score_set, target FROM temp.alike WHERE target <> score_set"))
    conn.execute("DROP INDEX scores_latest")
    conn.execute("ALTER TABLE scores RENAME TO scores_before")
    table, *indexes = [x for x in schema.statements() if _NAME.match(x)]
    conn.execute(table)
    for statement in (_SEVERAL, _PLACES, _PLACE, _SCORES, "DROP TABLE scores_before", *indexes):
        conn.execute(statement)
    is_same = conn.execute("SELECT 1 FROM temp.places LIMIT 1").fetchone() is None
    _forget(conn)
    conn.executemany("UPDATE score_sets SET parameters = ? WHERE id = ?", changed)
    for name in ("alike", "several", "places"):
        conn.execute(f"DROP TABLE temp.{name}")
    return Joined(gone, is_same)


def _find_alike(conn: sqlite3.Connection) -> list[tuple[str | None, int]]:
    """Note which sets are one version, and give the parameters of those that stay, spelt alike."""
    conn.create_function("micros", 1, to_micros, deterministic=True)
    first: dict[tuple[Any, ...], int] = {}
    changed = []
    for key, *identity, parameters in conn.execute(
        "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets ORDER BY id"
    ).fetchall():
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


def _forget(conn: sqlite3.Connection) -> None:
    """Remove sets that have no scores any more, and let looks at them be looks at the others."""
    conn.execute(
        "UPDATE OR IGNORE held_out_looks SET score_set = a.target FROM temp.alike a "
        "WHERE a.score_set = held_out_looks.score_set"
    )
    gone = "(SELECT score_set FROM temp.alike WHERE target <> score_set)"
    conn.execute(f"DELETE FROM held_out_looks WHERE score_set IN {gone}")
    conn.execute(f"DELETE FROM score_sets WHERE id IN {gone}")


def count_present(conn: sqlite3.Connection) -> None:
    """Leave out what was given to a text that is gone, or was given another value on purpose."""
    for group in conn.execute(_REPLACED).fetchall():
        scores.mark_counted(conn, group)
