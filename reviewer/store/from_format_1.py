"""Bring a project of format 1 to format 2."""

import json
import sqlite3

from reviewer.store import entries_from_format_1

CONVERTED = "converted"
"""The setting that holds what the conversion changed, as a JSON list of sentences."""
NOT_UNDONE = "What was done before this project was brought up to date can no longer be undone."


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    file = Database(conn, execute_plugins=False)
    file.table("_sqlite_migrations").drop(ignore=True)
    entries_from_format_1.convert(conn)
    # what is half applied goes on at the next opening, and is whole then
    conn.execute("UPDATE journal SET state = 'dropped' WHERE state IN ('done', 'undone')")
    told = json.dumps([NOT_UNDONE])
    conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (CONVERTED, told))
