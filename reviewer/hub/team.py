"""What leads are told of how people work: looks before the answer, answers given twice, paces."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from reviewer.hub.connecting import Work

MOST: Final = 10_000
"""How many of a kind are read: what a hostile client adds must not fill a lead's memory."""
_PLACED: Final = "JOIN evaluations e ON e.id = x.evaluation JOIN runs r ON r.id = e.run"


class Twice(NamedTuple):
    """Two answers of one person, by their entries."""

    person: UUID
    run: str
    name: str
    metric: str
    here: UUID
    there: UUID


class Look(NamedTuple):
    """Somebody who asked to see before they answered."""

    person: UUID
    run: str
    name: str
    at: datetime


def show_pace(work: Work, *, shown: bool) -> None:
    """Say whether leads may see how long the answers of whoever asks take."""
    work.one("SELECT show_pace(%s)", shown)


def add_twice(work: Work, answers: Iterable[Twice]) -> None:
    """Keep answers of whoever asks that were given twice."""
    for one in answers:
        work.do(
            "INSERT INTO conflicts(person, evaluation, metric, here, there) "
            "SELECT %s, e.id, %s, %s, %s FROM evaluations e JOIN runs r ON r.id = e.run "
            "WHERE r.name = %s AND e.name = %s ON CONFLICT DO NOTHING",
            one.person, one.metric, one.here, one.there, one.run, one.name,
        )  # fmt: skip


def twice(work: Work) -> list[Twice]:
    """Give the answers that were given twice, of those whom whoever asks may know."""
    rows = work.rows(
        f"SELECT x.person, r.name, e.name, x.metric, x.here, x.there FROM conflicts x {_PLACED} "
        f"ORDER BY x.here LIMIT {MOST}"
    )
    return [Twice(*row) for row in rows]


def looks(work: Work, since: int, until: int) -> list[Look]:
    """Give who asked to see what between two transactions."""
    rows = work.rows(
        f"SELECT x.person, r.name, e.name, x.at FROM exposures x {_PLACED} "
        "WHERE x.xid >= %s::text::xid8 AND x.xid < %s::text::xid8 "
        f"ORDER BY x.at LIMIT {MOST}",
        str(since), str(until),
    )  # fmt: skip
    return [Look(*row) for row in rows]


def seated(work: Work) -> list[UUID]:
    """Give who has an account and was not taken out; for leads alone."""
    there = "account IS NOT NULL AND NOT removed"
    return [x for (x,) in work.rows(f"SELECT id FROM people WHERE {there} ORDER BY id")]


def paced(work: Work) -> list[UUID]:
    """Give who lets leads see how long their answers take."""
    return [x for (x,) in work.rows("SELECT id FROM people WHERE paced ORDER BY id")]
