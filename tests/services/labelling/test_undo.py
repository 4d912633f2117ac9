"""Undo and redo, against a simple model of what they should do."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from reviewer.domain.change import Change, EvaluationsChanged, LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError, Silent
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing, undoing
from reviewer.store import states
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, next_redo, record, redone, undone

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "small.review"), "ann")) as session:
        yield session


def test_an_import_taken_back_by_its_number_is_not_undone_again(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(record(90, run="more")) + "\n", encoding="utf-8")
    entering.commit(session, 1, "accuracy", 3)
    request = importing.ImportRequest((file,), rubric="guest", labeler="ann")
    report = importing.run(session.project, request, Silent())
    undoing.undo_import(session.project, report.imports[0])
    assert undone(session) == "Accuracy 3 on c-0001"


def test_undo_and_redo_survive_a_restart(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    entering.commit(session, 2, "accuracy", 4)
    entering.toggle_flag(session, 5)
    assert undone(session) == "Flag c-0005"
    with closing(Session.open(session.project.path, "ann")) as later:
        assert next_redo(later) == "Flag c-0005"
        assert undone(later) == "Accuracy 4 on c-0002"
        assert redone(later) == "Accuracy 4 on c-0002"
        assert redone(later) == "Flag c-0005"
        assert undo.redo(later) is None
        assert reading.view(later, 2).own["accuracy"].value == 4
        assert reading.view(later, 5).flagged


def test_the_history_only_grows(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    entering.commit(session, 1, "accuracy", 4)
    undo.undo(session)
    undo.undo(session)
    undo.redo(session)
    history = reading.view(session, 1).history
    assert [(x.kind, x.value) for x in history] == [
        ("label", 3), ("label", 4), ("label", 3), ("withdrawn", None), ("label", 3),
    ]  # fmt: skip
    assert [x.seq for x in history] == sorted(x.seq for x in history)


def test_a_reveal_is_a_fact(session: Session) -> None:
    for name in METRICS:
        entering.commit(session, 1, name, 3)
    undo.undo(session)
    view = reading.view(session, 1)
    assert (view.hidden, view.revealed) == (False, True)
    entering.reveal(session, 2)
    with pytest.raises(LabelError, match="c-0002 cannot be taken back: the auto scores were seen"):
        undo.undo(session)
    assert reading.view(session, 2).revealed
    taken = undo.undo(session)
    assert taken == undo.Taken("Accuracy 3 on c-0001", 1, "accuracy", (1,))


def test_what_is_restored_is_as_blind_as_it_was(session: Session) -> None:
    for name in METRICS:
        entering.commit(session, 1, name, 3)
    entering.commit(session, 1, "accuracy", 5)
    undo.undo(session)
    own = reading.view(session, 1).own["accuracy"]
    assert (own.value, own.blind) == (3, True)


def test_each_labeler_undoes_their_own(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    session.set_labeler("bo")
    assert undo.undo(session) is None
    entering.commit(session, 1, "accuracy", 5)
    session.set_labeler("ann")
    assert undone(session) == "Accuracy 3 on c-0001"
    assert undo.undo(session) is None
    session.set_labeler("bo")
    assert reading.view(session, 1).own["accuracy"].value == 5


def test_a_new_action_drops_what_could_be_redone(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    undo.undo(session)
    entering.commit(session, 1, "safety", 3)
    assert next_redo(session) is None
    assert undo.redo(session) is None


def test_undo_publishes_what_changed(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    entering.toggle_skip(session, 2)
    told: list[Change] = []
    session.subscribe(told.append)
    undo.undo(session)
    undo.undo(session)
    assert isinstance(told[0], MarkChanged)
    assert told[0].mark.value is False
    assert isinstance(told[1], LabelChanged)
    assert told[1].before is not None
    assert (told[1].before.value, told[1].after.kind) == (3, "withdrawn")


class Labelling(RuleBasedStateMachine):
    """Random work of one labeler beside a model that keeps a stack of whole states."""

    folder: Path
    source: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        shutil.copy(self.source, self.folder / "a.review")
        self.session = Session.open(self.folder / "a.review", "ann")
        self.now: dict[Any, Any] = {}
        self.past: list[dict[Any, Any]] = []
        self.future: list[dict[Any, Any]] = []
        self.seen: set[int] = set()

    def teardown(self) -> None:
        self.session.close()
        shutil.rmtree(self.folder)

    def act(self, key: object, value: object) -> None:
        if self.now.get(key) == value:
            return
        self.past.append(dict(self.now))
        self.future.clear()
        self.now[key] = value

    @rule(evaluation=st.integers(1, 2), metric=st.sampled_from(METRICS), value=st.integers(1, 5))
    def commit(self, evaluation: int, metric: str, value: int) -> None:
        entering.commit(self.session, evaluation, metric, value)
        self.act((evaluation, metric), ("label", value))

    @rule(evaluation=st.integers(1, 2), metric=st.sampled_from(METRICS))
    def not_applicable(self, evaluation: int, metric: str) -> None:
        entering.not_applicable(self.session, evaluation, metric)
        self.act((evaluation, metric), ("not_applicable", None))

    @rule(evaluation=st.integers(1, 2), metric=st.sampled_from(METRICS))
    def withdraw(self, evaluation: int, metric: str) -> None:
        if self.now.get((evaluation, metric)):
            entering.withdraw(self.session, evaluation, metric)
            self.act((evaluation, metric), None)

    @rule(evaluation=st.integers(1, 2), kind=st.sampled_from(["skip", "flag"]))
    def toggle(self, evaluation: int, kind: str) -> None:
        if kind == "skip":
            entering.toggle_skip(self.session, evaluation)
        else:
            entering.toggle_flag(self.session, evaluation)
        self.act((evaluation, kind), not self.now.get((evaluation, kind), False))

    @rule()
    def undo(self) -> None:
        assert (undone(self.session) is not None) == bool(self.past)
        if self.past:
            self.future.append(self.now)
            self.now = self.past.pop()

    @rule()
    def redo(self) -> None:
        assert (redone(self.session) is not None) == bool(self.future)
        if self.future:
            self.past.append(self.now)
            self.now = self.future.pop()

    @rule()
    def restart(self) -> None:
        self.session.close()
        self.session = Session.open(self.folder / "a.review", "ann")

    @invariant()
    def is_as_the_model_says(self) -> None:
        done = 0
        for evaluation in (1, 2):
            view = reading.view(self.session, evaluation)
            expected = {name: self.now.get((evaluation, name)) for name in METRICS}
            found = {name: (label.kind, label.value) for name, label in view.own.items()}
            assert found == {name: pair for name, pair in expected.items() if pair}
            assert view.skipped == self.now.get((evaluation, "skip"), False)
            assert view.flagged == self.now.get((evaluation, "flag"), False)
            complete = all(expected.values())
            done += complete
            if complete:
                self.seen.add(evaluation)
            assert view.hidden == (evaluation not in self.seen)
        counted = listing.progress(self.session, listing.build(self.session))
        assert counted.done == done

    @invariant()
    def live_and_bulk_agree(self) -> None:
        project: Project = self.session.project
        queries = (
            "SELECT evaluation, metric, labeler, turn, decided, label, value, kind, blind, "
            "aggregate, at_us FROM current_labels ORDER BY 1, 2, 3",
            "SELECT labeler, evaluation, answered, complete, skipped, flagged, revealed "
            "FROM states WHERE answered + skipped + flagged + revealed > 0 ORDER BY 1, 2",
        )
        before = [project.conn.execute(query).fetchall() for query in queries]
        with project.write() as conn:
            states.refresh(conn, (1, 2))
        assert [project.conn.execute(query).fetchall() for query in queries] == before


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_project(tmp_path_factory.mktemp("undo") / "small.review", evaluations=2)


def test_random_work_is_undone_and_redone_as_a_model_says(small: Path) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    Labelling.source = small
    run_state_machine_as_test(
        Labelling, settings=settings(max_examples=15, stateful_step_count=20, deadline=None)
    )


def test_an_import_is_taken_back_like_any_action(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(record(99, id="new", run="more")) + "\n", encoding="utf-8")
    entering.commit(session, 1, "accuracy", 3)
    request = importing.ImportRequest(files=(file,), labeler="ann")
    importing.run(session.project.path, request, Silent())
    told: list[Change] = []
    session.subscribe(told.append)
    session.poll()
    assert isinstance(told[-1], EvaluationsChanged)
    assert listing.build(session).total == 13
    told.clear()
    assert undone(session) == "import of more.jsonl"
    assert isinstance(told[-1], EvaluationsChanged)
    assert listing.build(session).total == 12
    assert next_redo(session) is None
    assert undone(session) == "Accuracy 3 on c-0001"
