"""The strip of past windows says its statuses by sign, words and colour."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.strip import SIGNS, StatusStrip, StripBar


def bar(place: int, status: str, *, uncertain: bool = False, rate: float | None = 0.5) -> StripBar:
    return StripBar(
        title=f"11-{place:02}",
        rate=rate,
        n=0 if rate is None else 10,
        status=status,
        uncertain=uncertain,
        words=f"{status} in words",
        key=place,
    )


@pytest.fixture
def strip(qtbot: QtBot) -> StatusStrip:
    made = StatusStrip(Theme())
    qtbot.addWidget(made)
    return made


def test_an_empty_strip_draws(strip: StatusStrip) -> None:
    assert strip.spots == ()
    strip.show_bars([], warning=0.85, critical=0.7)
    assert strip.accessibleDescription() == ""


def test_every_status_has_its_sign_and_words(strip: StatusStrip) -> None:
    bars = [bar(place, status) for place, status in enumerate(SIGNS)]
    bars.append(bar(9, "warning", uncertain=True))
    bars.append(bar(10, "insufficient_data", uncertain=True, rate=None))
    strip.show_bars(bars, warning=0.85, critical=0.7)
    shown = [item.toPlainText() for item in strip._signs if item.isVisible()]
    assert shown == ["✓", "!", "✕", "–", "!?", "–"]
    assert [spot.words for spot in strip.spots[:2]] == ["healthy in words", "warning in words"]
    assert "11-09; 10; 0.5; warning; yes" in strip.accessibleDescription()
    strip.show_bars(bars[:1], warning=0.85, critical=0.7)
    assert [item.toPlainText() for item in strip._signs if item.isVisible()] == ["✓"]
