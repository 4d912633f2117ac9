"""How runs, steps and cases of the trend are written."""

from dataclasses import replace
from typing import Any

import pytest

from reviewer.gui.kit.grid import Cell
from reviewer.gui.runs import trend_rows
from reviewer.gui.runs.trend_rows import COST, P95, PASSING
from reviewer.services.figures.likeness import Difference
from reviewer.services.monitoring.distributions import MetricShares
from reviewer.services.monitoring.run_columns import Stability, UnstableCase
from reviewer.services.monitoring.trending import RunPoint, Step, Trend
from reviewer.stats.clustering import NO_QUANTITY, Quantity
from reviewer.stats.regression import Change
from tests.building import RUBRIC

RUN = RunPoint(
    name="v2", when="2026-11-02", n=1200, passing=Quantity(0.5, 1200, 0.375, 0.625),
    averages={"accuracy": Quantity(3.5, 40)}, p95=Quantity(1250.0, 1200),
    cost=Quantity(0.002, 1200),
    against="v1", shared=30, steps={},
)  # fmt: skip
UNSTABLE = UnstableCase("hours", 3, 1.25, 2.0, 4.5, "pf-", (1, 2, 3))


def trend(run: RunPoint = RUN, **more: Any) -> Trend:
    return Trend(rubric=RUBRIC, runs=(run,), stability=Stability("overall"), limit=0.2, **more)


def row(run: RunPoint, **more: Any) -> tuple[Cell, ...]:
    return trend_rows.cells(run, "accuracy", trend(run, **more))


def test_a_run_says_what_it_is_held_against_and_on_how_much() -> None:
    found = row(RUN)
    assert [cell.words for cell in found] == ["v2", "50.0 %", "3.50", "1,250 ms", "$0.0020"]
    assert found[0].below == "2026-11-02 · n 1,200 · 30 shared"
    assert found[0].tip == "v2\nAgainst v1."
    first = row(replace(RUN, against=None, when=None))[0]
    assert (first.below, first.tip) == ("n 1,200", "v2")


def test_a_step_of_the_pass_rate_is_in_points_and_one_of_a_score_in_steps_of_its_scale() -> None:
    step = Step(30, 0.75, 0.5, -0.25, -0.375, -0.125, "worse")
    found = row(replace(RUN, passing_step=step, steps={"accuracy": replace(step, word="")}))
    assert (found[1].words, found[1].role) == ("▼ 50.0 %", "alert")
    assert found[1].below == "worse −25 [−37.5, −12.5]"
    assert found[1].tip.startswith("v2: pass rate worse: 75.0 % → 50.0 % since v1")
    assert found[2].tip.startswith("v2: average accuracy 0.75 → 0.50 since v1")
    assert (found[2].words, found[2].role, found[2].below) == ("3.50", "", "−0.25 [−.38, −.12]")


def test_other_judges_and_missing_cases_are_marked() -> None:
    other = Step(30, 3.0, 3.5, 0.5, 0.25, 0.75, unlike="another judge: a → b")
    found = row(replace(RUN, steps={"accuracy": other}))[2]
    assert (found.words, found.role, found.below) == ("3.50", "", "another judge +0.5")
    assert found.tip.endswith("It cannot be compared: another judge: a → b.")
    none = Step(0, None, None, reason="no case is in both runs")
    assert row(replace(RUN, steps={"accuracy": none}))[2].below == "no shared case"


def test_what_a_run_does_not_have_is_a_dash_with_its_reason() -> None:
    bare = replace(RUN, passing=NO_QUANTITY, averages={}, p95=NO_QUANTITY, cost=NO_QUANTITY)
    found = row(bare, no_verdict="The rubric has no pass rule.")
    assert [cell.words for cell in found[1:]] == ["—"] * 4
    assert [cell.tip for cell in found[1:]] == [
        "The rubric has no pass rule.",
        "No evaluation of the run has it.",
        "No response of the run carries it.",
        "No response of the run carries it.",
    ]


@pytest.mark.parametrize(
    ("before", "words", "below"),
    [(1000.0, "▼ 1,250 ms", "worse +25 %"), (1100.0, "1,250 ms", "+14 %")],
)
def test_latency_is_worse_beyond_the_limit(before: float, words: str, below: str) -> None:
    gone = 1250.0 - before
    change = Change(before, 1250.0, 30, True, "bootstrap", gone, gone - 10, gone + 10, sign=1)
    cell = row(replace(RUN, p95_step=change))[3]
    assert (cell.words, cell.below) == (words, below)


def test_the_chart_has_shares_in_percent() -> None:
    (judge,) = trend_rows.series(trend(), PASSING)
    (dot,) = judge.dots
    assert (judge.name, judge.role) == ("judge", "auto")
    assert (dot.value, dot.low, dot.high) == (50.0, 37.5, 62.5)
    assert dot.words == "v2\nPass rate by the judge 50.0 %\n95 % 37.5 % to 62.5 %\nn = 1,200"
    others = [trend_rows.series(trend(), x) for x in ("accuracy", P95, COST)]
    assert [one.dots[0].value for (one,) in others] == [3.5, 1250.0, 0.002]


def test_the_pass_rate_is_told_by_everybody_who_says_one() -> None:
    told = replace(RUN, people=Quantity(0.25, 40), corrected=Quantity(0.375, 40, 0.25, 0.5))
    found = trend_rows.series(trend(told), PASSING)
    assert [(x.name, x.role, x.dots[0].value) for x in found] == [
        ("judge", "auto", 50.0), ("people", "human", 25.0), ("corrected", "adjusted", 37.5),
    ]  # fmt: skip
    assert (
        found[2].dots[0].words == "v2\nPass rate, corrected 37.5 %\n95 % 25.0 % to 50.0 %\nn = 40"
    )


def test_what_changed_since_the_run_before_is_a_mark() -> None:
    other = Difference("judge", "another judge: a → b")
    found = Trend(
        rubric=RUBRIC, runs=(RUN, replace(RUN, name="v3", changed=(other, other))),
        stability=Stability("overall"), limit=0.2,
    )  # fmt: skip
    (mark,) = trend_rows.marks(found)
    assert (mark.place, mark.name) == (1, "judge")
    assert mark.words.startswith("v3\nanother judge: a → b")


def test_levels_have_their_titles_and_the_newest_runs_stand_on_top() -> None:
    metric = next(x for x in RUBRIC.metrics if x.levels)
    levels = tuple(float(x.value) for x in sorted(metric.levels, key=lambda x: float(x.value)))
    counts = ((1,) * len(levels), (2,) * len(levels), (3,) * len(levels))
    runs = tuple(replace(RUN, name=f"agent v{k}") for k in range(3))
    found = replace(trend(), runs=runs, shares=(MetricShares(metric, levels, counts),))
    (panel,) = trend_rows.panels(found, 2)
    assert [(x.name, x.short, x.counts[0]) for x in panel.rows] == [
        ("agent v2", "…v2", 3), ("agent v1", "…v1", 2),
    ]  # fmt: skip
    assert (panel.levels[0], panel.levels[-1]) == ("1 Failed", "5 Excellent")


def test_a_case_stands_out_where_its_verdict_changes() -> None:
    found = trend_rows.case_cells(UNSTABLE)
    assert [cell.words for cell in found] == ["hours", "1.25", "2 to 4.5", "✓✕–"]
    assert found[3].role == "alert"
    assert trend_rows.case_cells(replace(UNSTABLE, verdicts="pp-"))[3].role == "muted"


def test_of_many_verdicts_the_newest_are_shown() -> None:
    many = replace(UNSTABLE, verdicts="f" * 9 + "p" * 12)
    assert trend_rows.case_cells(many)[3].words == "…" + "✓" * 12
    fitting = replace(UNSTABLE, verdicts="f" * 3 + "p" * 9)
    assert trend_rows.case_cells(fitting)[3].words == "✕" * 3 + "✓" * 9


@pytest.mark.parametrize(
    ("value", "words"), [(-0.5, "−0.50"), (-0.001, "0.00"), (1234.5, "1,234.50")]
)
def test_a_mean_has_a_true_minus(value: float, words: str) -> None:
    assert trend_rows.written(value, "accuracy") == words
