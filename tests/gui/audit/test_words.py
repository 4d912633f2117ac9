"""Figures are written with their interval, and never look surer than they are."""

from dataclasses import replace

import numpy as np

from reviewer.domain.rubric import Level, Metric
from reviewer.gui.audit import words
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.leaning import leaning
from reviewer.services.figures.statistics_blocks import (
    Confusion,
    Correction,
    GapBlock,
    MetricBlock,
)
from reviewer.stats.agreement import agreement
from reviewer.stats.deviations import Gate, deviations
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.pairs import array_evidence, table_evidence
from reviewer.stats.values import Scale

METRIC = Metric(name="accuracy", levels=tuple(Level(value=x) for x in range(1, 6)))
LEVELS = Scale((1.0, 2.0, 3.0, 4.0, 5.0))


def block(table: list[list[int]], corrected: Correction | None = None) -> MetricBlock:
    evidence = table_evidence(table, LEVELS)
    found = agreement(evidence, IntervalPolicy())
    gaps = GapBlock(
        n_auto=found.n, n_human=found.n, n_blind=0, auto_mean=4.0, human_mean=3.0,
        deviations=deviations([-1.0, 0.0, 1.0]), band=-0.5, adjusted_mean=3.5,
        shown_band=BandOrScore(-0.5), shown_adjusted=BandOrScore(3.5),
    )  # fmt: skip
    return MetricBlock(
        name="accuracy", title="Accuracy", scorer="judge", other_scorers=(), gaps=gaps,
        corrected=corrected or Correction(reason="nobody knows how labels were chosen"),
        judge_human=found, human_human=found, confusion=Confusion(),
        leaning=leaning(METRIC, found),
    )  # fmt: skip


def diagonal(n: int, high: int = 0) -> list[list[int]]:
    table = [[n if row == column else 0 for column in range(5)] for row in range(5)]
    table[1][4] = high
    return table


def test_numbers_have_two_decimals_and_a_true_minus() -> None:
    assert [words.two(x) for x in (4.306, -0.69, -0.001, None)] == ["4.31", "−0.69", "0.00", "—"]
    assert [words.two(x) for x in (684.26, 12_345.6)] == ["684.3", "12,346"]
    assert words.ends(0.31, 0.62) == "0.31 – 0.62"
    assert words.ends(None, 0.62) == ""


def test_few_labels_give_no_word_but_their_number() -> None:
    few = block(diagonal(2)).judge_human
    assert few.n == 10
    assert words.wording(few, "kappa_quadratic") == "not enough labels: 10 of 30"
    assert words.thin(few) == "10 of 30 labels"


def test_fewer_than_five_pairs_give_no_coefficient() -> None:
    cell = words.kappa(block([[1, 1, 0, 0, 0], *[[0] * 5] * 4]).judge_human, "kappa_quadratic")
    assert cell.words == "—"
    assert cell.tip


def test_many_labels_are_worded_by_the_lower_end() -> None:
    found = block(diagonal(20, high=10)).judge_human
    low = found.intervals["kappa_quadratic"].low
    assert words.wording(found, "kappa_quadratic") == (
        "at least substantial" if low > 0.6 else "at least moderate"
    )
    assert words.kappa(found, "kappa_quadratic").below.startswith(words.two(low))


def test_a_corrected_mean_has_its_interval_or_its_reason() -> None:
    missing = Correction(reason="how labels were chosen is unknown")
    assert words.correction_sentence(missing).endswith("how labels were chosen is unknown.")
    assert words.corrected(missing).tip == "How labels were chosen is unknown."
    found = Correction(mean=3.39, low=3.1, high=3.68, method="ppi++", n=101, n_excluded=4)
    assert words.correction_sentence(found) == "Corrected mean 3.39, 95 % 3.10 – 3.68 (n = 101)."
    assert words.corrected(found).below == "3.10 – 3.68"


def test_a_corrected_mean_without_an_interval_says_why() -> None:
    one = Correction(mean=4.0, method="ppi", n=12, reason="one conversation only")
    assert words.corrected(one).below == "no interval"
    assert words.corrected(one).tip.endswith("No interval: one conversation only.")
    assert words.correction_sentence(one) == (
        "Corrected mean 4.00, no interval: one conversation only (n = 12)."
    )


def test_undefined_figures_are_dashes_with_their_reason() -> None:
    cell = words.figure(None, {"human_mean": "no pair"}, "human_mean", "human")
    assert (cell.words, cell.tip) == ("—", "no pair")
    one = block(diagonal(5))
    empty = replace(one.gaps, shown_band=BandOrScore(reason="no pair"))
    assert (words.band(empty).words, words.band(empty).tip) == ("—", "No pair.")
    assert words.band(one.gaps).words == "−0.5"


def test_a_band_that_needs_labels_says_how_many_there_are() -> None:
    few = BandOrScore(gate=Gate(28, 30, "one_side"), reason="it needs 30")
    gaps = replace(block(diagonal(5)).gaps, shown_band=few, shown_adjusted=few)
    for cell in (words.band(gaps), words.adjusted(gaps.shown_adjusted)):
        assert (cell.words, cell.below) == ("—", "28 of 30")
        assert cell.tip.startswith("It needs 30.")


def test_a_score_off_the_scale_is_marked() -> None:
    cell = words.adjusted(BandOrScore(0.9, mark="off the scale"))
    assert (cell.words, cell.below) == ("0.90", "off the scale")
    assert cell.tip == "Auto score and band lie off the scale."


def test_figures_of_weighted_labels_say_so() -> None:
    evidence = replace(table_evidence(diagonal(8, 5), LEVELS), judged=np.full(5, 100.0))
    found = replace(agreement(evidence, IntervalPolicy()), note="Each level counts by its share.")
    assert "weighted by the judge's scores" in words.shares(found)
    assert words.kappa(found, "kappa").tip.endswith("Each level counts by its share.")
    assert "weighted" not in words.shares(block(diagonal(8)).judge_human)


def test_labels_without_a_majority_are_said_to_be_left_out() -> None:
    auto = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 4.0])
    human = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 4.5, 3.5])
    majority = np.array([1.0, 2.0, 3.0, 4.0, 4.0, np.nan, np.nan])
    found = agreement(array_evidence(auto, human, LEVELS, majority), IntervalPolicy())
    assert words.shares(found) == (
        "7 labelled, 2 of them without a majority · of the other 5, 80.0 % the same · "
        "100.0 % within 1"
    )
    assert "5 pairs, 2 without a majority left out" in words.kappa(found, "kappa").tip
