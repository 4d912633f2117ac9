"""The menus hold every command, work with and without a project, and take no key from labels."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from reviewer.gui.actions import EVERY, Menu
from reviewer.gui.commands import WindowCommands
from reviewer.gui.pages import PAGES
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings


def menus(window: MainWindow) -> dict[str, QMenu]:
    """The menus by their title without the sign for the key."""
    found = (action.menu() for action in window.menuBar().actions())
    return {m.title().replace("&", ""): m for m in found if isinstance(m, QMenu)}


def lines(menu: QMenu) -> dict[str, bool]:
    """The lines of a menu as it is opened, with whether they can be chosen."""
    menu.aboutToShow.emit()
    return {x.text(): x.isEnabled() for x in menu.actions() if not x.isSeparator()}


def choose(window: MainWindow, menu: str, title: str) -> None:
    found = menus(window)[menu]
    found.aboutToShow.emit()
    next(x for x in found.actions() if x.text().partition("\t")[0] == title).trigger()


@pytest.fixture
def page(window: MainWindow, settings: Settings, project: Path) -> ReviewPage:
    settings.set("labeler", "ann")
    window.open_project(project)
    assert isinstance(window.page, ReviewPage)
    return window.page


def labels(window: MainWindow) -> list[object]:
    """The values that were stored since the project was made."""
    assert window.session is not None
    rows = window.session.project.conn.execute("SELECT value FROM labels WHERE at IS NOT NULL")
    return [value for (value,) in rows]


def test_every_command_of_the_palette_is_in_one_menu_with_its_keys(window: MainWindow) -> None:
    shown = [line for menu in menus(window).values() for line in lines(menu)]
    wanted = {f"{c.title}\t{c.keys_text}" if c.keys else c.title for c in EVERY if c.listed}
    titles = [line.partition("\t")[0] for line in shown]
    assert {line.partition("\t")[0] for line in wanted} == set(titles)
    assert len(titles) == len(set(titles))
    assert set(shown) <= wanted


def test_on_the_start_page_only_what_needs_no_project_can_be_chosen(
    window: MainWindow, page: ReviewPage
) -> None:
    assert page.isVisible()
    assert lines(menus(window)["Review"])["Skip\tS"]
    window.close_project()
    file = lines(menus(window)["File"])
    assert file["Open project…\tCtrl+O"]
    assert file["New project from results…\tCtrl+N"]
    assert not file["Close project, go to the start page"]
    assert not file["Export…\tCtrl+E"]
    assert not any(lines(menus(window)["Review"]).values())


def test_each_page_offers_its_own_and_undo(window: MainWindow, page: ReviewPage) -> None:
    assert page.isVisible()
    for spec in PAGES:
        window.show_page(spec.id)
        assert lines(menus(window)["Edit"])["Undo\tCtrl+Z"]
    assert lines(menus(window)["File"])["Export…\tCtrl+E"]
    assert not lines(menus(window)["Review"])["Skip\tS"]
    choose(window, "View", "Go to Review")
    assert window.page is page


def test_a_line_does_what_the_key_does(window: MainWindow, page: ReviewPage) -> None:
    view = page.view
    assert view is not None
    choose(window, "Review", "Flag")
    assert page.view is not None
    assert page.view.flagged
    choose(window, "Edit", "Undo")
    assert page.view is not None
    assert not page.view.flagged


def test_an_export_is_reached_from_any_page(window: MainWindow, page: ReviewPage) -> None:
    assert window.page is page
    choose(window, "File", "Back up now")
    assert window.page is not page


def test_alt_alone_takes_no_digit_from_the_labels(
    qtbot: QtBot, window: MainWindow, page: ReviewPage
) -> None:
    QTest.keyPress(window, Qt.Key.Key_Alt)
    QTest.keyRelease(window, Qt.Key.Key_Alt)
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_4)
    assert labels(window) == [4]
    assert window.menuBar().activeAction() is None
    assert page.isVisible()
    # as long as it is held, too
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.page is not page)
    assert labels(window) == [4]


def test_an_open_menu_has_the_keys_and_gives_them_back(
    qtbot: QtBot, window: MainWindow, page: ReviewPage
) -> None:
    before = page.view
    focus = QApplication.focusWidget()
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    popup = menus(window)["Review"]
    qtbot.waitUntil(popup.isVisible)
    popup.setActiveAction(popup.actions()[-1])
    for key in (Qt.Key.Key_4, Qt.Key.Key_S):
        QTest.keyClick(popup, key)
    assert labels(window) == []
    assert page.view is before
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    QTest.keyClick(window.menuBar(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not popup.isVisible())
    assert QApplication.focusWidget() is focus
    QTest.keyClick(focus or window, Qt.Key.Key_4)
    assert labels(window) == [4]


def test_space_in_an_open_menu_is_the_menus(
    qtbot: QtBot, window: MainWindow, page: ReviewPage
) -> None:
    before = page.view
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    popup = menus(window)["Review"]
    qtbot.waitUntil(popup.isVisible)
    popup.setActiveAction(next(x for x in popup.actions() if x.text().startswith("Flag")))
    QTest.keyClick(popup, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page.view is not None and page.view.flagged)
    assert before is not None
    assert page.view is not None
    assert page.view.evaluation.key == before.evaluation.key
    assert not popup.isVisible()


def test_f10_opens_the_menus(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands, page: ReviewPage
) -> None:
    assert page.isVisible()
    QTest.keyClick(window, Qt.Key.Key_F10)
    qtbot.waitUntil(menus(window)["File"].isVisible)
    assert window.menuBar().activeAction() is window.menuBar().actions()[0]
    assert commands.menus is window.menuBar()
    menus(window)["File"].close()


def test_nothing_moves_for_the_menus(
    qtbot: QtBot, window: MainWindow, page: ReviewPage, settle: Callable[[], None]
) -> None:
    settle()
    button = page.scores.next
    place = button.mapTo(window, QPoint())
    for key in (Qt.Key.Key_Alt, Qt.Key.Key_4, Qt.Key.Key_F10):
        QTest.keyClick(window, key)
        qtbot.wait(20)
        assert button.mapTo(window, QPoint()) == place
    for menu in menus(window).values():
        menu.close()


def test_every_menu_has_a_letter_of_its_own() -> None:
    letters = [menu.value[menu.value.index("&") + 1].casefold() for menu in Menu]
    assert len(set(letters)) == len(letters)


def shown_in(menu: QMenu) -> set[str]:
    """What stands in a menu as it is opened."""
    menu.aboutToShow.emit()
    return {x.text() for x in menu.actions() if x.isVisible() and not x.isSeparator()}


LEADS = {
    "Make a work package…", "Merge returned packages…", "Write a labeler's sheet…",
    "Take a labeler's sheet back…", "Share this project…", "Invite…",
    "The database was restored…", "Forget a person or a record…",
}  # fmt: skip


def test_a_labeler_is_offered_nothing_that_only_leads_can_do(
    window: MainWindow, commands: WindowCommands, settings: Settings, demo: Path
) -> None:
    # who opens a project first leads it
    settings.set("labeler", "lead")
    assert window.open_project(demo)
    window.close_project()
    settings.set("labeler", "labeler 2")
    assert window.open_project(demo)
    people = shown_in(menus(window)["People"])
    assert not people & LEADS
    assert {"Team…", "New queue…", "All queues…", "Validate the judge"} <= people
    assert not {x.title for x, _ in commands.available()} & LEADS
    window.close_project()
    settings.set("labeler", "lead")
    assert window.open_project(demo)
    assert shown_in(menus(window)["People"]) >= people | LEADS
    assert {x.title for x, _ in commands.available()} >= LEADS
