"""How judges on a run are written: their rows, what is known of them, and their figures."""

from dataclasses import replace
from typing import Any

import pytest

from reviewer.gui.runs import judges_card as words
from reviewer.services.aligning.leaderboard import JudgeRow, Leaderboard
from reviewer.services.aligning.standing import Standing, Usage
from reviewer.stats.calibration import FlipRate
from reviewer.stats.ceiling import Reach
from reviewer.stats.intervals import Interval
from reviewer.store.splits import Look

DEV = Standing(n=60, value=0.75, interval=Interval(0.5, 0.875, "wilson"), bias=-0.25)
SEEN = Standing(
    n=40, value=0.5, interval=Interval(0.25, 0.75, "wilson"), word="moderate",
    bias=0.5, bias_interval=Interval(0.25, 0.75, "t"),
)  # fmt: skip
USAGE = Usage(
    calls=1200, cost_usd=0.5, per_1000=0.4, latency_ms=210.0, latency_p95=900.0,
    flips=FlipRate(0.125, 24, 48), spread=None,
)  # fmt: skip
ROW = JudgeRow(
    key=1, name="judge@2", scorer="judge", version="2", model="m-1", kind="judge", prompt=3,
    running=False, usage=USAGE, dev=DEV, held_out=None, held_out_n=40,
)  # fmt: skip
PEOPLE = Reach("percent", 30, 60, 0.9, None, None, {"people": Interval(0.75, 1.0, "wilson")}, {})


def board(row: JudgeRow = ROW, **more: Any) -> Leaderboard:
    return Leaderboard(
        run="agent v7", metric="accuracy", title="Accuracy", statistic="percent", level=0.95,
        seed=0, labelled=100, held_out_labelled=40, people=PEOPLE, rows=(row,), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0.0, "free"), (0.0004, "$0.0004"), (0.01, "$0.01"), (12.0, "$12.00")],
)
def test_little_money_is_not_rounded_to_nothing(amount: float, said: str) -> None:
    assert words.dollars(amount) == said


def test_below_a_judge_stand_version_cost_and_flips() -> None:
    cell = words.judge_cell(replace(ROW, running=True))
    assert (cell.words, cell.mark) == ("judge", "")
    assert cell.below.replace("\u00a0", " ") == "v2 · scoring now · $0.50 · 12 % flips"
    assert cell.tip.replace("\u00a0", " ").splitlines() == [
        "judge@2, m-1, prompt 3",
        "1,200 scores",
        "$0.50 in all, $0.40 a thousand",
        "210 ms at the median, 900 at p95",
        "contradicts itself on 12 % of repeats (24 responses)",
    ]
    assert words.judge_cell(replace(ROW, mark="best")).mark == "best"
    close = words.judge_cell(replace(ROW, mark="not told apart"))
    assert close.mark == ""
    assert close.tip.endswith("not told apart from the judge nearest to people")


def test_a_scorer_is_free_and_an_unknown_cost_is_not_told() -> None:
    unknown = replace(ROW, version=None, name="judge", usage=replace(
        USAGE, cost_usd=None, flips=FlipRate(None, 0, 0, "no repeats")))  # fmt: skip
    assert words.judge_cell(replace(unknown, kind="scorer")).below == "free"
    assert words.judge_cell(unknown).below == "judge"


def test_before_a_look_the_half_for_prompts_is_told_and_after_it_the_other() -> None:
    before = words.held_out_cell(ROW, "percent")
    assert (before.words, before.below) == ("—", "dev 75 %")
    assert before.tip.endswith("On the half for prompts 75 % (50 – 88 %), n = 60")
    after = words.held_out_cell(replace(ROW, held_out=SEEN), "percent")
    assert (after.words, after.below) == ("50 %", "25 – 75 %")
    assert after.tip == "40 held-out responses; moderate"
    coefficient = words.held_out_cell(replace(ROW, held_out=SEEN), "kappa")
    assert (coefficient.words, coefficient.below) == ("0.50", "0.25 – 0.75")


def test_too_few_labels_show_no_figure() -> None:
    few = words.held_out_cell(replace(ROW, held_out=replace(SEEN, n=3)), "percent")
    assert few.words == "—"
    assert words.bias_cell(replace(ROW, dev=replace(DEV, n=3))).words == "—"
    assert words.held_out_cell(replace(ROW, dev=replace(DEV, n=3)), "percent").below == ""


def test_a_bias_says_of_which_half_it_is() -> None:
    cell = words.bias_cell(ROW)
    assert (cell.words, cell.tip) == ("−0.25", "Human minus auto on the half for prompts, n = 60")
    cell = words.bias_cell(replace(ROW, held_out=SEEN))
    assert cell.words == "+0.50"
    assert cell.tip == "Human minus auto on the held-out half, 0.25 to 0.75, n = 40"


def test_people_among_themselves_stand_below() -> None:
    name, value, bias = words.people_cells(PEOPLE, "percent")
    assert (name.words, value.words, value.below, bias.words) == (
        "people", "90 %", "75 – 100 %", "",
    )  # fmt: skip
    nobody = replace(PEOPLE, people=None, undefined={"people": "one labeler"})
    _, value, _ = words.people_cells(nobody, "percent")
    assert (value.words, value.tip) == ("—", "One labeler")


def test_of_many_looks_the_newest_are_listed_first() -> None:
    history = tuple(
        Look(f"2026-11-{day:02}T12:00:00Z", "lea", f"judge@{day}", "accuracy", "agent v7")
        for day in range(1, 14)
    )
    lines = words.looks(board(history=history), "iso").splitlines()
    assert [line.split(": ")[1] for line in lines[:2]] == [
        "lea, judge@13, agent v7", "lea, judge@12, agent v7",
    ]  # fmt: skip
    assert len(lines) == words.LISTED + 1
    assert lines[-1] == "and 3 before"
    assert len(words.looks(board(history=history[:10]), "iso").splitlines()) == words.LISTED


def test_a_figure_says_against_whom_and_on_what() -> None:
    sentence = words.figure_of(board(), ROW).sentence
    assert "of judge v2 on Accuracy, against people on the half for making prompts of" in sentence
    assert sentence.endswith("agent v7: 75 % (95 % 50 to 88 %, n = 60).")
    seen = replace(ROW, held_out=SEEN)
    assert words.figure_of(board(seen), seen).sentence.endswith(
        "held-out half of agent v7: 50 % (95 % 25 to 75 %, n = 40, moderate)."
    )
