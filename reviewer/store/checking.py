"""Check what SQLite cannot know: references, counters, current entries and the text search."""

import sqlite3
from collections.abc import Iterator

from reviewer.domain.errors import ProjectError
from reviewer.store import states, sweeping
from reviewer.store.labels import NO_TIME, restored_by
from reviewer.store.packing import SEARCHED, search_texts
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
    "SELECT count(*) FROM (SELECT evaluation, metric, labeler, turn FROM labels "
    "WHERE kind <> 'adjudication' EXCEPT "
    "SELECT evaluation, metric, labeler, turn FROM current_labels WHERE decided = 0)"
)
_THING = (
    "{0}.evaluation = d.evaluation AND {0}.metric = d.metric AND {0}.labeler = d.labeler "
    "AND {0}.turn = d.turn"
)
_NO_DECISION = (
    "SELECT count(*) FROM labels d WHERE d.kind = 'adjudication' AND d.value IS NOT NULL "
    f"AND NOT EXISTS (SELECT 1 FROM current_labels c WHERE {_THING.format('c')} "
    "AND c.decided = 1) "
    f"AND NOT EXISTS (SELECT 1 FROM labels l WHERE {_THING.format('l')} "
    "AND (l.kind = 'adjudication' OR l.kind = 'withdrawn' AND l.of IS NULL) "
    f"AND (ifnull(l.at_us, {NO_TIME}), l.id) > (ifnull(d.at_us, {NO_TIME}), d.id))"
)
_STRANGE_CURRENT = (
    "SELECT count(*) FROM current_labels c JOIN labels l ON l.id = c.label WHERE "
    "l.evaluation <> c.evaluation OR l.metric <> c.metric OR l.labeler <> c.labeler "
    "OR l.value IS NOT c.value OR l.kind <> c.kind OR c.place <> "
    f"ifnull((SELECT r.id FROM labels r WHERE {restored_by('l')}), l.id)"
)


def problems(project: Project) -> list[str]:
    """Say what is wrong in a project whose pages are whole; empty where nothing is."""
    conn = project.conn
    found = [
        f"{count} rows of {table} belong to nothing in {parent}"
        for table, parent, count in _dangling(conn)
    ]
    if sweeping.are_unseen(project) and not (
        sweeping.running(project) or sweeping.is_stopped(project)
    ):
        found.append("an import that never ended left rows behind")
    if _one(conn, _LAGGING):
        found.append("the counter of changes lags behind the changes")
    if any(_one(conn, query) for query in (_NO_CURRENT, _NO_DECISION, _STRANGE_CURRENT)):
        found.append("the current labels do not agree with their history")
    return found + _search_problems(project)


def _one(conn: sqlite3.Connection, query: str) -> int:
    row = conn.execute(query).fetchone()
    return int(row[0] or 0) if row else 0


def dangles(project: Project) -> bool:
    """Tell whether any row refers to one that is not there."""
    return bool(_dangling(project.conn))


def _dangling(conn: sqlite3.Connection) -> list[tuple[str, str, int]]:
    counts: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in conn.execute("PRAGMA foreign_key_check"):
        counts[table, parent] = counts.get((table, parent), 0) + 1
    return [(table, parent, count) for (table, parent), count in counts.items()]


def _search_problems(project: Project) -> list[str]:
    conn = project.conn
    entries = _one(conn, f"SELECT count(*) FROM search_docsize WHERE id <= {_VISIBLE}")
    evaluations = _one(conn, f"SELECT count(*) FROM evaluations WHERE id <= {_VISIBLE}")
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
    sweeping.sweep(project)
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
    reader = RecordReader(project, keys=SEARCHED)
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
