"""Profiles: who takes part, in which colour, who leads, and that history follows a new name."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.errors import LabelError, Silent
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import labelers
from tests.building import build_project, record, undone


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    imported = record(1, labels=[{"metric": "accuracy", "labeler": "zoe", "value": 3}])
    path = build_project(tmp_path / "a.review", evaluations=[imported, record(2)])
    with closing(Session.open(path, "ann")) as opened:
        yield opened


def roles(session: Session) -> dict[str, str]:
    return {person.name: person.role for person in profiles.every(session)}


def test_the_first_who_works_leads_whoever_was_imported(session: Session) -> None:
    assert roles(session) == {"ann": "lead", "zoe": "labeler"}
    entering.commit(session, 1, "accuracy", 3)
    session.set_labeler("bo")
    session.set_labeler("zoe")
    assert session.labeler.role == "labeler"
    session.set_labeler("bo")
    assert session.labeler.role == "labeler"
    assert not profiles.is_lead(session)
    entering.commit(session, 1, "accuracy", 3)
    assert roles(session) == {"ann": "lead", "bo": "labeler", "zoe": "labeler"}


def test_whoever_makes_the_first_profile_leads(session: Session) -> None:
    heard: list[Change] = []
    session.subscribe(heard.append)
    profiles.add(session, " bo\u202e ", colour="green")
    assert roles(session) == {"ann": "lead", "bo": "labeler", "zoe": "labeler"}
    assert isinstance(heard[0], PeopleChanged)
    assert next(x for x in profiles.every(session) if x.name == "bo").colour == "green"
    profiles.add(session, "lea", role="lead")
    assert roles(session)["lea"] == "lead"


def test_everybody_has_a_colour(session: Session) -> None:
    for number in range(12):
        profiles.add(session, f"person {number}")
    colours = [person.colour for person in profiles.every(session)]
    assert set(colours) == set(profiles.COLOURS)


@pytest.mark.parametrize("name", ["", "ANN", "zoE", "x" * 61, "\u200b"])
def test_names_that_cannot_be_had(session: Session, name: str) -> None:
    entering.commit(session, 1, "accuracy", 3)
    with pytest.raises(LabelError):
        profiles.add(session, name)
    with pytest.raises(LabelError):
        profiles.change(session, "zoe", new_name=name if name != "zoE" else "ann")


def test_labels_follow_a_new_name(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 4)
    person = profiles.change(session, "ann", new_name="Anna", colour="sky")
    assert (person.name, person.colour, person.role) == ("Anna", "sky", "lead")
    assert session.labeler.name == "Anna"
    view = reading.view(session, 1)
    assert view.own["accuracy"].labeler == "Anna"
    # the same name in another case is still one's own to take
    assert profiles.change(session, "Anna", new_name="ANNA").name == "ANNA"
    entering.commit(session, 1, "safety", 4)
    assert len(session.labelers()) == 2


def test_somebody_always_leads(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 4)
    with pytest.raises(LabelError, match="only lead"):
        profiles.change(session, "ann", role="labeler")
    assert roles(session)["ann"] == "lead"
    profiles.change(session, "zoe", role="lead")
    profiles.change(session, "ann", role="labeler")
    assert roles(session) == {"ann": "labeler", "zoe": "lead"}


def test_where_nobody_leads_a_colour_and_a_name_change_nothing_of_that(session: Session) -> None:
    with session.project.write() as conn:
        conn.execute("UPDATE labelers SET role = 'labeler'")
    profiles.change(session, "zoe", colour="green")
    changed = profiles.change(session, "zoe", new_name="Zoë", role="labeler")
    assert (changed.name, changed.colour, changed.role) == ("Zoë", "green", "labeler")
    assert not labelers.has_lead(session.project.conn)


def test_only_a_lead_says_who_leads(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 4)
    session.set_labeler("bo")
    entering.commit(session, 1, "accuracy", 4)
    for act in (
        lambda: profiles.change(session, "bo", role="lead"),
        lambda: profiles.change(session, "ann", role="labeler"),
        lambda: profiles.add(session, "cy", role="lead"),
    ):
        with pytest.raises(LabelError, match="Only a lead"):
            act()
    profiles.change(session, "bo", colour="sky")
    assert roles(session) == {"ann": "lead", "bo": "labeler", "zoe": "labeler"}
    session.set_labeler("ann")
    profiles.change(session, "bo", role="lead")
    assert roles(session)["bo"] == "lead"


@pytest.mark.parametrize("maker", ["lea", "ZOE", None, "x" * 99])
def test_whoever_makes_a_project_by_name_leads_it(tmp_path: Path, maker: str | None) -> None:
    file = tmp_path / "a.jsonl"
    labels = [{"metric": "accuracy", "labeler": "zoe", "value": 3}]
    file.write_text(json.dumps(record(1, labels=labels)))
    path = tmp_path / "a.review"
    request = ImportRequest(files=(file,), maker=maker, labeler="labeler 1")
    importing.run(path, request, Silent())
    with closing(Session.open(path, "bo")) as session:
        led = {"lea": "lea", "ZOE": "zoe"}.get(maker or "")
        # the name that stands where nobody gave one leads nothing
        assert roles(session)["labeler 1"] == "labeler"
        assert [x for x, role in roles(session).items() if role == "lead"] == [led or "bo"]
    # whoever adds to a project that is there leads no more than before
    importing.run(path, replace(request, maker="cy"), Silent())
    with closing(Session.open(path, "cy")) as session:
        assert (session.labeler.role == "lead") == (led is None)


def test_what_is_not_there_is_named(session: Session) -> None:
    with pytest.raises(LabelError, match="nobody"):
        profiles.change(session, "nobody", colour="blue")
    with pytest.raises(LabelError, match="pink"):
        profiles.change(session, "ann", colour="pink")
    with pytest.raises(LabelError, match="pink"):
        profiles.add(session, "bo", colour="pink")
    with pytest.raises(LabelError, match="60"):
        session.set_labeler("x" * 10_000)
    session.set_labeler("ZOE")
    assert session.labeler.name == "zoe"


def test_whoever_decided_elsewhere_leads_beside_the_first_who_works(tmp_path: Path) -> None:
    decided = {"metric": "accuracy", "labeler": "zoe", "value": 3, "kind": "adjudication"}
    mere = {"metric": "accuracy", "labeler": "yan", "value": 3}
    file = tmp_path / "decided.jsonl"
    lines = [record(1, labels=[decided, mere]), record(2)]
    file.write_text("\n".join(map(json.dumps, lines)))
    path = tmp_path / "a.review"
    importing.run(path, ImportRequest(files=(file,)), Silent())
    with closing(Session.open(path, "ann")) as session:
        assert roles(session) == {"ann": "lead", "yan": "labeler", "zoe": "lead"}
        entering.commit(session, 1, "accuracy", 3)
        session.set_labeler("bo")
        entering.commit(session, 1, "accuracy", 3)
        assert roles(session) == {
            "ann": "lead", "bo": "labeler", "yan": "labeler", "zoe": "lead",
        }  # fmt: skip


def test_whoever_decided_elsewhere_leads_no_project_that_is_led(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    path = session.project.path
    decided = {"metric": "accuracy", "labeler": "yan", "value": 3, "kind": "adjudication"}
    file = path.with_name("decided.jsonl")
    file.write_text(json.dumps(record(7, labels=[decided])))
    importing.run(path, ImportRequest(files=(file,)), Silent())
    assert roles(session) == {"ann": "lead", "yan": "labeler", "zoe": "labeler"}


def test_who_is_renamed_elsewhere_stays_the_same_person(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review")
    with closing(Session.open(path, "lea")) as lead:
        profiles.add(lead, "ann")
        with closing(Session.open(path, "ann")) as other:
            entering.commit(other, 1, "safety", 2)
            profiles.change(lead, "ann", new_name="anna")
            # before the other window has looked
            change = entering.commit(other, 2, "safety", 3)
            assert change.after.labeler == "anna"
            assert undone(other) == "Safety 3 on c-0002"
            assert [x.name for x in other.labelers()] == ["anna", "lea"]
            other.poll()
            assert other.labeler.name == "anna"
            profiles.change(lead, "anna", new_name="anne")
            said = entering.comment(other, 1, "safety", "see above")
            assert said.after.labeler == "anne"


def test_the_command_line_makes_whoever_is_named_in_the_settings_the_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.paths.config_folder", lambda: tmp_path / "config")
    file = tmp_path / "a.jsonl"
    labels = [{"metric": "accuracy", "labeler": "zoe", "value": 3}]
    file.write_text(json.dumps(record(1, labels=labels)))
    assert main(["import", str(tmp_path / "before.review"), str(file)]) == 0
    Settings().set("labeler", "lea")
    assert main(["import", str(tmp_path / "after.review"), str(file)]) == 0
    assert main(["demo", str(tmp_path / "demo.review"), "--no-open"]) == 0
    for name, role in (("before", "lead"), ("after", "labeler"), ("demo", "labeler")):
        with closing(Session.open(tmp_path / f"{name}.review", "bo")) as session:
            assert session.labeler.role == role
            leads = {x.name for x in session.labelers() if x.role == "lead"}
            assert ("lea" in leads) == (role == "labeler")


def test_a_queue_is_not_thought_for_whoever_merely_came_with_an_import(session: Session) -> None:
    profiles.add(session, "bo")
    assert {x.name for x in profiles.dealt_to(session)} == {"ann", "bo", "zoe"}
    assert profiles.labelling(session) == ("bo",)
    plan = QueuePlan(name="Q", sampling=Sampling.ALL, labelers=("zoe",))
    making.create(session, plan)
    assert profiles.labelling(session) == ("bo", "zoe")


def test_an_imported_labeler_who_labels_here_takes_part(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    session.set_labeler("zoe")
    entering.commit(session, 2, "accuracy", 3)
    session.set_labeler("ann")
    assert profiles.labelling(session) == ("zoe",)
