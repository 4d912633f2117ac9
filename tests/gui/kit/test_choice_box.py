"""A choice's list shows its last entry whole, and names that differ at their ends differ."""

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.pieces import Button, ElidedText
from reviewer.gui.kit.theme import Theme

RUNS = [f"2026-11-18 a long name of a run v{n}" for n in range(40)]


def box(qtbot: QtBot, entries: list[str], width: int = 160) -> ChoiceBox:
    made = ChoiceBox()
    made.addItems(entries)
    qtbot.addWidget(made)
    made.setFixedWidth(width)
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


@pytest.mark.parametrize("scale", [100, 200])
@pytest.mark.parametrize("count", [1, 2, 3, 9, 40])
def test_the_last_entry_is_whole(qtbot: QtBot, scale: int, count: int) -> None:
    theme = Theme("light", scale)
    theme.start()
    made = box(qtbot, RUNS[:count])
    made.showPopup()
    view = made.view()
    qtbot.waitUntil(view.isVisible)
    last = view.model().index(count - 1, 0)
    view.scrollTo(last)
    qtbot.wait(10)
    inside = view.viewport().rect()
    assert inside.contains(view.visualRect(last).adjusted(2, 0, -2, 0))
    room = min(view.sizeHintForColumn(0), made.screen().availableGeometry().width() - 40)
    assert view.viewport().width() >= room
    made.hidePopup()


def picture(made: QComboBox) -> QImage:
    return made.grab().toImage()


def test_names_that_differ_at_their_ends_look_different(qtbot: QtBot) -> None:
    Theme("light").start()
    made = box(qtbot, RUNS)
    first = picture(made)
    made.setCurrentIndex(1)
    assert picture(made) != first


def test_so_do_lines_and_captions_of_menus(qtbot: QtBot) -> None:
    Theme("light").start()
    for make in (
        lambda name: ElidedText(name, is_name=True),
        lambda name: Button(f"Queue: {name} ▾"),
    ):
        shown = []
        for name in RUNS[:2]:
            widget = make(name)
            qtbot.addWidget(widget)
            if isinstance(widget, Button):
                widget.let_shrink()
            widget.resize(150, 30)
            shown.append(widget.grab().toImage())
        assert shown[0] != shown[1]
