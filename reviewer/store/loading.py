"""Write an import's new evaluations where nobody sees them yet, and show them all at once.

Rows go in with numbers above the counter `visible`, a few milliseconds a transaction, which is
given up and done again where a label press waits for it. The last transaction moves the counter.
Texts are indexed in transactions of their own: the larger those are, the less the index has to be
merged.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from reviewer.domain.errors import Progress
from reviewer.domain.evaluation import now_text
from reviewer.store import journal, labelers, of_record, states, sweeping
from reviewer.store import rows as tables
from reviewer.store.owners import owner_name
from reviewer.store.pieces import Pieces
from reviewer.store.project import Project
from reviewer.store.rows import Fields, Names, Row, Rows

TARGET_SECONDS = 0.015
SMALLEST, LARGEST = 8, 2_000
MOST_BYTES = 4 << 20
MOST_REMEMBERED = 2_000_000


class Loading:
    """One import at work.

    Attributes:
        number: The import's number.
        names: The project's numbers of metrics, labelers and score sets.
        first: The number that the first new evaluation gets.
    """

    def __init__(self, project: Project, number: int, first: int) -> None:
        """Wrap an import that `begin` registered."""
        self.project = project
        self.number = number
        self.names = Names(project, number)
        self.first = first
        self._next = first
        self._rows = Rows()
        self._target = 64
        self._weight = 0
        self._pieces = Pieces(project)
        self._pending: dict[tuple[int, str], int] = {}
        # hashes of the ids in runs that this import made: what is not among them is new
        self._met: dict[int, set[int]] = {}
        self._revived: list[tuple[int, int]] = []
        self._last: list[Callable[[sqlite3.Connection], None]] = []
        self._scored: dict[of_record.Place, dict[int, int]] = {}

    @classmethod
    def begin(
        cls, project: Project, source: Path, format_name: str, progress: Progress
    ) -> "Loading":
        """Register an import; what earlier ones left behind is removed first.

        Raises:
            ProjectError: Another import is at work, or the file cannot be written.
            CancelledError: The user stopped it meanwhile.
        """
        sweeping.sweep(project, progress)
        with project.write() as conn:
            sweeping.be_alone(project)
            key = conn.execute(
                "INSERT INTO imports(source, size, format, state, started_at, owner, seq) "
                "VALUES (?, ?, ?, 'loading', ?, ?, ?) RETURNING id",
                (source.name, source.stat().st_size, format_name, now_text(),
                 owner_name(), project.next_seq()),
            ).fetchall()[0][0]  # fmt: skip
            visible = conn.execute("SELECT value FROM counters WHERE name = 'visible'").fetchone()
        project.hasty()
        return cls(project, int(key), int(visible[0]) + 1)

    def run(self, name: str, rubric: str, source: str) -> int:
        """Give the number of a run, made with a rubric of the project where absent."""
        row = self.project.conn.execute("SELECT id FROM runs WHERE name = ?", (name,)).fetchone()
        if row is not None:
            return int(row[0])
        with self.project.write() as conn:
            # what leads and looks said of a run that is gone is not said of another one
            made = conn.execute(
                "INSERT INTO runs(id, name, rubric, imported_at, source, import) "
                "SELECT 1 + max(ifnull((SELECT max(id) FROM runs), 0), "
                "ifnull((SELECT max(run) FROM record_log), 0), "
                "ifnull((SELECT max(run) FROM held_out_looks), 0)), "
                "?, id, ?, ?, ? FROM rubrics WHERE name = ? RETURNING id",
                (name, now_text(), source, self.number, rubric),
            ).fetchall()[0][0]
        self._met[int(made)] = set()
        return int(made)

    def find(self, run: int, name: str) -> int | None:
        """Give the number of an evaluation of a run, also one that waits to be written."""
        met = self._met.get(run)
        if met is not None and hash(name) not in met:
            return None
        waiting = self._pending.get((run, name))
        if waiting is not None:
            self.flush()
            return waiting
        row = self.project.conn.execute(
            "SELECT id, hidden FROM evaluations WHERE run = ? AND ext_id = ?", (run, name)
        ).fetchone()
        if row is None:
            return None
        if row[1]:
            self._revived.append((self.number, row[0]))
        return int(row[0])

    def is_new(self, key: int) -> bool:
        """Tell whether an evaluation is one of this import's own."""
        return key >= self.first

    @property
    def has_unwritten(self) -> bool:
        """Tell whether evaluations wait to be written."""
        return bool(self._pending)

    def add(self, run: int, fields: Fields, files: Iterable[tuple[str, bytes]] = ()) -> int:
        """Add a new evaluation and give its number.

        Args:
            run: The number of its run.
            fields: The checked record.
            files: Files that its turns refer to, by path.
        """
        key = self._next
        self._next += 1
        tables.add_record(self._rows, self.names, fields, (key, run, self.number))
        for path, content in files:
            tables.add_file(self._rows, key, path, content)
            self._weight += len(content)
        self._pending[run, fields["id"]] = key
        met = self._met.get(run)
        if met is not None:
            met.add(hash(fields["id"]))
            if len(met) > MOST_REMEMBERED:
                del self._met[run]
        self._weight += sum(map(len, self._rows.search[-1][1:]))
        if len(self._pending) >= self._target or self._weight >= MOST_BYTES:
            self.flush()
        return key

    def flush(self) -> None:
        """Write what waits, in one transaction, and size the next one by the time it took."""
        if not self._pending:
            return
        count, rows = len(self._pending), self._rows
        project = self.project
        with self._timed() as slowest:
            project.write_giving_way(lambda conn: write(project, conn, rows))
        with self._timed(slowest):
            project.write_giving_way(lambda conn: conn.executemany(tables.SEARCH, rows.search))
        self._pieces.add(self._weight)
        self.count(rows.scores, {row[0]: row[1] for row in rows.evaluations})
        self._rows = Rows()
        self._pending = {}
        self._weight = 0
        wanted = count * TARGET_SECONDS / max(*slowest, 1e-4)
        self._target = int(min(max((self._target + wanted) / 2, SMALLEST), LARGEST))

    @staticmethod
    @contextmanager
    def _timed(times: list[float] | None = None) -> Iterator[list[float]]:
        """Time a transaction by what it computes: waiting for others says nothing of its size."""
        kept = [0.0] if times is None else times
        started = time.thread_time()
        yield kept
        kept.append(time.thread_time() - started)

    def count(self, scores: Iterable[Row], runs: Mapping[int, int]) -> None:
        """Count whose scores came, of evaluations whose runs are given."""
        tables.count_scored(self._scored, scores, runs)

    def at_last(self, step: Callable[[sqlite3.Connection], None]) -> None:
        """Do something in the last transaction, before everything becomes visible."""
        self._last.append(step)

    def finish(self, counts: dict[str, Any], title: str, labeler: str | None) -> None:
        """Show the whole import at once."""
        self.flush()
        self.project.careful()
        with self.project.write() as conn:
            for step in self._last:
                step(conn)
            labelers.promote(conn, [key for table, key in self.names.made if table == "labelers"])
            conn.executemany(
                "UPDATE evaluations SET hidden = 0, import = ? WHERE id = ?", self._revived
            )
            of_record.fix(self.project, self._scored)
            seq = self.project.next_seq()
            conn.execute(
                "UPDATE counters SET value = max(value, ?) WHERE name = 'visible'",
                (self._next - 1,),
            )
            conn.execute(
                "UPDATE imports SET state = 'done', finished_at = ?, counts = ?, seq = ? "
                "WHERE id = ?",
                (now_text(), to_json(counts).decode(), seq, self.number),
            )
            if labeler:
                journal.add(
                    conn, labeler=labelers.known(conn, labeler), seq=seq, kind="import",
                    title=title, body=journal.Body(number=self.number),
                )  # fmt: skip

    def stop(self) -> None:
        """End without a result, at once: what was written stays unseen until it is swept."""
        self._rows = Rows()
        self._pending = {}
        try:
            with self.project.write() as conn:
                sweeping.release(conn, self.number)
        finally:
            self.project.careful()

    def abandon(self, progress: Progress) -> None:
        """Leave nothing of this import.

        Raises:
            CancelledError: The user does not wait for that.
        """
        self.stop()
        sweeping.sweep(self.project, progress)


def write(project: Project, conn: sqlite3.Connection, rows: Rows) -> None:
    """Write rows of every table; call inside `Project.write`."""
    conn.executemany(tables.EVALUATIONS, rows.evaluations)
    conn.executemany(tables.SCORES, rows.scores)
    for statement, values in (
        (tables.TURNS, rows.turns),
        (tables.TAGS, rows.tags),
    ):
        if values:
            conn.executemany(statement, values)
    for key, path, digest, content in rows.files:
        write_file(conn, (key, path), digest, content)
    write_exclusions(project, conn, rows)
    if rows.labelled:
        write_people(project, conn, rows)


def write_people(project: Project, conn: sqlite3.Connection, rows: Rows) -> None:
    """Write labels and marks, number them, and work out what is current in those `labelled`."""
    count = len(rows.labels) + len(rows.marks)
    if count:
        seq = project.next_seq(count)
        conn.executemany(
            tables.LABELS, ((seq + index, *row) for index, row in enumerate(rows.labels))
        )
        seq += len(rows.labels)
        conn.executemany(
            tables.MARKS, ((seq + index, *row) for index, row in enumerate(rows.marks))
        )
    if rows.labelled:
        states.refresh(conn, rows.labelled)


def write_exclusions(project: Project, conn: sqlite3.Connection, rows: Rows) -> None:
    """Write exclusions and number them."""
    if rows.exclusions:
        seq = project.next_seq(len(rows.exclusions))
        conn.executemany(
            tables.EXCLUSIONS, ((seq + index, *row) for index, row in enumerate(rows.exclusions))
        )


def write_file(
    conn: sqlite3.Connection, use: tuple[int, str], digest: str, content: bytes
) -> None:
    """Keep a file that an evaluation (its key) refers to by path; equal content is kept once."""
    conn.execute(
        "INSERT OR IGNORE INTO attachments(sha256, name, content) VALUES (?, ?, ?)",
        (digest, use[1].rsplit("/", 1)[-1], content),
    )
    conn.execute(
        "INSERT OR REPLACE INTO attachment_uses(evaluation, path, attachment) "
        "SELECT ?, ?, id FROM attachments WHERE sha256 = ?",
        (*use, digest),
    )
