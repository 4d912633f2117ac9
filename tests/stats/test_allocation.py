import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.coefficients import moments
from reviewer.stats.estimate import Corrected, corrected_mean
from reviewer.stats.planning import FIRST, labels_to_width, next_strata, spreads
from reviewer.stats.quantiles import normal_quantile
from reviewer.stats.strata import (
    Stratum,
    drawn_by_level,
    level_places,
    strata_by_level,
    stratified_mean,
    stratum,
)


def test_empty_levels_come_first_the_largest_before() -> None:
    strata = [stratum(50, [1, 2, 1, 2]), stratum(900, []), stratum(50, [3]), stratum(400, [])]
    order = list(itertools.islice(next_strata(strata, spreads(strata)), 5))
    assert order == [1, 3, 1, 3, 2]


def test_all_are_labelled_in_the_end_and_none_twice() -> None:
    strata = [stratum(4, [1, 2]), stratum(1, []), stratum(0, []), stratum(7, [3])]
    order = list(next_strata(strata, spreads(strata)))
    assert [order.count(at) for at in range(4)] == [2, 1, 0, 6]


def variance(sizes: list[int], labelled: list[int], spread: list[float]) -> float:
    total = sum(sizes)
    return math.fsum(
        (size / total * s) ** 2 * (1 / n - 1 / size)
        for size, n, s in zip(sizes, labelled, spread, strict=True)
    )


@given(
    st.lists(st.tuples(st.integers(4, 30), st.floats(0.1, 3)), min_size=2, max_size=3),
    st.integers(1, 8),
)
def test_no_other_choice_of_levels_shrinks_the_variance_more(
    levels: list[tuple[int, float]], n: int
) -> None:
    sizes, spread = [size for size, _ in levels], [s for _, s in levels]
    strata = [Stratum(size, FIRST, 0.0, 0.0, size, FIRST) for size in sizes]
    n = min(n, sum(sizes) - FIRST * len(sizes))
    order = list(itertools.islice(next_strata(strata, np.array(spread)), n))
    mine = [FIRST + order.count(at) for at in range(len(sizes))]
    best = min(
        variance(sizes, [FIRST + x for x in more], spread)
        for more in itertools.product(*(range(size - FIRST + 1) for size in sizes))
        if sum(more) == n
    )
    assert variance(sizes, mine, spread) == pytest.approx(best, rel=1e-9, abs=1e-12)


def test_a_few_labels_that_are_alike_end_nothing() -> None:
    strata = [stratum(500, [4, 4, 4]), stratum(500, [1, 5, 3, 2, 4])]
    found = spreads(strata)
    shared = (0 + 10) / (2 + 4)
    assert found[0] == pytest.approx(math.sqrt(4 * shared / 6))
    assert found[1] == pytest.approx(math.sqrt((10 + 4 * shared) / 8))
    # a stratum without labels has what the others share
    assert spreads([strata[1], stratum(400, [])])[1] == pytest.approx(math.sqrt(10 / 4))
    assert spreads([stratum(9, []), stratum(9, [3])]).tolist() == [1.0, 1.0]
    assert spreads([stratum(9, [2, 2]), stratum(9, [3, 3])]).tolist() == [1.0, 1.0]


def test_labels_to_a_width_are_as_many_as_it_takes() -> None:
    strata = [stratum(600, [1, 2, 1, 2] * 3), stratum(400, [2, 4, 5, 3] * 3)]
    more = labels_to_width(strata, half_width=0.15, target="run")
    assert more is not None
    spread = spreads(strata)
    taken = list(itertools.islice(next_strata(strata, spread), more))

    def half(drawn: list[int]) -> float:
        labelled = [12 + drawn.count(0), 12 + drawn.count(1)]
        return normal_quantile(0.975) * math.sqrt(variance([600, 400], labelled, spread.tolist()))

    assert half(taken) <= 0.15 < half(taken[:-1])
    assert labels_to_width(strata, half_width=5) == 0
    assert labels_to_width(strata, half_width=0.15, target="run", effect=4) > more  # type: ignore[operator]
    assert labels_to_width(strata, half_width=0.001) is None
    assert labels_to_width(strata, half_width=0.001, target="run") == 976
    with pytest.raises(ValueError, match="above 0"):
        labels_to_width(strata, half_width=0)


def test_labels_that_count_nowhere_still_tell_the_spread() -> None:
    told = [stratum(500, [1, 1, 2, 1]), stratum(500, [1, 5, 3, 2])]
    none = [stratum(500, []), stratum(500, [])]
    assert labels_to_width(none, told=told, half_width=0.2) > labels_to_width(  # type: ignore[operator]
        told, half_width=0.2
    )


def test_whether_labels_were_drawn_by_these_levels() -> None:
    autos = np.array([1.0, 1, 1, 2, 2, 2, 3, 3, 3])
    by_this = np.array([0.5, 0.5, 0.25, 0.25, 0.1])
    assert drawn_by_level(autos, np.array([1.0, 1, 2, 2, 3]), by_this)
    assert not drawn_by_level(autos, np.array([1.0, 2, 2, 3, 3]), by_this)
    # two draws by these levels, each at its own rates
    twice = np.array([0.5, 0.2, 0.25, 0.3, 0.1])
    assert drawn_by_level(autos, np.array([1.0, 1, 2, 2, 3]), twice)
    assert drawn_by_level(autos, np.array([]), np.array([]))


def test_levels_that_share_a_probability_in_two_draws_are_still_these_levels() -> None:
    autos = np.repeat([1.0, 2.0, 3.0], [20, 40, 100])
    # 2 of 20 and 4 of 40 in a first draw, then 5 of 20, 4 of 40 again and 10 of 100
    labelled = np.repeat([1.0, 2.0, 1.0, 2.0, 3.0], [2, 4, 5, 4, 10])
    probability = np.repeat([0.1, 0.1, 0.25, 0.1, 0.1], [2, 4, 5, 4, 10])
    assert drawn_by_level(autos, labelled, probability)
    assert not drawn_by_level(autos, labelled[1:], probability[1:])
    rng = np.random.default_rng(1)
    other = rng.permutation(np.repeat([0.1, 0.25], [100, 60]))
    drawn = rng.random(160) < other
    assert not drawn_by_level(autos, autos[drawn], other[drawn])


SHARES, MEANS, SPREADS = (
    (0.04, 0.06, 0.15, 0.35, 0.40),
    np.array([1.2, 1.8, 2.9, 3.6, 4.7]),
    np.array([0.3, 0.6, 1.2, 0.9, 0.35]),
)


def test_this_order_beats_labels_at_random() -> None:
    """With a judge who errs most in the middle, as measured over many draws of one population."""
    rng = np.random.default_rng(5)
    auto = rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], 2000, p=SHARES)
    at = auto.astype(int) - 1
    human = np.clip(np.round(MEANS[at] + rng.normal(0, 1, 2000) * SPREADS[at]), 1, 5)
    places, _ = level_places(auto, auto)
    truth, m, seeds = float(human.mean()), 100, 200
    widths, hits, plain = [], 0, []
    for _ in range(seeds):
        waiting = [rng.permutation(np.flatnonzero(places == x)).tolist() for x in range(5)]
        labelled: list[int] = []
        while len(labelled) < m:
            rows = np.array(labelled, dtype=np.int64)
            strata = strata_by_level(auto, auto[rows], human[rows])
            levels = itertools.islice(next_strata(strata, spreads(strata)), 25)
            labelled.extend(waiting[level].pop() for level in levels)
        rows = np.array(labelled)
        found = stratified_mean(strata_by_level(auto, auto[rows], human[rows]))
        widths.append(width(found))
        hits += (found.low or 9) <= truth <= (found.high or 0)
        some = rng.permutation(2000)[:m]
        plain.append(
            width(
                corrected_mean(
                    moments(auto[some], human[some]),
                    n_all=2000,
                    auto_mean_all=float(auto.mean()),
                )
            )
        )
    assert np.mean(widths) < 0.97 * np.mean(plain)
    assert hits / seeds > 0.93


def test_labels_of_several_orders_count_by_level_without_bias() -> None:
    """Levels of many sizes now and then share a probability, which must not hide the strata."""
    rng = np.random.default_rng(6)
    off, hits, seeds, foreign = [], 0, 300, 0
    for _ in range(seeds):
        auto = rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], 400, p=SHARES)
        at = auto.astype(int) - 1
        human = np.clip(np.round(MEANS[at] + rng.normal(0, 1, 400) * SPREADS[at]), 1, 5)
        places, _ = level_places(auto, auto)
        waiting = [rng.permutation(np.flatnonzero(places == x)).tolist() for x in range(5)]
        probability = np.full(400, np.nan)
        for more in (20, 30, 30):
            known = np.isfinite(probability)
            strata = strata_by_level(auto, auto[known], human[known])
            levels = list(itertools.islice(next_strata(strata, spreads(strata)), more))
            for level in levels:
                share = levels.count(level) / strata[level].judged
                probability[waiting[level].pop()] = share
        known = np.isfinite(probability)
        assert drawn_by_level(auto, auto[known], probability[known])
        other = np.clip(auto + rng.choice([-1.0, 0.0, 1.0], 400), 1, 5)
        foreign += drawn_by_level(other, other[known], probability[known])
        found = stratified_mean(strata_by_level(auto, auto[known], human[known]))
        off.append((found.value or 0) - human.mean())
        hits += (found.low or 9) <= human.mean() <= (found.high or 0)
    assert abs(np.mean(off)) < 3 * np.std(off) / math.sqrt(seeds)
    assert hits / seeds > 0.93
    assert foreign / seeds < 0.01


def width(found: Corrected) -> float:
    assert found.high is not None
    assert found.low is not None
    return found.high - found.low
