"""The agent rubric's published examples, in our words, with their numbers; no model is asked."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from reviewer.api.agent_rubric import (
    EVALUATION_DIMENSIONS,
    EvaluationRunner,
    ProductionMonitor,
    TestSet,
    calculate_overall_score,
    evaluate_output,
)
from reviewer.domain.errors import ReviewerError
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from tests.servers.model_server import Answer, model_server

LEVELS = {"excellent": 1.0, "good": 0.8, "acceptable": 0.6, "poor": 0.3, "failed": 0.0}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)


class Facts(EvaluationRunner):
    """Compares with what is expected, and keeps what it was asked."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.asked: list[tuple[Any, ...]] = []

    @override
    def evaluate_dimension(
        self, output: Any, ground_truth: Any, dimension: str, config: Any
    ) -> Any:
        self.asked.append((output, ground_truth, dimension, config["weight"]))
        same = not ground_truth or output == ground_truth["answer"]
        return config["levels"]["excellent" if same else "poor"]


class Agent:
    def run(self, question: str) -> Any:
        if "boom" in question:
            raise RuntimeError("no connection")
        return "Paris"


def some_tests() -> TestSet:
    tests = TestSet("facts")
    tests.add_test({"input": "Capital of France?", "expected": {"answer": "Paris"}})
    tests.add_test({"input": "Capital of Peru?", "expected": {"answer": "Lima"}})
    tests.add_test({"input": "Anything?"})
    return tests


def test_the_dimensions_are_those_published() -> None:
    assert {name: x["weight"] for name, x in EVALUATION_DIMENSIONS.items()} == {
        "factual_accuracy": 0.30,
        "completeness": 0.25,
        "citation_accuracy": 0.15,
        "source_quality": 0.10,
        "tool_efficiency": 0.20,
    }
    assert all(x["levels"] == LEVELS for x in EVALUATION_DIMENSIONS.values())
    assert calculate_overall_score(dict.fromkeys(EVALUATION_DIMENSIONS, 0.8)) == pytest.approx(0.8)
    scores = dict(zip(EVALUATION_DIMENSIONS, LEVELS.values(), strict=True))
    assert calculate_overall_score(scores, EVALUATION_DIMENSIONS) == pytest.approx(0.62)


def test_a_runner_of_ones_own_scores_each_dimension() -> None:
    runner = Facts(some_tests(), EVALUATION_DIMENSIONS, Agent())
    assert runner.rubric is not None
    assert list(runner.rubric) == list(EVALUATION_DIMENSIONS)
    summary = runner.run_all()
    assert [x[1] for x in runner.asked[::5]] == [{"answer": "Paris"}, {"answer": "Lima"}, {}]
    assert runner.asked[0] == ("Paris", {"answer": "Paris"}, "factual_accuracy", 0.30)
    assert len(runner.asked) == 15
    found = [x["evaluation"] for x in runner.results]
    assert [x["overall_score"] for x in found] == pytest.approx([1.0, 0.3, 1.0])
    assert [x["passed"] for x in found] == [True, False, True]
    assert list(summary) == [
        "total_tests", "passed", "failed", "pass_rate", "dimension_averages", "failures"
    ]  # fmt: skip
    assert summary["pass_rate"] == pytest.approx(2 / 3)
    assert summary["dimension_averages"]["completeness"] == pytest.approx(2.3 / 3)
    assert [x["test"]["input"] for x in summary["failures"]] == ["Capital of Peru?"]


def test_a_runner_of_ones_own_may_leave_a_dimension_to_the_judge() -> None:
    class Half(EvaluationRunner):
        @override
        def evaluate_dimension(
            self, output: Any, ground_truth: Any, dimension: str, config: Any
        ) -> Any:
            if dimension == "short":
                return 1.0, "One word."
            return super().evaluate_dimension(output, ground_truth, dimension, config)

    tests = TestSet("one")
    tests.add_test({"input": "Capital of France?", "expected": {"answer": "Paris"}})
    with model_server(Answer('{"score": 0.6, "reasoning": "So."}')) as model:
        runner = Half(tests, {"short": 1, "completeness": 1}, Agent(), base_url=model.url)
        runner.run_all()
        (asked,) = model.requests
    # question and ground truth reach the judge, an object as JSON
    assert "Capital of France?" in json.dumps(asked["messages"])
    assert '\\"answer\\": \\"Paris\\"' in asked["messages"][-1]["content"].replace('"', '\\"')
    evaluation = runner.results[0]["evaluation"]
    assert evaluation["dimension_scores"] == {"short": 1.0, "completeness": 0.6}
    assert evaluation["reasons"] == {"short": "One word."}


@pytest.mark.parametrize(
    "levels",
    [
        {"top": 10, "fair": 7, "bad": 0},
        {10: "All of it.", 7: "Most.", 0: "Nothing."},
        {"10": "All of it.", "7": "Most.", "0": "Nothing."},
    ],
    ids=["numbers by name", "texts by number", "as in a JSON file"],
)
def test_own_levels_make_the_range_and_seven_tenths_of_it_pass(levels: dict[Any, Any]) -> None:
    def at(value: float) -> dict[str, Any]:
        rubric = {"depth": {"weight": 2, "levels": levels}}
        return evaluate_output("A.", {}, rubric, score=lambda _o, _t: {"depth": value})

    assert at(7) == {"overall_score": 7.0, "dimension_scores": {"depth": 7.0}, "passed": True}
    assert at(6.9)["passed"] is False
    with pytest.raises(ReviewerError, match="a number from 0 to 10 expected"):
        at(11)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([1, 2], "a mapping such as"),
        ({"good": "high"}, "the level 'good' is 'high', no number"),
        ({"good": 1.0}, "at least two different levels"),
    ],
)
def test_levels_that_are_none_are_a_sentence(levels: Any, words: str) -> None:
    with pytest.raises(ReviewerError, match=words):
        calculate_overall_score({"a": 1.0}, {"a": {"weight": 1, "levels": levels}})


def test_a_rubric_of_scorers_needs_no_model_and_no_key() -> None:
    tests = TestSet("tools")
    tests.add_test({"input": "Q?", "expected_tools": ["search"], "expected_keywords": ["Paris"]})
    tests.add_test({"input": "boom", "expected_tools": ["search"]})
    runner = EvaluationRunner(tests, "harness", Agent())
    summary = runner.run_all()
    first, second = (x["evaluation"] for x in runner.results)
    assert first["dimension_scores"]["tool_usage"] == 0.0
    assert first["dimension_scores"]["response_quality"] == 1.0
    assert first["overall_score"] == pytest.approx(0.6)
    assert first["reasons"]["tool_usage"].startswith("Expected: search. Used: none.")
    assert second["dimension_scores"]["error_handling"] == 0.0
    assert "no connection" in second["reasons"]["error_handling"]
    assert summary["dimension_averages"]["error_handling"] == 0.5


def test_a_crash_of_the_agent_is_a_failed_case_everywhere(tmp_path: Path) -> None:
    tests = TestSet("crash")
    for question in ("Capital of France?", "boom"):
        tests.add_test({"input": question, "expected": {"answer": "Paris"}})
    project = tmp_path / "kept.review"
    runner = Facts(tests, EVALUATION_DIMENSIONS, Agent(), project=project)
    summary = runner.run_all()
    assert summary["pass_rate"] == 0.5
    crashed = runner.results[1]["evaluation"]
    assert (crashed["overall_score"], crashed["passed"]) == (0.0, False)
    assert crashed["reasons"]["completeness"] == (
        "The agent gave no answer: RuntimeError: no connection"
    )
    with closing(Session.open(project)) as session:
        session.sees_all = True
        (run,) = projects.list_runs(session.project)
        assert run.pass_rate == 0.5


def test_a_run_is_kept_with_objects_and_lists_as_expected_answers(tmp_path: Path) -> None:
    project = tmp_path / "kept.review"
    tests = TestSet("shapes")
    expected: list[Any] = [{"answer": "Paris"}, ["Paris", "City of Light"], "Paris", 7]
    for value in expected:
        tests.add_test({"input": "Capital?", "expected": value})
    EvaluationRunner(
        tests, {"a": 1}, Agent(), score=lambda _o, _t: {"a": 1}, project=project
    ).run_all()
    with closing(Session.open(project)) as session:
        session.blind = False
        keys = [reading.key_of(session, f"shapes 1/{n}") for n in (1, 2, 3, 4)]
        kept = [reading.view(session, key).evaluation.expected for key in keys if key]
    assert [json.loads(x or "") for x in kept[:2]] == expected[:2]
    assert kept[2:] == ["Paris", "7"]


def test_a_run_that_cannot_be_kept_whole_is_told_and_not_lost(tmp_path: Path) -> None:
    tests = TestSet("odd")
    tests.add_test({"input": "Q?", "latency_ms": "quick"})
    runner = EvaluationRunner(
        tests, {"a": 1}, Agent(), score=lambda _o, _t: {"a": 1}, project=tmp_path / "k.review"
    )
    with pytest.raises(ReviewerError, match=r"Nothing was kept in k\.review: 1 single value"):
        runner.run_all()
    assert runner.summarize()["passed"] == 1


def test_the_monitor_takes_the_published_thresholds() -> None:
    values = iter([1.0] * 9 + [0.0])
    monitor = ProductionMonitor(
        sample_rate=1.0, rubric={"a": 1}, score=lambda _o, _t: {"a": next(values)}
    )
    assert monitor.alert_thresholds == {"pass_rate_warning": 0.85, "pass_rate_critical": 0.70}
    for _ in range(10):
        monitor.sample_and_evaluate("Q" * 300, "A")
    assert monitor.samples[0]["query"] == "Q" * 200
    assert monitor.get_metrics()["status"] == "healthy"
    monitor.alert_thresholds["pass_rate_warning"] = 0.99
    assert monitor.get_metrics()["status"] == "warning"
    monitor.alert_thresholds = {"pass_rate_warning": 1.0, "pass_rate_critical": 0.95}
    assert monitor.get_metrics()["status"] == "critical"
    monitor.alert_thresholds = {"pass_rate_critcal": 0.95}
    with pytest.raises(ReviewerError, match="no threshold 'pass_rate_critcal'"):
        monitor.get_metrics()


def test_the_monitor_alarms_of_no_failure_of_the_judge() -> None:
    with model_server(Answer("Four of five, I would say.")) as model:
        monitor = ProductionMonitor(sample_rate=1.0, rubric={"a": 1}, base_url=model.url)
        found = monitor.sample_and_evaluate("Q?", "A")
    assert found is not None
    assert found["passed"] is None
    assert monitor.get_metrics() == {"status": "insufficient_data", "not_scored": 1}


def test_a_monitor_of_ones_own_scores_each_dimension() -> None:
    class Watch(ProductionMonitor):
        @override
        def evaluate_dimension(
            self, output: Any, ground_truth: Any, dimension: str, config: Any
        ) -> Any:
            assert ground_truth == {}
            return config["levels"]["good"]

    found = Watch(sample_rate=1.0).sample_and_evaluate("Q?", "A")
    assert found is not None
    assert (found["score"], found["passed"]) == (pytest.approx(0.8), True)


def scored(test: dict[str, Any], said: Any) -> dict[str, Any]:
    """Put one test to an agent that says this, and score it by the harness."""
    asked = []

    def agent(question: Any) -> Any:
        asked.append(question)
        return said

    tests = TestSet("names")
    tests.add_test(test)
    runner = EvaluationRunner(tests, "harness", agent)
    runner.run_all()
    assert asked == ["Where?"]
    found: dict[str, Any] = runner.results[0]["evaluation"]
    return found


@pytest.mark.parametrize("name", ["input", "question", "query"])
def test_tests_and_answers_may_use_the_names_that_records_may(name: str) -> None:
    test = {name: "Where?", "expected_tools": ["find"], "keywords": [900, "9th"]}
    found = scored(test, {"output": "At 900 S 9th St.", "tools_used": ["find"]})
    assert found["dimension_scores"] == {
        "tool_usage": 1.0, "response_quality": 1.0, "error_handling": 1.0, "answer_quality": None
    }  # fmt: skip


def test_what_a_test_calls_its_answer_is_what_is_expected() -> None:
    tests = TestSet("facts")
    tests.add_test({"question": "Capital of Peru?", "answer": {"answer": "Lima"}})
    runner = Facts(tests, EVALUATION_DIMENSIONS, Agent())
    runner.run_all()
    assert runner.asked[0][:2] == ("Paris", {"answer": "Lima"})


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ({"expected_tools": "find"}, {"tools_used": ["find"]}),
        ({"expected_tools": [{"name": "find"}]}, {"tools_used": ["find"]}),
        ({"expected_tools": ["find"]}, {"tools_used": "find"}),
    ],
    ids=["a text", "objects", "a text of the agent's"],
)
def test_what_cannot_be_read_gets_no_score(test: dict[str, Any], said: dict[str, Any]) -> None:
    found = scored({"input": "Where?", **test}, {"response": "There.", **said})
    assert found["dimension_scores"]["tool_usage"] is None
    assert "came with a value of the wrong kind" in found["reasons"]["tool_usage"]
    assert found["dimension_scores"]["error_handling"] == 1.0


def test_turns_that_are_none_are_a_sentence() -> None:
    with pytest.raises(ReviewerError, match=r"messages\[0\]\.role: one of system, user"):
        evaluate_output("A.", {"messages": [{"role": "guest"}]}, "harness")
