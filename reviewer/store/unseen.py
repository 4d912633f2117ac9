"""Runs and names that came with an import which has not ended: nobody sees them before it does.

The row of such an import lists in `counts` which names it made. It ends when it shows everything,
or when what it left is removed. A run that came with an undone import is not seen either, where
nothing in it is.
"""

import sqlite3

_ENDED_NOT = "SELECT id FROM imports WHERE state = 'loading'"


def shown_runs(alias: str = "runs") -> str:
    """Give the condition on a run that people may know of it."""
    return (
        f"({alias}.import IS NULL OR {alias}.import NOT IN ({_ENDED_NOT}) "
        f"AND ({alias}.import NOT IN (SELECT id FROM imports WHERE state = 'undone') OR EXISTS "
        f"(SELECT 1 FROM visible_evaluations s WHERE s.run = {alias}.id)))"
    )


def shown_names(table: str) -> str:
    """Give the condition on a row of `labelers`, `metrics` or `score_sets` that it is known."""
    return (
        f"{table}.id NOT IN (SELECT n.value FROM imports i, json_each(i.counts, '$.{table}') n "
        "WHERE i.state = 'loading')"
    )


def of_no_stopped(alias: str) -> str:
    """Give the condition on a row that no import brought which was stopped since."""
    return (
        f"({alias}.import IS NULL OR {alias}.import NOT IN "
        "(SELECT id FROM imports WHERE state = 'loading' AND owner IS NULL))"
    )


def note(conn: sqlite3.Connection, number: int, table: str, key: int) -> None:
    """Note that an import made a name; call inside `Project.write`."""
    conn.execute(
        "UPDATE imports SET counts = json_set(ifnull(counts, '{}'), ?1, "
        "json_insert(ifnull(counts ->> ?1, '[]'), '$[#]', ?2)) WHERE id = ?3",
        (f"$.{table}", key, number),
    )


def take_over(conn: sqlite3.Connection, table: str, key: int) -> None:
    """Let a name be known that somebody else uses as well; call inside `Project.write`."""
    conn.execute(
        "UPDATE imports SET counts = json_set(counts, ?1, "
        "(SELECT json_group_array(value) FROM json_each(counts, ?1) WHERE value <> ?2)) "
        "WHERE state = 'loading' AND ?2 IN (SELECT value FROM json_each(counts, ?1))",
        (f"$.{table}", key),
    )
