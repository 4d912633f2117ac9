"""Queues of which whoever is free gets the next evaluation: what is given out, and who asks."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from reviewer.hub.connecting import Work
from reviewer.hub.writing import PLACE, columns


class Place(NamedTuple):
    """An evaluation that is given out, by run and id, to so many people."""

    run: str
    name: str
    kind: str
    chance: float | None
    people: int


class Claimed(NamedTuple):
    """A queue of which somebody asked for more.

    Attributes:
        is_empty: Whether nothing more was free.
        is_changed: Whether their places are others now.
    """

    name: str
    is_empty: bool
    is_changed: bool


def put(work: Work, queue: UUID, takers: Iterable[UUID], places: Iterable[Place]) -> None:
    """Let some people take the evaluations of a queue, in this order."""
    work.do("UPDATE queues SET takers = %s WHERE id = %s", list(takers), queue)
    work.do(
        "INSERT INTO pools(queue, place, evaluation, kind, chance, people) "
        "SELECT %s, g.n, e.id, g.kind, g.chance, g.people FROM unnest(%s::text[], %s::text[], "
        "%s::text[], %s::float8[], %s::integer[]) WITH ORDINALITY "
        f"AS g(run, name, kind, chance, people, n) {PLACE} ON CONFLICT DO NOTHING",
        queue, *columns(places, 5),
    )  # fmt: skip


def read(work: Work, queue: UUID) -> tuple[list[UUID], list[Place]]:
    """Give who may take the evaluations of a queue, and these in order; for leads."""
    ((takers,),) = work.rows("SELECT takers FROM queues WHERE id = %s", queue)
    rows = work.rows(
        "SELECT r.name, e.name, p.kind, p.chance, p.people FROM pools p "
        "JOIN evaluations e ON e.id = p.evaluation JOIN runs r ON r.id = e.run "
        "WHERE p.queue = %s AND NOT e.forgotten ORDER BY p.place",
        queue,
    )
    return takers, [Place(*row) for row in rows]


def claim(work: Work, most: int) -> list[Claimed]:
    """Take what is free, up to so many evaluations of each queue that are not answered."""
    return [Claimed(*row) for row in work.rows("SELECT * FROM claim(%s)", most)]
