"""Make a whole project of the rows that were saved from a damaged one.

What a backup still has takes the place of rows that were lost since. What an index still has of a
lost row is kept. What other rows refer to and nobody has any more gets a stand-in that says so,
and everything lost is listed.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from reviewer.domain import uids
from reviewer.domain.errors import ProjectError
from reviewer.domain.evaluation import now_text
from reviewer.store import connecting, schema
from reviewer.store.project import Project
from reviewer.store.query import values_of
from reviewer.store.salvage import Found
from reviewer.store.trees import Gap

LOST_TEXT: Final = "[This text could not be read: the project file was damaged.]"
LOST_TAG: Final = "could not be read"
RUBRIC_LOST: Final = "lost"
"""The version of a rubric that stands for one that could not be read."""
_PARTLY: Final = (
    "labels",
    "rubrics",
    "metrics",
    "labelers",
    "score_sets",
    "evaluations",
    "scores",
    "states",
)
"""Tables of which a row is worth something with only what an index has of it."""
_STAND_INS: Final = {
    "rubrics": "(id, name) SELECT ?1, 'rubric ' || ?1 || ' (name lost)'",
    "metrics": "(id, name) SELECT ?1, 'metric ' || ?1 || ' (name lost)'",
    "labelers": "(id, name) SELECT ?1, 'labeler ' || ?1 || ' (name lost)'",
    "score_sets": "(id, scorer, status) SELECT ?1, 'scorer ' || ?1 || ' (name lost)', 'imported'",
    "imports": "(id, source, format, state, started_at, seq) "
    "SELECT ?1, 'import ' || ?1 || ' (name lost)', 'native', 'done', ?2, 0",
    "runs": "(id, name, rubric, imported_at) SELECT ?1, 'run ' || ?1 || ' (name lost)', "
    "ifnull((SELECT min(id) FROM rubrics), 1), ?2",
    "evaluations": "(id, run, ext_id, title) SELECT ?1, ifnull((SELECT min(id) FROM runs), 1), "
    "'lost-' || ?1, NULL",
}
_SINGULAR: Final = {
    "evaluations": "evaluation", "labels": "label", "marks": "mark", "journal": "step of undo",
    "scores": "score", "runs": "run", "rubrics": "rubric", "rubric_versions": "rubric version",
    "metrics": "metric", "labelers": "labeler", "score_sets": "scorer version", "queues": "queue",
    "imports": "import", "queue_items": "place in a queue", "attachments": "attachment",
    "turns": "conversation", "attachment_uses": "use of an attachment",
}  # fmt: skip


@dataclass(frozen=True)
class Lost:
    """Something that could not be read; `more` has what an index or another row knows of it."""

    what: str
    run: str | None = None
    id: str | None = None
    more: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give its entry of the command line's document."""
        return {"what": self.what, "run": self.run, "id": self.id, "more": self.more}

    @property
    def line(self) -> str:
        """Say it in one line."""
        where = f"run {self.run}: {self.id}" if self.id is not None else ""
        return ", ".join(x for x in (f"{self.what} {where}".strip(), self.more) if x)


@dataclass
class Healed:
    """What became of the rows that were saved.

    Attributes:
        from_backup: How many rows of each table came from the backup.
        lost: What could not be read.
        doubtful: What is kept although the end of its text may be that of another.
        unsure: Tables of which rows may be lost that nobody knows of.
    """

    from_backup: dict[str, int] = field(default_factory=dict)
    lost: list[Lost] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    doubtful: list[Lost] = field(default_factory=list)


def heal(file: Path, found: Found, backup: Path | None) -> Healed:
    """Fill the gaps of saved rows, and let every row refer to something.

    Raises:
        ProjectError: The file cannot be written.
    """
    healed = Healed()
    try:
        with contextlib.closing(sqlite3.connect(file.absolute().as_uri(), uri=True)) as conn:
            conn.isolation_level = None
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF"):
                conn.execute(f"PRAGMA {pragma}")
            if backup is not None:
                uri = f"{backup.absolute().as_uri()}?mode=ro&immutable=1"
                conn.execute("ATTACH ? AS kept", (uri,))
            conn.execute("BEGIN")
            if backup is not None:
                healed.from_backup = _merge(conn, found)
                _settle_mixed(conn, found)
            lost = _lost_keys(conn, found)
            made = _keep_parts(conn, lost)
            if backup is not None:
                _fetch_parents(conn, healed)
            _find_parents(conn, made, healed)
            _dress(conn, made)
            _set_counters(conn)
            _tell(conn, lost, made, healed)
            _tell_mixed(conn, found, healed)
            healed.unsure = _unsure(conn, found)
            conn.execute("COMMIT")
    except sqlite3.Error as error:
        raise ProjectError(connecting.explain(error, found.path)) from error
    return healed


def is_of_same_project(file: Path, backup: Path) -> bool:
    """Tell whether a backup can be merged with what was saved: of one project, of this format."""
    with (
        contextlib.closing(connecting.glimpse(file)) as one,
        contextlib.closing(connecting.glimpse(backup)) as other,
    ):
        if other.execute("PRAGMA user_version").fetchone()[0] != schema.FORMAT:
            return False
        query = "SELECT value FROM settings WHERE name = ?"
        names = [conn.execute(query, (schema.PROJECT_ID,)).fetchone() for conn in (one, other)]
        if names[0] is not None:
            return bool(names[0] == names[1])
        entries = "SELECT uid FROM labels UNION ALL SELECT uid FROM marks"
        here, there = (set(values_of(conn, entries)) for conn in (one, other))
        return bool(here & there) or not here or not there


def _settle_mixed(conn: sqlite3.Connection, found: Found) -> None:
    """Take entries that never change from the backup where their text may be another's."""
    for table in ("labels", "marks", "journal"):
        for key in list(found.mixed.get(table, ())):
            kept = conn.execute(f"SELECT * FROM kept.{table} WHERE id = ?", key).fetchone()
            if kept is not None:
                marks = ", ".join("?" * len(kept))
                conn.execute(f"INSERT OR REPLACE INTO main.{table} VALUES ({marks})", kept)
                found.mixed[table].remove(key)


def _fetch_parents(conn: sqlite3.Connection, healed: Healed) -> None:
    """Take from the backup what rows refer to and is not there."""
    for _, _, parent, keys, _ in list(_dangling(conn)):
        listed = f"({', '.join(map(str, keys))})"
        done = conn.execute(
            f'INSERT OR IGNORE INTO main."{parent}" '
            f'SELECT * FROM kept."{parent}" WHERE rowid IN {listed}'
        )
        if done.rowcount > 0:
            healed.from_backup[parent] = healed.from_backup.get(parent, 0) + done.rowcount


def _key_of(conn: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Give the columns by which a table's rows are told apart."""
    bare = conn.execute("SELECT wr FROM pragma_table_list WHERE name = ?", (table,)).fetchone()[0]
    query = "SELECT '\"' || name || '\"' FROM pragma_table_info(?) WHERE pk ORDER BY pk"
    return tuple(values_of(conn, query, (table,))) if bare else ("rowid",)


def _bounds(key: Sequence[str], gap: Gap, prefix: str) -> tuple[str, list[Any]]:
    columns = "(" + ", ".join(f"{prefix}.{x}" for x in key)
    marks = "(" + ", ".join("?" * len(key)) + ")"
    parts: list[str] = ["1"]
    values: list[Any] = []
    for sign, bound in ((">", gap.after), ("<=", gap.to)):
        if bound is not None:
            parts.append(f"{columns}) {sign} {marks}")
            values += bound
    return " AND ".join(parts), values


def _merge(conn: sqlite3.Connection, found: Found) -> dict[str, int]:
    """Take what is lost from the backup; what could be read is newer and stays."""
    taken: dict[str, int] = {}
    for table, gaps in found.gaps.items():
        names = values_of(conn, "SELECT name FROM pragma_table_info(?)", (table,))
        columns = ", ".join(f'"{name}"' for name in names)
        key, before = _key_of(conn, table), conn.total_changes
        for gap in gaps:
            where, values = _bounds(key, gap, "k")
            conn.execute(
                f'INSERT OR IGNORE INTO main."{table}"({columns}) '
                f'SELECT {columns} FROM kept."{table}" AS k WHERE {where}',
                values,
            )
        if conn.total_changes > before:
            taken[table] = conn.total_changes - before
    return taken


def values_seen(project: Project, rubric: str) -> Iterator[tuple[str, Any]]:
    """Give the different values of each metric in the runs of a rubric."""
    yield from project.conn.execute(
        "SELECT DISTINCT m.name, x.value FROM (SELECT evaluation, metric, value FROM scores "
        "UNION ALL SELECT evaluation, metric, value FROM labels) x JOIN evaluations e "
        "ON e.id = x.evaluation JOIN runs r ON r.id = e.run JOIN rubrics b ON b.id = r.rubric "
        "JOIN metrics m ON m.id = x.metric WHERE b.name = ? AND x.value IS NOT NULL "
        "ORDER BY m.id",
        (rubric,),
    )


_Rows = dict[str, dict[tuple[Any, ...], dict[str, Any]]]


def _lost_keys(conn: sqlite3.Connection, found: Found) -> _Rows:
    """Give the rows that an index knows and that nobody has any more."""
    lost: _Rows = {}
    for table, known in found.known.items():
        same = " AND ".join(f"{x} = ?" for x in _key_of(conn, table))
        query = f'SELECT 1 FROM main."{table}" WHERE {same}'
        missing = {k: v for k, v in known.items() if conn.execute(query, k).fetchone() is None}
        if missing:
            lost[table] = missing
    return lost


def _keep_parts(conn: sqlite3.Connection, lost: _Rows) -> set[int]:
    """Keep what an index has of rows; give the numbers of the evaluations among them."""
    made: set[int] = set()
    for table in _PARTLY:
        for key, known in lost.get(table, {}).items():
            row = dict(known) if len(key) > 1 else known | {"id": key[0]}
            if table == "labels":
                if "value" not in known:
                    continue
                row |= {"uid": uids.fresh(), "at": _time_of(known["at_us"])}
            names = ", ".join(f'"{name}"' for name in row)
            done = conn.execute(
                f'INSERT OR IGNORE INTO main."{table}"({names}) '
                f"VALUES ({', '.join('?' * len(row))})",
                list(row.values()),
            )
            if table == "evaluations" and done.rowcount:
                made.add(key[0])
    return made


def _time_of(micros: int | None) -> str | None:
    if micros is None:
        return None
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)).isoformat()


def _find_parents(conn: sqlite3.Connection, made: set[int], healed: Healed) -> None:
    """Let every row refer to something: a stand-in, nothing where it may, else it goes."""
    for _ in range(4):
        dangling = list(_dangling(conn))
        if not dangling:
            return
        for table, column, parent, keys, needed in dangling:
            listed = f"({', '.join(map(str, keys))})"
            if parent in _STAND_INS and parent != table:
                statement = f"INSERT OR IGNORE INTO main.{parent}{_STAND_INS[parent]}"
                values = (now_text(),) if parent in ("runs", "imports") else ()
                new = [x for x in keys if conn.execute(statement, (x, *values)).rowcount]
                if parent == "evaluations":
                    made.update(new)
                else:
                    what = _SINGULAR[parent]
                    healed.lost += [Lost(what, more=f"{what} {x}") for x in new]
            elif needed:
                done = conn.execute(f'DELETE FROM main."{table}" WHERE "{column}" IN {listed}')
                what = _SINGULAR.get(table, table.replace("_", " "))
                gone = parent.replace("_", " ")
                healed.lost.append(
                    Lost(
                        what, more=f"{done.rowcount:,} of them, as their {gone} could not be read"
                    )
                )
            else:
                conn.execute(
                    f'UPDATE main."{table}" SET "{column}" = NULL WHERE "{column}" IN {listed}'
                )


def _dangling(conn: sqlite3.Connection) -> Iterator[tuple[str, str, str, list[int], bool]]:
    """Give the columns that refer to rows which are not there, and to which."""
    tables = values_of(
        conn, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    )
    for table in tables:
        needed = dict(
            conn.execute('SELECT name, "notnull" OR pk FROM pragma_table_info(?)', (table,))
        )
        for column, parent in conn.execute(
            'SELECT "from", "table" FROM pragma_foreign_key_list(?)', (table,)
        ).fetchall():
            keys = values_of(
                conn,
                f'SELECT DISTINCT "{column}" FROM main."{table}" WHERE "{column}" IS NOT NULL '
                f'AND "{column}" NOT IN (SELECT rowid FROM main."{parent}")',
            )
            if keys:
                yield table, column, parent, keys, bool(needed[column])


def _dress(conn: sqlite3.Connection, made: set[int]) -> None:
    """Let stand-ins say what they are, and know what others keep of them."""
    for key in made:
        conn.execute(
            "UPDATE main.evaluations SET title = ?1, input = ?1, turns = (SELECT count(*) "
            "FROM main.turns t WHERE t.evaluation = ?2), revision = max(revision, ifnull("
            "(SELECT max(l.revision) FROM main.labels l WHERE l.evaluation = ?2), 1)) "
            "WHERE id = ?2",
            (LOST_TEXT, key),
        )
        conn.execute(
            "INSERT OR IGNORE INTO main.tags(tag, evaluation) VALUES (?, ?)", (LOST_TAG, key)
        )


def _set_counters(conn: sqlite3.Connection) -> None:
    """Set counters that were lost to what the rows say, and name the project anew if need be."""
    conn.execute(
        "INSERT OR IGNORE INTO main.counters SELECT 'visible', ifnull(max(e.id), 0) "
        "FROM main.evaluations e LEFT JOIN main.imports i ON i.id = e.import "
        "WHERE i.state IS NULL OR i.state <> 'loading'"
    )
    conn.execute("INSERT OR IGNORE INTO main.counters VALUES ('seq', 0), ('bulk', 0)")
    newest = " UNION ALL ".join(
        f"SELECT max(seq) FROM main.{x}" for x in ("labels", "marks", "journal", "rubric_versions")
    )
    conn.execute(
        "UPDATE main.counters SET value = max(value, (SELECT max(x) FROM (SELECT 0 AS x "
        f"UNION ALL {newest}))) WHERE name = 'seq'"
    )
    conn.execute(
        "INSERT OR IGNORE INTO main.settings VALUES (?, ?)",
        (schema.PROJECT_ID, uids.text_of(uids.fresh())),
    )


_PLACE: Final = (
    "SELECT r.name, e.ext_id FROM main.evaluations e LEFT JOIN main.runs r ON r.id = e.run "
    "WHERE e.id = ?"
)


def _tell(conn: sqlite3.Connection, lost: _Rows, made: set[int], healed: Healed) -> None:
    """List what is lost, by run and id where it belongs to an evaluation."""
    for key in sorted(made):
        run, name = conn.execute(_PLACE, (key,)).fetchone()
        healed.lost.append(Lost("evaluation", run, name))
    for table, rows in lost.items():
        if table in ("evaluations", "states", "rubrics", "metrics"):
            continue
        what = _SINGULAR.get(table, table.replace("_", " "))
        for known in rows.values():
            place = conn.execute(_PLACE, (known.get("evaluation"),)).fetchone() or (None, None)
            run, name = place
            healed.lost.append(Lost(what, run, name, _more(conn, table, known)))
    for run, name, n, there in conn.execute(
        "SELECT r.name, e.ext_id, e.turns, (SELECT count(*) FROM main.turns t "
        "WHERE t.evaluation = e.id) AS there FROM main.evaluations e "
        "JOIN main.runs r ON r.id = e.run WHERE e.turns > 0 AND there < e.turns ORDER BY e.id"
    ):
        healed.lost.append(Lost("conversation", run, name, f"{n - there} of its {n} turns"))


def _tell_mixed(conn: sqlite3.Connection, found: Found, healed: Healed) -> None:
    for table, keys in found.mixed.items():
        names = _key_of(conn, table)
        where = " AND ".join(f"{x} = ?" for x in names)
        column = "rowid" if table == "evaluations" else '"evaluation"'
        for key in keys:
            place = None
            with contextlib.suppress(sqlite3.OperationalError):
                of = conn.execute(f'SELECT {column} FROM main."{table}" WHERE {where}', key)
                place = conn.execute(_PLACE, of.fetchone() or (None,)).fetchone()
            what = _SINGULAR.get(table, table.replace("_", " "))
            run, name = place or (None, None)
            healed.doubtful.append(Lost(what, run, name, "its end may be that of another one"))


def _more(conn: sqlite3.Connection, table: str, known: dict[str, Any]) -> str:
    names = {"metric": "metrics", "labeler": "labelers"}
    parts = []
    for column, parent in names.items():
        found = conn.execute(
            f"SELECT name FROM main.{parent} WHERE id = ?", (known.get(column),)
        ).fetchone()
        if found:
            parts.append(f"{column} {found[0]}")
    if table == "scores":
        parts.append("its value is known, its reasoning is not")
    elif table == "labels" and "value" in known:
        parts.append("its value is known, its comment is not")
    elif isinstance(known.get("name"), str):
        parts.append(known["name"])
    return ", ".join(parts)


def _unsure(conn: sqlite3.Connection, found: Found) -> list[str]:
    """Give the tables with gaps of which no index lists the rows."""
    listing = {
        table
        for (table,) in conn.execute(
            "SELECT m.tbl_name FROM sqlite_master m, pragma_index_list(m.tbl_name) i "
            "WHERE i.name = m.name AND i.partial = 0 AND i.origin <> 'pk' AND m.type = 'index'"
        )
    }
    return [
        table
        for table, gaps in found.gaps.items()
        if gaps and table not in listing and table not in found.doubted and table != "turns"
    ]
