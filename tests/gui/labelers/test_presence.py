"""Who labels is always in sight, and asked once where several people share a project."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import LabelError
from reviewer.gui.commands import WindowCommands
from reviewer.gui.kit.pieces import Button
from reviewer.gui.kit.theme import DARK, LIGHT, PEOPLE, contrast
from reviewer.gui.labelers.presence import LabelerChooser, Presence
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project.session import NOBODY, UNNAMED
from reviewer.services.queues import profiles
from tests.building import build_project, record


@pytest.fixture
def several(tmp_path: Path) -> Path:
    labels = [{"metric": "accuracy", "labeler": name, "value": 3} for name in ("ann", "b\u202eo")]
    return build_project(tmp_path / "several.review", evaluations=[record(1, labels=labels)])


def pill(window: MainWindow) -> Button:
    found = [x for x in window.top.findChildren(Button) if "Labeler" in x.accessibleName()]
    return found[0]


def presence(window: MainWindow) -> Presence:
    found = window.findChild(Presence)
    assert isinstance(found, Presence)
    return found


def test_name_role_and_dot_of_the_active_labeler_are_shown(
    window: MainWindow, settings: Settings, project: Path
) -> None:
    settings.set("labeler", "zoe")
    window.open_project(project)
    assert pill(window).text() == "zoe · lead ▾"
    assert not pill(window).icon().isNull()
    assert presence(window).chooser is None
    session = window.session
    assert session is not None
    entering.commit(session, 1, "accuracy", 3)
    settings.set("labeler", "bo")
    assert pill(window).text() == "bo · labeler ▾"
    assert pill(window).accessibleName() == "Labeler: bo, labeler"
    with pytest.raises(LabelError, match="Only a lead"):
        profiles.change(session, "bo", role="lead")
    entering.commit(session, 1, "accuracy", 3)
    settings.set("labeler", "zoe")
    profiles.change(session, "bo", role="lead")
    settings.set("labeler", "bo")
    assert pill(window).text() == "bo · lead ▾"


def test_several_people_are_asked_who_they_are_until_one_was_chosen(
    qtbot: QtBot, window: MainWindow, settings: Settings, several: Path
) -> None:
    window.open_project(several)
    chooser = presence(window).chooser
    assert isinstance(chooser, LabelerChooser)
    qtbot.waitUntil(chooser.isVisible)
    # a direction override in a name turns nothing round
    assert all("\u202e" not in button.text() for button in chooser.buttons)
    chooser.buttons[0].click()
    assert settings.labeler == "ann"
    assert presence(window).chooser is None
    assert pill(window).text() == "ann · lead ▾"
    window.close_project()
    window.open_project(several)
    assert presence(window).chooser is None


def test_whoever_names_themself_first_leads_and_every_other_new_name_labels(
    window: MainWindow, settings: Settings, several: Path
) -> None:
    window.open_project(several)
    chooser = presence(window).chooser
    assert isinstance(chooser, LabelerChooser)
    chooser.field.setText("cy")
    chooser.field.returnPressed.emit()
    assert pill(window).text() == "cy · lead ▾"
    # also before anybody has stored anything
    for name in ("dan", "ann", "eve"):
        window.top.labeler_requested.emit(name)
        assert pill(window).text() == f"{name} · labeler ▾"
    window.close_project()
    window.open_project(several)
    assert settings.labeler == "eve"
    assert pill(window).text() == "eve · labeler ▾"
    window.top.labeler_requested.emit("cy")
    assert pill(window).text() == "cy · lead ▾"


@pytest.mark.parametrize("scale", [100, 200])
def test_nothing_moves_when_the_question_comes_and_goes_and_no_control_is_covered(
    qtbot: QtBot,
    window: MainWindow,
    settings: Settings,
    demo_file: Path,
    tmp_path: Path,
    scale: int,
) -> None:
    settings.set("font_scale", scale)
    settings.set("focus", "never")
    window.open_project(Path(shutil.copy(demo_file, tmp_path / "demo.review")))
    page = window.page
    assert isinstance(page, ReviewPage)

    def places() -> list[QPoint]:
        parts = (page, page.scores.next, page.case.header, page.scores.skip, page.queue.view.list)
        return [part.mapTo(window, QPoint(0, 0)) for part in parts]

    chooser = presence(window).chooser
    assert isinstance(chooser, LabelerChooser)
    qtbot.waitUntil(chooser.isVisible)
    QApplication.processEvents()
    over = QRect(chooser.mapTo(window, QPoint(0, 0)), chooser.size())
    for button in window.findChildren(QAbstractButton):
        read = chooser.isAncestorOf(button) or page.case.stack.isAncestorOf(button)
        if button.isVisible() and not read:
            there = QRect(button.mapTo(window, QPoint(0, 0)), button.size())
            assert not over.intersects(there), button.accessibleName()
    assert window.rect().contains(over)
    window.resize(window.width() + 60, window.height())
    foot = window.status.mapTo(window, QPoint(0, 0)).y()
    assert chooser.mapTo(window, QPoint(0, chooser.height())).y() <= foot
    window.resize(window.width() - 60, window.height())
    QApplication.processEvents()
    asked = places()
    chooser.buttons[0].click()
    QApplication.processEvents()
    assert places() == asked


KEYS = "45SFXRRHVCJKYN=? "


def test_keys_store_nothing_before_it_is_known_who_labels(
    window: MainWindow, several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WindowCommands, "open_keys", lambda _: None)
    window.open_project(several)
    chooser, page = presence(window).chooser, window.page
    assert isinstance(chooser, LabelerChooser)
    assert isinstance(page, ReviewPage)
    session = window.session
    assert session is not None
    before = session.project.conn.total_changes
    for key in KEYS:
        window.notices.clear()
        QTest.keyClicks(window.focusWidget() or window, key)
        assert not isinstance(window.focusWidget(), QLineEdit), key
        told = [x.text for x in window.notices.notices]
        assert told == [UNNAMED] or key in "HVJK? ", key
        page.case.header.choose_tab(0)
    for button in page.scores.findChildren(QPushButton):
        if button.isVisible() and not button.menu():
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    for kind in (Qt.Key.Key_Backspace, Qt.Key.Key_Z):
        held = Qt.KeyboardModifier.ControlModifier
        QTest.keyClick(page, kind, held if kind == Qt.Key.Key_Z else Qt.KeyboardModifier(0))
    assert session.project.conn.total_changes == before
    chooser.buttons[0].click()
    QTest.keyClicks(page.focusWidget() or page, "4")
    assert page.view is not None
    assert [x.value for x in page.view.own.values()] == [3, 4]


def test_whoever_has_no_name_yet_sees_nobodys_answers_and_stays_where_they_are(
    window: MainWindow, demo_file: Path, tmp_path: Path
) -> None:
    window.open_project(Path(shutil.copy(demo_file, tmp_path / "demo.review")), "c-0009")
    page = window.page
    assert isinstance(page, ReviewPage)
    assert pill(window).text() == "(no name yet) ▾"
    assert page.view is not None
    assert page.view.hidden
    assert page.view.own == {}
    QTest.keyClicks(window.focusWidget() or window, "4")
    assert window.notices.notices[-1].text == UNNAMED
    menu = pill(window).menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    assert not any("no name" in action.text() for action in menu.actions())
    window.top.labeler_requested.emit("labeler 1")
    assert window.notices.notices == ()
    assert page.view is not None
    assert page.view.evaluation.id == "c-0009"
    assert page.view.own
    assert not page.view.hidden
    session = window.session
    assert session is not None
    assert NOBODY not in {x.name for x in session.labelers()}


def test_somebody_new_types_a_name(window: MainWindow, settings: Settings, several: Path) -> None:
    window.open_project(several)
    chooser = presence(window).chooser
    assert isinstance(chooser, LabelerChooser)
    chooser.field.setText("  ")
    chooser.field.returnPressed.emit()
    assert presence(window).chooser is chooser
    chooser.field.setText("cy")
    chooser.field.returnPressed.emit()
    assert settings.labeler == "cy"
    window.close_project()
    assert presence(window).chooser is None


def test_the_menu_lists_everybody_with_their_role(
    window: MainWindow, settings: Settings, several: Path
) -> None:
    settings.set("labeler", "ann")
    window.open_project(several)
    menu = pill(window).menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts[0] == "ann · lead"
    assert texts[-2:] == ["Team…", "Settings…"]
    assert [x.isChecked() for x in menu.actions()[:2]] == [True, False]


def test_a_name_that_nobody_can_have_is_refused_in_words(
    window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    window.top.labeler_requested.emit("x" * 10_000)
    assert "10,000 characters" in window.notices.notices[-1].text
    session = window.session
    assert session is not None
    assert session.labeler.name == "labeler 1"


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_peoples_colours_stand_out_on_every_ground(colours: Any) -> None:
    assert set(PEOPLE) == set(profiles.COLOURS)
    for pair in PEOPLE.values():
        for ground in (colours.window, colours.card, colours.field, colours.selection):
            assert contrast(pair[1] if colours.dark else pair[0], ground) >= 3
