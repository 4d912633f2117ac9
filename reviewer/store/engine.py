"""The database engine itself."""

import sqlite3


def version() -> str:
    """Give the version of the SQLite library in use."""
    return sqlite3.sqlite_version


def is_trouble(error: BaseException) -> bool:
    """Tell whether an error comes from the database engine, such as a damaged page."""
    return isinstance(error, sqlite3.Error)
