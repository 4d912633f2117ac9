"""The read-only table: keys, roles, second lines, keyboard, narrow room."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.theme import Theme

COLUMNS = (
    Column("name"),
    Column("n", 60, number=True, tip="Evaluations.", drop=1),
    Column("share", 60, number=True, drop=2),
)


@pytest.fixture
def view(qtbot: QtBot) -> GridView:
    made = GridView(Theme("light"), COLUMNS, "Runs")
    qtbot.addWidget(made)
    made.show_rows(
        [
            (key, (Cell(f"run {key}", tip="whole", below="a.jsonl"), Cell(f"{key}"), Cell("—")))
            for key in (3, 1, 2)
        ]
    )
    made.resize(500, 300)
    made.show()
    return made


def test_return_opens_and_arrows_choose(qtbot: QtBot, view: GridView) -> None:
    view.choose(3)
    chosen: list[object] = []
    view.row_chosen.connect(chosen.append)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert chosen == [1]
    with qtbot.waitSignal(view.row_opened) as opened:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert opened.args == [1]


def test_the_chosen_row_stays_chosen_when_others_come(view: GridView) -> None:
    view.choose(2)
    view.show_rows([(key, (Cell("x"), Cell("y"), Cell("z"))) for key in (2, 9)])
    assert view.chosen() == 2
    assert not view.choose(7)


def test_screen_readers_get_title_and_both_lines(view: GridView) -> None:
    index = view.rows.index(0, 0)
    role = Qt.ItemDataRole.AccessibleTextRole
    assert view.rows.data(index, role) == "name: run 3, a.jsonl"
    assert view.rows.data(index, Qt.ItemDataRole.ToolTipRole) == "whole"


def test_columns_are_left_out_where_room_is_short(view: GridView) -> None:
    assert not view.isColumnHidden(2)
    view.resize(200, 300)
    assert (view.isColumnHidden(1), view.isColumnHidden(2)) == (False, True)
    view.resize(140, 300)
    assert view.isColumnHidden(1)
    view.resize(500, 300)
    assert not view.isColumnHidden(1)


def test_it_is_as_tall_as_its_rows(qtbot: QtBot) -> None:
    view = GridView(Theme("light"), COLUMNS, "Runs", most=10)
    qtbot.addWidget(view)
    view.show_rows([(key, (Cell("run"), Cell("3"), Cell("—"))) for key in range(3)])
    three = view.height()
    view.show_rows([])
    assert view.height() < three


def test_a_mark_stands_behind_the_words_or_before_the_second_line(qtbot: QtBot) -> None:
    theme = Theme("light")
    made = GridView(theme, COLUMNS[:1], "Judges")
    qtbot.addWidget(made)
    cell = Cell("deepseek-chat", below="v4 · $0.34", mark="best")
    made.show_rows([(1, (cell,))])
    index = made.rows.index(0, 0)
    assert made.rows.data(index, Qt.ItemDataRole.AccessibleTextRole) == (
        "name: deepseek-chat, best, v4 · $0.34"
    )
    tone = theme.colour("adjusted").rgb()
    for width, upper in ((400, True), (theme.px(112), False)):
        made.resize(width, 200)
        made.show()
        box = made.visualRect(index)
        picture = made.viewport().grab(box).toImage()
        rows = {y for y in range(picture.height()) for x in range(picture.width())
                if picture.pixel(x, y) == tone}  # fmt: skip
        assert rows
        assert (max(rows) < picture.height() * 0.6) is upper
