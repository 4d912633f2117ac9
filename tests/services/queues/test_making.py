"""Plans: what is refused and why, previews that come true, and plans that survive the file."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import ReviewerError
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = build_project(tmp_path_factory.mktemp("making") / "a.review", evaluations=30)
    with closing(Session.open(path, "ann")) as opened:
        profiles.add(opened, "bo")
        profiles.add(opened, "cy")
        yield opened


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x" * 200}, "200 characters"),
        ({"sampling": Sampling.RANDOM}, "how many"),
        ({"sampling": Sampling.RANDOM, "n": 0}, "1 or more"),
        ({"overlap": 0}, "1 to 10"),
        ({"overlap": 11}, "1 to 10"),
        ({"overlap": 2}, "names 1"),
        ({"labelers": ("ann", "dora")}, "dora"),
        ({"labelers": ("ann", "ann")}, "twice"),
        ({"assignment": "by_person"}, "as many shares"),
        ({"assignment": "by_person", "shares": (0.0,)}, "above 0"),
        ({"repeats": 1.5}, "150 %"),
        ({"gold": -0.1}, "gold"),
        ({"days": 0}, "1 day"),
        ({"seed": -1}, "seed"),
        ({"sampling": Sampling.DISAGREEMENT}, "other"),
        ({"filter_text": "auto:"}, "filter"),
        ({"filter_text": "category:zzz"}, "Nothing matches"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_in_words(
    session: Session, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(ReviewerError, match=words):
        making.create(session, QueuePlan(**{"name": "Q"} | fields))
    assert working.every(session) == ()


def test_a_preview_comes_true(session: Session) -> None:
    plan = QueuePlan(
        name="Shared", sampling=Sampling.STRATIFIED, n=12, seed=5, overlap=2, overlap_share=0.5,
        labelers=("ann", "bo", "cy"), repeats=0.25,
    )  # fmt: skip
    shown = making.preview(session, plan)
    assert (shown.population, shown.drawn, shown.shared) == (30, 12, 6)
    assert [(x.name, x.population, x.drawn) for x in shown.strata] == [
        ("amenities", 10, 4), ("directions", 10, 4), ("policies", 10, 4),
    ]  # fmt: skip
    row = making.create(session, plan)
    try:
        for person in shown.people:
            items = working.items_of(session, row, person.labeler)
            kinds = [item.kind for item in items]
            assert (kinds.count("label"), kinds.count("repeat")) == (person.labels, person.repeats)
            assert {x.prob for x in items if x.kind == "label"} == {0.4}
        assert working.people(session, row) == ("ann", "bo", "cy")
        assert QueuePlan.from_json(row.plan) == plan
    finally:
        working.delete(session, row)


def test_whoever_makes_it_works_alone_where_nobody_is_named(session: Session) -> None:
    row = making.create(session, QueuePlan(name="Mine", sampling=Sampling.NEWEST, n=3))
    assert working.people(session, row) == ("ann",)
    working.delete(session, row)


def test_a_repeat_lies_at_a_distance(session: Session) -> None:
    row = making.create(session, QueuePlan(name="Far", repeats=0.3))
    items = working.items_of(session, row, "ann")
    place = {item.evaluation: item.position for item in items if item.kind == "label"}
    again = [item for item in items if item.kind == "repeat"]
    assert len(again) == 9
    assert all(item.position - place[item.evaluation] > 10 for item in again)
    working.delete(session, row)


@given(
    st.builds(
        QueuePlan,
        name=st.text(min_size=1, max_size=9),
        filter_text=st.text(max_size=9),
        sampling=st.sampled_from(Sampling),
        n=st.none() | st.integers(1, 99),
        labelers=st.lists(st.text(max_size=4)).map(tuple),
        shares=st.lists(st.floats(0, 1)).map(tuple),
        keys=st.lists(st.integers(1, 9)).map(tuple),
    )
)
def test_a_plan_is_read_back_as_it_was_written(plan: QueuePlan) -> None:
    assert QueuePlan.from_json(plan.to_json()) == plan
    newer = plan.to_json()[:-1] + ', "colour": "red"}'
    assert QueuePlan.from_json(newer) == plan
