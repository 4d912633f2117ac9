from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.ledger import GapLedger, mean_of_fixed, to_fixed

GAPS = st.floats(-1e6, 1e6) | st.sampled_from([-1.0, 0.0, 0.5, 1.0])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_survives(value: float) -> None:
    assert mean_of_fixed(to_fixed(value), 1) == value


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_means_are_rounded_once(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction())
    assert mean_of_fixed(sum(map(to_fixed, values)), len(values)) == float(exact / len(values))


@given(st.lists(GAPS, max_size=600), st.data())
def test_ends_equal_sorting(gaps: list[float], data: st.DataObject) -> None:
    ledger = GapLedger()
    for gap in gaps:
        ledger.add(gap)
    leaving = data.draw(st.lists(st.sampled_from(gaps), unique=True)) if gaps else []
    for gap in leaving:
        ledger.remove(gap)
    left = Counter(gaps)
    left.subtract(leaving)
    ordered = sorted(left.elements())
    steps = [to_fixed(gap) for gap in ordered]
    assert (ledger.n, ledger.total) == (len(ordered), sum(steps))
    k = data.draw(st.integers(0, len(ordered)))
    assert ledger.lowest(k) == sum(steps[:k])
    assert ledger.highest(k) == sum(steps[len(steps) - k :])
    limit = data.draw(GAPS)
    assert ledger.below(limit) == sum(gap < limit for gap in ordered)
    assert ledger.above(limit) == sum(gap > limit for gap in ordered)
    assert list(ledger.items()) == sorted((+left).items())
    assert list(GapLedger(ordered).items()) == list(ledger.items())


def test_many_distinct_gaps_split_and_vanish() -> None:
    ledger = GapLedger()
    for index in range(3000):
        ledger.add(((index * 7919) % 3000) / 3000)
    assert ledger.below(0.5) == 1500
    for index in range(3000):
        ledger.remove(index / 3000)
    assert (ledger.n, ledger.total, list(ledger.items())) == (0, 0, [])
    ledger.add(1.0)
    assert ledger.above(0.5) == 1


def test_a_gap_that_is_not_there_cannot_leave() -> None:
    ledger = GapLedger([1.0])
    with pytest.raises(KeyError):
        ledger.remove(0.5)
    with pytest.raises(KeyError):
        ledger.remove(2.0)
    assert ledger.n == 1
