"""Check what SQLite cannot know: references, counters, current entries, and what imports left."""

import os
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from reviewer.domain.errors import ProjectError
from reviewer.domain.evaluation import now_text, parse_time
from reviewer.store import states
from reviewer.store.labels import NO_TIME, restored_by
from reviewer.store.packing import SEARCHED, search_texts
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import SEARCH, UNSEARCH

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
    if _one(conn, f"SELECT count(*) FROM evaluations WHERE id > {_VISIBLE}") and not (
        running(project)
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
    sweep(project)
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


REMOVED_AT_ONCE = 100
_BELONGING = ("scores", "turns", "tags", "attachment_uses", "current_labels", "states", "labels",
              "marks", "evaluation_versions", "exclusions", "tag_changes",
              "queue_items", "attempts", "splits", "monitor_samples",
              "discarded_scores")  # fmt: skip


def owner_name() -> str:
    """Name this process, as an import's row keeps it."""
    return f"{os.getpid()}@{socket.gethostname()}"


def running(project: Project) -> str | None:
    """Say which import is at work in another living process, None where none is."""
    for owner, started, source in project.conn.execute(
        "SELECT owner, started_at, source FROM imports WHERE state = 'loading'"
    ):
        if alive(str(owner), str(started)):
            return (
                f"An import of {source} is running in another window or program (since "
                f"{started}); wait until it is done."
            )
    return None


def alive(owner: str, started: str) -> bool:
    """Tell whether the process that an owner names still runs since then, this one left out."""
    number, _, host = owner.partition("@")
    if host != socket.gethostname():
        age = datetime.now(UTC) - parse_time(started)
        return age.total_seconds() < 3600
    if not number.isdigit() or int(number) == os.getpid():
        return False
    import psutil

    try:
        born = psutil.Process(int(number)).create_time()
    except psutil.Error:
        return False
    # a number used again belongs to a younger process
    return born <= parse_time(started).timestamp() + 1


def sweep(project: Project) -> int:
    """Remove the rows of imports that never ended and give the number of evaluations removed.

    Raises:
        ProjectError: Another import is at work, or the file cannot be written.
    """
    busy = running(project)
    if busy:
        raise ProjectError(busy)
    removed = remove_unseen(project)
    _forget_imports(project)
    return removed


def remove_unseen(project: Project) -> int:
    """Remove the evaluations that no import has shown, a few at a time, and count them."""
    removed = 0
    while True:
        keys = [
            row[0]
            for row in project.conn.execute(
                "SELECT id FROM evaluations WHERE id > (SELECT value FROM counters "
                "WHERE name = 'visible') ORDER BY id DESC LIMIT ?",
                (REMOVED_AT_ONCE,),
            )
        ]
        if not keys:
            return removed
        remove(project, keys)
        removed += len(keys)


def remove(project: Project, keys: Sequence[int]) -> None:
    """Remove a few evaluations with everything that belongs to them, in one transaction."""
    listed = "(" + ",".join(map(str, keys)) + ")"
    with project.write() as conn:
        indexed = dict(
            conn.execute(
                "SELECT e.id, e.response FROM search_docsize s JOIN evaluations e ON e.id = s.id "
                f"WHERE s.id IN {listed}"
            ).fetchall()
        )
        conn.executemany(
            UNSEARCH,
            [
                (stored.key, *search_texts(stored.fields, indexed[stored.key]))
                for stored in RecordReader(project, keys=SEARCHED).of_keys(indexed, "")
            ],
        )
        for table in _BELONGING:
            conn.execute(f"DELETE FROM {table} WHERE evaluation IN {listed}")
        conn.execute(f"DELETE FROM evaluations WHERE id IN {listed}")


def drop_unused(project: Project, made: Sequence[tuple[str, int]]) -> None:
    """Remove names that an import made and that nothing uses."""
    uses = {
        "labelers": (
            "labels WHERE labeler",
            "marks WHERE labeler",
            "states WHERE labeler",
            "journal WHERE labeler",
            "exclusions WHERE labeler",
        ),
        "score_sets": ("scores WHERE score_set", "record_log WHERE score_set"),
        "metrics": (
            "scores WHERE metric",
            "labels WHERE metric",
            "marks WHERE metric",
            "record_log WHERE metric",
        ),
    }
    with project.write() as conn:
        for table, key in made:
            if not any(
                conn.execute(f"SELECT 1 FROM {use} = ? LIMIT 1", (key,)).fetchone()
                for use in uses[table]
            ):
                conn.execute(f"DELETE FROM {table} WHERE id = ?", (key,))


def _forget_imports(project: Project) -> None:
    if project.conn.execute("SELECT 1 FROM imports WHERE state = 'loading'").fetchone() is None:
        return
    with project.write() as conn:
        conn.execute(
            "DELETE FROM runs WHERE import IN (SELECT id FROM imports WHERE state = 'loading') "
            "AND NOT EXISTS (SELECT 1 FROM evaluations WHERE evaluations.run = runs.id)"
        )
        conn.execute(
            "DELETE FROM attachments WHERE NOT EXISTS "
            "(SELECT 1 FROM attachment_uses u WHERE u.attachment = attachments.id)"
        )
        # a run that holds others' evaluations by now still names the import that made it
        conn.execute(
            "DELETE FROM imports WHERE state = 'loading' "
            "AND id NOT IN (SELECT import FROM runs WHERE import IS NOT NULL)"
        )
        conn.execute(
            "UPDATE imports SET state = 'failed', finished_at = ? WHERE state = 'loading'",
            (now_text(),),
        )
