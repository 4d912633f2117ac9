"""What stands beside the conversation says what is so."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from tests.building import build_project

EXPECTED = 2


def words(page: ReviewPage) -> list[str]:
    return [label.text() for label in page.case.expected.findChildren(QLabel)]


def test_a_tool_that_is_called_in_the_conversation_is_used(
    window: MainWindow, tmp_path: Path
) -> None:
    called = {"name": "get_reservation", "arguments": {"id": "R-1"}}
    row = {
        "id": "a",
        "messages": [
            {"role": "user", "content": "When do I arrive?"},
            {"role": "assistant", "content": "", "tool_calls": [called]},
            {"role": "assistant", "content": "On Friday."},
        ],
        "expected": "On Friday.",
        "expected_tools": ["get_reservation", "get_weather"],
        "scores": [{"metric": "accuracy", "value": 4}],
    }
    assert window.open_project(build_project(tmp_path / "t.review", evaluations=[row]))
    page = window.page
    assert isinstance(page, ReviewPage)
    page.case.header.choose_tab(EXPECTED)
    found = words(page)
    # what is there is what a scorer would say, and waits like its score
    assert {"get_reservation", "get_weather"} <= set(found)
    assert not [x for x in found if x.startswith(("✓", "✗"))]
    press = Qt.Key.Key_R
    QTest.keyClick(window, press)
    QTest.keyClick(window, press)
    found = words(page)
    assert "✓ get_reservation" in found
    assert "✗ get_weather" in found
    assert "On Friday." in found, "the last turn is compared, where there is no bare response"
