"""The five systems' own results, as their authors' programs write them."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import Record
from reviewer.formats.layouts import without_responses
from reviewer.services.transfer.file_plans import open_file

Rows = list[dict[str, Any]]
HARNESS: Rows = [
    {"question": "Where is it?", "category": "property", "expected_tools": ["query_database"],
     "tools_used": [], "expected_keywords": ["900", "Montrose, CO"], "response": "No idea.",
     "error": None, "tool_score": 0.0, "quality_score": 0.0, "error_score": 1.0,
     "final_score": 0.2, "grade": "F", "latency_ms": 12},
]  # fmt: skip
FAQ: Rows = [
    {"bot": bot, "question": "Open?", "expected": "Until six.", "answer": "Until six.",
     "exact_match": 1, "answer_length": 10, "latency_ms": 3.5, "relevance": 5,
     "relevance_reason": "Says when.", "judge_raw": '{"score": 5}', "judge_trace": "Hm."}
    for bot in ("strict", "full")
]  # fmt: skip
AGENT: Rows = [
    {"test": {"id": "t1", "query": "When?", "expected": {"year": 1999}, "tags": ["a"]},
     "output": "In 1999.",
     "evaluation": {"overall_score": 0.9, "passed": True,
                    "dimension_scores": {"factual_accuracy": 1.0, "completeness": 0.8}}},
]  # fmt: skip
CHAT: Rows = [
    {"evaluation": "e1", "chat": "c1", "chat_date": "2026-01-02", "evaluation_date": "2026-01-03",
     "metric": metric, "weight": 1, "auto_score": 4, "reason": "Well.", "examples": [],
     "human_score": human, "labeler": who, "labelled_at": None}
    for metric, human, who in (("conciseness", 5, "ann"), ("coherence", 3.5, "ann, ben"))
]  # fmt: skip
GUEST: Rows = [
    {"test_case_id": "g1", "query": "When?", "context": {"in": "15:00"}, "response": "At 3 pm.",
     "expected_behavior": "Says 3 pm.", "overall_score": 4.5, "passed": True,
     "scores": {name: {"score": 4, "reasoning": "Right.", "passed": True}
                for name in ("relevance", "accuracy", "safety")}},
]  # fmt: skip


def written(folder: Path, rows: Rows, shape: str) -> Path:
    file = folder / f"rows.{shape.partition('+')[0]}"
    if shape == "csv":
        with file.open("w", newline="", encoding="utf-8") as lines:
            out = csv.DictWriter(lines, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
    elif shape == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        longer = [{"name": str(number)} for number in range(9)]
        whole = {"targets": longer, "results": rows} if shape == "json+results" else rows
        file.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return file


def read(file: Path) -> tuple[str, list[dict[str, Any]]]:
    opened = open_file(file)
    assert opened.proposal is not None
    assert opened.proposal.unambiguous
    with opened.items() as (_, items):
        found = [item for item in items if isinstance(item, Record)]
    assert [item.refused for item in found] == [[]] * len(found)
    return opened.proposal.rubric, [item.fields for item in found]


SHAPES = ("csv", "jsonl", "json", "json+results")


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_the_harness(tmp_path: Path, shape: str) -> None:
    rubric, (row,) = read(written(tmp_path, HARNESS, shape))
    assert rubric == "harness"
    assert row["expected_tools"] == ["query_database"]
    assert row["expected_keywords"] == ["900", "Montrose, CO"]
    assert row.get("tools_used", []) == []
    assert {x["metric"]: x["value"] for x in row["scores"]} == {
        "tool_usage": 0.0, "response_quality": 0.0, "error_handling": 1.0,
    }  # fmt: skip
    assert (row["input"], row["case"], row["category"]) == ("Where is it?",) * 2 + ("property",)
    assert set(row["meta"]) == {"final_score", "grade"}


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_the_faq_framework_are_a_run_a_bot(tmp_path: Path, shape: str) -> None:
    rubric, rows = read(written(tmp_path, FAQ, shape))
    assert rubric == "faq-bot"
    assert [(x["run"], x["model"], x["case"]) for x in rows] == [
        ("strict", "strict", "Open?"), ("full", "full", "Open?"),
    ]  # fmt: skip
    scores = {x["metric"]: x for x in rows[0]["scores"]}
    assert {name: x["value"] for name, x in scores.items()} == {
        "exact_match": 1, "answer_length": 10, "latency": 3.5, "relevance": 5,
    }  # fmt: skip
    relevance = scores["relevance"]
    assert (relevance["reasoning"], relevance["raw"], relevance["trace"]) == (
        "Says when.", '{"score": 5}', "Hm.",
    )  # fmt: skip


def test_answers_of_bots_that_nobody_scored_yet_are_of_the_framework(tmp_path: Path) -> None:
    rows = [{name: row[name] for name in ("bot", "question", "expected", "answer")} for row in FAQ]
    rubric, found = read(written(tmp_path, rows, "csv"))
    assert rubric == "faq-bot"
    assert [x["run"] for x in found] == ["strict", "full"]


def test_objects_stand_as_json_in_a_table(tmp_path: Path) -> None:
    cells = [{name: x if isinstance(x, str) else json.dumps(x) for name, x in AGENT[0].items()}]
    rubric, (row,) = read(written(tmp_path, cells, "csv"))
    assert (rubric, row["id"]) == ("agent-rubric", "t1")
    assert [x["value"] for x in row["scores"]] == [1.0, 0.8]


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_results_of_the_runner(tmp_path: Path, shape: str) -> None:
    rubric, (row,) = read(written(tmp_path, AGENT, shape))
    assert rubric == "agent-rubric"
    assert (row["id"], row["input"], row["response"], row["tags"]) == (
        "t1", "When?", "In 1999.", ["a"],
    )  # fmt: skip
    assert json.loads(row["expected"]) == {"year": 1999}
    assert {x["metric"]: x["value"] for x in row["scores"]} == {
        "factual_accuracy": 1.0, "completeness": 0.8,
    }  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_export_with_a_row_a_metric(tmp_path: Path, shape: str) -> None:
    rubric, (row,) = read(written(tmp_path, CHAT, shape))
    assert rubric == "virtual-agent"
    assert (row["id"], row["cluster"], row["input"]) == ("e1", "c1", "Chat c1")
    assert (row["occurred_at"], row["evaluated_at"]) == ("2026-01-02", "2026-01-03")
    assert [(x["metric"], x["value"], x["reasoning"]) for x in row["scores"]] == [
        ("conciseness", 4, "Well."), ("coherence", 4, "Well."),
    ]  # fmt: skip
    one, other = row["labels"]
    assert (one["labeler"], one["value"]) == ("ann", 5)
    assert (other["value"], other["aggregate"]) == (3.5, 2)
    assert "meta" not in row


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_reports_with_an_object_a_metric(tmp_path: Path, shape: str) -> None:
    rubric, (row,) = read(written(tmp_path, GUEST, shape))
    assert rubric == "guest-response"
    assert (row["id"], row["input"], row["expected"]) == ("g1", "When?", "Says 3 pm.")
    assert row["context"] == {"in": "15:00"}
    assert [(x["metric"], x["value"], x["reasoning"]) for x in row["scores"]] == [
        (name, 4, "Right.") for name in ("relevance", "accuracy", "safety")
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["csv", "jsonl"])
def test_scores_of_phoenixs_evaluators_say_who_gave_them(tmp_path: Path, shape: str) -> None:
    def given(kind: str, **more: object) -> dict[str, Any]:
        return {"name": "tone", "kind": kind, "direction": "maximize", "metadata": {}, **more}

    judged = given("llm", score=1.0, label="kind", explanation="since")
    rows = [{"input": "Q?", "output": f"A {n}", "tone_score": judged,
             "mood_score": given("human", label="good") | {"name": "mood"}}
            for n in range(3)]  # fmt: skip
    file = written(tmp_path, rows, shape)
    record = read(file)[1][0]
    (score,), (label,) = record["scores"], record["labels"]
    assert (score["metric"], score["value"], score["scorer"]) == ("tone", 1.0, "llm")
    assert score["reasoning"] == "since"
    assert record["meta"]["tone_score"]["label"] == "kind"
    assert (label["metric"], label["value"], label["labeler"]) == ("mood", "good", "annotator")


def test_the_summary_of_a_test_run_says_which_file_to_bring(tmp_path: Path) -> None:
    row = {"total_tests": 2, "passed": 1, "failed": 1, "pass_rate": 0.5,
           "dimension_averages": {"completeness": 0.7}, "failures": []}  # fmt: skip
    file = tmp_path / "summary.json"
    file.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(FormatError, match="import the list of results"):
        open_file(file)


def test_the_failures_of_a_summary_are_opened_as_what_they_are(tmp_path: Path) -> None:
    summary = {"total_tests": 2, "passed": 1, "failed": 1, "pass_rate": 0.5,
               "dimension_averages": {"completeness": 0.7}, "failures": AGENT[:1]}  # fmt: skip
    file = tmp_path / "summary.json"
    file.write_text(json.dumps(summary), encoding="utf-8")
    assert [len(found) for found in read(file)[1:]] == [1]
    (said,) = open_file(file).sniffed.sentences
    assert "the failures of a test run alone, 1 of 2 tests: what passed is not in the file" in said
    file.write_text(json.dumps(summary | {"results": AGENT}), encoding="utf-8")
    assert open_file(file).sniffed.sentences == ()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"timestamp": "2026-01-02", "pass_rate": 0.8, "avg_scores": {}}, "figures of runs"),
        ({"overall_score": 0.9, "grade": "A", "categories": {}}, "a summary by category"),
        (
            {"span_id": "a", "annotation_name": "x", "annotator_kind": "LLM", "result.label": "y"},
            "holds annotations of spans and no spans; import the file of the spans",
        ),
        (
            {"traceId": "a", "name": "tone", "value": 1, "source": "EVAL", "dataType": "NUMERIC"},
            "holds scores of traces and no traces",
        ),
        (
            {"message_id": "m", "sample_id": "s", "eval_id": "a", "content": "x"},
            "messages, one a row, with what judges were asked",
        ),
        (
            {"eval_id": "a", "task_name": "t", "score_headline_value": 0.5},
            "the figures of evaluations, one a row, and no samples",
        ),
    ],
)
def test_figures_without_responses_are_named(
    tmp_path: Path, row: dict[str, Any], words: str
) -> None:
    with pytest.raises(FormatError, match=words):
        open_file(written(tmp_path, [row, row], "jsonl"))


ROWS: Rows = [{"question": f"q {n}?", "answer": f"a {n}", "judge_score": n} for n in (4, 1)]


@pytest.mark.parametrize(
    ("orient", "document"),
    [
        ("columns", {x: {str(n): row[x] for n, row in enumerate(ROWS)} for x in ROWS[0]}),
        ("index", {str(n): row for n, row in enumerate(ROWS)}),
        (
            "split",
            {"columns": list(ROWS[0]), "index": [0, 1], "data": [[*x.values()] for x in ROWS]},
        ),
        ("split", {"columns": list(ROWS[0]), "data": [[*x.values()] for x in ROWS]}),
        (
            "columns",
            {"question": {"0": "q"}, "answer": {"0": "a"}, "faithfulness": {"0": 0.5}},
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_data_frame_without_rows_of_its_own_is_named(
    tmp_path: Path, orient: str, document: dict[str, Any], indent: int | None
) -> None:
    file = tmp_path / "frame.json"
    file.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    with pytest.raises(FormatError, match=rf"orient='{orient}'.*save it with orient='records'"):
        open_file(file)


def test_a_data_frame_with_its_schema_is_read_by_rows(tmp_path: Path) -> None:
    fields = [{"name": x, "type": "string"} for x in ("index", *ROWS[0])]
    schema = {"fields": fields, "primaryKey": ["index"], "pandas_version": "1.4.0"}
    rows = [{"index": n} | row for n, row in enumerate(ROWS)]
    file = tmp_path / "frame.json"
    file.write_text(json.dumps({"schema": schema, "data": rows}), encoding="utf-8")
    found = open_file(file)
    assert found.sniffed.records == "data"
    assert found.proposal is not None
    assert found.proposal.unambiguous


@pytest.mark.parametrize(
    "document",
    [
        {"prompt": {"text": "q", "lang": "en"}, "response": {"text": "a", "lang": "en"}},
        {"id": "1", "prompt": {"0": "q"}, "response": {"0": "a"}},
    ],
)
def test_objects_that_are_alike_are_no_data_frame(document: dict[str, Any]) -> None:
    assert without_responses([document]) is None


def test_a_table_with_a_systems_metrics_is_recognised_where_its_values_fit(tmp_path: Path) -> None:
    names = ("relevance", "accuracy", "safety")
    rows = [{"id": str(n), "query": "q", "response": f"r{n}", **dict.fromkeys(names, n)}
            for n in (1, 5, 2)]  # fmt: skip
    rubric, (row, *_) = read(written(tmp_path, rows, "csv"))
    assert rubric == "guest-response"
    assert [x["metric"] for x in row["scores"]] == list(names)
    shares = [row | {"safety": 0.5 + int(row["id"]) / 100} for row in rows]
    other = open_file(written(tmp_path, shares, "csv"))
    assert other.proposal is not None
    assert other.proposal.rubric == ""
