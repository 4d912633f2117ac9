"""Times are said as people say them."""

from datetime import UTC, datetime, timedelta

import pytest

from reviewer.gui.kit.text import ago, clock, left, stamp

NOW = datetime(2026, 11, 20, 14, 31, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=10), "10 min ago"),
        (timedelta(hours=2), "2 h ago"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=9), "last week"),
        (timedelta(days=30), "4 weeks ago"),
    ],
)
def test_how_long_ago(passed: timedelta, words: str) -> None:
    assert ago((NOW - passed).isoformat(), NOW) == words


def test_what_is_no_time_is_said_as_it_is() -> None:
    assert ago("soon", NOW) == ""
    assert stamp("soon") == "soon"
    assert stamp(None) == "—"


def test_the_clock_follows_the_setting() -> None:
    local = NOW.astimezone()
    assert clock(NOW) == local.strftime("%H:%M:%S")
    assert clock(NOW, "12h").endswith(("am", "pm"))
    assert stamp(NOW.isoformat(), "iso") == local.strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (59, "about 59 s left"),
        (1260, "about 21 min left"),
        (9000, "about 2.5 h left"),
    ],
)
def test_time_left(seconds: float | None, words: str) -> None:
    assert left(seconds) == words
