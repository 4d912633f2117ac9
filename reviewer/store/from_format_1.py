"""Bring a project of format 1 to format 2."""

import sqlite3


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    file = Database(conn, execute_plugins=False)
    file.table("_sqlite_migrations").drop(ignore=True)
