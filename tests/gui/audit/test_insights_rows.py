"""The tables behind what the numbers say: what differs, what is missing, what drifts."""

from dataclasses import replace
from datetime import date

import pytest

from reviewer.gui.audit.insights_cells import TIED
from reviewer.gui.audit.insights_rows import TITLES, detail, topic
from reviewer.gui.audit.words import DASH
from reviewer.services.insights_values import (
    Calibrated,
    Consented,
    Drifted,
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
    WithConsensus,
)
from reviewer.services.statistics_blocks import Correction, GoldenBlock
from reviewer.stats.calibration import calibration_of_sums, conformal
from reviewer.stats.consistency import flip_rate
from reviewer.stats.drift import mcnemar
from reviewer.stats.golden_set import GoldenSet
from reviewer.stats.planning import LabelPlan
from reviewer.stats.slices import SliceVerdict

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


def test_an_alarm_has_its_day_and_its_size() -> None:
    people = (
        Drifted("cid", 40, -0.7, "lower", date(2026, 11, 3), 31, -1.25, 2),
        Drifted("dan", 40, 0.2, "higher", None, 5, 0.5, 1),
        Drifted("ann", 40, 0.1),
    )
    found = detail(replace(NOTHING, drift=LabelerDrift(sentence="", people=people)), "drift")
    rows = [[cell.words for cell in cells] for _, cells in found.rows]
    assert rows == [
        ["cid", "40", "−0.70", "2026-11-03", "−1.25"],
        ["dan", "40", "+0.20", "label 5", "+0.50"],
        ["ann", "40", "+0.10", DASH, DASH],
    ]
    assert found.figures == "2 of 3 moved"


def test_ranges_end_with_the_scale() -> None:
    table = calibration_of_sums({1.0: (30, 45), 5.0: (30, 120)})
    ranges = tuple(conformal({2.0: 60}, level) for level in (0.9, 0.95))
    told = Calibrated(sentence="", table=table, ranges=ranges, on_levels=True)
    found = detail(replace(NOTHING, calibration=told), "calibration")
    assert [cells[4].words for _, cells in found.rows] == ["1.00 – 3.00", "3.00 – 5.00"]
    assert found.note.startswith("90 % within ±2.00 · 95 % within ±2.00")
    assert found.opens


def test_plans_stand_beside_what_is_out_of_reach() -> None:
    far = LabelPlan(None, None, None, 0.1, 0.8, "too wide")
    near = LabelPlan(116, 15, 123, 0.1, 0.8)
    plans = LabelsNeeded(sentence="", plan=far, only_these=near, n=101, half_width=0.29)
    found = detail(replace(NOTHING, labels=plans), "labels")
    rows = [[cell.words for cell in cells] for _, cells in found.rows]
    assert rows == [
        ["mean", "101", "0.29", "0.10", DASH, DASH],
        ["mean", "101", DASH, "0.10", "116", "123"],
    ]
    assert found.rows[0][1][4].tip == "too wide"
    assert found.figures == "±0.29 · n = 101"


def test_weighing_stands_beside_the_majority() -> None:
    people = (WithConsensus("ann", 30, 0.9, 0.95, 0.93), WithConsensus("bob", 30, 0.6, 0.5, 0.55))
    told = Consented(sentence="", people=people, shared=30, n_changed=2)
    found = detail(replace(NOTHING, consensus=told), "consensus")
    assert [[cell.words for cell in cells][2:] for _, cells in found.rows] == [
        ["90 %", "95 %"], ["60 %", "50 %"]
    ]  # fmt: skip
    assert found.note == "Weighing people changes the consensus on 2 evaluations."


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
    people = (WithConsensus("ann", 9, 0.5, keys=(2, 4)), WithConsensus("bob", 9, 1.0))
    consented = Consented(sentence="", people=people, shared=9, n_tied=1, tied=(8,))
    found = detail(replace(NOTHING, consensus=consented), "consensus")
    assert found.responses == {
        "ann": ((2, 4), "ann differs from the majority"),
        TIED: ((8,), "Without a majority"),
    }
    drifted = Drifted("ann", 30, -0.5, "lower", date(2026, 8, 3), 12, -0.8, 1, keys=(5, 6))
    found = detail(replace(NOTHING, drift=LabelerDrift(sentence="", people=(drifted,))), "drift")
    assert found.responses == {"ann": ((5, 6), "ann since 2026-08-03")}


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
