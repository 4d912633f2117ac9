"""A hub with a queue of which whoever is free gets the next evaluation, for Anna and Berta."""

from uuid import UUID

import psycopg

from reviewer.hub import claiming, writing
from reviewer.hub.claiming import Claimed, Place
from reviewer.hub.connecting import quoted, seen_of
from tests.hub.worlds import METRICS, World, entry, make_world, number
from tests.servers.postgres import Server

POOL = number("pool")
NAME = "Pool"
RUN = "pooled"
TAKERS = ("Anna", "Berta")


def make_pool(
    server: Server, database: str, count: int, people: int = 1, takers: tuple[str, ...] = TAKERS
) -> World:
    """So many evaluations of a run of their own, each for so many people."""
    world = make_world(server, database)
    with world.hub() as hub, hub.writing() as work:
        writing.put_run(work, writing.Run(RUN, "guest", list(METRICS)))
        records = [writing.Evaluation(RUN, f"p-{n}", f'{{"id": {n}}}', "{}") for n in range(count)]
        writing.put_evaluations(work, records)
        writing.put_queue(work, writing.Queue(POOL, NAME, True, True, "{}"), [])
        places = [Place(RUN, f"p-{n}", "label", 0.5, people) for n in range(count)]
        claiming.put(work, POOL, map(number, takers), places)
    return world


def user(world: World, name: str) -> str:
    return f"{name.lower()}_{world.address.database}"


def claim(world: World, name: str, most: int = 20) -> Claimed:
    with world.hub(user(world, name)) as hub, hub.writing() as work:
        (found,) = claiming.claim(work, most)
    return found


def answer(world: World, name: str, *places: str, metrics: tuple[str, ...] = METRICS) -> int:
    given = [entry(name, x, metric)._replace(run=RUN) for x in places for metric in metrics]
    with world.hub(user(world, name)) as hub, hub.writing() as work:
        return writing.put_entries(work, given, as_lead=False)


def has(world: World, name: str) -> list[str]:
    """What somebody reads to be theirs to answer, in order."""
    with world.hub(user(world, name)) as hub, hub.reading() as work:
        rows = work.rows(
            "SELECT e.name FROM items i JOIN evaluations e ON e.id = i.evaluation "
            "WHERE i.queue = %s AND i.place >= 0 ORDER BY i.place",
            POOL,
        )
    return [name for (name,) in rows]


def numbers(world: World, name: str) -> list[int]:
    with world.hub(user(world, name)) as hub, hub.reading() as work:
        rows = work.rows("SELECT place FROM items WHERE queue = %s ORDER BY place", POOL)
    return [place for (place,) in rows]


def pass_by(world: World, minutes: int, name: str | None = None) -> None:
    """Let so much time pass for what people hold and have answered, of everybody or of one."""
    with world.server.superuser(world.address.database) as conn:
        for table, column in (("items", "until"), ("complete", "at"), ("entries", "received")):
            conn.execute(
                f"UPDATE chats.{table} SET {column} = {column} - %s * interval '1 minute' "
                "WHERE %s::uuid IS NULL OR person = %s".encode(),
                (minutes, *(2 * (None if name is None else number(name),))),
            )


def psql(world: World, name: str) -> psycopg.Connection[tuple[object, ...]]:
    """The connection of somebody who goes around the program."""
    conn = world.server.connect(
        world.address.database, user(world, name), world.passwords[user(world, name)]
    )
    conn.execute(f"SET search_path TO {quoted(seen_of('chats'))}, chats".encode())
    return conn


def takers_of(world: World) -> dict[str, set[UUID]]:
    """Who holds or has answered each evaluation of the pool."""
    with world.hub() as hub, hub.reading() as work:
        rows = work.rows(
            "SELECT e.name, i.person FROM items i JOIN evaluations e ON e.id = i.evaluation "
            "WHERE i.queue = %s AND i.place >= 0",
            POOL,
        )
    found: dict[str, set[UUID]] = {}
    for name, person in rows:
        found.setdefault(name, set()).add(person)
    return found
