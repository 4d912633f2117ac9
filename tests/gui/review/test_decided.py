"""What keys on Review do where the lead who presses them has decided: the decision stays."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from reviewer.domain.evaluation import Label
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.adjudicating import decisions
from reviewer.services.computer.settings import Settings
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project

HISTORY = 3
METRICS = [metric.name for metric in RUBRIC.metrics]


def decided(path: Path, first: str) -> Path:
    """Two people gave 5 and 1 to the one response, and then the lead, "lea", decided 4."""
    build_project(path, evaluations=1)
    with closing(Session.open(path, "lea")) as lead:
        entering.reveal(lead, 1)
        for name, value in ((first, 5), ("bo", 1)):
            with closing(Session.open(path, name)) as session:
                for metric in METRICS:
                    entering.commit(session, 1, metric, value)
        decisions.decide(lead, 1, METRICS[0], 4)
    return path


def human(path: Path) -> float | None:
    """The human score as `stats` has it."""
    with closing(Session.open(path, "lea")) as session:
        document = statistics.compute(session.project, StatsRequest())
    return document.metrics[METRICS[0]].gaps.human_mean


def open_page(window: MainWindow, path: Path) -> ReviewPage:
    assert window.open_project(path)
    page = window.page
    assert isinstance(page, ReviewPage)
    assert page.scores.focus == METRICS[0]
    return page


def press(window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key)


def hold(
    window: MainWindow, key: Qt.Key, also: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    modifiers = Qt.KeyboardModifier.ControlModifier | also
    QTest.keyClick(window.focusWidget() or window, key, modifiers)


def own(page: ReviewPage) -> Label | None:
    assert page.view is not None
    return page.view.own.get(METRICS[0])


@pytest.fixture
def settings(settings: Settings) -> Settings:
    settings.set("labeler", "lea")
    return settings


def test_backspace_takes_the_label_back_and_the_decision_stays(
    window: MainWindow, tmp_path: Path
) -> None:
    path = decided(tmp_path / "two.review", "lea")
    assert human(path) == 4
    page = open_page(window, path)
    press(window, Qt.Key.Key_Backspace)
    assert (own(page), human(path)) == (None, 4)
    hold(window, Qt.Key.Key_Z)
    label = own(page)
    assert label is not None
    assert (label.value, human(path)) == (5, 4)
    hold(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ShiftModifier)
    assert (own(page), human(path)) == (None, 4)


def test_a_comment_without_a_label_ends_no_decision(window: MainWindow, tmp_path: Path) -> None:
    path = decided(tmp_path / "two.review", "ann")
    page = open_page(window, path)
    notes: list[str] = []
    page.noted.connect(notes.append)
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "look again")
    press(window, Qt.Key.Key_Return)
    said = own(page)
    assert said is not None
    assert (said.comment, said.counts, human(path)) == ("look again", False, 4)
    press(window, Qt.Key.Key_Backspace)
    assert notes == ["There is no label to take back."]
    hold(window, Qt.Key.Key_Z)
    assert (own(page), human(path)) == (None, 4)


def test_the_history_tells_what_ended_and_what_came_back(
    window: MainWindow, tmp_path: Path
) -> None:
    path = decided(tmp_path / "two.review", "ann")
    page = open_page(window, path)
    assert window.session is not None
    decisions.withdraw_decision(window.session, 1, METRICS[0])
    hold(window, Qt.Key.Key_Z)
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "hm")
    press(window, Qt.Key.Key_Return)
    page.case.header.choose_tab(HISTORY)
    told = [x.text() for x in page.case.history.findChildren(QLabel) if "Relevance" in x.text()]
    assert [line.partition("Relevance: ")[2] for line in told[:4]] == [
        "comment",
        "decided 4 (again) · auto score visible",
        "decision withdrawn · auto score visible",
        "decided 4 · auto score visible",
    ]
