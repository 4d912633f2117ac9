"""Remove what an import that never ended left behind, in batches that no label press notices."""

import os
import socket
from collections.abc import Sequence
from datetime import UTC, datetime

from reviewer.domain.errors import ProjectError
from reviewer.domain.values import now_text, parse_time
from reviewer.store.packing import search_texts
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import UNSEARCH

BATCH = 100
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
    removed = 0
    while True:
        keys = [
            row[0]
            for row in project.conn.execute(
                "SELECT id FROM evaluations WHERE id > (SELECT value FROM counters "
                "WHERE name = 'visible') ORDER BY id DESC LIMIT ?",
                (BATCH,),
            )
        ]
        if not keys:
            break
        remove(project, keys)
        removed += len(keys)
    _forget_imports(project)
    return removed


def remove(project: Project, keys: Sequence[int]) -> None:
    """Remove a few evaluations with everything that belongs to them, in one transaction."""
    listed = "(" + ",".join(map(str, keys)) + ")"
    with project.write() as conn:
        indexed = {
            row[0] for row in conn.execute(f"SELECT id FROM search_docsize WHERE id IN {listed}")
        }
        for stored in RecordReader(project).of_keys(indexed, ""):
            response = conn.execute(
                "SELECT response FROM evaluations WHERE id = ?", (stored.key,)
            ).fetchone()[0]
            conn.execute(UNSEARCH, (stored.key, *search_texts(stored.fields, response)))
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
            used = any(
                conn.execute(f"SELECT 1 FROM {use} = ? LIMIT 1", (key,)).fetchone()
                for use in uses[table]
            )
            if not used:
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
        conn.execute(
            "UPDATE imports SET state = 'failed', finished_at = ? WHERE state = 'loading'",
            (now_text(),),
        )
