"""The tables behind what the numbers say: what differs, what is missing, what drifts."""

from dataclasses import replace

import pytest

from reviewer.domain.wording import DASH
from reviewer.gui.audit.insights_card import TITLES, detail, topic
from reviewer.services.figures.statistics_blocks import Correction, GoldenBlock
from reviewer.services.findings.insights_values import (
    Calibrated,
    Consented,
    FromGolden,
    LabelerDrift,
    LabelsNeeded,
    MetricInsights,
    PassChange,
    Repeated,
    RunChange,
    SelfConsistency,
    Slice,
    Sliced,
)
from reviewer.stats.calibration import flip_rate
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import mcnemar
from reviewer.stats.passfail import GoldenSet
from reviewer.stats.segments import SliceVerdict

WHY = "so it is"
NOTHING = MetricInsights(
    metric="accuracy",
    labels=LabelsNeeded(sentence="So it is.", reason=WHY),
    pass_labels=LabelsNeeded(sentence="So it is.", reason=WHY),
    calibration=Calibrated(sentence="So it is.", reason=WHY),
    consistency=SelfConsistency(sentence="So it is.", reason=WHY),
    change=RunChange(sentence="So it is.", reason=WHY),
    drift=LabelerDrift(sentence="So it is.", reason=WHY),
    consensus=Consented(sentence="So it is.", reason=WHY),
    slices=Sliced(sentence="So it is.", reason=WHY),
    golden=FromGolden(sentence="So it is.", reason=WHY),
    bounds=(1.0, 5.0),
)


@pytest.mark.parametrize("name", TITLES)
def test_without_figures_there_is_no_table(name: str) -> None:
    assert topic(NOTHING, name).reason == "so it is"
    found = detail(NOTHING, name)
    assert found.rows == ()
    assert found.figures == ""
    assert found.columns


def test_what_differs_is_marked_and_what_is_small_is_a_dash_with_its_reason() -> None:
    apart = SliceVerdict(shown=True, adjusted=0.001, differs=True)
    few = SliceVerdict(shown=False, adjusted=None, differs=False, reason="too few")
    slices = (
        Slice("bad", 20, -2.0, -2.4, -1.6, apart, 12, 0.25, apart),
        Slice(None, 3, None, None, None, few, 1, None, few),
    )
    found = detail(replace(NOTHING, slices=Sliced(sentence="", slices=slices)), "slices")
    bad, small = (cells for _, cells in found.rows)
    assert (bad[2].words, bad[2].role, bad[2].below) == ("≠ −2.00", "alert", "−2.40 – −1.60")
    assert bad[4].words == "≠ 25 %"
    assert (small[0].words, small[2].words, small[2].tip) == ("none", DASH, "too few")
    assert small[4].tip == "too few"
    assert found.opens


def test_rows_lead_to_the_responses_behind_them() -> None:
    repeats = Repeated("judge", flip_rate([[1.0, 2.0], [3.0, 3.0]]), None, keys=(7,))
    consistency = SelfConsistency(sentence="", judges=(repeats,))
    assert detail(replace(NOTHING, consistency=consistency), "consistency").responses == {
        0: ((7,), "judge differs from itself")
    }
    change = RunChange(sentence="", before="r1", moved=(3, 1), flipped=(3,))
    passing = PassChange(sentence="", verdicts=mcnemar(9, lost=1, gained=2), flipped=(3, 4, 5))
    found = detail(replace(NOTHING, change=change, pass_change=passing), "change")
    assert found.opens
    assert found.responses["paired"] == ((3, 1), "Score changed since r1")
    assert found.responses["whole"] == ((3, 4, 5), "Other verdict since r1")
    assert "judge" not in found.responses
    assert [cells[0].words for _, cells in found.rows] == ["verdict, all metrics"]


def test_a_golden_set_shows_the_judges_hits() -> None:
    block = GoldenBlock(
        name="tag:gold",
        counts=GoldenSet(fails=15, caught=9, passes=85, kept=82),
        corrected=Correction(mean=0.8, low=0.7, high=0.9, method="rogan_gladen", because="so"),
    )
    found = detail(replace(NOTHING, golden=FromGolden(sentence="", golden=block)), "golden")
    assert [[cell.words for cell in cells] for _, cells in found.rows] == [
        ["catches fails", "15", "9", "60 %"],
        ["keeps passes", "85", "82", "96 %"],
    ]
    assert (found.figures, found.note) == ("80 % pass", "So.")


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.0004, "< 0.001"), (0.001, "0.001"), (0.2, "0.200"), (None, DASH)],
)
def test_only_a_tiny_p_is_told_as_a_bound(p: float | None, words: str) -> None:
    paired = Shift(9, 0.5, 0.4, 0.1, 0.25, 0.75, p)
    found = detail(replace(NOTHING, change=RunChange(sentence="", paired=paired)), "change")
    (row,) = (cells for _, cells in found.rows)
    assert [cell.words for cell in row] == ["all shared cases", "9", "+0.50", words]
    assert (row[2].below, row[2].tip) == ("0.25 – 0.75", "95 % 0.25 – 0.75")


@pytest.mark.parametrize(
    ("change", "words"), [(0.004, "0.00"), (-0.004, "0.00"), (0.005001, "+0.01"), (-0.5, "−0.50")]
)
def test_no_difference_has_no_sign(change: float, words: str) -> None:
    paired = Shift(9, change, 0.4, 0.1, None, None, None)
    found = detail(replace(NOTHING, change=RunChange(sentence="", paired=paired)), "change")
    assert found.rows[0][1][2].words == words


def test_verdicts_that_changed_are_counted_by_which_way() -> None:
    verdicts = mcnemar(9, lost=1, gained=3)
    change = RunChange(sentence="", verdicts=verdicts)
    passing = PassChange(sentence="", verdicts=verdicts)
    found = detail(replace(NOTHING, change=change, pass_change=passing), "change")
    assert [cells[0].tip for _, cells in found.rows] == ["3 gained, 1 lost."] * 2
    assert [cells[1].words for _, cells in found.rows] == ["9"] * 2


def test_failed_and_caught_have_their_counts_or_one_reason() -> None:
    plain = SliceVerdict(shown=True, adjusted=0.5, differs=False)
    slices = (Slice("bad", 20, -2.0, -2.4, -1.6, plain, 1200, 0.25, plain),)
    for why, words in ((None, ("1,200", "25 %")), ("no pass mark", (DASH, "25 %"))):
        told = Sliced(sentence="", slices=slices, catch_reason=why)
        (row,) = (cells for _, cells in detail(replace(NOTHING, slices=told), "slices").rows)
        assert (row[3].words, row[4].words) == words
        assert row[3].tip == (why or "")
