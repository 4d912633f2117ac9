"""After a restart everything stands where it was left, and no key press writes for that."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QSplitter
from pytestqt.qtbot import QtBot

from reviewer import paths
from reviewer.gui.places import folder_of_files
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from tests import windows
from tests.building import build_project, record

SMALL = QSize(790, 580)
"""Both fit on the small screen that Qt has where there is none."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    settings = Settings(tmp_path / "config")
    settings.set("theme", "light")
    settings.set("labeler", "ann")
    return tmp_path / "config"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    long = "\n\n".join(f"Paragraph {n} of a long answer." for n in range(120))
    rows = [record(n, response=long) for n in range(1, 60)]
    return build_project(tmp_path / "long.review", evaluations=rows)


@contextmanager
def started(config: Path, size: QSize | None = SMALL) -> Iterator[MainWindow]:
    with windows.shown(Settings(config), size) as window:
        QTest.qWaitForWindowActive(window)
        yield window


def review(window: MainWindow) -> ReviewPage:
    page = next(x for x in window.made_pages() if isinstance(x, ReviewPage))
    assert page.view is not None
    return page


def shown_id(window: MainWindow) -> str:
    view = review(window).view
    assert view is not None
    return view.evaluation.id


def scrolled(page: ReviewPage) -> tuple[int, int]:
    areas = (page.case.conversation, page.queue.view.list)
    read, listed = (area.verticalScrollBar().value() for area in areas)
    return read, listed


def test_the_response_and_the_scroll_come_back_for_each_labeler(
    qtbot: QtBot, config: Path, project: Path
) -> None:
    with started(config) as window:
        window.open_project(project)
        page = review(window)
        first = shown_id(window)
        for _ in range(30):
            QTest.keyClick(page, Qt.Key.Key_J)
        QTest.keyClick(page, Qt.Key.Key_4)
        left = shown_id(window)
        assert left != first
        read, listed = page.case.conversation, page.queue.view.list
        qtbot.waitUntil(lambda: read.verticalScrollBar().maximum() > 300)
        read.verticalScrollBar().setValue(250)
        listed.verticalScrollBar().setValue(listed.verticalScrollBar().value() - 40)
        places = scrolled(page)
        assert min(places) > 0
        window.top.labeler_requested.emit("bo")
        assert shown_id(window) == first
        QTest.keyClick(page, Qt.Key.Key_J)
        second = shown_id(window)
        window.top.labeler_requested.emit("ann")
        assert shown_id(window) == left
        qtbot.waitUntil(lambda: scrolled(page) == places)
    with started(config) as window:
        window.open_project(project)
        page = review(window)
        assert shown_id(window) == left
        qtbot.waitUntil(lambda: scrolled(page) == places)
        window.top.labeler_requested.emit("bo")
        assert shown_id(window) == second
        # once it is there nothing holds it: the next response begins at its top
        QTest.keyClick(page, Qt.Key.Key_J)
        qtbot.wait(50)
        assert scrolled(page)[0] == 0


def test_the_page_comes_back(config: Path, project: Path) -> None:
    with started(config) as window:
        window.open_project(project)
        window.show_page("reports")
    with started(config) as window:
        window.open_project(project)
        assert type(window.page).__name__ == "ReportsPage"
        window.close_project()
        # what is asked for by name comes first
        window.open_project(project, open_id="c-0007")
        assert shown_id(window) == "c-0007"
        window.close_project()
        window.open_project(project)
        assert shown_id(window) == "c-0007"


def test_what_is_gone_is_passed_over(config: Path, project: Path, tmp_path: Path) -> None:
    settings = Settings(config)
    with started(config) as window:
        window.open_project(project)
        QTest.keyClick(review(window), Qt.Key.Key_J)
    project.unlink()
    build_project(tmp_path / "long.review", evaluations=[record(77)])
    text = settings.file.read_text().replace('"page": "review"', '"page": "gone"')
    settings.file.write_text(text)
    with started(config) as window:
        window.open_project(project)
        assert shown_id(window) == "c-0077"


def rubric_split(window: MainWindow) -> QSplitter:
    """Open the rubric editor and give the line between metrics and form."""
    window.show_page("runs")
    page = window.page
    assert isinstance(page, RunsPage)
    editor = page.edit_rubric()
    assert isinstance(editor, RubricEditor)
    QApplication.processEvents()
    [split] = editor.findChildren(QSplitter)
    return split


def drag(split: QSplitter, pixels: int) -> None:
    """Move the first line of a splitter as a hand does."""
    handle = split.handle(1)
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle + handle.mapFromParent(handle.pos()))
    moved = middle.__class__(middle.x() + pixels, middle.y())
    QTest.mouseMove(handle, moved)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=moved)


def test_size_and_panes_come_back(config: Path, project: Path) -> None:
    with started(config) as window:
        window.open_project(project)
        split = review(window).findChild(QSplitter)
        assert isinstance(split, QSplitter)
        QApplication.processEvents()
        drag(split, 30)
        sizes = split.sizes()
    with started(config, None) as window:
        assert window.size() == SMALL
        window.open_project(project)
        QApplication.processEvents()
        split = review(window).findChild(QSplitter)
        assert isinstance(split, QSplitter)
        assert split.sizes() == sizes
        window.surroundings.settings.set("theme", "dark")
        assert split.sizes() == sizes
        window.showMaximized()
    with started(config, None) as window:
        assert window.isMaximized()


def test_the_lines_of_the_rubric_editor_come_back(config: Path, project: Path) -> None:
    with started(config) as window:
        window.open_project(project)
        split = rubric_split(window)
        before = split.sizes()
        drag(split, -60)
        sizes = split.sizes()
        assert sizes != before
    with started(config) as window:
        window.open_project(project)
        assert rubric_split(window).sizes() == sizes


def test_a_damaged_size_is_passed_over(config: Path) -> None:
    settings = Settings(config)
    for damage in ("", "???", base64.b64encode(b"no geometry").decode()):
        settings.frames.update(window=damage, review=damage)
        settings.keep()
        with started(config, None) as window:
            assert (window.width(), window.height()) == (1280, 800)


def test_no_key_press_writes(config: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(config) as window:
        window.open_project(project)
        QTest.qWait(100)
        written: list[int] = []
        monkeypatch.setattr(Settings, "_write", lambda _: written.append(1))
        for key in "4J3 KSJ":
            QTest.keyClicks(window.focusWidget() or window, key)
        assert written == []
        window.close_project()
        assert written == [1]


def test_files_are_asked_for_anywhere_but_in_the_programs_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, mine = tmp_path / "own", tmp_path / "mine"
    for folder in (own, mine):
        folder.mkdir()
    monkeypatch.setattr(paths, "data_folder", lambda: own)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert folder_of_files(mine) == mine
    assert folder_of_files(own, tmp_path / "gone", mine) == mine
    assert folder_of_files(own) != own


def test_an_export_of_a_project_in_the_programs_own_folder_begins_elsewhere(
    config: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "data_folder", lambda: project.parent)
    with started(config) as window:
        window.open_project(project)
        window.show_page("reports")
        QTest.keyClick(window.page or window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        [dialog] = window.findChildren(QFileDialog)
        assert Path(dialog.directory().absolutePath()) != project.parent
        dialog.close()
