"""The people of a project."""

import sqlite3

from reviewer.domain.run import Labeler


def every(conn: sqlite3.Connection) -> tuple[Labeler, ...]:
    """Give everybody who has a row, by name."""
    rows = conn.execute("SELECT id, name, colour, role FROM labelers ORDER BY name COLLATE NOCASE")
    return tuple(
        Labeler(key=key, name=name, colour=colour, role=role) for key, name, colour, role in rows
    )


def find(conn: sqlite3.Connection, name: str) -> Labeler | None:
    """Give the labeler of a name, None where nobody has it."""
    row = conn.execute(
        "SELECT id, name, colour, role FROM labelers WHERE name = ?", (name,)
    ).fetchone()
    return Labeler(key=row[0], name=row[1], colour=row[2], role=row[3]) if row else None


def ensure(conn: sqlite3.Connection, name: str) -> int:
    """Give the key of a labeler, made where absent; call inside `Project.write`."""
    row = conn.execute("SELECT id FROM labelers WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = conn.execute(
            "INSERT INTO labelers(name) VALUES (?) RETURNING id", (name,)
        ).fetchall()[0]
    return int(row[0])
