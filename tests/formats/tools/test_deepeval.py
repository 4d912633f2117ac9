import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import calls, expected, means, read, real, roles

SINGLE = "generated/deepeval-4.3.1/test_run_20261120_211815.json"
TALKS = "generated/deepeval-4.3.1/conv_test_run_20261120_212003.json"


def run(tmp_path: Path, *cases: Any, **more: Any) -> Path:
    file = tmp_path / ".latest_test_run.json"
    file.write_text(json.dumps({"testCases": cases, "conversationalTestCases": []} | more))
    return file


def metric(score: float | None, **more: Any) -> dict[str, Any]:
    passed = score is not None and score >= 0.5
    return {"name": "Bias", "score": score, "threshold": 0.5, "success": passed} | more


@pytest.mark.parametrize("name", [SINGLE, TALKS])
def test_a_real_test_run_comes_whole(name: str) -> None:
    known = expected(name)
    records, bad = read(real(name), "deepeval")
    assert not bad
    assert len(records) == known["test_cases"] + known["conversational"]
    for metric_name, told in known["metrics"].items():
        n, mean = means(records)[metric_name]
        assert (n, round(mean, 4)) == (told["n"], told["mean"])
    assert calls(records) == known["tool_calls"]
    spoken = roles(records)
    if known["conversational"]:
        assert spoken["user"] + spoken["assistant"] == known["turns"]
    passed = [all(score["passed"] for score in record["scores"]) for record in records]
    assert Counter(passed)[True] == known["passed"]


def test_a_large_test_run_is_known_by_its_first_cases(tmp_path: Path) -> None:
    case = {"name": "t", "input": "?", "actualOutput": "long " * 200_000,
            "metricsData": [metric(0.9)]}  # fmt: skip
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"testCases": [case] * 10, "testPassed": 10}))
    assert open_file(file).sniffed.format == "deepeval"


def test_the_latest_run_is_read_within_its_wrapping(tmp_path: Path) -> None:
    case = {"name": "t", "input": "?", "actualOutput": "!", "metricsData": [metric(0.9)]}
    inner = {"testCases": [case], "conversationalTestCases": [], "metricsScores": [],
             "identifier": "nightly", "hyperparameters": {"model": "m"}}  # fmt: skip
    file = tmp_path / ".latest_test_run.json"
    file.write_text(json.dumps({"testRunData": inner, "testRunLink": None}))
    [record], bad = read(file, "deepeval")
    assert not bad
    assert (record["id"], record["run"], record["model"]) == ("t", "nightly m", "m")
    assert [score["value"] for score in record["scores"]] == [0.9]
    assert [x.name for x in open_file(file).declared()] == ["Bias"]


def test_what_an_expected_tool_is_to_be_called_with_is_kept(tmp_path: Path) -> None:
    tools = [{"name": "calc", "inputParameters": {"a": 1}}, {"name": "find"}]
    case = {"input": "?", "actualOutput": "!"}
    file = run(tmp_path, {**case, "expectedTools": tools}, {**case, "expectedTools": tools[1:]})
    (first, second), _ = read(file, "deepeval")
    assert first["expected_tools"] == ["calc", "find"]
    assert first["meta"] == {"expectedTools": tools}
    assert second["expected_tools"] == ["find"]
    assert "meta" not in second


def test_thresholds_of_a_real_run_are_pass_marks() -> None:
    found = {x.name: x.pass_at for x in open_file(real(SINGLE)).declared()}
    assert found == {"Word Overlap": 0.3, "Length [custom]": 0.5}
    records, _ = read(real(SINGLE), "deepeval")
    score = records[0]["scores"][0]
    assert (score["scorer_version"], score["cost_usd"]) == ("canned-judge", 0.0001)
    assert {record["run"] for record in records} == {"test_run_20261120_211815 canned-llama-7b"}


def test_less_is_better_where_a_score_below_the_threshold_passed(tmp_path: Path) -> None:
    cases = [{"name": "a", "input": "?", "actualOutput": "!", "metricsData": [x]}
             for x in (metric(0.1, success=True), metric(0.9, success=False))]  # fmt: skip
    [found] = open_file(run(tmp_path, *cases)).declared()
    assert (found.pass_at, found.higher_is_better) == (0.5, False)


def test_names_that_repeat_failed_metrics_and_nulls_are_read(tmp_path: Path) -> None:
    case = {"name": "t", "input": "?", "actualOutput": "!"}
    file = run(
        tmp_path,
        case | {"metricsData": [metric(None, error="no reply")], "completionTime": 0.25},
        case | {"metricsData": None, "trace": {"spans": "x" * 40_000}},
        {"name": None, "input": "?", "actualOutput": None, "toolsCalled": None},
        5,
    )
    records, bad = read(file, "deepeval")
    assert [record["id"] for record in records[:2]] == ["t", "t 2"]
    assert records[0]["scores"][0]["error"] == "no reply"
    assert records[0]["latency_ms"] == 250
    assert records[1]["meta"] == {"left_out": ["trace"]}
    assert {record["run"] for record in records} == {"latest_test_run"}
    assert [row.reason for row in bad] == ["an object is expected"]


def test_a_run_that_is_cut_off_keeps_its_first_cases(tmp_path: Path) -> None:
    file = run(tmp_path, *[{"name": f"t{n}", "input": "?", "actualOutput": "!"} for n in range(9)])
    text = json.dumps({"conversationalTestCases": [], "testCases": json.loads(file.read_text())[
        "testCases"]})  # fmt: skip
    file.write_text(text[:-30])
    records, bad = read(file, "deepeval")
    assert len(records) == 8
    assert len(bad) == 1


def test_results_in_python_and_cases_in_a_list_are_read_too(tmp_path: Path) -> None:
    score = {"name": "Tone", "threshold": 0.5, "success": True, "score": 0.75, "reason": "kind",
             "evaluation_model": "m", "evaluation_cost": 0.5}  # fmt: skip
    tool = {"name": "look", "input_parameters": {"at_what": 1}, "output": "30"}
    row = {"name": "case_0", "success": True, "metrics_data": [score], "input": "Q?",
           "actual_output": "A.", "expected_output": "E.", "retrieval_context": ["c"],
           "tools_called": [tool]}  # fmt: skip
    file = tmp_path / "results.json"
    file.write_text(json.dumps([row, row]))
    (record, again), bad = read(file, "deepeval")
    assert not bad
    assert (record["id"], again["id"], record["expected"]) == ("case_0", "case_0 2", "E.")
    assert record["messages"][1]["tool_calls"][0]["arguments"] == {"at_what": 1}
    (told,) = record["scores"]
    assert (told["value"], told["reasoning"], told["passed"]) == (0.75, "kind", True)
    assert (told["model"], told["cost_usd"]) == ("m", 0.5)
