"""What leads are told of how people work, and nobody else."""

from reviewer.services.labelling import entering
from reviewer.services.project import pace
from reviewer.services.queues import profiles, working
from reviewer.services.queues import team as progress
from reviewer.services.sharing import taking_part
from reviewer.services.sharing import team as told
from reviewer.services.sharing.team import AnsweredTwice, LookedBefore
from reviewer.store import reading
from tests.building import undone
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team


def twice(team: Team, name: str) -> list[AnsweredTwice]:
    with team.session(name) as session:
        return told.answered_twice(session)


def looks(team: Team, name: str) -> list[LookedBefore]:
    with team.session(name) as session:
        return told.looked_before(session)


def paces(team: Team, name: str) -> dict[str, tuple[bool, bool]]:
    """Whose pace may be seen, and whose is."""
    with team.session(name) as session:
        return {
            x.name: (x.is_paced, x.seconds_each is not None) for x in progress.members(session)
        }


def test_answers_of_two_computers_are_listed_to_leads_with_the_one_that_counts(team: Team) -> None:
    team.join("Ann")
    team.join("Ann", "laptop")
    team.join("Ben")
    team.label("Ann", "c-2", 2, "safety")
    team.label("laptop", "c-2", 4, "safety")
    team.sync("Ann", "laptop", "Ben")
    assert twice(team, "Lead") == []
    team.sync("Lead")
    (found,) = twice(team, "Lead")
    assert (found.id, found.labeler, found.answers, found.counts, found.since) == (
        "c-2", "Ann", ("2", "4"), "4", False,
    )  # fmt: skip
    with team.session("Lead") as session:
        assert reading.find(session.project.conn, "c-2") == found.key
    # the computer that met it knows, too; somebody else does not
    assert [x.id for x in twice(team, "laptop")] == ["c-2"]
    team.sync("Ben", "Ann")
    assert twice(team, "Ben") == []
    team.label("Ann", "c-2", 1, "safety")
    team.sync("Ann", "Lead", "Lead")
    (found,) = twice(team, "Lead")
    assert (found.answers, found.counts, found.since) == (("2", "4"), "1", True)


def test_an_answer_that_was_taken_back_after_it_was_sent_is_no_second_computer(
    team: Team,
) -> None:
    """What others say of it comes with one's own answers, the one taken back among them."""
    team.join("Ann")
    team.label("Ann", "c-2", 2, *METRICS)
    team.sync("Ann")
    with team.session("Ann") as session:
        undone(session)
    sent = team.sync("Ann")
    assert (sent.pulled.labels > 0, sent.pulled.conflicts) == (True, [])
    team.label("Ann", "c-2", 4, METRICS[-1])
    team.sync("Ann", "Lead")
    assert twice(team, "Ann") == twice(team, "Lead") == []


def test_what_was_known_before_makes_no_second_computer(team: Team) -> None:
    team.join("Ann")
    team.join("Ann", "laptop")
    team.label("Ann", "c-2", 2, "safety")
    team.sync("Ann", "laptop")
    with team.session("laptop") as session:
        key = reading.find(session.project.conn, "c-2")
        assert key is not None
        entering.comment(session, key, "safety", "odd")
    team.sync("laptop")
    team.label("Ann", "c-2", 3, "safety")
    assert team.sync("Ann").pulled.conflicts == []
    team.sync("laptop", "Lead")
    assert twice(team, "Ann") == twice(team, "laptop") == twice(team, "Lead") == []


def test_a_second_lead_is_told_the_same(team: Team) -> None:
    team.join("Ann")
    team.join("Ann", "laptop")
    team.label("Ann", "c-2", 2, "safety")
    team.label("laptop", "c-2", 4, "safety")
    team.sync("Ann", "laptop")
    team.invite("Second", "lead")
    team.join("Second")
    assert [x.answers for x in twice(team, "Second")] == [("2", "4")]


def test_who_asked_to_see_is_told_to_leads_even_where_no_entry_says_so(team: Team) -> None:
    team.join("Ann")
    team.join("Ben")
    with team.session("Ann") as session:
        key = reading.find(session.project.conn, "c-1")
        assert key is not None
        entering.reveal(session, key)
    team.sync("Ann")
    with team.hub("Ben") as hub, hub.writing() as work:
        work.one("SELECT reveal('one', 'c-3')")
    team.sync("Lead", "Lead", "Ben")
    assert {(x.id, x.labeler) for x in looks(team, "Lead")} == {("c-1", "Ann"), ("c-3", "Ben")}
    assert all(x.at for x in looks(team, "Lead"))
    assert [x.labeler for x in looks(team, "Ann")] == ["Ann"]
    assert [x.labeler for x in looks(team, "Ben")] == []


def test_a_pace_is_seen_where_its_person_agrees(team: Team) -> None:
    team.join("Ann")
    team.join("Ben")
    for name in ("Ann", "Ben"):
        for place in ("c-2", "c-3"):
            for value in (2, 3, 4):
                team.label(name, place, value)
    for place in ("c-0", "c-1"):
        team.label("Ann", place, 3)
    for place in ("c-4", "c-5"):
        team.label("Ben", place, 3)
    team.sync("Ann", "Ben", "Lead")
    assert paces(team, "Ann")["Ann"] == (True, True)
    nobodys = {"Ann": (False, False), "Ben": (False, False)}
    assert {x: paces(team, "Lead")[x] for x in nobodys} == nobodys
    with team.session("Lead") as session:
        for one in working.every(session):
            assert [x.seconds_each for x in working.progress(session, one.queue)] == [None]
    with team.session("Ann") as session:
        pace.show(session, shown=True)
    team.sync("Ann", "Lead", "Ben")
    assert paces(team, "Lead")["Ann"] == (True, True)
    assert paces(team, "Lead")["Ben"] == (False, False)
    assert paces(team, "Ben")["Ann"] == (False, False)
    with team.session("Ann") as session:
        pace.show(session, shown=False)
    team.sync("Ann", "Lead")
    assert paces(team, "Lead")["Ann"] == (False, False)


def test_nobody_shows_the_pace_of_somebody_else(team: Team) -> None:
    team.join("Ann")
    with team.hub("Ann") as hub, hub.writing() as work:
        assert work.one("SELECT count(*) FROM people WHERE name = 'Ben'") == 1
        work.one("SELECT show_pace(true)")
    team.sync("Lead")
    assert [x for x, (may, _) in paces(team, "Lead").items() if may] == ["Ann", "Lead"]


def test_how_far_everybody_is(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-1", 3)
    team.sync("Ann", "Lead")
    with team.session("Lead") as session:
        found = {x.name: x for x in progress.members(session)}
    assert (found["Ann"].done, found["Ann"].total) == (1, 4)
    assert (found["Ben"].done, found["Ben"].total, found["Ben"].last_us) == (0, 4, None)
    assert found["Ann"].last_us is not None


def test_a_queue_is_first_thought_for_those_who_have_an_account(team: Team) -> None:
    team.sync("Lead")
    with team.session("Lead") as session:
        offered = {x.name for x in profiles.dealt_to(session)}
        assert offered == {"Ann", "Ben", "Lead", "Other Person"}
        assert profiles.labelling(session) == ("Ann", "Ben")
    with team.hub() as hub:
        taking_part.remove(hub, "Ann")
    team.sync("Lead")
    team.invite("Zoe")
    with team.session("Lead") as session:
        assert profiles.labelling(session) == ("Ben", "Zoe")
