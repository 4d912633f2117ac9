"""Means and shares with their n, against those of the library of intervals."""

import numpy as np
import pytest
from scipy import stats as sp

from reviewer.stats.clustering import NO_QUANTITY, Quantity, mean_of, share_of
from reviewer.stats.intervals import wilson

VALUES = np.array([1.0, 2.0, np.nan, 4.0, 5.0, 3.0, 3.0, 2.0, np.nan, 4.0, 5.0, 1.0])


def test_a_mean_is_of_what_is_known_with_its_t_interval() -> None:
    known = VALUES[np.isfinite(VALUES)]
    found = mean_of(VALUES)
    low, high = sp.t.interval(0.95, known.size - 1, known.mean(), sp.sem(known))
    assert [found.value, found.low, found.high] == pytest.approx([known.mean(), low, high])
    assert (found.n, found.reason) == (10, None)


def test_nine_values_have_no_interval() -> None:
    assert mean_of(VALUES[:-1]) == Quantity(29 / 9, 9)
    nine = np.ones(9, dtype=np.bool_)
    assert share_of(nine, nine) == Quantity(1.0, 9)


def test_a_share_is_among_some_with_wilsons_interval() -> None:
    hits = np.array([True] * 8 + [False] * 4 + [True])
    found = share_of(hits, np.array([True] * 12 + [False]))
    around = wilson(8, 12)
    assert around is not None
    assert found == Quantity(8 / 12, 12, around.low, around.high)


def test_conversations_widen_a_mean() -> None:
    clusters = np.repeat(np.arange(6), 2)
    alone, together = mean_of(VALUES), mean_of(VALUES, clusters)
    assert alone.value == together.value
    assert (alone.low, alone.high) != (together.low, together.high)


def test_nothing_has_no_mean_and_no_share() -> None:
    none = np.zeros(3, dtype=np.bool_)
    assert mean_of(np.full(3, np.nan)) == share_of(none, none) == NO_QUANTITY
