"""The table of human against auto on scales that are wider than its card."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.confusion_view import ConfusionView
from reviewer.gui.window import MainWindow
from reviewer.services.figures.statistics_blocks import Confusion

WIDTH = 420
LONG = "a category whose name is far longer than anybody would like to read in a table " * 2


@pytest.fixture
def view(qtbot: QtBot, window: MainWindow) -> ConfusionView:
    made = ConfusionView(window.surroundings.theme)
    qtbot.addWidget(made)
    made.resize(WIDTH, 100)
    made.show()
    return made


def diagonal(size: int, count: int = 1) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(count * (row == place) for place in range(size)) for row in range(size))


def test_a_long_category_leaves_the_cells_their_room(view: ConfusionView) -> None:
    view.show_table(Confusion(("fine", LONG, "odd"), diagonal(3)))
    assert view.verticalHeader().width() <= WIDTH // 3
    assert all(view.columnWidth(column) >= WIDTH // 6 for column in range(3))
    tip = view.counts.headerData(1, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert LONG[:80] in str(tip)


def test_a_hundred_levels_are_readable_and_scroll_sideways(
    view: ConfusionView, qtbot: QtBot
) -> None:
    view.show_table(Confusion(tuple(range(1, 101)), diagonal(100, 1_234)))
    assert view.columnWidth(0) > QFontMetrics(view.font()).horizontalAdvance("1,234")
    assert view.rowHeight(0) >= QFontMetrics(view.font()).height()
    assert view.horizontalScrollBar().maximum() > 0
    qtbot.waitUntil(view.horizontalScrollBar().isVisible)


def test_five_levels_need_no_bar(view: ConfusionView) -> None:
    view.show_table(Confusion((1, 2, 3, 4, 5), diagonal(5)))
    assert view.horizontalScrollBar().maximum() == 0
    assert view.verticalScrollBar().maximum() == 0


def test_escape_shows_all_again(
    view: ConfusionView, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    view.show_table(Confusion((1, 2, 3), diagonal(3)))
    view.setCurrentIndex(view.counts.index(1, 1))
    with qtbot.waitSignal(view.cleared):
        QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not view.selectedIndexes()
    settle()
