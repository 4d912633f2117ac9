"""Bring the rows out of a damaged project, whatever SQLite says of it, into a new file.

Pages that nothing leads to are given to the table whose rows they hold by number and kinds of
columns, where rows of it are lost. Nothing is taken from pages that the file lists as free.
"""

import contextlib
import itertools
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ProjectError, refusal
from reviewer.store import connecting, schema, upgrading
from reviewer.store.pages import TABLE_LEAF, Page, Pages
from reviewer.store.query import finds
from reviewer.store.trees import EVERYTHING, Entry, Forest, Gap, Key, Shape, leaf, shapes

FIRST: Final = ("labels", "marks", "journal", "labelers", "runs", "rubrics", "rubric_versions",
                "metrics", "evaluations", "scores")  # fmt: skip
NEVER_EMPTY: Final = frozenset(("settings", "counters"))
_DERIVED: Final = frozenset(("current_labels",))
"""What `checking.mend` makes anew; of `states` only a part follows from the rest."""
_CURRENT: Final = ("evaluation", "metric", "labeler", "turn", "value", "kind", "blind",
                   "aggregate", "at_us")  # fmt: skip
"""What stands of a current label beside its entry in the history."""
_NAMED: Final = {
    "score_sets_identity": ("scorer", "version", "model", "prompt_hash", "parameters", "rowid"),
}
"""Indexes of expressions, by what these are made of: there an empty text stands for nothing."""
_CHUNK: Final = 500
_MASTER: Final = Shape(
    "sqlite_schema",
    ("type", "name", "tbl_name", "rootpage", "sql"),
    (
        frozenset((str,)),
        frozenset((str,)),
        frozenset((str,)),
        frozenset((int, type(None))),
        frozenset((str, type(None))),
    ),
    least=5,
    keys=0,
)


@dataclass
class Found:
    """What a damaged file still gave.

    Attributes:
        path: The file.
        rows: How many rows of each table could be read.
        gaps: Where rows of a table are lost.
        known: Columns of rows in those gaps that an index still has, by table and key.
        doubted: Tables whose gap is only feared, as their first page stands in the file twice.
        unassigned: Pages with rows of which nobody can say what they belong to.
        mixed: Rows with a text of which the end may be that of another.
    """

    path: Path
    rows: dict[str, int] = field(default_factory=dict)
    gaps: dict[str, list[Gap]] = field(default_factory=dict)
    known: dict[str, dict[Key, dict[str, Any]]] = field(default_factory=dict)
    doubted: set[str] = field(default_factory=set)
    unassigned: int = 0
    mixed: dict[str, list[Key]] = field(default_factory=dict)


def salvage(path: Path, to: Path) -> Found | None:
    """Write every row of a damaged project that can be read into a new file, without its indexes.

    Returns:
        What was found; None where it holds nothing of a project of this format.

    Raises:
        ProjectError: The damaged file cannot be read or the new one not written.
    """
    try:
        with Pages(path) as pages, contextlib.closing(sqlite3.connect(to)) as conn:
            conn.isolation_level = None
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
                conn.execute(f"PRAGMA {pragma}")
            conn.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            schema.make(conn)
            conn.execute(f"PRAGMA user_version = {schema.FORMAT}")
            reading = _Reading(pages)
            if not reading.is_ours(path):
                return None
            conn.execute("BEGIN")
            found = reading.write(conn)
            conn.execute("COMMIT")
            return found if any(found.rows.values()) else None
    except sqlite3.Error as error:
        raise ProjectError(connecting.explain(error, path)) from error
    except OSError as error:
        raise ProjectError(f"{path.name} cannot be read: {refusal(error)}.") from error


def is_foreign(path: Path) -> bool:
    """Tell whether a file is no project, damaged or not.

    Raises:
        ProjectError: It cannot be read.
    """
    try:
        with Pages(path) as pages:
            if pages.headed:
                return pages.number_in_head(68) != schema.APPLICATION_ID
            return not _Reading(pages).has_rows()
    except OSError as error:
        raise ProjectError(f"{path.name} cannot be read: {refusal(error)}.") from error


def overlooked(path: Path) -> list[str]:
    """Say which damage SQLite does not see: in the log, or zeros in the place of a text's end.

    Raises:
        ProjectError: The file cannot be read.
    """
    found = []
    try:
        with Pages(path) as pages:
            if pages.log_broken:
                found.append("a part of the log beside the file is damaged")
            if pages.headed and _has_wiped(pages) and _Reading(pages).has_gaps():
                found.append("the end of a text is overwritten with zeros")
    except OSError as error:
        raise ProjectError(f"{path.name} cannot be read: {refusal(error)}.") from error
    return found


def _has_wiped(pages: Pages) -> bool:
    """Tell whether a page in use holds nothing but zeros."""
    nothing = bytes(pages.size)
    wiped = {n for n in range(1, pages.count + 1) if pages.read(n) == nothing}
    return bool(wiped - (pages.free() or set()))


class _Reading:
    """One damaged file while it is read."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._forest = Forest(pages)
        self._forest.survey()
        self._found = Found(pages.path)
        self._made: dict[str, str] = {}
        self._roots: dict[str, int] = {}
        self._given: dict[str, list[int]] = {}
        self._read_schema()
        self._shapes, self._whole = _shapes_of(self._made)

    def is_ours(self, path: Path) -> bool:
        """Tell whether the file can be taken for a project of this format.

        Raises:
            ProjectError: It was made by a newer version.
        """
        if self._pages.headed:
            kind, number = self._pages.number_in_head(68), self._pages.number_in_head(60)
            if kind == schema.APPLICATION_ID and number > schema.FORMAT:
                raise ProjectError(upgrading.newer(path, number))
            if (kind, number) != (schema.APPLICATION_ID, schema.FORMAT):
                return False
        return self._whole

    def has_rows(self) -> bool:
        """Tell whether any page holds rows that a project has."""
        telling = [self._shapes[x] for x in ("labels", "evaluations", "scores")]
        return any(
            leaf(page, shape, EVERYTHING)
            for _, page in self._forest.stray(None)
            for shape in (*telling, _MASTER)
        )

    def _read_schema(self) -> None:
        gaps: list[Gap] = []
        rows = [values for _, values in self._forest.rows(1, _MASTER, gaps)]
        if gaps:
            for number, page in self._forest.stray(None):
                piece = leaf(page, _MASTER, EVERYTHING) if page.kind == TABLE_LEAF else None
                if piece is not None and not piece.gaps:
                    self._forest.visited.add(number)
                    rows += [values for _, values in piece.rows]
        for _, name, _, root, made in rows:
            self._roots.setdefault(name, root)
            self._made.setdefault(name, made)
        usual = _usual_roots()
        if all(usual.get(name) == root for name, root in self._roots.items()):
            # a new project has every table in the same place
            self._roots = usual | self._roots
        self._roots = {name: root for name, root in self._roots.items() if root}

    def has_gaps(self) -> bool:
        """Tell whether a row of any table cannot be read."""
        gaps: list[Gap] = []
        for name, shape in self._shapes.items():
            if name == shape.table:
                for _ in self._forest.rows(self._roots.get(name, 0), shape, gaps):
                    pass
        return bool(gaps)

    def write(self, conn: sqlite3.Connection) -> Found:
        """Write what can be read, and say where something is missing."""
        tables = [name for name, shape in self._shapes.items() if name == shape.table]
        tables = [x for x in (*FIRST, *sorted(set(tables) - set(FIRST))) if x not in _DERIVED]
        indexes = conn.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'"
        ).fetchall()
        for name, _ in indexes:
            conn.execute(f'DROP INDEX "{name}"')
        for table in tables:
            conn.execute(f'DELETE FROM "{table}"')
            gaps = self._found.gaps[table] = []
            rows = self._rows(table, gaps)
            if table == "attachments":
                rows = self._proven(rows, gaps)
            self._found.rows[table] = self._store(conn, table, rows)
            if not self._found.rows[table]:
                self._doubt(table, gaps)
        for name in self._roots.keys() - set(tables):
            self._forest.claim(self._roots[name])
        for table, entries in self._adopted(conn, tables):
            self._found.rows[table] += self._store(conn, table, entries)
        for table in tables:
            if self._found.gaps[table]:
                self._found.known[table] = dict(self._known(table, self._found.gaps[table]))
        self._know_current()
        for _, made in indexes:
            conn.execute(made)
        self._find_mixed(tables)
        return self._found

    def _know_current(self) -> None:
        """Take the values of lost labels from where the current ones are kept once more."""
        known = self._found.known.get("labels", {})
        columns = self._shapes["current_labels"].columns
        for _, values in self._again("current_labels", []) if known else ():
            row = dict(zip(columns, values, strict=False))
            key = (row.pop("label", None),)
            # what an undo brought back stands in the place of another
            if key in known and row["place"] == key[0] and "seq" in known[key]:
                known[key] |= {x: row[x] for x in _CURRENT}

    def _find_mixed(self, tables: list[str]) -> None:
        """Find the rows that go on in a page which may be a copy of another's."""
        self._pages.distrusted = self._forest.mixed()
        if not self._pages.distrusted:
            return
        for table in tables:
            gaps: list[Gap] = []
            read = {key for key, _ in self._all_again(table, gaps)}
            self._pages.distrusted, known = frozenset(), self._pages.distrusted
            found = self._all_again(table, []) if gaps or table in self._given else ()
            hidden = [key for key, _ in found if key not in read]
            self._pages.distrusted = known
            if hidden:
                self._found.mixed[table] = hidden

    def _all_again(self, table: str, gaps: list[Gap]) -> Iterator[Entry]:
        """Read a table's tree once more, and the pages that were given to it."""
        yield from self._again(table, gaps)
        for number in self._given.get(table, ()):
            page = self._forest.taken_apart(number)
            for cell in page.cells if page is not None else ():
                if cell is not None and self._shapes[table].fits(cell):
                    yield self._shapes[table].entry(cell)

    def _again(self, name: str, gaps: list[Gap]) -> Iterator[Entry]:
        """Read a tree once more, whatever was read before."""
        visited, self._forest.visited = self._forest.visited, set()
        yield from self._forest.rows(self._roots.get(name, 0), self._shapes[name], gaps)
        self._forest.visited = visited

    def _rows(self, table: str, gaps: list[Gap]) -> Iterable[Entry]:
        root, shape = self._roots.get(table, 0), self._shapes[table]
        if root not in self._forest.twins:
            return self._forest.rows(root, shape, gaps)
        rivals = [
            name
            for name, other in self._roots.items()
            if name != table
            and other in self._forest.twins
            and name in self._shapes
            and _alike(self._shapes[name], shape)
        ]
        rows = list(self._forest.rows(root, shape, gaps))
        known = dict(self._known(table, [EVERYTHING]))
        if rows and all(_agree(known.get(key), values, shape) for key, values in rows):
            if len(known) > len(rows):
                # a copy of one of its own pages hides the others
                gaps.append(EVERYTHING)
            return rows
        if not rivals:
            self._found.doubted.add(table)
            gaps.append(EVERYTHING)
            return rows
        self._forest.visited.discard(root)
        gaps.append(EVERYTHING)
        return []

    def _proven(self, rows: Iterable[Entry], gaps: list[Gap]) -> Iterator[Entry]:
        """Leave out attachments that are not what they were."""
        for key, values in rows:
            if sha256(values[3]).hexdigest() == values[1]:
                yield key, values
            else:
                gaps.append(Gap((key[0] - 1,), key))

    def _doubt(self, table: str, gaps: list[Gap]) -> None:
        """Take a table that seems empty for lost, where something still knows rows of it."""
        if not gaps and (
            table in NEVER_EMPTY or next(self._known(table, [EVERYTHING]), None) is not None
        ):
            gaps.append(EVERYTHING)

    def _known(self, table: str, gaps: list[Gap]) -> Iterator[tuple[Key, dict[str, Any]]]:
        """Give what indexes have of the rows in some gaps; of one row perhaps more than once."""
        merged: dict[Key, dict[str, Any]] = {}
        keys = self._shapes[table].columns[: self._shapes[table].keys] or ("rowid",)
        for name, shape in self._shapes.items():
            root = self._roots.get(name, 0)
            if shape.table != table or name == table or root in self._forest.twins:
                continue
            for _, values in self._again(name, []):
                named = dict(zip(_NAMED.get(name, shape.columns), values, strict=True))
                key = tuple(named[x] for x in keys)
                if any(gap.holds(key) for gap in gaps):
                    named = {x: y for x, y in named.items() if x not in ("", "rowid")}
                    if name in _NAMED:
                        named = {x: y or None for x, y in named.items()}
                    merged.setdefault(key, {}).update(named)
        yield from merged.items()

    def _adopted(
        self, conn: sqlite3.Connection, tables: list[str]
    ) -> Iterator[tuple[str, list[Entry]]]:
        """Give the rows of pages that nothing leads to, each with its table."""
        free = self._pages.free()
        known: dict[str, dict[Key, dict[str, Any]]] = {}
        for number, page in self._forest.stray(free):
            fitting = self._fitting(page, tables, listed=free is not None)
            if len(fitting) > 1:
                found = self._told_apart(conn, fitting, known)
                self._found.unassigned += len(found) != 1
                fitting = found
            for table, rows in fitting.items() if len(fitting) == 1 else ():
                gaps = self._found.gaps[table]
                if gaps or _has_parents(conn, self._shapes[table], rows):
                    # a table that seemed empty is not
                    gaps += [] if gaps else [EVERYTHING]
                    self._forest.visited.add(number)
                    self._given.setdefault(table, []).append(number)
                    yield table, rows

    def _told_apart(
        self,
        conn: sqlite3.Connection,
        fitting: dict[str, list[Entry]],
        known: dict[str, dict[Key, dict[str, Any]]],
    ) -> dict[str, list[Entry]]:
        """Give the tables whose indexes know the rows, else those with what these refer to."""
        for table in fitting:
            if table not in known:
                known[table] = dict(self._known(table, [EVERYTHING]))
        indexed = {
            table: rows
            for table, rows in fitting.items()
            if any(_agree(known[table].get(k), v, self._shapes[table]) for k, v in rows)
        }
        return indexed or {
            table: rows
            for table, rows in fitting.items()
            if _has_parents(conn, self._shapes[table], rows)
        }

    def _fitting(self, page: Page, tables: list[str], *, listed: bool) -> dict[str, list[Entry]]:
        """Give the tables that a page may belong to, with the rows that it would have there."""
        found: dict[str, list[Entry]] = {}
        for table in tables:
            gaps, shape = self._found.gaps[table], self._shapes[table]
            if not gaps and not (listed and not self._found.rows[table]):
                continue
            # only where rows are missing for sure may they be from before a column was added
            least = shape.least if gaps else len(shape.columns)
            cells = [x for x in page.cells if x and shape.fits(x) and len(x.values or ()) >= least]
            if len(cells) < sum(1 for x in page.cells if x is not None and x.values is not None):
                continue
            entries = [shape.entry(cell) for cell in cells]
            ordered = all(a[0] < b[0] for a, b in itertools.pairwise(entries))
            if ordered and entries and _within(entries, gaps or [EVERYTHING]):
                found[table] = entries
        sure = {table: rows for table, rows in found.items() if self._found.gaps[table]}
        return sure or found

    def _store(self, conn: sqlite3.Connection, table: str, rows: Iterable[Entry]) -> int:
        before = conn.total_changes
        columns = self._shapes[table].columns
        waiting = iter(rows)
        while chunk := list(itertools.islice(waiting, _CHUNK)):
            # a row from before a column was added ends earlier
            for n in {len(values) for _, values in chunk}:
                given = ", ".join(f'"{name}"' for name in columns[:n])
                conn.executemany(
                    f'INSERT OR IGNORE INTO "{table}"({given}) VALUES ({", ".join("?" * n)})',
                    [values for _, values in chunk if len(values) == n],
                )
        return conn.total_changes - before


def _within(entries: list[Entry], gaps: list[Gap]) -> bool:
    return all(any(gap.holds(key) for gap in gaps) for key, _ in entries)


def _has_parents(conn: sqlite3.Connection, shape: Shape, rows: list[Entry]) -> bool:
    """Tell whether what rows refer to is there."""
    for column, parent in conn.execute(
        'SELECT "from", "table" FROM pragma_foreign_key_list(?)', (shape.table,)
    ).fetchall():
        place = shape.columns.index(column)
        for _, values in rows:
            value = values[place] if place < len(values) else None
            query = f'SELECT 1 FROM "{parent}" WHERE rowid = ?'
            if value is not None and not finds(conn, query, (value,)):
                return False
    return True


def _alike(one: Shape, other: Shape) -> bool:
    """Tell whether a page of one could be taken for a page of the other."""
    return (one.keys > 0) is (other.keys > 0) and len(one.kinds) == len(other.kinds)


def _agree(known: dict[str, Any] | None, values: list[Any], shape: Shape) -> bool:
    """Tell whether an index has the same of a row as the row itself."""
    if known is None:
        return False
    row = dict(zip(shape.columns, values, strict=False))
    return all(row.get(name) == value for name, value in known.items())


def _usual_roots() -> dict[str, int]:
    """Give where a new project has its tables and indexes."""
    with contextlib.closing(sqlite3.connect(":memory:")) as conn:
        schema.make(conn)
        return dict(conn.execute("SELECT name, rootpage FROM sqlite_master"))


def _shapes_of(made: dict[str, str]) -> tuple[dict[str, Shape], bool]:
    """Give the shapes as the file says them, else as usual; and whether it is of this format."""
    with contextlib.closing(sqlite3.connect(":memory:")) as conn:
        for kind in ("TABLE", "INDEX", "UNIQUE INDEX"):
            for name, statement in made.items():
                if statement and statement.startswith(f"CREATE {kind} ") and "search" not in name:
                    with contextlib.suppress(sqlite3.Error):
                        conn.execute(statement)
        there = {name for (name,) in conn.execute("SELECT name FROM sqlite_master")}
        for statement in schema.statements():
            words = statement.split("(")[0].split()
            if words[0] == "CREATE" and "VIRTUAL" not in words and "VIEW" not in words:
                name = words[words.index("INDEX" if "INDEX" in words else "TABLE") + 1]
                if name not in there:
                    conn.execute(statement)
        lacking = schema.shape() - schema.columns(conn)
        return shapes(conn), all(table == "search" or not column for table, column in lacking)
