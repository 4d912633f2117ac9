"""Every label counts, 1 over the labels of its evaluation; or what most people gave."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score

from reviewer.stats.agreement import Agreement, agreement, coefficient_interval
from reviewer.stats.catalogue import PAIR_NAMES, TABLE_NAMES
from reviewer.stats.coefficients import Floats
from reviewer.stats.figures import Pair
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.label_counts import LabelCounts, label_evidence, label_shares
from reviewer.stats.pairs import Evidence
from reviewer.stats.reasons import ALIKE_GAPS, NO_LABEL, NO_MAJORITY, NOT_DRAWN, ONE_SIDED
from reviewer.stats.values import LabelTable
from tests.stats.label_sets import (
    AUTOS,
    CASES,
    LABELS,
    MEANS,
    ON_LEVELS,
    SCALE,
    Case,
    judged,
    most_given,
    shared_rows,
    table_of,
)
from tests.stats.tables import table_evidence

POLICY = IntervalPolicy()
WEIGHTED = st.lists(
    st.tuples(AUTOS, LABELS, st.sampled_from([0.25, 0.5, 1.0, 2.0])), min_size=2, max_size=40
)


def evidence(cases: list[Case], label_table: LabelTable = "each", **more: Any) -> Evidence:
    return label_evidence(judged(cases, **more), SCALE, label_table=label_table)


def brute_alpha(table: Floats, *, ordinal: bool) -> float | None:
    """Work out Krippendorff's alpha of two raters by loops over the cells."""
    pairs = table + table.T
    counts = pairs.sum(axis=1)
    n = counts.sum()
    observed = expected = 0.0
    for i in range(5):
        for j in range(5):
            between = sum(counts[min(i, j) : max(i, j) + 1])
            step = (between - (counts[i] + counts[j]) / 2) ** 2 if ordinal else float(i != j)
            observed += pairs[i, j] * step
            expected += counts[i] * counts[j] * step / (n - 1)
    return 1 - observed / expected if expected > 1e-12 else None


def brute_ac1(table: Floats) -> float:
    """Work out Gwet's AC1 by its definition."""
    n = table.sum()
    shares = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
    chance = sum(share * (1 - share) for share in shares) / 4
    return float((np.trace(table) / n - chance) / (1 - chance))


@given(st.lists(st.tuples(AUTOS, MEANS), min_size=1, max_size=30), st.booleans())
def test_the_table_is_that_of_a_loop_over_labels(cases: list[Case], majority: bool) -> None:
    found = evidence(cases, "majority" if majority else "each")
    assert found.table == pytest.approx(table_of(cases, majority=majority))
    rows = shared_rows(cases, majority=majority)
    entered = {at for at, _, _, _ in rows}
    assert found.n_table == len(entered)
    assert found.exact().n == len(cases)
    assert found.n_no_majority == sum(most_given(labels) is None for _, labels in cases)
    assert found.n_rounded == sum(cases[at][0] not in SCALE.values for at in entered)
    given_ = [most_given(x) for _, x in cases] if majority else [v for _, x in cases for v in x]
    assert found.n_off_level == sum(v == 2.5 for v in given_)


@given(CASES)
def test_table_coefficients_are_those_of_libraries_with_a_row_a_label(cases: list[Case]) -> None:
    rows = shared_rows(cases, majority=False)
    human, auto = [x[1] for x in rows], [x[2] for x in rows]
    parts = [float(x[3]) for x in rows]
    found = agreement(evidence(cases))
    assert found["percent"] == pytest.approx(accuracy_score(human, auto, sample_weight=parts))
    near = [float(abs(a - b) <= 1) for a, b in zip(human, auto, strict=True)]
    assert found["within_one"] == pytest.approx(np.average(near, weights=parts))
    table = table_of(cases)
    powers = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
    for name, weights in powers.items():
        value = found[name]
        if value is not None:
            # a side that said one thing is undefined there and 0 here
            with np.errstate(all="ignore"):
                expected = cohen_kappa_score(
                    human, auto, labels=[*range(5)], weights=weights, sample_weight=parts
                )
            assert value == pytest.approx(0.0 if np.isnan(expected) else expected, abs=1e-9)
    if len(cases) > 1:
        assert found["ac1"] == pytest.approx(brute_ac1(table))
    for name, ordinal in (("alpha_nominal", False), ("alpha_ordinal", True)):
        if found[name] is not None:
            assert found[name] == pytest.approx(brute_alpha(table, ordinal=ordinal))


@given(WEIGHTED)
def test_weights_reweight_the_table_and_the_bias(rows: list[tuple[float, Any, float]]) -> None:
    cases = [(auto, labels) for auto, labels, _ in rows]
    raw = [weight for _, _, weight in rows]
    weights = [weight * len(raw) / sum(raw) for weight in raw]
    assume(np.ptp(weights))
    found = evidence(cases, weights=weights)
    assert found.table == pytest.approx(table_of(cases, weights=weights), abs=1e-9)
    assert found.table.sum() == pytest.approx(len(cases))
    whole = agreement(found)
    gaps = [sum(labels) / len(labels) - auto for auto, labels in cases]
    assert whole["bias"] == pytest.approx(np.average(gaps, weights=raw), abs=1e-9)
    assert whole.weighted
    shared = shared_rows(cases, majority=False)
    parts = [float(part) * raw[at] for at, _, _, part in shared]
    human, auto = [x[1] for x in shared], [x[2] for x in shared]
    assert whole["percent"] == pytest.approx(accuracy_score(human, auto, sample_weight=parts))


@settings(max_examples=30)
@given(st.lists(st.tuples(AUTOS, LABELS), min_size=10, max_size=30), st.integers(2, 3))
def test_giving_every_label_again_changes_nothing(cases: list[Case], times: int) -> None:
    again = [(auto, labels * times) for auto, labels in cases]
    assert_same(agreement(evidence(cases), POLICY), agreement(evidence(again), POLICY))


@settings(max_examples=30)
@given(st.lists(st.tuples(AUTOS, LABELS), min_size=10, max_size=30), st.randoms())
def test_the_order_of_labels_and_evaluations_changes_nothing(
    cases: list[Case], random: Any
) -> None:
    mixed = [(auto, tuple(random.sample(labels, len(labels)))) for auto, labels in cases]
    random.shuffle(mixed)
    assert_same(agreement(evidence(cases), POLICY), agreement(evidence(mixed), POLICY))


@settings(max_examples=30)
@given(st.lists(st.tuples(AUTOS, ON_LEVELS), min_size=10, max_size=40))
def test_one_label_an_evaluation_is_the_table_of_counts(rows: list[tuple[float, float]]) -> None:
    """Intervals too are made as ever: Wilson for shares, Fleiss' error for kappa."""
    cases: list[Case] = [(auto, (label,)) for auto, label in rows]
    plain = table_evidence(table_of(cases).astype(int).tolist(), SCALE)
    for label_table in ("each", "majority"):
        found, expected = agreement(evidence(cases, label_table), POLICY), agreement(plain, POLICY)
        for name in (*TABLE_NAMES, "kappa_se"):
            assert found[name] == expected[name], name
            assert found.intervals.get(name) == expected.intervals.get(name), name


def assert_same(found: Agreement, expected: Agreement) -> None:
    assert (found.n, found.n_table) == (expected.n, expected.n_table)
    for name in (*TABLE_NAMES, *PAIR_NAMES, "kappa_se", "bias", "mae"):
        one, other = found[name], expected[name]
        assert one == pytest.approx(other, abs=1e-9) if one is not None else other is None, name
        ends, others = found.intervals.get(name), expected.intervals.get(name)
        assert (ends is None) == (others is None), name
        if ends is not None and others is not None:
            assert (ends.low, ends.high) == pytest.approx((others.low, others.high), abs=1e-9), (
                name
            )


def several(n: int, seed: int) -> list[Case]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    return [
        (
            float(np.clip(value + rng.integers(-1, 2), 1, 5)),
            tuple(float(np.clip(value + rng.integers(-1, 2), 1, 5)) for _ in range(3)),
        )
        for value in truth
    ]


def test_intervals_draw_whole_evaluations() -> None:
    """A loop that draws evaluations with replacement spreads kappa as far."""
    cases = several(80, 3)
    found = agreement(evidence(cases), POLICY)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(600):
        some = [cases[at] for at in rng.integers(0, len(cases), len(cases))]
        one = agreement(evidence(some))
        drawn.append((one["percent"], one["kappa"], one["kappa_quadratic"], one["ac2"]))
    columns = np.array(drawn, dtype=np.float64)
    assert found["kappa_se"] == pytest.approx(columns[:, 1].std(ddof=1), rel=0.12)
    for place, name in enumerate(("percent", "kappa", "kappa_quadratic")):
        low, high = np.percentile(columns[:, place], [2.5, 97.5])
        ends = found.intervals[name]
        assert ends.method == "bootstrap"
        assert (ends.low, ends.high) == pytest.approx((low, high), abs=0.03)


def test_the_seed_decides_and_repeats() -> None:
    found = evidence(several(40, 4))
    once, again = (coefficient_interval(found, "kappa", IntervalPolicy(seed=3)) for _ in range(2))
    other = coefficient_interval(found, "kappa", IntervalPolicy(seed=4))
    assert once == again
    assert once != other


def test_conversations_are_drawn_whole() -> None:
    cases = several(20, 5) * 4
    clusters = [*range(20)] * 4
    apart = agreement(evidence(cases), POLICY)
    together = agreement(evidence(cases, clusters=clusters), POLICY)
    assert together["kappa"] == apart["kappa"]
    for name in ("kappa", "percent", "kappa_quadratic"):
        wide, narrow = together.intervals[name], apart.intervals[name]
        assert wide.high - wide.low > 1.4 * (narrow.high - narrow.low), name
    assert together["kappa_se"] is not None
    assert apart["kappa_se"] is not None
    assert together["kappa_se"] > 1.4 * apart["kappa_se"]


def test_without_draws_the_error_of_kappa_waits_for_them() -> None:
    found = agreement(evidence(several(40, 6)))
    assert (found["kappa_se"], found.undefined["kappa_se"]) == (None, NOT_DRAWN)


def test_a_side_that_said_one_thing_has_no_interval() -> None:
    cases: list[Case] = [(5.0, (1.0, 2.0)), (5.0, (2.0, 3.0)), (5.0, (1.0,))] * 10
    found = agreement(evidence(cases), POLICY)
    assert found["kappa"] == 0
    for name in ("kappa", "kappa_linear", "kappa_quadratic"):
        assert name not in found.intervals
        assert found.without_interval[name] == ONE_SIDED
    # shares have theirs, as shares do
    assert found.intervals["percent"].high > 0


def test_gaps_that_are_all_alike_have_no_interval() -> None:
    found = agreement(evidence([(2.0, (3.0,)), (3.0, (4.0,))] * 10), POLICY)
    assert (found["bias"], found["mae"]) == (1, 1)
    assert not {"bias", "mae"} & found.intervals.keys()
    assert found.without_interval == {"bias": ALIKE_GAPS, "mae": ALIKE_GAPS}
    # gaps of one size on both sides: the mean has an interval, their size has none
    mixed = agreement(evidence([(2.0, (3.0,)), (3.0, (2.0,))] * 10), POLICY)
    assert mixed.intervals["bias"].low < 0 < mixed.intervals["bias"].high
    assert mixed.without_interval["mae"] == ALIKE_GAPS


def test_no_label_in_the_table_is_said() -> None:
    means: list[Case] = [(3.0, (2.5,))] * 4
    found = agreement(evidence(means))
    assert (found.n, found.n_table, found.n_off_level) == (4, 0, 4)
    assert found.undefined["kappa"] == NO_LABEL
    assert found["mae"] == 0.5
    tied: list[Case] = [(3.0, (2.0, 4.0))] * 4
    assert agreement(evidence(tied, "majority")).undefined["kappa"] == NO_MAJORITY
    assert agreement(evidence(tied))["percent"] == 0


@given(CASES)
def test_shares_add_up_to_the_table(cases: list[Case]) -> None:
    columns = judged(cases)
    shares = label_shares(columns, SCALE, label_table="each")
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(cases)))
    expected = np.zeros((len(cases), 5))
    for at, row, _, part in shared_rows(cases, majority=False):
        expected[at, row] += float(Fraction(part))
    assert shares == pytest.approx(expected)


def test_a_mean_beside_the_label_that_most_gave_is_kept_exactly() -> None:
    cases: list[Case] = [(x, (x, x, 6 - x)) for x in (1.0, 2.0, 4.0, 5.0)]
    counts = LabelCounts(SCALE, "majority")
    for auto, labels in cases:
        counts.count(Pair(auto, sum(labels) / 3, labels), 1)
    found = counts.evidence(exact=True).exact()
    assert found.human.tolist() == pytest.approx([7 / 3, 8 / 3, 10 / 3, 11 / 3])
