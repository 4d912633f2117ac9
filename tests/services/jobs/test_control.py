"""How long a call waits before it is tried again."""

import random

import pytest

from reviewer.services.jobs.control import FIRST_WAIT, LONGEST_WAIT, wait_before


def waits(seed: int) -> list[float]:
    """The waits before the tries of one call, each with the same luck."""
    draws = (random.Random(seed) for _ in range(11))  # noqa: S311
    return [wait_before(number, None, draw) for number, draw in enumerate(draws, start=1)]


@pytest.mark.parametrize("seed", range(5))
def test_each_wait_is_twice_the_one_before_until_it_is_long_enough(seed: int) -> None:
    found = waits(seed)
    usual = [wait / found[0] for wait in found]
    assert usual[:6] == pytest.approx([1, 2, 4, 8, 16, 32])
    assert max(found) == found[-1] == pytest.approx(found[0] * LONGEST_WAIT / FIRST_WAIT)


def test_waits_of_many_calls_are_spread_around_the_usual_one() -> None:
    draw = random.Random(7)  # noqa: S311
    found = [wait_before(1, None, draw) for _ in range(100)]
    assert 0.5 * FIRST_WAIT <= min(found) < 0.7 * FIRST_WAIT
    assert 1.3 * FIRST_WAIT < max(found) <= 1.5 * FIRST_WAIT


def test_a_wish_is_kept_to_unless_it_is_absurd() -> None:
    draw = random.Random(7)  # noqa: S311
    assert wait_before(4, 0.2, draw) == 0.2
    assert wait_before(1, 300.0, draw) == 300.0
    assert wait_before(1, 86_400.0, draw) == 10 * LONGEST_WAIT
