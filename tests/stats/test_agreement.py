"""Coefficients of two raters against the case file and the usual libraries."""

import json
import math
from pathlib import Path
from typing import Any, Literal

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as sp
from sklearn import metrics as sk
from statsmodels.stats import inter_rater as sm

from reviewer.stats.agreement import Agreement, agreement, coefficient, coefficient_interval
from reviewer.stats.catalogue import PAIR_NAMES, TABLE_NAMES
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.label_counts import label_evidence
from reviewer.stats.pairs import Evidence, array_evidence, pairs_of
from reviewer.stats.values import Scale
from tests.stats.label_sets import judged
from tests.stats.tables import table_evidence

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
NAMES = {
    "percent": "percent",
    "kappa": "kappa",
    "kappa_linear": "kappa_linear",
    "kappa_quadratic": "kappa_quadratic",
    "kappa_se": "kappa_se",
    "ac1": "ac1",
    "ac2_quadratic": "ac2",
    "alpha_nominal": "alpha_nominal",
    "alpha_ordinal": "alpha_ordinal",
    "alpha_interval": "alpha_interval",
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall_b": "kendall_b",
}
FIVE = [[4, 2, 0, 0, 0], [1, 6, 3, 0, 0], [0, 2, 12, 5, 0], [0, 0, 4, 30, 8], [0, 0, 0, 6, 17]]
ONE_TO_FIVE = Scale((1, 2, 3, 4, 5))
TWO = Scale((1, 2))


def close(found: float | None, expected: float | None) -> bool:
    if expected is None or found is None:
        return found is None and expected is None
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_every_case_of_the_case_file() -> None:
    path = VECTORS / "agreement.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/agreement.json beside this checkout")
    for case in json.loads(path.read_text(encoding="utf-8")):
        table = np.array(case["table"]).T.tolist()
        found = agreement(table_evidence(table, Scale(tuple(case["values"]))))
        for name, attribute in NAMES.items():
            expected = case["expect"][name]
            assert close(found[attribute], expected), (case["table"], name)
        expected_icc = case["expect"]["icc"] or [None, None]
        assert close(found["icc"], expected_icc[0])
        assert close(found["icc_c"], expected_icc[1])
        check_reasons(found)


def check_reasons(found: Agreement) -> None:
    for name in (*TABLE_NAMES, *PAIR_NAMES, "kappa_se", "mae", "bias", "sd_gap", "limits"):
        missing = (found.limits if name == "limits" else found[name]) is None
        assert missing == (name in found.undefined), name
        assert missing <= (name not in found.intervals), name


def test_the_five_by_five_example() -> None:
    found = agreement(table_evidence(np.array(FIVE).T.tolist(), ONE_TO_FIVE))
    assert found["within_one"] == 1.0
    assert found["bias"] == pytest.approx(0.05)
    assert found["mae"] == pytest.approx(0.31)
    assert found.limits == pytest.approx((-1.04, 1.14), abs=0.005)


TABLES = st.integers(2, 6).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 9) | st.just(0), min_size=k, max_size=k), min_size=k, max_size=k
    )
)


def spread_out(table: list[list[int]]) -> tuple[Any, Any]:
    """Give the two columns of ranks behind a table: human, auto."""
    rows, columns = np.nonzero(np.array(table))
    counts = np.array(table)[rows, columns]
    return np.repeat(rows, counts), np.repeat(columns, counts)


@given(TABLES)
def test_kappa_against_scikit_learn_and_statsmodels(table: list[list[int]]) -> None:
    human, auto = spread_out(table)
    assume(len(human) >= 2)
    k = len(table)
    found = agreement(table_evidence(table, Scale(tuple(range(k)))))
    assume(found["kappa"] is not None)
    for weights, value in (
        (None, found["kappa"]),
        ("linear", found["kappa_linear"]),
        ("quadratic", found["kappa_quadratic"]),
    ):
        expected = sk.cohen_kappa_score(human, auto, weights=weights, labels=list(range(k)))
        assert close(value, float(expected)), weights
    assert close(found["percent"], float((human == auto).mean()))
    with np.errstate(all="ignore"):
        library = sm.cohens_kappa(np.array(table))
    assert found["kappa_se"] == pytest.approx(math.sqrt(max(library.var_kappa, 0)), abs=1e-7)


@given(TABLES)
def test_alpha_against_krippendorff(table: list[list[int]]) -> None:
    human, auto = spread_out(table)
    assume(len(set(human) | set(auto)) > 1)
    assume(len(human) >= 2)
    values = np.array([1.0, 2.0, 3.5, 4.0, 7.0, 8.0])[: len(table)]
    found = agreement(table_evidence(table, Scale(tuple(values.tolist()))))
    levels: tuple[tuple[Literal["nominal", "ordinal", "interval"], float | None], ...] = (
        ("nominal", found["alpha_nominal"]),
        ("ordinal", found["alpha_ordinal"]),
        ("interval", found["alpha_interval"]),
    )
    for level, value in levels:
        expected = krippendorff.alpha(
            reliability_data=np.vstack([values[human], values[auto]]),
            level_of_measurement=level,
        )
        assert close(value, float(expected)), level


@given(TABLES)
def test_correlations_against_scipy(table: list[list[int]]) -> None:
    human, auto = spread_out(table)
    assume(len(human) >= 3)
    found = agreement(table_evidence(table, Scale(tuple(range(len(table))))))
    if len(set(human)) < 2 or len(set(auto)) < 2:
        assert (found["pearson"], found["spearman"], found["kendall_b"]) == (None, None, None)
        return
    assert close(found["pearson"], float(sp.pearsonr(auto, human).statistic))
    assert close(found["spearman"], float(sp.spearmanr(auto, human).statistic))
    assert close(found["kendall_b"], float(sp.kendalltau(auto, human).statistic))


def icc_by_variance(human: Any, auto: Any) -> tuple[float, float]:
    """Take the mean squares of a two-way layout, the long way."""
    scores = np.column_stack([human, auto]).astype(float)
    n, k = scores.shape
    grand = scores.mean()
    rows = k * ((scores.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    columns = n * ((scores.mean(axis=0) - grand) ** 2).sum() / (k - 1)
    fitted = scores.mean(axis=1)[:, None] + scores.mean(axis=0)[None, :] - grand
    rest = ((scores - fitted) ** 2).sum() / ((n - 1) * (k - 1))
    return (
        (rows - rest) / (rows + (k - 1) * rest + k * (columns - rest) / n),
        (rows - rest) / (rows + (k - 1) * rest),
    )


# pingouin 0.7 calls pandas in a way that pandas 3 gives up
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=5, max_size=40))
@settings(max_examples=40, deadline=None)
def test_icc_against_pingouin(pairs: list[tuple[int, int]]) -> None:
    auto, human = np.array(pairs, dtype=np.float64).T / 8
    assume(min(np.ptp(auto), np.ptp(human), np.ptp(human - auto), np.ptp(human + auto)) > 0)
    found = agreement(array_evidence(auto, human, None))
    table = pd.DataFrame(
        {
            "thing": np.tile(np.arange(len(auto)), 2),
            "rater": np.repeat(["judge", "people"], len(auto)),
            "score": np.concatenate([auto, human]),
        }
    )
    rows = pingouin.intraclass_corr(table, targets="thing", raters="rater", ratings="score")
    oracle = dict(zip(rows["Type"], rows["ICC"], strict=True))
    assert found["icc"] == pytest.approx(oracle["ICC(A,1)"], abs=1e-9)
    assert found["icc_c"] == pytest.approx(oracle["ICC(C,1)"], abs=1e-9)


@given(st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=3, max_size=60))
def test_values_off_any_grid(pairs: list[tuple[float, float]]) -> None:
    auto, human = np.array(pairs).T
    assume(np.ptp(auto) > 1e-3)
    assume(np.ptp(human) > 1e-3)
    assume(np.ptp(human - auto) > 1e-3)
    found = agreement(array_evidence(auto, human, None))
    assert close(found["pearson"], float(sp.pearsonr(auto, human).statistic))
    assert close(found["spearman"], float(sp.spearmanr(auto, human).statistic))
    assert close(found["kendall_b"], float(sp.kendalltau(auto, human).statistic))
    agree, consistent = icc_by_variance(human, auto)
    assert found["icc"] == pytest.approx(agree, abs=1e-9)
    assert found["icc_c"] == pytest.approx(consistent, abs=1e-9)
    gap = human - auto
    assert close(found["bias"], float(gap.mean()))
    assert close(found["mae"], float(np.abs(gap).mean()))
    assert close(found["sd_gap"], float(gap.std(ddof=1)))
    expected = krippendorff.alpha(
        reliability_data=np.vstack([auto, human]), level_of_measurement="interval"
    )
    assert close(found["alpha_interval"], float(expected))
    assert found.undefined["kappa"] == "the scale has no levels"
    check_reasons(found)


def gwet_by_definition(table: list[list[int]], *, quadratic: bool) -> float:
    """Follow Gwet 2008 for two raters, cell by cell."""
    counts = np.array(table, dtype=float)
    k, n = len(table), counts.sum()
    weights = np.eye(k)
    if quadratic:
        for i in range(k):
            for j in range(k):
                weights[i, j] = 1 - ((i - j) / (k - 1)) ** 2
    share = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * n)
    chance = weights.sum() / (k * (k - 1)) * (share * (1 - share)).sum()
    observed = (weights * counts).sum() / n
    return float((observed - chance) / (1 - chance))


@given(TABLES)
def test_gwet_and_scott_by_definition(table: list[list[int]]) -> None:
    human, auto = spread_out(table)
    assume(len(human) >= 2)
    found = agreement(table_evidence(table, Scale(tuple(range(len(table))))))
    assert close(found["ac1"], gwet_by_definition(table, quadratic=False))
    assert close(found["ac2"], gwet_by_definition(table, quadratic=True))
    ratings = np.zeros((len(human), len(table)))
    for unit, (a, b) in enumerate(zip(human, auto, strict=True)):
        ratings[unit, a] += 1
        ratings[unit, b] += 1
    if found["fleiss"] is not None:
        assert close(found["fleiss"], float(sm.fleiss_kappa(ratings)))


def test_the_declared_scale_counts_not_the_values_seen() -> None:
    # weights by rank of the seen values would give .6667
    table = [[5, 1, 0, 0], [1, 5, 0, 0], [0, 0, 0, 0], [0, 0, 0, 5]]
    human, auto = spread_out(table)
    found = agreement(table_evidence(table, Scale((1, 2, 3, 4))))
    expected = sk.cohen_kappa_score(human, auto, weights="linear", labels=[0, 1, 2, 3])
    assert close(found["kappa_linear"], float(expected))


def test_why_a_figure_is_missing() -> None:
    empty = agreement(table_evidence([[0, 0], [0, 0]], TWO), IntervalPolicy())
    assert set(empty.undefined.values()) == {"no overlap: no evaluation has both"}
    one = agreement(table_evidence([[0, 1], [0, 0]], TWO), IntervalPolicy())
    assert (one["percent"], one["kappa"], one["ac1"], one["mae"]) == (0, None, None, None)
    assert one.undefined["kappa"].startswith("only one pair")
    same = agreement(table_evidence([[5, 0], [0, 0]], TWO))
    assert same.undefined["kappa"].startswith("everyone gave the same score: agreement 100 %")
    assert (same["ac1"], same["percent"], same["mae"]) == (1, 1, 0)
    constant = agreement(table_evidence([[3, 2], [0, 0]], TWO))
    assert constant["kappa"] == 0
    assert constant.undefined["pearson"] == "one side gave one score only"
    two = agreement(table_evidence([[1, 0], [0, 1]], TWO))
    assert two.undefined["pearson"] == "fewer than 3 pairs"
    nominal = agreement(table_evidence(FIVE, Scale((0, 1, 2, 3, 4), ordered=False)))
    assert nominal.undefined["kappa_quadratic"] == "the categories have no order"
    assert nominal.undefined["limits"] == "the categories have no order"
    assert nominal["kappa"] == pytest.approx(0.5701608)
    single = agreement(table_evidence([[4]], Scale((1,))))
    assert single.undefined["ac1"] == "the scale has one level only"
    for found in (empty, one, same, constant, two, nominal, single):
        check_reasons(found)


def test_no_majority_label_leaves_the_table_but_not_the_means() -> None:
    auto = np.array([3.0, 4.0, 4.5, 2.0])
    human = np.array([3.0, 4.5, 4.0, 2.0])
    labels: list[tuple[float, ...]] = [(3.0,), (4.0, 5.0), (4.0,), (2.0,)]
    found = agreement(majority_evidence(auto, human, labels))
    assert (found.n, found.n_table, found.n_no_majority, found.n_rounded) == (4, 3, 1, 1)
    assert found["percent"] == 1
    assert found["bias"] == pytest.approx(0.0)
    assert found["mae"] == pytest.approx(0.25)
    none = agreement(majority_evidence(auto[[1, 1]], human[[1, 1]], [labels[1]] * 2))
    assert none.undefined["kappa"] == "no evaluation has a majority label on the scale"
    assert none["mae"] == pytest.approx(0.5)


def majority_evidence(auto: Floats, human: Floats, labels: list[tuple[float, ...]]) -> Evidence:
    columns = judged(list(zip(auto.tolist(), labels, strict=True)))
    assert columns.human == pytest.approx(human)
    return label_evidence(columns, ONE_TO_FIVE, label_table="majority")


@given(TABLES, st.sampled_from([*TABLE_NAMES, *PAIR_NAMES]))
def test_one_coefficient_equals_the_same_among_all(table: list[list[int]], name: str) -> None:
    evidence = table_evidence(table, Scale(tuple(range(len(table)))))
    assert close(coefficient(evidence, name), agreement(evidence)[name])


def on_and_off_grid() -> list[Evidence]:
    rng = np.random.default_rng(3)
    auto = rng.integers(1, 6, 120).astype(float)
    human = np.clip(auto + rng.integers(-1, 2, 120), 1.0, 5.0).astype(np.float64)
    mixed = human.copy()
    mixed[::7] += 0.5
    smooth = rng.normal(3.0, 1.0, 6000)
    return [
        array_evidence(auto, human, ONE_TO_FIVE),
        array_evidence(auto, mixed, ONE_TO_FIVE),
        array_evidence(smooth[:200], smooth[:200] + rng.normal(0, 0.5, 200), None),
        array_evidence(smooth, smooth + rng.normal(0, 0.5, 6000), None),
        table_evidence([[9, 6], [3, 82]], TWO),
    ]


@pytest.mark.parametrize("index", range(5))
def test_intervals_hold_their_figure_and_repeat(index: int) -> None:
    evidence = on_and_off_grid()[index]
    policy = IntervalPolicy()
    found = agreement(evidence, policy)
    again = agreement(evidence, policy)
    assert found.intervals == again.intervals
    expected = {
        name for name in (*TABLE_NAMES, *PAIR_NAMES, "mae", "bias") if name not in found.undefined
    }
    assert set(found.intervals) == expected
    for name, interval in found.intervals.items():
        assert interval.low <= (found[name] or 0.0) <= interval.high, name
        if name in PAIR_NAMES:
            assert coefficient_interval(evidence, name, policy) == interval, name
    narrow = agreement(evidence, IntervalPolicy(level=0.5))
    for name, interval in narrow.intervals.items():
        wide = found.intervals[name]
        assert interval.high - interval.low <= wide.high - wide.low


def test_which_interval_and_when_approximate() -> None:
    two = agreement(table_evidence([[9, 6], [3, 82]], TWO), IntervalPolicy()).intervals
    assert {two[name].method for name in ("kappa", "ac1", "icc", "spearman")} == {"dirichlet"}
    assert two["percent"].method == "wilson"
    assert (two["mae"].method, two["bias"].method) == ("t", "t")
    assert not any(interval.approximate for interval in two.values())
    five = agreement(table_evidence(FIVE, ONE_TO_FIVE), IntervalPolicy()).intervals
    assert {five["kappa"].method, five["alpha_ordinal"].method} == {"bootstrap"}
    assert {five["ac1"].method, five["ac2"].method} == {"dirichlet"}
    assert not five["kappa"].approximate
    few = agreement(table_evidence([[9, 1, 0], [1, 9, 0], [0, 0, 5]], Scale((1, 2, 3))))
    assert few.intervals == {}
    few = agreement(
        table_evidence([[9, 1, 0], [1, 9, 0], [0, 0, 5]], Scale((1, 2, 3))), IntervalPolicy()
    )
    assert few.intervals["kappa"].approximate
    assert not few.intervals["percent"].approximate
    nine = agreement(table_evidence([[4, 1], [0, 4]], TWO), IntervalPolicy())
    assert nine.n == 9
    assert nine.intervals == {}
    assert (
        coefficient_interval(table_evidence([[4, 1], [0, 4]], TWO), "kappa", IntervalPolicy())
        is None
    )


def test_the_seeded_bootstrap_is_numpy_s_percentile_of_multinomial_tables() -> None:
    rng = np.random.default_rng(5)
    table = np.array(FIVE)
    draws = rng.multinomial(100, (table / 100).ravel(), size=1000).reshape(-1, 5, 5)
    human, auto = np.indices((5, 5)).reshape(2, -1)
    values = [
        sk.cohen_kappa_score(
            human, auto, weights="quadratic", labels=range(5), sample_weight=draw.ravel()
        )
        for draw in draws
    ]
    found = coefficient_interval(
        table_evidence(FIVE, ONE_TO_FIVE), "kappa_quadratic", IntervalPolicy(seed=5)
    )
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])))


def test_equal_pairs_are_collected_in_order() -> None:
    found = pairs_of([2, 1, 2, 1], [3, 3, 3, 2])
    assert found.auto.tolist() == [1, 1, 2]
    assert found.human.tolist() == [2, 3, 3]
    assert found.counts.tolist() == [1, 1, 2]


@given(TABLES, st.booleans(), st.integers(0, 3))
def test_nothing_is_ever_nan(table: list[list[int]], ordered: bool, seed: int) -> None:
    scale = Scale(tuple(range(len(table))), ordered=ordered)
    policy = IntervalPolicy(resamples=60, seed=seed)
    found = agreement(table_evidence(table, scale), policy)
    check_reasons(found)
    for name in (*TABLE_NAMES, *PAIR_NAMES, "kappa_se", "mae", "bias", "sd_gap"):
        value = found[name]
        assert value is None or math.isfinite(value), name
    for name, interval in found.intervals.items():
        assert math.isfinite(interval.low), name
        assert interval.low <= interval.high, name


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])),
        max_size=30,
    )
)
def test_values_off_the_grid_are_never_nan_either(pairs: list[tuple[float, float]]) -> None:
    auto, human = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    for scale in (None, TWO, Scale((0, 0.5, 1))):
        found = agreement(array_evidence(auto, human, scale), IntervalPolicy(resamples=20))
        check_reasons(found)
        for name in (*TABLE_NAMES, *PAIR_NAMES, "mae", "bias", "sd_gap"):
            value = found[name]
            assert value is None or math.isfinite(value), name
