"""Pages in view follow soon, hidden ones when they are shown."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.tasks import Refresher


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_many_wishes_are_one_refresh(qtbot: QtBot, page: QWidget) -> None:
    done: list[int] = []
    refresher = Refresher(page, lambda: done.append(1), 10)
    page.show()
    for _ in range(5):
        refresher.wish()
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(40)
    assert done == [1]


def test_a_hidden_page_waits_until_it_is_shown(qtbot: QtBot, page: QWidget) -> None:
    done: list[int] = []
    refresher = Refresher(page, lambda: done.append(1), 1)
    refresher.wish()
    qtbot.wait(20)
    assert done == []
    page.show()
    qtbot.waitUntil(lambda: done == [1])


def test_wishes_without_end_hold_no_refresh_up(qtbot: QtBot, page: QWidget) -> None:
    done: list[int] = []
    refresher = Refresher(page, lambda: done.append(1), 100)
    page.show()
    wishes = QTimer()
    wishes.timeout.connect(refresher.wish)
    wishes.start(5)
    qtbot.waitUntil(lambda: len(done) >= 2)
    wishes.stop()
