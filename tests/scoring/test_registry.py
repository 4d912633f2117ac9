"""The table of scorers, their parameters and what a rubric's metric gets."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.domain.evaluation import Evaluation, JsonValue, Source
from reviewer.domain.rubric import Metric
from reviewer.domain.rubric_check import checked
from reviewer.scoring.registry import SCORERS, scorer_for
from reviewer.scoring.scorer import Case, Deterministic, Failure, ScoreOutcome, as_score, case_of
from reviewer.store import reading
from tests.resources.demo_records import RESOURCES, rubric_of

TEXT = st.none() | st.text(max_size=20)
TEXTS = st.lists(st.text(max_size=6), max_size=3).map(tuple)
SOURCE = st.builds(Source, id=st.text(max_size=2), relevance=st.none() | st.floats())
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
CASES = st.builds(
    Case,
    response=TEXT,
    expected=TEXT,
    error=TEXT,
    keywords=TEXTS,
    tools_expected=TEXTS,
    tools_used=TEXTS,
    sources=st.lists(SOURCE, max_size=3).map(tuple),
    expected_sources=JSON,
    feedback=JSON,
    latency_ms=st.none() | st.floats(),
    cost_usd=st.none() | st.floats(),
)
NEEDED = {
    "regex": {"pattern": "a"},
    "contains": {"texts": ["a"]},
    "json_schema": {"schema": {"type": "object"}},
}


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=40)
@given(case=CASES)
def test_no_record_makes_a_scorer_raise(name: str, case: Case) -> None:
    outcome = SCORERS[name].score(case, NEEDED.get(name, {}))  # type: ignore[arg-type]
    if isinstance(outcome, ScoreOutcome):
        assert outcome.reasoning
        assert isinstance(outcome.value, float | int)
        assert all(hit.text == (case.response or "")[hit.start : hit.end] for hit in outcome.hits)
    else:
        assert outcome.text.endswith(".")


@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS)
def test_every_scorer_explains_itself(scorer: Deterministic) -> None:
    found = SCORERS[scorer.name]
    assert found.title
    assert found.help.endswith(".")
    assert found.version
    for option in found.options:
        assert option.help.endswith(".") or option.help.endswith("…"), option.name
        assert option.check(option.default) is None or found.name in NEEDED
        json.dumps(option.default)


@pytest.mark.parametrize("system", ["harness", "faq-bot", "agent-rubric", "guest-response"])
def test_shipped_rubrics_name_known_scorers_and_parameters(system: str) -> None:
    rubric = checked(rubric_of(RESOURCES / "rubrics" / f"{system}.toml"))
    for metric in rubric.metrics:
        if metric.scorer:
            scorer = scorer_for(metric)
            assert scorer is not None
            assert scorer.problem(metric.parameters) is None


def test_a_metric_without_a_scorer_gets_the_one_made_for_it() -> None:
    metric = Metric(name="user_feedback", scale="range", min=0, max=1)
    assert scorer_for(metric) is SCORERS["user_feedback"]
    judged = Metric(name="user_feedback", scale="range", min=0, max=1, judge="mine")
    assert scorer_for(judged) is None
    other = Metric(name="tone", scale="range", min=0, max=1, scorer="unheard of")
    assert scorer_for(other) is None


def test_outcomes_become_scores() -> None:
    good = as_score(ScoreOutcome(1.0, "So."), "m", scorer="s", version="1")
    bad = as_score(Failure("missing", "Why."), "m", scorer="s", version="1")
    assert (good.value, good.reasoning, good.error) == (1.0, "So.", None)
    assert (bad.value, bad.reasoning, bad.error) == (None, None, "Why.")


def test_a_case_takes_response_and_tools_from_the_conversation() -> None:
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "content": "", "tool_calls": [{"name": "query", "arguments": {}}]},
        {"role": "tool", "content": "12", "name": "query"},
        {"role": "assistant", "content": [{"type": "text", "text": "Twelve."}]},
    ]
    rest: dict[str, JsonValue] = {
        "template_matched": True,
        "cache": "warm",
        "direct_substitution": "yes",
    }
    messages = tuple(reading.turn(keys) for keys in turns)
    evaluation = Evaluation(key=1, id="a", run="r", messages=messages, rest=rest)
    case = case_of(evaluation)
    assert (case.question, case.response, case.tools_used) == ("How much?", "Twelve.", ("query",))
    assert (case.template_matched, case.direct_substitution, case.cache) == (True, None, "warm")


def test_the_table_costs_no_heavy_import() -> None:
    code = (
        "import sys, reviewer.scoring.registry; "
        "sys.exit(any(x in sys.modules for x in ('jsonschema', 'PySide6', 'sqlite_utils')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
