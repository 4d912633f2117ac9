"""A level is drawn once for each look, and anew in other colours and sizes."""

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import MOST_PICTURES, Choice, Theme
from reviewer.gui.review.level_button import LevelButton


def looks(button: LevelButton) -> bytes:
    picture: QImage = button.grab().toImage()
    return bytes(picture.constBits())


def test_a_picture_is_kept_for_each_look(qtbot: QtBot) -> None:
    theme = Theme(Choice.LIGHT)
    first, second = [LevelButton(theme, "4", key="4", title="Good") for _ in range(2)]
    for button in (first, second):
        qtbot.addWidget(button)
        button.resize(60, 30)
    seen = {}
    for state in ((False, False), (True, False), (False, True), (True, True)):
        first.set_state(given=state[0], auto=state[1])
        second.set_state(given=state[0], auto=state[1])
        drawn = looks(first)
        kept = len(theme.pictures)
        assert looks(second) == drawn
        assert len(theme.pictures) == kept
        seen[state] = drawn
    assert len(set(seen.values())) == 4


def test_other_colours_are_drawn_anew(qtbot: QtBot) -> None:
    theme = Theme(Choice.LIGHT)
    button = LevelButton(theme, "4", key="4", title="")
    qtbot.addWidget(button)
    button.resize(60, 30)
    light = looks(button)
    theme.set_choice(Choice.DARK)
    assert looks(button) != light
    theme.set_choice(Choice.LIGHT)
    assert looks(button) == light


def test_pictures_do_not_become_too_many(qtbot: QtBot) -> None:
    theme = Theme(Choice.LIGHT)
    button = LevelButton(theme, "4", key="4", title="")
    qtbot.addWidget(button)
    for width in range(40, 40 + 2 * MOST_PICTURES):
        button.resize(width, 30)
        button.grab()
    assert 0 < len(theme.pictures) <= MOST_PICTURES
