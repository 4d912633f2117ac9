"""Figures are written with their interval, and never look surer than they are."""

from dataclasses import replace

from reviewer.domain.rubric import Level, Metric
from reviewer.domain.wording import short
from reviewer.gui.audit import words
from reviewer.services.figures import trust_words
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.statistics_blocks import (
    Confusion,
    Correction,
    GapBlock,
    MetricBlock,
    TrustBlock,
    WithoutDecisions,
)
from reviewer.services.figures.statistics_words import leaning
from reviewer.stats.agreement import agreement
from reviewer.stats.alternative import AltTest
from reviewer.stats.deviations import Gate, deviations
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.label_counts import label_evidence
from reviewer.stats.trust import Trust
from reviewer.stats.values import Scale
from tests.stats.label_sets import Case, judged
from tests.stats.tables import table_evidence

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
        trust=TrustBlock(Trust(), found.n, None, AltTest(0.15, "neg_rmse")),
        leaning=leaning(METRIC, found, 0.25, found.n),
    )  # fmt: skip


def diagonal(n: int, high: int = 0) -> list[list[int]]:
    table = [[n if row == column else 0 for column in range(5)] for row in range(5)]
    table[1][4] = high
    return table


def test_numbers_have_two_decimals_and_a_true_minus() -> None:
    assert [short(x) for x in (4.306, -0.69, -0.001, None)] == [
        "4.31",
        "−0.69",
        "0.00",
        "—",
    ]
    assert [short(x) for x in (684.26, 12_345.6)] == ["684.3", "12,346"]
    assert words.ends(0.31, 0.62) == "0.31 – 0.62"
    assert words.ends(None, 0.62) == ""


def test_few_labels_give_no_word_but_their_number() -> None:
    few = block(diagonal(2)).judge_human
    assert few.n == 10
    assert words.missing(few) == "not enough labels: 10 of 30"
    assert words.convention(few, "kappa_quadratic") == "not enough labels: 10 of 30"
    assert words.thin(few) == "10 of 30 labels"


def test_fewer_than_five_pairs_give_no_coefficient() -> None:
    cell = words.kappa(block([[1, 1, 0, 0, 0], *[[0] * 5] * 4]).judge_human, "kappa_quadratic")
    assert cell.words == "—"
    assert cell.tip


def test_the_usual_word_has_its_source_and_stands_in_the_tip_alone() -> None:
    found = block(diagonal(20, high=10)).judge_human
    low = found.intervals["kappa_quadratic"].low
    word = "substantial" if low > 0.6 else "moderate"
    told = f"at least {word} in the words of Landis and Koch (1977)"
    assert words.convention(found, "kappa_quadratic") == told
    assert told in words.kappa(found, "kappa_quadratic").tip
    assert words.missing(found) == ""
    assert words.kappa(found, "kappa_quadratic").below.startswith(short(low))


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
    cases: list[Case] = [(float(n % 5 + 1), (float(n % 3 + 1),)) for n in range(30)]
    evidence = label_evidence(judged(cases, weights=[0.5, 1.5] * 15), LEVELS, label_table="each")
    found = replace(agreement(evidence, IntervalPolicy()), note="Each counts 1 over its chance.")
    assert "weighted by the chances" in words.shares(found)
    assert words.kappa(found, "kappa").tip.endswith("Each counts 1 over its chance.")
    assert "weighted" not in words.shares(block(diagonal(8)).judge_human)


TIED: list[Case] = [
    (1.0, (1.0,)), (2.0, (2.0,)), (3.0, (3.0,)), (4.0, (4.0,)), (5.0, (4.0,)),
    (5.0, (4.0, 5.0)), (4.0, (3.0, 4.0)),
]  # fmt: skip


def test_labels_without_a_majority_are_said_to_be_left_out() -> None:
    evidence = label_evidence(judged(TIED), LEVELS, label_table="majority")
    found = agreement(evidence, IntervalPolicy())
    assert words.shares(found) == (
        "7 labelled, 2 of them without a majority · of the other 5, 80.0 % the same · "
        "100.0 % within 1"
    )
    assert "5 pairs, 2 without a majority left out" in words.kappa(found, "kappa").tip


def test_where_every_label_counts_none_is_left_out() -> None:
    found = agreement(label_evidence(judged(TIED), LEVELS, label_table="each"), IntervalPolicy())
    assert found.n_no_majority == 2
    assert words.shares(found) == "7 labelled, 71.4 % the same · 100.0 % within 1".replace(
        ", 71", " · 71"
    )
    assert "left out" not in words.kappa(found, "kappa").tip
    means = [*TIED, (4.0, (2.5,))]
    between = agreement(label_evidence(judged(means), LEVELS, label_table="each"))
    assert words.shares(between).startswith(
        "8 labelled, 1 of them between levels · of the other 7"
    )


def test_what_was_chosen_is_said() -> None:
    found = block(diagonal(10)).judge_human
    assert words.shares(replace(found, n_chosen=7)).endswith("7 left out, as somebody chose them")
    some, every = (words.shares(replace(found, n_unknown=n)) for n in (3, 50))
    assert some.endswith("how 3 of them were chosen is unknown")
    assert every.endswith("how they were chosen is unknown")


def test_nothing_is_worded_where_chosen_responses_count_beside_drawn_ones() -> None:
    found = block(diagonal(20, high=10)).judge_human
    assert words.convention(found, "kappa_quadratic")
    mixed = replace(found, wordless="some were chosen")
    assert words.convention(mixed, "kappa_quadratic") == ""


def test_a_judge_that_says_one_thing_is_neither_slight_nor_sure() -> None:
    table = [[0] * 5 for _ in range(5)]
    for row in range(4):
        table[row][4] = 25
    found = block(table).judge_human
    cell = words.kappa(found, "kappa")
    assert (cell.words, cell.below) == ("0.00", "")
    assert "slight" not in cell.tip
    assert "no interval: one side gave one score only" in cell.tip
    assert words.convention(found, "kappa") == ""


def test_no_side_is_claimed_only_where_none_is_left_open() -> None:
    table = diagonal(4)
    table[0][4] = table[4][0] = 6
    said = block(table).leaning
    assert said.before == "Whether the judge scores Accuracy too high or too low"
    assert said.figure == "cannot be said yet"
    # all gaps the same: nobody knows how sure that is
    assert block(diagonal(20)).leaning.figure == "cannot be said yet"


def test_decisions_where_both_differ_stand_apart() -> None:
    one = block(diagonal(20, high=10))
    assert trust_words.without_decisions(one) == ""
    without = WithoutDecisions(3, block(diagonal(20, high=20)).judge_human)
    assert trust_words.without_decisions(replace(one, undecided=without)) == (
        "Without 3 decisions made where judge and people differ: 83.3 % the same, quadratic κ "
        "0.65, mean gap −0.5."
    )


def test_what_a_correction_left_out_is_said() -> None:
    found = Correction(mean=3.4, low=3.1, high=3.7, method="ppi", n=1200)
    assert words.corrected(found).tip == "From 1,200 labelled evaluations, method ppi."
    some = words.corrected(replace(found, n_excluded=1500))
    assert some.tip == "From 1,200 labelled evaluations, method ppi; 1,500 left out."
