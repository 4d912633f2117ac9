"""Running tallies equal a full recompute after any sequence of changes."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import date, timedelta
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reviewer.stats.agreement import agreement
from reviewer.stats.coefficients import Floats
from reviewer.stats.deviations import (
    PUBLISHED,
    RECOMMENDED,
    DeviationOptions,
    Deviations,
    Window,
    deviations,
    window,
)
from reviewer.stats.figures import (
    PLAIN,
    Chance,
    Figures,
    GapWindow,
    Key,
    Pair,
    figures_of,
    in_order,
    overall_figures,
    quadratic_kappa,
)
from reviewer.stats.intervals import BY_LEVEL, Chances, IntervalPolicy, weights_of
from reviewer.stats.label_counts import Judged, label_evidence
from reviewer.stats.overall_columns import SatisfactionTally
from reviewer.stats.pairs import Evidence, Labels, places
from reviewer.stats.satisfaction import Overall, OverallRule, Part, overall
from reviewer.stats.tally import AutoSums, DrawnTally, PairTally
from reviewer.stats.values import Counting, LabelTable, Scale, SelectionRule, combine_labels

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
LABELS = st.lists(st.integers(1, 5).map(float) | st.just(2.5), min_size=1, max_size=4)
AUTOS = st.integers(1, 5).map(float) | st.sampled_from([2.5, 10 / 3, 4.25, 1.1])
CHANCES: st.SearchStrategy[Chance] = st.sampled_from(
    [PLAIN, PLAIN, (4.0, 0.0), (10.0, 0.0), (2.0, 0.5), (8.0, 0.125), (BY_LEVEL, 0.0)]
)
"""Unknown, drawn one by one, in strata of a known chance, by level."""
JUDGED = np.array([9.0, 30.0, 5.0, 60.0, 41.0])
POLICY = IntervalPolicy(resamples=40)
EACH = Counting(label_combine="mean", label_table="each", selection="drawn")


def same(found: Any, expected: Any) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return all(map(same, found, expected))
    if isinstance(found, Figures | Deviations):
        return all(
            same(getattr(found, one.name), getattr(expected, one.name)) for one in fields(found)
        )
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[x], expected[x]) for x in found)
    return bool(found == expected)


def metric_figures(
    autos: Iterable[float],
    pairs: Mapping[Key, Pair],
    evidence: Evidence,
    span: Window,
    options: DeviationOptions,
    n_pairs: int,
) -> Figures:
    """The figures from all scores, the pairs of the gaps, and the table of `n_pairs`."""
    scores = list(autos)
    ordered = sorted(pairs.items(), key=lambda item: in_order(item[1].day, item[0]))
    inside = [pair for _, pair in ordered if span.contains(pair.day)]
    return figures_of(
        (len(scores), fsum(scores) / len(scores) if scores else None),
        fsum(pair.human for pair in inside) / len(inside) if inside else None,
        deviations([pair.gap for pair in inside], options),
        agreement=(n_pairs, *quadratic_kappa(evidence)),
    )


class PairsWhileLabelling(RuleBasedStateMachine):
    label_table: LabelTable = "each"
    selection: SelectionRule = "drawn"

    def __init__(self) -> None:
        super().__init__()
        counting = Counting(
            label_combine="mean", label_table=self.label_table, selection=self.selection
        )
        self.drawn = DrawnTally()
        self.tally = PairTally(SCALE, SPAN, counting, self.drawn, JUDGED)
        self.span = SPAN
        self.pairs: dict[Key, Pair] = {}
        self.autos: list[float] = []

    def put(self, key: int, pair: Pair | None) -> None:
        """Set a pair, and count what chance drew as whoever keeps the scope does."""
        before = self.pairs.pop(key, None)
        self.drawn.n -= before is not None and is_drawn(before)
        if pair is not None:
            self.drawn.n += is_drawn(pair)
            self.pairs[key] = pair
        self.tally.put(key, pair)

    @rule(key=KEYS, auto=AUTOS, labels=LABELS, day=DAYS, chance=CHANCES)
    def label(
        self, key: int, auto: float, labels: list[float], day: date | None, chance: Chance
    ) -> None:
        self.put(key, pair_of(auto, labels, day, chance))

    @rule(key=KEYS, auto=AUTOS, labels=LABELS, chance=st.sampled_from([PLAIN, PLAIN, (5.0, 0.0)]))
    def choose(self, key: int, auto: float, labels: list[float], chance: Chance) -> None:
        """Label what somebody browsed to, or what opinions differ about."""
        self.put(key, pair_of(auto, labels, AS_OF, chance, chosen=True))

    @rule(key=KEYS)
    def withdraw(self, key: int) -> None:
        self.put(key, None)

    @rule(key=KEYS, auto=AUTOS, labels=LABELS, chosen=st.booleans(), chance=CHANCES)
    def label_and_undo(
        self, key: int, auto: float, labels: list[float], chosen: bool, chance: Chance
    ) -> None:
        before = state(self.tally)
        was = self.tally.get(key)
        self.tally.put(key, pair_of(auto, labels, AS_OF, chance, chosen=chosen))
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

    def leaves_out(self) -> bool:
        return self.selection == "drawn" and self.drawn.n > 0

    def counted(self) -> dict[Key, Pair]:
        """Give the pairs that agreement counts, from all of them."""
        return {k: x for k, x in self.pairs.items() if not (self.leaves_out() and x.chosen)}

    def evidence(self) -> Evidence:
        pairs = list(self.counted().values())
        return label_evidence(
            columns(pairs, drawn=self.drawn.n > 0), SCALE, label_table=self.label_table
        )

    @invariant()
    def equals_a_full_recompute(self) -> None:
        for options in OPTIONS:
            leaves_out = self.leaves_out() and options.band_selection == "drawn"
            gaps = self.counted() if leaves_out else self.pairs
            found = self.tally.figures(options)
            expected = metric_figures(
                self.autos, gaps, self.evidence(), self.span, options, len(self.counted())
            )
            assert same(found, expected), (found, expected)

    @invariant()
    def agreement_equals_a_full_recompute(self) -> None:
        found, expected = agreement(self.tally.evidence()), agreement(self.evidence())
        for one in fields(found):
            assert same(getattr(found, one.name), getattr(expected, one.name)), one.name
        pairs = self.counted().values()
        assert self.tally.n_table == expected.n_table
        assert self.tally.n_left_out == len(self.pairs) - len(pairs)
        table, whole_table = self.tally.table_evidence().table, self.evidence().table
        assert table == pytest.approx(whole_table, abs=1e-9)

    def teardown(self) -> None:
        """Draw intervals once, from the same cells, answers or strata in the same order."""
        found = agreement(self.tally.evidence(), POLICY)
        expected = agreement(self.evidence(), POLICY)
        assert found.intervals.keys() == expected.intervals.keys()
        for name, one in found.intervals.items():
            other = expected.intervals[name]
            assert same((one.low, one.high), (other.low, other.high)), name


class MajorityWhileLabelling(PairsWhileLabelling):
    label_table = "majority"


class EverythingWhileLabelling(PairsWhileLabelling):
    selection = "all"


def is_drawn(pair: Pair) -> bool:
    return not pair.chosen and pair.chance != PLAIN


def pair_of(
    auto: float,
    labels: list[float],
    day: date | None = AS_OF,
    chance: Chance = PLAIN,
    *,
    chosen: bool = False,
) -> Pair:
    human = combine_labels(labels, "mean")
    assert human is not None
    return Pair(auto, human, tuple(labels), day, chance, chosen)


def columns(pairs: list[Pair], *, drawn: bool) -> Judged:
    """Put pairs into columns, with weights where chance drew any and all chances are known."""
    labels = [(at, value) for at, pair in enumerate(pairs) for value in pair.labels]
    auto: Floats = np.array([pair.auto for pair in pairs], dtype=np.float64)
    weights = None
    if drawn and pairs and not any(x.chosen and x.chance == PLAIN for x in pairs):
        worth, strata = np.array([x.chance for x in pairs], dtype=np.float64).T
        weights = weights_of(Chances(worth, strata), places(auto, SCALE)[0], JUDGED)
    return Judged(
        auto,
        np.array([pair.human for pair in pairs], dtype=np.float64),
        Labels(
            np.array([at for at, _ in labels], dtype=np.int64),
            np.array([value for _, value in labels], dtype=np.float64),
        ),
        weights,
    )


def state(tally: PairTally) -> Any:
    parts = [tally._every, tally._drawn]
    return (
        dict(tally._pairs),
        (tally.n_chosen, tally._bare),
        [None if part is None else part_state(part) for part in parts],
    )


def part_state(part: Any) -> Any:
    labels = part.labels
    return (
        part.n,
        (dict(labels._exact), dict(labels._answers), labels._off_grid),
        {
            chance: (share.n, dict(share.sizes), {m: list(x) for m, x in share.cells.items()})
            for chance, share in labels._by_chance.items()
        },
        (labels.n_no_majority, labels.n_rounded, labels.n_off_level),
        (part.window.human, part.window.inside.total, list(part.window.inside.items())),
        {day: set(keys) for day, keys in part.window._by_day.items()},
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
        self.drawn = DrawnTally()
        self.tally = SatisfactionTally(SPAN, EACH, self.drawn)
        self.span = SPAN
        self.all: dict[Key, tuple[Overall, date | None]] = {}
        self.chosen: set[Key] = set()

    @rule(key=KEYS, auto=SCORES, human=SCORES, day=DAYS, chosen=st.booleans())
    def label(
        self,
        key: int,
        auto: dict[str, float],
        human: dict[str, float],
        day: date | None,
        chosen: bool,
    ) -> None:
        found = overall(auto, human, PARTS)
        self.all[key] = (found, day)
        self.chosen = self.chosen | {key} if chosen else self.chosen - {key}
        self.tally.put(key, found, day, chosen=chosen)
        assert self.tally.get(key) == found
        assert self.tally.is_chosen(key) == chosen

    @rule(n=st.integers(0, 2))
    def draw(self, n: int) -> None:
        self.drawn.n = n

    @rule(key=KEYS)
    def remove(self, key: int) -> None:
        self.all.pop(key, None)
        self.chosen.discard(key)
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
            leaves_out = self.drawn.n > 0 and options.band_selection == "drawn"
            left_out = self.chosen if leaves_out else set()
            expected = overall_figures(self.all, self.span, options, left_out)
            assert same(found, expected), (found, expected)
        assert all(self.tally.get(key) == found for key, (found, _) in self.all.items())


PairsWhileLabelling.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
MajorityWhileLabelling.TestCase.settings = settings(max_examples=20, stateful_step_count=30)
EverythingWhileLabelling.TestCase.settings = settings(max_examples=20, stateful_step_count=30)
OverallWhileLabelling.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
TestPairsWhileLabelling = PairsWhileLabelling.TestCase
TestMajorityWhileLabelling = MajorityWhileLabelling.TestCase
TestEverythingWhileLabelling = EverythingWhileLabelling.TestCase
TestOverallWhileLabelling = OverallWhileLabelling.TestCase


def test_a_whole_project_is_loaded_at_once() -> None:
    tally = PairTally(SCALE, SPAN, EACH, DrawnTally())
    tally.load(
        (key, Pair(3.0, float(1 + key % 5), (float(1 + key % 5),), AS_OF)) for key in range(100)
    )
    assert len(tally) == 100
    assert tally.figures(RECOMMENDED).deviations.gap_mean == 0
    assert list(tally.gaps(RECOMMENDED)) == [(-2, 20), (-1, 20), (0, 20), (1, 20), (2, 20)]


def test_a_range_without_levels_has_means_but_no_table() -> None:
    tally = PairTally(None, SPAN, EACH, DrawnTally())
    tally.load((key, Pair(0.1 * key, 0.11 * key, (0.11 * key,), AS_OF)) for key in range(20))
    found = tally.figures(PUBLISHED)
    assert found.kappa_quadratic is None
    assert found.undefined["kappa_quadratic"] == "the scale has no levels"
    assert found.deviations.n_labelled == 20
    figures = agreement(tally.evidence(), IntervalPolicy())
    assert figures["pearson"] == pytest.approx(1)
    assert "icc" in figures.intervals


def test_every_missing_figure_has_its_reason() -> None:
    found = PairTally(SCALE, SPAN, EACH, DrawnTally()).figures()
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
    sums.add_many(3, 7.5)
    for value in (1.0, 2.5, 4.0):
        one_by_one.add(value)
    assert sums.mean() == 2.5
    assert (sums.n, sums.total) == (one_by_one.n, one_by_one.total)
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
    tally = PairTally(SCALE, SPAN, EACH, DrawnTally())
    for key in range(500):
        tally.autos.add(3.0)
        if key < 100:
            human = 4.0 if key < 30 else 2.5 if key < 60 else 3.0
            tally.put(key, Pair(3.0, human, (human,), AS_OF))
    options: DeviationOptions = RECOMMENDED
    found = tally.figures(options)
    assert found.n_auto == 500
    assert found.adjusted_mean == pytest.approx(3.15)
