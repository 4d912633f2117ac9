import numpy as np
import pytest

from reviewer.stats.agreement import Agreement, agreement
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import BY_LEVEL, Chances, IntervalPolicy, weights_of
from reviewer.stats.pairs import Evidence
from reviewer.stats.passfail import PassFail, drawn_pass_fail, pass_fail, verdict_evidence
from reviewer.stats.values import Scale
from tests.stats.tables import table_evidence

# all 1,000 judged: rows human, columns auto, FAIL first
WHOLE = [[105, 45], [42, 808]]
JUDGED = (147, 853)
TWO = Scale((0, 1))
NO_DRAWS = IntervalPolicy(resamples=0)


def by_verdict(table: list[list[int]], judged: tuple[int, int] = JUDGED) -> Evidence:
    """Take labels that were chosen by the judge's verdict, with nobody knowing the chances."""
    human, auto = np.divmod(np.repeat(np.arange(4), np.array(table).ravel()), 2)
    nobody = Chances(np.full(auto.size, BY_LEVEL), np.zeros(auto.size))
    weights = weights_of(nobody, auto, np.array(judged, dtype=np.float64))
    return verdict_evidence(auto, human, weights)


def rates(
    table: list[list[int]],
    judged: tuple[int, int] = JUDGED,
    policy: IntervalPolicy = NO_DRAWS,
) -> PassFail:
    return drawn_pass_fail(by_verdict(table, judged), judged, policy, of_strata=True)


def test_labels_chosen_by_verdict_give_the_figures_of_the_whole() -> None:
    # every judge-fail labelled, one in four judge-passes: the raw catch rate looks far too good
    chosen = [[420, 45], [168, 808]]
    raw, truth = pass_fail(chosen), pass_fail(WHOLE)
    assert truth["catch_rate"] == pytest.approx(0.70)
    assert raw["catch_rate"] == pytest.approx(0.903, abs=0.001)
    found, told = rates(chosen), agreement(by_verdict(chosen))
    whole = agreement(table_evidence(WHOLE, TWO))
    assert found["catch_rate"] == pytest.approx(0.70)
    assert found["specificity"] == pytest.approx(truth["specificity"])
    assert told["kappa"] == pytest.approx(whole["kappa"])
    assert told["ac1"] == pytest.approx(whole["ac1"])
    assert told["percent"] == pytest.approx(whole["percent"])


def test_random_labels_are_left_as_they_are() -> None:
    assert by_verdict(WHOLE).table == pytest.approx(np.array(WHOLE, dtype=np.float64))


def of_verdicts(found: Agreement | PassFail, name: str) -> tuple[float, float, float]:
    interval = found.intervals[name]
    value = found[name]
    assert value is not None
    return interval.low, value, interval.high


def test_intervals_hold_the_figure_and_repeat() -> None:
    policy, table = IntervalPolicy(), [[36, 4], [14, 46]]
    told, found = agreement(by_verdict(table), policy), rates(table, policy=policy)
    for one, name in (
        (told, "percent"), (told, "kappa"), (told, "ac1"),
        (found, "catch_rate"), (found, "specificity"),
        (found, "precision"), (found, "npv"),
    ):  # fmt: skip
        low, value, high = of_verdicts(one, name)
        assert low <= value <= high, name
    assert rates(table, policy=policy).intervals == found.intervals
    assert rates([[4, 1], [1, 3]], (5, 5), policy).intervals == {}


def test_coverage_of_the_catch_rate_under_biased_choice() -> None:
    rng = np.random.default_rng(12)
    hits = 0
    for turn in range(150):
        fails = rng.binomial(50, 105 / 147)
        passes = rng.binomial(50, 45 / 853)
        table = [[fails, passes], [50 - fails, 50 - passes]]
        found = rates(table, policy=IntervalPolicy(seed=turn, resamples=200))
        interval = found.intervals["catch_rate"]
        hits += interval.low <= 0.70 <= interval.high
    assert hits >= 128


def test_coverage_of_kappa_under_biased_choice() -> None:
    truth = agreement(table_evidence(WHOLE, TWO))["kappa"]
    rng = np.random.default_rng(13)
    hits = 0
    for turn in range(150):
        fails = rng.binomial(50, 105 / 147)
        passes = rng.binomial(50, 45 / 853)
        table = [[fails, passes], [50 - fails, 50 - passes]]
        found = agreement(by_verdict(table), IntervalPolicy(seed=turn, resamples=200))
        interval = found.intervals["kappa"]
        assert truth is not None
        hits += interval.low <= truth <= interval.high
    assert hits >= 133


def test_reasons() -> None:
    nothing = agreement(by_verdict([[0, 0], [0, 0]], (1, 1)))
    assert nothing.undefined["kappa"].startswith("no overlap")
    missing = rates([[0, 2], [0, 9]], (3, 20))
    assert missing.undefined["catch_rate"] == "needs a label among judge-fails"
    assert missing["catch_rate"] is None
    missing = rates([[2, 0], [3, 0]], (3, 20))
    assert missing.undefined["mcc"] == "needs a label among judge-passes"
    good = rates([[0, 0], [0, 9]], (0, 20))
    assert good.undefined["catch_rate"] == "no human-failed item labelled yet"
    alike = agreement(by_verdict([[0, 0], [0, 9]], (0, 20)))
    assert alike.undefined["kappa"].startswith("everyone gave the same score")
    assert alike["percent"] == good["specificity"] == 1


def test_fifty_labels_of_each_verdict_find_the_catch_rate_of_the_whole() -> None:
    # few labels of passes make the share of .70 look a little high, but the raw one is far off
    rng = np.random.default_rng(5)
    raw, found = [], []
    for _ in range(400):
        caught, missed = rng.hypergeometric(105, 42, 50), rng.hypergeometric(45, 808, 50)
        table = [[caught, missed], [50 - caught, 50 - missed]]
        weighted = rates(table)["catch_rate"]
        assert weighted is not None
        raw.append(pass_fail(table)["catch_rate"] or 0.0)
        found.append(weighted)
    assert np.mean(raw) == pytest.approx(0.932, abs=0.005)
    assert np.mean(found) == pytest.approx(0.719, abs=0.012)


def test_known_probabilities_weigh_as_the_shares_do() -> None:
    """Fifty of each verdict were drawn: 50/147 and 50/853."""
    table = [[36, 3], [14, 47]]
    human, auto = np.divmod(np.repeat(np.arange(4), np.array(table).ravel()), 2)
    p: Floats = np.where(auto == 0, 50 / 147, 50 / 853)
    weights = weights_of(Chances(1 / p, p), auto, None)
    found = verdict_evidence(auto, human, weights)
    assert found.table == pytest.approx(by_verdict(table).table)
    policy = IntervalPolicy()
    one, other = (
        drawn_pass_fail(found, JUDGED, policy, of_strata=True),
        rates(table, policy=policy),
    )
    assert one["catch_rate"] == pytest.approx(other["catch_rate"])
    # both verdicts are drawn by themselves, so that the intervals are as wide
    for name in ("catch_rate", "specificity"):
        wide, narrow = other.intervals[name], one.intervals[name]
        assert (wide.low, wide.high) == pytest.approx((narrow.low, narrow.high), abs=0.02)


def test_conversations_of_verdicts_are_drawn_whole() -> None:
    table = [[18, 7], [6, 29]]
    human, auto = np.divmod(np.repeat(np.arange(4), np.array(table).ravel()), 2)
    human, auto = np.tile(human, 4), np.tile(auto, 4)
    clusters = np.tile(np.arange(60), 4)
    policy = IntervalPolicy()
    apart = drawn_pass_fail(verdict_evidence(auto, human), (96, 144), policy, of_strata=False)
    shared = verdict_evidence(auto, human, clusters=clusters)
    together = drawn_pass_fail(shared, (96, 144), policy, of_strata=False)
    assert together["catch_rate"] == apart["catch_rate"]
    for name in ("catch_rate", "specificity", "precision", "npv"):
        wide, narrow = together.intervals[name], apart.intervals[name]
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low), name
