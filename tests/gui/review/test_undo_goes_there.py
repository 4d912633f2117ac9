"""Undo and redo go where they change something, and what is typed next is about that."""

import json
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.review.acts import SEEN
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import undo as undo_service
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests import windows
from tests.building import RUBRIC, record

METRICS = [metric.name for metric in RUBRIC.metrics]
Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def page(window: MainWindow, settings: Settings, project: Path) -> ReviewPage:
    settings.set("labeler", "ann")
    assert window.open_project(project)
    return page_of(window)


def page_of(window: MainWindow) -> ReviewPage:
    page = window.page
    assert isinstance(page, ReviewPage)
    return page


def press(page: ReviewPage, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(page.window(), key)


def undo(page: ReviewPage) -> None:
    QTest.keyClick(page.window(), Key.Key_Z, CTRL)


def redo(page: ReviewPage) -> None:
    QTest.keyClick(page.window(), Key.Key_Z, CTRL | SHIFT)


def stored(path: Path, evaluation: int) -> dict[str, object]:
    with closing(Session.open(path, "ann")) as session:
        view = reading.view(session, evaluation)
        return {name: label.value for name, label in view.own.items() if label.counts}


def in_view(page: ReviewPage) -> tuple[int, str | None]:
    assert page.view is not None
    return page.view.evaluation.key, page.scores.focus


def said(page: ReviewPage) -> str:
    window = page.window()
    assert isinstance(window, MainWindow)
    return str(window.notices.notices[-1].text)


def test_a_slip_is_corrected_by_two_keys(page: ReviewPage, project: Path) -> None:
    first, _ = in_view(page)
    press(page, Key.Key_5)
    undo(page)
    assert in_view(page) == (first, METRICS[0])
    press(page, Key.Key_2)
    assert stored(project, first) == {METRICS[0]: 2}


def test_it_goes_back_to_the_response_that_was_left(page: ReviewPage, project: Path) -> None:
    first, _ = in_view(page)
    press(page, Key.Key_5, Key.Key_4, Key.Key_3, Key.Key_Space)
    second, _ = in_view(page)
    assert second != first
    undo(page)
    assert in_view(page) == (first, METRICS[2])
    assert said(page) == f"Undone: Safety 3 on c-0001{SEEN}"
    press(page, Key.Key_1)
    assert stored(project, first) == dict(zip(METRICS, (5, 4, 1), strict=True))
    assert stored(project, second) == {}
    undo(page)
    press(page, Key.Key_Space)
    redo(page)
    assert in_view(page) == (first, METRICS[2])


def test_a_skip_is_taken_back_where_it_was_made(page: ReviewPage) -> None:
    first, metric = in_view(page)
    press(page, Key.Key_S)
    assert in_view(page)[0] != first
    undo(page)
    assert in_view(page) == (first, metric)


def test_a_filter_that_hides_it_does_not_matter_and_next_goes_on_where_one_was(
    page: ReviewPage, project: Path, settle: Callable[[], None]
) -> None:
    first, _ = in_view(page)
    press(page, Key.Key_5, Key.Key_4, Key.Key_3, Key.Key_Space)
    page.queue.view.set_filter("state:new")
    settle()
    press(page, Key.Key_Space)
    here, _ = in_view(page)
    undo(page)
    assert in_view(page) == (first, METRICS[2])
    press(page, Key.Key_2)
    assert stored(project, first)[METRICS[2]] == 2
    press(page, Key.Key_Space)
    assert in_view(page)[0] == here


def test_it_goes_there_after_a_restart(qtbot: QtBot, tmp_path: Path, project: Path) -> None:
    settings = Settings(tmp_path / "config")
    settings.set("labeler", "ann")
    with windows.shown(settings) as window:
        qtbot.waitUntil(window.isActiveWindow)
        assert window.open_project(project)
        page = page_of(window)
        first, _ = in_view(page)
        press(page, Key.Key_5, Key.Key_4, Key.Key_3, Key.Key_Space)
    with windows.shown(settings) as window:
        qtbot.waitUntil(window.isActiveWindow)
        assert window.open_project(project)
        page = page_of(window)
        assert in_view(page)[0] != first
        undo(page)
        assert in_view(page) == (first, METRICS[2])


def test_a_reveal_is_passed_over_in_words(page: ReviewPage, project: Path) -> None:
    first, _ = in_view(page)
    press(page, Key.Key_5, Key.Key_4, Key.Key_3, Key.Key_Space)
    press(page, Key.Key_R, Key.Key_R)
    undo(page)
    assert said(page) == "Reveal of c-0002 cannot be taken back: the auto scores were seen."
    assert stored(project, first)[METRICS[2]] == 3
    assert in_view(page)[0] != first
    undo(page)
    assert said(page) == f"Undone: Safety 3 on c-0001{SEEN}"
    assert in_view(page) == (first, METRICS[2])


def test_what_comes_back_takes_the_keys_from_the_comment(page: ReviewPage, project: Path) -> None:
    first, _ = in_view(page)
    press(page, Key.Key_5, Key.Key_C)
    assert page.scores.comment.hasFocus()
    page.acts.act("undo")
    assert not page.scores.comment.hasFocus()
    press(page, Key.Key_2)
    assert stored(project, first) == {METRICS[0]: 2}


@pytest.mark.parametrize("where", ["review", "audit", "runs"])
def test_a_large_undo_keeps_no_key_waiting(
    window: MainWindow, settings: Settings, qtbot: QtBot, project: Path,
    monkeypatch: pytest.MonkeyPatch, where: str,
) -> None:  # fmt: skip
    file = project.with_name("more.jsonl")
    file.write_text("\n".join(json.dumps(record(n)) for n in range(50, 90)), encoding="utf-8")
    importing.run(project, ImportRequest((file,), labeler="ann"), Silent())
    settings.set("labeler", "ann")
    assert window.open_project(project)
    window.show_page(where)
    qtbot.waitUntil(lambda: not window.surroundings.tasks.running(), timeout=20_000)
    threads: list[bool] = []
    take = undo_service.take

    def spy(session: Session, what: str) -> undo_service.Taken | None:
        threads.append(threading.current_thread() is threading.main_thread())
        return take(session, what)

    monkeypatch.setattr(undo_service, "take", spy)
    page = window.page
    assert page is not None
    page.setFocus()
    QTest.keyClick(window, Key.Key_Z, CTRL)
    said = window.notices
    qtbot.waitUntil(
        lambda: any("Undone: import of more.jsonl" in x.text for x in said.notices), timeout=20_000
    )
    assert threads == [False]
