"""The process that keeps a project in step: what one answers is at the others a moment later."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.servers.postgres import Server, server
from tests.servers.synced import Kept, kept
from tests.services.sharing.sharing_projects import Team, make_team
from tests.services.sharing.test_claims import PLACES, give_out, places


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server that may be killed and filled: the other tests' one lives on."""
    with server() as found:
        yield found


@pytest.fixture
def team(own_server: Server, tmp_path: Path, request: pytest.FixtureRequest) -> Team:
    made = make_team(own_server, tmp_path, f"kept_{abs(hash(request.node.name)) % 10**8}")
    made.join("Ann")
    return made


def kept_of(team: Team, name: str) -> AbstractContextManager[Kept]:
    return kept(team.files[name], team.words[name][1])


def labels_of(team: Team, name: str, labeler: str) -> int:
    query = "SELECT count(*) FROM labels l JOIN labelers p ON p.id = l.labeler WHERE p.name = "
    found: int = team.asked(name, f"{query}'{labeler}'")[0][0]
    return found


def test_what_one_answers_is_at_the_lead_within_two_seconds(team: Team) -> None:
    with kept_of(team, "Lead") as lead, kept_of(team, "Ann") as ann:
        lead.wait_for("in step")
        ann.wait_for("in step")
        took = []
        for value in (1, 2, 3, 4, 5):
            before = labels_of(team, "Lead", "Ann")
            team.label("Ann", "c-0", value, "safety")
            began = time.monotonic()
            while labels_of(team, "Lead", "Ann") == before:
                assert time.monotonic() - began < 20
                time.sleep(0.02)
            took.append(time.monotonic() - began)
        assert ann.end()["doing"] == "off"
    assert sorted(took)[2] < 2.0


def test_what_is_free_is_taken_and_that_nothing_more_is_is_told(team: Team) -> None:
    team.join("Ben")
    give_out(team)
    team.sync("Lead")
    with kept_of(team, "Ann") as ann:
        ann.wait_for("in step")
        assert sorted(places(team, "Ann", "Ann")) == PLACES
        # fewer than she may hold: there is no more
        assert ann.last["empty"] == ["Pool"]
    with kept_of(team, "Ben") as ben:
        assert ben.wait_for(lambda x: bool(x["empty"]))["empty"] == ["Pool"]
    assert places(team, "Ben", "Ben") == []
