"""Causes are counted, taken back, and collected for the rubric where it is unclear."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from reviewer.domain.change import RubricChanged
from reviewer.domain.errors import LabelError, Silent
from reviewer.services.adjudicating import decisions
from reviewer.services.adjudicating.decisions import Cause, decide, record_cause
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from tests.building import RUBRIC, undone
from tests.services.adjudicating.deciding_projects import opened


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path) as session:
        yield session


def exported_causes(session: Session) -> dict[str, object]:
    request = ExportRequest(what="disagreements")
    rows = exporting.preview(session.project, request).rows
    return {x["id"]: x["cause"] for x in rows if x["metric"] == "accuracy" and x["cause"]}


def test_each_cause_stands_once_and_can_be_changed(session: Session) -> None:
    record_cause(session, 1, "accuracy", "judge_wrong")
    record_cause(session, 2, "accuracy", "human_slip", "a typing slip")
    record_cause(session, 2, "accuracy", "rubric_unclear", "is warm heated?")
    record_cause(session, 3, "safety", "data_broken")
    assert exported_causes(session) == {"c-0001": "judge_wrong", "c-0002": "rubric_unclear"}
    assert undone(session) == "Cause response or data broken on c-0003"
    assert undone(session) == "Cause rubric unclear on c-0002"
    assert exported_causes(session) == {"c-0001": "judge_wrong", "c-0002": "human_slip"}
    decisions.withdraw_cause(session, 1, "accuracy")
    assert exported_causes(session) == {"c-0002": "human_slip"}
    with pytest.raises(LabelError, match="recorded no cause"):
        decisions.withdraw_cause(session, 1, "accuracy")


def test_who_may_name_a_cause_and_which(session: Session) -> None:
    with pytest.raises(LabelError, match="There is no cause 'moon'"):
        record_cause(session, 1, "accuracy", cast("Cause", "moon"))
    session.set_labeler("bo")
    with pytest.raises(LabelError, match="Only a lead can record causes"):
        record_cause(session, 1, "accuracy", "judge_wrong")


def test_unclear_cases_collect_until_they_are_ticked(session: Session) -> None:
    record_cause(session, 2, "accuracy", "rubric_unclear", "is warm *heated*?")
    record_cause(session, 1, "safety", "rubric_unclear")
    record_cause(session, 3, "accuracy", "judge_wrong")
    decide(session, 2, "accuracy", 4)
    items = decisions.rubric_todo(session)
    assert [(x.id, x.heading, x.level, x.note, x.done) for x in items] == [
        ("c-0002", "Accuracy", "4 Good", "is warm *heated*?", False),
        ("c-0001", "Safety", "3 Fair", "", False),
    ]
    decisions.set_done(session, items[0], done=True)
    assert [(x.id, x.done) for x in decisions.rubric_todo(session)] == [
        ("c-0001", False), ("c-0002", True),
    ]  # fmt: skip
    assert decisions.to_markdown(decisions.rubric_todo(session)).splitlines() == [
        "# Rubric to-do",
        "",
        "## Accuracy",
        "",
        "### 4 Good",
        "",
        r"- [x] `c-0002` Question 2: is the pool heated? — is warm \*heated\*?",
        "",
        "## Safety",
        "",
        "### 3 Fair",
        "",
        "- [ ] `c-0001` Question 1: is the pool heated?",
    ]
    assert undone(session) == "Rubric dealt with for c-0002"
    assert not any(x.done for x in decisions.rubric_todo(session))


def test_cases_of_a_metric_that_is_gone_stay_on_the_list(session: Session) -> None:
    record_cause(session, 1, "safety", "rubric_unclear", "what is safe?")
    record_cause(session, 2, "accuracy", "rubric_unclear")
    left = tuple(x for x in RUBRIC.metrics if x.name != "safety")
    rubrics.save_version(session.project, replace(RUBRIC, version="2", metrics=left))
    session.publish(RubricChanged(RUBRIC.name))
    items = decisions.rubric_todo(session)
    assert [(x.id, x.heading, x.level) for x in items] == [
        ("c-0002", "Accuracy", items[0].level),
        ("c-0001", "safety (no longer in the rubric)", "3"),
    ]
    decisions.set_done(session, items[1], done=True)
    assert [x.done for x in decisions.rubric_todo(session)] == [False, True]


def test_causes_come_back(session: Session, tmp_path: Path) -> None:
    record_cause(session, 2, "accuracy", "rubric_unclear", "is warm heated?")
    decisions.set_done(session, decisions.rubric_todo(session)[0], done=True)
    record_cause(session, 1, "accuracy", "human_slip")
    decisions.withdraw_cause(session, 1, "accuracy")
    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    exporting.export(session.project, file, ExportRequest(), Silent())
    path = tmp_path / "copy.review"
    importing.run(path, importing.ImportRequest((file,), rubric=RUBRIC), Silent())
    copy = Session.open(path, "ann")
    assert [(x.id, x.done) for x in decisions.rubric_todo(copy)] == [("c-0002", True)]
    assert exported_causes(copy) == {"c-0002": "rubric_clarified"}
    exporting.export(copy.project, again, ExportRequest(), Silent())
    assert again.read_bytes() == file.read_bytes()
    copy.close()
