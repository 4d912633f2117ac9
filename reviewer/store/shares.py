"""What a shared project has to send, and what comes into it: the union with what is here.

The setting `hub` says with whom the project is shared and how far both sides know each other. It
is kept in the transaction that stores what it speaks of, so that they never disagree.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from reviewer.domain import uids
from reviewer.domain.uids import Uid
from reviewer.store import amending, labelers, of_record, rows
from reviewer.store.amending import Uniting
from reviewer.store.loading import write_people
from reviewer.store.project import Project
from reviewer.store.query import number_of
from reviewer.store.records import RecordReader
from reviewer.store.rows import EntryUids, Fields, Names, Rows
from reviewer.store.schema import FORGOTTEN, HUB
from reviewer.store.unseen import of_no_stopped

OTHER_TEXT = 0
"""The revision of labels that were given beside a text which is not here any more."""
_OF_PEOPLE = ("labels", "marks")
# walked by the order of changes: what came before costs nothing
_SINCE = (
    "SELECT t.seq, t.evaluation, e.run, e.ext_id, '{table}', t.uid, t.labeler, {revision} "
    "FROM {table} t INDEXED BY {table}_by_seq CROSS JOIN evaluations e ON e.id = t.evaluation "
    "WHERE t.seq > {after} AND t.seq <= {until} "
    f"AND e.hidden = 0 AND {of_no_stopped('t')} AND (?1 IS NULL OR t.labeler = ?1)"
)
_SCORED: Final = (
    "INSERT INTO counters VALUES ('scores', 1) ON CONFLICT DO UPDATE SET value = value + 1"
)
_ANSWERS = (
    "SELECT count(*) FROM (SELECT DISTINCT t.evaluation, t.metric, t.turn, t.labeler "
    "FROM json_each(?2) s CROSS JOIN labels t INDEXED BY labels_by_seq "
    "ON t.seq > s.value ->> 0 AND t.seq <= s.value ->> 1 "
    "CROSS JOIN evaluations e ON e.id = t.evaluation "
    f"WHERE t.kind IN ('label', 'not_applicable') AND e.hidden = 0 AND {of_no_stopped('t')} "
    "AND (?1 IS NULL OR t.labeler = ?1))"
)
Spans = Sequence[tuple[int, int]]
"""Parts of the order of changes: what comes after the first number, up to the second."""
LAST: Final = (1 << 63) - 1
"""A number of the order of changes that none reaches."""


class Made(NamedTuple):
    """An entry as it was made here, in the keys of a record.

    Attributes:
        seq: Its place in the order of changes.
        evaluation: The evaluation's key.
        sort: `label` or `mark`.
        person: The number that its labeler has everywhere.
        revision: The revision of the text that it was given to; None where nobody keeps that.
    """

    seq: int
    evaluation: int
    run: str
    name: str
    sort: str
    uid: Uid
    person: Uid
    fields: Fields
    revision: int | None


class Arrived(NamedTuple):
    """What comes for an evaluation: its key and run, and `labels`, `marks` and `scores`.

    Attributes:
        is_other: Whether it was given beside another text than the present one.
    """

    key: int
    run: tuple[int, str]
    fields: Fields
    is_other: bool = False


class United(NamedTuple):
    """How much of what came was new."""

    labels: int = 0
    marks: int = 0
    scores: int = 0


class Waiting(NamedTuple):
    """What waits to be sent.

    Attributes:
        entries: All of it: labels, what took them back, comments and marks.
        answers: Metrics that were answered, each once for each person and turn.
    """

    entries: int
    answers: int


def waiting(conn: sqlite3.Connection, spans: Spans, labeler: int | None = None) -> Waiting:
    """Count the entries of parts of the order of changes, and the answers among them.

    Args:
        conn: The connection.
        spans: The parts.
        labeler: The key of whose, None for everybody's.
    """
    entries = sum(
        number_of(conn, f"SELECT count(*) FROM ({_entries_of(span)})", (labeler,))
        for span in spans
    )
    return Waiting(entries, number_of(conn, _ANSWERS, (labeler, json.dumps(spans))))


def is_free(conn: sqlite3.Connection, span: tuple[int, int]) -> bool:
    """Tell whether no entry stands in a part of the order of changes, not even an unseen one."""
    return not any(
        conn.execute(
            f"SELECT 1 FROM {table} WHERE seq > ? AND seq <= ? LIMIT 1",
            span,
        ).fetchall()
        for table in _OF_PEOPLE
    )


def _entries_of(span: tuple[int, int]) -> str:
    """Ask for the entries of a part, by the labeler that the first parameter is, if it is any."""
    after, until = map(int, span)
    return " UNION ALL ".join(
        _SINCE.format(table=table, revision=revision, after=after, until=until)
        for table, revision in zip(_OF_PEOPLE, ("t.revision", "NULL"), strict=True)
    )


def made_in(project: Project, spans: Spans, limit: int, labeler: int | None = None) -> list[Made]:
    """Give the first entries of parts of the order of changes, in that order.

    Args:
        project: The project.
        spans: The parts, in order.
        limit: How many, at most.
        labeler: The key of whose, None for everybody's.
    """
    conn = project.conn
    found: list[Any] = []
    for span in spans:
        asked = f"{_entries_of(span)} ORDER BY 1 LIMIT ?2"
        found += conn.execute(asked, (labeler, limit - len(found)))
        if len(found) >= limit:
            break
    runs = dict(conn.execute("SELECT id, name FROM runs"))
    people = labelers.uids_of_people(conn)
    entries = RecordReader(project, uids=True).changed_at(row[0] for row in found)
    return [
        Made(
            seq, evaluation, runs[run], name, table[:-1], uid, people[who],
            entries[evaluation, uids.text_of(uid)], revision,
        )
        for seq, evaluation, run, name, table, uid, who, revision in found
    ]  # fmt: skip


def names_of_people(conn: sqlite3.Connection) -> dict[Uid, str]:
    """Give the names of people here, by the numbers that they have everywhere."""
    names = dict(conn.execute("SELECT id, name FROM labelers"))
    return {uid: names[key] for key, uid in labelers.uids_of_people(conn).items()}


def find(
    conn: sqlite3.Connection, places: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Give the keys of evaluations and of their runs, by name of the run and id."""
    return {
        (run, name): (key, number)
        for run, name, key, number in conn.execute(
            "SELECT r.name, e.ext_id, e.id, r.id FROM json_each(?) w "
            "CROSS JOIN runs r ON r.name = w.value ->> 0 "
            "CROSS JOIN evaluations e INDEXED BY evaluations_identity "
            "ON e.run = r.id AND e.ext_id = w.value ->> 1 WHERE e.hidden = 0",
            (json.dumps(sorted(set(places))),),
        )
    }


def names(conn: sqlite3.Connection, evaluations: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Give name of the run and id of evaluations, by key."""
    return {
        key: (run, name)
        for key, run, name in conn.execute(
            "SELECT v.id, r.name, v.ext_id FROM json_each(?) w "
            "JOIN visible_evaluations v ON v.id = w.value JOIN runs r ON r.id = v.run",
            (json.dumps(evaluations),),
        )
    }


def here(conn: sqlite3.Connection, evaluations: Iterable[int]) -> set[tuple[int, Uid]]:
    """Give the labels and marks of some evaluations, each by evaluation and number."""
    some = "SELECT value FROM json_each(?1)"
    query = " UNION ALL ".join(
        f"SELECT evaluation, uid FROM {table} WHERE evaluation IN ({some})" for table in _OF_PEOPLE
    )
    return set(conn.execute(query, (json.dumps(sorted(set(evaluations))),)))


def unite(
    project: Project,
    arrived: Sequence[Arrived],
    keep: Callable[[sqlite3.Connection, United], None],
) -> United:
    """Add what is not here yet, and `keep` something else in the same transaction.

    Of an entry that came before nothing changes; the first score of a version counts.
    """
    names, made = Names(project), Rows()
    names.spells = False
    union = Uniting(amending.score_identity, numbered=True)
    scored: dict[of_record.Place, dict[int, int]] = {}
    known = dict(_known(project, arrived))
    for one in arrived:
        revision, here = known[one.key]
        new = {
            table: union.new(one.key, table, here.get(table) or [], given, waits=True)
            for table in amending.UNITED
            if (given := one.fields.get(table))
        }
        people = [*(here.get("labels") or ()), *(here.get("marks") or ())]
        numbers = EntryUids.beside(one.run[1], str(here["id"]), people)
        place = (one.key, None, OTHER_TEXT if one.is_other else revision)
        rows.add_people(made, names, new, place, numbers)
        fresh = rows.score_rows(names, new.get("scores") or [], one.key, None)
        rows.count_scored(scored, fresh, {one.key: one.run[0]})
        made.scores += fresh
    with project.write() as conn:
        if made.scores:
            conn.execute(_SCORED)
        amending.add_scores(conn, made.scores)
        amending.date(conn, {row[0] for row in made.scores})
        of_record.fix(project, scored)
        write_people(project, conn, made)
        united = United(len(made.labels), len(made.marks), len(made.scores))
        keep(conn, united)
    return united


def known_entries(project: Project, one: Arrived) -> Fields:
    """Give the id of an evaluation with its labels and marks, each with its number."""
    reader = RecordReader(project, uids=True, keys=_OF_PEOPLE)
    return next(reader.of_keys((one.key,), one.run[1])).fields


def _known(
    project: Project, arrived: Sequence[Arrived]
) -> Iterator[tuple[int, tuple[int, Fields]]]:
    scored = any(one.fields.get("scores") for one in arrived)
    reader = RecordReader(project, uids=True, keys=("scores",) if scored else ())
    keys: dict[tuple[int, str], list[int]] = defaultdict(list)
    for one in arrived:
        keys[one.run].append(one.key)
    given = (x for one in arrived for table in _OF_PEOPLE for x in one.fields.get(table) or ())
    alike = reader.alike((one.key for one in arrived), given)
    for (_, run), some in keys.items():
        for stored in reader.of_keys(some, run):
            yield stored.key, (stored.revision, stored.fields | alike.get(stored.key, {}))


def asked(conn: sqlite3.Connection) -> list[tuple[int, int, str | None]]:
    """Give who asked to see auto scores before they had answered: evaluation, labeler and time."""
    return conn.execute(
        "SELECT m.evaluation, m.labeler, m.at FROM marks m "
        "JOIN visible_evaluations v ON v.id = m.evaluation "
        "WHERE m.kind = 'reveal' AND m.value = 'asked' ORDER BY m.seq"
    ).fetchall()


def newest(conn: sqlite3.Connection) -> int:
    """Give the newest number of the order of changes."""
    return number_of(conn, "SELECT value FROM counters WHERE name = 'seq'")


def keep(conn: sqlite3.Connection, link: str) -> None:
    """Keep how a project is shared, empty for not at all; call inside `Project.write`."""
    conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (HUB, link))


def follow(conn: sqlite3.Connection, link: str) -> bool:
    """Keep how a project is shared unless somebody ended that; call inside `Project.write`."""
    changed = conn.execute(
        "UPDATE settings SET value = ?2 WHERE name = ?1 AND value <> ''", (HUB, link)
    )
    return changed.rowcount > 0


def forgotten(conn: sqlite3.Connection) -> str:
    """Give what was forgotten here and not on the hub yet, as it was kept."""
    row = conn.execute("SELECT value FROM settings WHERE name = ?", (FORGOTTEN,)).fetchone()
    return str(row[0]) if row else ""


def keep_forgotten(conn: sqlite3.Connection, text: str) -> None:
    """Keep what is to be forgotten on the hub; call inside `Project.write`."""
    conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (FORGOTTEN, text))


def scores_since(conn: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Count evaluations and scores by run, which tells where something came since."""
    # each counted apart: to count both of them joined takes a list of all evaluations
    return {
        name: (evaluations, scores)
        for name, evaluations, scores in conn.execute(
            "SELECT name, (SELECT count(*) FROM visible_evaluations WHERE run = r.id) AS some, "
            "(SELECT count(*) FROM visible_evaluations e JOIN scores s ON s.evaluation = e.id "
            "AND s.ordinal >= 0 WHERE e.run = r.id) FROM runs r WHERE some > 0"
        )
    }


def known_as(conn: sqlite3.Connection, uid: Uid, name: str) -> str:
    """Give what somebody is called here, who is added where absent; call inside `write`.

    Who is met under a name that somebody else has here gets a number behind it.
    """
    row = conn.execute("SELECT name FROM labelers WHERE uid = ?", (uid,)).fetchone()
    if row is not None:
        return str(row[0])
    taken = {x.casefold() for (x,) in conn.execute("SELECT name FROM labelers")}
    called, count = name, 1
    while called.casefold() in taken:
        count += 1
        called = f"{name} {count}"
    conn.execute("INSERT INTO labelers(name, uid) VALUES (?, ?)", (called, uid))
    return called


def items(conn: sqlite3.Connection, queue: int) -> list[tuple[int, int, str, str, str, Any]]:
    """Give labeler, position, run, id, kind and chance of a queue's places, in order."""
    return conn.execute(
        "SELECT i.labeler, i.position, r.name, e.ext_id, i.kind, i.prob FROM queue_items i "
        "JOIN visible_evaluations e ON e.id = i.evaluation JOIN runs r ON r.id = e.run "
        "WHERE i.queue = ? ORDER BY i.labeler, i.position",
        (queue,),
    ).fetchall()


def replace_items(
    conn: sqlite3.Connection, queue: int, items: Sequence[tuple[int, int, int, str, Any]]
) -> None:
    """Let a queue have these places; a repeat that has begun stays so. Call inside `write`.

    Args:
        conn: Of the project.
        queue: The queue's key.
        items: Labeler, position, evaluation, kind and chance of each.
    """
    conn.executemany(
        "INSERT INTO queue_items(queue, labeler, position, evaluation, kind, prob) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET evaluation = ?4, kind = ?5, "
        "prob = ?6 WHERE evaluation <> ?4",
        ((queue, *item) for item in items),
    )
