"""Check what SQLite cannot know: references, counters, current entries, text search, leftovers."""

import sqlite3
from collections.abc import Iterator

from reviewer.domain.errors import ProjectError
from reviewer.store import leftovers, states
from reviewer.store.packing import search_texts
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import SEARCH

BATCH = 500

_VISIBLE = "(SELECT value FROM counters WHERE name = 'visible')"
_LAGGING = (
    "SELECT count(*) FROM counters WHERE name = 'seq' AND (value < (SELECT max(seq) FROM labels) "
    "OR value < (SELECT max(seq) FROM marks))"
)
_NO_CURRENT = (
    "SELECT count(*) FROM (SELECT DISTINCT evaluation, metric, labeler, turn FROM labels EXCEPT "
    "SELECT evaluation, metric, labeler, turn FROM current_labels)"
)
_STRANGE_CURRENT = (
    "SELECT count(*) FROM current_labels c JOIN labels l ON l.id = c.label WHERE "
    "l.evaluation <> c.evaluation OR l.metric <> c.metric OR l.labeler <> c.labeler "
    "OR l.value IS NOT c.value OR l.kind <> c.kind"
)


def problems(project: Project) -> list[str]:
    """Say what is wrong in a project whose pages are whole; empty where nothing is."""
    conn = project.conn
    found = [
        f"{count} rows of {table} belong to nothing in {parent}"
        for table, parent, count in _dangling(conn)
    ]
    if _one(conn, f"SELECT count(*) FROM evaluations WHERE id > {_VISIBLE}") and not (
        leftovers.running(project)
    ):
        found.append("an import that never ended left rows behind")
    if _one(conn, _LAGGING):
        found.append("the counter of changes lags behind the changes")
    if _one(conn, _NO_CURRENT) or _one(conn, _STRANGE_CURRENT):
        found.append("the current labels do not agree with their history")
    return found + _search_problems(project)


def _one(conn: sqlite3.Connection, query: str) -> int:
    row = conn.execute(query).fetchone()
    return int(row[0] or 0) if row else 0


def _dangling(conn: sqlite3.Connection) -> list[tuple[str, str, int]]:
    counts: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in conn.execute("PRAGMA foreign_key_check"):
        counts[table, parent] = counts.get((table, parent), 0) + 1
    return [(table, parent, count) for (table, parent), count in counts.items()]


def _search_problems(project: Project) -> list[str]:
    conn = project.conn
    entries = _one(conn, "SELECT count(*) FROM search_docsize")
    evaluations = _one(conn, "SELECT count(*) FROM evaluations")
    if entries != evaluations:
        return [f"text search knows {entries:,} of {evaluations:,} evaluations"]
    if project.read_only:
        return []
    try:
        with project.write() as writing:
            writing.execute("INSERT INTO search(search) VALUES ('integrity-check')")
    except ProjectError as error:
        return [f"the text search is damaged ({error})"]
    return []


def mend(project: Project) -> None:
    """Remove leftovers, set counters right, and work out again whatever follows from the rest."""
    leftovers.sweep(project)
    with project.write() as conn:
        for table in ("labels", "marks"):
            conn.execute(
                "UPDATE counters SET value = max(value, "
                f"ifnull((SELECT max(seq) FROM {table}), 0)) WHERE name = 'seq'"
            )
    for keys in _labelled(project):
        with project.write() as conn:
            states.refresh(conn, keys)
    if _search_problems(project):
        _index_again(project)


def _labelled(project: Project) -> Iterator[list[int]]:
    query = (
        "SELECT evaluation FROM (SELECT evaluation FROM labels UNION SELECT evaluation FROM marks "
        "UNION SELECT evaluation FROM current_labels UNION SELECT evaluation FROM states) "
        f"WHERE evaluation > ? ORDER BY evaluation LIMIT {BATCH}"
    )
    last = 0
    while keys := [row[0] for row in project.conn.execute(query, (last,))]:
        last = keys[-1]
        yield keys


def _index_again(project: Project) -> None:
    """Fill the text search anew; searches find less until it is done."""
    with project.write() as conn:
        conn.execute("INSERT INTO search(search) VALUES ('delete-all')")
    reader = RecordReader(project)
    last = 0
    while True:
        rows = project.conn.execute(
            f"SELECT id, response FROM evaluations WHERE id > ? ORDER BY id LIMIT {BATCH}", (last,)
        ).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        responses = dict(rows)
        with project.write() as conn:
            conn.executemany(
                SEARCH,
                (
                    (stored.key, *search_texts(stored.fields, responses[stored.key]))
                    for stored in reader.of_keys(responses, "")
                ),
            )
