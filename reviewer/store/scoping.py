"""A scope as SQL: the condition on `visible_evaluations` that it means."""

import json
import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.store.exclusions import COUNTED
from reviewer.store.query import finds

COLUMNS = {
    "id": "e.ext_id",
    "run": "(SELECT name FROM runs WHERE runs.id = e.run)",
    "case": "coalesce(e.case_id, e.ext_id)",
    "category": "e.category",
    "complexity": "e.complexity",
    "model": "e.model",
    "error": "e.error",
}
"""Fields that have a column of their own; every other name is looked up in the record's extras."""

SqlValue = str | int | float | bytes | None


class Condition(Struct, frozen=True):
    """An SQL condition over the alias `e` with its parameters."""

    sql: str
    parameters: tuple[SqlValue, ...] = ()


def condition(scope: Scope, run_keys: Sequence[int]) -> Condition:
    """Give the condition that a scope puts on evaluations, within the given runs.

    Raises:
        ReviewerError: A field name of `where` is malformed.
    """
    parts = [f"e.run IN ({_marks(run_keys)})"]
    values: list[SqlValue] = list(run_keys)
    if scope.categories:
        parts.append(f"e.category IN ({_marks(scope.categories)})")
        values.extend(scope.categories)
    if scope.tags:
        parts.append(f"e.id IN (SELECT evaluation FROM tags WHERE tag IN ({_marks(scope.tags)}))")
        values.extend(scope.tags)
    for field, value in scope.where:
        field_sql, field_values = field_expression(field)
        parts.append(f"CAST({field_sql} AS TEXT) = ?")
        values.extend((*field_values, value))
    return Condition(" AND ".join(parts), tuple(values))


def holds_any(conn: sqlite3.Connection, within: Condition) -> bool:
    """Tell whether any visible evaluation fits a condition."""
    return finds(
        conn,
        f"SELECT 1 FROM visible_evaluations e WHERE {within.sql} LIMIT 1",
        within.parameters,
    )


def only(within: Condition, keys: Sequence[int]) -> Condition:
    """Narrow a condition to a few evaluations."""
    return Condition(f"{within.sql} AND e.id IN ({_marks(keys)})", (*within.parameters, *keys))


def without(within: Condition, keys: Sequence[int]) -> Condition:
    """Narrow a condition by leaving out a few evaluations."""
    return Condition(f"{within.sql} AND e.id NOT IN ({_marks(keys)})", (*within.parameters, *keys))


def among(within: Condition, keys: Sequence[int]) -> Condition:
    """Narrow a condition to evaluations named by their keys, however many."""
    return Condition(
        f"{within.sql} AND e.id IN (SELECT value FROM json_each(?))",
        (*within.parameters, json.dumps(list(keys))),
    )


def counted(scope: Scope, run_keys: Sequence[int]) -> Condition:
    """Give the condition on evaluations that figures of a scope are about: no excluded one.

    Raises:
        ReviewerError: A field name of `where` is malformed.
    """
    whole = condition(scope, run_keys)
    return Condition(f"{whole.sql} AND {COUNTED}", whole.parameters)


def with_excluded(within: Condition, scope: Scope, run_keys: Sequence[int]) -> Condition:
    """Let the excluded evaluations of a scope in, beside those that a condition names.

    Raises:
        ReviewerError: A field name of `where` is malformed.
    """
    whole = condition(scope, run_keys)
    # an OR would let SQLite look both sides up for every block that is read
    return Condition(
        f"CASE WHEN {COUNTED} THEN {within.sql} ELSE {whole.sql} END",
        (*within.parameters, *whole.parameters),
    )


def narrowed(within: Condition, filtered: Condition) -> Condition:
    """Narrow a condition by one of a filter, which is about the alias `v`."""
    return Condition(
        f"{within.sql} AND e.id IN (SELECT v.id FROM visible_evaluations v WHERE {filtered.sql})",
        (*within.parameters, *filtered.parameters),
    )


def field_expression(name: str) -> tuple[str, tuple[SqlValue, ...]]:
    """Give the SQL for a field of the record, such as `category` or a key of `meta`.

    Raises:
        ReviewerError: The name is empty or holds a double quote.
    """
    if name in COLUMNS:
        return COLUMNS[name], ()
    if not name or '"' in name:
        raise ReviewerError(
            f"{name!r} is no field name; give a record's key, such as category=policies."
        )
    path = "".join(f'."{part}"' for part in name.split("."))
    return (
        "coalesce(json_extract(e.extra, ?), json_extract(e.extra, ?))",
        (f"${path}", f"$.meta{path}"),
    )


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
