"""The overall against worked examples and whole sets with known figures."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer.stats.deviations import (
    PRESETS,
    RECOMMENDED,
    DeviationOptions,
    deviations,
    window,
)
from reviewer.stats.satisfaction import (
    GradeBand,
    OverallRule,
    Part,
    grade,
    overall,
    verdict,
    weighted_mean,
)
from reviewer.stats.values import combine_labels

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"


def rule(weights: Mapping[str, float], **change: Any) -> OverallRule:
    parts = tuple(Part(name=n, low=1, high=5, weight=w) for n, w in weights.items())
    return replace(OverallRule(parts=parts), **change)


ABC = rule({"A": 2, "B": 1, "C": 1})


def test_e7_human_side_borrows_auto_scores() -> None:
    found = overall({"A": 4, "B": 2, "C": None}, {"A": 5}, ABC)
    assert found.auto == pytest.approx(10 / 3)
    assert found.human == pytest.approx(4)
    assert found.gap == pytest.approx(2 / 3)
    assert found.covered == pytest.approx(2 / 3)
    assert not found.mixed
    found = overall({"A": 4, "B": 2}, {"A": 5, "C": 5}, ABC)
    assert found.human == pytest.approx(4.25)
    assert found.gap == pytest.approx(11 / 12)
    assert found.mixed


def test_e8_zero_and_negative_weights() -> None:
    zero = rule({"A": 0, "B": 0})
    found = overall({"A": 4}, {"A": 5}, zero)
    assert (found.auto, found.human) == (None, None)
    part_zero = rule({"A": 1, "B": 0})
    found = overall({"A": 4, "B": 2}, {"B": 5}, part_zero)
    assert (found.human, found.gap, found.covered) == (4, 0, 0)
    strict = replace(part_zero, require_weighted_label=True)
    found = overall({"A": 4, "B": 2}, {"B": 5}, strict)
    assert (found.human, found.gap) == (None, None)
    with pytest.raises(ValueError, match="Metric A has weight -1"):
        rule({"A": -1})


def test_e16_both_presets() -> None:
    found = overall({"A": 3, "B": 3, "C": 3}, {"A": 4}, ABC)
    assert found.gap == pytest.approx(0.5)
    for options in PRESETS.values():
        figures = deviations([found.gap or 0] * 31, options)
        assert figures.upper == pytest.approx(0.5)
        assert (found.auto or 0) + figures.band == pytest.approx(3.5)


def test_missing_part_gives_no_overall_where_the_rubric_says_so() -> None:
    guest = rule({"relevance": 1, "accuracy": 1, "safety": 1}, missing="null")
    found = overall({"relevance": 5, "accuracy": 5}, {"relevance": 4}, guest)
    assert (found.auto, found.human, found.gap) == (None, None, None)
    borrowed = overall({"relevance": 5, "accuracy": 5, "safety": 2}, {"relevance": 4}, guest)
    assert borrowed.auto == pytest.approx(4)
    assert borrowed.human == pytest.approx(11 / 3)
    complete = overall({"relevance": 5, "accuracy": 5}, {"safety": 2}, guest)
    assert complete.human == pytest.approx(4)
    assert (complete.auto, complete.mixed) == (None, False)


def test_nothing_scored() -> None:
    assert weighted_mean({}, ABC) is None


def test_lower_is_better_enters_mirrored() -> None:
    turned = OverallRule(parts=(Part(name="A", low=1, high=5, higher_is_better=False),))
    found = overall({"A": 2}, {"A": 1}, turned)
    assert (found.auto, found.human, found.gap) == (4, 5, 1)


def test_different_ranges_meet_on_zero_to_one_or_on_the_rubric_s_range() -> None:
    parts = (Part(name="A", low=1, high=3), Part(name="B", low=1, high=5))
    assert OverallRule(parts=parts).range == (0, 1)
    assert weighted_mean({"A": 2, "B": 4}, OverallRule(parts=parts)) == pytest.approx(0.625)
    five = OverallRule(parts=parts, target=(1, 5))
    assert weighted_mean({"A": 2, "B": 4}, five) == pytest.approx(3.5)
    ratio = replace(five, rescale="ratio")
    assert weighted_mean({"A": 2, "B": 4}, ratio) == pytest.approx((10 / 3 + 4) / 2)


def test_a_part_needs_an_extent() -> None:
    with pytest.raises(ValueError, match="upper end must be above"):
        Part(name="A", low=1, high=1)


GUEST = OverallRule(
    parts=tuple(
        Part(name=name, low=1, high=5, pass_at=3) for name in ("relevance", "accuracy", "safety")
    ),
    missing="null",
)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((5, 5, 2), "fail"),
        ((3, 5, 5), "pass"),
        ((5, 5, None), "incomplete"),
        ((2, 5, None), "fail"),
        ((None, None, None), "incomplete"),
    ],
)
def test_every_metric_must_pass(scores: tuple[float | None, ...], expected: str) -> None:
    values = dict(zip(("relevance", "accuracy", "safety"), scores, strict=True))
    assert verdict(values, GUEST) == expected


def test_the_overall_must_pass() -> None:
    parts = tuple(
        Part(name=name, low=0, high=1, weight=weight)
        for name, weight in zip("abcde", (0.30, 0.25, 0.15, 0.10, 0.20), strict=True)
    )
    agent = OverallRule(parts=parts, passing="overall", pass_at=0.7)
    values = {"a": 1.0, "d": 0.6, "e": 0.2}
    value = weighted_mean(values, agent)
    assert value == pytest.approx(0.4 / 0.6)
    trap = {"a": 1.0, "d": 0.6, "e": 0.3}
    value = weighted_mean(trap, agent)
    assert value == pytest.approx(0.7)
    assert verdict(trap, agent) == "pass"
    assert verdict(trap, agent, need_all=True) == "incomplete"
    assert verdict({"a": 0.6}, agent) == "fail"
    assert verdict({}, agent) == "incomplete"


def test_no_pass_rule_gives_no_verdict() -> None:
    assert verdict({"A": 1}, rule({"A": 1}, passing="none")) is None
    assert verdict({"A": 1}, rule({"A": 1})) is None
    assert verdict({"A": 1}, rule({"A": 1}, passing="overall")) is None


def test_lower_is_better_passes_at_or_below_the_mark() -> None:
    low = OverallRule(parts=(Part(name="A", low=0, high=9, pass_at=2, higher_is_better=False),))
    assert verdict({"A": 2}, low) == "pass"
    assert verdict({"A": 3}, low) == "fail"


HARNESS = [
    GradeBand(start, letter) for start, letter in zip((90, 80, 70, 60, 0), "ABCDF", strict=True)
]


@pytest.mark.parametrize(
    ("percent", "letter", "rounded"),
    [
        (89.5, "B", "A"),
        (90, "A", "A"),
        (60, "D", "D"),
        (59.9999, "F", "D"),
        (0.1 * 3 * 300, "A", "A"),
    ],
)
def test_grades_are_half_open_on_the_unrounded_percent(
    percent: float, letter: str, rounded: str
) -> None:
    found, also = grade(percent, HARNESS), grade(percent, HARNESS, rounded=True)
    assert found is not None
    assert also is not None
    assert (found.grade, also.grade) == (letter, rounded)


def test_no_grade() -> None:
    assert grade(None, HARNESS) is None
    assert grade(-1, HARNESS) is None


def read_set(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def current_labels(record: dict[str, Any], metric: str) -> list[float]:
    latest: dict[str, dict[str, Any]] = {}
    for label in record["labels"]:
        if label["metric"] == metric:
            known = latest.get(label["labeler"])
            if known is None or label["at"] >= known["at"]:
                latest[label["labeler"]] = label
    return [label["value"] for label in latest.values() if label["kind"] == "label"]


def check(found: Any, expect: Mapping[str, Any], names: Mapping[str, str]) -> None:
    for key, attribute in names.items():
        expected = expect[key]
        value = getattr(found, attribute)
        if isinstance(expected, float):
            assert value == pytest.approx(expected, abs=1e-9), key
        else:
            assert value == expected, key


NAMES = {
    "n_labelled": "n_labelled",
    "n_higher": "n_higher",
    "n_lower": "n_lower",
    "n_equal": "n_equal",
    "upper_deviation": "upper",
    "lower_deviation": "lower",
    "error_band": "band",
    "deviation_status": "status",
}
SETS = VECTORS / "sets.json"


class Collected:
    """The gaps and scores of a whole set."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.gaps: dict[str, list[float]] = {name: [] for name in (*weights, "overall")}
        self.autos: dict[str, list[float]] = {name: [] for name in (*weights, "overall")}

    def take(self, name: str, auto: float | None, gap: float | None) -> None:
        if auto is not None:
            self.autos[name].append(auto)
        if gap is not None:
            self.gaps[name].append(gap)

    def check(self, name: str, expect: Mapping[str, Any], options: DeviationOptions) -> None:
        found = deviations(self.gaps[name], options)
        check(found, expect, NAMES)
        mean = sum(self.autos[name]) / len(self.autos[name])
        assert mean + found.band == pytest.approx(expect["adjusted_mean"], abs=1e-9)


@pytest.mark.parametrize("preset", ["published", "recommended"])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_whole_sets(index: int, preset: str) -> None:
    if not SETS.is_file():
        pytest.skip("needs ../shared/spec/vectors/sets.json beside this checkout")
    case = json.loads(SETS.read_text(encoding="utf-8"))[index]
    options = PRESETS[preset]
    span = window(date.fromisoformat(case["as_of"]), months=options.window_months)
    scheme = rule(case["weights"], require_weighted_label=options.require_weighted_label)
    expect = case["expect"][preset]
    collected = Collected(case["weights"])
    for record in read_set(VECTORS / case["file"]):
        inside = span.contains(date.fromisoformat(record["evaluated_at"][:10]))
        auto = {score["metric"]: score["value"] for score in record["scores"]}
        human = {
            name: combine_labels(current_labels(record, name), "mean") for name in case["weights"]
        }
        for name in case["weights"]:
            a, h = auto.get(name), human[name]
            gap = h - a if a is not None and h is not None and inside else None
            collected.take(name, a, gap)
        found = overall(auto, human, scheme)
        counts = inside and not (found.mixed and options.exclude_mixed)
        collected.take("overall", found.auto, found.gap if counts else None)
        if record["id"] in expect["evaluations"]:
            names = {key: key for key in ("auto", "human", "gap", "covered", "mixed")}
            check(found, expect["evaluations"][record["id"]], names)
    for name, figures in expect["metrics"].items():
        collected.check(name, figures, options)
    collected.check("overall", expect["satisfaction"], options)


def test_e21_satisfaction_band_is_attenuated() -> None:
    autos = {"A": 3, "B": 3, "C": 3}
    gaps = [overall(autos, {"A": 4}, ABC).gap or 0] * 30
    gaps += [overall(autos, {"B": 4}, ABC).gap or 0] * 30
    found = deviations(gaps, RECOMMENDED)
    assert found.upper == pytest.approx(21 / 54)
    assert found.band == pytest.approx(0.375)
