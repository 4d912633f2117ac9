"""What is sent to a hub: added where it is not there yet, never changed."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from reviewer.hub.connecting import Work

MOST: Final = 500
"""Entries of one transaction."""


class Run(NamedTuple):
    """A run, the name of its rubric, and the metrics that make an answer whole."""

    name: str
    rubric: str
    wanted: list[str]


class Evaluation(NamedTuple):
    """A record: what a labeler may read from the beginning, and all of it."""

    run: str
    name: str
    seen: str
    whole: str


class Score(NamedTuple):
    """A score; `place` is its order among those of its evaluation."""

    run: str
    name: str
    id: UUID
    place: int
    body: str


class Attachment(NamedTuple):
    """A file that a record names by its path."""

    run: str
    name: str
    path: str
    sha256: str
    content: bytes


class Entry(NamedTuple):
    """A label, decision, comment or mark; what has a column of its own is not in `body`.

    Attributes:
        name: The evaluation's id within its run.
        telling: What it says of the judge and of drawing, for leads.
        text: Beside which of the evaluation's texts it was given, 0 for one that is not there.
    """

    person: UUID
    id: UUID
    run: str
    name: str
    sort: str
    kind: str
    metric: str | None
    turn: int | None
    at_us: int | None
    body: str
    telling: str | None = None
    text: int = 1


class Queue(NamedTuple):
    """A queue as everybody knows it who has a part in it, and its plan."""

    id: UUID
    name: str
    blind: bool
    is_open: bool
    plan: str


class Item(NamedTuple):
    """A place of somebody's part of a queue."""

    queue: UUID
    person: UUID
    place: int
    run: str
    name: str
    kind: str
    chance: float | None


class Document(NamedTuple):
    """A version of a rubric or setting."""

    kind: str
    name: str
    version: int
    body: str
    for_all: bool


PLACE: Final = (
    "JOIN runs r ON r.name = g.run JOIN evaluations e ON e.run = r.id AND e.name = g.name "
    "AND NOT e.forgotten"
)
"""Where the evaluation of a run and id is; nothing comes to one that was forgotten."""


def put_people(work: Work, people: Iterable[tuple[UUID, str, str]]) -> None:
    """Add people by number, name and role who only have entries, as those of a file."""
    work.do(
        "INSERT INTO people(id, name, role) "
        "SELECT * FROM unnest(%s::uuid[], %s::text[], %s::text[]) ON CONFLICT DO NOTHING",
        *columns(people, 3),
    )


def put_run(work: Work, run: Run) -> None:
    """Add a run, or follow its rubric."""
    work.do(
        "INSERT INTO runs(name, rubric, wanted) VALUES (%s, %s, %s::text[]) "
        "ON CONFLICT (name) DO NOTHING",
        *run,
    )
    work.do(
        "UPDATE runs SET wanted = %s::text[], xid = pg_current_xact_id() "
        "WHERE name = %s AND wanted <> %s::text[]",
        run.wanted, run.name, run.wanted,
    )  # fmt: skip


def put_evaluations(work: Work, records: Sequence[Evaluation]) -> int:
    """Add records that are not there yet, and count them."""
    return work.do(
        "INSERT INTO evaluations(run, name, seen, whole) SELECT r.id, g.name, g.seen, g.whole "
        "FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) WITH ORDINALITY "
        "AS g(run, name, seen, whole, n) JOIN runs r ON r.name = g.run ORDER BY g.n "
        "ON CONFLICT DO NOTHING",
        *columns(records, 4),
    )


def put_scores(work: Work, scores: Sequence[Score]) -> int:
    """Add scores that are not there yet, and count them."""
    return work.do(
        "INSERT INTO scores(evaluation, id, place, body) SELECT e.id, g.id, g.place, g.body "
        "FROM unnest(%s::text[], %s::text[], %s::uuid[], %s::integer[], %s::text[]) "
        f"AS g(run, name, id, place, body) {PLACE} ON CONFLICT DO NOTHING",
        *columns(scores, 5),
    )


def lacking(work: Work, digests: Sequence[str]) -> set[str]:
    """Give those of some contents that are not there yet."""
    rows = work.rows(
        "SELECT d FROM unnest(%s::text[]) AS d WHERE d NOT IN (SELECT sha256 FROM contents "
        "WHERE sha256 = ANY(%s::text[]))",
        list(digests), list(digests),
    )  # fmt: skip
    return {digest for (digest,) in rows}


def put_attachment(work: Work, file: Attachment, *, with_content: bool) -> None:
    """Let a record name a file, whose content goes over the line once for all records."""
    if with_content:
        work.do(
            "INSERT INTO contents(sha256, content) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            file.sha256, file.content,
        )  # fmt: skip
    work.do(
        "INSERT INTO attachments(evaluation, path, sha256) SELECT e.id, %s, %s "
        f"FROM (SELECT %s::text AS run, %s::text AS name) AS g {PLACE} "
        "ON CONFLICT (evaluation, path) DO UPDATE SET sha256 = excluded.sha256 "
        "WHERE attachments.sha256 <> excluded.sha256",
        file.path, file.sha256, file.run, file.name,
    )  # fmt: skip


def known(work: Work, places: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Give those of some evaluations, by run and id, that whoever asks may know to be there."""
    rows = work.rows(
        f"SELECT g.run, g.name FROM unnest(%s::text[], %s::text[]) AS g(run, name) {PLACE}",
        *columns(places, 2),
    )
    return {(run, name) for run, name in rows}


_ENTRIES: Final = (
    "INSERT INTO {tables}entries(person, id, evaluation, sort, kind, metric, turn, at_us, place, "
    "body, text{more}) SELECT g.person, g.id, e.id, g.sort, g.kind, g.metric, g.turn, g.at_us, "
    "g.n, g.body, g.text{given} "
    "FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], "
    "%s::text[], %s::integer[], %s::bigint[], %s::text[], %s::text[], %s::integer[]) "
    "WITH ORDINALITY "
    "AS g(person, id, run, name, sort, kind, metric, turn, at_us, body, telling, text, n) "
    f"{PLACE} ORDER BY g.person, g.id ON CONFLICT DO NOTHING"
)


def put_entries(work: Work, entries: Sequence[Entry], *, as_lead: bool) -> int:
    """Add entries that are not there yet, and count them; their order is kept beside them.

    Two who send the same take the same way through it, so that neither waits for the other. What
    a label says of judge and drawing only leads may send.
    """
    more = (", telling", ", g.telling") if as_lead else ("", "")
    return work.do(
        _ENTRIES.format(tables=work.tables, more=more[0], given=more[1]), *columns(entries, 12)
    )


def ask_to_see(work: Work, run: str, name: str) -> bool:
    """Keep that whoever asks wants to see what judges say before they answer, which opens it.

    Returns:
        Whether it opened: it is in a queue of theirs, and the project opens anything.
    """
    return bool(work.one("SELECT reveal(%s, %s)", run, name))


def put_queue(
    work: Work, queue: Queue, items: Sequence[Item], made_of: int | None = None
) -> int | None:
    """Add a queue, or follow its name and state, and add places that it did not have.

    Places that the hub gave out itself stay as it has them.

    Args:
        work: The transaction.
        queue: The queue as it is now.
        items: Its places.
        made_of: The version that was changed; None for whichever is there.

    Returns:
        The version that is there now, None where it is somebody else's and differs.
    """
    work.do(
        "INSERT INTO queues(id, name, blind, is_open, plan) VALUES (%s, %s, %s, %s, %s) "
        "ON CONFLICT (id) DO NOTHING",
        *queue,
    )
    ((there, differs),) = work.rows(
        "SELECT version, deleted OR (name, blind, is_open, plan) IS DISTINCT FROM "
        "(%s, %s, %s, %s) FROM queues WHERE id = %s FOR UPDATE",
        *queue[1:], queue.id,
    )  # fmt: skip
    mine = not differs or made_of in (None, there)
    if differs and mine:
        there += work.do(
            "UPDATE queues SET name = %s, blind = %s, is_open = %s, plan = %s, deleted = false, "
            "version = version + 1, xid = pg_current_xact_id() WHERE id = %s",
            *queue[1:], queue.id,
        )  # fmt: skip
    work.do(
        "INSERT INTO items(queue, person, place, evaluation, kind, chance) "
        "SELECT g.queue, g.person, g.place, e.id, g.kind, g.chance FROM unnest(%s::uuid[], "
        "%s::uuid[], %s::integer[], %s::text[], %s::text[], %s::text[], %s::float8[]) "
        f"AS g(queue, person, place, run, name, kind, chance) {PLACE} WHERE NOT EXISTS ("
        "SELECT 1 FROM pools p JOIN items i USING (queue, evaluation) WHERE p.queue = g.queue "
        "AND p.evaluation = e.id AND i.person = g.person) ON CONFLICT DO NOTHING",
        *columns(items, 7),
    )
    return int(there) if mine else None


def delete_queue(work: Work, number: UUID, made_of: int | None) -> int | None:
    """Delete a queue for all; its places stay for what was answered meanwhile.

    Returns:
        The version that is there now, None where another lead changed it since.
    """
    work.do(
        "UPDATE queues SET deleted = true, is_open = false, version = version + 1, "
        "xid = pg_current_xact_id() WHERE id = %s AND NOT deleted AND version = %s",
        number, made_of,
    )  # fmt: skip
    version = work.one("SELECT version FROM queues WHERE id = %s AND deleted", number)
    return None if version is None else int(version)


def put_document(work: Work, document: Document) -> bool:
    """Add a version; False where somebody else has added it before."""
    return bool(
        work.do(
            "INSERT INTO documents(kind, name, version, body, for_all) "
            "VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            *document,
        )
    )


def columns(rows: Iterable[Sequence[object]], count: int) -> list[str]:
    """Write columns as the database writes arrays, which the library does five times slower."""
    found: list[list[str]] = [[] for _ in range(count)]
    for row in rows:
        for column, value in zip(found, row, strict=True):
            column.append("NULL" if value is None else _element(str(value)))
    return [f"{{{','.join(column)}}}" for column in found]


def _element(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
