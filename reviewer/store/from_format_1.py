"""Bring a project of format 1 to format 2."""

import sqlite3


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    file = Database(conn, execute_plugins=False)
    file.table("_sqlite_migrations").drop(ignore=True)
    name_presets(conn)


def name_presets(conn: sqlite3.Connection) -> None:
    """Let the rubric whose deviations were published go on being computed so."""
    conn.execute(
        "UPDATE rubric_versions SET body = json_set(body, '$.preset', 'published') "
        "WHERE json_extract(body, '$.name') = 'virtual-agent' "
        "AND json_extract(body, '$.preset') IS NULL"
    )
