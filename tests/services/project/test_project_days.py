from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import ReviewerError
from reviewer.services.project.project_days import day_of, inside, today, zone_of
from reviewer.stats.deviations import Window
from reviewer.store.figures import UNDATED

ZONES = [UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Lima")]
DAYS = st.dates(date(1990, 1, 1), date(2060, 1, 1))


@given(
    st.lists(st.integers(0, 2_500_000_000_000_000) | st.just(UNDATED), max_size=8),
    DAYS,
    DAYS | st.none(),
    st.sampled_from(ZONES),
)
def test_columns_lie_where_their_days_lie(
    moments: list[int], end: date, start: date | None, zone: ZoneInfo
) -> None:
    span = Window(start, end)
    found = inside(np.array(moments, dtype=np.int64), span, zone)
    assert found.tolist() == [span.contains(day_of(moment, zone)) for moment in moments]


@pytest.mark.parametrize("end", [date.min, date.max])
def test_the_ends_of_the_calendar_are_windows_too(end: date) -> None:
    moments = np.array([0, UNDATED], dtype=np.int64)
    found = inside(moments, Window(date.min, end), ZONES[1])
    assert found.tolist() == [end == date.max, True]


def test_moments_outside_the_calendar_have_no_day() -> None:
    assert day_of(2**61, UTC) is None


def test_a_zone_is_known_by_name_and_today_is_its_day() -> None:
    assert zone_of("UTC") is UTC
    berlin = zone_of("Europe/Berlin")
    assert abs((today(berlin) - datetime.now(UTC).date()).days) <= 1
    for name in ("Nowhere/At All", "../etc/passwd", ""):
        with pytest.raises(ReviewerError, match="time zone"):
            zone_of(name)
