"""Queues that are given out, from the lead's plan to the places of whoever is free."""

from typing import Any

import pytest

from reviewer.domain.errors import QueueError
from reviewer.hub import making as hubs
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.queues import bulk_acts, making, pools, profiles, validation, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.queues.pools import PoolProgress
from reviewer.services.queues.team import members
from reviewer.services.sharing import claims, standing, taking_part
from reviewer.store import reading
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team

POOL = "Pool"
PLACES = [f"c-{n}" for n in range(6)]


@pytest.fixture(autouse=True)
def _two_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "AHEAD", 2)


def give_out(team: Team, **fields: Any) -> None:
    plan = {"name": POOL, "assignment": "free", "labelers": ("Ann", "Ben")} | fields
    with team.session("Lead") as session:
        making.create(session, QueuePlan(**plan))


def places(team: Team, file: str, name: str) -> list[str]:
    """The evaluations that somebody has of the pool in a file."""
    return [
        x
        for (x,) in team.asked(
            file,
            "SELECT e.ext_id FROM queue_items i JOIN evaluations e ON e.id = i.evaluation "
            f"JOIN queues q ON q.id = i.queue JOIN labelers p ON p.id = i.labeler "
            f"WHERE q.name = '{POOL}' AND p.name = '{name}' ORDER BY i.position",
        )
    ]


def progress(team: Team, file: str = "Lead") -> PoolProgress | None:
    with team.session(file) as session:
        return pools.progress(session, working.find(session, POOL))


def pass_by(team: Team, minutes: int) -> None:
    with team.server.superuser(team.address.database) as conn:
        for table, column in (("items", "until"), ("complete", "at"), ("entries", "received")):
            query = f"UPDATE chats.{table} SET {column} = {column} - interval '1 minute' * %s"
            conn.execute(query.encode(), (minutes,))


def test_whoever_is_free_gets_the_next_one(team: Team) -> None:
    give_out(team)
    assert progress(team) == PoolProgress(6, 0, 6)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    first, second = places(team, "Ann", "Ann"), places(team, "Ben", "Ben")
    assert len(first) == len(second) == 2
    for place in first:
        team.label("Ann", place, 4)
    team.sync("Ann", "Ann")
    more = places(team, "Ann", "Ann")
    assert more[:2] == first
    assert len(more) == 4
    assert not set(more) & set(second)
    team.sync("Lead")
    assert places(team, "Lead", "Ann") == more
    assert places(team, "Lead", "Ben") == second
    assert progress(team) == PoolProgress(6, 2, 0)


def test_what_a_lead_excludes_is_given_to_nobody_until_it_is_taken_back(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    (held, *_) = places(team, "Ann", "Ann")
    with team.session("Lead") as session:
        keys = [key for (key,) in session.project.conn.execute(
            "SELECT id FROM evaluations WHERE ext_id IN ('c-2', 'c-3', ?)", (held,))]  # fmt: skip
        bulk_acts.exclude(session, keys, "not in German")
    team.sync("Lead")
    for _ in range(4):
        for place in places(team, "Ann", "Ann"):
            team.label("Ann", place, 4)
        team.sync("Ann")
    assert sorted(places(team, "Ann", "Ann")) == ["c-0", "c-1", "c-4", "c-5"]
    with team.session("Lead") as session:
        bulk_acts.include(session, keys)
    team.sync("Lead", "Ann")
    assert sorted(places(team, "Ann", "Ann")) == PLACES


def test_how_it_was_drawn_comes_to_the_labels_at_the_lead_and_not_to_labelers(team: Team) -> None:
    give_out(team, sampling=Sampling.RANDOM, n=3, seed=5)
    team.sync("Lead")
    team.join("Ann")
    for place in places(team, "Ann", "Ann"):
        team.label("Ann", place, 4)
    team.sync("Ann", "Lead")
    drawn = "SELECT DISTINCT selection_reason, selection_prob FROM labels"
    assert ("random", 0.5) in team.asked("Lead", drawn)
    assert team.asked("Ann", "SELECT DISTINCT kind, prob FROM queue_items") == [("label", None)]
    ((plan,),) = team.asked("Ann", f"SELECT plan FROM queues WHERE name = '{POOL}'")
    assert QueuePlan.from_json(plan).pool == ()


def test_each_goes_to_as_many_people_as_the_plan_says(team: Team) -> None:
    give_out(team, overlap=2, overlap_share=0.5)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    for _ in range(4):
        for name in ("Ann", "Ben"):
            for place in places(team, name, name):
                team.label(name, place, 4)
            team.sync(name)
    team.sync("Lead")
    both = [*places(team, "Lead", "Ann"), *places(team, "Lead", "Ben")]
    assert len(both) == 9
    assert set(both) == set(PLACES)
    assert progress(team) == PoolProgress(6, 6, 0)


def test_known_answers_look_like_any_other_place(team: Team) -> None:
    with team.session("Lead") as session:
        key = reading.find(session.project.conn, "c-0")
        assert key is not None
        bulk_acts.tag(session, [key], "gold")
        for metric in METRICS:
            entering.commit(session, key, metric, 4)
        for metric in METRICS:
            decisions.decide(session, key, metric, 4)
    give_out(team, filter_text="id:c-5 OR id:c-4", gold=1.0)
    assert progress(team) == PoolProgress(3, 0, 4)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    for _ in range(2):
        for name in ("Ann", "Ben"):
            for place in places(team, name, name):
                team.label(name, place, 4)
            team.sync(name)
    team.sync("Lead")
    assert "c-0" in {*places(team, "Lead", "Ann")} & {*places(team, "Lead", "Ben")}
    kinds = (
        "SELECT kind FROM queue_items i JOIN evaluations e ON e.id = i.evaluation "
        "JOIN queues q ON q.id = i.queue WHERE e.ext_id = 'c-0' AND q.name = 'Pool'"
    )
    assert team.asked("Lead", kinds) == [("gold",), ("gold",)]
    assert team.asked("Ann", kinds) == [("label",)]


def test_off_line_work_keeps_what_it_has_and_every_answer_counts(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    held = places(team, "Ann", "Ann")
    # she answers one off line; meanwhile her time runs out, and Ben answers all there is
    team.label("Ann", held[0], 2)
    pass_by(team, 21)
    for _ in range(4):
        for place in places(team, "Ben", "Ben"):
            team.label("Ben", place, 5)
        team.sync("Ben")
    assert set(places(team, "Ben", "Ben")) == set(PLACES)
    team.sync("Ann", "Lead")
    assert places(team, "Ann", "Ann") == held[:1]
    assert places(team, "Lead", "Ann") == held[:1]
    mine = [x for x in team.current("Lead", "c.blind") if x[3] == "Ann"]
    assert [(x[1], x[6]) for x in mine] == [(held[0], 2)] * len(METRICS)
    assert progress(team) == PoolProgress(6, 6, 0)
    # what Ben says of it is open to her now
    team.sync("Ann", "Ben")
    for name in ("Ann", "Ben", "Lead"):
        again = team.sync(name)
        assert (again.sent, again.pulled.anything, again.claimed) == (0, False, False)


def test_what_another_one_took_is_not_taken_from_under_an_answer_that_was_begun(
    team: Team,
) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    first, second = places(team, "Ann", "Ann")
    team.label("Ann", first, 2, METRICS[0])
    pass_by(team, 21)
    for _ in range(4):
        for place in places(team, "Ben", "Ben"):
            team.label("Ben", place, 5)
        team.sync("Ben")
    team.sync("Ann")
    assert places(team, "Ann", "Ann") == [first]
    team.label("Ann", first, 3, METRICS[1])
    team.sync("Ann", "Lead")
    assert first in places(team, "Lead", "Ann")
    assert second not in places(team, "Lead", "Ann")


def test_what_was_put_aside_does_not_keep_others_from_coming(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    first = places(team, "Ann", "Ann")
    with team.session("Ann") as session:
        for place in first:
            key = reading.find(session.project.conn, place)
            assert key is not None
            entering.toggle_skip(session, key)
    team.sync("Ann")
    assert len(places(team, "Ann", "Ann")) == 4


def test_an_empty_pool_is_said(team: Team) -> None:
    give_out(team, filter_text="id:c-0 OR id:c-1")
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    with team.session("Ben") as session:
        found = standing.standing(session.project)
    assert f"Nothing more is free in {POOL} just now." in found.sentence
    assert found.state.to_document()["nothing_free"] == [POOL]
    with team.session("Ann") as session:
        assert standing.standing(session.project).state.empty == ()


def test_another_lead_has_the_pool_in_their_own_file(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    for place in places(team, "Ann", "Ann"):
        team.label("Ann", place, 4)
    team.sync("Ann", "Lead")
    team.invite("Second", "lead")
    team.join("Second")
    assert progress(team, "Second") == progress(team)
    with team.session("Second") as session:
        working.rename(session, working.find(session, POOL), "Renamed")
    team.sync("Second", "Lead", "Ann")
    names = "SELECT name FROM queues ORDER BY 1"
    assert ("Renamed",) in team.asked("Lead", names)
    assert team.sync("Second").told == team.sync("Lead").told == []


def test_a_labeler_who_leads_none_or_renames_takes_part_all_the_same(team: Team) -> None:
    give_out(team, labelers=("Ann",))
    with team.session("Lead") as session:
        profiles.change(session, "Ann", new_name="Anna")
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    assert places(team, "Ben", "Ben") == []
    assert len(places(team, "Ann", "Anna") or places(team, "Ann", "Ann")) == 2
    assert progress(team) == PoolProgress(6, 0, 6)
    team.sync("Lead")
    assert progress(team) == PoolProgress(6, 0, 4)


def test_who_leaves_has_all_of_it(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    team.sync("Ann", "Lead")
    with team.session("Lead") as session:
        taking_part.leave(session)
        assert working.answers_left(session, working.find(session, POOL)) == 6
    found = [*places(team, "Lead", "Ann"), *places(team, "Lead", "Ben")]
    assert sorted(found) == PLACES
    assert len(places(team, "Lead", "Ann")) == 3
    assert progress(team) is None


def test_a_hub_that_is_made_again_gives_out_what_is_left(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    for place in places(team, "Ann", "Ann"):
        team.label("Ann", place, 4)
    team.sync("Ann", "Lead")
    with team.hub() as hub:
        taking_part.restored(hub)
    before = places(team, "Lead", "Ann")
    team.sync("Lead", "Ann", "Lead")
    team.join("Ben")
    team.sync("Lead")
    assert places(team, "Lead", "Ann")[: len(before)] == before
    assert not set(places(team, "Lead", "Ann")) & set(places(team, "Lead", "Ben"))


def test_how_far_everybody_is_counts_what_they_took(team: Team) -> None:
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    first = places(team, "Ann", "Ann")
    for place in first:
        team.label("Ann", place, 4)
    team.sync("Ann", "Ann", "Lead")
    with team.session("Lead") as session:
        queue = working.find(session, POOL)
        (ann,) = working.progress(session, queue)
        assert (ann.total, ann.done) == (4, 2)
        assert working.answers_left(session, queue) == 4
        mine = next(x for x in members(session) if x.name == "Ann")
        # her own queue has two of those four, too
        assert (mine.total, mine.done) == (8, 2 + len({*first} & {*PLACES[:4]}))
        waiting = validation.countdown(session, queue)
        assert (waiting.total, waiting.done) == (6, 2)


def test_only_a_shared_project_gives_out_and_no_repeats(team: Team) -> None:
    with team.session("Lead") as session:
        plan = QueuePlan(name=POOL, assignment="free", labelers=("Ann",), repeats=0.1)
        with pytest.raises(QueueError, match="Own repeats are not carried by a hub"):
            making.create(session, plan)
        taking_part.leave(session)
        plan = QueuePlan(name=POOL, assignment="free", labelers=("Ann",))
        with pytest.raises(QueueError, match="Only a shared project can give evaluations"):
            making.preview(session, plan)


def test_what_everybody_would_get_is_said_of_whoever_is_free(team: Team) -> None:
    plan = QueuePlan(name=POOL, assignment="free", labelers=("Ann", "Ben"), overlap=2)
    with team.session("Lead") as session:
        found = making.preview(session, plan)
    assert found.sentence == "6 evaluations of 6, 12 answers by whoever of 2 labelers is free."
    assert [(x.labeler, x.total) for x in found.people] == [("whoever is free", 12)]
    assert found.shared == 6


def test_a_hub_from_before_is_brought_up_to_date_and_gives_out(team: Team) -> None:
    with team.hub() as hub:
        assert hubs.upgrade(hub) == hubs.state(hub).version


def test_a_lead_takes_part_as_anybody(team: Team) -> None:
    give_out(team, labelers=("Ann", "Lead"))
    team.sync("Lead")
    assert len(places(team, "Lead", "Lead")) == 2
    team.join("Ann")
    assert not set(places(team, "Ann", "Ann")) & set(places(team, "Lead", "Lead"))
    for place in places(team, "Lead", "Lead"):
        team.label("Lead", place, 4)
    team.sync("Lead")
    assert len(places(team, "Lead", "Lead")) == 4
    assert progress(team) == PoolProgress(6, 2, 0)
