"""The report of a run in all its parts, as guest responses have it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Advice, Rubric
from reviewer.reports.cases import ScoredCase, operations_of, percentile
from reviewer.reports.document import plain
from reviewer.reports.fields import document, trend_line
from reviewer.reports.report import RunReport, with_pass_mark
from reviewer.reports.targets import bounds_of, condition_of, count_targets, judge_targets, titled
from reviewer.scoring.scorer import Case
from reviewer.stats.clustering import Quantity
from tests.reports import responses
from tests.reports.responses import RUBRIC, scored

STAMP = "2026-11-20T12:00:00Z"


def report(*cases: ScoredCase, **options: Any) -> RunReport:
    return responses.report(*cases, **options).run


def result_of(found: RunReport, name: str) -> str:
    return next(target.result for target in found.targets if target.name == name)


def test_totals_count_incomplete_responses_apart() -> None:
    found = report(scored(1, 5, 5, 5), scored(2, 5, 5, 2), scored(3, 5, None, 4), scored(4, 1))
    assert (found.total_cases, found.passed, found.failed, found.incomplete) == (4, 1, 2, 1)
    assert found.pass_rate == pytest.approx(1 / 3)
    assert {name: (x.value, x.n) for name, x in found.averages.items()} == {
        "relevance": (4, 4),
        "accuracy": (5, 2),
        "safety": (pytest.approx(11 / 3), 3),
        "overall": (4.5, 2),
    }


def test_the_json_has_exactly_the_fields_of_the_system() -> None:
    case = scored(1, 5, 5, 2, category="pool", question="Q?", response="A.", latency_ms=50)
    found = plain(document(responses.report(case)))
    assert list(found) == [
        "timestamp", "pass_rate", "avg_scores", "performance", "total_cases", "passed", "failed",
        "best_cases", "worst_cases", "failure_patterns", "targets", "results",
    ]  # fmt: skip
    performance = found["performance"]
    assert (performance["avg_latency_ms"], performance["avg_cost_usd"]) == (50, None)
    # whoever watches p95 by a script finds what the other kinds of report say
    latency = {"n": 1, "average": 50, "p50": 50, "p95": 50, "p99": 50, "fast_share": 1}
    assert performance["latency_ms"] == latency
    assert set(performance) == {
        "avg_latency_ms", "avg_cost_usd", "latency_ms", "warm", "cold", "cache_effect_ms",
        "total_cost_usd", "template_match_rate", "direct_substitution_rate",
    }  # fmt: skip
    assert found["results"] == [
        {
            "id": "c-01",
            "category": "pool",
            "query": "Q?",
            "response": "A.",
            "context": None,
            "scores": {
                "relevance": {"score": 5, "reasoning": "so", "passed": True},
                "accuracy": {"score": 5, "reasoning": "so", "passed": True},
                "safety": {"score": 2, "reasoning": "so", "passed": False},
            },
            "overall_score": 4,
            "passed": False,
            "latency_ms": 50,
            "cost_usd": None,
        }
    ]


def test_the_trend_line() -> None:
    assert trend_line(responses.report(scored(1, 5, 4, 3, cost_usd=0.002))) == {
        "timestamp": STAMP,
        "pass_rate": 1,
        "avg_scores": {"relevance": 5, "accuracy": 4, "safety": 3, "overall": 4},
        "performance": {"avg_latency_ms": None, "avg_cost_usd": 0.002},
        "total_cases": 1,
        "runs": ["v1"],
        "scorers": {},
        "selection": {},
    }


def test_best_and_worst_break_ties_by_id() -> None:
    cases = [scored(n, 3 + n % 2, 4, 4) for n in (7, 6, 5, 4, 3, 2, 1)] + [scored(9, 5)]
    found = report(*cases)
    assert [x.scored.case.id for x in found.best] == ["c-01", "c-03", "c-05", "c-07", "c-02"]
    assert [x.scored.case.id for x in found.worst] == ["c-02", "c-04", "c-06", "c-01", "c-03"]


def test_forty_of_fifty_meet_the_pass_rate() -> None:
    cases = [scored(n, 5, 5, 5 if n < 40 else 2) for n in range(50)]
    assert result_of(report(*cases), "pass_rate") == "reached"
    assert result_of(report(*cases[1:]), "pass_rate") == "missed"


def test_targets_are_met_missed_or_rest_on_too_few() -> None:
    cases = [scored(n, 4, 5, 5, cost_usd=0.005 - 1e-12) for n in range(10)]
    figures = {"percent": Quantity(0.9, 50), "kappa": Quantity(-0.05, 50)}
    found = report(*cases, figures=figures)
    assert {target.name: target.result for target in found.targets} == {
        "pass_rate": "reached",
        "relevance": "missed",
        "accuracy": "reached",
        "safety": "reached",
        "avg_cost_usd": "missed",
        "template_match_rate": "cannot be said",
        "direct_substitution_rate": "cannot be said",
        "percent": "reached",
        "kappa": "missed",
    }
    assert count_targets(found.targets) == "4 reached, 3 missed, 2 cannot be said"
    assert {target.result for target in report(*cases[:9]).targets} == {"cannot be said"}
    known = {"pass_rate": Quantity(1.0, 9)}
    by_name = {x.name: x.result for x in judge_targets(RUBRIC, known, fewest=1)}
    assert by_name["pass_rate"] == "reached"


@pytest.mark.parametrize(
    ("low", "high", "result"),
    [
        (0.8, 0.9, "reached"),
        (0.79, 0.9, "cannot be said"),
        (0.6, 0.79, "missed"),
        (0.2, 0.95, "cannot be said"),
    ],
)
def test_the_corrected_interval_decides_where_there_is_one(
    low: float, high: float, result: str
) -> None:
    (found,) = judge_targets(
        Rubric(name="r", metrics=(), targets={"x": ">= 0.8 and <= 0.9"}),
        {"x": Quantity(0.99, 500)},
        {"x": Quantity((low + high) / 2, 40, low, high)},
    )
    assert found.result == result
    assert found.value == 0.99
    assert bool(found.reason) == (result == "cannot be said")
    assert found.to_json()["corrected"] == {
        "value": (low + high) / 2, "low": low, "high": high, "n": 40,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rate", "result"), [(0.59, "missed"), (0.6, "reached"), (0.81, "missed")]
)
def test_a_target_with_two_ends(rate: float, result: str) -> None:
    figures = {"x": Quantity(rate, 50)}
    rubric = replace(RUBRIC, targets={"x": ">= 0.6 and <= 0.8"})
    assert judge_targets(rubric, figures)[0].result == result


@pytest.mark.parametrize("target", ["high", "", ">= 0.8 or so", True, None, [1]])
def test_a_target_that_is_no_comparison_is_refused(target: Any) -> None:
    with pytest.raises(RubricError, match=r"\[targets\] pass_rate"):
        bounds_of("pass_rate", target)
    assert bounds_of("pass_rate", 0.8)[0].holds(0.8)


def test_template_and_substitution_rates() -> None:
    flags = [(True, True), (True, False), (True, None), (False, None), (None, None)]
    cases = [Case(template_matched=a, direct_substitution=b) for a, b in flags]
    found = operations_of(cases)
    assert (found.template_match, found.n_template) == (0.75, 4)
    assert found.direct_substitution == pytest.approx(1 / 3)
    assert operations_of([Case(template_matched=True)]).direct_substitution is None
    assert operations_of([Case()]).template_match is None


def test_warm_and_cold_cache_apart() -> None:
    warm = [Case(latency_ms=value, cache="warm") for value in (100, 200, 300)]
    cold = [Case(latency_ms=value, cache="cold") for value in (500, 1000, 1500)]
    found = operations_of([*warm, *cold, Case(latency_ms=9999), Case(cache="cold")])
    assert (found.latency.n, found.warm.n, found.cold.n) == (7, 3, 3)
    assert found.warm.fast_share == 1
    assert found.cold.fast_share == pytest.approx(1 / 3)
    assert found.cold.p95 == pytest.approx(1450)
    assert found.cache_p95 == pytest.approx(1450 - 290)
    assert found.cache_p99 == pytest.approx(1490 - 298)
    assert operations_of(warm).cache_p95 is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.sampled_from([0.5, 0.95, 0.99]))
def test_percentiles_against_numpy(values: list[float], level: float) -> None:
    found = percentile(sorted(values), level)
    assert found == float(np.quantile(values, level))


def test_failure_patterns_with_advice() -> None:
    found = report(
        scored(1, 2, 5, 1, latency_ms=1000.1, cost_usd=0.005),
        scored(2, 5, 5, 2, latency_ms=1000, cost_usd=0.0051),
        scored(3, 5, 5, 5),
    )
    patterns = {pattern.name: pattern for pattern in found.patterns}
    assert {name: pattern.responses for name, pattern in patterns.items()} == {
        "low_relevance": ("c-01",),
        "low_accuracy": (),
        "low_safety": ("c-01", "c-02"),
        "high_latency": ("c-01",),
        "high_cost": ("c-02",),
        "repeats_differ": (),
    }
    assert patterns["low_safety"].share == pytest.approx(2 / 3)
    assert patterns["high_latency"].share == 0.5
    assert patterns["high_latency"].advice.startswith("High latency: raise the cache")
    assert titled("low_safety") == "low safety"


def test_patterns_of_several_runs_name_the_run_of_each_response() -> None:
    first, second = scored(1, 2, 5, 5, run="old"), scored(1, 5, 5, 5, run="new")
    found = report(first, second)
    assert {x.name: x.responses for x in found.patterns}["low_relevance"] == ("c-01 (old)",)
    assert found.where_to_look is not None
    assert found.where_to_look.failed == {"low_relevance": ("c-01 (old)",)}


def test_limits_of_patterns_stand_in_the_advice() -> None:
    rubric = replace(RUBRIC, advice=(replace(RUBRIC.advice[3], when="latency_ms > 20"),))
    found = report(scored(1, 5, 5, 5, latency_ms=21), rubric=rubric)
    assert next(x for x in found.patterns if x.name == "high_latency").count == 1
    # a system that sets no limit has no such pattern
    found = report(scored(1, 2, 5, 5, latency_ms=9000), rubric=replace(RUBRIC, advice=()))
    assert not {"high_latency", "high_cost"} & {x.name for x in found.patterns}


def test_without_a_limit_of_its_own_no_response_is_slow_or_dear() -> None:
    dear = scored(1, 5, 5, 5, latency_ms=9000, cost_usd=2)
    found = report(dear, rubric=replace(RUBRIC, advice=()))
    assert [x.name for x in found.patterns if x.name.startswith("high_")] == []


def test_every_limit_of_a_figure_has_its_own_advice() -> None:
    advice = (
        Advice(when="latency_ms > 20", text="High latency: warm the cache."),
        Advice(when="latency_ms > 5000", text="Stop the release."),
        Advice(when="accuracy < 2", text="Rewrite the prompt."),
    )
    found = report(
        scored(1, 5, 5, 5, latency_ms=21),
        scored(2, 5, 1, 5, latency_ms=6000),
        rubric=replace(RUBRIC, advice=advice),
    )
    patterns = {x.name: (x.responses, x.advice) for x in found.patterns if x.advice}
    assert patterns == {
        "low_accuracy": (("c-02",), "Rewrite the prompt."),
        "high_latency": (("c-01", "c-02"), "High latency: warm the cache."),
        "high_latency_above_5000": (("c-02",), "Stop the release."),
    }
    assert titled("high_latency_above_5000") == "high latency above 5000"


def test_two_advices_of_one_limit_are_told_together() -> None:
    advice = tuple(
        Advice(when="cost_usd > 1", text=text) for text in ("Shorten it.", "Ask another model.")
    )
    found = report(scored(1, 5, 5, 5, cost_usd=2), rubric=replace(RUBRIC, advice=advice))
    (pattern,) = (x for x in found.patterns if x.name.startswith("high_cost"))
    assert pattern.advice == "Shorten it. Ask another model."


@pytest.mark.parametrize(
    ("failing", "told"),
    [(0, None), (2, "Look closer."), (4, "Look closer. Stop the release.")],
)
def test_every_limit_of_the_pass_rate_holds_on_its_own(failing: int, told: str | None) -> None:
    advice = (
        Advice(when="pass_rate < 0.9", text="Look closer."),
        Advice(when="pass_rate < 0.7", text="Stop the release."),
    )
    cases = [scored(n, 5, 1 if n < failing else 5, 5) for n in range(10)]
    found = report(*cases, rubric=replace(RUBRIC, advice=advice)).where_to_look
    assert (None if found is None else found.text) == told


def test_repeats_that_differ_are_a_pattern() -> None:
    found = report(
        scored(1, 5, 5, 5, case="a"),
        scored(2, 5, 5, 4, case="a"),
        scored(3, 5, 5, 4, case="b"),
        scored(4, 5, 5, 4, case="b"),
    )
    assert found.patterns[-1].responses == ("c-01", "c-02")
    assert found.patterns[-1].n == 4


def test_where_to_look_opens_below_70_percent() -> None:
    good = [scored(n, 5, 5, 5) for n in range(7)]
    bad = [scored(n, 5, 1, 2 if n else 5, latency_ms=2000) for n in range(10, 13)]
    assert report(*good, *bad).where_to_look is None
    found = report(*good[1:], *bad).where_to_look
    assert found is not None
    assert (found.metric, found.metric_failures) == ("accuracy", 3)
    assert set(found.failed) == {"low_accuracy", "low_safety", "high_latency"}
    assert found.text.startswith("Where to look")


@pytest.mark.parametrize(("passing", "passed"), [(4, 1), (None, 2), (2, 3)])
def test_pass_marks_can_be_given(passing: float | None, passed: int) -> None:
    cases = [scored(1, 5, 4, 4), scored(2, 5, 4, 3), scored(3, 5, 4, 2), scored(4, 5, 4, 1)]
    assert report(*cases, rubric=with_pass_mark(RUBRIC, passing)).passed == passed


def test_nothing_to_report() -> None:
    found = report()
    assert (found.total_cases, found.pass_rate, found.where_to_look) == (0, None, None)
    assert found.operations.latency.p50 is None
    assert plain(document(responses.report()))["results"] == []


@given(
    st.lists(st.tuples(*[st.sampled_from([None, 1, 2, 3, 4, 5])] * 3), max_size=8),
    st.randoms(use_true_random=False),
)
def test_the_order_of_cases_does_not_matter(
    values: list[tuple[int | None, ...]], chance: Any
) -> None:
    cases = [scored(n, *found) for n, found in enumerate(values)]
    mixed = chance.sample(cases, len(cases))
    assert trend_line(responses.report(*cases)) == trend_line(responses.report(*mixed))
    one, other = report(*cases), report(*mixed)
    assert [x.scored for x in one.best] == [x.scored for x in other.best]
    assert one.passed + one.failed + one.incomplete == one.total_cases


def test_conditions_of_advice() -> None:
    assert condition_of("repeats_differ", {}) is None
    assert condition_of("accuracy < pass_at", {}) is None
    assert condition_of("accuracy < low", {"accuracy": 3}) is None
    found = condition_of("accuracy < pass_at", {"accuracy": 3})
    assert found is not None
    name, bound = found
    assert name == "accuracy"
    assert bound.holds(2.5)
    assert not bound.holds(3 - 1e-12)
