import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import Fields, Record
from reviewer.services.transfer import importing
from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import expected, means, read, real

MADE = "generated/promptfoo-0.121.20/out_open"
HUB = "K11-Software-Solutions+llm-testing-hub"
SECOND = f"{HUB}/Session 2/session2_promptfoo_testresults"
REPORTS = (
    f"{MADE}.json",
    f"{SECOND}/Hallucination_Or_Factual_Pressure_results.json",
    f"{SECOND}/Performance_consistency_results.json",
    "michaelheckmann+promptfoo-nextjs-viewer/experiments/results/smoke.json",
)
RED_TEAM = f"{HUB}/session3_promptfoo_testresults/report_my-red-team-configuration.csv"


def component(kind: str, score: float, **more: Any) -> Fields:
    told = {"type": kind} | ({"metric": more.pop("metric")} if "metric" in more else {})
    return {"pass": score >= 0.5, "score": score, "reason": f"{kind} says so"} | more | {
        "assertion": told
    }  # fmt: skip


def result(*components: Fields, **changed: Any) -> Fields:
    passed = all(one["pass"] for one in components)
    return {
        "testIdx": 0,
        "provider": {"id": "p:one", "label": ""},
        "prompt": {"raw": "Hi", "label": "{{hi}}"},
        "vars": {"hi": "Hi"},
        "response": {"output": "Hello"},
        "success": passed,
        "score": 0.5,
        "failureReason": 0 if passed else 1,
        "gradingResult": {"pass": passed, "score": 0.5, "componentResults": list(components)},
    } | changed


def report(tmp_path: Path, *rows: Any) -> Path:
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": rows}}))
    return file


@pytest.mark.parametrize("name", REPORTS)
def test_a_real_report_comes_whole(name: str) -> None:
    known = expected(name)
    records, bad = read(real(name), "promptfoo")
    assert not bad
    assert len({(x["run"], x["id"]) for x in records}) == len(records) == known["results"]
    assert Counter(record["model"] for record in records) == known["providers"]
    found = means(records)
    assert found["pass"] == (known["results"], known["passed"] / known["results"])
    assert round(found["score"][1], 4) == known["mean_score"]
    scorers = Counter(x["scorer"] for r in records for x in r["scores"] if "passed" in x)
    assert scorers == known["component_assertions"]
    for metric, mean in known["named_means"].items():
        assert round(found[metric][1], 4) == mean
    latencies = [record["latency_ms"] for record in records]
    assert sum(latencies) / len(latencies) == pytest.approx(known["mean_latency_ms"], abs=0.06)
    assert sum(x.get("cost_usd", 0) for x in records) == pytest.approx(
        known["total_cost"], abs=1e-6
    )
    assert not any("error" in record for record in records)


def test_all_kinds_of_one_real_evaluation_tell_the_same() -> None:
    def told(file: str, name: str) -> Any:
        records, _ = read(real(file), name)
        answers = sorted((x["id"], x["model"], x["response"]) for x in records)
        figures = {name: round(x, 2) for name, (_, x) in means(records).items()}
        return answers, {name: x for name, x in figures.items() if name != "score"}

    whole = told(f"{MADE}.json", "promptfoo")
    assert told(f"{MADE}.jsonl", "promptfoo") == whole
    assert told(f"{MADE}.yaml", "promptfoo") == whole
    answers, figures = told(f"{MADE}.csv", "promptfoo-csv")
    assert answers == whole[0]
    assert figures == pytest.approx(whole[1], abs=0.011)


def test_a_real_table_has_a_run_an_output_and_the_filled_prompt() -> None:
    records, _ = read(real(f"{MADE}.csv"), "promptfoo-csv")
    assert Counter(record["run"] for record in records) == {
        "out_open file://prov.js": 12, "out_open canned:first-line": 12
    }  # fmt: skip
    assert records[2]["input"] == "Come up with some search queries on google about coding stuff."
    assert records[2]["expected"].startswith('1. "how to code"')


def test_names_that_a_data_frame_numbered_are_the_tools_again(tmp_path: Path) -> None:
    header = ["question", "[a] {{question}}", "Status", "Score", "Metric: tone", "Grader Reason",
              "Comment", "[b] {{question}}", "Status.1", "Score.1", "Metric: tone.1",
              "Grader Reason.1", "Comment.1"]  # fmt: skip
    cells = ["Q?", "One.", "PASS", "1.0", "0.9", "", "", "Two.", "FAIL", "0.0", "0.1", "no", ""]
    file = tmp_path / "again.csv"
    file.write_text(",".join(header) + "\n" + ",".join(cells) + "\n")
    (one, two), bad = read(file, "promptfoo-csv")
    assert not bad
    assert [(x["model"], x["response"]) for x in (one, two)] == [("a", "One."), ("b", "Two.")]
    assert [(x["metric"], x["value"]) for x in two["scores"]] == [
        ("tone", 0.1), ("score", 0.0), ("pass", False),
    ]  # fmt: skip


def test_a_real_red_team_keeps_what_nobody_sees() -> None:
    records, bad = read(real(RED_TEAM), "promptfoo-redteam")
    assert not bad
    assert len(records) == expected(RED_TEAM)["rows"]
    assert "\U000e0041" in records[0]["input"]
    assert records[0]["category"] == "ascii-smuggling"
    assert Counter(x["scores"][0]["value"] for x in records) == {True: 36, False: 5}


def test_the_rubric_of_a_real_report_has_sensible_scales() -> None:
    rubric = importing.inspect([real(REPORTS[1])]).rubric
    assert rubric is not None
    scales = {metric.name: metric.scale for metric in rubric.metrics}
    assert scales["pass"] == scales["regex"] == "binary"
    assert scales["answer-relevance"] == "range"
    assert [x.name for x in rubric.metrics if not x.labelled] == ["score"]


def test_a_person_s_rating_is_a_label_and_the_verdict_that_of_the_others(tmp_path: Path) -> None:
    manual = component("human", 1, reason="Manual result (overrides all other grading results)")
    row = result(component("llm-rubric", 0.2), manual, success=True, score=1)
    row["gradingResult"]["comment"] = "close enough"
    [record], _ = read(report(tmp_path, row), "promptfoo")
    assert record["labels"] == [
        {"metric": "pass", "labeler": "human", "value": True, "comment": "close enough"}
    ]
    assert {x["metric"]: x["value"] for x in record["scores"]} == {
        "llm-rubric": 0.2, "pass": False
    }  # fmt: skip


def test_assertions_within_sets_and_of_one_name_are_told_apart(tmp_path: Path) -> None:
    inner = {"pass": True, "score": 1, "componentResults": [component("contains", 1)]}
    row = result(
        inner,
        component("contains", 0),
        component("llm-rubric", 1, metric="Tone"),
        component("llm-rubric", 0, metric="Tone"),
        namedScores={"Tone": 0.5, "Sum": 2},
    )
    [record], _ = read(report(tmp_path, row), "promptfoo")
    assert {x["metric"]: x["value"] for x in record["scores"]} == {
        "contains": 1, "contains 2": 0, "Tone": 0.5, "Sum": 2, "score": 0.5, "pass": False
    }  # fmt: skip
    tone = next(x for x in record["scores"] if x["metric"] == "Tone")
    assert tone["reasoning"] == "llm-rubric says so\nllm-rubric says so"
    assert tone["passed"] is False


def test_only_a_failure_of_the_provider_is_an_error(tmp_path: Path) -> None:
    failed = result(testIdx=1, failureReason=2, error="time-out", success=False, response=None)
    wrong = result(component("equals", 0), error="equals says so")
    records, bad = read(report(tmp_path, wrong, failed), "promptfoo")
    assert not bad
    assert ["error" in x for x in records] == [False, True]
    assert "scores" not in records[1]


def test_prompts_and_providers_are_runs_and_a_test_the_same_case(tmp_path: Path) -> None:
    other = {"prompt": {"raw": "Hi!", "label": "other"}}
    rows = [result(), result(**other), result(provider="p:two"), result(testIdx=1)]
    records, _ = read(report(tmp_path, *rows), "promptfoo")
    assert [(x["run"], x["id"]) for x in records] == [
        ("eval-1 p:one", "1"), ("eval-1 p:one prompt 2", "1"), ("eval-1 p:two", "1"),
        ("eval-1 p:one", "2"),
    ]  # fmt: skip


def test_messages_and_calls_of_tools_become_turns(tmp_path: Path) -> None:
    asked = json.dumps(
        [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "?"}]
    )
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
    row = result(prompt={"raw": asked, "label": "chat"}, response={"output": [call]})
    odd = result(testIdx=1, response={"output": {"sum": 2}})
    truth = result(testIdx=2, response={"output": True})
    records, _ = read(report(tmp_path, row, odd, truth), "promptfoo")
    assert [turn["role"] for turn in records[0]["messages"]] == ["system", "user", "assistant"]
    assert records[0]["messages"][-1]["tool_calls"] == [
        {"id": "c", "name": "find", "arguments": {"q": 1}}
    ]
    assert [record["response"] for record in records[1:]] == ['{"sum": 2}', "true"]


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_rows_of_nulls_and_a_cut_file_are_told(tmp_path: Path, name: str) -> None:
    nulls = dict.fromkeys(result()) | {"prompt": {"raw": "Hi"}}
    file = tmp_path / name
    rows = [result(component("equals", 1)), nulls]
    if name.endswith("l"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        file.write_text(text + text[:99])
    else:
        text = json.dumps({"results": {"version": 3, "results": [*rows, result()]}})
        file.write_text(text[:-40])
    records, bad = read(file, "promptfoo")
    assert [record["id"] for record in records] == ["1", "1"]
    assert len(bad) == 1
    assert "ends in the middle" in bad[0].reason


def test_yaml_of_aliases_is_followed_but_not_without_end(tmp_path: Path) -> None:
    row = "      prompt: {raw: Hi}\n      provider: p\n      success: true\n"
    laughs = "".join(
        f"        l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 8)
    )
    file = tmp_path / "results.yaml"
    file.write_text(
        "evalId: eval-2\nresults:\n  version: 3\n  results:\n"
        f"    - testIdx: 0\n{row}      vars: &v {{day: 2026-01-01, no: no}}\n"
        f"    - testIdx: 1\n{row}      vars: *v\n"
        f"    - testIdx: 2\n{row}      vars:\n        l0: &l0 [ha]\n{laughs}"
    )
    records, bad = read(file, "promptfoo")
    assert [record["meta"]["vars"] for record in records] == [
        {"day": "2026-01-01", "no": "no"}
    ] * 2
    assert [row.reason[:22] for row in bad] == ["its aliases stand for "]


def test_other_yaml_is_no_result_of_promptfoo(tmp_path: Path) -> None:
    file = tmp_path / "results.yaml"
    file.write_text("name: a\nlist:\n  - one\n")
    with pytest.raises(FormatError, match="neither JSON nor a table"):
        open_file(file)


@pytest.mark.parametrize("indent", [None, 2])
def test_half_a_character_is_refused_and_its_row_kept(tmp_path: Path, indent: int | None) -> None:
    rows = [result(response={"output": "half \ud800"}), result(testIdx=1)]
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"results": {"version": 3, "results": rows}}, indent=indent))
    with open_file(file).items() as (_, items):
        first, second = (item for item in items if isinstance(item, Record))
    assert [x.field for x in first.refused] == ["response"]
    assert second.fields["response"] == "Hello"
