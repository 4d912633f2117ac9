"""Tool usage with and without part credit."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.rubric import Metric
from reviewer.scoring.harness import TOOL_USAGE
from reviewer.scoring.scorer import Case, ScoreOutcome

TOOLS = st.lists(st.sampled_from("abcd"), max_size=5)


def value(expected: list[str], used: list[str], **parameters: bool) -> float:
    case = Case(tools_expected=tuple(expected), tools_used=tuple(used))
    outcome = TOOL_USAGE.score(case, parameters)
    assert isinstance(outcome, ScoreOutcome)
    return float(outcome.value)


@given(TOOLS, TOOLS, TOOLS)
def test_order_repeats_and_extras_do_not_matter(a: list[str], b: list[str], c: list[str]) -> None:
    assert value(a, b) == value(a[::-1], b[::-1] + b)
    assert value(a, b) == float(set(a) <= set(b))
    partial = value(a, b, partial_credit=True)
    assert value(a, b) <= partial <= value(a, b + c, partial_credit=True) <= 1


def test_the_reasoning_names_all_four_lists() -> None:
    case = Case(tools_expected=("a", "b"), tools_used=("c", "a", "c"))
    outcome = TOOL_USAGE.score(case, {"partial_credit": True})
    assert outcome == ScoreOutcome(
        0.5,
        "Expected: a, b. Used: c, a. Missing: b. Extra: c. 1 of 2 expected tools used.",
    )


def test_partial_credit_needs_a_scale_that_holds_it() -> None:
    binary = Metric(name="tool_usage", scale="binary")
    wide = Metric(name="tool_usage", scale="range", min=0, max=1)
    told = TOOL_USAGE.misfit(binary, {"partial_credit": True})
    assert told is not None
    assert "give it the range 0 to 1" in told
    assert TOOL_USAGE.misfit(binary, {"partial_credit": False}) is None
    assert TOOL_USAGE.misfit(wide, {"partial_credit": True}) is None
