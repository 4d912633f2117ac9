"""A look at a project file without opening it for work: nothing is migrated, nothing written."""

import contextlib
import sqlite3
from pathlib import Path

from msgspec import Struct

from reviewer.domain.errors import ProjectError
from reviewer.store import schema
from reviewer.store.connecting import explain, glimpse

_COUNTS = """
SELECT (SELECT count(*) FROM visible_evaluations),
       (SELECT count(DISTINCT evaluation) FROM current_labels
           WHERE kind IN ('label', 'adjudication')),
       (SELECT count(*) FROM labelers),
       (SELECT count(*) FROM runs)
"""


class Glance(Struct, frozen=True):
    """How much a project holds."""

    evaluations: int
    labelled: int
    labelers: int
    runs: int


def look(path: Path) -> Glance:
    """Count what a project file holds.

    Raises:
        ProjectError: It is missing, no project, or made by a newer version.
    """
    if not path.is_file():
        raise ProjectError(f"There is no project file {path}.")
    try:
        with contextlib.closing(glimpse(path)) as conn:
            kind = conn.execute("PRAGMA application_id").fetchone()[0]
            number = conn.execute("PRAGMA user_version").fetchone()[0]
            if kind != schema.APPLICATION_ID or number > schema.FORMAT:
                raise ProjectError(f"{path.name} is no project that this version reads.")
            return Glance(*conn.execute(_COUNTS).fetchone())
    except sqlite3.Error as error:
        raise ProjectError(explain(error, path)) from error
