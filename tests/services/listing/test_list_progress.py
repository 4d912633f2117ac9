"""The pace of labelling, from the times of labels."""

import pytest

from reviewer.services.listing.listing import seconds_each


def entries(*seconds: tuple[int, float]) -> list[tuple[int, int]]:
    """Entries (evaluation, second) in order of time, as the store gives them: newest first."""
    return [(evaluation, int(at * 1e6)) for evaluation, at in reversed(seconds)]


def test_the_median_from_first_label_to_first_label() -> None:
    found = seconds_each(entries((1, 0), (1, 5), (1, 9), (2, 10), (2, 19), (3, 30), (4, 35)))
    assert found == pytest.approx(10)


def test_breaks_and_clocks_that_went_back_are_left_out() -> None:
    times = entries((1, 0), (2, 10), (3, 10_000), (4, 9_990), (5, 10_000), (6, 10_012))
    assert seconds_each(times) == pytest.approx(10)


def test_two_evaluations_tell_no_pace() -> None:
    assert seconds_each([]) is None
    assert seconds_each(entries((1, 0), (2, 10), (3, 20))) is None
