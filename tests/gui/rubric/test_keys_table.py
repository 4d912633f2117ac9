"""Editing rows by mouse and by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.rubric_keys import Keys
from reviewer.gui.kit.theme import Theme
from reviewer.gui.rubric.keys_table import (
    KeyColumn,
    KeysTable,
    Verbs,
    read_number,
    write_value,
)


@pytest.mark.parametrize(
    ("typed", "read"),
    [("", None), ("3", 3), ("2.5", 2.5), ("−1", -1), (" 4 ", 4), ("four", "four")],
)
def test_numbers_are_read_as_typed(typed: str, read: object) -> None:
    assert read_number(typed) == read


def test_values_are_written_as_they_would_be_typed() -> None:
    assert [write_value(x) for x in (None, 3.0, 2.5, "a")] == ["", "3", "2.5", "a"]


@pytest.fixture
def rows() -> list[Keys]:
    return [{"value": n, "title": f"level {n}"} for n in (1, 2, 3)]


@pytest.fixture
def table(qtbot: QtBot, rows: list[Keys]) -> KeysTable:
    columns = (KeyColumn("value", "Value", number=True), KeyColumn("title", "Title"))
    made = KeysTable(Theme("light"), columns, Verbs("level", lambda _: {"value": 9, "title": ""}))
    qtbot.addWidget(made)
    made.show_rows(rows)
    return made


def test_what_is_typed_goes_into_the_rows(table: KeysTable, rows: list[Keys]) -> None:
    assert table.model.setData(table.model.index(0, 0), "7")
    assert table.model.setData(table.model.index(1, 1), "Fine")
    assert (rows[0]["value"], rows[1]["title"]) == (7, "Fine")


def test_rows_are_moved_and_removed_by_keyboard(table: KeysTable, rows: list[Keys]) -> None:
    QTest.keyClick(table.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert [row["value"] for row in rows] == [2, 1, 3]
    assert table.place == 1
    QTest.keyClick(table.view, Qt.Key.Key_Delete)
    assert [row["value"] for row in rows] == [2, 3]


def test_a_row_is_added_at_the_end_and_chosen(
    qtbot: QtBot, table: KeysTable, rows: list[Keys]
) -> None:
    with qtbot.waitSignal(table.edited):
        QTest.mouseClick(table.add_button, Qt.MouseButton.LeftButton)
    assert rows[-1] == {"value": 9, "title": ""}
    assert table.place == 3


def test_buttons_move_a_row_by_one(table: KeysTable, rows: list[Keys]) -> None:
    table.choose(0)
    QTest.mouseClick(table.down_button, Qt.MouseButton.LeftButton)
    assert [row["value"] for row in rows] == [2, 1, 3]
    QTest.mouseClick(table.up_button, Qt.MouseButton.LeftButton)
    assert [row["value"] for row in rows] == [1, 2, 3]


def test_the_last_row_goes_no_further(table: KeysTable, rows: list[Keys]) -> None:
    table.choose(2)
    table.move_row(1)
    assert [row["value"] for row in rows] == [1, 2, 3]
