"""The filter as a person uses it: typed with suggestions, as chips, picked, and cleared."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QListView, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.review.filter_picker import FilterPicker
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project.session import Session, set_blind
from reviewer.services.queues import profiles
from reviewer.services.upkeep import projects

Key = Qt.Key
ALL = 158


@pytest.fixture
def page(
    window: MainWindow, settings: Settings, tmp_path: Path, settle: Callable[[], None]
) -> Iterator[ReviewPage]:
    settings.set("labeler", "labeler 1")
    assert window.open_project(
        projects.make_demo(tmp_path / "demo.review", None, Silent()), "c-0003"
    )
    settle()
    shown = window.page
    assert isinstance(shown, ReviewPage)
    shown.queue.view.clear_filter()
    settle()
    yield shown
    shown.queue.view.picker.hide()


def press(page: ReviewPage, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or page.window(), key)


def suggestions() -> list[str]:
    popups = [
        x
        for x in QApplication.topLevelWidgets()
        if isinstance(x, QListView) and x.property("kind") == "suggestions" and x.isVisible()
    ]
    return [
        str(x.model().index(at, 0).data()) for x in popups for at in range(x.model().rowCount())
    ]


def chips(view: QueueView) -> list[str]:
    found = view.filter.findChildren(QPushButton)
    return [x.text() for x in found if x.accessibleName().startswith("Change") and x.isVisible()]


def button(view: QueueView, name: str) -> QPushButton:
    return next(
        x for x in view.findChildren(QPushButton) if name in (x.accessibleName(), x.text())
    )


def test_what_is_typed_is_completed_and_becomes_a_chip(
    page: ReviewPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "cat")
    assert suggestions() == ["category:   The category"]
    QTest.keyClicks(view.edit, "egory:p")
    qtbot.waitUntil(lambda: suggestions()[:1] == ["policies   22"])
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Key.Key_Down)
    QTest.keyClick(popup, Key.Key_Return)
    assert view.edit.text() == "category:policies "
    QTest.keyClick(view.edit, Key.Key_Return)
    settle()
    assert (view.edit.text(), chips(view)) == ("", ["category: policies"])
    assert page.queue.model.rowCount() == 22
    # Return lets keys label and go on
    assert not view.edit.hasFocus()


def test_metrics_are_completed_once_their_scores_may_be_seen(
    page: ReviewPage, window: MainWindow
) -> None:
    view, session = page.queue.view, window.session
    assert session is not None
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "auto:acc")
    assert suggestions() == []
    set_blind(session, blind=False)
    view.edit.setFocus()
    view.edit.clear()
    QTest.keyClicks(view.edit, "auto:acc")
    assert suggestions() == ["auto:accuracy   then < = or >"]


def test_what_others_do_leaves_what_is_typed(
    page: ReviewPage, window: MainWindow, qtbot: QtBot
) -> None:
    view, session = page.queue.view, window.session
    assert session is not None
    view.set_filter("category:policies")
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "state:op")
    with closing(Session.open(session.project.path, "labeler 1")) as other:
        profiles.add(other, "somebody new")
    session.poll()
    qtbot.wait(20)
    assert (view.edit.text(), chips(view)) == ("state:op", ["category: policies"])
    assert view.edit.hasFocus()


def test_chips_are_changed_taken_out_and_taken_back(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    view.set_filter("category:policies state:done tag:late")
    settle()
    assert chips(view) == ["category: policies", "state: done", "tag: late"]
    QTest.mouseClick(button(view, "Take out the filter tag: late"), Qt.MouseButton.LeftButton)
    assert view.filter.text() == "category:policies state:done"
    QTest.mouseClick(button(view, "Change the filter state: done"), Qt.MouseButton.LeftButton)
    assert (view.edit.text(), view.edit.hasFocus()) == ("state:done", True)
    settle()
    assert chips(view) == ["category: policies"]
    for _ in "done":
        press(page, Key.Key_Backspace)
    QTest.keyClicks(view.edit, "open OR flag")
    settle()
    assert view.filter.text() == "category:policies (state:open OR state:flagged)"
    view.edit.clear()
    press(page, Key.Key_Backspace)
    assert (view.edit.text(), chips(view)) == ("category:policies", [])


def pick(picker: FilterPicker, value: str) -> None:
    for at in range(picker.values.topLevelItemCount()):
        item = picker.values.topLevelItem(at)
        if item is not None and item.text(0) == value:
            place = picker.values.visualItemRect(item).center()
            QTest.mouseClick(picker.values.viewport(), Qt.MouseButton.LeftButton, pos=place)
            return
    raise AssertionError(value)


def told(picker: FilterPicker) -> dict[str, tuple[str, bool]]:
    items = [picker.values.topLevelItem(at) for at in range(picker.values.topLevelItemCount())]
    return {
        x.text(0): (x.text(1), x.checkState(0) == Qt.CheckState.Checked)
        for x in items
        if x is not None
    }


def test_values_are_picked_with_how_many_each_finds(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view, picker = page.queue.view, page.queue.view.picker
    QTest.mouseClick(view.pick, Qt.MouseButton.LeftButton)
    settle()
    assert told(picker)["policies"] == ("22", False)
    pick(picker, "policies")
    pick(picker, "amenities")
    settle()
    assert chips(view) == ["category: policies or amenities"]
    assert page.queue.model.rowCount() == 50
    assert told(picker)["policies"] == ("22", True)
    picker.fields.setCurrentRow([x.title for x in picker._facets].index("State"))
    settle()
    count, _ = told(picker)["Done"]
    picker.values.setFocus()
    at = list(told(picker)).index("Done")
    picker.values.setCurrentIndex(picker.values.model().index(at, 0))
    QTest.keyClick(picker.values, Key.Key_Space)
    settle()
    assert page.queue.model.rowCount() == int(count)
    QTest.mouseClick(
        next(x for x in picker.findChildren(QPushButton) if x.text() == "Clear the filter"),
        Qt.MouseButton.LeftButton,
    )
    settle()
    assert (view.filter.text(), picker.isVisible()) == ("", False)
    assert page.queue.model.rowCount() == ALL


def test_a_value_that_is_not_listed_can_be_typed(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view, picker = page.queue.view, page.queue.view.picker
    QTest.mouseClick(view.pick, Qt.MouseButton.LeftButton)
    settle()
    QTest.keyClicks(picker.narrow, "poli")
    assert list(told(picker)) == ["policies"]
    QTest.keyClick(picker.narrow, Key.Key_Return)
    assert view.filter.text() == "category:policies"
    picker.narrow.setText("edge*")
    QTest.keyClick(picker.narrow, Key.Key_Return)
    settle()
    assert view.filter.text() == "category:policies OR category:edge*"
    assert page.queue.model.rowCount() == 46


def test_nothing_found_says_why_and_clears_with_one_key(
    page: ReviewPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    assert page.view is not None
    before = page.view.evaluation.key
    view.set_filter("category:amenities state:flagged tag:pii")
    settle()
    assert page.view is None
    qtbot.waitUntil(lambda: view.empty.text().startswith("No evaluation"))
    view.set_filter("category:policies tag:pii")
    settle()
    found = {"Without category: policies": 12, "Without tag: pii": 22}
    qtbot.waitUntil(lambda: ways(view) == [f"{x}: {n}" for x, n in found.items()])
    shown = [x.text() for x in page.case.findChildren(QLabel) if x.isVisible()]
    assert shown == ["No evaluation matches this filter. Clear it, or ask for something else."]
    QTest.mouseClick(button(view, "Without tag: pii: 22"), Qt.MouseButton.LeftButton)
    settle()
    assert (page.queue.model.rowCount(), chips(view)) == (22, ["category: policies"])
    view.set_filter("zyzzyva")
    settle()
    QTest.keyClick(page.window(), Key.Key_Escape)
    settle()
    assert (view.filter.text(), page.queue.model.rowCount()) == ("", ALL)
    assert page.view is not None
    assert page.view.evaluation.key == before
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "zyzzyva")
    qtbot.waitUntil(lambda: page.view is None)
    QTest.keyClick(view.edit, Key.Key_Escape)
    settle()
    assert (view.filter.text(), page.queue.model.rowCount()) == ("", ALL)


def test_escape_goes_back_to_the_run_one_came_from(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    view.set_filter('run:"2026-11-18 agent v7" run:"2026-11-04 agent v6" hot')
    settle()
    assert page.view is None
    QTest.keyClick(page.window(), Key.Key_Escape)
    settle()
    assert view.menus.filters.accessibleName() == "Queue: 2026-11-18 agent v7"


def test_escape_closes_the_picker(page: ReviewPage, settle: Callable[[], None]) -> None:
    view = page.queue.view
    for field in (view.picker.fields, view.picker.narrow, view.picker.values):
        QTest.mouseClick(view.pick, Qt.MouseButton.LeftButton)
        settle()
        field.setFocus()
        QTest.keyClick(field, Key.Key_Escape)
        assert not view.picker.isVisible()


def test_a_run_stands_once_until_more_is_asked_for(
    page: ReviewPage, settle: Callable[[], None]
) -> None:
    view, run = page.queue.view, "2026-11-18 agent v7"
    view.set_filter(f'run:"{run}"')
    settle()
    assert (view.menus.filters.accessibleName(), chips(view)) == (f"Queue: {run}", [])
    press(page, Key.Key_Slash)
    QTest.keyClicks(view.edit, "category:policies")
    press(page, Key.Key_Return)
    settle()
    assert view.menus.filters.accessibleName() == "Queue: filtered"
    assert chips(view) == [f"run: {run}", "category: policies"]
    view.filter.drop(1)
    settle()
    assert chips(view) == []


def ways(view: QueueView) -> list[str]:
    found = view.empty.findChildren(QPushButton)
    return [x.text() for x in found if x.text().startswith("Without") and x.isVisible()]


def test_an_error_is_said_where_it_is(page: ReviewPage, qtbot: QtBot) -> None:
    view = page.queue.view
    view.set_filter("category:policies")
    view.edit.setFocus()
    QTest.keyClicks(view.edit, "pool state:opne")
    qtbot.waitUntil(lambda: "at character 12" in view.problem.text())
    assert "Did you mean open?" in view.problem.text()
    assert chips(view) == ["category: policies"]
    red = view.edit.grab().toImage()
    places = [
        x for x in range(red.width()) for y in range(red.height() // 2, red.height() - 3)
        if (c := red.pixelColor(x, y)).red() > c.green() + 60 and c.red() > c.blue() + 60
    ]  # fmt: skip
    # the wave is under the word, not under what stands before it
    ahead = view.edit.fontMetrics().horizontalAdvance("pool state:")
    assert places
    assert min(places) > ahead


def test_a_view_keeps_filter_and_order(
    page: ReviewPage, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], None]
) -> None:
    view = page.queue.view
    view.menus.order = QueueOrder.CATEGORY
    view.set_filter("state:done")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("finished", True))
    view.menus.save_chosen.emit()
    view.menus.order = QueueOrder.FILE
    view.set_filter("tag:late")
    settle()
    menu = view.menus.filters.menu()
    assert menu is not None
    menu.aboutToShow.emit()
    action = next(x for x in menu.actions() if x.text() == "finished")
    assert action.toolTip() == "state:done, category"
    action.trigger()
    settle()
    assert (view.filter.text(), view.menus.order) == ("state:done", QueueOrder.CATEGORY)
    assert view.menus.filters.text() == "Queue: finished ▾"
