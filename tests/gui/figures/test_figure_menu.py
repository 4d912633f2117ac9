"""Every figure is copied as a sentence, explained, and opened from menu and keys."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.explanation import ExplanationDialog
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.window import MainWindow
from reviewer.services.explaining.explanations_words import Step

GAP = Figure(
    title="Mean gap of Accuracy",
    sentence="The judge scores Accuracy 0.69 too high (95 % 0.42 to 0.96, n = 96).",
    steps=lambda: (Step("Mean gap", "(−66) / 96 = −0.69"),),
    keys=lambda: [3, 1, 2],
)
BARE = Figure(title="n", sentence="96 responses are labelled.")


def test_the_menu_offers_what_a_figure_has(window: MainWindow) -> None:
    menu = FigureMenu(window.surroundings.theme, window).menu(GAP, window)
    assert [action.text() for action in menu.actions()] == [
        "Copy as sentence",
        "Show formula with numbers",
        "Open the responses",
    ]
    assert all(action.isEnabled() for action in menu.actions())
    bare = FigureMenu(window.surroundings.theme, window).menu(BARE, window)
    assert [action.isEnabled() for action in bare.actions()] == [True, False, False]


def test_a_label_is_reached_by_tab_and_obeys_the_keys(window: MainWindow, qtbot: QtBot) -> None:
    label = QLabel("−0.69", window)
    served = FigureMenu(window.surroundings.theme, window)
    served.serve(label, lambda: GAP)
    asked: list[tuple[object, str]] = []
    served.responses_requested.connect(lambda keys, what: asked.append((keys, what)))
    label.show()
    label.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(label.hasFocus)
    QTest.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == GAP.sentence
    QTest.keyClick(label, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == [([3, 1, 2], "Mean gap of Accuracy")]
    QTest.keyClick(label, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    shown = window.findChild(ExplanationDialog)
    assert isinstance(shown, ExplanationDialog)
    assert shown.heading.text() == "Mean gap of Accuracy"
    assert any("−0.69" in part.text() for part in shown.findChildren(QLabel))
    shown.close()


def test_a_row_of_a_table_takes_its_first_figure(window: MainWindow, qtbot: QtBot) -> None:
    grid = GridView(window.surroundings.theme, (Column("metric"), Column("gap", 50)), "Metrics")
    grid.setParent(window)
    grid.show_rows([("accuracy", (Cell("Accuracy"), Cell("−0.69")))])
    served = FigureMenu(window.surroundings.theme, window)
    served.serve_grid(grid, lambda key, place: GAP if (key, place) == ("accuracy", 1) else None)
    grid.show()
    grid.choose("accuracy")
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    QGuiApplication.clipboard().clear()
    QTest.keyClick(grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == GAP.sentence
