"""What other windows and programs wrote since one looked last."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain.change import (
    Change,
    EvaluationsChanged,
    FiguresChanged,
    JudgingChanged,
    MonitorsChanged,
    PeopleChanged,
    RubricChanged,
)
from reviewer.domain.errors import ProjectError
from reviewer.store import labels, marks
from reviewer.store.connecting import explain
from reviewer.store.labels import Entry as LabelEntry
from reviewer.store.marks import Entry as MarkEntry
from reviewer.store.project import Project
from reviewer.store.query import number_of, values_of

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
        content: What changes with every time that scores came, and, behind it, with every import,
            score set and hidden evaluation.
        rubrics: The newest rubric version.
        people: Everybody's profile, whether they label blind, and what they should keep to.
        queues: Every queue with its state.
        judging: Every endpoint, judge, bot and price, and the newest prompt.
        monitors: The newest change of a monitor.
        figures: How the project computes its figures and in which time zone, as its settings say.
    """

    version: int
    seq: int
    content: tuple[object, ...]
    rubrics: int
    people: frozenset[tuple[int, str, str | None, str]]
    queues: frozenset[tuple[int, str, str]]
    judging: frozenset[tuple[object, ...]]
    monitors: int
    figures: frozenset[tuple[str, str]]


class News(Struct, frozen=True):
    """What was written since: entries in the order of changes, and what must be read anew.

    Attributes:
        labels: New entries, each with what it replaced; empty with `reload`.
        reload: Evaluations or many labels changed, so everything is read anew.
        scores: Scores came to evaluations that are here.
        rubrics: The names of rubrics with new versions.
        people: Profiles or queues changed.
        judging: Judges, endpoints, bots, prompts or prices changed.
        monitors: A monitor changed.
        figures: The project computes its figures otherwise.
    """

    labels: tuple[tuple[LabelEntry | None, LabelEntry], ...] = ()
    marks: tuple[MarkEntry, ...] = ()
    reload: bool = False
    scores: bool = False
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
    version = number_of(conn, "PRAGMA data_version")
    content, seq = _content(conn)
    return Sight(
        version=version,
        seq=seq,
        content=content,
        rubrics=_newest(conn, "rubric_versions"),
        people=_people(conn),
        queues=_queues(conn),
        judging=_judging(conn),
        monitors=_newest(conn, "monitors"),
        figures=_figures(conn),
    )


def _content(conn: sqlite3.Connection) -> tuple[tuple[object, ...], int]:
    """Give what changes with scores, imports, versions of record and hidden evaluations; seq."""
    counters = dict(conn.execute("SELECT name, value FROM counters"))
    content = conn.execute(
        "SELECT (SELECT count(*) FROM imports WHERE state = 'done'), "
        "(SELECT count(*) FROM imports WHERE state = 'undone'), "
        "(SELECT count(*) FROM score_sets), (SELECT max(finished_at) FROM score_sets), "
        "(SELECT max(seq) FROM imports WHERE state <> 'loading'), "
        "(SELECT max(id) FROM record_log)"
    ).fetchone()
    scores = counters.get("scores", 0)
    return (scores, counters["visible"], counters["bulk"], *content), int(counters["seq"])


def _newest(conn: sqlite3.Connection, table: str) -> int:
    return number_of(conn, f"SELECT ifnull(max(seq), 0) FROM {table}")


def _people(conn: sqlite3.Connection) -> frozenset[tuple[int, str, str | None, str]]:
    return frozenset(
        conn.execute(
            "SELECT id, name, colour, role FROM labelers UNION ALL "
            "SELECT 0, value, NULL, name FROM settings WHERE name IN ('blind', 'guidelines')"
        )
    )


def _queues(conn: sqlite3.Connection) -> frozenset[tuple[int, str, str]]:
    return frozenset(conn.execute("SELECT id, name, state FROM queues"))


def _judging(conn: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    return frozenset(conn.execute(_JUDGING))


def _figures(conn: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    asked = "SELECT name, value FROM settings WHERE name IN (?, 'time_zone')"
    return frozenset(conn.execute(asked, (FIGURES,)))


def past(project: Project, sight: Sight, change: Change) -> Sight:
    """Give the sight after a change of one's own, so that it is no news of others later.

    What others did of the same kind meanwhile is passed over with it: whoever hears of the change
    reads all of that kind anew. Labels and marks are told one by one, by their numbers.
    """
    conn = project.conn
    match change:
        case FiguresChanged():
            sight = replace(sight, figures=_figures(conn))
        case PeopleChanged():
            sight = replace(sight, people=_people(conn), queues=_queues(conn))
        case JudgingChanged():
            sight = replace(sight, judging=_judging(conn))
        case MonitorsChanged():
            sight = replace(sight, monitors=_newest(conn, "monitors"))
        case EvaluationsChanged():
            content, seq = _content(conn)
            sight = replace(sight, content=content, seq=seq)
        case RubricChanged(name=name) if set(_rubrics_since(conn, sight)) <= {name}:
            sight = replace(sight, rubrics=_newest(conn, "rubric_versions"))
    return sight


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
            present = _look(conn)
            rubrics = _rubrics_since(conn, sight) if present.rubrics != sight.rubrics else ()
            limit = MANY + len(own) + 1
            new_labels = [
                x for x in labels.since(conn, sight.seq, limit) if x.label.seq not in own
            ]
            new_marks = [x for x in marks.since(conn, sight.seq, limit) if x.mark.seq not in own]
            many = len(new_labels) + len(new_marks) > MANY
            reload = many or present.content[1:] != sight.content[1:]
            if reload:
                new_labels, new_marks = [], []
            return News(
                labels=tuple(_with_before(conn, new_labels)),
                marks=tuple(new_marks),
                reload=reload,
                scores=not reload and present.content != sight.content,
                rubrics=rubrics,
                people=present.queues != sight.queues or _others(conn, sight, present),
                judging=present.judging != sight.judging,
                monitors=present.monitors != sight.monitors,
                figures=present.figures != sight.figures,
            ), present
        finally:
            conn.execute("COMMIT")


def _rubrics_since(conn: sqlite3.Connection, sight: Sight) -> tuple[str, ...]:
    return tuple(
        values_of(
            conn,
            "SELECT DISTINCT r.name FROM rubric_versions v JOIN rubrics r ON r.id = v.rubric "
            "WHERE v.seq > ?",
            (sight.rubrics,),
        )
    )


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
