"""Everything that a project file holds, to compare two moments."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Give the rows of every table, and what each is made with under the empty name."""
    with closing(sqlite3.connect(path.as_uri() + "?mode=ro", uri=True)) as conn:
        made = conn.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        found = {
            name: conn.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608 - of the file
            for kind, name, sql in made
            if kind == "table" and not sql.startswith("CREATE VIRTUAL")
        }
    return {"": made, **found}
