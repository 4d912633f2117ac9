"""The database engine itself."""

import sqlite3


def version() -> str:
    """Give the version of the SQLite library in use."""
    return sqlite3.sqlite_version
