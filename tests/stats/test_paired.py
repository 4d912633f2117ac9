"""Two judges against the same people, held to plain loops over responses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from reviewer.stats.agreement import agreement
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.label_counts import label_evidence
from reviewer.stats.paired import ALIKE, FEW, NOTHING, RatedTwice, paired_agreement
from reviewer.stats.values import LabelTable
from tests.stats.label_sets import AUTOS, LABELS, SCALE, judged

POLICY = IntervalPolicy()
levels = st.lists(
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)), min_size=12, max_size=60
)


def rated(rows: list[tuple[int, int, int]], clusters: list[int] | None = None) -> RatedTwice:
    first, second, human = zip(*rows, strict=True) if rows else ((), (), ())
    one, other = (
        judged([(float(a), (float(label),)) for a, label in zip(x, human, strict=True)],
               clusters=clusters)
        for x in (first, second)
    )  # fmt: skip
    return RatedTwice(one, other, SCALE, "each")


def kappa(human: list[int], auto: list[int]) -> float:
    return float(cohen_kappa_score(human, auto, labels=[1, 2, 3, 4, 5], weights="quadratic"))


def noisy(n: int, spreads: tuple[int, int], seed: int = 1) -> list[tuple[int, int, int]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    autos = [np.clip(truth + rng.integers(-x, x + 1, n), 1, 5) for x in spreads]
    return list(zip(*(x.tolist() for x in (*autos, truth)), strict=True))


@settings(deadline=None, max_examples=60)
@given(levels)
def test_both_figures_are_those_of_each_judge_alone(rows: list[tuple[int, int, int]]) -> None:
    found = paired_agreement(rated(rows), "kappa_quadratic", POLICY)
    first, second, human = (list(x) for x in zip(*rows, strict=True))
    if found.first is not None and found.second is not None:
        assert found.first == pytest.approx(kappa(human, first), abs=1e-9)
        assert found.second == pytest.approx(kappa(human, second), abs=1e-9)
        assert found.difference == pytest.approx(found.first - found.second)
        if found.interval is not None:
            assert found.interval.low <= found.first - found.second <= found.interval.high
    # the other way round it is the same with the other sign
    turned = paired_agreement(
        rated([(b, a, human) for a, b, human in rows]), "kappa_quadratic", POLICY
    )
    assert (turned.first, turned.second) == (found.second, found.first)


@pytest.mark.parametrize("name", ["percent", "kappa", "icc", "spearman", "kendall_b", "ac2"])
def test_a_much_nearer_judge_is_told_apart_and_a_like_one_is_not(name: str) -> None:
    far = paired_agreement(rated(noisy(120, (0, 4))), name, POLICY)
    assert far.apart
    assert far.interval is not None
    assert far.interval.low > 0
    like = paired_agreement(rated(noisy(120, (1, 1))), name, POLICY)
    assert not like.apart


def test_a_resample_holds_the_same_responses_for_both() -> None:
    """Drawn apart, two alike judges would seem to differ by chance."""
    rows = [(a, a, human) for a, _, human in noisy(60, (2, 1))]
    found = paired_agreement(rated(rows), "kappa_quadratic", POLICY)
    # the same judge twice: no width is claimed
    assert (found.difference, found.interval, found.reason) == (0, None, ALIKE)
    assert not found.apart


def test_conversations_are_drawn_whole() -> None:
    rows = noisy(20, (1, 2)) * 6
    alone = paired_agreement(rated(rows), "kappa_quadratic", POLICY)
    together = paired_agreement(rated(rows, [*range(20)] * 6), "kappa_quadratic", POLICY).interval
    assert alone.interval is not None
    assert together is not None
    assert together.high - together.low > 1.5 * (alone.interval.high - alone.interval.low)


def test_few_or_no_responses_have_no_interval() -> None:
    few = paired_agreement(rated(noisy(9, (0, 2))), "kappa_quadratic", POLICY)
    assert few.difference is not None
    assert (few.interval, few.reason, few.apart) == (None, FEW, False)
    assert paired_agreement(rated([]), "kappa", POLICY).reason == NOTHING


def test_the_seed_decides_the_interval() -> None:
    rows = rated(noisy(50, (1, 2)))
    once, again = (paired_agreement(rows, "kappa", IntervalPolicy(seed=4)) for _ in range(2))
    other = paired_agreement(rows, "kappa", IntervalPolicy(seed=5))
    assert once == again
    assert once.interval != other.interval


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(AUTOS, AUTOS, LABELS), min_size=2, max_size=30))
def test_several_labels_count_as_in_the_agreement_of_each_judge(
    rows: list[tuple[float, float, tuple[float, ...]]],
) -> None:
    sides = judged([(x[0], x[2]) for x in rows]), judged([(x[1], x[2]) for x in rows])
    tables: tuple[LabelTable, ...] = ("each", "majority")
    for table in tables:
        for name in ("percent", "kappa_quadratic", "ac1", "alpha_ordinal"):
            found = paired_agreement(RatedTwice(*sides, SCALE, table), name, POLICY)
            for side, value in zip(sides, (found.first, found.second), strict=True):
                evidence = label_evidence(side, SCALE, label_table=table)
                expected = agreement(evidence)[name]
                if None not in (value, expected):
                    assert value == pytest.approx(expected, abs=1e-9)
