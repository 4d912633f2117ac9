"""Remove what imports left that were stopped, never ended or were undone, a little at a time.

Who stops an import does not wait for that: its rows stay where nobody sees them, above the counter
`visible`, until the window has time, or somebody imports again or repairs the file; who undoes one
neither: its rows are hidden. An import at work owns its row; while there is one, nothing is
removed.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence

from pydantic_core import to_json

from reviewer.domain.errors import CancelledError, Progress, ProjectError, Silent
from reviewer.domain.evaluation import now_text
from reviewer.store.owners import alive
from reviewer.store.packing import SEARCHED, search_texts
from reviewer.store.pieces import Pieces
from reviewer.store.project import Project
from reviewer.store.query import finds, number_of, values_of
from reviewer.store.records import RecordReader
from reviewer.store.rows import UNSEARCH

TARGET_SECONDS = 0.015
SMALLEST, LARGEST = 8, 500
TRIES = 5
STEPS = 20_000
"""Steps of the database engine between two looks whether somebody cancelled."""
STOPPED = "Stopped; nothing was stored, and what an earlier import left goes another time."
WORDS = "removing what a stopped or undone import left"

_UNSEEN = "id > (SELECT value FROM counters WHERE name = 'visible')"
_STOPPED = "state = 'loading' AND owner IS NULL"
_UNDONE = "SELECT id FROM imports WHERE state = 'undone'"
_LEFT = f"""
    (e.{_UNSEEN} OR e.hidden = 1 AND e.import IN ({_UNDONE})
    AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.evaluation = e.id AND l.import IS NOT e.import)
    AND NOT EXISTS (SELECT 1 FROM marks m WHERE m.evaluation = e.id AND m.import IS NOT e.import))
"""
_EMPTIED = (
    f"FROM runs WHERE import IN (SELECT id FROM imports WHERE {_STOPPED} UNION ALL {_UNDONE}) "
    "AND NOT EXISTS (SELECT 1 FROM evaluations WHERE evaluations.run = runs.id) "
    "AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.run = runs.id)"
)
_AT_WORK = "SELECT 1 FROM imports WHERE state = 'loading' AND owner IS NOT NULL"
_BELONGING = ("scores", "turns", "tags", "attachment_uses", "current_labels", "states", "labels",
              "marks", "evaluation_versions", "exclusions", "tag_changes",
              "queue_items", "attempts", "splits", "monitor_samples",
              "discarded_scores")  # fmt: skip
_NAMES = ("labelers", "score_sets", "metrics")


def running(project: Project) -> str | None:
    """Say which import is at work in another living process, None where none is."""
    for owner, started, source in project.conn.execute(
        "SELECT owner, started_at, source FROM imports WHERE state = 'loading' "
        "AND owner IS NOT NULL"
    ):
        if alive(str(owner), str(started)):
            return (
                f"An import of {source} is running in another window or program (since "
                f"{started}); wait until it is done."
            )
    return None


def be_alone(project: Project) -> None:
    """See that nobody else imports and nothing is left; call inside `Project.write`.

    Raises:
        ProjectError: Another import began a moment ago.
    """
    busy = running(project)
    if busy or are_unseen(project):
        raise ProjectError(busy or "Another import has just begun; wait until it is done.")


def release(conn: sqlite3.Connection, number: int) -> None:
    """Leave the rows of an import to whoever sweeps; call inside `Project.write`."""
    conn.execute("UPDATE imports SET owner = NULL WHERE id = ? AND state = 'loading'", (number,))


def are_unseen(project: Project) -> bool:
    """Tell whether there are evaluations that no import has shown."""
    return finds(project.conn, f"SELECT 1 FROM evaluations WHERE {_UNSEEN} LIMIT 1")


def is_stopped(project: Project) -> bool:
    """Tell whether there is a stopped import whose rows are to be swept."""
    return finds(project.conn, f"SELECT 1 FROM imports WHERE {_STOPPED}")


def is_left(project: Project) -> bool:
    """Tell whether a stopped or undone import left anything that is to be swept."""
    return (
        is_stopped(project)
        or _are_left(project)
        or finds(project.conn, f"SELECT 1 {_EMPTIED} LIMIT 1")
    )


def _are_left(project: Project) -> bool:
    return finds(project.conn, f"SELECT 1 FROM evaluations e WHERE {_LEFT} LIMIT 1")


def sweep(project: Project, progress: Progress | None = None) -> int:
    """Remove what imports left that are not at work and give the number of evaluations removed.

    Raises:
        ProjectError: Another import is at work, or the file cannot be written.
        CancelledError: The user stopped it; what is left stays unseen.
    """
    busy = running(project)
    if busy:
        raise ProjectError(busy)
    if finds(project.conn, _AT_WORK):
        with project.write() as conn:
            conn.execute("UPDATE imports SET owner = NULL WHERE state = 'loading'")
    return tidy(project, progress or Silent())


def tidy(project: Project, progress: Progress) -> int:
    """Remove what imports left while no other is at work, beside whatever people do.

    Raises:
        ProjectError: The file cannot be written.
        CancelledError: There is no more time; what is left stays unseen.
    """
    _release_dead(project)
    if finds(project.conn, _AT_WORK) or not is_left(project):
        return 0
    # without waiting for the disk: what a power cut brings back stays unseen
    project.hasty()
    try:
        removed = _remove_left(project, progress)
        if not _are_left(project):
            with _stoppable(project.conn, progress):
                _forget_imports(project)
    finally:
        project.careful()
    return removed


@contextlib.contextmanager
def _stoppable(conn: sqlite3.Connection, progress: Progress) -> Iterator[None]:
    """Let whoever cancels not wait for the end of a query, which may go through a whole table."""
    conn.set_progress_handler(lambda: progress.cancelled, STEPS)
    try:
        yield
    except (sqlite3.OperationalError, ProjectError) as error:
        if progress.cancelled:
            raise CancelledError(STOPPED) from error
        raise
    finally:
        conn.set_progress_handler(None, 0)


def _release_dead(project: Project) -> None:
    """Give up the imports of other processes that ended in the middle of them."""
    mine = f"{os.getpid()}@"
    dead = [
        (number,)
        for number, owner, started in project.conn.execute(
            "SELECT id, owner, started_at FROM imports WHERE state = 'loading' "
            "AND owner IS NOT NULL"
        )
        if not (str(owner).startswith(mine) or alive(str(owner), str(started)))
    ]
    if dead:
        with project.write() as conn:
            conn.executemany("UPDATE imports SET owner = NULL WHERE id = ?", dead)


def _remove_left(project: Project, progress: Progress) -> int:
    conn = project.conn
    with _stoppable(conn, progress):
        # looked for once: every other look would pass over what stays hidden
        left = sorted(
            values_of(conn, f"SELECT e.id FROM evaluations e WHERE {_LEFT}"), reverse=True
        )
    reader = RecordReader(project, keys=SEARCHED)
    pieces, done, removed, size = Pieces(project), 0, 0, SMALLEST
    while done < len(left):
        if progress.cancelled:
            raise CancelledError(STOPPED)
        progress.advance(done, len(left), WORDS)
        some = left[done : done + size]
        with project.write():
            started = time.thread_time()
            if finds(conn, _AT_WORK):
                break
            # by now another process may have removed or shown some
            keys = values_of(
                conn,
                "SELECT e.id FROM json_each(?) w CROSS JOIN evaluations e NOT INDEXED "
                f"ON e.id = w.value WHERE {_LEFT}",
                (to_json(some).decode(),),
            )
            weight = _remove(conn, reader, keys)
            spent = time.thread_time() - started
        done += len(some)
        removed += len(keys)
        pieces.add(weight)
        wanted = len(some) * TARGET_SECONDS / max(spent, 1e-4)
        size = int(min(max((size + wanted) / 2, SMALLEST), LARGEST))
    return removed


def _remove(conn: sqlite3.Connection, reader: RecordReader, keys: Sequence[int]) -> int:
    """Remove evaluations and give the bytes of their texts, about."""
    listed = "(" + ",".join(map(str, keys)) + ")"
    indexed = dict(
        conn.execute(
            "SELECT e.id, e.response FROM search_docsize s JOIN evaluations e ON e.id = s.id "
            f"WHERE s.id IN {listed}"
        ).fetchall()
    )
    texts = [
        (stored.key, *search_texts(stored.fields, indexed[stored.key]))
        for stored in reader.of_keys(indexed, "")
    ]
    conn.executemany(UNSEARCH, texts)
    for table in _BELONGING:
        conn.execute(f"DELETE FROM {table} WHERE evaluation IN {listed}")
    conn.execute(f"DELETE FROM evaluations WHERE id IN {listed}")
    return sum(len(text) for row in texts for text in row[1:])


def _forget_imports(project: Project) -> None:
    if not all(_drop_unused(project, table) for table in _NAMES):
        return
    with project.write() as conn:
        if finds(conn, _AT_WORK):
            return
        conn.execute(f"DELETE {_EMPTIED}")
        conn.execute("DELETE FROM records WHERE run NOT IN (SELECT id FROM runs)")
        conn.execute(
            "DELETE FROM attachments WHERE NOT EXISTS "
            "(SELECT 1 FROM attachment_uses u WHERE u.attachment = attachments.id)"
        )
        # a run that holds others' evaluations by now still names the import that made it
        conn.execute(
            f"DELETE FROM imports WHERE {_STOPPED} "
            "AND id NOT IN (SELECT import FROM runs WHERE import IS NOT NULL)"
        )
        conn.execute(
            "UPDATE imports SET state = 'failed', finished_at = ?, counts = NULL "
            f"WHERE {_STOPPED}",
            (now_text(),),
        )


def _drop_unused(project: Project, table: str) -> bool:
    """Remove the names that stopped imports made and that nothing uses, and tell whether it could.

    The search for uses takes longer than anybody who labels should wait, so it goes before the
    transaction and counts where nobody wrote meanwhile; else there is another time.
    """
    conn = project.conn
    for _ in range(TRIES):
        version = _version(conn)
        unused = _unused(conn, table)
        if not unused:
            return True
        with project.write():
            if _version(conn) == version:
                conn.executemany(f"DELETE FROM {table} WHERE id = ?", [(key,) for key in unused])
                return True
    return False


def _version(conn: sqlite3.Connection) -> int:
    return number_of(conn, "PRAGMA data_version")


def _unused(conn: sqlite3.Connection, table: str) -> list[int]:
    made = values_of(
        conn,
        f"SELECT n.value FROM imports i, json_each(i.counts, '$.{table}') n WHERE i.{_STOPPED}",
    )
    uses = conn.execute(
        'SELECT m.name, f."from" FROM sqlite_master m, pragma_foreign_key_list(m.name) f '
        "WHERE m.type = 'table' AND f.\"table\" = ?",
        (table,),
    ).fetchall()
    for child, column in uses if made else ():
        used = set(values_of(conn, f"SELECT DISTINCT {column} FROM {child}"))
        made = [key for key in made if key not in used]
    return made
