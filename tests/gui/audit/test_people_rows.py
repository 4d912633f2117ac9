"""The tables of people and plan: what differs, what is missing, what drifts."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from reviewer.domain.wording import DASH
from reviewer.gui.audit import people_rows, people_section, plan_rows
from reviewer.services.audits.anchoring import Anchoring, Compared, Reconsidered
from reviewer.services.audits.budget import Budget, KappaBudget, MeanBudget
from reviewer.services.audits.gold import Gold, Hits
from reviewer.services.audits.people import Ceiling, OwnRepeats, PeopleFigures, WithRest
from reviewer.services.audits.plan import Planned
from reviewer.services.findings.insights_values import (
    Consented,
    Drifted,
    LabelerDrift,
    LabelsNeeded,
    WithConsensus,
)
from reviewer.stats.ceiling import Reach
from reviewer.stats.contrast import Contrast
from reviewer.stats.intervals import Interval
from reviewer.stats.planning import LabelPlan

NOBODY = np.zeros(0, dtype=np.int64)


def figures(**changed: Any) -> PeopleFigures:
    names = ("ann", "bob", "cid", "dan")
    fields: dict[str, Any] = {
        "metric": "accuracy",
        "level": 0.95,
        "labelled": {name: np.arange(40) for name in names},
        "ceiling": Ceiling(sentence="So.", reason="so", keys=NOBODY),
        "rest": (),
        "anchoring": Anchoring(sentence="So.", reason="so", blind_keys=NOBODY, seen_keys=NOBODY),
        "consensus": Consented(sentence="So.", reason="so"),
        "drift": LabelerDrift(sentence="So.", reason="so"),
        "gold": Gold(sentence="So.", reason="so", overall={}),
    }
    return PeopleFigures(**(fields | changed))


def words(found: PeopleFigures) -> list[list[str]]:
    return [[cell.words for cell in cells] for _, cells in people_rows.labelers(found)]


def test_an_alarm_has_its_day_and_its_size() -> None:
    people = (
        Drifted("cid", 40, -0.7, "lower", date(2026, 11, 3), 31, -1.25, 2, keys=(5, 6)),
        Drifted("dan", 40, 0.2, "higher", None, 5, 0.5, 1, keys=(7,)),
        Drifted("ann", 40, 0.1),
    )
    found = figures(drift=LabelerDrift(sentence="So.", people=people))
    moved = [cells[8] for _, cells in people_rows.labelers(found)]
    assert [(one.words, one.below) for one in moved] == [
        (DASH, ""), (DASH, ""), ("−1.25", "2026-11-03"), ("+0.50", "label 5")
    ]  # fmt: skip
    assert moved[1].tip == "Nobody else labelled these."
    figure = people_section.labeler(found, "cid", people_section.MOVED_COLUMN)
    assert figure is not None
    assert figure.heading == "cid since 2026-11-03"
    assert figure.keys is not None
    assert tuple(figure.keys()) == (5, 6)
    assert "(n = 2 of 40;" in figure.sentence
    assert figure.steps is not None
    assert figure.steps()[0].formula == "−2.5 / 2 = −1.25"


def test_weighing_stands_beside_the_majority() -> None:
    people = (
        WithConsensus("ann", 30, 0.9, 0.95, 0.93, keys=(2, 4), compared=(2, 4, 6)),
        WithConsensus("bob", 30, 0.6, 0.5, 0.55),
    )
    told = Consented(sentence="So.", people=people, shared=30, n_tied=1, n_changed=2, tied=(8,))
    found = figures(consensus=told)
    assert [row[3:5] for row in words(found)] == [
        ["90 %", "95 %"], ["60 %", "50 %"], [DASH, DASH], [DASH, DASH], ["", ""]
    ]  # fmt: skip
    figure = people_section.labeler(found, "ann", people_section.MAJORITY_COLUMN)
    assert figure is not None
    assert figure.heading == "ann beside the majority"
    assert figure.keys is not None
    assert tuple(figure.keys()) == (2, 4, 6)
    assert people_section.labeler(found, "nobody", 0) is None


def test_nothing_at_all_is_dashes_with_reasons() -> None:
    rows = people_rows.labelers(figures())
    assert [cell.words for cell in rows[0][1]][2:] == [DASH] * 7
    assert all(cell.tip for cell in rows[0][1][2:])


def test_plans_out_of_reach_are_dashes_with_their_reason() -> None:
    far = LabelPlan(None, None, None, 0.1, 0.8, "too wide")
    near = LabelPlan(116, 15, 123, 0.1, 0.8)
    needed = LabelsNeeded(sentence="So.", plan=far, only_these=near, n=101, half_width=0.29)
    kappa = KappaBudget("kappa_quadratic", 101, 0.7, 0.05, 0.1, 0)
    one = Budget("accuracy", "Accuracy", 500, MeanBudget(needed, None), kappa, "So.")
    cells = plan_rows.budget_cells(one)
    assert [cell.words for cell in cells] == [
        "Accuracy", "101", "0.29", DASH, DASH, "0.05", "enough"
    ]  # fmt: skip
    assert cells[3].tip == "too wide"
    counted = Planned(np.arange(101), np.arange(101.0) % 5, np.arange(101.0) % 4, 500)
    steps = plan_rows.budget_steps(one, counted, 0.95)
    assert steps[2].title.startswith("For exactly these")
    assert "116 labels" in steps[2].text


def test_what_sight_moves_is_told_in_points_of_shares_and_in_steps_of_means() -> None:
    agreement = Compared(
        overall=Contrast(0.4, 0.65, 20, 20, 0.25, -0.05, 0.55, 0.1),
        within=Contrast(0.4, 0.3, 5, 5, -0.1, reason="too few"),
    )
    gap = Compared(overall=Contrast(0.5, 0.125, 20, 20, -0.375, -0.75, 0.0, 0.05))
    found = Anchoring(
        sentence="So.", blind=1200, seen=20, people=1,
        agreement=agreement, gap=gap, blind_keys=NOBODY, seen_keys=NOBODY,
    )  # fmt: skip
    rows = [cells for _, cells in people_rows.sight(found)]
    assert [[cell.words for cell in row] for row in rows] == [
        ["labels", "1,200", "20", "", "1 person"],
        ["like the judge's", "40 %", "65 %", "+25 points", "−10 points"],
        ["mean gap", "0.50", "0.12", "−0.38", DASH],
    ]
    assert (rows[1][3].below, rows[1][3].tip) == ("−5 – +55", "95 % −5 – +55")
    assert (rows[1][4].below, rows[1][4].tip) == ("", "too few")
    assert rows[2][3].below == "−0.75 – 0.00"


def test_answers_that_moved_say_how_far_and_which_way() -> None:
    found = Reconsidered(
        sentence="So.", n=1500, changed=30, towards=20, away=10,
        mean=0.5, low=0.25, high=0.75, keys=NOBODY,
    )  # fmt: skip
    ((_, row),) = people_rows.changed(found)
    assert [cell.words for cell in row] == ["given unseen", "1,500", "2 %", "20", "10", "+0.50"]
    assert (row[2].below, row[5].below) == ("30 of 1,500", "0.25 – 0.75")
    never = Reconsidered(sentence="So.", n=3, reason="nobody changed", keys=NOBODY)
    ((_, row),) = people_rows.changed(never)
    assert [cell.words for cell in row] == ["given unseen", "3", "0 %", "0", "0", DASH]
    assert row[5].tip == "nobody changed"
    assert people_rows.changed(Reconsidered(sentence="So.", keys=NOBODY)) == []


def reach(name: Any, people: float | None, judge: float | None = None, **more: Any) -> Reach:
    intervals = {
        "people": Interval(0.5, 1.0, "wilson"),
        "judge": Interval(-0.25, 0.5, "bootstrap"),
    }
    fields: dict[str, Any] = {"share": None, "intervals": intervals, "undefined": {}} | more
    return Reach(name, 30, 60, people, judge, **fields)


def test_each_person_is_told_beside_others_gold_and_their_own_answers() -> None:
    repeats = (
        OwnRepeats("ann", (reach("percent", 0.75),)),
        OwnRepeats("bob", (reach("percent", None), reach("kappa_quadratic", 0.5))),
        OwnRepeats("cid", (reach("percent", None),)),
    )
    gold = Gold(
        sentence="So.", reason=None, overall={},
        people=(
            Hits("ann", 8, 6, 0.75, Interval(0.4, 0.9, "wilson"), NOBODY),
            Hits("bob", 2, 1, 0.5, None, NOBODY),
        ),
    )  # fmt: skip
    others = (WithRest("ann", (reach("kappa_quadratic", None, 0.25),), NOBODY),)
    found = figures(
        ceiling=Ceiling(sentence="So.", reason="so", keys=NOBODY, repeats=repeats),
        gold=gold,
        rest=others,
    )
    rows = [cells for _, cells in people_rows.labelers(found)]
    assert [(row[2].words, row[2].below) for row in rows[:2]] == [
        ("0.25", "−0.25 – 0.50"), (DASH, ""),
    ]  # fmt: skip
    assert [(row[5].words, row[5].below) for row in rows] == [
        ("75 %", "n = 30"), ("0.50", "n = 30"), (DASH, ""), (DASH, ""),
    ]  # fmt: skip
    assert rows[0][5].tip == "n = 30; 95 % 50 – 100 %"
    assert [(row[6].words, row[6].below) for row in rows] == [
        ("75 %", "6 / 8"), ("50 %", "1 / 2"), (DASH, ""), (DASH, ""),
    ]  # fmt: skip
    assert rows[0][6].tip == "n = 8; 95 % 40 – 90 %"


def test_what_people_reach_stands_beside_what_the_judge_does() -> None:
    share = {"share": 0.8, "intervals": {"share": Interval(0.5, 1.125, "bootstrap")}}
    none = {"undefined": {"share": "people never differ"}}
    found = Ceiling(
        sentence="So.", keys=NOBODY,
        figures=(
            reach("kappa_quadratic", 0.5, 0.375, **share),
            reach("percent", 0.75, 0.5, **none),
            replace(reach("kappa", 0.5, 0.5), n=0),
        ),
    )  # fmt: skip
    rows = [cells for _, cells in people_rows.reached(found)]
    assert [[cell.words for cell in row] for row in rows] == [
        ["quadratic κ", "30", "0.50", "0.38", "80 %"],
        ["same answer", "30", "75 %", "50 %", DASH],
    ]
    assert rows[0][4].below == "50 – 112 %"
    assert rows[1][2].below == "50 – 100 %"
    assert rows[1][4].tip == "people never differ"
