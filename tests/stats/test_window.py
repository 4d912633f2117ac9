from datetime import date, timedelta

import pytest

from reviewer.stats.deviations import months_before, window

AS_OF = date(2026, 8, 31)


def test_six_calendar_months_back_stops_at_the_end_of_the_month() -> None:
    span = window(AS_OF)
    assert span.start == date(2026, 2, 28)
    assert not span.contains(date(2026, 2, 27))
    assert span.contains(date(2026, 2, 28))
    assert span.contains(AS_OF)
    assert not span.contains(AS_OF + timedelta(days=1))


def test_leap_year_days_and_no_lower_end() -> None:
    assert window(date(2028, 8, 31)).start == date(2028, 2, 29)
    assert window(AS_OF, days=183).start == date(2026, 3, 1)
    assert window(AS_OF, months=None).contains(date(1990, 1, 1))
    assert not window(AS_OF, months=None).contains(date(2027, 1, 1))
    assert window(AS_OF, months=0).start == AS_OF


def test_without_a_date_inside_every_window() -> None:
    assert window(AS_OF, days=0).contains(None)


def test_further_back_than_the_calendar_goes() -> None:
    assert months_before(date(3, 5, 5), 1200) == date.min
    assert window(date(3, 5, 5), days=10**6).start == date.min


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        window(AS_OF, months=-1)
