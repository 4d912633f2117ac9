"""What other windows and programs wrote since one looked last."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from reviewer.domain.errors import ProjectError
from reviewer.store import labels, marks
from reviewer.store.connecting import explain
from reviewer.store.labels import Entry as LabelEntry
from reviewer.store.marks import Entry as MarkEntry
from reviewer.store.project import Project

FIGURES = "figures"
"""The setting that says how the project computes its figures."""
MANY = 2_000
"""More labels and marks than this are not told one by one."""
_JUDGING = (
    "SELECT 'endpoint', name, seq FROM endpoints UNION ALL SELECT 'judge', name, seq FROM judges "
    "UNION ALL SELECT 'bot', name, seq FROM bots "
    "UNION ALL SELECT model, input_per_million, output_per_million FROM prices "
    "UNION ALL SELECT 'prompts', count(*), max(seq) FROM prompts"
)


class Sight(Struct, frozen=True):
    """How far one has looked.

    Attributes:
        version: SQLite's number for "another connection committed".
        seq: The newest number of the order of changes.
        content: What changes with every import, score set and hidden evaluation.
        rubrics: The newest rubric version.
        people: Everybody's profile.
        queues: Every queue with its state.
        judging: Every endpoint, judge, bot and price, and the newest prompt.
        monitors: The newest change of a monitor.
        figures: How the project computes its figures, as its setting says.
    """

    version: int
    seq: int
    content: tuple[object, ...]
    rubrics: int
    people: frozenset[tuple[int, str, str | None, str]]
    queues: frozenset[tuple[int, str, str]]
    judging: frozenset[tuple[object, ...]]
    monitors: int
    figures: str | None


class News(Struct, frozen=True):
    """What was written since: entries in the order of changes, and what must be read anew.

    Attributes:
        labels: New entries, each with what it replaced; empty with `reload`.
        reload: Evaluations, scores or many labels changed, so everything is read anew.
        rubrics: The names of rubrics with new versions.
        people: Profiles or queues changed.
        judging: Judges, endpoints, bots, prompts or prices changed.
        monitors: A monitor changed.
        figures: The project computes its figures otherwise.
    """

    labels: tuple[tuple[LabelEntry | None, LabelEntry], ...] = ()
    marks: tuple[MarkEntry, ...] = ()
    reload: bool = False
    rubrics: tuple[str, ...] = ()
    people: bool = False
    judging: bool = False
    monitors: bool = False
    figures: bool = False


def look(project: Project) -> Sight:
    """Note how far the file has come; the version first, so that nothing falls between.

    Raises:
        ProjectError: The file is damaged.
    """
    with _explained(project):
        return _look(project.conn)


@contextmanager
def _explained(project: Project) -> Iterator[None]:
    """Name the file where it cannot be read: these are the first reads of an opening, too."""
    try:
        yield
    except sqlite3.Error as error:
        raise ProjectError(explain(error, project.path)) from error


def _look(conn: sqlite3.Connection) -> Sight:
    version = int(conn.execute("PRAGMA data_version").fetchone()[0])
    counters = dict(conn.execute("SELECT name, value FROM counters"))
    content = conn.execute(
        "SELECT (SELECT count(*) FROM imports WHERE state = 'done'), "
        "(SELECT count(*) FROM imports WHERE state = 'undone'), "
        "(SELECT count(*) FROM score_sets), (SELECT max(finished_at) FROM score_sets), "
        "(SELECT max(seq) FROM imports WHERE state <> 'loading')"
    ).fetchone()
    rubrics = conn.execute("SELECT ifnull(max(seq), 0) FROM rubric_versions").fetchone()[0]
    people = frozenset(conn.execute("SELECT id, name, colour, role FROM labelers"))
    queues = frozenset(conn.execute("SELECT id, name, state FROM queues"))
    return Sight(
        version=version,
        seq=int(counters["seq"]),
        content=(counters["visible"], counters["bulk"], *content),
        rubrics=int(rubrics),
        people=people,
        queues=queues,
        judging=judging(conn),
        monitors=int(conn.execute("SELECT ifnull(max(seq), 0) FROM monitors").fetchone()[0]),
        figures=_setting(conn, FIGURES),
    )


def _setting(conn: sqlite3.Connection, name: str) -> str | None:
    row = conn.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def judging(conn: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    """Note what judges there are, and what belongs to them, as a sight has it."""
    return frozenset(conn.execute(_JUDGING))


def moved(project: Project, sight: Sight) -> bool:
    """Tell whether another connection committed anything; costs microseconds."""
    return bool(project.conn.execute("PRAGMA data_version").fetchone()[0] != sight.version)


def news(project: Project, sight: Sight, own: frozenset[int]) -> tuple[News, Sight]:
    """Give what others wrote since a sight, without one's `own` numbers, and the new sight.

    Raises:
        ProjectError: The file is damaged.
    """
    conn = project.conn
    with _explained(project):
        conn.execute("BEGIN")
        try:
            return _news(conn, sight, own)
        finally:
            conn.execute("COMMIT")


def _news(conn: sqlite3.Connection, sight: Sight, own: frozenset[int]) -> tuple[News, Sight]:
    present = _look(conn)
    rubrics: tuple[str, ...] = ()
    if present.rubrics != sight.rubrics:
        rows = conn.execute(
            "SELECT DISTINCT r.name FROM rubric_versions v JOIN rubrics r ON r.id = v.rubric "
            "WHERE v.seq > ?",
            (sight.rubrics,),
        )
        rubrics = tuple(name for (name,) in rows)
    limit = MANY + len(own) + 1
    new_labels = [x for x in labels.since(conn, sight.seq, limit) if x.label.seq not in own]
    new_marks = [x for x in marks.since(conn, sight.seq, limit) if x.mark.seq not in own]
    many = len(new_labels) + len(new_marks) > MANY
    reload = many or present.content != sight.content
    if reload:
        new_labels, new_marks = [], []
    told = News(
        labels=tuple(_with_before(conn, new_labels)),
        marks=tuple(new_marks),
        reload=reload,
        rubrics=rubrics,
        people=present.queues != sight.queues or _others(conn, sight, present),
        judging=present.judging != sight.judging,
        monitors=present.monitors != sight.monitors,
        figures=present.figures != sight.figures,
    )
    return told, present


def _others(conn: sqlite3.Connection, sight: Sight, present: Sight) -> bool:
    """Tell whether profiles changed otherwise than by somebody's first label, which is told."""
    known = {profile[0] for profile in sight.people}
    changed = present.people ^ sight.people
    return any(
        key in known
        or conn.execute("SELECT 1 FROM states WHERE labeler = ?", (key,)).fetchone() is None
        for key, *_ in changed
    )


def _with_before(
    conn: sqlite3.Connection, entries: list[LabelEntry]
) -> list[tuple[LabelEntry | None, LabelEntry]]:
    """Pair each entry with what it replaced, leaving out entries that did not become current."""
    pairs = [(labels.before(conn, entry), entry) for entry in entries]
    return [(old, new) for old, new in pairs if old is None or new.place > old.place]
