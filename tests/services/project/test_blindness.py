"""Who labels blind is the project's and its queues', and what leads saw is recorded."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.errors import LabelError
from reviewer.services.labelling import entering, undo
from reviewer.services.project import exposure, reading
from reviewer.services.project.session import Session, for_leads, is_blind, set_blind
from reviewer.services.queues import profiles
from tests.building import build_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six evaluations, of which a lead and a labeler have answered one each."""
    path = build_project(tmp_path / "p.review", evaluations=6)
    for key, name in enumerate(("lea", "bo"), start=1):
        with closing(Session.open(path, name)) as session:
            entering.commit(session, key, "accuracy", 3)
    with closing(Session.open(path, "lea")) as session:
        profiles.change(session, "lea", role="lead")
        profiles.change(session, "bo", role="labeler")
    return path


@pytest.fixture
def lead(path: Path) -> Iterator[Session]:
    with closing(Session.open(path, "lea")) as session:
        yield session


@pytest.fixture
def labeler(path: Path) -> Iterator[Session]:
    with closing(Session.open(path, "bo")) as session:
        yield session


def test_a_lead_decides_for_everybody_and_a_labeler_cannot(
    lead: Session, labeler: Session
) -> None:
    assert (lead.blind, labeler.blind, is_blind(lead.project)) == (True, True, True)
    with pytest.raises(LabelError, match="decide who sees auto scores"):
        set_blind(labeler, blind=False)
    assert labeler.blind
    heard: list[Change] = []
    labeler.subscribe(heard.append)
    set_blind(lead, blind=False)
    assert not lead.blind
    labeler.poll()
    assert any(isinstance(x, PeopleChanged) for x in heard), "another window hears of it"
    assert not labeler.blind
    assert not reading.view(labeler, 3).hidden
    set_blind(lead, blind=True)
    labeler.poll()
    assert reading.view(labeler, 3).hidden


def test_nothing_is_hidden_from_a_lead_on_a_leads_page_alone(
    lead: Session, labeler: Session
) -> None:
    page = for_leads(lead)
    assert page.sees_all
    assert (page.blind, lead.blind) == (False, True)
    assert not reading.view(page, 3).hidden
    assert reading.view(lead, 3).hidden
    assert for_leads(labeler) is labeler


def test_what_a_lead_saw_there_makes_later_labels_seen(lead: Session) -> None:
    page = for_leads(lead)
    assert exposure.note_seen(page, [3, 4, 4]) == 2
    assert exposure.note_seen(page, [3, 4]) == 0, "once is enough"
    assert not reading.view(lead, 3).hidden
    assert entering.commit(lead, 3, "accuracy", 3).after.blind is False
    assert entering.commit(lead, 5, "accuracy", 3).after.blind is True
    assert [x.value for x in reading.view(lead, 3).marks if x.kind == "reveal"] == ["led"]


def test_whoever_labels_blind_is_shown_nothing_so_nothing_is_noted(labeler: Session) -> None:
    assert exposure.note_seen(labeler, [3]) == 0
    assert reading.view(labeler, 3).hidden


def test_an_answer_from_a_leads_page_is_seen_and_told_once(lead: Session) -> None:
    page, heard = for_leads(lead), list[Change]()
    lead.subscribe(heard.append)
    told_there = list[Change]()
    page.subscribe(told_there.append)
    assert entering.commit(page, 4, "accuracy", 2).after.blind is False
    assert heard == told_there
    count = len(heard)
    assert lead.poll() == 0, "one's own change is no news"
    assert len(heard) == count


def test_undo_passes_by_what_was_seen(lead: Session) -> None:
    entering.commit(lead, 5, "accuracy", 2)
    exposure.note_seen(for_leads(lead), [3])
    taken = undo.undo(lead)
    assert taken is not None
    assert taken.evaluation == 5
