"""How differences between two sides are written."""

import pytest

from reviewer.services.comparing.comparison_words import change, dollars


@pytest.mark.parametrize(
    ("value", "low", "high", "digits", "words"),
    [
        (0.1, -0.03, 0.22, 2, "+0.10 [−0.03, 0.22]"),
        (-1020.4, -4467.0, 2428.0, 0, "−1,020 [−4,467, 2,428]"),
        (24.0, -2.6, 47.0, 1, "+24.0 [−2.6, 47.0]"),
        (-0.001, None, None, 2, "0.00"),
        (None, None, None, 2, "—"),
    ],
)
def test_a_difference_and_its_interval_have_as_many_decimals(
    value: float | None, low: float | None, high: float | None, digits: int, words: str
) -> None:
    assert change(value, low, high, digits) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "—"),
        (0.0, "$0"),
        (0.00004, "$0.00004"),
        (0.0000123, "$0.000012"),
        (0.0104, "$0.01"),
        (0.5, "$0.5"),
        (1.5, "$1.50"),
        (1234.5, "$1,234.50"),
    ],
)
def test_small_amounts_are_told_without_powers_of_ten(value: float | None, words: str) -> None:
    assert dollars(value) == words
