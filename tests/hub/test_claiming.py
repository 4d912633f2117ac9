"""Whoever is free gets the next evaluation, and nobody gets what is full."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg import errors

from reviewer.hub import claiming, making, writing
from reviewer.hub.address import HubError
from tests.hub.pooled import (
    NAME,
    POOL,
    RUN,
    answer,
    claim,
    has,
    make_pool,
    numbers,
    pass_by,
    psql,
    takers_of,
    user,
)
from tests.hub.worlds import METRICS, World, entry, number
from tests.servers.postgres import Server


def test_two_get_different_evaluations_each_in_the_order_of_the_pool(postgres: Server) -> None:
    world = make_pool(postgres, "pool_two", 6)
    assert claim(world, "Anna", 4) == (NAME, False, True)
    assert claim(world, "Berta", 4) == (NAME, True, True)
    assert has(world, "Anna") == ["p-0", "p-1", "p-2", "p-3"]
    assert has(world, "Berta") == ["p-4", "p-5"]
    assert numbers(world, "Berta") == [0, 1]
    with world.hub(user(world, "Berta")) as hub, hub.reading() as work:
        texts = work.rows("SELECT seen FROM evaluations WHERE seen LIKE '{\"id\": _}' ORDER BY id")
    assert texts == [('{"id": 4}',), ('{"id": 5}',)]


def test_more_come_only_after_half_of_what_is_held_is_answered(postgres: Server) -> None:
    world = make_pool(postgres, "pool_half", 30)
    claim(world, "Anna", 4)
    answer(world, "Anna", "p-0")
    assert claim(world, "Anna", 4) == (NAME, False, False)
    answer(world, "Anna", "p-1")
    assert claim(world, "Anna", 4) == (NAME, False, True)
    assert has(world, "Anna") == [f"p-{n}" for n in range(6)]


def test_so_many_people_as_are_wanted_get_each(postgres: Server) -> None:
    world = make_pool(postgres, "pool_overlap", 3, 2, ("Anna", "Berta", "Lead"))
    for name in ("Anna", "Berta"):
        assert claim(world, name) == (NAME, True, True)
        assert len(has(world, name)) == 3
    with world.hub() as hub, hub.writing() as work:
        assert claiming.claim(work, 20) == [(NAME, True, False)]


@pytest.mark.parametrize("people", [1, 2])
def test_many_who_ask_at_once_never_get_what_is_full(postgres: Server, people: int) -> None:
    count, names = 60, ("Anna", "Berta", "Lead")
    world = make_pool(postgres, f"pool_race_{people}", count, people, names)
    start = threading.Barrier(6)

    def ask(name: str) -> None:
        with world.hub(user(world, name) if name != "Lead" else "owner") as hub:
            start.wait()
            for _ in range(15):
                with hub.writing() as work:
                    claiming.claim(work, 4)
                with hub.reading() as work:
                    rows = work.rows(
                        "SELECT e.name FROM items i JOIN evaluations e ON e.id = i.evaluation "
                        "WHERE i.queue = %s AND i.person = %s",
                        POOL, number(name),
                    )  # fmt: skip
                given = [
                    entry(name, place, x)._replace(run=RUN) for (place,) in rows for x in METRICS
                ]
                with hub.writing() as work:
                    writing.put_entries(work, given, as_lead=name == "Lead")

    # everybody from two computers
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(ask, names * 2))
    found = takers_of(world)
    assert len(found) == count
    assert {len(them) for them in found.values()} == {people}


def test_the_last_one_goes_to_one_of_two(postgres: Server) -> None:
    world = make_pool(postgres, "pool_last", 1)
    with world.hub(user(world, "Anna")) as anna, world.hub(user(world, "Berta")) as berta:
        with anna.writing() as first:
            assert claiming.claim(first, 20)[0].is_changed
            with ThreadPoolExecutor(1) as pool:

                def ask() -> list[claiming.Claimed]:
                    with berta.writing() as work:
                        return claiming.claim(work, 20)

                # she waits for whoever asked before, and no longer than two seconds
                assert pool.submit(ask).result(timeout=10) == []
        with berta.writing() as second:
            assert claiming.claim(second, 20) == [(NAME, True, False)]


def test_what_is_not_answered_in_time_goes_to_others_and_is_still_answered(
    postgres: Server,
) -> None:
    world = make_pool(postgres, "pool_lease", 4)
    claim(world, "Anna")
    pass_by(world, 19)
    assert claim(world, "Berta") == (NAME, True, False)
    pass_by(world, 2)
    assert claim(world, "Berta", 2) == (NAME, False, True)
    assert has(world, "Berta") == ["p-0", "p-1"]
    # what nobody else took stays hers, and what Berta took leaves
    assert claim(world, "Anna") == (NAME, True, True)
    assert has(world, "Anna") == ["p-2", "p-3"]
    assert numbers(world, "Anna") == [-2, -1, 2, 3]
    # off line she answered one of them
    assert answer(world, "Anna", "p-0") == len(METRICS)
    assert has(world, "Anna") == ["p-0", "p-2", "p-3"]
    answer(world, "Berta", "p-0")
    assert claim(world, "Anna").is_changed is False


def test_what_was_begun_stays_with_whoever_began_it(postgres: Server) -> None:
    world = make_pool(postgres, "pool_begun", 2)
    claim(world, "Anna")
    answer(world, "Anna", "p-0", metrics=METRICS[:1])
    pass_by(world, 21)
    claim(world, "Berta")
    claim(world, "Anna")
    assert has(world, "Anna") == ["p-0"]
    assert has(world, "Berta") == ["p-0", "p-1"]


def test_whoever_works_keeps_what_they_hold(postgres: Server) -> None:
    world = make_pool(postgres, "pool_work", 6)
    claim(world, "Anna")
    pass_by(world, 15)
    answer(world, "Anna", "p-0")
    claim(world, "Anna")
    pass_by(world, 15)
    assert claim(world, "Berta") == (NAME, True, False)
    # whoever only asks keeps nothing for longer
    claim(world, "Anna")
    pass_by(world, 21)
    claim(world, "Anna")
    assert claim(world, "Berta", 3) == (NAME, False, True)


def test_what_is_free_again_comes_back_under_its_number(postgres: Server) -> None:
    world = make_pool(postgres, "pool_back", 2)
    claim(world, "Anna", 2)
    pass_by(world, 21)
    claim(world, "Berta", 2)
    claim(world, "Anna", 2)
    assert numbers(world, "Anna") == [-2, -1]
    pass_by(world, 21)
    claim(world, "Anna", 2)
    assert has(world, "Anna") == ["p-0", "p-1"]
    assert numbers(world, "Anna") == [0, 1]


def test_a_closed_queue_gives_nothing_and_an_open_one_again(postgres: Server) -> None:
    world = make_pool(postgres, "pool_closed", 4)

    def state(*, is_open: bool) -> None:
        with world.hub() as hub, hub.writing() as work:
            writing.put_queue(work, writing.Queue(POOL, NAME, True, is_open, "{}"), [])

    state(is_open=False)
    with world.hub(user(world, "Anna")) as hub, hub.writing() as work:
        assert claiming.claim(work, 20) == []
    state(is_open=True)
    assert claim(world, "Anna").is_changed


def test_who_was_taken_out_asks_in_vain_and_holds_nothing_for_long(postgres: Server) -> None:
    world = make_pool(postgres, "pool_removed", 3)
    claim(world, "Anna")
    with world.hub(user(world, "Anna")) as hub:
        with world.hub() as lead:
            making.remove(lead, "Anna")
        with pytest.raises(HubError), hub.writing() as work:
            claiming.claim(work, 20)
    pass_by(world, 21)
    assert claim(world, "Berta") == (NAME, True, True)
    assert has(world, "Berta") == ["p-0", "p-1", "p-2"]


def test_what_is_forgotten_is_given_to_nobody(postgres: Server) -> None:
    world = make_pool(postgres, "pool_forgotten", 3)
    claim(world, "Anna", 1)
    with world.hub() as hub, hub.writing() as work:
        for place in ("p-0", "p-1"):
            work.one("SELECT forget_record(%s, %s)", RUN, place)
    claim(world, "Anna", 1)
    assert has(world, "Anna") == ["p-0", "p-2"]


def test_a_lead_who_sends_a_queue_again_gives_nothing_back(postgres: Server) -> None:
    """A file of a lead that has not heard what left somebody's places sends them as it knew."""
    world = make_pool(postgres, "pool_sent", 2)
    claim(world, "Anna")
    pass_by(world, 21)
    claim(world, "Berta")
    claim(world, "Anna")
    items = [writing.Item(POOL, number("Anna"), n, RUN, f"p-{n}", "label", 0.5) for n in range(2)]
    with world.hub() as hub, hub.writing() as work:
        writing.put_queue(work, writing.Queue(POOL, "Other", True, True, "{}"), items)
    assert has(world, "Anna") == []
    assert has(world, "Berta") == ["p-0", "p-1"]


HIDDEN = {
    "what is given out": "SELECT * FROM chats.pools",
    "how much is": "SELECT count(*) FROM chats.pools",
    "how a question for it goes": "EXPLAIN ANALYZE SELECT 1 FROM chats.pools WHERE done",
    "who takes part": "SELECT takers FROM chats.queues",
    "until when others hold": "SELECT until FROM chats.items",
    "who holds what": "SELECT chats.taken(id, '{}', 1) FROM queues",
    "give oneself more": "INSERT INTO chats.items(queue, person, place, evaluation, kind) "
    f"SELECT '{POOL}', me(), 90, e.id, 'label' FROM generate_series(1, 12) AS e(id)",
    "hold it for ever": "UPDATE chats.items SET until = 'infinity'",
    "take away from others": "UPDATE chats.items SET place = -1 - place",
    "take no end of it": "DELETE FROM chats.items",
    "let oneself take part": "UPDATE chats.queues SET takers = takers || me()",
    "add to the pool": f"INSERT INTO chats.pools VALUES ('{POOL}', 0, 1, 'label', 1, 9)",
    "close it": "UPDATE chats.pools SET done = true",
    "answer what is not hers": "INSERT INTO chats.entries(person, id, evaluation, sort, kind, "
    "place, body) SELECT me(), gen_random_uuid(), e.id, 'label', 'label', 0, '1' "
    "FROM generate_series(1, 99) AS e(id)",
}


@pytest.fixture(scope="module")
def hostile(postgres: Server) -> World:
    world = make_pool(postgres, "pool_hostile", 80)
    claim(world, "Berta", 4)
    return world


@pytest.mark.parametrize("what", HIDDEN)
def test_what_only_the_hub_may_is_refused(hostile: World, what: str) -> None:
    with psql(hostile, "Anna") as anna, pytest.raises(errors.InsufficientPrivilege):
        anna.execute(HIDDEN[what].encode())


def test_nobody_holds_more_than_fifty_whatever_they_ask_for(hostile: World) -> None:
    with psql(hostile, "Anna") as anna:
        for most in ("2147483647", "NULL", "-5", "50"):
            anna.execute(f"SELECT * FROM claim({most})".encode())
        there = anna.execute("SELECT count(*), count(DISTINCT place), max(place) FROM items "
                             f"WHERE queue = '{POOL}'".encode()).fetchone()  # fmt: skip
    assert there == (50, 50, 49)


def test_from_an_earlier_moment_nothing_is_taken(hostile: World) -> None:
    with psql(hostile, "Anna") as anna:
        anna.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        with pytest.raises(errors.InsufficientPrivilege):
            anna.execute("SELECT * FROM claim(20)")
        anna.execute("ROLLBACK")


def test_her_own_places_look_the_same_whatever_others_do(postgres: Server) -> None:
    told = []
    for nth, before in enumerate((0, 7)):
        world = make_pool(postgres, f"pool_same_{nth}", 20)
        with world.server.superuser(world.address.database) as conn:
            conn.execute("UPDATE chats.pools SET kind = 'gold' WHERE place % 2 = 0")
        claim(world, "Berta", before)
        with psql(world, "Anna") as anna:
            told.append(
                [
                    anna.execute(query.encode()).fetchall()
                    for query in (
                        "SELECT * FROM claim(5)",
                        f"SELECT queue, person, place FROM items WHERE queue = '{POOL}'",
                        "SELECT id, name, blind, is_open FROM queues",
                        "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) "
                        f"SELECT place FROM items WHERE queue = '{POOL}'",
                    )
                ]
            )
            columns = anna.execute("SELECT * FROM items LIMIT 0").description
    assert told[0] == told[1]
    assert [x.name for x in columns or ()] == ["queue", "person", "place", "evaluation", "xid"]
