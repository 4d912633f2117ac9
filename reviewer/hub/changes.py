"""What becomes of records after they were sent: exclusions, tags, other texts, what is forgotten.

Each is a row of versions: one is added to the version it was made of, so that the second of two
leads is told. What is known on both sides is what came below a transaction, or in one's own.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from reviewer.hub.connecting import Work
from reviewer.hub.writing import PLACE, Evaluation, columns


class Fact(NamedTuple):
    """That an evaluation is `excluded` or has a `tag`, or is or has so no more.

    Attributes:
        what: The tag.
        body: Why and by whom; empty for who may not know.
    """

    run: str
    name: str
    kind: str
    what: str
    version: int
    present: bool
    body: str


class Text(NamedTuple):
    """Which text stands in the place of a record's first one; `key` is the record's number."""

    key: int
    run: str
    name: str
    version: int
    mark: str


_KNOWN: Final = "({0}.xid < %s::text::xid8 OR {0}.xid = ANY(%s::text[]::xid8[]))"


def _known(below: int, own: Iterable[int]) -> tuple[str, list[str]]:
    return str(below), [str(x) for x in own]


def transaction(work: Work) -> int:
    """Give the number of this transaction."""
    return int(work.one("SELECT pg_current_xact_id()::text"))


def anything_new(work: Work, table: str, since: int, until: int) -> bool:
    """Tell whether rows came into `facts` or `texts`."""
    query = f"SELECT 1 FROM {table} WHERE xid >= %s::text::xid8 AND xid < %s::text::xid8 LIMIT 1"
    return work.one(query, str(since), str(until)) is not None


def facts(
    work: Work, below: int, own: Iterable[int] = (), keys: Sequence[int] | None = None, *,
    as_lead: bool
) -> list[Fact]:  # fmt: skip
    """Give the newest of every fact that is known, of some evaluations where keys are given."""
    among = "" if keys is None else " AND f.evaluation = ANY(%s)"
    rows = work.rows(
        "SELECT DISTINCT ON (f.evaluation, f.kind, f.name) r.name, e.name, f.kind, f.name, "
        f"f.version, f.present, {'f.body' if as_lead else repr('')} FROM facts f "
        "JOIN evaluations e ON e.id = f.evaluation JOIN runs r ON r.id = e.run "
        f"WHERE NOT e.forgotten AND {_KNOWN.format('f')}{among} "
        "ORDER BY f.evaluation, f.kind, f.name, f.version DESC",
        *_known(below, own), *(() if keys is None else (list(keys),)),
    )  # fmt: skip
    return [Fact(*row) for row in rows]


def changed_facts(work: Work, since: int, until: int) -> list[int]:
    """Give the evaluations of which facts came that may be known."""
    rows = work.rows(
        "SELECT DISTINCT evaluation FROM facts WHERE xid >= %s::text::xid8 "
        "AND xid < %s::text::xid8",
        str(since), str(until),
    )  # fmt: skip
    return [key for (key,) in rows]


def put_facts(work: Work, given: Sequence[Fact]) -> int:
    """Add versions, and count them; one that somebody else has added before stays theirs."""
    return work.do(
        "INSERT INTO facts(evaluation, kind, name, version, present, body) "
        "SELECT e.id, g.kind, g.what, g.version, g.present, g.body FROM unnest(%s::text[], "
        "%s::text[], %s::text[], %s::text[], %s::integer[], %s::boolean[], %s::text[]) "
        f"AS g(run, name, kind, what, version, present, body) {PLACE} ON CONFLICT DO NOTHING",
        *columns(given, 7),
    )


def texts(work: Work, below: int, own: Iterable[int]) -> list[Text]:
    """Give the newest text that is known of every record whose first one was replaced."""
    rows = work.rows(
        "SELECT DISTINCT ON (t.evaluation) e.id, r.name, e.name, t.version, t.mark FROM texts t "
        "JOIN evaluations e ON e.id = t.evaluation JOIN runs r ON r.id = e.run "
        f"WHERE NOT e.forgotten AND {_KNOWN.format('t')} ORDER BY t.evaluation, t.version DESC",
        *_known(below, own),
    )
    return [Text(*row) for row in rows]


def any_text(work: Work) -> bool:
    """Tell whether any text was replaced."""
    return work.one("SELECT 1 FROM texts LIMIT 1") is not None


def versions(
    work: Work, places: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, list[int]]]:
    """Give which texts some records have had, those of one text alone left out.

    Returns:
        By run and id: the versions of each mark; the first text's mark is left to who reads it.
    """
    found: dict[tuple[str, str], dict[str, list[int]]] = {}
    for run, name, mark, version in work.rows(
        "SELECT g.run, g.name, t.mark, t.version FROM unnest(%s::text[], %s::text[]) "
        f"AS g(run, name) {PLACE} JOIN texts t ON t.evaluation = e.id ORDER BY t.version",
        *columns(places, 2),
    ):
        found.setdefault((run, name), {}).setdefault(mark, []).append(version)
    return found


def first_texts(
    work: Work, places: Sequence[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Give what labelers saw of records at first, by run and id."""
    for run, name, seen in work.rows(
        "SELECT g.run, g.name, e.seen FROM unnest(%s::text[], %s::text[]) "
        f"AS g(run, name) {PLACE}",
        *columns(places, 2),
    ):
        yield (run, name), seen


def put_text(work: Work, record: Evaluation, version: int, mark: str) -> bool:
    """Add what stands in a record's place now; False where somebody else came before."""
    return bool(
        work.do(
            "INSERT INTO texts(evaluation, version, mark, seen, whole) "
            "SELECT e.id, %s, %s, %s, %s "
            f"FROM (SELECT %s::text AS run, %s::text AS name) AS g {PLACE} ON CONFLICT DO NOTHING",
            version,
            mark,
            record.seen,
            record.whole,
            record.run,
            record.name,
        )
    )


def forgotten_records(work: Work, since: int, until: int) -> list[tuple[str, str]]:
    """Give run and id of the records that were forgotten."""
    rows = work.rows(
        "SELECT r.name, e.name FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.forgotten "
        "AND e.xid >= %s::text::xid8 AND e.xid < %s::text::xid8",
        str(since), str(until),
    )  # fmt: skip
    return [(run, name) for run, name in rows]


def forgotten_people(work: Work) -> list[UUID]:
    """Give the numbers of those whose names and words were forgotten."""
    return [number for (number,) in work.rows("SELECT id FROM people WHERE forgotten")]


def forget_record(work: Work, run: str, name: str) -> None:
    """Erase what a record and everything about it says, for everybody."""
    work.one("SELECT forget_record(%s, %s)", run, name)


def forget_person(work: Work, person: UUID) -> None:
    """Erase somebody's name and words, for everybody."""
    work.one("SELECT forget_person(%s)", person)
