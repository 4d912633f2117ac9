"""What a lead forgets is forgotten on the hub and in every file, and comes back from none."""

import pytest

from reviewer.services.labelling import entering
from reviewer.services.sharing import link as links
from reviewer.services.sharing.forgetting import OPEN
from reviewer.services.upkeep import forgetting
from reviewer.store import reading
from tests.services.sharing.sharing_projects import Team

WORDS = "Xylophones were mentioned"
TEXT = "Answer 1."


@pytest.fixture
def everybody(team: Team) -> Team:
    team.invite("Second", "lead")
    for name in ("Second", "Ann", "Ben"):
        team.join(name)
    for name in ("Ann", "Ben"):
        team.label(name, "c-2", 3)
    team.label("Ann", "c-1", 2)
    with team.session("Ann") as session:
        for place in ("c-1", "c-2"):
            key = reading.find(session.project.conn, place)
            assert key is not None
            entering.comment(session, key, "safety", WORDS)
    team.sync("Ann", "Ben", "Lead", "Second", "Ann", "Ben")
    return team


def everything_there(team: Team) -> str:
    tables = ("evaluations", "entries", "scores", "texts", "facts", "people", "contents")
    with team.hub() as hub, hub.reading() as work:
        return repr([work.rows(f"SELECT * FROM {table}") for table in tables])


def bytes_of(team: Team, name: str) -> bytes:
    path = team.files[name]
    return b"".join(x.read_bytes() for x in sorted(path.parent.glob(f"{path.name}*")))


def forget(team: Team, *, record: str = "", person: str = "") -> forgetting.Forgotten:
    with team.session("Lead") as session:
        if record:
            return forgetting.forget_record(session, forgetting.find(session, record))
        return forgetting.forget_person(session, person)


def test_a_record_is_forgotten_everywhere_and_its_numbers_stay(everybody: Team) -> None:
    team = everybody
    before = team.on_hub()
    assert TEXT in everything_there(team)
    found = forget(team, record="one/c-1")
    assert "every other file" in found.sentence
    # an answer on a train to what is forgotten meanwhile
    team.label("Ann", "c-1", 5)
    team.sync("Lead", "Second", "Ann", "Ben")
    assert team.on_hub() == before
    there = everything_there(team)
    assert TEXT not in there
    assert "Answer 2." in there
    for name in ("Lead", "Second", "Ann"):
        assert TEXT.encode() not in bytes_of(team, name), name
        assert team.asked(name, "SELECT count(*) FROM evaluations WHERE ext_id = 'c-1'") == [(0,)]
    team.invite("Third", "lead")
    got = team.join("Third")
    assert (got.pulled.evaluations, got.pulled.missing, got.pulled.refused) == (5, 0, [])
    for name in ("Lead", "Second", "Ann", "Ben", "Third"):
        again = team.sync(name)
        assert (again.sent, again.left, again.told) == (0, 0, []), name
    assert team.entries("Lead") == team.entries("Second") == team.entries("Third")


def test_what_is_forgotten_while_a_round_is_under_way_reaches_the_hub(everybody: Team) -> None:
    team = everybody
    with team.session("Lead") as session:
        begun = links.must(session.project)
    forget(team, record="one/c-1")
    with team.session("Lead") as session:
        links.follow(session.project, begun)
    team.sync("Lead")
    assert TEXT not in everything_there(team)


def test_a_persons_name_and_words_are_forgotten_everywhere(everybody: Team) -> None:
    team = everybody
    before, count = team.on_hub(), len(team.current("Second"))
    assert WORDS in everything_there(team)
    forget(team, person="Ann")
    team.sync("Lead", "Second", "Ben")
    there = everything_there(team)
    assert WORDS not in there
    assert "'Ann'" not in there
    assert team.on_hub() == before
    for name in ("Lead", "Second", "Ben"):
        assert WORDS.encode() not in bytes_of(team, name), name
        assert team.asked(name, "SELECT count(*) FROM labelers WHERE name = 'Ann'") == [(0,)]
    assert len(team.current("Second")) == count
    team.invite("Third", "lead")
    got = team.join("Third")
    assert got.pulled.refused == []
    assert len(team.current("Third")) == count


def test_a_file_that_is_read_elsewhere_is_cleaned_the_next_time(everybody: Team) -> None:
    team = everybody
    forget(team, record="one/c-1")
    team.sync("Lead")
    query = "SELECT count(*) FROM evaluations WHERE ext_id = 'c-1'"
    with team.session("Second") as window:
        conn = window.project.conn
        conn.execute("BEGIN")
        assert conn.execute(query).fetchone() == (1,)
        assert OPEN in team.sync("Second").told
        conn.execute("COMMIT")
        assert conn.execute(query).fetchone() == (0,)
    assert team.sync("Second").told == []
    assert TEXT.encode() not in bytes_of(team, "Second")


def test_what_a_labeler_forgets_stays_with_the_others(everybody: Team) -> None:
    team = everybody
    with team.session("Ann") as session:
        found = forgetting.forget_record(session, forgetting.find(session, "one/c-1"))
    assert not found.shared
    team.sync("Ann", "Lead")
    assert TEXT in everything_there(team)
