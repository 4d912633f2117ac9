"""Tab follows what is read, though it was made in another order."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.focus_order import follow_layout


def test_rows_scroll_areas_and_late_fields_are_stops_in_reading_order(qtbot: QtBot) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    late, first, second, third, last = (
        QLineEdit(), QLineEdit(), QSpinBox(), QLineEdit(), QLineEdit(),
    )  # fmt: skip
    grid, inner = QGridLayout(), QWidget()
    grid.addWidget(third, 1, 0)
    grid.addWidget(second, 0, 1)
    grid.addWidget(first, 0, 0)
    inner.setLayout(grid)
    area = QScrollArea()
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inner)
    column = QVBoxLayout(root)
    column.addWidget(area)
    column.addWidget(last)
    column.insertWidget(1, late)
    root.show()
    root.activateWindow()
    qtbot.waitUntil(root.isActiveWindow)
    follow_layout(root)
    first.setFocus()
    walked = []
    for _ in range(5):
        walked.append(QApplication.focusWidget())
        QTest.keyClick(root.window(), Qt.Key.Key_Tab)
    assert walked == [first, second, third, late, last]
    assert QApplication.focusWidget() is first
