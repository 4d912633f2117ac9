"""How numbers are written: the same everywhere, at their ends, too."""

from collections.abc import Callable
from typing import Any

import pytest

from reviewer.domain import wording
from reviewer.domain.errors import refusal
from reviewer.domain.wording import DASH

TABLE: tuple[tuple[Callable[..., str], tuple[Any, ...], str], ...] = (
    (wording.fixed, (None,), DASH),
    (wording.fixed, (-0.004,), "0.00"),
    (wording.fixed, (-1234.5,), "−1,234.50"),
    (wording.fixed, (2.5, 0), "2"),
    (wording.two, (1.005,), "1.00"),
    (wording.signed, (0.004,), "0.00"),
    (wording.signed, (0.006,), "+0.01"),
    (wording.signed, (-0.006,), "−0.01"),
    (wording.short, (None,), DASH),
    (wording.short, (99.994,), "99.99"),
    (wording.short, (-100.0,), "−100.0"),
    (wording.short, (1000.4,), "1,000"),
    (wording.trimmed, (100.0, 2), "100"),
    (wording.trimmed, (1.50, 2), "1.5"),
    (wording.trimmed, (1200.0, 0), "1,200"),
    (wording.plain, (0.12345,), "0.123"),
    (wording.numeral, (None,), DASH),
    (wording.numeral, (0.12345,), "0.1235"),
    (wording.amount, (9.994,), "9.99"),
    (wording.amount, (10.04,), "10"),
    (wording.amount, (10.06,), "10.1"),
    (wording.p_words, (None,), DASH),
    (wording.p_words, (0.00099,), "< 0.001"),
    (wording.p_words, (0.001,), "0.001"),
    (wording.p_words, (0.5,), "0.500"),
    (wording.p_words, (0.0, wording.UNDER), "under 0.001"),
    (wording.score_words, (None,), DASH),
    (wording.score_words, ("tone",), "tone"),
    (wording.score_words, (True,), "1"),
    (wording.score_words, (-3.0,), "−3"),
    (wording.score_words, (1234.0,), "1234"),
    (wording.score_words, (1234.567,), "1234.57"),
    (wording.gap_words, (None,), DASH),
    (wording.gap_words, (0.004,), "0"),
    (wording.gap_words, (1.0,), "+1"),
    (wording.gap_words, (-0.5,), "−0.5"),
    (wording.brief, (0.000012345,), "1.234e−05"),
    (wording.brief, (-0.3125,), "−0.3125"),
    (wording.as_typed, (-0.3125,), "-0.3125"),
    (wording.as_typed, (1234567.0,), "1.23457e+06"),
    (wording.in_percent, (None,), DASH),
    (wording.in_percent, (0.1234,), "12.3 %"),
    (wording.percent_span, (0.05, 0.954), "5 – 95 %"),
    (wording.percent, (0.996,), "over 99 %"),
    (wording.percent, (1.0,), "100 %"),
    (wording.percent, (0.004,), "under 1 %"),
    (wording.percent, (0.0,), "0 %"),
    (wording.percent, (0.61,), "61 %"),
    (wording.points, (0.126,), "+13"),
    (wording.points, (-0.126,), "−13"),
    (wording.points, (-0.001,), "0"),
    (wording.level_percent, (0.95,), "95 %"),
    (wording.level_percent, (0.999,), "99.9 %"),
    (wording.level_percent, (0.9975,), "99.75 %"),
    (wording.counted, (1, "row"), "1 row"),
    (wording.counted, (0, "row"), "0 rows"),
    (wording.counted, (1200, "entry", "entries"), "1,200 entries"),
    (wording.listed, ((),), ""),
    (wording.listed, (("a",),), "a"),
    (wording.listed, (("a", "b", "c"),), "a, b and c"),
    (wording.upper_first, ("it is so",), "It is so."),
    (wording.upper_first, ("",), "."),
    (refusal, (OSError(28, "No space left on device"),), "no space left on device"),
    (refusal, (OSError("Gone"),), "gone"),
)  # fmt: skip


@pytest.mark.parametrize(("write", "given", "words"), TABLE)
def test_numbers_are_written(
    write: Callable[..., str], given: tuple[Any, ...], words: str
) -> None:
    assert write(*given) == words


@pytest.mark.parametrize(
    ("value", "digits"), [(0.0, 2), (1.5, 2), (12.0, 2), (0.1, 2), (0.012, 3), (0.00004, 6)]
)
def test_money_has_two_digits_that_say_something(value: float, digits: int) -> None:
    assert wording.decimals(value) == digits
