"""The columns agree with the rules for one evaluation, whatever is missing."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.stats.overall_columns import (
    FAIL,
    OPEN,
    PASS,
    Floats,
    OverallColumns,
    overall_columns,
    verdict_columns,
)
from reviewer.stats.satisfaction import (
    Missing,
    OverallRule,
    Part,
    PassRule,
    overall,
    verdict,
)

NAMES = ("a", "b", "c")
SCORE = st.none() | st.integers(2, 20).map(lambda x: x / 4)
ROW = st.fixed_dictionaries(dict.fromkeys(NAMES, SCORE))
Row = dict[str, float | None]
PART = st.fixed_dictionaries(
    {
        "weight": st.sampled_from([0.0, 0.5, 1.0, 2.0]),
        "higher_is_better": st.booleans(),
        "pass_at": st.none() | st.sampled_from([2.0, 3.0]),
    }
)


def columns(rows: list[Row]) -> dict[str, Floats]:
    return {
        name: np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=float)
        for name in NAMES
    }


def same(column_value: float, value: float | None) -> bool:
    if value is None:
        return bool(np.isnan(column_value))
    return abs(column_value - value) < 1e-12


def agree(found: OverallColumns, at: int, auto: Row, human: Row, rule: OverallRule) -> None:
    one = overall(auto, human, rule)
    assert same(found.auto[at], one.auto)
    assert same(found.human[at], one.human)
    assert same(found.gap[at], one.gap)
    assert abs(found.covered[at] - one.covered) < 1e-12
    assert bool(found.mixed[at]) == one.mixed


@settings(max_examples=200, deadline=None)
@given(
    autos=st.lists(ROW, min_size=1, max_size=6),
    humans=st.lists(ROW, min_size=6, max_size=6),
    parts=st.lists(PART, min_size=3, max_size=3),
    missing=st.sampled_from(["renormalise", "null"]),
    rule_name=st.sampled_from(["every", "overall", "none"]),
    strict=st.booleans(),
)
def test_columns_equal_single_evaluations(
    autos: list[Row],
    humans: list[Row],
    parts: list[dict[str, Any]],
    missing: Missing,
    rule_name: PassRule,
    strict: bool,
) -> None:
    rule = OverallRule(
        parts=tuple(
            Part(name=name, low=0.5, high=5.0, **part)
            for name, part in zip(NAMES, parts, strict=True)
        ),
        missing=missing,
        passing=rule_name,
        pass_at=3.0,
        require_weighted_label=strict,
    )
    humans = humans[: len(autos)]
    found = overall_columns(columns(autos), columns(humans), rule)
    codes = {"pass": PASS, "fail": FAIL, "incomplete": OPEN, None: OPEN}
    for need_all in (False, True):
        verdicts = verdict_columns(columns(humans), rule, need_all=need_all)
        assert [codes[verdict(row, rule, need_all=need_all)] for row in humans] == list(verdicts)
    for at, (auto, human) in enumerate(zip(autos, humans, strict=True)):
        agree(found, at, auto, human, rule)


def test_different_ranges_are_brought_to_zero_to_one() -> None:
    rule = OverallRule(parts=(Part(name="a", low=1, high=5), Part(name="b", low=0, high=1)))
    found = overall_columns(
        {"a": np.array([3.0]), "b": np.array([1.0])},
        {"a": np.array([np.nan]), "b": np.array([np.nan])},
        rule,
    )
    assert found.auto[0] == 0.75
    assert np.isnan(found.human[0])
    assert not found.labelled[0]
