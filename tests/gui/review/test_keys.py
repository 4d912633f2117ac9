"""Where keys go: they label while one reads, whatever tab is shown, and no field catches them."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.review.acts import DONE_ANYWAY, OUT_OF_SIGHT
from reviewer.gui.review.header import JUDGE
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.scores_view import MOST
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.building import build_project

CONTEXT, EXPECTED, HISTORY = 1, 2, 3
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def open_page(window: MainWindow, path: Path) -> ReviewPage:
    assert window.open_project(path)
    page = window.page
    assert isinstance(page, ReviewPage)
    return page


def press(
    window: MainWindow, *keys: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key, held)


def own_values(page: ReviewPage) -> dict[str, object]:
    assert page.view is not None
    return {name: entry.value for name, entry in page.view.own.items() if entry.counts}


def test_tab_past_the_last_metric_lands_on_next(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    press(window, *[Qt.Key.Key_Tab] * 3)
    assert page.scores.focus == "safety"
    assert page.scores.next.hasFocus()
    press(window, Qt.Key.Key_Backtab, held=SHIFT)
    assert page.scores.focus == "accuracy"
    press(window, Qt.Key.Key_2)
    assert own_values(page) == {"accuracy": 2}
    assert page.view is not None
    first = page.view.evaluation.key
    press(window, Qt.Key.Key_Space)
    assert page.view.evaluation.key != first
    press(window, Qt.Key.Key_Tab, Qt.Key.Key_3)
    assert own_values(page) == {"accuracy": 3}


@pytest.mark.parametrize("tab", [CONTEXT, EXPECTED, HISTORY, JUDGE])
def test_nothing_is_answered_out_of_sight_of_the_response(
    window: MainWindow, project: Path, tab: int
) -> None:
    page = open_page(window, project)
    page.case.header.choose_tab(tab)
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "why")
    press(window, Qt.Key.Key_Return, Qt.Key.Key_4, Qt.Key.Key_Y, Qt.Key.Key_Equal)
    assert own_values(page) == {}
    assert window.notices.notices[-1].text == OUT_OF_SIGHT
    press(window, Qt.Key.Key_Escape, Qt.Key.Key_4)
    assert page.case.conversation.isVisible()
    assert own_values(page) == {"relevance": 4}


@pytest.mark.parametrize("tab", [CONTEXT, EXPECTED, HISTORY, JUDGE])
def test_the_next_response_is_read_first(window: MainWindow, project: Path, tab: int) -> None:
    page = open_page(window, project)
    page.case.header.choose_tab(tab)
    press(window, Qt.Key.Key_J)
    assert page.case.conversation.isVisible()
    press(window, Qt.Key.Key_4)
    assert own_values(page) == {"relevance": 4}


def test_one_key_leads_to_the_judges_reasons_and_back(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    press(window, Qt.Key.Key_V)
    assert page.case.stack.currentIndex() == JUDGE
    press(window, Qt.Key.Key_V)
    assert page.case.conversation.isVisible()


def test_find_shows_the_conversation_it_searches(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    press(window, Qt.Key.Key_R, Qt.Key.Key_R, Qt.Key.Key_V)
    assert not page.case.conversation.isVisible()
    press(window, Qt.Key.Key_F, held=CONTROL)
    assert page.case.header.search.hasFocus()
    assert page.case.conversation.isVisible()
    press(window, Qt.Key.Key_Escape)
    assert page.case.conversation.hasFocus()


@pytest.mark.parametrize("tab", [0, CONTEXT, EXPECTED, HISTORY, JUDGE])
def test_the_next_pane_is_what_the_tab_shows(window: MainWindow, project: Path, tab: int) -> None:
    page = open_page(window, project)
    page.case.header.choose_tab(tab)
    page.queue.view.list.setFocus()
    press(window, Qt.Key.Key_F6)
    focused = window.focusWidget()
    assert focused is not None
    assert page.case.stack.isAncestorOf(focused)


def test_the_end_of_the_list_is_said(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    notes: list[str] = []
    page.noted.connect(notes.append)
    for _ in range(page.queue.view.list.model().rowCount()):
        press(window, Qt.Key.Key_J)
    assert notes[-1:] == ["That was the last evaluation of this queue."]


def test_nothing_to_withdraw_is_no_error(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    failures: list[str] = []
    notes: list[str] = []
    page.failed.connect(failures.append)
    page.noted.connect(notes.append)
    press(window, Qt.Key.Key_Backspace)
    assert (failures, notes) == ([], ["There is no label to take back."])


def test_of_very_many_metrics_the_first_have_cards(window: MainWindow, tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(MOST + 20)]
    levels = tuple(Level(value=value) for value in (1, 2, 3))
    metrics = tuple(Metric(name=name, levels=levels) for name in names)
    scores = [{"metric": name, "value": 2} for name in names]
    path = build_project(
        tmp_path / "wide.review",
        evaluations=[{"id": "a", "input": "x", "response": "y", "scores": scores}],
        rubric=Rubric(name="wide", metrics=metrics),
    )
    page = open_page(window, path)
    assert list(page.scores.cards) == names[:MOST]
    assert page.scores.left_out.text().startswith("The first 100 of 120 metrics are shown")
    press(window, Qt.Key.Key_3)
    assert own_values(page) == {"m0": 3}
    window.close_project()
    page = open_page(window, build_project(tmp_path / "small.review", evaluations=1))
    assert page.scores.left_out.isHidden()


def test_return_in_the_filter_lets_keys_label_and_go_on(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    press(window, Qt.Key.Key_Slash)
    QTest.keyClicks(page.queue.view.edit, "gap>")
    press(window, Qt.Key.Key_Return)
    assert page.queue.view.edit.hasFocus()
    page.queue.view.edit.clear()
    QTest.keyClicks(page.queue.view.edit, "state:open")
    press(window, Qt.Key.Key_Return, Qt.Key.Key_4)
    assert own_values(page) == {"relevance": 4}
    assert page.view is not None
    first = page.view.evaluation.key
    press(window, Qt.Key.Key_Space)
    assert page.view.evaluation.key != first


def test_what_others_do_leads_nobody_elsewhere(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    session = window.session
    assert session is not None
    page.queue.view.set_filter("state:open")
    press(window, Qt.Key.Key_4, Qt.Key.Key_2, Qt.Key.Key_5)
    assert page.view is not None
    first = page.view.evaluation.key
    with closing(Session.open(project, "bo")) as other:
        profiles.add(other, "cy")
    session.poll()
    assert page.queue.model.place_of(first) is None
    assert page.view.evaluation.key == first
    press(window, Qt.Key.Key_Space)
    assert page.view.evaluation.key == first + 1


def test_another_page_and_back_keeps_the_metric(window: MainWindow, project: Path) -> None:
    page = open_page(window, project)
    page.case.conversation.setFocus()
    press(window, Qt.Key.Key_Down)
    assert page.scores.focus == "accuracy"
    for key in (Qt.Key.Key_3, Qt.Key.Key_1):
        press(window, key, held=Qt.KeyboardModifier.AltModifier)
    assert window.page is page
    assert page.scores.focus == "accuracy"


def test_a_digit_beyond_the_scale_says_so(window: MainWindow, tmp_path: Path) -> None:
    levels = tuple(Level(value=value) for value in (1, 2, 3))
    metric = Metric(name="better", title="Better", levels=levels)
    path = build_project(
        tmp_path / "ab.review",
        evaluations=[{"id": "a", "input": "x", "response": "y"}],
        rubric=Rubric(name="ab", metrics=(metric,)),
    )
    page = open_page(window, path)
    press(window, Qt.Key.Key_4)
    assert own_values(page) == {}
    told = window.notices.notices[-1].text
    assert told == "Better has 3 levels, so this key sets none of them."
    press(window, Qt.Key.Key_3)
    assert own_values(page) == {"better": 3}


def test_skipping_what_is_answered_says_that_it_counts_all_the_same(
    window: MainWindow, project: Path
) -> None:
    page = open_page(window, project)
    press(window, Qt.Key.Key_S)
    assert DONE_ANYWAY not in [notice.text for notice in window.notices.notices]
    assert page.view is not None
    key = page.view.evaluation.key
    press(window, Qt.Key.Key_4, Qt.Key.Key_4, Qt.Key.Key_4, Qt.Key.Key_S)
    assert page.view.evaluation.key != key
    assert window.notices.notices[-1].text == DONE_ANYWAY
    # the mark goes again without a word
    page.open_evaluation(key)
    window.notices.clear()
    press(window, Qt.Key.Key_S)
    assert window.notices.notices == ()
