"""The session: who labels, what it knows of runs and rubrics, what it hears from others."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.change import (
    Change,
    EvaluationsChanged,
    FiguresChanged,
    LabelChanged,
    PeopleChanged,
    RubricChanged,
    ScoresChanged,
)
from reviewer.domain.errors import LabelError, ProjectError, RubricError
from reviewer.services.adjudicating import decisions
from reviewer.services.computer.settings import Settings
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import FigureSettings
from reviewer.services.labelling import entering, undo
from reviewer.services.project import guidelines, rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.store import labelers, of_record, shared_changes, shares
from reviewer.store.of_record import Record
from reviewer.store.project import Project
from reviewer.store.rubrics import packed
from reviewer.store.shares import Arrived
from tests.building import RUBRIC, build_project, record, undone


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "small.review")


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with closing(Session.open(path, "ann")) as session:
        yield session


def test_the_labeler_comes_from_the_settings(path: Path) -> None:
    with closing(Session.open(path)) as session:
        assert session.labeler.name == Settings().labeler == "labeler 1"
        assert session.labeler.key == 0
        assert session.labelers() == ()


def test_a_missing_project_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="no project file"):
        Session.open(tmp_path / "none.review")


def test_runs_and_rubrics(tmp_path: Path) -> None:
    people = [
        record(1, run="b", labels=[{"metric": "safety", "labeler": "ann", "value": 1}]),
        record(2, run="a"),
        record(3, run="b"),
    ]
    path = build_project(tmp_path / "two.review", evaluations=people, runs=("a", "b"))
    with closing(Session.open(path, "ann")) as session:
        found = [(x.name, x.evaluations, x.labelled) for x in session.runs()]
        assert found == [("a", 1, 0), ("b", 2, 1)]
        assert (
            session.rubric_of(1) == session.current_rubric() == session.rubric("guest") == RUBRIC
        )
        with pytest.raises(RubricError, match="it has: guest"):
            session.rubric("guests")
        with pytest.raises(LabelError, match="no evaluation 7"):
            session.rubric_of(7)


def test_a_project_without_runs_has_no_current_rubric(tmp_path: Path) -> None:
    Project.create(tmp_path / "empty.review").close()
    with closing(Session.open(tmp_path / "empty.review", "ann")) as session:
        assert session.runs() == ()
        with pytest.raises(RubricError, match="no run yet"):
            session.current_rubric()


def test_listeners_are_told_in_order_and_can_leave(session: Session) -> None:
    heard: list[str] = []
    leave = session.subscribe(lambda _: heard.append("first"))
    session.subscribe(lambda _: heard.append("second"))
    entering.commit(session, 1, "accuracy", 3)
    leave()
    leave()
    entering.commit(session, 1, "accuracy", 4)
    assert heard == ["first", "second", "second"]


def test_a_poll_without_news_says_nothing_of_ones_own_work(session: Session) -> None:
    told: list[Change] = []
    entering.commit(session, 1, "accuracy", 3)
    entering.toggle_flag(session, 2)
    undo.undo(session)
    session.subscribe(told.append)
    assert session.poll() == 0
    assert told == []


def test_a_poll_pairs_each_label_with_what_it_replaced(path: Path, session: Session) -> None:
    mine = entering.commit(session, 1, "accuracy", 3).after
    told: list[Change] = []
    session.subscribe(told.append)
    with closing(Session.open(path, "ann")) as other:
        changes = [entering.commit(other, 1, "accuracy", value) for value in (4, 5)]
        between = entering.commit(session, 2, "accuracy", 1)
        changes.append(undo_change(other))
    assert session.poll() == 3
    assert told == [between, *changes]
    assert changes[0].before == mine
    assert session.poll() == 0


def undo_change(session: Session) -> LabelChanged:
    told: list[Change] = []
    leave = session.subscribe(told.append)
    # the newest action of this labeler is the one of the other window
    assert undone(session) == "Accuracy 1 on c-0002"
    leave()
    assert isinstance(told[0], LabelChanged)
    return told[0]


def test_an_import_elsewhere_makes_everything_be_read_anew(path: Path, session: Session) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    with Project.open(path) as other, other.write() as conn:
        conn.execute("UPDATE counters SET value = 11 WHERE name = 'visible'")
        other.next_seq()
    assert session.poll() == 1
    assert isinstance(told[0], EvaluationsChanged)


def test_a_new_rubric_version_elsewhere_is_used_at_once(path: Path, session: Session) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    assert session.current_rubric() == RUBRIC
    newer = replace(RUBRIC, version="2", metrics=RUBRIC.metrics[:1])
    with Project.open(path) as other, other.write() as conn:
        conn.execute(
            "INSERT INTO rubric_versions(rubric, version, body, created_at, seq) "
            "VALUES (1, '2', ?, '', ?)",
            (packed(newer), other.next_seq()),
        )
    assert session.poll() == 1
    assert told == [RubricChanged("guest")]
    assert session.current_rubric() == newer


def test_other_options_elsewhere_are_told(path: Path, session: Session) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    with Project.open(path) as other:
        figure_settings.write(other, FigureSettings("recommended"))
    assert session.poll() == 1
    assert told == [FiguresChanged()]
    assert session.poll() == 0


def test_very_many_labels_elsewhere_are_told_as_one(
    path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.store.watching.MANY", 3)
    told: list[Change] = []
    session.subscribe(told.append)
    with closing(Session.open(path, "bo")) as other:
        for number in range(1, 6):
            entering.commit(other, number, "accuracy", 3)
    assert session.poll() == 1
    assert isinstance(told[0], EvaluationsChanged)
    assert session.poll() == 0


def test_people_and_queues_changed_elsewhere_are_told(path: Path, session: Session) -> None:
    told: list[Change] = []
    other = Session.open(path, "somebody")
    profiles.add(other, "bo")
    session.poll()
    session.subscribe(told.append)
    for act in (
        lambda: profiles.change(other, "bo", colour="green"),
        lambda: profiles.change(other, "bo", new_name="bob"),
        lambda: making.create(other, QueuePlan(name="New", sampling=Sampling.ALL)),
        lambda: working.close(other, working.find(other, "New")),
        lambda: working.delete(other, working.find(other, "New")),
    ):
        told.clear()
        act()
        session.poll()
        assert [type(change) for change in told] == [PeopleChanged]
    told.clear()
    session.poll()
    assert told == []
    assert "bob" in {person.name for person in session.labelers()}
    other.close()


FIRST, SECOND = b"first entry 0001", b"second entry 001"


def bring_scores(project: Project) -> None:
    """Unite an evaluation with a score of it, as what keeps a shared project in step does."""
    scores = [{"metric": "accuracy", "value": 5, "scorer": "judge", "at": "2026-11-20T08:00:00Z"}]
    arrived = Arrived(1, (1, "agent v7"), {"scores": scores})
    assert shares.unite(project, [arrived], lambda *_: None).scores == 1


def bring_fact(project: Project, tags: list[tuple[int, str, bool]]) -> None:
    excluding = {} if tags else {1: shared_changes.Excluded("a duplicate", None, None)}
    with project.write() as conn:
        shared_changes.apply(project, conn, excluding, tags)


def name_record(project: Project, uid: bytes) -> None:
    named = Record(
        run=1, metric=2, score_set=1, kind="named", at="2026-11-20", with_repeats=uid == SECOND
    )
    with project.write():
        of_record.follow(project, named, uid, None)


BROUGHT: dict[str, tuple[Callable[[Project], object], type[Change]]] = {
    "scores": (bring_scores, ScoresChanged),
    "tag": (lambda x: bring_fact(x, [(1, "odd", True)]), EvaluationsChanged),
    "exclusion": (lambda x: bring_fact(x, []), EvaluationsChanged),
    "record": (lambda x: name_record(x, b"third entry 0001"), EvaluationsChanged),
    "record of before": (lambda x: name_record(x, FIRST), EvaluationsChanged),
    "guidelines": (lambda x: x.set_setting(guidelines.GUIDELINES, "Be kind."), PeopleChanged),
    "time zone": (lambda x: x.set_setting("time_zone", "Asia/Tokyo"), FiguresChanged),
}


@pytest.mark.parametrize("what", BROUGHT)
def test_what_a_hub_brings_is_told_once(path: Path, session: Session, what: str) -> None:
    bring, expected = BROUGHT[what]
    for uid in (FIRST, SECOND):
        name_record(session.project, uid)
    session.publish(EvaluationsChanged("named here"))
    told: list[Change] = []
    session.subscribe(told.append)
    with Project.open(path) as other:
        bring(other)
    session.poll()
    assert [type(x) for x in told] == [expected]
    assert session.poll() == 0


def test_scores_beside_answers_of_others_are_told_before_them(
    path: Path, session: Session
) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    with closing(Session.open(path, "bo")) as other:
        entering.commit(other, 1, "accuracy", 3)
        bring_scores(other.project)
    session.poll()
    assert [type(x) for x in told] == [ScoresChanged, LabelChanged]


OWN: dict[str, Callable[[Session], object]] = {
    "figures": lambda x: figure_settings.change(x, "recommended", ""),
    "people": lambda x: profiles.add(x, "bo"),
    "queues": lambda x: making.create(x, QueuePlan(name="New", sampling=Sampling.ALL)),
    "bulk": lambda x: bulk_acts.exclude(x, (1, 2), "a duplicate"),
    "rubric": lambda x: x.publish(
        RubricChanged(rubrics.save_version(x.project, replace(RUBRIC, missing="null")).name)
    ),
}


def write_something(project: Project) -> None:
    with project.write() as conn:
        conn.execute("INSERT OR REPLACE INTO settings(name, value) VALUES ('x', 'y')")


@pytest.mark.parametrize("what", OWN)
def test_what_was_done_here_is_no_news_of_others(path: Path, session: Session, what: str) -> None:
    entering.commit(session, 1, "accuracy", 3)
    told: list[Change] = []
    session.subscribe(told.append)
    OWN[what](session)
    assert len(told) == 1
    with Project.open(path) as other:
        write_something(other)
    assert session.poll() == 0
    assert len(told) == 1


def test_what_others_did_meanwhile_is_told_in_spite_of_ones_own(
    path: Path, session: Session
) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    with closing(Session.open(path, "bo")) as other:
        entering.commit(other, 1, "accuracy", 3)
        profiles.add(other, "cy")
        rubrics.save_version(other.project, replace(RUBRIC, name="second"))
    figure_settings.change(session, "recommended", "")
    OWN["rubric"](session)
    told.clear()
    session.poll()
    assert {type(x) for x in told} == {LabelChanged, PeopleChanged, RubricChanged}
    assert RubricChanged("second") in told


NAMELESS: dict[str, Callable[[Session], object]] = {
    "label": lambda x: entering.commit(x, 1, "accuracy", 3),
    "not applicable": lambda x: entering.not_applicable(x, 1, "accuracy"),
    "comment": lambda x: entering.comment(x, 1, "accuracy", "so"),
    "skip": lambda x: entering.toggle_skip(x, 1),
    "flag": lambda x: entering.toggle_flag(x, 1),
    "reveal": lambda x: entering.reveal(x, 1),
    "highlight": lambda x: entering.highlight(x, 1, entering.Stretch(None, 0, 3), note=""),
    "tag": lambda x: bulk_acts.tag(x, [1], "odd"),
    "exclude": lambda x: bulk_acts.exclude(x, [1], "broken"),
    "queue": lambda x: making.create(x, QueuePlan(name="Q", sampling=Sampling.RANDOM, n=2)),
    "decide": lambda x: decisions.decide(x, 1, "accuracy", 3),
    "profile": lambda x: profiles.add(x, "bo"),
    "colour": lambda x: profiles.change(x, "zoe", colour="sky"),
}


@pytest.mark.parametrize("what", NAMELESS)
def test_nothing_is_stored_before_somebody_said_their_name(session: Session, what: str) -> None:
    with session.project.write() as conn:
        labelers.ensure(conn, "ann")
        labelers.known(conn, "zoe")
    session.blind = False
    session.ask_name()
    before = list(session.project.conn.iterdump())
    with pytest.raises(LabelError, match=r"Choose your name|Only a lead can"):
        NAMELESS[what](session)
    assert list(session.project.conn.iterdump()) == before
    session.set_labeler("ann")
    NAMELESS[what](session)
