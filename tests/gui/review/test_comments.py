"""A comment belongs to the metric and the response that it was typed on, wherever one goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session, set_blind
from tests.building import build_project, record

SAID = "this is about A"
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window: MainWindow, project: Path, settle: Callable[[], None]) -> ReviewPage:
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(project)
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def press(window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key)


def write(page: ReviewPage, window: MainWindow, words: str) -> None:
    press(window, Qt.Key.Key_C)
    assert page.scores.comment.hasFocus()
    QTest.keyClicks(page.scores.comment, words)


def comments(path: Path, labeler: str = "ann") -> dict[tuple[int, str], str]:
    """Every comment of a labeler that is on disk, by evaluation and metric."""
    session = Session.open(path, labeler)
    keys = [key for (key,) in session.project.conn.execute("SELECT id FROM evaluations")]
    views = {key: reading.view(session, key) for key in keys}
    session.close()
    return {
        (key, name): entry.comment
        for key, view in views.items()
        for name, entry in view.own.items()
        if entry.comment
    }


def test_after_a_comment_the_next_response_is_labelled_by_keys(
    page: ReviewPage, window: MainWindow
) -> None:
    write(page, window, SAID)
    QTest.keyClick(page.scores.comment, Qt.Key.Key_Return, CONTROL)
    press(window, Qt.Key.Key_4)
    assert page.view is not None
    assert [x.value for x in page.view.own.values()] == [4]
    assert page.scores.comment.text() == ""


@pytest.mark.parametrize("metric", ["relevance", "accuracy"])
def test_going_on_keeps_the_comment_where_it_was_typed(
    page: ReviewPage, window: MainWindow, project: Path, metric: str
) -> None:
    page.scores.set_focus_on(metric)
    write(page, window, SAID)
    QTest.keyClick(page.scores.comment, Qt.Key.Key_Return, CONTROL)
    assert page.view is not None
    assert page.view.evaluation.key == 2
    assert comments(project) == {(1, metric): SAID}
    assert page.scores.comment.text() == ""
    page.scores.comment.clearFocus()
    assert comments(project) == {(1, metric): SAID}


def test_the_field_shows_the_comment_of_the_response_in_view(
    page: ReviewPage, window: MainWindow
) -> None:
    write(page, window, "about one")
    QTest.keyClick(page.scores.comment, Qt.Key.Key_Return, CONTROL)
    write(page, window, "about two")
    page.open_evaluation(1)
    assert page.scores.comment.text() == "about one"
    page.open_evaluation(2)
    assert page.scores.comment.text() == "about two"


def test_a_comment_is_kept_when_the_project_is_closed(
    page: ReviewPage, window: MainWindow, project: Path
) -> None:
    write(page, window, SAID)
    window.close_project()
    assert comments(project) == {(1, "relevance"): SAID}


def test_another_project_shows_nothing_of_a_comment(
    page: ReviewPage, window: MainWindow, tmp_path: Path
) -> None:
    write(page, window, SAID)
    other = build_project(tmp_path / "other.review", evaluations=[record(1)])
    assert window.open_project(other)
    assert page.scores.comment.text() == ""
    page.scores.comment.setFocus()
    page.scores.comment.clearFocus()
    assert comments(other) == {}


@pytest.mark.parametrize(("setting", "value"), [("labeler", "bob"), ("blind", "no")])
def test_a_comment_stays_with_who_typed_it(
    page: ReviewPage, window: MainWindow, project: Path, setting: str, value: str
) -> None:
    write(page, window, SAID)
    if setting == "labeler":
        window.surroundings.settings.set(setting, value)
    else:
        assert window.session is not None
        set_blind(window.session, blind=False)
    assert comments(project) == {(1, "relevance"): SAID}
    assert comments(project, "bob") == {}
    wanted = "" if setting == "labeler" else SAID
    assert page.scores.comment.text() == wanted


def test_labels_of_others_leave_half_a_comment_alone_while_one_looks_elsewhere(
    page: ReviewPage, window: MainWindow, project: Path, qtbot: QtBot
) -> None:
    write(page, window, SAID)
    elsewhere = QWidget()
    qtbot.addWidget(elsewhere)
    elsewhere.show()
    elsewhere.activateWindow()
    qtbot.waitUntil(lambda: not page.scores.comment.hasFocus())
    other = Session.open(project, "bob")
    entering.toggle_flag(other, 1)
    entering.commit(other, 1, "relevance", 3)
    other.close()
    assert window.session is not None
    window.session.poll()
    assert page.scores.comment.text() == SAID
    window.activateWindow()
    qtbot.waitUntil(page.scores.comment.hasFocus)
    press(window, Qt.Key.Key_Return)
    assert comments(project) == {(1, "relevance"): SAID}


def test_who_goes_to_another_metric_labels_it_by_keys(
    page: ReviewPage, window: MainWindow
) -> None:
    write(page, window, SAID)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Down)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_4)
    assert page.view is not None
    assert page.view.own["relevance"].comment == SAID
    assert page.view.own["accuracy"].value == 4
