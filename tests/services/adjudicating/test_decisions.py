"""A decision takes the place of the labels in every figure, and leaves them standing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.change import Change, LabelChanged
from reviewer.domain.errors import LabelError, Silent
from reviewer.domain.run import Scope
from reviewer.services.adjudicating.decisions import decide, withdraw_decision
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering, undo
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.store.project import Project
from tests.building import RUBRIC, next_undo, redone, undone
from tests.services.adjudicating.deciding_projects import opened


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path) as session:
        yield session


def human(session: Session, key: int) -> float | None:
    rows = exporting.preview(session.project, ExportRequest(what="disagreements")).rows
    return next(
        (x["human"] for x in rows if (x["id"], x["metric"]) == (f"c-{key:04}", "accuracy")), None
    )


def decisions(session: Session, key: int) -> list[tuple[str, object]]:
    view = reading.view(session, key)
    return [(x.labeler, x.value) for x in view.others if x.kind == "adjudication"]


def test_the_decided_value_stands_for_the_labels(session: Session) -> None:
    assert human(session, 2) == 2.5
    heard: list[Change] = []
    session.subscribe(heard.append)
    change = decide(session, 2, "accuracy", 5, "The pool is heated.")
    assert isinstance(heard[0], LabelChanged)
    assert heard[0] == change
    assert (change.before, change.after.value, change.after.kind) == (None, 5, "adjudication")
    assert human(session, 2) == 5
    view = reading.view(session, 2)
    assert view.own["accuracy"].value == 1
    assert [x.value for x in view.others if x.metric == "accuracy"] == [4, 5]
    assert decide(session, 2, "accuracy", 5) == LabelChanged(change.after, change.after)
    assert next_undo(session) == "Decision Accuracy 5 on c-0002"


def test_live_figures_follow_decisions_as_if_counted_anew(session: Session) -> None:
    session.blind = False
    live = LiveFigures(session, load_tallies(session.project.path, Scope(), Hidden("ann")))

    def check() -> None:
        anew = LiveFigures(session, load_tallies(session.project.path, Scope(), Hidden("ann")))
        for name in ("accuracy", "safety"):
            assert live.metric(name) == anew.metric(name)
        assert live.overall() == anew.overall()
        document = statistics.compute(session.project, StatsRequest(scope=Scope()), None, Silent())
        found = live.metric("accuracy")
        assert found is not None
        assert found.deviations.gap_mean == document.metrics["accuracy"].gaps.deviations.gap_mean
        anew.close()

    decide(session, 2, "accuracy", 5)
    check()
    decide(session, 3, "accuracy", 1)
    check()
    decide(session, 2, "accuracy", 4)
    check()
    withdraw_decision(session, 3, "accuracy")
    check()
    undo.undo(session)
    check()
    for _ in range(3):
        undo.undo(session)
        check()


def test_a_withdrawn_decision_leaves_the_leads_own_label(session: Session) -> None:
    decide(session, 2, "accuracy", 5)
    change = withdraw_decision(session, 2, "accuracy")
    assert change.before is not None
    assert change.before.value == 5
    assert (change.after.kind, change.after.value) == ("adjudication", None)
    assert decisions(session, 2) == []
    view = reading.view(session, 2)
    assert (view.own["accuracy"].value, view.own["accuracy"].blind) == (1, True)
    assert human(session, 2) == 2.5
    assert undone(session) == "Decision Accuracy withdrawn on c-0002"
    assert decisions(session, 2) == [("ann", 5)]
    assert redone(session) == "Decision Accuracy withdrawn on c-0002"
    assert (decisions(session, 2), human(session, 2)) == ([], 2.5)
    with pytest.raises(LabelError, match="only whoever decided can take that back"):
        withdraw_decision(session, 2, "accuracy")


def test_undo_of_a_decision_or_a_label_leaves_the_other(session: Session) -> None:
    decide(session, 2, "accuracy", 5)
    undo.undo(session)
    assert (decisions(session, 2), reading.view(session, 2).own["accuracy"].value) == ([], 1)
    session.blind = False
    decide(session, 5, "accuracy", 4)
    entering.commit(session, 5, "accuracy", 2)
    undo.undo(session)
    assert decisions(session, 5) == [("ann", 4)]
    assert "accuracy" not in reading.view(session, 5).own
    undo.redo(session)
    assert reading.view(session, 5).own["accuracy"].value == 2
    undo.undo(session)
    undo.undo(session)
    assert decisions(session, 5) == []


def test_a_second_decision_takes_the_place_of_the_first(session: Session) -> None:
    decide(session, 2, "accuracy", 5, "first")
    decide(session, 2, "accuracy", 4)
    standing = [x for x in reading.view(session, 2).others if x.kind == "adjudication"]
    assert [(x.value, x.comment) for x in standing] == [(4, "first")]
    decide(session, 2, "accuracy", 4, "")
    undo.undo(session)
    undo.undo(session)
    standing = [x for x in reading.view(session, 2).others if x.kind == "adjudication"]
    assert [(x.value, x.comment) for x in standing] == [(5, "first")]


def test_who_may_decide(tmp_path: Path) -> None:
    with opened(tmp_path, as_labeler="bo") as session:
        with pytest.raises(LabelError, match=r"^Only a lead can decide; ann leads this project"):
            decide(session, 2, "accuracy", 5)
        with session.project.write() as conn:
            conn.execute("UPDATE labelers SET role = 'labeler'")
        assert decide(session, 2, "accuracy", 5).after.labeler == "bo"


@pytest.mark.parametrize(
    ("key", "metric", "value", "problem"),
    [
        (2, "accuracy", 9, "Accuracy: "),
        (2, "charm", 3, "no metric 'charm' to label"),
        (99, "accuracy", 3, "no evaluation 99"),
        (7, "accuracy", 3, "You have not scored c-0007 yet"),
    ],
)
def test_what_cannot_be_decided(
    session: Session, key: int, metric: str, value: int, problem: str
) -> None:
    with pytest.raises(LabelError, match=problem):
        decide(session, key, metric, value)
    assert next_undo(session) is None


def test_decisions_come_back_byte_for_byte(session: Session, tmp_path: Path) -> None:
    decide(session, 2, "accuracy", 5, "why")
    decide(session, 3, "accuracy", 1)
    withdraw_decision(session, 3, "accuracy")
    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    exporting.export(session.project, file, ExportRequest(), Silent())
    lines: dict[str, Any] = {x["id"]: x for x in map(json.loads, file.read_text().splitlines())}
    assert [x["kind"] for x in lines["c-0002"]["labels"] if "blind" in x][-1] == "adjudication"
    importing.run(
        tmp_path / "copy.review", importing.ImportRequest((file,), rubric=RUBRIC), Silent()
    )
    with Project.open(tmp_path / "copy.review") as copy:
        exporting.export(copy, again, ExportRequest(), Silent())
        rows = exporting.preview(copy, ExportRequest(what="disagreements")).rows
    assert again.read_bytes() == file.read_bytes()
    assert {(x["id"], x["human"]) for x in rows if x["metric"] == "accuracy"} >= {("c-0002", 5)}
    assert "c-0003" not in {x["id"] for x in rows if x["metric"] == "accuracy"}
