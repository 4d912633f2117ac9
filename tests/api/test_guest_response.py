"""`reviewer.api.guest_response`, with a real server as the judge."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.api.guest_response import (
    AccuracyEvaluator,
    BaseEvaluator,
    EvaluationResult,
    EvaluationRunner,
    ReportGenerator,
    SafetyEvaluator,
)
from reviewer.domain.errors import ReviewerError
from reviewer.services.project.session import Session
from tests.servers.model_server import Answer, Body, model_server

FIELDS = ["timestamp", "pass_rate", "avg_scores", "performance", "total_cases", "passed",
          "failed", "best_cases", "worst_cases", "failure_patterns", "targets",
          "results"]  # fmt: skip
CASES = [
    {"query": "Is the pool heated?", "response": "Yes, all year.", "context": "Heated pool."},
    {"query": "Wi-Fi?", "response": "Guest123", "context": "", "category": "amenities"},
]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def strict_on_secrets(_number: int, body: Body) -> Answer:
    bad = "Guest123" in json.dumps(body["messages"])
    return Answer(json.dumps({"score": 2 if bad else 5, "reasoning": "So."}))


def test_a_run_over_cases_of_a_script() -> None:
    with model_server(strict_on_secrets) as model:
        runner = EvaluationRunner("any-model", cases=CASES, base_url=model.url)
        results = asyncio.run(runner.run_evaluation())
        assert {body["model"] for body in model.requests} == {"any-model"}
    assert list(results) == FIELDS
    assert (results["total_cases"], results["passed"], results["failed"]) == (2, 1, 1)
    assert results["worst_cases"][0]["response"] == "Guest123"
    assert results["avg_scores"]["overall"] == 3.5


def test_limit_category_and_mark() -> None:
    with model_server(strict_on_secrets) as model:
        lenient = EvaluationRunner(passing_score=2, cases=CASES, base_url=model.url)
        one = asyncio.run(lenient.run_evaluation(limit=1))
        wifi = asyncio.run(lenient.run_evaluation(category="amenities"))
        with pytest.raises(ReviewerError, match="is in the category nowhere"):
            asyncio.run(lenient.run_evaluation(category="nowhere"))
    assert [x["query"] for x in one["results"]] == ["Is the pool heated?"]
    assert [x["query"] for x in wifi["results"]] == ["Wi-Fi?"]
    assert wifi["pass_rate"] == 1.0


def test_scores_stay_in_a_project_that_is_given(tmp_path: Path) -> None:
    project = tmp_path / "kept.review"
    with model_server(strict_on_secrets) as model:
        runner = EvaluationRunner(cases=CASES, project=project, base_url=model.url)
        asyncio.run(runner.run_evaluation())
    with closing(Session.open(project)) as session:
        (run,) = session.runs()
        assert run.evaluations == 2
        assert session.chosen(run.key, "safety") is not None


def test_reports_are_written_beside_each_other(tmp_path: Path) -> None:
    with model_server() as model:
        runner = EvaluationRunner(cases=CASES, base_url=model.url)
        results = asyncio.run(runner.run_evaluation())
    usual = ReportGenerator().generate_reports(results)
    again = ReportGenerator(tmp_path / "own").generate_reports(results)
    assert Path(usual["json"]).parent == Path("evaluation/reports/output")
    assert json.loads(Path(again["json"]).read_text()) == results
    assert "- Total Cases: 2" in Path(again["markdown"]).read_text()
    (line,) = (tmp_path / "own" / "evaluation_history.jsonl").read_text().splitlines()
    assert json.loads(line)["pass_rate"] == 1.0


@pytest.mark.parametrize(("status", "words"), [(401, "key"), (404, "model")], ids=["key", "model"])
def test_a_judge_that_refuses_is_a_sentence(status: int, words: str) -> None:
    with model_server(Answer("no", status=status)) as model:
        runner = EvaluationRunner(cases=CASES, base_url=model.url)
        with pytest.raises(ReviewerError, match=words):
            asyncio.run(runner.run_evaluation())


def test_without_a_key_nothing_is_asked() -> None:
    with pytest.raises(ReviewerError, match="DEEPSEEK_API_KEY"):
        asyncio.run(EvaluationRunner().run_evaluation(limit=1))
    with pytest.raises(ReviewerError, match="off the scale"):
        asyncio.run(EvaluationRunner(passing_score=9).run_evaluation(limit=1))


def test_one_response_before_an_evaluator() -> None:
    with model_server(strict_on_secrets) as model:
        safety = SafetyEvaluator(base_url=model.url)
        assert safety.evaluate("Wi-Fi?", "Guest123", "") == EvaluationResult(2, "So.", False)
        accuracy = AccuracyEvaluator(base_url=model.url, passing_score=5)
        assert accuracy.evaluate("Pool?", "Heated.", {"pool": "heated"}).passed
        said = json.dumps(model.requests[-1]["messages"])
    assert "heated" in said
    assert safety.get_prompt_template() != accuracy.get_prompt_template()


def test_an_evaluator_where_a_loop_runs() -> None:
    async def asking(url: str) -> EvaluationResult:
        evaluator = SafetyEvaluator(base_url=url)
        with pytest.raises(ReviewerError, match="An event loop runs already"):
            evaluator.evaluate("Q?", "A.", "")
        return await evaluator.evaluate_async("Q?", "A.", "")

    with model_server() as model:
        assert asyncio.run(asking(model.url)).score == 4


class Wrong(BaseEvaluator):
    def get_prompt_template(self) -> str:
        return "[user]\n{{ nothing }}"


class Plain(BaseEvaluator):
    def get_prompt_template(self) -> str:
        return "Rate the answer to {{ query }}: {{ response }}"


def test_a_template_of_ones_own_needs_no_parts() -> None:
    with model_server() as model:
        assert Plain(base_url=model.url).evaluate("When?", "At 3.").score == 4
        (message,) = model.requests[-1]["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith("Rate the answer to <<query ")


def test_wrong_templates_and_replies_are_sentences() -> None:
    with model_server(Answer("four")) as model:
        with pytest.raises(ReviewerError, match="'nothing', which is no variable"):
            Wrong(base_url=model.url).evaluate("Q?", "A.")
        assert model.requests == []
        with pytest.raises(ReviewerError, match="reply is no score"):
            SafetyEvaluator(base_url=model.url).evaluate("Q?", "A.")
