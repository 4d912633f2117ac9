"""A reveal in a shared project is the hub's to give, and is kept there first."""

import pytest

from reviewer.hub.address import HubError
from reviewer.services.project import reading
from reviewer.services.sharing import revealing
from reviewer.store import reading as stored
from tests.services.sharing.sharing_projects import Team

SCORES = "SELECT e.ext_id, count(*) FROM scores s JOIN evaluations e ON e.id = s.evaluation"


def reveal(team: Team, name: str, place: str) -> None:
    with team.session(name) as session, team.hub(name) as hub:
        key = stored.find(session.project.conn, place)
        assert key is not None
        assert reading.view(session, key).judged
        revealing.reveal(session, hub, key)
        assert not reading.view(session, key).hidden
        assert reading.view(session, key).auto


def test_the_hub_keeps_who_asked_and_gives_the_scores_of_that_alone(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        assert revealing.asks(session)
    with team.session("Lead") as session:
        assert not revealing.asks(session)
    reveal(team, "Ann", "c-1")
    assert team.asked("Ann", f"{SCORES} GROUP BY 1") == [("c-1", 3)]
    with team.hub() as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM exposures") == 1
    assert team.sync("Ann").sent == 1
    team.label("Ann", "c-1", 3)
    team.sync("Ann", "Lead")
    seen = [x[7] for x in team.current("Lead") if x[3] == "Ann"]
    assert seen == [0, 0, 0]


def test_what_the_project_does_not_open_stays_closed_and_unmarked(team: Team) -> None:
    team.join("Ann")
    with team.hub() as hub, hub.writing() as work:
        work.do("UPDATE hub SET opens = false")
    with pytest.raises(HubError, match="only once it is answered"):
        reveal(team, "Ann", "c-1")
    assert team.asked("Ann", f"{SCORES} GROUP BY 1") == []
    assert team.asked("Ann", "SELECT count(*) FROM marks") == [(0,)]
