"""Running tallies equal a full recompute after any sequence of changes."""

import math
from dataclasses import fields, replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reviewer.stats.agreement import agreement
from reviewer.stats.auto_sums import AutoSums
from reviewer.stats.deviations import PUBLISHED, RECOMMENDED, DeviationOptions, Deviations
from reviewer.stats.figures import Figures, Pair, metric_figures, overall_figures
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.moments import moments
from reviewer.stats.pairs import Evidence, array_evidence
from reviewer.stats.satisfaction import Overall, OverallRule, Part, overall
from reviewer.stats.tally import GapWindow, PairTally, SatisfactionTally
from reviewer.stats.values import Scale, combine_labels, majority
from reviewer.stats.window import window

AS_OF = date(2026, 8, 31)
SPAN = window(AS_OF)
SCALE = Scale((1, 2, 3, 4, 5))
OPTIONS = (
    replace(PUBLISHED, min_records=2),
    replace(RECOMMENDED, min_records=2),
    replace(RECOMMENDED, min_records=2, top_which="recent"),
    replace(RECOMMENDED, min_records=2, exclude_mixed=False),
)
KEYS = st.integers(0, 40)
DAYS = st.none() | st.integers(-30, 300).map(lambda days: AS_OF - timedelta(days=days))
LABELS = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=3)
AUTOS = st.integers(1, 5).map(float) | st.sampled_from([2.5, 10 / 3, 4.25, 1.1])


def same(found: Any, expected: Any) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return all(map(same, found, expected))
    if isinstance(found, Figures | Deviations):
        return all(
            same(getattr(found, one.name), getattr(expected, one.name)) for one in fields(found)
        )
    return bool(found == expected)


class PairsWhileLabelling(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.tally = PairTally(SCALE, SPAN)
        self.span = SPAN
        self.pairs: dict[int | str, Pair] = {}
        self.autos: list[float] = []

    @rule(key=KEYS, auto=AUTOS, labels=LABELS, day=DAYS)
    def label(self, key: int, auto: float, labels: list[float], day: date | None) -> None:
        human = combine_labels(labels, "mean")
        assert human is not None
        self.pairs[key] = Pair(auto, human, majority(labels), day)
        self.tally.put(key, self.pairs[key])

    @rule(key=KEYS)
    def withdraw(self, key: int) -> None:
        self.pairs.pop(key, None)
        self.tally.put(key, None)

    @rule(key=KEYS, auto=AUTOS, labels=LABELS)
    def label_and_undo(self, key: int, auto: float, labels: list[float]) -> None:
        before = state(self.tally)
        was = self.tally.get(key)
        self.tally.put(key, Pair(auto, sum(labels) / len(labels), majority(labels), AS_OF))
        self.tally.put(key, was)
        assert state(self.tally) == before

    @rule(value=AUTOS)
    def score(self, value: float) -> None:
        self.autos.append(value)
        self.tally.autos.add(value)

    @precondition(lambda self: self.autos)
    @rule(place=st.integers(0, 10**6))
    def unscore(self, place: int) -> None:
        self.tally.autos.remove(self.autos.pop(place % len(self.autos)))

    @rule(days=st.integers(-40, 320), months=st.none() | st.integers(0, 8))
    def another_day(self, days: int, months: int | None) -> None:
        self.span = window(AS_OF - timedelta(days=days), months=months)
        self.tally.move(self.span)

    def evidence(self) -> Evidence:
        pairs = self.pairs.values()
        chosen = [math.nan if pair.majority is None else pair.majority for pair in pairs]
        return array_evidence(
            np.array([pair.auto for pair in pairs], dtype=np.float64),
            np.array([pair.human for pair in pairs], dtype=np.float64),
            SCALE,
            np.array(chosen, dtype=np.float64),
        )

    @invariant()
    def equals_a_full_recompute(self) -> None:
        for options in OPTIONS:
            found = self.tally.figures(options)
            expected = metric_figures(self.autos, self.pairs, self.evidence(), self.span, options)
            assert same(found, expected), (found, expected)

    @invariant()
    def agreement_equals_a_full_recompute(self) -> None:
        found, expected = agreement(self.tally.evidence()), agreement(self.evidence())
        for one in fields(found):
            assert same(getattr(found, one.name), getattr(expected, one.name)), one.name
        kept = self.tally.moments()
        whole = moments(
            [pair.auto for pair in self.pairs.values()],
            [pair.human for pair in self.pairs.values()],
        )
        for field_of in fields(kept):
            assert same(float(getattr(kept, field_of.name)), float(getattr(whole, field_of.name)))


def state(tally: PairTally) -> Any:
    return (
        dict(tally._pairs),
        dict(tally._counts),
        list(tally._sums),
        list(tally._table),
        (tally._off_grid, tally.n_no_majority, tally.n_rounded),
        (tally.window.human, tally.window.inside.total, list(tally.gaps())),
        {day: set(keys) for day, keys in tally.window._by_day.items()},
    )


PARTS = OverallRule(
    parts=(
        Part(name="A", low=1, high=5, weight=2),
        Part(name="B", low=1, high=5),
        Part(name="C", low=1, high=5, weight=0),
    )
)
SCORES = st.fixed_dictionaries({}, optional=dict.fromkeys("ABC", AUTOS))


class OverallWhileLabelling(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.tally = SatisfactionTally(SPAN)
        self.span = SPAN
        self.all: dict[int | str, tuple[Overall, date | None]] = {}

    @rule(key=KEYS, auto=SCORES, human=SCORES, day=DAYS)
    def label(
        self, key: int, auto: dict[str, float], human: dict[str, float], day: date | None
    ) -> None:
        found = overall(auto, human, PARTS)
        self.all[key] = (found, day)
        self.tally.put(key, found, day)
        assert self.tally.get(key) == found

    @rule(key=KEYS)
    def remove(self, key: int) -> None:
        self.all.pop(key, None)
        self.tally.put(key, None)
        assert self.tally.get(key) is None

    @rule(days=st.integers(-40, 320))
    def another_day(self, days: int) -> None:
        self.span = window(AS_OF - timedelta(days=days))
        self.tally.move(self.span)

    @invariant()
    def equals_a_full_recompute(self) -> None:
        for options in OPTIONS:
            found = self.tally.figures(options)
            expected = overall_figures(self.all, self.span, options)
            assert same(found, expected), (found, expected)
        assert self.tally.overalls() == self.all


PairsWhileLabelling.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
OverallWhileLabelling.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
TestPairsWhileLabelling = PairsWhileLabelling.TestCase
TestOverallWhileLabelling = OverallWhileLabelling.TestCase


def test_a_whole_project_is_loaded_at_once() -> None:
    tally = PairTally(SCALE, SPAN)
    tally.load(
        (key, Pair(3.0, float(1 + key % 5), float(1 + key % 5), AS_OF)) for key in range(100)
    )
    assert len(tally) == 100
    assert tally.figures(RECOMMENDED).deviations.gap_mean == 0
    assert list(tally.gaps()) == [(-2, 20), (-1, 20), (0, 20), (1, 20), (2, 20)]


def test_a_range_without_levels_has_means_but_no_table() -> None:
    tally = PairTally(None, SPAN)
    tally.load((key, Pair(0.1 * key, 0.11 * key, None, AS_OF)) for key in range(20))
    found = tally.figures(PUBLISHED)
    assert found.kappa_quadratic is None
    assert found.undefined["kappa_quadratic"] == "the scale has no levels"
    assert found.deviations.n_labelled == 20
    figures = agreement(tally.evidence(), IntervalPolicy())
    assert figures.pearson == pytest.approx(1)
    assert "icc" in figures.intervals


def test_every_missing_figure_has_its_reason() -> None:
    found = PairTally(SCALE, SPAN).figures()
    assert found.undefined == {
        "auto_mean": "no auto score in scope",
        "adjusted_mean": "no auto score in scope",
        "human_mean": "no evaluation inside the window has both scores",
        "gap_mean": "no evaluation inside the window has both scores",
        "upper_deviation": "too few labelled evaluations on this side",
        "lower_deviation": "too few labelled evaluations on this side",
        "kappa_quadratic": "no overlap: no evaluation has both",
    }


def test_known_sums_of_scores_are_taken_as_they_are() -> None:
    sums, one_by_one = AutoSums(), AutoSums()
    sums.add_many(3, 7.5, 20.25)
    for value in (1.0, 2.5, 4.0):
        one_by_one.add(value)
    assert sums.mean() == 2.5
    assert sums.sums() == (3, 7.5, 20.25)
    assert one_by_one.sums() == (3, 7.5, 23.25)
    assert AutoSums().mean() is None


def test_days_without_change_leave_the_window_alone() -> None:
    gaps = GapWindow(SPAN)
    gaps.put("a", AS_OF, 1.0, 4.0)
    gaps.put("b", None, -1.0, 3.0)
    gaps.move(window(AS_OF + timedelta(days=400)))
    assert (gaps.inside.n, gaps.human_mean()) == (1, 3.0)
    gaps.drop("missing")
    gaps.move(SPAN)
    assert gaps.deviations(PUBLISHED).gap_mean == 0


def test_adjusted_mean_is_the_mean_of_all_scores_plus_the_band() -> None:
    tally = PairTally(SCALE, SPAN)
    for key in range(500):
        tally.autos.add(3.0)
        if key < 100:
            human = 4.0 if key < 30 else 2.5 if key < 60 else 3.0
            tally.put(key, Pair(3.0, human, human, AS_OF))
    options: DeviationOptions = RECOMMENDED
    found = tally.figures(options)
    assert found.n_auto == 500
    assert found.adjusted_mean == pytest.approx(3.15)
