"""What cannot be saved is said, and nothing looks saved that is not."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.saving import ALL_SAVED
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import unsaved
from reviewer.services.project import reading
from reviewer.services.project.session import Session


def page_of(window: MainWindow, project: Path) -> ReviewPage:
    assert window.open_project(project)
    page = window.page
    assert isinstance(page, ReviewPage)
    return page


def press(window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key)


def said(window: MainWindow) -> str:
    return " ".join(notice.text for notice in window.notices.notices)


@contextmanager
def full_disk(conn: sqlite3.Connection) -> Iterator[None]:
    pages = conn.execute("PRAGMA page_count").fetchone()[0]
    conn.execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        conn.execute("PRAGMA max_page_count = 1000000")


def opened(window: MainWindow) -> Session:
    assert window.session is not None
    return window.session


def stored(session: Session, evaluation: int) -> dict[str, object]:
    own = reading.view(session, evaluation).own
    return {name: label.value for name, label in own.items() if label.counts}


def status(window: MainWindow) -> str:
    return " ".join(label.text() for label in window.status.findChildren(QLabel))


def test_what_a_full_disk_takes_not_is_kept_shown_and_saved_in_its_order(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    page, session = page_of(window, project), opened(window)
    page.open_evaluation(1)
    with full_disk(session.project.conn):
        for _ in range(400):
            press(window, Qt.Key.Key_2, Qt.Key.Key_Up, Qt.Key.Key_3, Qt.Key.Key_Up)
            if "disk is full" in said(window):
                break
        assert "disk is full" in said(window)
        before = stored(session, 1)
        press(window, Qt.Key.Key_4, Qt.Key.Key_5, Qt.Key.Key_1)
        assert stored(session, 1) == before
        shown = page.scores.cards["safety"]
        assert shown.state.own is not None
        assert shown.state.own.value == 1
        assert "not yet saved" in shown.summary.text()
        assert shown.state.hidden
        assert "not yet saved" in status(window)
    qtbot.waitUntil(lambda: "not yet saved" not in status(window), timeout=5_000)
    assert stored(session, 1) == {"relevance": 4, "accuracy": 5, "safety": 1}
    assert "not yet saved" not in shown.summary.text()
    assert ALL_SAVED in said(window)


def test_another_programs_lock_holds_no_press_up_and_nothing_is_written_twice(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    page, session = page_of(window, project), opened(window)
    page.open_evaluation(1)
    with closing(sqlite3.connect(project, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        press(window, Qt.Key.Key_4, Qt.Key.Key_F, Qt.Key.Key_2, Qt.Key.Key_5)
        assert time.monotonic() - started < 4
        assert "Another program holds" in said(window)
        assert "4 not yet saved" in status(window)
        assert stored(session, 1) == {}
        QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert "3 not yet saved" in status(window)
        other.execute("ROLLBACK")
    qtbot.waitUntil(lambda: "not yet saved" not in status(window), timeout=5_000)
    assert stored(session, 1) == {"relevance": 4, "accuracy": 2}
    rows = session.project.conn.execute("SELECT count(*) FROM labels").fetchone()[0]
    assert rows == 2
    assert reading.view(session, 1).flagged


def test_closing_saves_what_waits_and_asks_where_it_cannot(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsaved, "LAST_PATIENCE_S", 0.05)
    asked: list[str] = []

    def stay(_: QWidget, _title: str, words: str, *_rest: object) -> QMessageBox.StandardButton:
        asked.append(words)
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "question", stay)
    page_of(window, project).open_evaluation(1)
    with closing(sqlite3.connect(project, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        press(window, Qt.Key.Key_4)
        assert not window.close()
        assert "1 answer is not yet saved" in asked[0]
        assert window.isVisible()
        other.execute("ROLLBACK")
    assert window.close()
    assert len(asked) == 1
    with closing(Session.open(project, "labeler 1")) as session:
        assert stored(session, 1) == {"relevance": 4}


def test_a_comment_that_could_not_be_saved_is_kept_and_saved_later(
    window: MainWindow, project: Path
) -> None:
    page = page_of(window, project)
    session, field = window.session, page.scores.comment
    assert session is not None
    conn = session.project.conn
    words = "disks fill up " * 2000
    pages = conn.execute("PRAGMA page_count").fetchone()[0]
    conn.execute(f"PRAGMA max_page_count = {pages}")
    press(window, Qt.Key.Key_C)
    field.setText(words)
    press(window, Qt.Key.Key_Return)
    assert "disk is full" in said(window)
    press(window, Qt.Key.Key_J)
    assert not field.text()
    press(window, Qt.Key.Key_K)
    assert field.text() == words.strip()
    conn.execute("PRAGMA max_page_count = 1000000")
    press(window, Qt.Key.Key_J, Qt.Key.Key_K)
    assert page.view is not None
    assert [entry.comment for entry in page.view.own.values()] == [words.strip()]
    assert not page.scores.unsaved


def test_a_read_only_project_can_be_read_and_says_why_nothing_is_saved(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    before = project.read_bytes()
    page = page_of(window, project)
    assert "read-only" in said(window)
    keys = (Qt.Key.Key_4, Qt.Key.Key_S, Qt.Key.Key_F, Qt.Key.Key_R, Qt.Key.Key_X, Qt.Key.Key_J)
    for key in keys:
        press(window, key)
        assert "read-only" in said(window)
    assert page.view is not None
    assert not page.view.own
    for name in ("audit", "runs", "reports", "review"):
        window.show_page(name)
    assert project.read_bytes() == before
