"""The database engine itself."""

import sqlite3
from pathlib import Path

from reviewer.store.connecting import explain


def version() -> str:
    """Give the version of the SQLite library in use."""
    return sqlite3.sqlite_version


def trouble(error: BaseException, project: Path | None) -> str | None:
    """Say what an error of the database engine means, such as a damaged page; else nothing.

    Args:
        error: The error; its own words speak of pages and disks only.
        project: The file in use, None where nobody knows.
    """
    if not isinstance(error, sqlite3.Error):
        return None
    return explain(error, project or Path("PROJECT"))
