"""The table of commands is sound, and what is bound fires where it should."""

from collections.abc import Iterable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.actions import (
    COMMANDS,
    EVERY,
    LEVELS,
    REVIEW,
    WINDOW,
    Command,
    Scope,
    bind,
    bound,
)


def conflicts(commands: Iterable[Command]) -> list[str]:
    """The keys that two commands of one page, or one of it and the window, both claim."""
    owners: dict[tuple[Scope, str], str] = {}
    problems = []
    for command in commands:
        for key in command.keys:
            for scope in {command.scope, Scope.WINDOW}:
                other = owners.get((scope, key))
                if other is not None and other != command.id:
                    problems.append(f"{key}: {other} and {command.id}")
            owners[(command.scope, key)] = command.id
    return problems


def test_no_two_commands_claim_a_key() -> None:
    assert conflicts(EVERY) == []


def test_conflicts_are_found_across_window_and_page() -> None:
    twice = Command("x.y", "Again", ("Ctrl+K",))
    assert conflicts([*WINDOW, twice]) == ["Ctrl+K: window.palette and x.y"]


def test_the_ids_are_unique_and_every_command_has_a_title() -> None:
    assert len(COMMANDS) == len(EVERY)
    assert all(command.title for command in COMMANDS.values())


def test_the_tenth_level_is_on_zero() -> None:
    assert [command.keys[0] for command in LEVELS] == [*"123456789", "0"]


def test_a_bare_return_is_never_bound(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    with pytest.raises(ValueError, match="bare Return"):
        bind(widget, Command("x.y", "Go", ("Return",)), lambda: None)


@pytest.mark.parametrize("command", [x for x in REVIEW if x.keys], ids=lambda c: c.id)
def test_a_key_fires_with_the_page_in_view_and_not_while_typing(
    qtbot: QtBot, command: Command
) -> None:
    page, field, fired = QWidget(), QLineEdit(), []
    layout = QVBoxLayout(page)
    layout.addWidget(field)
    qtbot.addWidget(page)
    action = bind(page, command, lambda: fired.append(command.id))
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    assert not action.autoRepeat()
    key = command.keys[0]
    if len(key) == 1:
        field.setFocus()
        QTest.keyClicks(field, key.lower())
        assert not fired
        assert field.text() == key.lower()
        page.setFocus()
        QTest.keyClicks(page, key.lower())
        assert fired == [command.id]


def test_a_hidden_page_keeps_its_keys_to_itself(qtbot: QtBot) -> None:
    window, page, fired = QWidget(), QWidget(), []
    layout = QVBoxLayout(window)
    layout.addWidget(page)
    qtbot.addWidget(window)
    bind(page, Command("x.skip", "Skip", ("S",)), lambda: fired.append(1))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page.hide()
    QTest.keyClick(window, Qt.Key.Key_S)
    assert not fired
    assert [command.id for command, _ in bound([page])] == ["x.skip"]
