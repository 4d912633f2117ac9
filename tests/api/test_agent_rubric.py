"""`reviewer.api.agent_rubric`, with a real server as the judge where one is asked."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.api.agent_rubric import (
    EvaluationRunner,
    ProductionMonitor,
    TestSet,
    calculate_overall_score,
)
from reviewer.domain.errors import ReviewerError
from reviewer.services.monitoring import looking, view
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from tests.servers.model_server import Answer, Body, model_server
from tests.services.monitoring import production

DIMENSIONS = {"factual_accuracy", "completeness", "citation_accuracy", "source_quality",
              "tool_efficiency"}  # fmt: skip
CLAIM = {
    "text": "It is heated.",
    "importance": "major",
    "verdict": "correct",
    "evidence": "the page",
}


@pytest.fixture(autouse=True)
def _no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)


def judge(_number: int, body: Body) -> Answer:
    asked = json.dumps(body["messages"])
    if '\\"claims\\"' in asked:
        return Answer(json.dumps({"claims": [CLAIM], "reasoning": "One claim, correct."}))
    return Answer(json.dumps({"score": 0.8, "reasoning": "Good."}))


class Agent:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, question: str) -> Any:
        self.asked.append(question)
        if "boom" in question:
            raise RuntimeError("no connection")
        return {"response": "It is heated.", "tools_used": ["search"]}


def a_set(*questions: str) -> TestSet:
    tests = TestSet("smoke")
    for number, question in enumerate(questions, start=1):
        tests.add_test({"id": f"t-{number}", "input": question, "expected": "Heated, all year."})
    return tests


def test_a_run_by_a_judge() -> None:
    agent = Agent()
    with model_server(judge) as model:
        runner = EvaluationRunner(
            a_set("Is the pool heated?"), "agent-rubric", agent, base_url=model.url
        )
        summary = runner.run_all()
        assert {body["model"] for body in model.requests} == {"deepseek-chat"}
    assert agent.asked == ["Is the pool heated?"]
    (result,) = runner.results
    assert list(result) == ["test", "output", "evaluation"]
    assert result["output"] == {"response": "It is heated.", "tools_used": ["search"]}
    evaluation = result["evaluation"]
    assert list(evaluation) == ["overall_score", "dimension_scores", "passed", "reasons"]
    assert evaluation["reasons"]["completeness"] == "Good."
    assert set(evaluation["dimension_scores"]) == DIMENSIONS
    assert evaluation["dimension_scores"]["factual_accuracy"] == 1.0
    assert evaluation["overall_score"] == pytest.approx(0.3 + 0.7 * 0.8)
    assert evaluation["passed"] is True
    assert summary["total_tests"] == summary["passed"] == 1
    assert summary["failures"] == []


def test_a_judge_whose_reply_is_no_score_leaves_the_dimension_out() -> None:
    with model_server(Answer("I would say four of five.")) as model:
        runner = EvaluationRunner(a_set("Q?"), agent=Agent(), base_url=model.url)
        evaluation = runner.evaluate_output("It is heated.", {"input": "Q?"})
        summary = runner.run_all()
    assert set(evaluation["dimension_scores"].values()) == {None}
    assert evaluation["overall_score"] is None
    assert evaluation["passed"] is None
    assert "The reply" in evaluation["reasons"]["completeness"]
    # what was not scored did not fail
    assert (summary["passed"], summary["failed"], summary["not_scored"]) == (0, 0, 1)
    assert summary["pass_rate"] is None
    assert summary["failures"] == []


def test_an_agent_that_fails_costs_its_own_test_only() -> None:
    with model_server(judge) as model:
        runner = EvaluationRunner(a_set("boom", "Fine?"), agent=Agent(), base_url=model.url)
        summary = runner.run_all()
    assert (summary["total_tests"], summary["passed"], summary["failed"]) == (2, 1, 1)
    assert summary["failures"][0]["test"]["input"] == "boom"
    assert runner.results[0]["output"]["error"] == "RuntimeError: no connection"


def test_a_judge_that_cannot_be_reached_is_a_sentence() -> None:
    with model_server(Answer("bad key", status=401)) as model:
        runner = EvaluationRunner(a_set("Q?"), agent=Agent(), base_url=model.url)
        with pytest.raises(ReviewerError):
            runner.run_all()
    with pytest.raises(ReviewerError, match="needs a key"):
        EvaluationRunner(a_set("Q?"), agent=Agent()).run_all()
    with pytest.raises(ReviewerError, match="give its base_url"):
        EvaluationRunner(a_set(), model_name="mystery-7b")


def test_scorers_score_where_a_rubric_names_them() -> None:
    tests = TestSet("tools")
    tests.add_test({"input": "Q?", "expected_tools": ["search"], "expected_keywords": ["heated"]})
    with model_server(Answer('{"score": 5, "reasoning": "Good."}')) as model:
        runner = EvaluationRunner(tests, "harness", Agent(), base_url=model.url)
        runner.run_all()
    scores = runner.results[0]["evaluation"]["dimension_scores"]
    assert scores == {
        "tool_usage": 1, "response_quality": 1, "error_handling": 1, "answer_quality": 5
    }  # fmt: skip


def test_runs_are_kept_in_a_project_to_be_labelled(tmp_path: Path) -> None:
    project = tmp_path / "kept.review"
    for _ in range(2):
        EvaluationRunner(
            a_set("One?", "Two?"),
            agent=Agent(),
            score=lambda _output, _test: {"completeness": 0.8},
            project=project,
        ).run_all()
    with closing(Session.open(project)) as session:
        assert session.run_names() == ("smoke 1", "smoke 2")
        assert session.current_rubric().name == "agent-rubric"
        session.blind = False
        key = reading.key_of(session, "smoke 2/t-2")
        assert key is not None
        view = reading.view(session, key)
    assert view.evaluation.response == "It is heated."
    assert view.auto["completeness"].value == 0.8


def test_verbose_tells_each_test(capsys: pytest.CaptureFixture[str]) -> None:
    runner = EvaluationRunner(
        a_set("One?"), agent=str.upper, score=lambda _o, _t: {"completeness": 1.0}
    )
    runner.run_all(verbose=True)
    said = capsys.readouterr()
    assert said.err == "1 of 1: passed\n"
    assert said.out == ""
    assert runner.results[0]["output"] == "ONE?"


def test_filters_and_distribution() -> None:
    tests = TestSet("t")
    tests.add_test({"input": "a", "tags": ["x", "y"], "complexity": "hard"})
    tests.add_test({"input": "b", "tags": ["y"]})
    assert tests.tags == {"x": [0], "y": [0, 1]}
    assert [x["input"] for x in tests.filter(tags="y")] == ["a", "b"]
    assert tests.filter(tags="x", complexity="easy") == []
    assert tests.get_complexity_distribution() == {"hard": 1, "medium": 1}


def test_overall_scores() -> None:
    assert calculate_overall_score({"factual_accuracy": 1.0, "tool_efficiency": None}) == 1.0
    assert calculate_overall_score({}) is None
    assert calculate_overall_score({"a": 0.5, "unknown": 1.0}, {"a": 1}) == 0.5
    with pytest.raises(ReviewerError, match="a number from 0 is right"):
        calculate_overall_score({"a": 0.5}, {"a": {"weight": "much"}})
    with pytest.raises(ReviewerError, match="no-such-rubric"):
        calculate_overall_score({"a": 0.5}, "no-such-rubric")


@pytest.mark.parametrize(
    ("scores", "words"),
    [({"speed": 1.0}, "has no dimension 'speed'"), ({"completeness": 7.0}, "not on the scale")],
)
def test_scores_of_a_script_are_held_to_the_rubric(scores: dict[str, float], words: str) -> None:
    runner = EvaluationRunner(a_set("Q?"), agent=Agent(), score=lambda _o, _t: scores)
    with pytest.raises(ReviewerError, match=words):
        runner.run_all()


def test_the_monitor_samples_with_a_seed() -> None:
    def watched(seed: int) -> list[bool]:
        monitor = ProductionMonitor(
            sample_rate=0.3, seed=seed, score=lambda _o, _t: {"completeness": 1.0}
        )
        return [monitor.sample_and_evaluate("Q?", "A.") is not None for _ in range(200)]

    assert watched(1) == watched(1) != watched(2)
    assert 30 <= sum(watched(1)) <= 90


def test_the_monitor_tells_how_it_is_doing() -> None:
    values = iter([1.0] * 3 + [0.0])
    monitor = ProductionMonitor(
        sample_rate=1.0, score=lambda _o, _t: {"completeness": next(values)}
    )
    for _ in range(4):
        monitor.sample_and_evaluate("Q?", "x" * 500)
    assert list(monitor.samples[0]) == ["query", "output_preview", "score", "passed", "timestamp"]
    assert len(monitor.samples[0]["output_preview"]) == 200
    assert monitor.get_metrics() == {
        "sample_count": 4, "pass_rate": 0.75, "average_score": 0.75, "status": "warning"
    }  # fmt: skip
    monitor.alert_thresholds["critical"] = 0.8
    assert monitor.get_metrics()["status"] == "critical"


def test_the_monitor_samples_as_the_program_does() -> None:
    def watched(rate: float) -> set[int]:
        monitor = ProductionMonitor(
            sample_rate=rate, seed=5, score=lambda _o, _t: {"completeness": 1.0}
        )
        return {n for n in range(1, 301) if monitor.sample_and_evaluate("Q?", "A.") is not None}

    few = watched(0.1)
    assert few == {
        n for n in range(1, 301)
        if view.is_sampled(view.identity_of("", str(n)), rate=0.1, seed=5)
    }  # fmt: skip
    # a higher rate keeps every sample of a lower one
    assert few < watched(0.4)


def test_monitors_without_a_seed_sample_other_answers() -> None:
    def watched() -> tuple[bool, ...]:
        monitor = ProductionMonitor(sample_rate=0.5, score=lambda _o, _t: {"completeness": 1.0})
        return tuple(monitor.sample_and_evaluate("Q?", "A.") is not None for _ in range(200))

    assert watched() != watched()


def test_the_monitor_says_what_the_programs_says(tmp_path: Path) -> None:
    values = [1.0] * 17 + [0.3] * 4 + [0.0] * 4
    given = iter(values)
    monitor = ProductionMonitor(
        sample_rate=1.0, score=lambda _o, _t: dict.fromkeys(DIMENSIONS, next(given))
    )
    for number, _ in enumerate(values):
        monitor.sample_and_evaluate(f"Question {number}?", f"Answer {number}. " * 40)
    rows = [production.record(str(n), value) for n, value in enumerate(values)]
    path = production.imported(tmp_path / "p.review", production.write(tmp_path / "r.jsonl", rows))
    production.keep(path)
    production.look(path)
    with closing(production.opened(path)) as session:
        shown = looking.shown(session, "agent-rubric", every=True)
    assert shown is not None
    document = shown.to_json()
    found = monitor.get_metrics()
    assert found == {name: document[name] for name in found}
    mine = [{k: x[k] for k in ("query", "output_preview", "passed")} for x in monitor.samples]
    theirs = [
        {k: x[k] for k in ("query", "output_preview", "passed")} for x in document["samples"]
    ]
    assert sorted(map(str, mine)) == sorted(map(str, theirs))


def test_a_test_set_is_asked_as_the_programs_are(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = [
        {"id": "a", "input": "a", "tags": ["x", "y"], "complexity": "hard", "turns": 3},
        {"id": "b", "input": "b", "tags": ["y"], "context": {"place": "pool"}},
        {"id": "c", "input": "c", "tags": ("z",), "category": "rooms"},
    ]
    tests = TestSet("t")
    for case in given:
        tests.add_test(case)
    assert [x["id"] for x in tests.filter(complexity="medium")] == ["b", "c"]
    assert [x["id"] for x in tests.filter(tags="z")] == ["c"]
    assert [x["id"] for x in tests.filter(turns=3, tags="x")] == ["a"]
    assert [x["id"] for x in tests.filter(**{"context.place": "pool"})] == ["b"]
    # whoever changes the list itself is followed, too
    tests.tests.append({"id": "d", "input": "d", "tags": ["x"]})
    assert tests.tags == {"x": [0, 3], "y": [0, 1], "z": [2]}
    project = production.empty(tmp_path / "p.review")
    with closing(Session.open(project)) as session:
        sets.add(session, "t", {x["id"]: {**x, "tags": list(x["tags"])} for x in tests.tests})
        kept = sets.get(session, "t").cases
    assert sets.spread(kept).complexity == tests.get_complexity_distribution()
    ids = [x["id"] for x in tests.tests]
    assert sets.tag_index(kept) == {
        tag: tuple(ids[place] for place in places) for tag, places in tests.tags.items()
    }


def test_an_agent_that_hangs_costs_its_own_test_only() -> None:
    def asleep(question: str) -> str:
        while "hang" in question:
            time.sleep(100_000)
        return "Fine."

    runner = EvaluationRunner(
        a_set("hang", "Fine?"),
        agent=asleep,
        score=lambda _output, _test: {"completeness": 1.0},
        seconds=2,
    )
    runner.run_all()
    assert runner.results[0]["output"] == {
        "response": None, "error": "The agent gave no answer within 2 s."
    }  # fmt: skip
    assert runner.results[1]["output"] == "Fine."


def test_scores_of_a_script_that_are_no_mapping_are_a_sentence() -> None:
    runner = EvaluationRunner(a_set("Q?"), agent=Agent(), score=lambda _o, _t: [1.0])
    with pytest.raises(ReviewerError, match="The function score gave list; a mapping"):
        runner.run_all()


def test_an_unknown_option_is_told() -> None:
    with pytest.raises(TypeError, match="no option 'speed'"):
        ProductionMonitor(speed=1)
