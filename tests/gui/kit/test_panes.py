"""F6 goes round the panes, forwards and backwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.focus_order import cycle
from reviewer.gui.window import MainWindow


@pytest.fixture
def panes(qtbot: QtBot) -> Iterator[list[QWidget]]:
    window = QWidget()
    row = QHBoxLayout(window)
    made: list[QWidget] = []
    for inner in (QLineEdit(), QPushButton("b"), QLineEdit()):
        pane = QWidget()
        QHBoxLayout(pane).addWidget(inner)
        row.addWidget(pane)
        made.append(pane)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield made
    window.close()


def holder(panes: list[QWidget]) -> int:
    focused = QApplication.focusWidget()
    return next(n for n, pane in enumerate(panes) if focused and pane.isAncestorOf(focused))


def test_the_panes_are_gone_round(panes: list[QWidget]) -> None:
    panes[0].findChildren(QLineEdit)[0].setFocus()
    seen = []
    for step in (1, 1, 1, -1, -1):
        cycle(panes, step)
        seen.append(holder(panes))
    assert seen == [1, 2, 0, 2, 1]


def test_hidden_panes_and_panes_without_a_stop_are_passed_over(panes: list[QWidget]) -> None:
    panes[1].hide()
    panes[0].findChildren(QLineEdit)[0].setFocus()
    cycle(panes, 1)
    assert holder(panes) == 2
    panes[0].findChildren(QLineEdit)[0].setEnabled(False)
    cycle(panes, 1)
    assert holder(panes) == 2


def test_no_panes_is_no_mistake() -> None:
    assert cycle([], 1) is None


def test_the_review_page_gives_its_panes_to_f6(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    seen = []
    for _ in range(4):
        QTest.keyClick(window, Qt.Key.Key_F6)
        focused = QApplication.focusWidget()
        seen.append(focused)
    assert len({id(widget) for widget in seen}) >= 3


def test_control_k_opens_the_palette_even_while_typing(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    assert window.page is not None
    field = window.page.findChildren(QLineEdit)[0]
    field.setFocus()
    QTest.keyClicks(field, "pool")
    QTest.keyClick(field, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert window.palette_box.isVisible()
    assert field.text() == "pool"
