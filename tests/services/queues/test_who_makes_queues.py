"""Queues for other people, and queues in sight, are made by leads."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError
from reviewer.services.project import reading
from reviewer.services.project.session import Session, set_blind
from reviewer.services.queues import bulk_queue, making, profiles, recipes
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = build_project(tmp_path / "p.review", evaluations=20)
    with closing(Session.open(path, "lea")) as lead:
        profiles.add(lead, "lea", role="lead")
        for name in ("ann", "bo"):
            profiles.add(lead, name)
    return path


@pytest.fixture
def ann(path: Path) -> Iterator[Session]:
    with closing(Session.open(path, "ann")) as session:
        yield session


def plan(*labelers: str, blind: bool = True) -> QueuePlan:
    return QueuePlan(name="Q", sampling=Sampling.RANDOM, n=5, labelers=labelers, blind=blind)


def test_a_labeler_makes_blind_queues_of_their_own_alone(ann: Session, path: Path) -> None:
    for asked, what in (
        (plan("ann", blind=False), "Only a lead can show auto scores in a queue; lea leads"),
        (plan("bo"), "Only a lead can make queues for other people; lea leads"),
        (plan("ann", "bo"), "Choose yourself alone"),
    ):
        with pytest.raises(LabelError, match=what):
            making.create(ann, asked)
        with pytest.raises(LabelError, match=what):
            making.preview(ann, asked)
    made = making.create(ann, plan("ann"))
    assert made.blind
    assert recipes.first_plan(ann).labelers == ("ann",)
    assert [x.name for x in profiles.dealt_to(ann)] == ["ann"]
    assert "for ann" in bulk_queue.assign(ann, [1, 2], "Mine")
    with closing(Session.open(path, "lea")) as lead:
        assert recipes.first_plan(lead).labelers == ("ann", "bo")
        making.create(lead, replace(plan("ann", "bo", blind=False), name="Seen"))
    assert all(reading.view(ann, key).hidden for key in range(1, 21))


def test_where_nobody_is_blind_a_labeler_may_work_in_sight(ann: Session, path: Path) -> None:
    with closing(Session.open(path, "lea")) as lead:
        set_blind(lead, blind=False)
    ann.unseal()
    assert not making.create(ann, plan("ann", blind=False)).blind
