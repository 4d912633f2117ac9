"""What other windows and processes write leaves alone what somebody works on here."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.cli.main import main
from reviewer.gui.review.acts import NOTHING
from reviewer.gui.review.claims_view import JudgeView
from reviewer.gui.review.header import JUDGE
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.queue_side import EMPTY
from reviewer.gui.window import MainWindow
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.store import shares
from reviewer.store.shares import Arrived
from tests.building import RUBRIC, build_project, record

UNJUDGED = 2
LONG = "\n\n".join(f"Paragraph {n} about the pool." for n in range(200))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records = [record(n, response=LONG if n == 1 else f"Answer {n}") for n in range(1, 7)]
    records[UNJUDGED - 1]["scores"] = []
    return build_project(tmp_path / "shared.review", evaluations=records)


@pytest.fixture
def page(window: MainWindow, path: Path, settle: Callable[[], None]) -> ReviewPage:
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(path)
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


@pytest.fixture
def poll(window: MainWindow) -> Callable[[], None]:
    def look() -> None:
        assert window.session is not None
        assert window.session.poll()

    return look


@pytest.fixture
def bring(path: Path, tmp_path: Path, poll: Callable[[], None]) -> Callable[..., None]:
    """Import records as another process does, and look."""

    def go(*records: dict[str, object], conflict: str = "skip") -> None:
        file = tmp_path / "more.jsonl"
        file.write_text("\n".join(json.dumps(x | {"run": "agent v7"}) for x in records))
        assert main(["import", str(path), str(file), "--on-conflict", conflict]) == 0
        poll()

    return go


def press(window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key)


def key_of(page: ReviewPage) -> int:
    assert page.view is not None
    return page.view.evaluation.key


def own_values(page: ReviewPage) -> dict[str, object]:
    assert page.view is not None
    return {name: entry.value for name, entry in page.view.own.items() if entry.counts}


def scroll_down(page: ReviewPage, qtbot: QtBot) -> int:
    bar = page.case.conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 300)
    bar.setValue(300)
    return bar.value()


def test_the_metric_in_focus_and_the_text_stay(
    page: ReviewPage, window: MainWindow, qtbot: QtBot, bring: Callable[..., None]
) -> None:
    page.scores.set_focus_on("safety")
    before = page.case.conversation.texts
    place = scroll_down(page, qtbot)
    bring(record(7))
    QApplication.processEvents()
    assert page.queue.model.rowCount() == 7
    assert page.scores.focus == "safety"
    assert page.case.conversation.texts == before
    assert page.case.conversation.verticalScrollBar().value() == place
    press(window, Qt.Key.Key_2)
    assert own_values(page) == {"safety": 2}


def test_a_comment_being_typed_is_neither_saved_nor_moved(
    page: ReviewPage, window: MainWindow, bring: Callable[..., None]
) -> None:
    page.scores.set_focus_on("safety")
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "half a com")
    bring(record(7))
    assert page.view is not None
    assert not page.view.own
    assert page.scores.comment.hasFocus()
    QTest.keyClicks(page.scores.comment, "ment")
    press(window, Qt.Key.Key_Return)
    assert {name: x.comment for name, x in page.view.own.items()} == {"safety": "half a comment"}


def test_the_clock_of_the_next_label_runs_on(
    page: ReviewPage,
    window: MainWindow,
    bring: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("reviewer.gui.review.acts.time", now)
    page.open_evaluation(2)
    now.monotonic = lambda: 130.0
    bring(record(7))
    now.monotonic = lambda: 145.0
    press(window, Qt.Key.Key_4)
    assert page.view is not None
    assert page.view.own["relevance"].seconds == 45.0


def test_another_text_of_the_response_is_shown(
    page: ReviewPage, window: MainWindow, bring: Callable[..., None]
) -> None:
    page.scores.set_focus_on("accuracy")
    bring(record(1, response="Another answer"), conflict="replace")
    assert page.case.conversation.texts[-1].stored == "Another answer"
    assert page.scores.focus == "accuracy"
    press(window, Qt.Key.Key_2)
    assert own_values(page) == {"accuracy": 2}


def test_new_level_texts_keep_the_metric_and_the_comment(
    page: ReviewPage, window: MainWindow, path: Path, poll: Callable[[], None]
) -> None:
    page.scores.set_focus_on("safety")
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "half a com")
    clearer = [replace(x, description=f"Whether {x.name}") for x in RUBRIC.metrics]
    with closing(Session.open(path, "bo")) as other:
        rubrics.save_version(other.project, replace(RUBRIC, metrics=tuple(clearer)))
    poll()
    assert page.scores.cards["safety"].subject.description == "Whether safety"
    assert page.scores.focus == "safety"
    assert page.scores.comment.hasFocus()
    QTest.keyClicks(page.scores.comment, "ment")
    press(window, Qt.Key.Key_Return, Qt.Key.Key_5)
    assert page.view is not None
    assert page.view.own["safety"].comment == "half a comment"
    assert own_values(page) == {"safety": 5}


def test_a_metric_that_goes_says_so_of_its_comment(
    page: ReviewPage, window: MainWindow, path: Path, poll: Callable[[], None]
) -> None:
    page.scores.set_focus_on("safety")
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "half a com")
    with closing(Session.open(path, "bo")) as other:
        rubrics.save_version(other.project, replace(RUBRIC, metrics=RUBRIC.metrics[:2]))
    poll()
    assert list(page.scores.cards) == ["relevance", "accuracy"]
    assert page.scores.focus == "relevance"
    assert page.scores.comment.text() == ""
    assert "no metric 'safety'" in " ".join(x.text for x in window.notices.notices)


def test_what_the_judge_tab_shows_stays_where_it_was_scrolled(
    page: ReviewPage, window: MainWindow, qtbot: QtBot, bring: Callable[..., None]
) -> None:
    press(window, Qt.Key.Key_R, Qt.Key.Key_R, Qt.Key.Key_V)
    qtbot.waitUntil(lambda: page.case.findChild(JudgeView) is not None)
    tab = page.case.findChild(JudgeView)
    assert isinstance(tab, JudgeView)
    before = tab.widget()
    bring(record(7))
    assert page.case.stack.currentIndex() == JUDGE
    assert tab.widget() is before
    press(window, Qt.Key.Key_4)
    assert tab.widget() is before


def test_a_response_that_goes_makes_room_for_the_next(
    page: ReviewPage,
    window: MainWindow,
    path: Path,
    bring: Callable[..., None],
    poll: Callable[[], None],
) -> None:
    bring(record(7))
    page.open_evaluation(7)
    assert main(["import", str(path), "--undo", "2"]) == 0
    poll()
    assert key_of(page) == 1
    assert not window.notices.notices


def test_where_every_response_goes_nothing_is_shown_or_labelled(
    page: ReviewPage, window: MainWindow, path: Path, poll: Callable[[], None]
) -> None:
    press(window, Qt.Key.Key_4, Qt.Key.Key_R, Qt.Key.Key_R)
    window.notices.clear()
    assert main(["import", str(path), "--undo", "1", "--keep", "nothing"]) == 0
    poll()
    assert page.view is None
    assert page.case.nothing.text() == EMPTY
    assert not page.case.stack.isVisible()
    assert not page.scores.isEnabled()
    card = page.scores.cards["relevance"]
    assert (card.state.own, card.state.auto) == (None, None)
    for key in (Qt.Key.Key_3, Qt.Key.Key_Y):
        window.notices.clear()
        press(window, key)
        assert [x.text for x in window.notices.notices] == [NOTHING]
    press(window, Qt.Key.Key_S, Qt.Key.Key_X, Qt.Key.Key_Space, Qt.Key.Key_C)
    QTest.keyClicks(page, "x")
    assert {x.text for x in window.notices.notices} <= {NOTHING}


def test_responses_that_come_back_are_shown_again(
    page: ReviewPage,
    window: MainWindow,
    path: Path,
    bring: Callable[..., None],
    poll: Callable[[], None],
) -> None:
    assert main(["import", str(path), "--undo", "1"]) == 0
    poll()
    bring(record(8))
    assert page.view is not None
    assert page.view.evaluation.id == "c-0008"
    assert page.scores.isEnabled()
    press(window, Qt.Key.Key_4)
    assert own_values(page) == {"relevance": 4}


def test_nobody_is_led_back_into_their_queue(
    page: ReviewPage,
    window: MainWindow,
    path: Path,
    bring: Callable[..., None],
    poll: Callable[[], None],
) -> None:
    assert window.session is not None
    plan = QueuePlan(name="Mine", sampling=Sampling.RANDOM, n=2, seed=1)
    making.create(window.session, plan)
    page.open_list(queue="Mine")
    assert page.queue.given == "Mine"
    outside = next(n for n in range(2, 7) if page.queue.model.place_of(n) is None)
    page.open_evaluation(outside)
    page.scores.set_focus_on("safety")
    bring(record(7))
    assert (key_of(page), page.scores.focus) == (outside, "safety")
    with closing(Session.open(path, "bo")) as other:
        profiles.add(other, "cy")
    poll()
    assert (key_of(page), page.scores.focus) == (outside, "safety")
    assert page.queue.given == "Mine"


def test_at_the_end_of_a_queue_what_is_open_comes_again(
    page: ReviewPage, window: MainWindow
) -> None:
    assert window.session is not None
    plan = QueuePlan(name="Mine", sampling=Sampling.RANDOM, n=2, seed=1)
    making.create(window.session, plan)
    page.open_list(queue="Mine")
    first = key_of(page)
    press(window, Qt.Key.Key_J)
    second = key_of(page)
    assert second != first
    press(window, Qt.Key.Key_J)
    assert key_of(page) == first


def test_scores_that_a_hub_brings_after_the_answer_are_on_card_live_and_row(
    page: ReviewPage, window: MainWindow, path: Path, settle: Callable[[], None],
    poll: Callable[[], None],
) -> None:  # fmt: skip
    page.queue.view.set_filter("state:new")
    settle()
    page.open_evaluation(UNJUDGED)
    press(window, Qt.Key.Key_5, Qt.Key.Key_4, Qt.Key.Key_3)
    place = page.queue.model.place_of(UNJUDGED)
    assert place is not None
    assert page.queue.model.row(place).gap is None
    with closing(Session.open(path, "bo")) as other:
        arrived = Arrived(UNJUDGED, (1, "agent v7"), {"scores": record(UNJUDGED)["scores"]})
        shares.unite(other.project, [arrived], lambda *_: None)
    poll()
    settle()
    auto = page.scores.cards["accuracy"].state.auto
    assert auto is not None
    assert page.scores.sight.text() == "auto shown"
    figures = page.figures.case.metrics["accuracy"]
    assert (figures.auto, figures.gap) == (auto.value, 0)
    # what was answered is new no more, but nobody's list moves for scores
    assert page.queue.model.place_of(UNJUDGED) == place
    assert page.queue.model.row(place).gap is not None


def test_selected_rows_stay_selected(
    page: ReviewPage, path: Path, poll: Callable[[], None]
) -> None:
    page.queue.view.list.selectAll()
    with closing(Session.open(path, "bo")) as other:
        profiles.add(other, "cy")
    poll()
    assert len(page.queue.view.selected()) == 6
