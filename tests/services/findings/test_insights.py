"""What the numbers say, on small projects whose figures follow by hand."""

import contextlib
import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from reviewer.domain.errors import CancelledError, Silent
from reviewer.domain.run import Scope
from reviewer.services.findings import insights
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import MetricInsights
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.stats.calibration import calibration_of_sums, conformal, flip_rate, repeatability
from reviewer.stats.clustering import design_effect
from reviewer.stats.coefficients import moments
from reviewer.stats.deviations import PUBLISHED
from reviewer.stats.drift import Measured, cusum, residuals, system_change
from reviewer.stats.paired import paired_shift
from reviewer.stats.paired_shares import mcnemar
from reviewer.stats.planning import plan_labels
from reviewer.stats.segments import level_left
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")


def score(value: float, metric: str = "accuracy", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": "judge", **more}


def label(value: float, who: str = "ann", **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "labeler": who, "value": value, "blind": True}
    return fields | {"at": "2026-11-10T10:00:00Z", "selection_reason": "random"} | more


def source_of(path: Path, scope: Scope | None = None, *, blind: bool = False) -> Source:
    with contextlib.closing(Session.open(path, "lead")) as session:
        session.blind = blind
        return insights.read(session, scope or Scope(), options=PUBLISHED)


def told(
    tmp_path: Path, records: Sequence[dict[str, Any]], *, runs: Sequence[str] = ("agent v7",)
) -> MetricInsights:
    path = build_project(tmp_path / "small.review", evaluations=records, runs=runs)
    return insights.of_metric(source_of(path), "accuracy")


def one(number: int, auto: float, *people: tuple[str, float], **more: Any) -> dict[str, Any]:
    labels = [label(value, who) for who, value in people]
    return record(number, **({"scores": [score(auto)], "labels": labels} | more))


PAIRS = [(5, 4), (4, 4), (3, 1), (5, 5), (2, 2), (4, 3), (1, 1), (5, 3)]


def test_labels_needed_are_those_of_the_formula(tmp_path: Path) -> None:
    labelled = [one(n, *_pair(n)) for n in range(1, 65)]
    rest = [one(n, n % 5 + 1) for n in range(65, 2001)]
    found = told(tmp_path, labelled + rest).labels
    auto, human = zip(*(PAIRS[n % 8] for n in range(1, 65)), strict=True)
    plan = plan_labels(moments(auto, human), n_all=2000, half_width=0.1)
    assert found.plan == plan
    assert plan.more
    assert found.n == 64
    assert found.half_width is not None
    now = f"±{found.half_width:.2f}"
    expected = f"About {plan.more} more random labels bring {now} down to ±0.10."
    assert found.sentence == expected


def test_conversations_take_more_labels(tmp_path: Path) -> None:
    pairs = [PAIRS[n // 4 % 8] for n in range(64)]
    records = [
        one(n, pair[0], ("ann", pair[1]), cluster=f"talk {n // 4}") for n, pair in enumerate(pairs)
    ]
    found = told(tmp_path, [*records, *(one(n, n % 5 + 1) for n in range(64, 2064))]).labels
    auto, human = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    known = moments(auto, human)
    left = human - known.s_cross / known.s_auto * auto
    effect = design_effect(left, np.arange(64) // 4)
    assert effect is not None
    assert effect == pytest.approx(4.2, abs=0.2)
    narrower = 0.1 / math.sqrt(effect)
    plan = plan_labels(known, n_all=2064, half_width=narrower, target="run")
    assert found.only_these is not None
    assert found.only_these.needed == plan.needed
    assert found.only_these.half_width == 0.1


def _pair(n: int) -> Any:
    auto, human = PAIRS[n % 8]
    return auto, ("ann", human)


def test_browsed_labels_do_not_count_towards_a_plan(tmp_path: Path) -> None:
    records = [
        one(n, PAIRS[n % 8][0], labels=[label(PAIRS[n % 8][1], selection_reason="browse")])
        for n in range(1, 33)
    ]
    found = told(tmp_path, [*records, *(one(n, n % 5 + 1) for n in range(33, 2001))]).labels
    assert not found.drawn
    assert found.n == 0
    assert "not drawn at random" in found.sentence


def test_a_census_of_unknown_origin_counts_whole(tmp_path: Path) -> None:
    records = [
        one(n, PAIRS[n % 8][0], labels=[label(PAIRS[n % 8][1], selection_reason=None)])
        for n in range(1, 33)
    ]
    found = told(tmp_path, records).labels
    assert found.n == 32
    assert found.drawn
    assert "32" in found.sentence


def test_calibration_and_range_are_those_of_the_functions(tmp_path: Path) -> None:
    found = told(tmp_path, [one(n, *_pair(n)) for n in range(1, 57)]).calibration
    sums: dict[float, tuple[float, float]] = {}
    for auto, human in PAIRS * 7:
        n, total = sums.get(auto, (0.0, 0.0))
        sums[auto] = (n + 1, total + human)
    assert found.table == calibration_of_sums(sums)
    gaps = {0.0: 28, 1.0: 14, 2.0: 14}
    assert found.ranges == (conformal(gaps, 0.9), conformal(gaps, 0.95))
    expected = (
        "When the judge gives 5, people give 4.00 on average and 9 times in 10 between 3 and 5"
    )
    assert found.sentence.startswith(expected.replace("between 3", "between 3"))


def test_what_people_give_at_a_level_has_the_interval_of_a_mean(tmp_path: Path) -> None:
    found = told(tmp_path, [one(n, *_pair(n)) for n in range(1, 25)]).calibration
    given: dict[float, list[float]] = {}
    for auto, human in PAIRS * 3:
        given.setdefault(auto, []).append(human)
    assert [x.level for x in found.levels] == sorted(given)
    for one_level in found.levels:
        values = np.array(given[one_level.level])
        assert one_level.n == values.size
        assert one_level.mean == pytest.approx(values.mean())
        if np.ptp(values) == 0:
            assert (one_level.low, one_level.high) == (None, None)
            continue
        ends = scipy.stats.t.interval(
            0.95, values.size - 1, values.mean(), scipy.stats.sem(values)
        )
        assert (one_level.low, one_level.high) == pytest.approx(ends)
    assert found.table is not None
    assert not found.table.steps


def test_a_range_comes_before_the_table(tmp_path: Path) -> None:
    nine = told(tmp_path, [one(n, 4, ("ann", 3)) for n in range(1, 10)]).calibration
    assert nine.ranges[0].half_width == 1.0
    assert nine.ranges[1].half_width is None
    assert "within ±1 of the judge (n = 9)" in nine.sentence


def test_repeats_of_the_judge_give_flips_and_icc(tmp_path: Path) -> None:
    groups = [(5, 5, 5), (4, 3, 4), (2, 2, 1), (1, 1, 1), (3, 3, 3)]
    records = [
        record(n, scores=[score(value) for value in group])
        for n, group in enumerate(groups, start=1)
    ]
    found = told(tmp_path, records).consistency
    assert [x.who for x in found.judges] == ["judge"]
    assert found.judges[0].flips == flip_rate(groups)
    assert found.judges[0].flips.rate == pytest.approx(4 / 15)
    assert found.judges[0].spread == repeatability(groups)
    assert "contradicts itself on 27 % of repeats (5 evaluations)" in found.sentence


def test_a_later_blind_label_is_a_retest_and_a_correction_is_not(tmp_path: Path) -> None:
    first = label(4, at="2026-11-10T10:00:00Z")
    later, soon = (label(3, at=at) for at in ("2026-11-12T10:00:00Z", "2026-11-10T10:00:30Z"))
    records = [
        record(1, labels=[first, later]),
        record(2, labels=[first, label(4, at="2026-11-12T10:00:00Z")]),
        record(3, labels=[first, soon]),
    ]
    found = told(tmp_path, records).consistency
    assert found.judges == ()
    assert [(x.who, x.flips.items, x.flips.rate) for x in found.people] == [("ann", 2, 0.5)]
    assert "ann answers differently on 50 %" in found.sentence


def two_runs(shifts: Sequence[float], anchors: Sequence[float]) -> list[dict[str, Any]]:
    made = []
    for n, shift in enumerate([*shifts, *anchors], start=1):
        text = "the same" if n > len(shifts) else ""
        made += [
            record(n, run="old", scores=[score(2)], response=text or "before"),
            record(
                n, run="new", scores=[score(2 + shift, scorer_version="2")],
                response=text or "after",
            ),
        ]  # fmt: skip
    return made


def test_the_judge_is_told_from_the_system_by_unchanged_answers(tmp_path: Path) -> None:
    shifts, anchors = [1, 2, 0, 1, 2, 1], [1, 0, 1, 0]
    both = told(tmp_path, two_runs(shifts, anchors), runs=("old", "new"))
    found, passing = both.change, both.pass_change.verdicts
    changed = paired_shift(shifts)
    assert changed.difference is not None
    assert changed.se is not None
    headline = Measured(changed.difference, changed.se, 5)
    assert found.change == system_change(headline, anchors)
    assert found.anchors == paired_shift(anchors)
    # told together with the overall and the pass rate, as a comparison of the runs tells them
    alone = paired_shift([*shifts, *anchors])
    each = level_left([alone.p, alone.p, None if passing is None else passing.mid])
    assert found.paired == alone.at(each)
    assert (found.before_scorer, found.after_scorer) == ("judge", "judge@2")
    assert found.verdicts == mcnemar(10, lost=0, gained=7)
    assert found.sentence.startswith("+1.17 on new answers since old, of which +0.50 ± 0.92 is")
    assert "4 unchanged answers" in found.sentence


def test_a_version_that_scored_both_runs_compares_them(tmp_path: Path) -> None:
    made = []
    for n in range(1, 6):
        early, late = "2026-11-01T00:00:00Z", "2026-11-09T00:00:00Z"
        first, second = score(2, at=early), score(5, at=late, scorer_version="2")
        # in the earlier run version 1 counts, yet the later run's figures are by version 2
        older = score(4, at="2026-10-01T00:00:00Z", scorer_version="2")
        made += [
            record(n, run="old", scores=[first, older], response="before"),
            record(n, run="new", scores=[second, score(3, at=early)], response="after"),
        ]
    found = told(tmp_path, made, runs=("old", "new")).change
    assert (found.before_scorer, found.after_scorer) == ("judge@2", "judge@2")
    assert found.paired is not None
    assert found.paired.difference == 1.0


def test_without_unchanged_answers_the_judges_part_is_unknown(tmp_path: Path) -> None:
    found = told(tmp_path, two_runs([1, 2, 0], []), runs=("old", "new")).change
    assert found.change is not None
    assert found.change.system is None
    assert "the judge's part is not known" in found.sentence


def test_who_moves_away_is_found_with_the_day(tmp_path: Path) -> None:
    records = []
    for n in range(1, 61):
        base = 3 + n % 2
        mine = base if n <= 30 else base - 2
        at = f"2026-10-{n:02}T09:00:00Z" if n <= 30 else f"2026-11-{n - 30:02}T09:00:00Z"
        others = (("ann", base), ("bob", base + (n % 3 == 0)), ("cid", mine))
        records.append(
            record(n, scores=[score(4)], labels=[label(v, who, at=at) for who, v in others])
        )
    found = told(tmp_path, records).drift
    first = found.people[0]
    assert first.labeler == "cid"
    assert first.direction == "lower"
    values = [x for n in range(1, 61) for x in _three(n)]
    items, people = np.repeat(np.arange(60), 3), np.tile(np.arange(3), 60)
    left = residuals(items, people, np.array(values, dtype=np.float64))
    alarms = cusum(left.standardised()[2::3].tolist())
    assert first.alarms == len(alarms)
    assert len(alarms) > 1
    assert first.since_label == alarms[0].since + 1 == 30
    assert first.shift == pytest.approx(float(left.gaps[2::3][29:].mean()))
    assert first.since == date(2026, 10, 30)
    assert "cid has scored" in found.sentence
    assert f"lower than the others since {first.since}" in found.sentence


def _three(n: int) -> tuple[int, int, int]:
    base = 3 + n % 2
    return base, base + (n % 3 == 0), base if n <= 30 else base - 2


def test_each_labelers_agreement_with_the_majority(tmp_path: Path) -> None:
    rows = [(5, 5, 4), (3, 3, 3), (2, 2, 1), (4, 4, 4), (1, 2, 3)]
    records = [
        one(n, 3, *zip(("ann", "bob", "cid"), row, strict=True))
        for n, row in enumerate(rows, start=1)
    ]
    found = told(tmp_path, records).consensus
    assert [(x.labeler, x.majority, x.n) for x in found.people] == [
        ("ann", 1.0, 4), ("bob", 1.0, 4), ("cid", 0.5, 4)
    ]  # fmt: skip
    assert (found.shared, found.n_tied) == (5, 1)
    assert found.people[0].weighed is None
    assert found.not_weighed
    assert "ann 100 %, bob 100 % and cid 50 %" in found.sentence


def test_what_is_decided_is_not_without_a_majority(tmp_path: Path) -> None:
    """One name, one count: nobody need decide again what a lead has decided."""
    records = [one(n, 3, ("ann", 2), ("bob", 4)) for n in range(1, 4)]
    records[0]["labels"].append(label(4, "lead") | {"kind": "adjudication"})
    found = told(tmp_path, records)
    assert (found.consensus.n_tied, len(found.consensus.tied)) == (2, 2)
    assert "2 without a majority wait for a decision" in found.consensus.sentence


def test_people_are_weighed_where_five_share(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e")
    records = [
        one(n, 3, *((who, (n + (at > 2) * (n % 3 == 0)) % 5 + 1) for at, who in enumerate(names)))
        for n in range(1, 13)
    ]
    found = told(tmp_path, records).consensus
    assert found.not_weighed is None
    assert all(x.weighed is not None and x.accuracy is not None for x in found.people)
    assert found.n_changed == 0


def test_the_worst_category_comes_first_and_small_ones_are_not_shown(tmp_path: Path) -> None:
    made = []
    for n in range(1, 61):
        category = "bad" if n <= 20 else "good" if n <= 55 else "tiny"
        human = (2 if n % 3 else 1) if category == "bad" else 4 if n % 4 else 5
        made.append(one(n, 4, ("ann", human), category=category))
    found = told(tmp_path, made).slices
    assert [x.category for x in found.slices] == ["bad", "good", "tiny"]
    bad, good, tiny = found.slices
    assert bad.gap == pytest.approx(-14 / 20 * 2 - 6 / 20 * 3)
    assert bad.gap_verdict.differs
    assert bad.failed == 20
    assert bad.caught == 0.0
    assert good.catch_verdict is not None
    assert not good.catch_verdict.shown
    assert tiny.gap is None
    assert tiny.gap_verdict.reason == "fewer than 10 evaluations"
    assert found.sentence.startswith("bad, where the judge scores 2.30 too high")
    assert "1 category too small to tell" in found.sentence


def test_nothing_labelled_has_reasons_everywhere(tmp_path: Path) -> None:
    path = build_project(tmp_path / "bare.review", evaluations=5)
    found = insights.of_metric(source_of(path), "accuracy")
    topics = (
        found.labels, found.pass_labels, found.calibration, found.consistency, found.change,
        found.drift, found.consensus, found.slices,
    )  # fmt: skip
    for topic in topics:
        assert topic.reason
        assert topic.sentence.endswith(".")
        assert topic.sentence[0].isupper()


def test_no_evaluation_at_all_has_reasons_too(tmp_path: Path) -> None:
    path = build_project(tmp_path / "bare.review", evaluations=5)
    found = insights.of_metric(source_of(path, Scope(categories=("none such",))), "accuracy")
    assert found.labels.reason
    assert found.slices.reason


def test_one_labeler_has_no_consensus_and_no_drift(tmp_path: Path) -> None:
    found = told(tmp_path, [one(n, *_pair(n)) for n in range(1, 13)])
    for topic in (found.consensus, found.drift):
        assert topic.reason == "no two people labelled the same evaluation"


def test_a_hidden_answer_of_ones_own_counts_nowhere(tmp_path: Path) -> None:
    mine = [one(n, 4, ("lead", 2), ("ann", 3)) for n in range(1, 13)]
    again = label(5, "lead", at="2026-11-14T10:00:00Z")
    mine[0]["labels"].append(again)
    path = build_project(tmp_path / "small.review", evaluations=mine)
    assert set(source_of(path).relabelled["accuracy"]) == {"lead"}
    assert not source_of(path, blind=True).relabelled
    assert source_of(path).labels["accuracy"].values.size == 24
    assert source_of(path, blind=True).labels["accuracy"].values.size == 12


def test_reading_ends_when_nobody_waits(tmp_path: Path) -> None:
    class Gone:
        cancelled = True

        def advance(self, done: int, total: int | None, note: str = "") -> None: ...

    path = build_project(tmp_path / "small.review", evaluations=3)
    with (
        contextlib.closing(Session.open(path, "lead")) as session,
        pytest.raises(CancelledError),
    ):
        insights.read(session, Scope(), options=PUBLISHED, progress=Gone())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("demo") / "demo.review", None, Silent())


def test_the_demo_has_repeats_anchors_and_consensus(demo: Path) -> None:
    source = source_of(demo, Scope(every_run=True))
    found = insights.of_metric(source, "accuracy")
    (judge,) = found.consistency.judges
    assert (judge.who, judge.flips.items) == ("deepseek-chat@v3", 8)
    assert found.change.anchors is not None
    assert found.change.anchors.n == 4
    assert len(found.consensus.people) == 3
    assert found.calibration.table is not None
    assert math.isclose(sum(x.n for x in found.calibration.table.steps), found.calibration.table.n)


def test_categories_have_a_consensus_only(demo: Path) -> None:
    source = source_of(demo, Scope(runs=("A/B opening lines",)))
    found = insights.of_metric(source, "preference")
    assert found.consensus.people
    for topic in (found.labels, found.calibration, found.drift, found.slices):
        assert topic.reason == "the categories have no order"
