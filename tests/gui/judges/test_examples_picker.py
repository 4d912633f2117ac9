"""Suggested examples in the window: offered, checked, kept for their metric, never held out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.judges.examples_picker import NOTHING, ExamplesPicker
from reviewer.gui.page import around
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session
from reviewer.store import splits
from tests.building import build_project, record
from tests.services.aligning.judged_projects import said, scored, two_judges


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session.open(
        build_project(tmp_path / "judged.review", evaluations=two_judges()), "Lead"
    )
    opened.blind = False
    yield opened
    opened.close()


def shown(qtbot: QtBot, window: MainWindow, session: Session) -> ExamplesPicker:
    made = ExamplesPicker(around(window.surroundings, session))
    qtbot.addWidget(made)
    made.resize(360, 500)
    made.show()
    QTest.mouseClick(made.unfold, Qt.MouseButton.LeftButton)
    assert made.is_open
    return made


@pytest.fixture
def picker(qtbot: QtBot, window: MainWindow, session: Session) -> ExamplesPicker:
    return shown(qtbot, window, session)


def test_cases_are_offered_and_checked(
    picker: ExamplesPicker, session: Session, settle: Callable[[], None]
) -> None:
    picker.show_metric("accuracy", judge="judge@1")
    settle()
    assert len(picker.boxes) == 6
    assert not picker.chosen
    changes: list[tuple[int, ...]] = []
    picker.changed.connect(lambda: changes.append(picker.chosen))
    first, second = list(picker.boxes)[:2]
    picker.boxes[first].setFocus()
    QTest.keyClick(picker.boxes[first], Qt.Key.Key_Space)
    assert changes == [(first,)]
    assert picker.count.text() == "1 chosen"
    assert picker.boxes[first].text().startswith("people ")
    parts = splits.parts(session.project.conn)
    assert {parts[key] for key in picker.boxes} == {"dev"}
    # hidden and shown again, what is checked stays so
    picker.toggle()
    picker.toggle()
    settle()
    assert picker.chosen == (first,)
    picker.boxes[second].click()
    assert list(picker.chosen) == [first, second]


def test_each_metric_keeps_its_own(picker: ExamplesPicker, settle: Callable[[], None]) -> None:
    picker.show_metric("accuracy", judge="judge@1")
    settle()
    first = next(iter(picker.boxes))
    picker.boxes[first].click()
    picker.show_metric("safety")
    settle()
    assert not picker.chosen
    assert picker.state.text() == NOTHING
    picker.show_metric("accuracy", judge="judge@1")
    settle()
    assert picker.chosen == (first,)


def test_nothing_is_looked_for_while_folded(
    picker: ExamplesPicker, session: Session, settle: Callable[[], None]
) -> None:
    picker.toggle()
    picker.show_metric("accuracy", judge="judge@1")
    settle()
    assert not picker.boxes
    assert not splits.parts(session.project.conn)
    picker.toggle()
    settle()
    assert len(picker.boxes) == 6


def test_a_wrong_judge_is_said(picker: ExamplesPicker, settle: Callable[[], None]) -> None:
    told: list[str] = []
    picker.failed.connect(told.append)
    picker.show_metric("accuracy", judge="nobody")
    settle()
    assert told == [picker.state.text()]
    assert "There is no scorer 'nobody'" in told[0]


def test_hostile_texts_are_shown_as_they_are(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    rows = [
        record(number, input="<b>Bold?</b>\n" * 50, response="<img src=x>" * 400,
               scores=[scored(5)], labels=[said(1, comment="<i>No</i>")])
        for number in (1, 2)
    ]  # fmt: skip
    rows[1] |= {"input": "Another", "response": "Text"}
    path = build_project(tmp_path / "hostile.review", evaluations=rows)
    opened = Session.open(path, "Lead")
    opened.blind = False
    picker = shown(qtbot, window, opened)
    picker.show_metric("accuracy")
    settle()
    assert len(picker.boxes) == 1
    assert picker.width() <= 400
    opened.close()
