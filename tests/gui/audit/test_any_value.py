"""A lead decides values that no key and no button sets."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

KINDS = tuple(f"kind {n}" for n in range(1, 13))
RUBRIC = Rubric(
    name="wide",
    pass_rule="every",
    metrics=(
        Metric(name="hundred", levels=tuple(Level(value=n) for n in range(1, 101)), pass_at=60),
        Metric(name="share", scale="range", min=0, max=100, pass_at=50),
        Metric(name="kind", scale="categorical", values=KINDS),
        Metric(name="five", levels=tuple(Level(value=n) for n in range(1, 6)), pass_at=3),
    ),
)
AUTO = {"hundred": 40, "share": 12.5, "kind": "kind 1", "five": 5}
HUMAN = {"hundred": 73, "share": 80.5, "kind": "kind 2", "five": 2}


def one(number: int) -> dict[str, object]:
    made = record(number)
    made["scores"] = [{"metric": x, "value": AUTO[x], "scorer": "judge"} for x in AUTO]
    made["labels"] = [
        {"metric": x, "labeler": "ann", "value": HUMAN[x], "kind": "label", "blind": True,
         "at": "2026-11-02T10:00:00Z"}
        for x in HUMAN
    ]  # fmt: skip
    return made


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> Iterator[AuditPage]:
    made = [one(n) for n in range(1, 6)]
    path = build_project(tmp_path / "wide.review", evaluations=made, rubric=RUBRIC)
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    assert isinstance(window.page, AuditPage)
    yield window.page
    settle()


def listed(page: AuditPage, metric: str, settle: Callable[[], None]) -> CasesSide:
    page.scope.choose_metric(metric)
    settle()
    page.side.focus_list()
    page.side.cases.table.choose(1)
    return page.side


@pytest.mark.parametrize(
    ("metric", "typed", "value"),
    [("hundred", "57", 57), ("share", "33,3", 33.3), ("kind", "kind 12", "kind 12")],
)
def test_any_value_of_the_scale_can_be_decided(
    page: AuditPage, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch,
    metric: str, typed: str, value: object,
) -> None:  # fmt: skip
    side = listed(page, metric, settle)
    assert side.case.decide.other.isVisible()
    for asking in ("getText", "getItem"):
        monkeypatch.setattr(QInputDialog, asking, lambda *_, **__: (typed, True))
    QTest.keyClick(side.cases.table, Qt.Key.Key_Equal)
    side.cases.table.choose(1)
    assert side.case.case is not None
    assert [x.value for x in side.case.case.decisions] == [value]
    assert side.case.decide.other.isChecked()
    assert typed.replace(",", ".") in side.case.decide.other.text()


def test_what_is_not_on_the_scale_is_refused_in_words(
    page: AuditPage, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    side = listed(page, "share", settle)
    said: list[str] = []
    side.failed.connect(said.append)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("101", True))
    side.case.decide.other.click()
    assert said == ["101 is not on the scale of share: a number from 0 to 100 expected."]
    assert side.case.case is not None
    assert not side.case.case.decisions
    assert not side.case.decide.other.isChecked()


def test_a_scale_whose_every_value_has_a_key_offers_no_other(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    side = listed(page, "five", settle)
    assert not side.case.decide.other.isVisible()
