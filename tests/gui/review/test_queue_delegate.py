"""Rows of the queue: words and gap keep apart whatever is written, in either direction."""

from array import array
from collections.abc import Sequence

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.queue_model import QueueModel
from reviewer.gui.review.queue_view import QueueList
from reviewer.services.listing.listing import QueueRow

LONG = "האם הבריכה מחוממת כל השנה או רק בקיץ ובאביב ובסתיו"
TITLES = (
    LONG,
    "كم يبعد المطار عن الفندق وهل توجد حافلة مباشرة إليه؟",
    "Is \u202egnorw siht\u202c right, and on and on and on and on?",
    "\u2067" + "isolate " * 40,
    "W" * 300,
    "a\u0301" * 300,
)


def painted(qtbot: QtBot, title: str, gap: float | None) -> QImage:
    def read(keys: Sequence[int]) -> list[QueueRow]:
        return [QueueRow(key, "7", title, "c", "r", "done", False, False, gap) for key in keys]

    theme = Theme("light", 100)
    theme.start()
    model = QueueModel(read)
    model.set_keys(array("q", [1]))
    rows = QueueList(theme)
    qtbot.addWidget(rows)
    rows.setModel(model)
    rows.resize(264, 80)
    rows.show()
    return rows.grab().toImage()


def ink(image: QImage, columns: range) -> list[int]:
    """Columns of pixels of the title's line that are not plain ground."""
    ground = image.pixel(2, 20)
    return [x for x in columns if any(image.pixel(x, y) != ground for y in range(8, 26))]


@pytest.mark.parametrize(
    "title", TITLES, ids=["hebrew", "arabic", "override", "isolate", "w", "á"]
)
def test_the_words_end_before_the_gap(qtbot: QtBot, title: str) -> None:
    image = painted(qtbot, title, -1.5)
    bare = painted(qtbot, "", -1.5)
    gap = ink(bare, range(180, 262))
    assert gap
    words = set(ink(image, range(30, 262))) - set(gap)
    assert words
    assert max(words) < min(gap) - 4


def test_a_line_read_leftwards_ends_with_its_ellipsis_at_the_left(qtbot: QtBot) -> None:
    image = painted(qtbot, LONG, None)
    low = [
        x
        for x in range(34, 48)
        if any(image.pixel(x, y) != image.pixel(2, 20) for y in range(8, 18))
    ]
    assert not low, "three dots leave the upper half of their columns empty"
