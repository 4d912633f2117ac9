"""A small file of every format that can be read, each recognised as what it is."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

from reviewer.domain.errors import Silent
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.store.project import Project
from tests import building

Rows = list[dict[str, Any]]

TALK = [{"role": "user", "content": "Is it heated?"}, {"role": "assistant", "content": "Yes."}]
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "look", "arguments": '{"at": "pool"}'},
}
TURNS = [
    TALK[0],
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "30 °C", "tool_call_id": "c1"},
    TALK[1],
]
RECORDS: Rows = [
    building.record(
        number,
        labels=[{"metric": "accuracy", "labeler": "ann", "value": 4, "comment": "fits",
                 "at": "2026-11-20T10:00:00Z"}],
    )
    for number in (1, 2, 3)
]  # fmt: skip


def lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def document(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def table(rows: list[list[object]], delimiter: str = ",") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _of(row: dict[str, Any], key: str, count: int = 3) -> Rows:
    return [row | {key: f"{row[key]}{n}" if isinstance(row[key], str) else n}
            for n in range(1, count + 1)]  # fmt: skip


_INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "sums", "model": "m/one", "created": "2026-01-02T03:04:05+00:00"},
    "samples": [
        {"id": n, "epoch": 1, "input": "1+1?", "target": "2", "messages": TURNS,
         "scores": {"exact": {"value": "C", "explanation": "so"}},
         "output": {"choices": [{"message": TALK[1]}], "usage": {"input_tokens": 3}}}
        for n in (1, 2)
    ],
}  # fmt: skip
_PROMPTFOO = {
    "promptIdx": 0, "testIdx": 0, "vars": {"question": "Is it heated?"}, "success": True,
    "prompt": {"raw": "Is it heated?", "label": "ask"}, "provider": {"id": "openai:m"},
    "response": {"output": "Yes.", "tokenUsage": {"total": 5}}, "score": 1, "latencyMs": 12,
    "namedScores": {"tone": 0.5}, "id": "r",
    "gradingResult": {"pass": True, "score": 1, "reason": "fits", "componentResults": [
        {"pass": True, "score": 1, "reason": "so", "assertion": {"type": "contains"}}]},
}  # fmt: skip
_LM_EVAL = {
    "doc_id": 0, "doc": {"q": "2+2"}, "target": "4", "arguments": [["2+2="]],
    "resps": [["4"]], "filtered_resps": ["4"], "filter": "none", "metrics": ["exact_match"],
    "exact_match": 1.0,
}  # fmt: skip
_EVENTS: Rows = [
    {"spec": {"eval_name": "sums.dev", "completion_fns": ["gpt"]}},
    *(
        {"event_id": n, "sample_id": f"s.{n // 2}", "type": kind, "data": data,
         "created_at": "2026-01-02 03:04:06+00:00"}
        for n in range(0, 4, 2)
        for kind, data in (
            ("sampling", {"prompt": TALK[:1], "sampled": ["Yes."]}),
            ("match", {"correct": True, "expected": "Yes.", "sampled": "Yes."}),
        )
    ),
]  # fmt: skip
_DEEPEVAL = {
    "testCases": [
        {"name": f"t{n}", "input": "Is it heated?", "actualOutput": "Yes.", "metricsData": [
            {"name": "Bias", "score": 0.5, "threshold": 0.5, "success": True, "reason": "so"}]}
        for n in (1, 2)
    ],
    "conversationalTestCases": [],
}  # fmt: skip
_RAGAS = {"user_input": "Is it heated?", "response": "Yes.", "retrieved_contexts": ["30 °C"],
          "reference": "Yes.", "faithfulness": 0.5}  # fmt: skip
_HELM = {
    "adapter_spec": {"model": "m/one"},
    "request_states": [
        {"instance": {"id": f"id{n}", "input": {"text": "2+2?"}, "split": "test",
                      "references": [{"output": {"text": "4"}, "tags": ["correct"]}]},
         "train_trial_index": 0, "request": {"model": "m/one", "prompt": "Q: 2+2?"},
         "result": {"completions": [{"text": "4"}], "request_time": 0.5}}
        for n in (1, 2)
    ],
}  # fmt: skip
_LABEL_STUDIO = {
    "id": 5, "data": {"question": "Is it heated?", "answer": "Yes."},
    "annotations": [
        {"id": 1, "completed_by": 7, "lead_time": 12.5, "created_at": "2026-01-02T03:04:05Z",
         "result": [
             {"from_name": "tone", "to_name": "a", "type": "choices",
              "value": {"choices": ["Kind"]}},
             {"from_name": "quality", "to_name": "a", "type": "rating", "value": {"rating": 4}},
             {"from_name": "why", "to_name": "a", "type": "textarea",
              "value": {"text": ["It is stated."]}}]}],
    "predictions": [],
}  # fmt: skip
_ARGILLA = {
    "id": "r", "fields": {"prompt": "Is it heated?", "response": "Yes."},
    "metadata": {"source": "mail"},
    "suggestions": {"quality": {"value": 2, "score": 0.9, "agent": "judge"}},
    "responses": {"quality": [{"value": 4, "user_id": "u1"}]}, "vectors": {},
}  # fmt: skip
_TRACE = {
    "id": "t", "timestamp": "2026-01-02T03:04:05Z", "name": "chat", "projectId": "p",
    "sessionId": "s", "input": "Is it heated?", "output": "Yes.", "latency": 1.5,
    "scores": [{"name": "tone", "value": 1, "source": "API", "dataType": "NUMERIC"}],
    "observations": [],
}  # fmt: skip


def _span(number: int, **attributes: object) -> dict[str, Any]:
    return {
        "name": "call", "context": {"trace_id": f"t{number}", "span_id": f"s{number}"},
        "parent_id": None, "start_time": "2026-01-02T03:04:05+00:00",
        "end_time": "2026-01-02T03:04:09+00:00", "status_code": "OK", "attributes": attributes,
    }  # fmt: skip


_SAID = (
    "user:\nIs it heated?\n\n\nassistant:\nI look.\n\nTool Call: look\nArguments:\nat: pool\n\n"
    "tool:\n30 °C\n\n\nassistant:\nYes.\n"
)
_MLFLOW = {
    "trace_id": "tr-",
    "state": "OK",
    "request_time": 1795805436682,
    "execution_duration": 99,
    "request": {"question": "Is it heated?"},
    "response": "Yes.",
    "trace_metadata": {"mlflow.trace.session": "s1"},
    "tags": {"mlflow.traceName": "answer", "team": "a"},
    "spans": [
        {
            "span_id": "a=",
            "parent_span_id": "",
            "name": "llm",
            "start_time_unix_nano": 1795805436742593426,
            "end_time_unix_nano": 1795805436842593426,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {
                "mlflow.spanType": '"CHAT_MODEL"',
                "mlflow.spanInputs": json.dumps({"messages": [TALK[0]]}),
                "mlflow.spanOutputs": json.dumps({"choices": [{"message": TALK[1]}]}),
                "mlflow.chat.tokenUsage": '{"input_tokens": 12, "output_tokens": 5}',
                "mlflow.llm.model": '"m"',
                "mlflow.llm.cost": '{"total_cost": 0.25}',
            },
        }
    ],
    "assessments": [
        {
            "assessment_name": "tone",
            "source": {"source_type": kind, "source_id": who},
            "create_time": "2026-11-27T18:50:40.257Z",
            "feedback": {"value": value},
            "rationale": "Fits.",
        }
        for kind, who, value in (("HUMAN", "ann", 3.0), ("LLM_JUDGE", "openai:/m", 4.0))
    ],
}
_PHOENIX = [
    _span(n, **{"llm.model_name": "m", "openinference.span.kind": "LLM",
                "input.value": "Is it heated?", "output.value": "Yes."})
    for n in (1, 2)
]  # fmt: skip
_OTEL = [
    _span(n, **{
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi?"}]}]',
        "gen_ai.output.messages":
            '[{"role":"assistant","parts":[{"type":"text","content":"Hello."}]}]'})
    for n in (1, 2)
]  # fmt: skip
_PROMETHEUS = {
    "orig_instruction": "Q?", "orig_response": "A", "orig_reference_answer": "R",
    "orig_criteria": "Is it kind?", "orig_feedback": "Kind.", "orig_score": "4",
    "instruction": "###…", "output": "Kind. [RESULT] 4",
    **{f"orig_score{n}_description": f"level {n}" for n in range(1, 6)},
}  # fmt: skip
_JUDGE_BENCH = {
    "dataset": "A set",
    "annotations": [{"metric": "grammar", "category": "graded", "worst": 1, "best": 7,
                     "prompt": "Right? {{ instance }}"}],
    "instances": [
        {"id": n, "instance": "Salt water.",
         "annotations": {"grammar": {"individual_human_scores": [2, 3], "judge": "A 5."}}}
        for n in (1, 2)
    ],
}  # fmt: skip
_MT_BENCH = {
    "question_id": 81, "model": "vicuna", "judge": ["gpt-4", "single-v1"], "turn": 1,
    "user_prompt": "[Question]\nQ1?\n\n[The Start of Assistant's Answer]\nA1\n"
    "[The End of Assistant's Answer]",
    "judgment": "Good. Rating: [[8]]", "score": 8, "tstamp": 1700367448.5,
}  # fmt: skip
_TRIVIA: list[list[object]] = [
    ["model", "response", "question", "references", "GPT-4", "HumanJudgement"],
    ["m", "Rome", "Where?", "Rome", "True", "correct"],
    ["m", "Bonn", "And there?", "Ulm", "False", "incorrect"],
]
_RED_TEAM: list[list[object]] = [
    ["Test ID", "Plugin", "Strategy", "Target", "Prompt", "Response", "Pass", "Score", "Reason"],
    ["1", "pii", "basic", "bot", "Who lives there?", "I cannot say.", "true", "1", "refused"],
    ["2", "pii", "basic", "bot", "And there?", "Ann.", "false", "0", "told"],
]
_GUESTS: Rows = [
    {"question": "Is it heated?", "answer": f"Yes, {n}.", "judge_accuracy": n % 5 + 1}
    for n in range(12)
]
_CELLS: list[list[object]] = [list(_GUESTS[0]), *(list(row.values()) for row in _GUESTS)]

PLAIN: dict[str, tuple[str, bytes]] = {
    "native": ("records.jsonl", lines(RECORDS)),
    "inspect": ("log.json", document(_INSPECT)),
    "promptfoo": (
        "results.json", document({"results": {"version": 3, "results": _of(_PROMPTFOO, "id")}})
    ),
    "promptfoo-csv": ("results.csv", table([
        ["question", "[openai:m] ask", "Status", "Score", "Grader Reason"],
        ["Hot?", "Yes.", "PASS", "1.00", "fits"], ["And?", "No.", "FAIL", "0.00", "no"]])),
    "promptfoo-redteam": ("report.csv", table(_RED_TEAM)),
    "lm-eval": ("samples_sums_2026-01-02T03-04-05.678.jsonl", lines(_of(_LM_EVAL, "doc_id"))),
    "openai-evals": ("log.jsonl", lines(_EVENTS)),
    "deepeval": ("run.json", document(_DEEPEVAL)),
    "ragas": ("ragas.jsonl", lines([_RAGAS, _RAGAS])),
    "helm": ("scenario_state.json", document(_HELM)),
    "sharegpt": ("chats.json", document([{"id": f"c{n}", "conversations": [
        {"from": "human", "value": "Hi?"}, {"from": "gpt", "value": "Hello."}]} for n in (1, 2)])),
    "label-studio": ("tasks.json", document(_of(_LABEL_STUDIO, "id"))),
    "label-studio-min": ("rows.json", document([
        {"id": n, "question": "Is it heated?", "tone": "Kind", "quality": 4, "annotator": 7,
         "annotation_id": n, "lead_time": 2.5, "created_at": "2026-01-02T03:04:05Z"}
        for n in (1, 2)])),
    "argilla": ("feedback.json", document(_of(_ARGILLA, "id"))),
    "doccano": ("texts.jsonl", lines([
        {"id": n, "text": "The pool is heated.", "label": ["Kind"]} for n in (1, 2)])),
    "potato": ("annotations.jsonl", lines([
        {"instance_id": f"i{n}", "user_id": "ada",
         "labels": {"tone": {"kind": "kind"}, "quality": {"scale_1": "1"}}} for n in (1, 2)])),
    "potato-table": ("annotated.tsv", table([
        ["user", "instance_id", "displayed_text", "label:::Good", "label:::Bad", "sure:::scale_5"],
        ["ada", "i1", "The pool is.", "label:::Good", "", "4"],
        ["bob", "i1", "The pool is.", "", "label:::Bad", "1"]], "\t")),
    "openai-chat": ("training.jsonl", lines([{"messages": TURNS}, {"messages": TALK}])),
    "langfuse": ("traces.json", document(_of(_TRACE, "id"))),
    "ultrafeedback": ("ultrafeedback.jsonl", lines([
        {"source": "flan", "instruction": f"Is it heated, {n}?", "completions": [
            {"model": model, "response": "Yes.", "critique": "Short.", "overall_score": 6.5,
             "annotations": {"honesty": {"Rating": "4", "Rationale": "It says so."}}}
            for model in ("a", "b")]} for n in (1, 2)])),
    "inspect-table": ("samples.jsonl", lines(_of({
        "sample_id": "s", "eval_id": "e", "log": "logs/pool.eval", "id": "7", "epoch": 1,
        "input": "user:\nIs it heated?\n", "messages": _SAID, "target": "Yes",
        "score_match": "C", "score_match_answer": "Yes", "score_match_explanation": "Fits.",
        "model_usage": '{"m": {"input_tokens": 12, "output_tokens": 5}}', "total_time": 1.5,
        "metadata_subject": "pools"}, "sample_id"))),
    "mlflow": ("traces.jsonl", lines(_of(_MLFLOW, "trace_id"))),
    "phoenix": ("spans.json", document(_PHOENIX)),
    "otel": ("otel.json", document(_OTEL)),
    "tau-bench": ("trials.json", document([
        {"task_id": n, "trial": 0, "reward": 0.5, "traj": TURNS, "info": None} for n in (1, 2)])),
    "swe-agent": ("x.traj", document({
        "trajectory": [{"response": "I look.", "observation": "Nothing."}],
        "history": TALK, "info": {"exit_status": "submitted"}})),
    "atif": ("trajectory.json", document({
        "schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a", "version": "1"},
        "steps": [{"step_id": 1, "source": "user", "message": "Is it heated?"},
                  {"step_id": 2, "source": "agent", "message": "Yes."}]})),
    "judge-bench": ("set.json", document(_JUDGE_BENCH)),
    "prometheus": ("feedback_collection.json", document([_PROMETHEUS, _PROMETHEUS])),
    "alpaca-eval": ("annotations.json", document([
        {"instruction": f"Say {n}", "output_1": "Hi", "output_2": "Ho", "preference": n}
        for n in (1, 2)])),
    "llmbar": ("dataset.json", document([
        {"input": f"Say {n}", "output_1": "Hi", "output_2": "Ho", "label": n} for n in (1, 2)])),
    "pandalm": ("testset.json", document([
        {"idx": n, "cmp_key": "a_b", "instruction": "Say hi", "input": "", "response1": "Hi",
         "response2": "Ho", "annotator1": 1, "gpt_result": "1"} for n in (1, 2)])),
    "judgebench": ("pairs.json", document([
        {"pair_id": f"p{n}", "question": "Q?", "response_A": "a", "response_B": "b",
         "label": "A>B", "judgments": [{"decision": "B>A"}]} for n in (1, 2)])),
    "mt-bench": ("gpt-4_single.jsonl", lines(_of(_MT_BENCH, "question_id"))),
    "summeval": ("summeval.jsonl", lines([
        {"id": "d", "decoded": "Short.", "text": "Long.", "model_id": f"M{n}",
         "expert_annotations": [{"fluency": 2}], "turker_annotations": [{"fluency": 3}]}
        for n in (1, 2)])),
    "g-eval": ("g_eval.json", document([
        {"doc_id": "d", "system_id": f"M{n}", "source": "Long.", "system_output": "Short.",
         "scores": {"fluency": 2.5}} for n in (1, 2)])),
    "fed": ("fed.json", document([
        {"context": "User: Hi!", "system": "Meena", "response": "System: Hello.",
         "annotations": {"Relevant": [2, 1, 0]}} for _ in (1, 2)])),
    "fed-scores": ("fed_scores.json", document([
        {"idx": n, "level": "turn", "input": "Hi!", "score": {"relevant": 0.5}} for n in (1, 2)])),
    "trivia-judges": ("trivia.csv", table(_TRIVIA)),
    "agent-reward-bench": ("agents.csv", table([
        ["benchmark", "task_id", "model_name", "annotator_name", "trajectory_success"],
        ["webarena", "t.1", "m", "H", "Successful"], ["webarena", "t.1", "m", "K", "Unsure"]])),
    "table": ("guests.csv", table(_CELLS)),
    "json": ("guests.json", document(_GUESTS)),
}  # fmt: skip


def _archive(path: Path) -> None:
    header = {name: value for name, value in _INSPECT.items() if name != "samples"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        for sample in _INSPECT["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))


def _workbook(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("guests")
        for number, row in enumerate(_CELLS):
            sheet.write_row(number, 0, row)


def _parquet(path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(_GUESTS), path)


MADE: dict[str, tuple[str, Callable[[Path], None]]] = {
    "inspect archive": ("log.eval", _archive),
    "workbook": ("guests.xlsx", _workbook),
    "parquet": ("guests.parquet", _parquet),
}
EXPORTED = {
    "csv": "own.csv",
    "workbook-records": "own.xlsx",
    "parquet-records": "own.parquet",
}


def samples(folder: Path) -> dict[str, Path]:
    """Write a file of each format, by the format's name; one that has two kinds twice."""
    found: dict[str, Path] = {}
    for name, (file, content) in PLAIN.items():
        found[name] = folder / file
        assert not found[name].exists(), file
        found[name].write_bytes(content)
    for name, (file, make) in MADE.items():
        found[name] = folder / file
        make(found[name])
    with Project.open(building.build_project(folder / "p.review", evaluations=RECORDS)) as project:
        for name, file in EXPORTED.items():
            found[name] = folder / file
            exporting.export(project, found[name], ExportRequest(), Silent())
    return found
