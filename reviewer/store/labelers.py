"""The people of a project."""

import sqlite3
from collections.abc import Sequence

from reviewer.domain import uids
from reviewer.domain.run import Labeler
from reviewer.store import unseen
from reviewer.store.query import finds, values_of

ELSEWHERE = "leads from elsewhere"
"""The setting that lists who leads only because decisions of theirs were imported."""
_THERE = f"SELECT value FROM json_each((SELECT value FROM settings WHERE name = '{ELSEWHERE}'))"
_READ = "SELECT id, name, colour, role FROM labelers"
_SHOWN = unseen.shown_names("labelers")


def every(conn: sqlite3.Connection) -> tuple[Labeler, ...]:
    """Give everybody who is known, by name."""
    rows = conn.execute(f"{_READ} WHERE {_SHOWN} ORDER BY name COLLATE NOCASE")
    return tuple(
        Labeler(key=key, name=name, colour=colour, role=role) for key, name, colour, role in rows
    )


def find(conn: sqlite3.Connection, name: str) -> Labeler | None:
    """Give the labeler of a name, None where nobody has it."""
    row = conn.execute(f"{_READ} WHERE name = ? AND {_SHOWN}", (name,)).fetchone()
    return Labeler(key=row[0], name=row[1], colour=row[2], role=row[3]) if row else None


def has_lead(conn: sqlite3.Connection) -> bool:
    """Tell whether anybody leads."""
    return finds(conn, "SELECT 1 FROM labelers WHERE role = 'lead'")


def is_led(conn: sqlite3.Connection) -> bool:
    """Tell whether somebody who works here leads; whoever decided elsewhere leaves room."""
    return finds(conn, f"SELECT 1 FROM labelers WHERE role = 'lead' AND id NOT IN ({_THERE})")


def ensure(conn: sqlite3.Connection, name: str) -> int:
    """Give the key of a labeler, made where absent; call inside `Project.write`.

    The first person who works in a project leads it, whoever was imported before.
    """
    key = known(conn, name)
    if not is_led(conn):
        conn.execute("UPDATE labelers SET role = 'lead' WHERE id = ?", (key,))
        conn.execute("DELETE FROM settings WHERE name = ?", (ELSEWHERE,))
    return key


def known(conn: sqlite3.Connection, name: str) -> int:
    """Give the key of a labeler, made where absent, who leads nothing by that."""
    row = conn.execute("SELECT id FROM labelers WHERE name = ?", (name,)).fetchone()
    if row is None:
        return add(conn, name)
    unseen.take_over(conn, "labelers", int(row[0]))
    return int(row[0])


def add(conn: sqlite3.Connection, name: str) -> int:
    """Add somebody of a new name and give their key; call inside `Project.write`.

    Their number everywhere follows from the name, also where they are called otherwise later.
    """
    taken = set(values_of(conn, "SELECT uid FROM labelers"))
    count = 0
    while (uid := uids.of_content("labeler", name, count)) in taken:
        count += 1
    row = conn.execute(
        "INSERT INTO labelers(name, uid) VALUES (?, ?) RETURNING id", (name, uid)
    ).fetchall()[0]
    return int(row[0])


def promote(conn: sqlite3.Connection, keys: Sequence[int]) -> None:
    """Make leads of those who have decided, where nobody leads yet; call inside `Project.write`.

    Where somebody does, a new name is a labeler until a lead says otherwise.
    """
    if is_led(conn):
        return
    marks = ", ".join("?" * len(keys))
    conn.execute(
        f"UPDATE labelers SET role = 'lead' WHERE id IN ({marks}) "
        "AND id IN (SELECT labeler FROM current_labels WHERE decided = 1)",
        tuple(keys),
    )
    conn.execute(
        "INSERT OR REPLACE INTO settings SELECT ?, json_group_array(id) FROM labelers "
        "WHERE role = 'lead'",
        (ELSEWHERE,),
    )


def merely_imported(conn: sqlite3.Connection) -> frozenset[int]:
    """Give whose labels all came with imports, and who had no part in a queue."""
    return frozenset(
        values_of(
            conn,
            "SELECT labeler FROM labels GROUP BY labeler HAVING count(import) = count(*) "
            "EXCEPT SELECT labeler FROM queue_items",
        )
    )


def last_answers(conn: sqlite3.Connection) -> dict[int, int]:
    """Give when everybody answered last, in microseconds since 1970, by key."""
    return dict(
        conn.execute(
            "SELECT labeler, max(at_us) FROM current_labels "
            "WHERE kind IN ('label', 'not_applicable') AND at_us IS NOT NULL GROUP BY labeler"
        )
    )


def change(conn: sqlite3.Connection, person: Labeler) -> None:
    """Keep a labeler's name, colour and role under their key; call inside `Project.write`.

    Questions name whom they ask, so they go along with a new name.
    """
    conn.execute(
        "UPDATE marks SET value = ?1 WHERE kind IN ('cause', 'question') AND kind = 'question' "
        "AND value = (SELECT name FROM labelers WHERE id = ?2 AND name <> ?1)",
        (person.name, person.key),
    )
    conn.execute(
        "UPDATE labelers SET name = ?, colour = ?, role = ? WHERE id = ?",
        (person.name, person.colour, person.role, person.key),
    )


def uids_of_people(conn: sqlite3.Connection) -> dict[int, uids.Uid]:
    """Give the numbers that people have everywhere, by their keys."""
    return {
        key: uid or uids.of_content("labeler", name, 0)
        for key, name, uid in conn.execute("SELECT id, name, uid FROM labelers")
    }
