"""The start page invites on an empty home, and lists what was opened before."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.formats import registry
from reviewer.gui.commands import RESULT_FILES
from reviewer.gui.start import EXAMPLES, FORMATS, RecentRow, StartPage
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep.projects import SYSTEMS


def words(page: StartPage) -> list[str]:
    QApplication.processEvents()
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


def rows(page: StartPage) -> list[RecentRow]:
    QApplication.processEvents()
    return [row for row in page.findChildren(RecentRow) if row.isVisible()]


def test_an_empty_home_invites(window: MainWindow) -> None:
    window.start.refresh()
    assert "Can you trust the judge?" in words(window.start)
    assert "Drop results here" in words(window.start)
    assert "Projects that you open appear here." in words(window.start)
    assert rows(window.start) == []


NAMED = {"ndjson": "jsonl", "txt": "tsv", "xlsx": "excel", "xlsm": "excel"}
"""What files with these ends are to whoever reads the start page."""


def test_every_kind_of_file_that_opens_is_named_and_offered() -> None:
    ends = {x.rpartition(".")[2] for each in registry.FORMATS for x in each.suffixes}
    assert {x for x in ends if NAMED.get(x, x) not in FORMATS.casefold()} == set()
    assert {x for x in ends if f"*.{x} " not in RESULT_FILES.replace(")", " ")} == set()


def test_every_system_has_an_example() -> None:
    assert {name for name, _ in EXAMPLES} == set(SYSTEMS)


def test_an_example_is_asked_for_by_name(qtbot: QtBot, window: MainWindow) -> None:
    window.start.demo_requested.disconnect()
    button = next(x for x in window.start.findChildren(QPushButton) if x.text() == "FAQ bots")
    with qtbot.waitSignal(window.start.demo_requested) as asked:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked.args == ["faq-bot"]


def test_recent_projects_are_counted_in_the_background(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.surroundings.settings.remember(project)
    window.surroundings.settings.remember(project.with_name("gone.review"))
    with qtbot.waitSignal(window.start.recents_changed):
        window.start.refresh()
    gone, kept = rows(window.start)
    assert "The file is gone." in words(window.start)
    assert not gone.isEnabled()
    assert kept.accessibleName() == "guest, 12 responses · 0 labelled"
    QTest.mouseClick(kept, Qt.MouseButton.LeftButton)
    assert window.session is not None
    assert window.session.project.path == project


def test_a_project_that_is_gone_can_be_taken_off_the_list(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.surroundings.settings.remember(tmp_path / "gone.review")
    with qtbot.waitSignal(window.start.recents_changed):
        window.start.refresh()
    remove = next(x for x in window.start.findChildren(QPushButton) if x.text() == "Remove")
    remove.click()
    assert window.surroundings.settings.recent_projects == ()


def test_of_files_that_are_no_project_it_is_said_and_opening_them_says_what_can_be_done(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.review"
    odd.write_text("hello")
    window.surroundings.settings.remember(odd)
    with qtbot.waitSignal(window.start.recents_changed):
        window.start.refresh()
    row = rows(window.start)[0]
    assert "odd.review: It is no Reviewer project" in row.accessibleName()
    row.click()
    assert "no Reviewer project" in window.notices.notices[-1].text
