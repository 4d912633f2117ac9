"""What is sampled is decided by seed and identity alone."""

import math

from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.monitoring.view import draw, identity_of, is_sampled

NAMES = st.text(max_size=30)
RATES = st.floats(0, 1)


@given(NAMES, st.integers(0, 2**62), RATES)
def test_a_decision_never_changes(name: str, seed: int, rate: float) -> None:
    assert is_sampled(name, rate=rate, seed=seed) == is_sampled(name, rate=rate, seed=seed)
    assert 0 <= draw(name, seed) < 1


@given(NAMES, st.integers(0, 1000), RATES, RATES)
def test_a_higher_rate_keeps_what_a_lower_one_took(
    name: str, seed: int, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    if is_sampled(name, rate=low, seed=seed):
        assert is_sampled(name, rate=high, seed=seed)


@given(NAMES, st.integers(0, 1000))
def test_all_or_nothing(name: str, seed: int) -> None:
    assert is_sampled(name, rate=1.0, seed=seed)
    assert not is_sampled(name, rate=0.0, seed=seed)


@given(st.sampled_from([0.01, 0.1, 0.5]), st.integers(0, 50))
def test_the_share_is_the_rate(rate: float, seed: int) -> None:
    n = 4000
    taken = sum(is_sampled(f"c-{k}", rate=rate, seed=seed) for k in range(n))
    # six standard deviations: hypothesis tries many seeds
    assert abs(taken - n * rate) < 6 * math.sqrt(n * rate * (1 - rate))


def test_another_seed_takes_others() -> None:
    first, second = (
        {k for k in range(2000) if is_sampled(str(k), rate=0.1, seed=seed)} for seed in (0, 1)
    )
    assert first != second
    assert len(first & second) < len(first) / 2


def test_runs_with_the_same_ids_are_drawn_by_themselves() -> None:
    first, second = (
        {k for k in range(2000) if is_sampled(identity_of(run, str(k)), rate=0.1)}
        for run in ("monday", "tuesday")
    )
    assert len(first & second) < len(first) / 2
    assert identity_of("a", "bc") != identity_of("ab", "c")


def test_decisions_stay_the_same_in_every_version() -> None:
    assert round(draw("c-1", 0), 9) == round(draw("c-1"), 9)
    assert [round(draw(name, 42), 6) for name in ("c-1", "c-2", "")] == KNOWN


KNOWN = [0.273488, 0.829255, 0.154287]
