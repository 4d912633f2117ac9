"""Put back the texts and scores that an import replaced, when the import is taken back."""

import sqlite3
from dataclasses import dataclass

from pydantic_core import from_json

from reviewer.store import amending, rows, states
from reviewer.store.names import Names
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import Fields

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
        keys = [key for (key,) in conn.execute(_REPLACED, (number, number))]
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
            self._restore(conn, before)
        keys = {before.key for before in self.found}
        amending.date(conn, keys)
        states.refresh(conn, keys)

    def _restore(self, conn: sqlite3.Connection, before: Before) -> None:
        key = before.key
        present = amending.put(conn, self._reader, self._names, key, before.fields)
        owner = conn.execute("SELECT import FROM evaluations WHERE id = ?", (key,)).fetchone()[0]
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


def _before(conn: sqlite3.Connection, key: int, number: int) -> Before:
    """Read an evaluation from before an import, which may have replaced it more than once."""
    revision, body = 0, ""
    for at, text, by in conn.execute(_VERSIONS, (key,)):
        if by != number:
            break
        revision, body = int(at), text
    return Before(key, revision, from_json(body))
