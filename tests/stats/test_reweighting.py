import numpy as np
import pytest

from reviewer.stats.agreement import agreement
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.pairs import table_evidence
from reviewer.stats.passfail import pass_fail
from reviewer.stats.reweighting import reweight, reweighted_pass_fail, reweighted_verdicts
from reviewer.stats.values import Scale

# all 1,000 judged: rows human, columns auto, FAIL first
WHOLE = [[105, 45], [42, 808]]
TWO = Scale((0, 1))


def test_labels_chosen_by_verdict_give_the_figures_of_the_whole() -> None:
    # every judge-fail labelled, one in four judge-passes: the raw catch rate looks far too good
    chosen = [[420, 45], [168, 808]]
    raw, truth = pass_fail(chosen), pass_fail(WHOLE)
    assert truth.catch_rate == pytest.approx(0.70)
    assert raw.catch_rate == pytest.approx(0.903, abs=0.001)
    found = reweighted_verdicts(chosen, (147, 853))
    whole = agreement(table_evidence(WHOLE, TWO))
    assert found.catch_rate == pytest.approx(0.70)
    assert found.specificity == pytest.approx(truth.specificity)
    assert found.kappa == pytest.approx(whole.kappa)
    assert found.ac1 == pytest.approx(whole.ac1)
    assert found.percent == pytest.approx(whole.percent)


def test_random_labels_are_left_as_they_are() -> None:
    table = np.array(WHOLE, dtype=np.float64)
    assert reweight(table, [147, 853]) == pytest.approx(table)


def test_intervals_hold_the_figure_and_repeat() -> None:
    policy = IntervalPolicy()
    found = reweighted_verdicts([[36, 4], [14, 46]], (147, 853), policy)
    assert set(found.intervals) == {"percent", "kappa", "ac1", "catch_rate", "specificity"}
    for name, interval in found.intervals.items():
        assert interval.low <= getattr(found, name) <= interval.high, name
    again = reweighted_verdicts([[36, 4], [14, 46]], (147, 853), policy)
    assert again.intervals == found.intervals
    assert reweighted_verdicts([[4, 1], [1, 3]], (5, 5), policy).intervals == {}


def test_coverage_of_the_catch_rate_under_biased_choice() -> None:
    rng = np.random.default_rng(12)
    hits = 0
    for turn in range(150):
        fails = rng.binomial(50, 105 / 147)
        passes = rng.binomial(50, 45 / 853)
        table = [[fails, passes], [50 - fails, 50 - passes]]
        found = reweighted_verdicts(table, (147, 853), IntervalPolicy(seed=turn, resamples=200))
        interval = found.intervals["catch_rate"]
        hits += interval.low <= 0.70 <= interval.high
    assert hits >= 128


def test_reasons() -> None:
    assert (
        reweighted_verdicts([[0, 0], [0, 0]], (1, 1)).undefined["kappa"].startswith("no overlap")
    )
    missing = reweighted_verdicts([[0, 2], [0, 9]], (3, 20))
    assert missing.undefined["catch_rate"] == "needs a label among judge-fails"
    assert missing.kappa is None
    missing = reweighted_verdicts([[2, 0], [3, 0]], (3, 20))
    assert missing.undefined["ac1"] == "needs a label among judge-passes"
    good = reweighted_verdicts([[0, 0], [0, 9]], (0, 20))
    assert good.undefined["catch_rate"] == "no human-failed item labelled yet"
    assert good.undefined["kappa"].startswith("everyone gave the same score")
    assert good.percent == 1
    with pytest.raises(ValueError, match="has no label"):
        reweight(np.array([[1.0, 0.0], [1.0, 0.0]]), [1, 1])


def test_fifty_labels_of_each_verdict_find_the_catch_rate_of_the_whole() -> None:
    # few labels of passes make the share of .70 look a little high, but the raw one is far off
    rng = np.random.default_rng(5)
    raw, found = [], []
    for turn in range(400):
        caught, missed = rng.hypergeometric(105, 42, 50), rng.hypergeometric(45, 808, 50)
        table = [[caught, missed], [50 - caught, 50 - missed]]
        policy = IntervalPolicy(seed=turn, resamples=2)
        weighted = reweighted_pass_fail(table, (147, 853), policy).catch_rate
        assert weighted is not None
        raw.append(pass_fail(table).catch_rate or 0.0)
        found.append(weighted)
    assert np.mean(raw) == pytest.approx(0.932, abs=0.005)
    assert np.mean(found) == pytest.approx(0.719, abs=0.012)
