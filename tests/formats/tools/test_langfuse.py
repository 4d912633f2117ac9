import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import DATA, read, real

FOLDER = "langfuse+langfuse/worker/src/__tests__/chatml/framework-traces"
AGENTS = f"{FOLDER}/openai-agents-2025-09-30.trace.json"
TRACE: dict[str, Any] = {
    "id": "t1",
    "timestamp": "2026-01-02T03:04:05Z",
    "name": "chat",
    "projectId": "p",
    "sessionId": "s1",
    "input": '"\\"Where is it?\\""',
    "output": {"answer": "Here."},
    "latency": 1.5,
    "scores": [],
}
STEP: dict[str, Any] = {
    "id": "o1",
    "traceId": "t1",
    "parentObservationId": None,
    "type": "GENERATION",
    "name": "call",
    "startTime": "2026-01-02T03:04:05.000Z",
    "endTime": "2026-01-02T03:04:06.500Z",
    "model": "m",
    "input": json.dumps([{"role": "user", "content": "Where is it?"}]),
    "output": json.dumps({"role": "assistant", "content": "Here."}),
    "usageDetails": {"input": 5, "output": 3},
    "totalCost": 0.25,
}


def put(folder: Path, value: object, name: str = "trace.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def test_columns_that_an_export_has_beside_are_kept(tmp_path: Path) -> None:
    (record,), _ = read(put(tmp_path, [TRACE | {"tone": 0.8, "usage": 12}]), "langfuse")
    assert (record["meta"]["tone"], record["meta"]["usage"]) == (0.8, 12)


@pytest.mark.parametrize(
    ("name", "roles", "calls", "tokens"),
    [
        ("claude-agent-2025-12-22", "uaaatta", 2, 34),
        ("langgraph-python-2025-08-22", "uuata", 1, 168),
        ("microsoft-agent-2025-12-17", "suata", 1, 293),
        ("openai-agents-2025-09-30", "uata", 1, 140),
        ("pydantic-ai-2025-06-06", "sua", 0, 31),
    ],
)
def test_real_traces_of_five_frameworks_become_conversations(
    name: str, roles: str, calls: int, tokens: int
) -> None:
    file = f"{FOLDER}/{name}.trace.json"
    records, bad = read(real(file), "langfuse")
    expected = json.loads((DATA / "expectations.json").read_text())[file]
    assert not bad
    (record,) = records
    turns = record["messages"]
    assert "".join(turn["role"][0] for turn in turns) == roles
    assert sum(len(turn.get("tool_calls", ())) for turn in turns) == calls
    assert turns[-1]["role"] == "assistant"
    assert turns[-1]["content"]
    assert record["latency_ms"] == pytest.approx(expected["latency"] * 1000)
    assert record["tokens_in"] == tokens
    scores = record.get("scores", ())
    assert {score["metric"]: score["value"] for score in scores} == expected["scores"]
    assert {score["scorer"].upper() for score in scores} == set(expected["score_sources"])
    assert all(score["reasoning"] for score in scores)


def test_the_conversation_is_the_one_that_the_tool_itself_makes() -> None:
    records, _ = read(real(AGENTS), "langfuse")
    oracle = json.loads(real(AGENTS.replace(".trace.", ".chatml.")).read_text())
    whole = oracle["90d94774e8e3724d"]
    theirs = [*whole["input"]["data"], *whole["output"]["data"]]
    ours = records[0]["messages"]
    assert [turn["role"] for turn in ours] == [turn["role"] for turn in theirs]
    assert [turn.get("content") or "" for turn in ours] == [x.get("content", "") for x in theirs]
    (call,) = ours[1]["tool_calls"]
    (their,) = theirs[1]["tool_calls"]
    assert (call["id"], call["name"]) == (their["id"], their["name"])
    assert call["arguments"] == json.loads(their["arguments"])
    assert ours[2]["tool_call_id"] == theirs[2]["tool_call_id"]


def test_a_correction_is_what_was_expected() -> None:
    records, _ = read(real(f"{FOLDER}/pydantic-ai-2025-06-06.trace.json"), "langfuse")
    assert records[0]["expected"].startswith("Langfuse is a tool designed for observability")
    assert records[0]["meta"]["corrections"][0]["authorUserId"] == "cm167x5rh00018bk3mcnituff"
    assert (records[0]["cluster"], records[0]["tags"]) == ("session_abc", ["dev", "pydantic-ai"])


def test_people_give_labels_and_all_others_auto_scores(tmp_path: Path) -> None:
    scores: list[dict[str, Any]] = [
        {"name": "tone", "value": 1, "dataType": "BOOLEAN", "source": "ANNOTATION",
         "authorUserId": "ann", "comment": "kind", "timestamp": "2026-01-03T00:00:00Z"},
        {"name": "tone", "value": 0, "dataType": "BOOLEAN", "source": "API"},
        {"name": "kind", "value": 2, "stringValue": "good", "dataType": "CATEGORICAL",
         "source": "EVAL", "comment": "why", "metadata": '{"job_configuration_id": "j1"}'},
        {"name": "kind", "stringValue": "bad", "dataType": "CATEGORICAL", "source": "ANNOTATION"},
    ]  # fmt: skip
    trace: dict[str, Any] = {**TRACE, "scores": scores}
    file = put(tmp_path, {"trace": trace, "observations": [STEP]})
    (record,), bad = read(file, "langfuse")
    assert not bad
    assert record["labels"] == [
        {"metric": "tone", "value": True, "at": "2026-01-03T00:00:00Z", "labeler": "ann",
         "comment": "kind"},
        {"metric": "kind", "value": "bad", "labeler": "annotator"},
    ]  # fmt: skip
    assert [(s["metric"], s["value"], s["scorer"]) for s in record["scores"]] == [
        ("tone", False, "api"),
        ("kind", "good", "eval"),
    ]
    assert record["scores"][1]["scorer_version"] == "j1"


def test_a_person_s_correction_is_expected_and_their_words_are_no_value(tmp_path: Path) -> None:
    person = {"source": "ANNOTATION", "authorUserId": "ann", "timestamp": "2026-01-03T00:00:00Z"}
    step = {"id": "c1", "name": "output", "dataType": "CORRECTION", "value": 0.0,
            "stringValue": "Of a step.", "observationId": "o1"} | person  # fmt: skip
    whole = {"id": "c2", "name": "output", "dataType": "CORRECTION", "value": 0,
             "stringValue": "It is sunny in Rome."} | person  # fmt: skip
    note = {"id": "c3", "name": "note", "dataType": "TEXT", "stringValue": "too curt"} | person
    vote = {"id": "c4", "name": "ok", "dataType": "BOOLEAN", "value": 1.0} | person
    file = put(tmp_path, {**TRACE, "observations": [STEP], "scores": [step, whole, note, vote]})
    (record,), bad = read(file, "langfuse")
    assert not bad
    assert record["expected"] == "It is sunny in Rome."
    assert record["meta"]["corrections"] == [step, whole]
    assert [(x["metric"], x["value"]) for x in record["labels"]] == [("ok", True)]
    assert record["meta"]["scores"] == [note]
    assert "scores" not in record


def test_observations_alone_keep_their_session_and_who_asked(tmp_path: Path) -> None:
    told = {"sessionId": "s1", "userId": "u1"}
    tool = {**STEP, "id": "o2", "parentObservationId": "o1", "name": "find"}
    file = put(tmp_path, {"data": [{**STEP, **told}, tool], "meta": {"cursor": None}})
    (record,), bad = read(file, "langfuse")
    assert not bad
    assert (record["cluster"], record["meta"]["userId"]) == ("s1", "u1")
    assert (record["meta"]["name"], record["meta"]["steps"][1]["name"]) == ("call", "find")


def test_a_trace_without_observations_keeps_question_and_answer(tmp_path: Path) -> None:
    file = put(tmp_path, [{**TRACE, "observations": ["o1", "o2"]}])
    (record,), bad = read(file, "langfuse")
    assert not bad
    assert record["messages"] == [
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": "Here."},
    ]
    assert (record["latency_ms"], record["cluster"]) == (1500, "s1")


def test_observations_alone_are_gathered_by_trace(tmp_path: Path) -> None:
    other = {**STEP, "id": "o2", "traceId": "t2"}
    tool = {**STEP, "id": "o3", "type": "TOOL", "name": "find", "input": '{"q": 1}',
            "output": '"found"', "usageDetails": None, "totalCost": None, "level": "ERROR",
            "statusMessage": "late", "startTime": "2026-01-02T03:04:05.100Z"}  # fmt: skip
    path = tmp_path / "observations.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (STEP, other, tool)))
    records, bad = read(path, "langfuse")
    assert not bad
    assert [record["id"] for record in records] == ["t2", "t1"]
    assert records[0]["cost_usd"] == 0.25
    assert [turn["role"] for turn in records[1]["messages"]] == [
        "user", "assistant", "assistant", "tool",
    ]  # fmt: skip
    assert records[1]["meta"]["steps"][1] == {
        "name": "find", "kind": "tool", "ms": 1400.0, "error": "late",
    }  # fmt: skip


def test_scores_of_unknown_side_are_kept_beside(tmp_path: Path) -> None:
    file = put(tmp_path, [{**TRACE, "scores": {"tone": [1]}}])
    (record,), _ = read(file, "langfuse")
    assert "scores" not in record
    assert record["meta"]["scores"] == {"tone": [1]}


def test_what_is_wrong_in_one_trace_costs_that_one(tmp_path: Path) -> None:
    good: dict[str, Any] = {**TRACE, "observations": []}
    wrong: dict[str, Any] = {
        **TRACE,
        "id": "t2",
        "observations": 5,
        "scores": [{"name": "x"}],
        "tags": {},
    }
    rows = [*[{**good, "id": f"g{n}"} for n in range(60)], wrong, 5]
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows) + '{"id": "cut')
    records, bad = read(path, "langfuse")
    assert len(records) == 60
    assert [(row.line, row.reason) for row in bad] == [
        (61, "one of its parts is of another kind than this format has"),
        (62, "a trace is expected: an object"),
        (63, "the file ends in the middle of this line"),
    ]


def test_nulls_everywhere_make_a_poorer_record(tmp_path: Path) -> None:
    keys = ("input", "output", "latency", "scores", "sessionId", "name", "metadata", "tags")
    step = dict.fromkeys(STEP) | {"id": "o1", "type": None}
    trace = {**TRACE, **dict.fromkeys(keys), "output": "Here."}
    (record,), bad = read(put(tmp_path, {"trace": trace, "observations": [step]}), "langfuse")
    assert not bad
    assert record["response"] == "Here."


def test_a_full_mark_is_no_1_of_5(tmp_path: Path) -> None:
    scores = [
        {"name": name, "value": value, "source": "EVAL", "dataType": "NUMERIC"}
        for name, value in (("toxicity", 1), ("stars", 4))
    ]
    file = put(tmp_path, [{**TRACE, "scores": scores}])
    scales = {metric.name: metric.bounds for metric in open_file(file).declared()}
    assert scales == {"toxicity": (0, 1)}
