"""Speed and time left of background work."""

import pytest

from reviewer.gui.kit.text import Rate


def test_a_rate_tells_speed_and_time_left() -> None:
    rate = Rate()
    assert rate.words(0, 1000) == "0 of 1,000"
    rate.see(0, now=0.0)
    rate.see(93, now=10.0)
    assert rate.words(93, 1000) == "93 of 1,000 · 9.3 a second · about 2 min left"
    assert rate.words(93, None, "rows") == "93 rows · 9.3 a second"
    assert rate.seconds_left(1000) == pytest.approx(907 / 9.3)


def test_a_rate_forgets_what_is_long_past() -> None:
    rate = Rate()
    rate.see(0, now=0.0)
    rate.see(10, now=100.0)
    rate.see(110, now=110.0)
    assert rate.per_second == pytest.approx(10)
