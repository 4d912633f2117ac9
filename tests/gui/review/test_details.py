"""What stands beside the conversation says what is so."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from reviewer.domain.rubric import Metric, Rubric, Tool
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


def test_keywords_are_marked_as_the_scorer_says(window: MainWindow, tmp_path: Path) -> None:
    row = {
        "id": "a",
        "response": "The basis is $442,300, of which the company owes half.",
        "expected_keywords": ["442300", "CO", "basis", "deed"],
        "scores": [{"metric": "quality", "value": 0.5}],
    }
    quality = Metric(
        name="quality", scale="range", min=0, max=1, scorer="response_quality",
        parameters={"match": "word"},
    )  # fmt: skip
    path = build_project(
        tmp_path / "k.review", rubric=Rubric(name="r", metrics=(quality,)), evaluations=[row]
    )
    assert window.open_project(path)
    page = window.page
    assert isinstance(page, ReviewPage)
    page.case.header.choose_tab(EXPECTED)
    assert not [x for x in words(page) if x.startswith(("✓", "✗"))]
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_R)
    marked = [x for x in words(page) if x.startswith(("✓", "✗"))]
    assert marked == ["✓ 442300", "✗ CO", "✓ basis", "✗ deed"]


def test_what_a_tool_is_for_stands_beside_those_expected_and_used(
    window: MainWindow, tmp_path: Path
) -> None:
    rubric = Rubric(
        name="agent",
        version="1",
        metrics=(Metric(name="clean", scale="binary"),),
        tools=(
            Tool(name="get_weather", purpose="The weather of a place"),
            Tool(
                name="get_reservation",
                purpose="One reservation",
                when="The guest names it",
                example="When do I arrive?",
            ),
        ),
    )
    row = {"id": "a", "response": "On Friday.", "expected_tools": ["get_reservation"]}
    path = build_project(tmp_path / "t.review", evaluations=[row], rubric=rubric)
    assert window.open_project(path)
    page = window.page
    assert isinstance(page, ReviewPage)
    page.case.header.choose_tab(EXPECTED)
    found = words(page)
    told = found[found.index("What the tools are for") + 1 :]
    assert told == [
        "get_reservation", "for", "One reservation", "when", "The guest names it",
        "example", "When do I arrive?", "get_weather", "for", "The weather of a place",
    ]  # fmt: skip
