import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from reviewer.stats.calibration import (
    FEW,
    Calibration,
    Conformal,
    calibration_of_sums,
    conformal,
    isotonic,
)


def stepped(levels: Sequence[float], table: Sequence[Sequence[float]]) -> Calibration:
    """The step table of a table of counts, rows human, columns auto."""
    return calibration_of_sums(
        {
            level: (sum(column), sum(n * x for n, x in zip(column, levels, strict=True)))
            for level, column in zip(levels, zip(*table, strict=True), strict=True)
        }
    )


def test_the_worked_example() -> None:
    counts, means = [6, 10, 20, 40, 24], [1.5, 3.5, 2.8, 3.75, 4.667]
    sums = [n * mean for n, mean in zip(counts, means, strict=True)]
    assert isotonic(counts, sums) == pytest.approx([1.5, 3.0333, 3.0333, 3.75, 4.667], abs=5e-5)
    found = calibration_of_sums(
        {level: (n, s) for level, n, s in zip(range(1, 6), counts, sums, strict=True)}
    )
    assert found.n == 100
    assert [step.mean for step in found.steps] == pytest.approx(means)
    assert found.steps[3].level == 4
    assert found.steps[3].fitted == pytest.approx(3.75)


def test_what_a_four_means() -> None:
    """When the judge gives a 4, people give 3.75 on average, 9 times in 10 between 3 and 5."""
    # rows human, columns auto: of 40 fours people call 12 a three, 26 a four and 2 a five
    table = [[9, 0, 0, 0], [1, 20, 12, 0], [0, 5, 26, 4], [0, 0, 2, 21]]
    found = stepped((2, 3, 4, 5), table)
    (four,) = (step for step in found.steps if step.level == 4)
    assert four.fitted == pytest.approx(3.75)
    assert conformal({0.0: 76, 1.0: 8, -1.0: 16}).around(4) == (3, 5)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 50)), min_size=1, max_size=12))
def test_equal_to_the_usual_library(levels: list[tuple[int, int]]) -> None:
    counts = [float(n) for n, _ in levels]
    means = np.array([mean / 10 for _, mean in levels])
    found = isotonic(counts, (means * counts).tolist())
    oracle = IsotonicRegression().fit_transform(
        np.arange(len(levels)), means, sample_weight=np.array(counts)
    )
    assert found == pytest.approx(oracle, abs=1e-9)
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(found))
    # the overall mean stays
    assert np.dot(found, counts) == pytest.approx(np.dot(means, counts))


def test_the_table_takes_fifty_labels() -> None:
    table = [[10, 2, 0], [3, 20, 4], [0, 5, 6]]
    found = stepped((1, 2, 3), table)
    assert (found.n, found.reason) == (50, None)
    assert [step.n for step in found.steps] == [13, 27, 10]
    assert found.steps[0].mean == pytest.approx((10 + 6) / 13)
    table[0][0] = 9
    few = stepped((1, 2, 3), table)
    assert (few.n, few.steps, few.reason) == (49, (), FEW)
    empty_level = stepped((1, 2, 3), [[30, 0, 0], [0, 0, 0], [0, 0, 30]])
    assert [step.level for step in empty_level.steps] == [1, 3]
    with pytest.raises(ValueError, match="at least one label"):
        isotonic([1, 0], [1, 0])


def test_the_range_takes_nine_or_nineteen_labels() -> None:
    assert conformal({0.0: 8}).half_width is None
    assert conformal({0.0: 8}).reason == "a range for 90 % needs 9 labels"
    assert conformal({0.0: 8, 1.0: 1}).half_width == 1
    assert conformal({0.0: 18}, 0.95).reason == "a range for 95 % needs 19 labels"
    assert conformal({0.0: 19}, 0.95).half_width == 0
    assert conformal({}).reason == "a range for 90 % needs 9 labels"
    # signs do not matter: 10 gaps of -1 and +1 beside 80 of 0
    assert conformal({0.0: 80, 1.0: 10, -1.0: 10}).half_width == 1
    assert conformal({0.0: 95, 1.0: 3, -1.0: 2}).half_width == 0
    for level in (0.0, 1.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            conformal({0.0: 5}, level)


def test_the_range_lies_around_the_score() -> None:
    found = Conformal(1.0, 50, 0.9)
    assert found.around(4) == (3, 5)
    assert Conformal(None, 5, 0.9, "few").around(3) is None


@given(
    st.lists(st.integers(-40, 40).map(lambda x: x / 10), min_size=1, max_size=60),
    st.sampled_from([0.5, 0.8, 0.9, 0.95]),
)
def test_the_range_is_the_ranked_distance(gaps: list[float], level: float) -> None:
    counts: dict[float, int] = {}
    for gap in gaps:
        counts[gap] = counts.get(gap, 0) + 1
    found = conformal(counts, level)
    rank = math.ceil(round((len(gaps) + 1) * level, 9))
    expected = sorted(abs(gap) for gap in gaps)[rank - 1] if rank <= len(gaps) else None
    assert found.half_width == expected
    assert (found.reason is None) == (expected is not None)
