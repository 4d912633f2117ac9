"""Finished imports: finding evaluations for labels, and taking an import back with its texts."""

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic_core import from_json, to_json

from reviewer.domain.errors import ProjectError
from reviewer.store import amending, journal, queue_acts, rows, states, sweeping
from reviewer.store.project import Project
from reviewer.store.query import finds, number_of, values_of
from reviewer.store.records import RecordReader
from reviewer.store.rows import Fields, Names
from reviewer.store.scores import mark_counted


def find(
    project: Project, run: str | None, identities: Iterable[str]
) -> dict[str, list[tuple[int, str]]]:
    """Give number and run of the evaluations with each of some ids, in one run or in any."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for identity, key, name in project.conn.execute(
        # left to itself, SQLite goes through whole runs for each id
        "SELECT e.ext_id, e.id, r.name FROM json_each(?) w CROSS JOIN runs r "
        "CROSS JOIN evaluations e INDEXED BY evaluations_identity "
        "WHERE e.run = r.id AND e.ext_id = w.value AND e.hidden = 0"
        + ("" if run is None else " AND r.name = ?"),
        (to_json(list(identities)).decode(), *(() if run is None else (run,))),
    ):
        found[identity].append((key, name))
    return found


def state(project: Project, number: int) -> tuple[str, str] | None:
    """Give state and source of an import, None where there is none."""
    row = project.conn.execute(
        "SELECT state, source FROM imports WHERE id = ?", (number,)
    ).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def standing(project: Project) -> list[tuple[int, str]]:
    """Give number and source of the imports that can be taken back, the oldest first."""
    return project.conn.execute(
        "SELECT id, source FROM imports WHERE state = 'done' ORDER BY id"
    ).fetchall()


def labelled_since(project: Project, number: int) -> tuple[int, int]:
    """Count an import's evaluations that people labelled or marked since, and these entries."""
    entries = 0
    found: set[int] = set()
    for table in ("labels", "marks"):
        for key, count in project.conn.execute(
            f"SELECT t.evaluation, count(*) FROM {table} t "
            "JOIN evaluations e ON e.id = t.evaluation "
            "WHERE e.import = ?1 AND t.import IS NOT ?1 GROUP BY t.evaluation",
            (number,),
        ):
            found.add(key)
            entries += count
    return len(found), entries


_UNTOUCHED = """
    e.import = ?1
    AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.evaluation = e.id AND l.import IS NOT ?1)
    AND NOT EXISTS (SELECT 1 FROM marks m WHERE m.evaluation = e.id AND m.import IS NOT ?1)
"""


def take_back(project: Project, number: int, *, keep_labelled: bool = False) -> int:
    """Hide an import's evaluations and take its scores and labels off others, all at once.

    Texts and scores that it replaced are put back. What is hidden `sweeping` removes later, but
    not evaluations that people labelled since: those stay in the file, in view with
    `keep_labelled`, else hidden, so that nothing given is lost.

    Returns:
        The number of evaluations taken back.
    """
    busy = sweeping.running(project)
    if busy:
        raise ProjectError(busy)
    before = Restorer(project, number)
    with project.write() as conn:
        hidden = conn.execute(
            f"UPDATE evaluations AS e SET hidden = 1 WHERE {_UNTOUCHED} AND hidden = 0"
            if keep_labelled
            else "UPDATE evaluations SET hidden = 1 WHERE import = ?1 AND hidden = 0",
            (number,),
        ).rowcount
        conn.execute(
            "DELETE FROM queue_items AS i WHERE EXISTS "
            f"(SELECT 1 FROM evaluations e WHERE e.id = i.evaluation AND {_UNTOUCHED})",
            (number,),
        )
        _take_entries(conn, number)
        before.restore(conn)
        conn.execute(
            "UPDATE imports SET state = 'undone', seq = ? WHERE id = ?",
            (project.next_seq(), number),
        )
        for begun in journal.begun_with(conn, number):
            queue_acts.take_round_back(conn, begun)
        journal.drop_import(conn, number)
    return int(hidden)


def _take_entries(conn: sqlite3.Connection, number: int) -> None:
    """Remove what an import added to evaluations of other imports."""
    conn.execute(
        "CREATE TEMP TABLE IF NOT EXISTS taken(evaluation INTEGER PRIMARY KEY, scored INTEGER)"
    )
    conn.execute("DELETE FROM temp.taken")
    for table, scored in (("scores", 1), ("labels", 0), ("marks", 0)):
        other = (
            f"FROM {table} WHERE import = ? AND evaluation IN "
            "(SELECT id FROM evaluations WHERE import IS NOT ?)"
        )
        conn.execute(
            f"INSERT OR IGNORE INTO temp.taken SELECT DISTINCT evaluation, {scored} {other}",
            (number, number),
        )
        if table != "scores":
            conn.execute(
                "DELETE FROM current_labels "
                "WHERE evaluation IN (SELECT evaluation FROM temp.taken)"
            )
        conn.execute(f"DELETE {other}", (number, number))
    conn.execute("DELETE FROM exclusions WHERE import = ?", (number,))
    touched = conn.execute("SELECT evaluation, scored FROM temp.taken").fetchall()
    for key in [key for key, scored in touched if scored]:
        for group in conn.execute(
            "SELECT DISTINCT evaluation, metric, score_set, turn FROM scores WHERE evaluation = ?",
            (key,),
        ).fetchall():
            mark_counted(conn, group)
    states.refresh(conn, [key for key, _ in touched])


def brought_to_others(project: Project, number: int) -> int:
    """Count the scores, labels and marks that an import added to evaluations of other imports."""
    return sum(
        number_of(
            project.conn,
            f"SELECT count(*) FROM {table} t JOIN evaluations e ON e.id = t.evaluation "
            "WHERE t.import = ? AND e.import IS NOT ?",
            (number, number),
        )
        for table in ("scores", "labels", "marks")
    )


def places_to_lose(project: Project, number: int) -> dict[str, int]:
    """Count by queue the places that would go for good with an import's evaluations."""
    return dict(
        project.conn.execute(
            "SELECT q.name, count(*) FROM queue_items i JOIN queues q ON q.id = i.queue "
            "CROSS JOIN evaluations e ON e.id = i.evaluation "
            f"WHERE {_UNTOUCHED} GROUP BY q.id ORDER BY q.name",
            (number,),
        ).fetchall()
    )


def remove_file(project: Project) -> None:
    """Close a project and remove its file, without taking anything to the disk."""
    project.conn.execute("PRAGMA synchronous = OFF")
    # what has no name any more is not put in order either, where a system lets an open file go
    with contextlib.suppress(OSError):
        project.path.unlink()
    project.close()
    for suffix in ("", "-wal", "-shm"):
        project.path.with_name(project.path.name + suffix).unlink(missing_ok=True)


def holds_anything(project: Project) -> bool:
    """Tell whether a project has a finished import."""
    return finds(project.conn, "SELECT 1 FROM imports WHERE state = 'done' LIMIT 1")


_REPLACED = """
SELECT DISTINCT v.evaluation FROM evaluation_versions v
JOIN evaluations e ON e.id = v.evaluation AND v.revision = e.revision - 1
WHERE v.import = ? AND e.import IS NOT ? ORDER BY v.evaluation
"""
_VERSIONS = (
    "SELECT revision, body, import FROM evaluation_versions WHERE evaluation = ? "
    "ORDER BY revision DESC"
)
FIRST = 1
_GIVEN_BEFORE = (
    "UPDATE labels SET revision = ? WHERE evaluation = ? AND revision = 0 AND import > ?"
)


@dataclass(frozen=True, slots=True)
class Before:
    """An evaluation as it was before an import replaced it."""

    key: int
    revision: int
    fields: Fields


class Restorer:
    """Knows what an import replaced; made outside of the transaction that puts it back.

    Attributes:
        found: The evaluations of other imports whose present text came with this one. A text
            that a later import replaced again is not among them: it stays as that one left it.
    """

    def __init__(self, project: Project, number: int) -> None:
        """Look up what is to come back."""
        conn = project.conn
        self._number = number
        keys = values_of(conn, _REPLACED, (number, number))
        self.found = [_before(conn, key, number) for key in keys]
        self._reader, self._names = RecordReader(project), Names(project)
        for before in self.found:
            for score in before.fields.get("scores") or []:
                # names are looked up in a transaction of their own
                self._names.metric(score["metric"])
                self._names.score_set(score)

    def restore(self, conn: sqlite3.Connection) -> None:
        """Give every evaluation its text and scores again; call it inside `write`."""
        for before in self.found:
            key = before.key
            present = amending.put(conn, self._reader, self._names, key, before.fields)
            owner = conn.execute("SELECT import FROM evaluations WHERE id = ?", (key,)).fetchone()[
                0
            ]
            lost = amending.missing_scores(
                present.fields.get("scores") or [], before.fields.get("scores") or []
            )
            amending.add_scores(conn, rows.score_rows(self._names, lost, key, owner))
            # labels that people gave to this text count as given to it again
            place = (before.revision, key)
            conn.execute("UPDATE evaluations SET revision = ? WHERE id = ?", place)
            if before.revision == FIRST:
                # the only other text there ever was is the one that goes now
                conn.execute(_GIVEN_BEFORE, (*place, self._number))
            conn.execute(
                "DELETE FROM evaluation_versions WHERE revision >= ? AND evaluation = ?", place
            )
        keys = {before.key for before in self.found}
        amending.date(conn, keys)
        states.refresh(conn, keys)


def _before(conn: sqlite3.Connection, key: int, number: int) -> Before:
    """Read an evaluation from before an import, which may have replaced it more than once."""
    revision, body = 0, ""
    for at, text, by in conn.execute(_VERSIONS, (key,)):
        if by != number:
            break
        revision, body = int(at), text
    return Before(key, revision, from_json(body))
