"""What a screen reader is told by the real program: roles, states, names, and nothing hidden."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.gui.review.header import TABS
from reviewer.services.computer.settings import Settings
from reviewer.services.upkeep import projects
from tests.hidden import SAID, WHY, hidden_project, tells
from tests.servers.screen_reader import ScreenReader, Told, read_aloud

PAGES = ("Review", "Audit", "Runs", "Reports")
PRESSED = {
    "button menu", "check box", "combo box", "link", "menu item", "page tab", "push button",
    "radio button", "toggle button",
}  # fmt: skip
USED = PRESSED | {
    "dial", "grip", "list", "page tab list", "scroll bar", "slider", "spin button", "table",
    "text", "tree", "tree table",
}  # fmt: skip
"""Roles of what takes a key or a click."""


def own_home(tmp_path: Path, labeler: str) -> Path:
    """Give a home in which somebody said who they are."""
    home = tmp_path / "home"
    Settings(home / ".config" / "reviewer").set("labeler", labeler)
    return home


@pytest.fixture
def lead(tmp_path: Path) -> Iterator[ScreenReader]:
    """The demo as its lead has it."""
    path = projects.make_demo(tmp_path / "demo.review", None, Silent())
    with read_aloud(str(path), home=own_home(tmp_path, "lead")) as reader:
        yield reader


def chosen(shown: list[Told], role: str, state: str) -> list[str]:
    """Name what of a role is in a state."""
    return [x.name for x in shown if x.role == role and state in x.states]


def choose(reader: ScreenReader, tab: str) -> list[Told]:
    """Press a tab and give what shows then."""
    reader.press("page tab", tab)
    return reader.wait_for(lambda shown: tab in chosen(shown, "page tab", "selected"))


def test_pages_views_and_levels_are_what_they_are_and_can_be_pressed(lead: ScreenReader) -> None:
    shown = lead.wait_for(lambda shown: chosen(shown, "radio button", "focusable"))
    lists = [x.name for x in shown if x.role == "page tab list"]
    assert lists == ["Pages", "Views of the response"]
    assert [x.name for x in shown if x.role == "page tab"] == [*PAGES, *TABS]
    assert chosen(shown, "page tab", "selected") == ["Review", "Conversation"]
    levels = [x.name for x in shown if x.role == "radio button"]
    assert levels[0] == "Relevance, 5, Excellent"
    assert len(levels) == 5
    assert chosen(shown, "radio button", "checked") == []

    lead.press("radio button", "Relevance, 4, Good")
    shown = lead.wait_for(
        lambda shown: "Relevance, 4, Good, your label" in chosen(shown, "radio button", "checked")
    )
    assert chosen(shown, "radio button", "checked") == ["Relevance, 4, Good, your label"]

    shown = choose(lead, "Expected")
    assert chosen(shown, "page tab", "selected") == ["Review", "Expected"]


def test_whatever_takes_a_key_or_a_click_has_a_name(lead: ScreenReader) -> None:
    for page in PAGES:
        tabs = [x.name for x in choose(lead, page) if x.role == "page tab"]
        for name in tabs[len(PAGES) :] or [page]:
            nameless = [x for x in choose(lead, name) if x.role in USED and not x.name.strip()]
            assert nameless == [], f"{page} {name}"


@pytest.mark.parametrize("labeler", ["bo", "lea"])
def test_nothing_hidden_is_told(tmp_path: Path, labeler: str) -> None:
    path = hidden_project(tmp_path / "hidden.review")
    with read_aloud(str(path), home=own_home(tmp_path, labeler)) as reader:
        told: list[Told] = []
        if labeler == "bo":
            reader.press("push button", "Leave focus")
        for view in TABS:
            choose(reader, view)
            told += reader.everything()
        for page in PAGES[1:]:
            reader.press("page tab", page)
            if labeler == "lea":
                choose(reader, page)
            told += reader.everything()
    found = {words for x in told for words in (x.name, x.about, x.value) if tells(words)}
    if labeler == "bo":
        assert found == set()
    else:
        assert any(WHY in words for words in found)
        assert any(SAID in words for words in found), "nothing is hidden from leads"
