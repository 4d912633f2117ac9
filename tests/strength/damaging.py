"""A project with everything in it, damaged in many ways; and which of its rows must survive.

Which rows must survive is worked out without the program: SQLite says of the undamaged file which
pages hold which row.
"""

import hashlib
import random
import shutil
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ProjectError
from reviewer.services.labelling import entering
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.services.queues import making
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.upkeep import doctor
from reviewer.store.project import Project
from reviewer.store.standins import LOST_TEXT
from tests.building import build_project, let_see, record

PAGE = 4096
RUNS = ("agent v7", "agent v8", "agent v9")
EVALUATIONS = 180
METRICS = ("relevance", "accuracy", "safety")
NUMBERED = ("labels", "marks", "journal", "evaluations", "attachments")
"""Tables of which it is known which page holds which row."""
Rows = dict[str, dict[int, tuple[Any, ...]]]
Held = dict[str, dict[int, set[int]]]


@dataclass(frozen=True)
class Original:
    """A sound project, what it holds, and on which pages each row lies.

    Attributes:
        log: Pages of which the log beside the file has the newest state.
        kept: The rows of the backup.
    """

    path: Path
    backup: Path
    rows: Rows
    held: Held
    kept: Rows
    log: set[int] = field(default_factory=set)


def make(folder: Path, *, log: bool = False) -> Original:
    """Make a project of 180 evaluations in three runs with 500 answers, half after its backup."""
    dice = random.Random(11)  # noqa: S311 - the same project every time
    path = build_project(folder / "p.review", evaluations=_records(dice), runs=RUNS)
    let_see(path)
    _attach(path, dice)
    with closing(Session.open(path, "ann")) as session:
        making.create(session, QueuePlan(name="Two thirds", n=120))
        _answer(session, range(1, 100), dice)
        backup = backups.make(session.project).file
        kept = rows_of(backup)
    with closing(Session.open(path, "ann")) as session:
        _answer(session, range(70, 168), dice)
        _answer(session, range(1, 20), dice)
        if log:
            # as a program that was killed leaves it
            pair = folder / "open"
            pair.mkdir()
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", pair / f"p.review{suffix}")
            held = _held(session.project.conn)
            rows = _rows(session.project.conn)
            shutil.copytree(backup.parent, pair / backup.parent.name)
            return Original(
                pair / "p.review", backup, rows, held, kept, _logged(pair / "p.review-wal")
            )
    with closing(sqlite3.connect(path)) as conn:
        return Original(path, backup, _rows(conn), _held(conn), kept)


def _records(dice: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(1, EVALUATIONS + 1):
        words = " ".join(dice.choices(("pool", "bar", "sauna", "heated", "open", "nine"), k=120))
        yield record(
            number,
            run=RUNS[number % 3],
            response=words if number % 9 else f"{number} {words} " * 12,
            messages=[{"role": "user", "content": f"{number}? {words[:300]}"}],
            tags=["long"] if number % 9 == 0 else ["short"],
            labels=[{"metric": "accuracy", "labeler": "bob", "value": number % 5 + 1}],
        )


def _attach(path: Path, dice: random.Random) -> None:
    with Project.open(path) as project, project.write() as conn:
        for number in range(1, 9):
            content = dice.randbytes(3_000 * number)
            digest = hashlib.sha256(content).hexdigest()
            conn.execute(
                "INSERT INTO attachments VALUES (?, ?, 'a.png', ?)", (number, digest, content)
            )
            conn.execute("INSERT INTO attachment_uses VALUES (?, 'a.png', ?)", (number, number))


def _answer(session: Session, numbers: range, dice: random.Random) -> None:
    for number in numbers:
        for metric in METRICS[: 1 + number % 3]:
            entering.commit(session, number, metric, dice.randint(1, 5))
        if number % 7 == 0:
            entering.comment(session, number, "accuracy", f"Why {number}? " * (number * 8))
        if number % 11 == 0:
            entering.toggle_flag(session, number)


def rows_of(path: Path) -> Rows:
    """Give every row of a file by table and number."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as conn:
        return _rows(conn)


def _rows(conn: sqlite3.Connection) -> Rows:
    return {
        table: {row[0]: row for row in conn.execute(f"SELECT * FROM {table}")}  # noqa: S608
        for table in NUMBERED
    }


def _held(conn: sqlite3.Connection) -> Held:
    """Say which pages each row needs: its own, and those in which it goes on."""
    found: Held = {}
    for table in NUMBERED:
        pages = conn.execute(
            "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = ? ORDER BY path",
            (table,),
        ).fetchall()
        numbers = iter(
            [x for (x,) in conn.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]  # noqa: S608
        )
        more: dict[str, set[int]] = {}
        for place, page, kind, _ in pages:
            if kind == "overflow":
                more.setdefault(place.split("+")[0], set()).add(page)
        found[table] = {
            next(numbers): {page} | more.get(f"{place}{cell:03x}", set())
            for place, page, kind, n in pages
            if kind == "leaf"
            for cell in range(n)
        }
        assert next(numbers, None) is None
    return found


def _logged(log: Path) -> set[int]:
    content = log.read_bytes()
    salts = content[16:24]
    starts = range(32, len(content) - PAGE, PAGE + 24)
    return {
        struct.unpack_from(">I", content, at)[0]
        for at in starts
        if content[at + 8 : at + 16] == salts
    }


@dataclass(frozen=True)
class Blow:
    """One way to damage a file."""

    kind: str
    pages: frozenset[int]


def strike(path: Path, dice: random.Random, kind: str, count: int) -> Blow:
    """Damage a file: pages of noise, of zeros, of others' content, or its end cut off."""
    content = bytearray(path.read_bytes())
    total = len(content) // PAGE
    if kind == "cut":
        size = dice.randrange(len(content))
        path.write_bytes(content[:size])
        return Blow(kind, frozenset(range(size // PAGE + 1, total + 1)))
    hit = frozenset(dice.sample(range(1, total + 1), count))
    if kind == "first":
        hit = frozenset((1, *list(hit)[1:]))
    before = bytes(content)
    for page in hit:
        other = dice.randrange(total)
        new = {
            "zeros": bytes(PAGE),
            "others": before[other * PAGE : (other + 1) * PAGE],
        }.get(kind, dice.randbytes(PAGE))
        content[(page - 1) * PAGE : page * PAGE] = new
    path.write_bytes(content)
    changed = (
        x for x in hit if before[(x - 1) * PAGE : x * PAGE] != content[(x - 1) * PAGE : x * PAGE]
    )
    return Blow(kind, frozenset(changed))


@dataclass
class Outcome:
    """What became of one damaged file.

    Attributes:
        expected: The rows that must stand afterwards, by table.
        told: Rows that are as they were or not, of which the report says so.
        unhealthy: What is wrong besides.
    """

    blow: Blow
    expected: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    told: int = 0
    unhealthy: str = ""
    seconds: float = 0.0

    @property
    def fine(self) -> bool:
        """Tell whether all that could be saved was, and nothing else is there."""
        return not (self.missing or self.invented or self.unhealthy)


def _names(path: Path) -> dict[int, tuple[str, str]]:
    """Give run and id of each evaluation, as whoever reads the report meets them."""
    with closing(sqlite3.connect(path)) as conn:
        query = "SELECT e.id, r.name, e.ext_id FROM evaluations e JOIN runs r ON r.id = e.run"
        return {key: (run, name) for key, run, name in conn.execute(query)}


def judge(original: Original, path: Path, blow: Blow, *, with_backup: bool) -> Outcome:
    """Let the doctor repair a damaged file, and compare with what could be read of it."""
    outcome = Outcome(blow)
    lost_pages = blow.pages - original.log
    must: Rows = {
        table: {
            key: row
            for key, row in original.rows[table].items()
            if not original.held[table][key] & lost_pages
        }
        for table in NUMBERED
    }
    damaged = path.read_bytes()
    try:
        report = doctor.repair(path)
    except ProjectError as error:
        outcome.unhealthy = str(error) if any(must.values()) or with_backup else ""
        return outcome
    if report.set_aside is not None and report.set_aside.read_bytes() != damaged:
        outcome.unhealthy = "the damaged file was touched"
    names = _names(path)
    doubtful = {(x.run, x.id) for x in report.doubtful}
    known = {(x.run, x.id) for x in report.lost if "its value is known" in x.more}

    def said(table: str, row: tuple[Any, ...]) -> bool:
        return names.get(row[0] if table == "evaluations" else row[2]) in doubtful

    def partly(table: str, row: tuple[Any, ...], before: tuple[Any, ...] | None) -> bool:
        """Whether a label has the value that it had, and the report says that it has no more."""
        # seq, evaluation, metric, labeler, turn, value, kind and the moment
        if table != "labels" or before is None or names.get(row[2]) not in known:
            return False
        return (*row[:8], row[10]) == (*before[:8], before[10])

    left = doctor.check(path)
    if not left.ok:
        outcome.unhealthy = "; ".join(left.problems)
    after = rows_of(path)
    for table in NUMBERED:
        before, kept = original.rows[table], original.kept[table] if with_backup else {}
        wanted = {k: v for k, v in kept.items() if k in before} | must[table]
        outcome.expected[table] = len(wanted)
        outcome.missing[table] = sum(
            after[table].get(key) not in (row, row if key in must[table] else kept.get(key))
            and not said(table, row)
            for key, row in wanted.items()
        )
        strange = {
            key: row
            for key, row in after[table].items()
            if row not in (before.get(key), kept.get(key))
            and not (table == "evaluations" and LOST_TEXT in row)
        }
        told = {k for k, x in strange.items() if said(table, x) or partly(table, x, before.get(k))}
        outcome.told += len(told)
        outcome.invented[table] = len(strange.keys() - told)
    outcome.missing += Counter()
    outcome.invented += Counter()
    return outcome
