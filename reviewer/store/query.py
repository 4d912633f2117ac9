"""What queries answer in a single column, a single number, or yes and no."""

import sqlite3
from typing import Any

Parameters = tuple[Any, ...] | dict[str, Any]


def values_of(conn: sqlite3.Connection, query: str, parameters: Parameters = ()) -> list[Any]:
    """Give the values of a query of one column, in its order."""
    return [value for (value,) in conn.execute(query, parameters)]


def number_of(conn: sqlite3.Connection, query: str, parameters: Parameters = ()) -> int:
    """Give the whole number that a query of one row and column answers."""
    return int(conn.execute(query, parameters).fetchone()[0])


def finds(conn: sqlite3.Connection, query: str, parameters: Parameters = ()) -> bool:
    """Tell whether a query finds anything; it should look for no more than one row."""
    return conn.execute(query, parameters).fetchone() is not None
