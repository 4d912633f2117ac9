"""What a stranger's hand did, and where its answers have to go."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from reviewer.gui.review.level_button import LevelButton
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.building import RUBRIC
from tests.gui.review.test_clicks import click

METRICS = [metric.name for metric in RUBRIC.metrics]
Key = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window: MainWindow, settings: Settings, project: Path) -> ReviewPage:
    settings.set("labeler", "ann")
    assert window.open_project(project)
    shown = window.page
    assert isinstance(shown, ReviewPage)
    return shown


def press(page: ReviewPage, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or page.window(), key)


def stored(path: Path, key: int = 1) -> dict[str, object]:
    with closing(Session.open(path, "ann")) as session:
        own = reading.view(session, key).own
    return {name: x.value for name, x in own.items() if x.counts}


def in_view(page: ReviewPage) -> int:
    assert page.view is not None
    return page.view.evaluation.key


@pytest.mark.parametrize("way", ["F6", "list", "undo"])
def test_space_after_a_digit_is_next_wherever_the_focus_was(
    page: ReviewPage, project: Path, way: str
) -> None:
    if way == "undo":
        page.scores.undo.setFocus(Qt.FocusReason.TabFocusReason)
    elif way == "list":
        page.queue.view.list.setFocus(Qt.FocusReason.TabFocusReason)
    else:
        page.panes()[2].setFocus(Qt.FocusReason.TabFocusReason)
        assert isinstance(QApplication.focusWidget(), LevelButton)
    press(page, Key.Key_4, Key.Key_Space)
    assert in_view(page) == 2
    assert stored(project) == {METRICS[0]: 4}
    press(page, Key.Key_5, Key.Key_Space)
    assert (stored(project, 2), stored(project, 3)) == ({METRICS[0]: 5}, {})


def test_after_a_correction_the_next_digit_is_for_what_is_open(
    page: ReviewPage, project: Path
) -> None:
    press(page, Key.Key_4, Key.Key_5)
    click(page.scores.cards[METRICS[0]])
    press(page, Key.Key_3, Key.Key_2)
    assert stored(project) == dict(zip(METRICS, (3, 5, 2), strict=True))


def test_from_the_last_metric_one_goes_to_what_was_left_open(
    page: ReviewPage, project: Path
) -> None:
    press(page, Key.Key_Down, Key.Key_Down, Key.Key_3, Key.Key_4, Key.Key_5)
    assert stored(project) == dict(zip(METRICS, (4, 5, 3), strict=True))


def test_what_is_answered_whole_is_not_made_not_applicable_by_one_key(
    page: ReviewPage, window: MainWindow, project: Path
) -> None:
    press(page, Key.Key_4, Key.Key_5, Key.Key_3)
    whole = stored(project)
    press(page, Key.Key_X)
    assert stored(project) == whole
    told = window.notices.notices[-1].text
    assert told.endswith("Press again to change it to not applicable.")
    metric = page.scores.focus
    press(page, Key.Key_X)
    assert set(whole) - set(stored(project)) == {metric}


def test_a_second_comment_goes_on_where_the_first_ends(page: ReviewPage, project: Path) -> None:
    press(page, Key.Key_4, Key.Key_C)
    QTest.keyClicks(page.scores.comment, "first")
    press(page, Key.Key_Return, Key.Key_C)
    QTest.keyClicks(page.scores.comment, ", second")
    press(page, Key.Key_Return)
    with closing(Session.open(project, "ann")) as session:
        assert reading.view(session, 1).own[METRICS[0]].comment == "first, second"


@pytest.mark.parametrize("name", ["Dismiss", "Read the whole notice", "Search", "Labeler"])
def test_a_click_on_the_windows_own_buttons_leaves_the_keys(
    page: ReviewPage, window: MainWindow, project: Path, name: str, settle: Callable[[], None]
) -> None:
    window.notices.note("Something that was said. " * 40)
    settle()
    found = [
        x for x in window.findChildren(QPushButton)
        if x.isVisible() and (x.accessibleName() or x.text()).startswith(name)
    ]  # fmt: skip
    assert len(found) == 1
    before = QApplication.focusWidget()
    if found[0].menu() is None:
        click(found[0])
        press(page, Key.Key_Escape)
    else:
        assert found[0].focusPolicy() == Qt.FocusPolicy.TabFocus
    settle()
    assert QApplication.focusWidget() is before
    press(page, Key.Key_4, Key.Key_Space)
    assert stored(project) == {METRICS[0]: 4}
    assert in_view(page) == 2


def test_what_has_to_stay_is_said_and_is_no_error(page: ReviewPage, window: MainWindow) -> None:
    said: list[str] = []
    page.failed.connect(said.append)
    press(page, Key.Key_R, Key.Key_R)
    assert page.view is not None
    assert not page.view.hidden
    assert not window.notices.notices, "what was asked is done"
    press(page, Key.Key_R)
    assert window.notices.notices[-1].text == "The auto scores are shown already."
    QTest.keyClick(window, Key.Key_Z, CTRL)
    assert said == []
    assert "cannot be taken back" in window.notices.notices[-1].text


def test_escape_lets_go_of_a_filter_but_not_of_the_run(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    view.set_filter('run:"agent v7" zyzzyva')
    settle()
    press(page, Key.Key_Escape)
    settle()
    assert view.filter.text() == 'run:"agent v7"'
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "gap:>1")
    QTest.keyClick(view.edit, Key.Key_Escape)
    settle()
    assert (view.filter.text(), view.problem.text()) == ('run:"agent v7"', "")
