"""What one press of a level asks the project file."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from tests.gui.review.test_page import open_page, press

MOST = 24
PRAGMAS = ("PRAGMA", "BEGIN", "COMMIT")


@pytest.fixture
def page(
    window: MainWindow, project: Path, qtbot: QtBot, settle: Callable[[], None]
) -> ReviewPage:
    made = open_page(window, project)
    with qtbot.waitSignal(made.figures.updated):
        made.figures.reload()
    settle()
    # the first press makes the labeler's row, the second finds that somebody leads
    press(window, "42J")
    settle()
    return made


def asked(window: MainWindow, keys: str) -> list[str]:
    """Every statement until the press returns."""
    assert window.session is not None
    conn, seen = window.session.project.conn, list[str]()
    conn.set_trace_callback(lambda words: seen.append(" ".join(words.split())))
    press(window, keys)
    conn.set_trace_callback(None)
    return seen


@pytest.mark.usefixtures("page")
def test_a_press_asks_little_and_nothing_twice_before_it_is_written(window: MainWindow) -> None:
    seen = asked(window, "4")
    assert len(seen) <= MOST
    written = seen.index("COMMIT")
    reads = Counter(x for x in seen[:written] if x.startswith("SELECT"))
    assert [words for words, times in reads.items() if times > 1] == []
