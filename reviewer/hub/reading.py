"""What is pulled from a hub: everything that came since, as the database lets one read it.

Every row bears the number of the transaction that wrote it. Numbers are given at the beginning of
a transaction and rows seen at its end, so only those below the oldest that still runs are taken:
what is above comes next time, and nothing is ever passed over.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from reviewer.hub.connecting import Work
from reviewer.hub.writing import Document

PAGE: Final = 500


class PulledRecord(NamedTuple):
    """A record with its rubric; `body` is all of it for a lead, else what is seen of it."""

    key: int
    run: str
    name: str
    rubric: str
    body: str


class PulledEntry(NamedTuple):
    """An entry; `after` is its place among all, as the cursor has it."""

    after: tuple[int, int, UUID, UUID]
    person: UUID
    id: UUID
    run: str
    name: str
    sort: str
    kind: str
    metric: str | None
    turn: int | None
    body: str
    text: int
    telling: str | None


class PulledQueue(NamedTuple):
    """A queue; plan and version are for leads."""

    id: UUID
    name: str
    blind: bool
    is_open: bool
    deleted: bool
    plan: str
    version: int


class PulledItem(NamedTuple):
    """A place in a queue."""

    queue: UUID
    person: UUID
    place: int
    key: int
    run: str
    name: str
    kind: str
    chance: float | None


def horizon(work: Work) -> int:
    """Give the transaction below which this moment's pull goes; it may still run."""
    return int(work.one("SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))


def held_back(work: Work, until: int) -> tuple[int, float]:
    """Count what has arrived above the horizon, and give for how many seconds it waits."""
    rows = work.rows(
        "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(n.received)), 0) "
        "FROM entries n WHERE n.xid >= %s::text::xid8",
        str(until),
    )
    return int(rows[0][0]), float(rows[0][1])


_BETWEEN: Final = "{0}.xid >= %s::text::xid8 AND {0}.xid < %s::text::xid8"


def _between(table: str) -> str:
    return _BETWEEN.format(table)


def new_records(work: Work, since: int, until: int, *, as_lead: bool) -> list[int]:
    """Give the keys of evaluations that came, or that came into one's queues."""
    source = "evaluations e" if as_lead else "items i JOIN evaluations e ON e.id = i.evaluation"
    moved = _between("e" if as_lead else "i")
    found = work.rows(
        f"SELECT DISTINCT e.id FROM {source} WHERE {moved} ORDER BY 1", str(since), str(until)
    )
    return [key for (key,) in found]


def records(work: Work, keys: Sequence[int], *, as_lead: bool) -> Iterator[PulledRecord]:
    """Give records by key in the order of their arrival, with the newest text of each."""
    body = "whole" if as_lead else "seen"
    query = (
        f"SELECT e.id, r.name, e.name, r.rubric, coalesce((SELECT t.{body} FROM texts t "
        f"WHERE t.evaluation = e.id ORDER BY t.version DESC LIMIT 1), e.{body}) "
        "FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE e.id = ANY(%s) AND NOT e.forgotten ORDER BY e.id"
    )
    for rows in work.stream(query, (list(keys),), PAGE // 10):
        yield from (PulledRecord(*row) for row in rows)


def names(work: Work, run: str) -> set[str]:
    """Give the ids of a run's evaluations."""
    rows = work.rows(
        "SELECT e.name FROM evaluations e JOIN runs r ON r.id = e.run WHERE r.name = %s", run
    )
    return {name for (name,) in rows}


def attachments(work: Work, keys: Sequence[int]) -> Iterator[tuple[int, str, bytes]]:
    """Give the files of records: whose, by which path, and what is in them."""
    query = (
        "SELECT a.evaluation, a.path, c.content FROM attachments a JOIN contents c USING (sha256) "
        "WHERE a.evaluation = ANY(%s)"
    )
    for rows in work.stream(query, (list(keys),), 10):
        yield from ((key, path, bytes(content)) for key, path, content in rows)


def opened(work: Work, since: int, until: int, me: UUID) -> list[int]:
    """Give the evaluations that opened to whoever asks: all answered, asked for, or in sight."""
    rows = work.rows(
        "SELECT evaluation FROM complete c WHERE person = %s AND " + _between("c") + " UNION "
        "SELECT evaluation FROM exposures x WHERE person = %s AND " + _between("x") + " UNION "
        "SELECT evaluation FROM items i WHERE person = %s AND " + _between("i"),
        *(value for _ in range(3) for value in (me, str(since), str(until))),
    )
    return sorted(key for (key,) in rows)


def new_scores(work: Work, since: int, until: int) -> list[int]:
    """Give the evaluations with scores that came and may be read."""
    rows = work.rows(
        f"SELECT DISTINCT evaluation FROM scores s WHERE {_between('s')}", str(since), str(until)
    )
    return sorted(key for (key,) in rows)


def key_of(work: Work, run: str, name: str) -> int | None:
    """Give the key of an evaluation, None where whoever asks may not know that it is."""
    found: int | None = work.one(
        "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE r.name = %s AND e.name = %s",
        run, name,
    )  # fmt: skip
    return found


def scores(work: Work, keys: Sequence[int]) -> Iterator[tuple[str, str, str]]:
    """Give run, id and text of the scores of evaluations, in their order."""
    query = (
        "SELECT r.name, e.name, s.body FROM scores s JOIN evaluations e ON e.id = s.evaluation "
        "JOIN runs r ON r.id = e.run WHERE s.evaluation = ANY(%s) AND NOT e.forgotten "
        "ORDER BY s.evaluation, s.place, s.xid, s.id"
    )
    for rows in work.stream(query, (list(keys),), PAGE):
        yield from ((run, name, body) for run, name, body in rows)


_ENTRY: Final = (
    "SELECT n.xid::text, n.place, n.person, n.id, r.name, e.name, n.sort, n.kind, n.metric, "
    "n.turn, n.body, n.text, {telling} FROM entries n JOIN evaluations e ON e.id = n.evaluation "
    "JOIN runs r ON r.id = e.run WHERE NOT e.forgotten AND {where} "
    "ORDER BY n.xid, n.place, n.person, n.id"
)


def new_entries(
    work: Work, after: tuple[int, int, UUID, UUID], until: int, *, as_lead: bool
) -> Iterator[list[PulledEntry]]:
    """Give the entries that came after one, page by page, in the order of their arrival."""
    where = (
        "(n.xid, n.place, n.person, n.id) > (%s::text::xid8, %s, %s, %s) "
        "AND n.xid < %s::text::xid8"
    )
    values = (str(after[0]), *after[1:], str(until))
    yield from _entries(work, where, values, as_lead=as_lead)


def entries_of(work: Work, keys: Sequence[int]) -> Iterator[list[PulledEntry]]:
    """Give what may be read of the entries of evaluations, whenever they came."""
    yield from _entries(work, "n.evaluation = ANY(%s)", (list(keys),), as_lead=False)


def _entries(
    work: Work, where: str, values: Sequence[object], *, as_lead: bool
) -> Iterator[list[PulledEntry]]:
    query = _ENTRY.format(telling="n.telling" if as_lead else "NULL", where=where)
    for rows in work.stream(query, values, PAGE):
        yield [
            PulledEntry((int(xid), place, person, name), person, name, *rest)
            for xid, place, person, name, *rest in rows
        ]


def people(work: Work) -> list[tuple[UUID, str, str]]:
    """Give id, name and role of everybody whom whoever asks may know."""
    return [(x, y, z) for x, y, z in work.rows("SELECT id, name, role FROM people ORDER BY id")]


def queues(work: Work, since: int, until: int, *, as_lead: bool) -> list[PulledQueue]:
    """Give the queues that changed or got places, of those that whoever asks has a part in."""
    more = "q.plan, q.version" if as_lead else "'', 0"
    found = work.rows(
        f"SELECT q.id, q.name, q.blind, q.is_open, q.deleted, {more} FROM queues q WHERE "
        f"({_between('q')}) OR q.id IN (SELECT i.queue FROM items i WHERE {_between('i')}) "
        "ORDER BY q.xid, q.id",
        *(str(x) for _ in range(2) for x in (since, until)),
    )
    return [PulledQueue(*row) for row in found]


def items(work: Work, queue: UUID, since: int, *, as_lead: bool) -> list[PulledItem]:
    """Give the places of a queue that came since and whoever asks may know, in order.

    A place below 0 is one that others took.
    """
    more = "i.kind, i.chance" if as_lead else "'label', NULL"
    rows = work.rows(
        f"SELECT i.queue, i.person, i.place, e.id, r.name, e.name, {more} FROM items i "
        "JOIN evaluations e ON e.id = i.evaluation JOIN runs r ON r.id = e.run "
        "WHERE i.queue = %s AND i.xid >= %s::text::xid8 ORDER BY i.person, i.place",
        queue, str(since),
    )  # fmt: skip
    return [PulledItem(*row) for row in rows]


def documents(work: Work) -> list[Document]:
    """Give the newest version of every document that whoever asks may read."""
    rows = work.rows(
        "SELECT DISTINCT ON (kind, name) kind, name, version, body, true FROM documents "
        "ORDER BY kind, name, version DESC"
    )
    return [Document(*row) for row in rows]
