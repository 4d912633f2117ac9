"""Several labelers against krippendorff, statsmodels and definitions written out."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater as sm

from reviewer.stats.agreement import agreement
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.panel import panel_agreement, panel_of
from reviewer.stats.values import Scale
from tests.stats.tables import table_evidence

FOUR = Scale((1, 2, 3, 5))
UNITS = st.lists(st.lists(st.sampled_from(FOUR.values), max_size=4), min_size=1, max_size=25)


def ratings(units: list[list[float]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Rows are raters: empty places are missing."""
    table = np.full((4, len(units)), math.nan)
    for column, labels in enumerate(units):
        table[: len(labels), column] = labels
    return table


@given(UNITS)
def test_alpha_against_krippendorff(units: list[list[float]]) -> None:
    paired = [labels for labels in units if len(labels) >= 2]
    assume(len(paired) >= 2)
    assume(len({value for labels in paired for value in labels}) >= 2)
    found = panel_agreement(panel_of(units, FOUR, 4))
    assert found.n == len(paired)
    nominal = krippendorff.alpha(ratings(units), level_of_measurement="nominal")
    ordinal = krippendorff.alpha(ratings(units), level_of_measurement="ordinal")
    interval = krippendorff.alpha(ratings(units), level_of_measurement="interval")
    assert found["alpha_nominal"] == pytest.approx(nominal, abs=1e-9)
    assert found["alpha_ordinal"] == pytest.approx(ordinal, abs=1e-9)
    assert found["alpha_interval"] == pytest.approx(interval, abs=1e-9)


@given(st.lists(st.lists(st.sampled_from(FOUR.values), min_size=3, max_size=3), min_size=2))
def test_fleiss_against_statsmodels(units: list[list[float]]) -> None:
    found = panel_agreement(panel_of(units, FOUR, 3))
    counts = np.array([[labels.count(value) for value in FOUR.values] for labels in units])
    if found["fleiss"] is None:
        assert len({value for labels in units for value in labels}) == 1
        assert found.undefined["fleiss"].startswith("everyone gave the same score")
        assert found["ac1"] == 1
    else:
        assert found["fleiss"] == pytest.approx(sm.fleiss_kappa(counts), abs=1e-9)


@given(UNITS, st.booleans())
def test_gwet_by_definition(units: list[list[float]], quadratic: bool) -> None:
    used = [labels for labels in units if labels]
    paired = [labels for labels in used if len(labels) >= 2]
    assume(len(paired) >= 2)

    def weight(a: float, b: float) -> float:
        return 1 - ((a - b) / 4) ** 2 if quadratic else float(a == b)

    agree = [
        sum(weight(a, b) for i, a in enumerate(one) for j, b in enumerate(one) if i != j)
        / (len(one) * (len(one) - 1))
        for one in paired
    ]
    shares = [sum(one.count(v) / len(one) for one in used) / len(used) for v in FOUR.values]
    total = sum(weight(a, b) for a in FOUR.values for b in FOUR.values)
    chance = total / 12 * sum(share * (1 - share) for share in shares)
    expected = (sum(agree) / len(agree) - chance) / (1 - chance)
    found = panel_agreement(panel_of(units, FOUR, 4))
    assert (found["ac2"] if quadratic else found["ac1"]) == pytest.approx(expected, abs=1e-9)
    pairs = [(a, b) for one in paired for i, a in enumerate(one) for b in one[i + 1 :]]
    assert found["percent"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


def test_krippendorff_s_published_example() -> None:
    nan = math.nan
    raters = [
        [nan, nan, nan, nan, nan, 3, 4, 1, 2, 1, 1, 3, 3, nan, 3],
        [1, nan, 2, 1, 3, 3, 4, 3, nan, nan, nan, nan, nan, nan, nan],
        [nan, nan, 2, 1, 3, 4, 4, nan, 2, 1, 1, 3, 3, nan, 4],
    ]
    units = [[v for v in unit if not math.isnan(v)] for unit in zip(*raters, strict=True)]
    found = panel_agreement(panel_of(units, Scale((1, 2, 3, 4)), 3))
    assert found["alpha_nominal"] == pytest.approx(0.691, abs=0.001)
    assert found["alpha_interval"] == pytest.approx(0.811, abs=0.001)


@given(st.lists(st.tuples(st.sampled_from(FOUR.values), st.sampled_from(FOUR.values)), min_size=2))
def test_two_labelers_give_the_same_as_their_table(pairs: list[tuple[float, float]]) -> None:
    table = [[sum(p == (a, b) for p in pairs) for b in FOUR.values] for a in FOUR.values]
    two = agreement(table_evidence(table, FOUR))
    many = panel_agreement(panel_of([list(pair) for pair in pairs], FOUR, 2))
    for name in ("percent", "within_one", "fleiss", "ac1", "ac2", "alpha_nominal"):
        a, b = two[name], many[name]
        assert (a is None) == (b is None), name
        assert a is None or a == pytest.approx(b, abs=1e-9), name
    assert (two["alpha_ordinal"] is None) == (many["alpha_ordinal"] is None)


def test_intervals_and_reasons() -> None:
    rng = np.random.default_rng(4)
    units = [
        [float(FOUR.values[min(3, max(0, place + rng.integers(-1, 2)))]) for _ in range(3)]
        for place in rng.integers(0, 4, 60)
    ]
    found = panel_agreement(panel_of(units, FOUR, 3), IntervalPolicy())
    assert set(found.intervals) == {
        "percent",
        "within_one",
        "fleiss",
        "ac1",
        "ac2",
        "alpha_nominal",
        "alpha_ordinal",
        "alpha_interval",
    }
    for name, interval in found.intervals.items():
        assert interval.low <= (found[name] or 0.0) <= interval.high
        assert interval.approximate
    assert found.undefined["kappa"] == "more than two labelers: see labelers"
    assert found.undefined["bias"] == "more than two labelers: see labelers"
    assert panel_agreement(panel_of(units[:9], FOUR, 3), IntervalPolicy()).intervals == {}


def test_too_little_to_compare() -> None:
    alone = panel_agreement(panel_of([[1], [2], []], FOUR, 3))
    assert alone.n == 0
    assert alone.undefined["alpha_nominal"] == "no overlap: no evaluation has both"
    one = panel_agreement(panel_of([[1, 2, 2]], FOUR, 3))
    assert one["percent"] == pytest.approx(1 / 3)
    assert one.undefined["ac1"].startswith("only one pair")
    unordered = panel_agreement(panel_of([[0, 1], [1, 1]], Scale((0, 1), ordered=False), 2))
    assert unordered.undefined["alpha_ordinal"] == "the categories have no order"
    single = panel_agreement(panel_of([[1, 1], [1, 1]], Scale((1,)), 2))
    assert single.undefined["ac1"] == "the scale has one level only"
    with pytest.raises(ValueError, match=r"The label 2.5 is not on the scale"):
        panel_of([[2.5]], FOUR, 1)
