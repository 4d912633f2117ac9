"""Sums of doubles without rounding, so that taking a value out again restores the former sum."""

from typing import Final

STEP_BITS: Final = 1074
"""Every finite double is a whole multiple of 2 ** -1074."""

_OFFSET: Final = STEP_BITS + 1


def to_fixed(value: float) -> int:
    """Turn a finite double into its whole number of steps of 2 ** -1074.

    Raises:
        ValueError: for NaN; OverflowError for infinity.
    """
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_OFFSET - denominator.bit_length())


def from_fixed(total: int) -> float:
    """Round an exact sum of steps to the nearest double."""
    return total / (1 << STEP_BITS)


def mean_of_fixed(total: int, count: int) -> float:
    """Divide an exact sum of steps by a count, rounded once."""
    return total / (count << STEP_BITS)


def ratio_of_squares(total: int, count: int) -> float:
    """Divide a sum of products of steps by a count, rounded once."""
    return total / (count << (2 * STEP_BITS))


def product_to_fixed(left: float, right: float) -> int:
    """Multiply two finite doubles into a whole number of steps of 2 ** -2148, exactly."""
    a, a_below = left.as_integer_ratio()
    b, b_below = right.as_integer_ratio()
    return (a * b) << (2 * _OFFSET - a_below.bit_length() - b_below.bit_length())
