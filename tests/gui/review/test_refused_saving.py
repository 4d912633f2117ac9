"""What cannot be saved is said, and nothing looks saved that is not."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import reading


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


def test_a_full_disk_is_said_and_the_next_press_works_again(
    window: MainWindow, project: Path
) -> None:
    page = page_of(window, project)
    session = window.session
    assert session is not None
    conn = session.project.conn
    press(window, Qt.Key.Key_4)
    pages = conn.execute("PRAGMA page_count").fetchone()[0]
    conn.execute(f"PRAGMA max_page_count = {pages}")
    for _ in range(400):
        press(window, Qt.Key.Key_2, Qt.Key.Key_Up, Qt.Key.Key_3, Qt.Key.Key_Up)
        if "disk is full" in said(window):
            break
    assert "disk is full" in said(window)
    view = page.view
    assert view is not None
    shown = {name: label.value for name, label in view.own.items()}
    stored = dict(
        conn.execute(
            "SELECT m.name, c.value FROM current_labels c JOIN metrics m ON m.id = c.metric "
            "WHERE c.evaluation = ? AND c.kind = 'label'",
            (view.evaluation.key,),
        ).fetchall()
    )
    assert shown == stored
    conn.execute("PRAGMA max_page_count = 1000000")
    press(window, Qt.Key.Key_5)
    assert 5 in {label.value for label in reading.view(session, view.evaluation.key).own.values()}


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
