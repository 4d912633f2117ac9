"""Servers that die and lines that break: nothing is lost, nothing comes twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.hub import writing
from reviewer.hub.address import UnreachableError
from reviewer.hub.connecting import Work
from reviewer.services.sharing import keeping, standing
from reviewer.services.sharing.states import SyncState
from tests.servers.postgres import Server, server
from tests.services.sharing.sharing_projects import Team, make_team


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    """A server that may be killed: the other tests' one lives on."""
    with server("-c fsync=on") as found:
        yield found


def test_a_server_that_dies_is_waited_for(mortal: Server, tmp_path: Path) -> None:
    team = make_team(mortal, tmp_path, "killed")
    team.join("Ann")
    team.label("Ann", "c-0", 2)
    team.sync("Ann")
    mortal.kill()
    team.label("Ann", "c-1", 3)
    with pytest.raises(UnreachableError, match="Nobody answers"):
        team.sync("Ann")
    with team.session("Ann") as session:
        assert "3 answers wait" in standing.standing(session.project).sentence
    mortal.start("-c fsync=on")
    assert team.sync("Ann").sent == 4
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")


class Presses:
    """Orders of somebody who wants the hub tried some times, one after the other."""

    def __init__(self, times: int) -> None:
        self.left = times

    @property
    def ended(self) -> bool:
        return self.left < 0

    def wait(self, seconds: float, line: int | None = None) -> bool:  # noqa: ARG002
        self.left -= 1
        return True

    def password(self, user: str) -> None:
        raise AssertionError(user)


def test_who_presses_off_line_waits_no_longer_for_the_next_try(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        text = session.project.setting("hub").replace(f":{team.server.port}/", ":9/")
        session.project.set_setting("hub", text)
    monkeypatch.setattr(keeping, "FIRST_S", 1_000.0)
    monkeypatch.setattr(keeping, "LONGEST_S", 100_000.0)
    told: list[SyncState] = []
    keeping.keep(team.files["Ann"], Presses(3), told.append)
    tries = [x.again_at for x in told if x.doing == "no line"]
    assert len(tries) == 4
    assert max(tries) - min(tries) < 100


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_line_that_breaks_between_two_batches(
    team: Team, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the hub has kept a batch, and after it did and nobody here heard of it."""
    team.join("Ann")
    for place in ("c-0", "c-1", "c-2"):
        team.label("Ann", place, 4)
    put = writing.put_entries
    cuts: list[int] = []

    def cut_off(work: Work, entries: Any, *, as_lead: bool) -> int:
        done = put(work, entries, as_lead=as_lead)
        if not cuts:
            cuts.append(done)
            key = work.one("SELECT pg_backend_pid()")
            if when == "after":
                work.do("COMMIT")
            with team.server.superuser() as conn:
                conn.execute("SELECT pg_terminate_backend(%s, 5000)", (key,))
        return done

    monkeypatch.setattr(writing, "MOST", 5)
    monkeypatch.setattr(writing, "put_entries", cut_off)
    with pytest.raises(UnreachableError, match=r"broke|shutting down"):
        team.sync("Ann")
    sent = team.sync("Ann").sent
    assert sent == (12 if when == "before" else 12 - cuts[0])
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")
    assert len([x for x in team.current("Lead") if x[3] == "Ann"]) == 9
