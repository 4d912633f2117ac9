"""What leads do with queues of a shared project comes to all files."""

from reviewer.services.labelling import undo
from reviewer.services.queues import making, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.services.sharing.sharing_projects import Team

NAMES = "SELECT name FROM queues ORDER BY name"


def delete(team: Team, person: str, name: str) -> None:
    with team.session(person) as session:
        working.delete(session, working.find(session, name))


def queues_of(team: Team, name: str) -> list[str]:
    return [x for (x,) in team.asked(name, NAMES)]


def test_a_queue_that_is_deleted_is_deleted_for_all_and_answers_stay(team: Team) -> None:
    team.join("Ann")
    team.invite("Second", "lead")
    team.join("Second")
    team.label("Ann", "c-1", 3)
    team.sync("Ann")
    delete(team, "Lead", "For Ann")
    # given before one hears of it
    team.label("Ann", "c-2", 3)
    team.sync("Lead", "Second")
    assert "The queue For Ann was deleted by a lead; the answers stay." in team.sync("Ann").told
    team.sync("Lead", "Second", "Ann")
    for name in ("Lead", "Second"):
        assert queues_of(team, name) == ["For Ben"], name
        given = "SELECT count(*) FROM labels l JOIN labelers p ON p.id = l.labeler "
        assert team.asked(name, given + "WHERE p.name = 'Ann'") == [(6,)], name
    assert queues_of(team, "Ann") == []
    # who begins anew gets back what they answered, and no queue
    team.join("Ann", "laptop")
    assert queues_of(team, "laptop") == []
    assert team.entries("laptop") == team.entries("Ann")


def test_a_queue_that_was_brought_back_is_with_all_again(team: Team) -> None:
    team.join("Ann")
    delete(team, "Lead", "For Ann")
    team.sync("Lead", "Ann")
    with team.session("Lead") as session:
        undo.undo(session)
    team.sync("Lead", "Ann")
    assert queues_of(team, "Lead") == ["For Ann", "For Ben"]
    assert queues_of(team, "Ann") == ["For Ann"]
    assert team.asked("Ann", "SELECT count(*) FROM queue_items") == [(4,)]


def test_a_queue_that_another_lead_changed_meanwhile_comes_back(team: Team) -> None:
    team.join("Ann")
    team.invite("Second", "lead")
    team.join("Second")
    delete(team, "Lead", "For Ann")
    with team.session("Second") as session:
        working.rename(session, working.find(session, "For Ann"), "Of Ann")
    team.sync("Second")
    assert any("comes back as theirs" in x for x in team.sync("Lead").told)
    team.sync("Second", "Lead", "Ann")
    for name, wanted in (("Lead", ["For Ben", "Of Ann"]), ("Second", ["For Ben", "Of Ann"]),
                         ("Ann", ["Of Ann"])):  # fmt: skip
        assert queues_of(team, name) == wanted, name


def test_a_new_queue_is_not_taken_for_one_that_was_just_deleted(team: Team) -> None:
    team.join("Ann")
    team.invite("Second", "lead")
    team.join("Second")
    delete(team, "Second", "For Ben")
    with team.session("Second") as session:
        (key,) = session.project.conn.execute("SELECT min(id) FROM evaluations").fetchone()
        plan = QueuePlan(name="New", sampling=Sampling.CHOSEN, keys=(key,), labelers=("Ann",))
        making.create(session, plan)
    team.sync("Second", "Lead", "Ann")
    assert queues_of(team, "Second") == queues_of(team, "Lead") == ["For Ann", "New"]
    assert queues_of(team, "Ann") == ["For Ann", "New"]
