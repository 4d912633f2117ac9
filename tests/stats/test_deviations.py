"""Deviations and band against the published rule's worked examples and the case file."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.deviations import (
    PRESETS,
    PUBLISHED,
    RECOMMENDED,
    DeviationOptions,
    Gate,
    composite_band,
    deviations,
    with_option,
)

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
LITERAL = replace(PUBLISHED, band_population="discordant")


def approx(expected: float | None) -> Any:
    return None if expected is None else pytest.approx(expected, abs=1e-9)


def changed(options: DeviationOptions, **change: Any) -> DeviationOptions:
    return replace(options, **change)


def test_every_case_of_the_case_file() -> None:
    path = VECTORS / "deviations.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/deviations.json beside this checkout")
    cases = json.loads(path.read_text(encoding="utf-8"))
    assert len(cases) > 100
    for case in cases:
        options = replace(PRESETS[case["preset"]], **case["options"])
        found = deviations(case["gaps"], options)
        expect: Mapping[str, Any] = case["expect"]
        where = (case["case"], case["preset"], case["options"])
        assert (found.n_labelled, found.n_higher, found.n_lower, found.n_equal) == (
            expect["n_labelled"],
            expect["n_higher"],
            expect["n_lower"],
            expect["n_equal"],
        ), where
        assert found.status == expect["deviation_status"], where
        assert found.upper == approx(expect["upper_deviation"]), where
        assert found.lower == approx(expect["lower_deviation"]), where
        assert found.band == approx(expect["error_band"]), where


E1 = [0.5] * 27 + [2.0] * 4
E3 = [1.0] * 30 + [-0.5] * 30 + [0.0] * 40


@pytest.mark.parametrize(
    ("change", "upper"),
    [
        ({}, 20 / 28),
        ({"top_rounding": "floor"}, 19.5 / 27),
        ({"top_which": "smallest"}, 15.5 / 28),
        ({"top_num": 1, "top_den": 1}, 21.5 / 31),
    ],
)
def test_e1_which_share_is_kept(change: dict[str, Any], upper: float) -> None:
    assert deviations(E1, changed(RECOMMENDED, **change)).upper == approx(upper)


@pytest.mark.parametrize(
    ("n", "recommended", "literal"), [(29, None, None), (30, 0.5, None), (31, 0.5, 0.5)]
)
def test_e2_thresholds(n: int, recommended: float | None, literal: float | None) -> None:
    assert deviations([0.5] * n, RECOMMENDED).upper == approx(recommended)
    assert deviations([0.5] * n, LITERAL).upper == approx(literal)


def test_e3_band_without_deviations_at_exactly_30_and_30() -> None:
    found = deviations(E3, RECOMMENDED)
    assert (found.upper, found.lower, found.band) == (1.0, -0.5, approx(0.15))
    assert 3.0 + found.band == approx(3.15)
    literal = deviations(E3, LITERAL)
    assert (literal.upper, literal.lower, literal.status) == (None, None, "none")
    assert literal.band == approx(0.25)
    published = deviations(E3, PUBLISHED)
    assert (published.upper, published.lower) == (None, None)
    assert published.band == approx(0.15)
    assert published.band_source == "both_sides"


def test_e4_one_side_with_ties() -> None:
    gaps = [0.5] * 40 + [0.0] * 10
    assert deviations(gaps, RECOMMENDED).band == approx(0.40)
    assert deviations(gaps, LITERAL).band == approx(0.50)
    assert deviations(gaps, changed(RECOMMENDED, one_sided="none")).band == 0.0


def test_e4b_own_side_ignores_ties_and_the_other_side() -> None:
    gaps = [1.0] * 60 + [-2.0] * 5 + [0.0] * 35
    assert deviations(gaps, RECOMMENDED).band == approx(0.5)
    assert deviations(gaps, LITERAL).band == approx(1.0)


def test_e5_lower_side_keeps_its_sign() -> None:
    gaps = [-gap for gap in E1]
    found = deviations(gaps, RECOMMENDED)
    assert (found.lower, found.band) == (approx(-20 / 28), approx(-21.5 / 31))
    assert 4.0 + found.band == approx(4 - 21.5 / 31)
    assert 4.0 + deviations(gaps, LITERAL).band == approx(4 - 20 / 28)


def test_e9_and_e14_without_scores_or_pairs() -> None:
    for options in PRESETS.values():
        found = deviations([], options)
        assert (found.band, found.status, found.gap_mean) == (0.0, "none", None)
        assert 3.0 + found.band == 3.0


def test_e13_a_gap_of_rounding_noise_is_a_tie() -> None:
    assert deviations([0.1 + 0.2 - 0.3]).n_equal == 1


def test_e15_neither_side_enough() -> None:
    gaps = [1.0] * 20 + [-0.5] * 20
    assert deviations(gaps, RECOMMENDED).band == 0.0
    assert deviations(gaps, changed(RECOMMENDED, band_gate="labelled")).band == approx(0.25)


def test_e18_band_is_the_mean_gap_whatever_the_number_of_scores() -> None:
    assert 3.0 + deviations(E3, RECOMMENDED).band == approx(3.15)


def test_e19_ties_at_the_cut_do_not_depend_on_order() -> None:
    gaps = [1.0] * 5 + [0.5] * 35
    for turn in range(40):
        gaps = gaps[turn:] + gaps[:turn]
        assert deviations(gaps, RECOMMENDED).upper == approx(20.5 / 36)


def test_e20_denominators() -> None:
    gaps = E1 + [0.0] * 9
    expected = {"kept": 20 / 28, "side": 20 / 31, "labelled": 0.5}
    for denominator, upper in expected.items():
        options = changed(RECOMMENDED, deviation_denominator=denominator)
        assert deviations(gaps, options).upper == approx(upper)


def test_e21_attenuated_band_and_band_from_metrics() -> None:
    gaps = [0.5] * 30 + [0.25] * 30
    found = deviations(gaps, RECOMMENDED)
    assert (found.upper, found.band) == (approx(21 / 54), approx(0.375))
    assert composite_band([2, 1, 1], [1, 1, 0]) == approx(0.75)
    assert composite_band([0, 0], [1, 1]) is None


def test_e23_minimum_of_labels() -> None:
    options = changed(RECOMMENDED, min_labelled=50)
    few = deviations([0.5] * 40 + [0.0] * 9, options)
    assert (few.band, few.upper, few.band_source) == (0.0, None, "too_few_labelled")
    assert deviations([0.5] * 40 + [0.0] * 10, options).band == approx(0.4)


def test_the_share_is_rounded_in_whole_numbers() -> None:
    options = changed(RECOMMENDED, top_num=55, top_den=100)
    assert deviations([1.0] * 100, options).kept_upper == 55
    options = changed(RECOMMENDED, top_num=68, top_den=100)
    assert deviations([1.0] * 75, options).kept_upper == 51
    options = changed(RECOMMENDED, top_num=1, top_den=2, top_rounding="half_up")
    assert deviations([1.0] * 31, options).kept_upper == 16


def test_recent_keeps_the_last_of_each_side() -> None:
    gaps = [1.0, -3.0] * 5 + [2.0, -4.0] * 45
    options = changed(RECOMMENDED, top_which="recent")
    found = deviations(gaps, options)
    assert (found.upper, found.lower) == (2.0, -4.0)
    found = deviations(gaps[::-1], options)
    assert (found.upper, found.lower) == (approx(85 / 45), approx(-175 / 45))


def brute_force(gaps: list[float], k: int) -> float:
    return sum(sorted(gaps, key=abs, reverse=True)[:k]) / k


@given(
    st.lists(st.sampled_from([-2, -1, -0.5, -0.1, 0, 0.1, 1 / 3, 1, 2.0]) | st.floats(-4, 4)),
    st.sampled_from([1, 3, 30]),
)
def test_against_sorting_everything(gaps: list[float], min_records: int) -> None:
    options = changed(RECOMMENDED, min_records=min_records)
    found = deviations(gaps, options)
    up = [gap for gap in gaps if gap > 1e-9]
    low = [gap for gap in gaps if gap < -1e-9]
    if len(up) >= min_records:
        assert found.upper == approx(brute_force(up, found.kept_upper))
    else:
        assert found.upper is None
    if len(low) >= min_records:
        assert found.lower == approx(brute_force(low, found.kept_lower))
    else:
        assert found.lower is None
    one = max(len(up), len(low)) >= min_records
    assert found.band == (approx(sum(gaps) / len(gaps)) if one else 0.0)


def test_options_from_words() -> None:
    options = with_option(PUBLISHED, "band_gate", "ANY")
    assert options.band_gate == "any"
    assert with_option(options, "exclude_mixed", "yes").exclude_mixed is True
    assert with_option(options, "window_months", "none").window_months is None
    assert with_option(options, "min_records", "50").min_records == 50
    assert with_option(options, "tie_eps", "0.25").tie_eps == 0.25


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("bandgate", "any", "There is no option 'bandgate'"),
        ("band_gate", "all", "Option band_gate is 'all'; it can be one of: any, both"),
        ("min_records", "many", "Option min_records is 'many'; it must be a number"),
        ("min_records", "0", "must be 1 or more"),
        ("exclude_mixed", "perhaps", "it can be true or false"),
        ("top_num", "11", "a share above 0 and up to 1"),
        ("window_months", "-1", "must be 0 or more"),
    ],
)
def test_wrong_options_are_named(name: str, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        with_option(PUBLISHED, name, text)


def test_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        composite_band([1, -1], [0, 0])


@pytest.mark.parametrize(
    ("sides", "options", "gate"),
    [
        # more than 30 on one side, or 30 on both: the nearest counts, and its larger side
        ((30, 5), PUBLISHED, Gate(30, 31, "one_side")),
        ((5, 28), PUBLISHED, Gate(28, 31, "one_side")),
        ((30, 29), PUBLISHED, Gate(30, 31, "one_side")),
        ((31, 5), PUBLISHED, None),
        ((30, 30), PUBLISHED, None),
        ((28, 3), RECOMMENDED, Gate(28, 30, "one_side")),
        ((30, 0), RECOMMENDED, None),
        ((40, 12), replace(PUBLISHED, one_sided="none"), Gate(12, 30, "both_sides")),
        ((20, 12), replace(PUBLISHED, one_sided="none"), Gate(20, 30, "both_sides")),
        ((20, 9), replace(PUBLISHED, band_gate="sum"), Gate(29, 30, "apart")),
        ((20, 9), replace(PUBLISHED, band_gate="sum", band_rule="gt"), Gate(29, 31, "apart")),
        ((40, 0), replace(RECOMMENDED, min_labelled=50), Gate(44, 50, "labelled")),
        ((2, 3), replace(RECOMMENDED, band_gate="labelled"), Gate(9, 30, "labelled")),
    ],
)
def test_a_band_without_labels_enough_says_what_it_needs(
    sides: tuple[int, int], options: DeviationOptions, gate: Gate | None
) -> None:
    found = deviations([1.0] * sides[0] + [-1.0] * sides[1] + [0.0] * 4, options)
    assert found.gate == gate
    assert (found.gate is None) == (found.band_source not in ("none", "too_few_labelled"))


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=80),
    st.sampled_from(list(PRESETS.values())),
    st.sampled_from(["any", "both", "sum", "labelled"]),
    st.sampled_from(["mean_gap", "own_side", "none"]),
    st.sampled_from(["ge", "gt"]),
)
def test_a_gate_is_always_still_to_be_reached(
    gaps: list[float], preset: DeviationOptions, gate: Any, one_sided: Any, rule: Any
) -> None:
    options = replace(preset, band_gate=gate, one_sided=one_sided, band_rule=rule, min_records=9)
    found = deviations(gaps, options)
    if found.band_source != "none":
        assert found.gate is None
    elif found.gate is not None:
        assert 0 <= found.gate.n < found.gate.limit
