"""A wheel over a field changes nothing: in every dialog and on every page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDial,
    QDialog,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.importing.dialog import ImportDialog
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.pages import PAGES
from reviewer.gui.window import MainWindow

FIELDS = (QComboBox, QAbstractSpinBox, QAbstractSlider, QDial)
DIALOGS = ("settings", "keys", "labelers", "queues", "new_queue", "package", "judges", "prompts",
           "bots")  # fmt: skip


def value_of(field: QWidget) -> object:
    if isinstance(field, QComboBox):
        return field.currentIndex()
    return field.text() if isinstance(field, QAbstractSpinBox) else field.value()  # type: ignore[attr-defined]


def turn_wheel(field: QWidget) -> None:
    """Turn the wheel over a field, down and up."""
    middle = QPointF(field.rect().center())
    for step in (-120, 120, 120):
        turned = QWheelEvent(
            middle,
            QPointF(field.mapToGlobal(field.rect().center())),
            QPoint(),
            QPoint(0, step),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(field, turned)


def changed_by_wheel(root: QWidget) -> list[str]:
    """The fields beneath a widget that a wheel changes while another one has the focus."""
    changed = []
    for field in root.findChildren(QWidget):
        if not isinstance(field, FIELDS) or isinstance(field, QScrollBar):
            continue
        field.clearFocus()
        before = value_of(field)
        turn_wheel(field)
        by_focus = field.focusPolicy() & Qt.FocusPolicy.WheelFocus == Qt.FocusPolicy.WheelFocus
        if value_of(field) != before or by_focus:
            changed.append(f"{type(field).__name__} {field.accessibleName()}")
    return changed


@pytest.mark.parametrize("name", DIALOGS)
def test_in_every_dialog(
    window: MainWindow, commands: WindowCommands, demo: Path, name: str
) -> None:
    window.surroundings.settings.set("labeler", "ann")
    window.open_project(demo)
    before = set(QApplication.topLevelWidgets())
    commands.actions[f"window.{name}"].trigger()
    QApplication.processEvents()
    opened = [x for x in QApplication.topLevelWidgets() if isinstance(x, QDialog)]
    fresh = [x for x in opened if x not in before and x.isVisible()]
    assert fresh
    assert [changed_by_wheel(dialog) for dialog in fresh] == [[] for _ in fresh]
    for dialog in fresh:
        dialog.close()


def test_in_the_import_dialog(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("id,question,answer,accuracy,ann\nq-1,When?,From 3,5,5\n")
    dialog = ImportDialog(window.surroundings, (file,), None, window)
    dialog.show()
    settle()
    assert len(dialog.findChildren(QComboBox)) > 5
    assert changed_by_wheel(dialog) == []
    dialog.close()


def test_on_every_page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> None:
    window.surroundings.settings.set("labeler", "ann")
    window.open_project(demo)
    found = []
    for spec in PAGES:
        window.show_page(spec.id)
        settle()
        assert window.page is not None
        for row in window.page.findChildren(SectionRow):
            for place in range(len(row.buttons)):
                row.choose(place)
                settle()
        found += changed_by_wheel(window.page)
    assert found == []


def test_what_has_the_focus_takes_the_wheel(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands
) -> None:
    dialog = commands.open_settings()
    dialog.activateWindow()
    field = dialog.findChild(QComboBox, "theme")
    assert isinstance(field, QComboBox)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.setCurrentIndex(1)
    turn_wheel(field)
    assert window.surroundings.settings.theme != "light"
    dialog.close()
