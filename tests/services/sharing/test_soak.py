"""People at work beside a server that is killed and lines that are cut; in full: the bench."""

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.hub.address import UnreachableError
from tests.bench import hub_people
from tests.bench.hub_people import Person
from tests.servers.frail_line import FrailLine, frail_line
from tests.servers.postgres import Server, server
from tests.services.sharing.sharing_projects import Team, make_team

KILLS, CUTS, ROUNDS = 2, 12, 8
FSYNC = "-c fsync=on"


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    with server(FSYNC) as found:
        yield found


def person(team: Team, name: str, port: int | None = None) -> Person:
    user, password = team.words[name]
    place = team.address._replace(user=user, port=port or team.address.port)
    return Person(name, team.files[name], place.text, password)


class Worker(threading.Thread):
    """Answers in rounds and sends after each, through whatever happens to the line."""

    def __init__(self, who: Person) -> None:
        super().__init__()
        self.who = who
        self.broken = 0
        self.wrong: list[BaseException] = []
        self.over = threading.Event()

    def run(self) -> None:
        chance = random.Random(self.who.name)  # noqa: S311
        try:
            with self.who.session() as session:
                query = "SELECT id FROM evaluations"
                keys = [k for (k,) in session.project.conn.execute(query)]
                while not self.over.is_set():
                    hub_people.press(session, chance.sample(keys, 2), chance)
                    try:
                        self.who.sync(session)
                    except UnreachableError:
                        self.broken += 1
        except BaseException as error:
            self.wrong.append(error)
            raise


def harm(mortal: Server, line: FrailLine) -> None:
    chance = random.Random(3)  # noqa: S311
    for number in range(KILLS):
        cuts, until = 0, time.monotonic() + 8
        while cuts < CUTS // KILLS and time.monotonic() < until:
            cuts += line.cut(chance)
            time.sleep(chance.random() / 10)
        assert cuts == CUTS // KILLS, number
        mortal.kill()
        mortal.start(FSYNC)


def test_nothing_is_lost_and_nothing_comes_twice(mortal: Server, tmp_path: Path) -> None:
    team = make_team(mortal, tmp_path, "soak")
    team.invite("Second", "lead")
    for name in ("Ann", "Ben", "Second"):
        team.join(name)
    with frail_line(mortal.port) as line:
        workers = [Worker(person(team, name, line.port)) for name in team.files]
        for one in workers:
            one.start()
        try:
            harm(mortal, line)
        finally:
            for one in workers:
                one.over.set()
        for one in workers:
            one.join()
    assert not any(one.wrong for one in workers)
    assert sum(one.broken for one in workers) >= KILLS
    team.sync(*team.files, *team.files)
    there = hub_people.on_hub(mortal, "soak")
    people, leads = (("Ann", "Ben"), ("Lead", "Second"))
    assert hub_people.differences(
        there, [person(team, x) for x in people], [person(team, x) for x in leads]
    ) == []  # fmt: skip
    assert team.current("Lead") == team.current("Second")
