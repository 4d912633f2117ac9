"""Make files of other tools, the same for the same count, and parse them with plain libraries."""

import csv
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

TEXT: Final = "The night bus leaves at ten past two from the stop beside the old harbour. " * 9
TIME: Final = "2026-01-02T03:04:05+00:00"
Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A format as it is measured.

    Attributes:
        suffix: The end of its files' names.
        make: Makes a row of a number.
        write: Writes rows into a file.
        parse: Gives the rows of a file with the fastest plain library.
        answers: What a person would say of its columns.
    """

    suffix: str
    make: Callable[[int], Any]
    write: Callable[[Path, Iterable[Any]], None]
    parse: Callable[[Path], Iterator[Any]]
    answers: tuple[str, ...] = field(default=())


def _turns(number: int, count: int = 6) -> list[Row]:
    return [{"role": ("user", "assistant")[n % 2], "content": f"{number}.{n} {TEXT}"}
            for n in range(count)]  # fmt: skip


def _sample(number: int) -> Row:
    """Make a sample of an Inspect log: six turns, and events that repeat them."""
    turns = _turns(number)
    event = {"event": "model", "timestamp": TIME, "input": turns, "output": TEXT}
    return {
        "id": number,
        "epoch": 1,
        "input": turns[0]["content"],
        "target": "two",
        "messages": turns,
        "output": {"model": "m", "completion": turns[-1]["content"]},
        "scores": {"graded": {"value": "CI"[number % 2], "explanation": TEXT}},
        "metadata": {"place": number},
        "model_usage": {"m/one": {"input_tokens": 9, "output_tokens": 9}},
        "events": [event] * 3,
    }


def _result(number: int) -> Row:
    """Make a result of promptfoo with two assertions."""
    parts = [{"pass": True, "score": 0.5, "reason": TEXT,
              "assertion": {"type": "llm-rubric"} | told}
             for told in ({}, {"metric": "Tone"})]  # fmt: skip
    return {
        "id": f"r{number}",
        "testIdx": number,
        "promptIdx": 0,
        "promptId": "p",
        "provider": {"id": "m:one", "label": ""},
        "prompt": {"raw": f"{number} {TEXT}", "label": "{{question}}"},
        "vars": {"question": f"{number} {TEXT}"},
        "response": {"output": TEXT, "tokenUsage": {"prompt": 9, "completion": 9}},
        "gradingResult": {"pass": True, "score": 0.5, "reason": "fine", "componentResults": parts},
        "namedScores": {"Tone": 0.5},
        "score": 0.5,
        "success": True,
        "failureReason": 0,
        "latencyMs": 12,
        "testCase": {"vars": {"question": f"{number} {TEXT}"}, "assert": []},
    }


def _document(number: int) -> Row:
    return {
        "doc_id": number,
        "doc": {"question": TEXT, "answer": "two"},
        "target": "two",
        "arguments": {"gen_args_0": {"arg_0": f"{number} {TEXT}", "arg_1": {"until": ["."]}}},
        "resps": [[TEXT]],
        "filtered_resps": [TEXT],
        "filter": "strict",
        "metrics": ["exact_match"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": float(number % 2),
    }


def _case(number: int) -> Row:
    metric = {"name": "graded", "threshold": 0.5, "success": True, "score": 0.5, "reason": TEXT,
              "evaluationModel": "m"}  # fmt: skip
    return {
        "name": f"case_{number}",
        "input": f"{number} {TEXT}",
        "actualOutput": TEXT,
        "expectedOutput": "two",
        "context": ["A timetable."],
        "success": True,
        "metricsData": [metric, metric | {"name": "Tone"}],
        "runDuration": 0.5,
        "order": number,
    }


def _trace(number: int) -> Row:
    """Make a trace of Langfuse: a call of a tool, a call of a model and a judge's score."""
    turns = _turns(number, 3)
    shared = {"traceId": f"t{number}", "startTime": TIME, "endTime": TIME, "level": "DEFAULT"}
    return {
        "id": f"t{number}",
        "name": "chat",
        "timestamp": TIME,
        "sessionId": None,
        "userId": None,
        "input": json.dumps(turns),
        "output": TEXT,
        "observations": [
            shared | {"id": f"o{number}", "type": "GENERATION", "name": "model", "model": "m",
                      "input": json.dumps(turns), "output": TEXT, "totalCost": 0.01},
            shared | {"id": f"p{number}", "type": "TOOL", "name": "search",
                      "input": '{"q": "bus"}', "output": TEXT},
        ],
        "scores": [{"name": "graded", "value": 0.5, "source": "EVAL", "comment": TEXT,
                    "dataType": "NUMERIC", "timestamp": TIME}],
    }  # fmt: skip


def _spans(number: int) -> list[Row]:
    """Make the spans of a trace as Phoenix saves them: an agent, a model's call and a tool's."""

    def span(at: str, kind: str, parent: str | None, told: Row) -> Row:
        return {
            "name": kind.lower(),
            "context": {"trace_id": f"t{number}", "span_id": f"{at}{number}"},
            "parent_id": parent,
            "span_kind": kind,
            "start_time": TIME,
            "end_time": TIME,
            "status_code": "OK",
            "attributes": told,
        }

    said = {"input.value": f"{number} {TEXT}", "output.value": TEXT}
    messages = {
        f"llm.input_messages.{n}.message.{key}": turn[key]
        for n, turn in enumerate(_turns(number, 3))
        for key in ("role", "content")
    }
    replied = {"llm.output_messages.0.message.role": "assistant",
               "llm.output_messages.0.message.content": TEXT,
               "llm.model_name": "m", "llm.token_count.prompt": 9}  # fmt: skip
    tool = {"tool.name": "search", "input.value": '{"q": "bus"}', "output.value": TEXT}
    return [
        span("a", "AGENT", None, said)
        | {"annotations": [{"name": "graded", "annotator_kind": "LLM",
                            "result": {"score": 0.5, "explanation": TEXT}}]},
        span("b", "LLM", f"a{number}", messages | replied),
        span("c", "TOOL", f"a{number}", tool),
    ]  # fmt: skip


def _exported(number: int) -> Row:
    """Make what OpenTelemetry exports of a trace: an agent, a model's call and a tool's."""

    def span(at: str, told: dict[str, Any], events: Iterable[Row] = ()) -> Row:
        return {
            "traceId": f"t{number}", "spanId": f"{at}{number}",
            "parentSpanId": "" if at == "a" else f"a{number}", "name": "span",
            "startTimeUnixNano": "1767323045000000000", "endTimeUnixNano": "1767323055000000000",
            "attributes": listed(told), "events": list(events), "status": {},
        }  # fmt: skip

    def listed(told: dict[str, Any]) -> list[Row]:
        kinds = {str: "stringValue", int: "intValue", float: "doubleValue"}
        return [{"key": key, "value": {kinds[type(x)]: x}} for key, x in told.items()]

    parts = [{"role": turn["role"], "parts": [{"type": "text", "content": turn["content"]}]}
             for turn in _turns(number, 3)]  # fmt: skip
    reply = [{"role": "assistant", "parts": [{"type": "text", "content": TEXT}]}]
    result = {"gen_ai.evaluation.name": "graded", "gen_ai.evaluation.score.value": 0.5,
              "gen_ai.evaluation.explanation": TEXT}  # fmt: skip
    judged = {"name": "gen_ai.evaluation.result", "timeUnixNano": "1767323055000000000",
              "attributes": listed(result)}  # fmt: skip
    spans = [
        span("a", {"gen_ai.operation.name": "invoke_agent"}, [judged]),
        span("b", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
                   "gen_ai.usage.input_tokens": 9, "gen_ai.input.messages": json.dumps(parts),
                   "gen_ai.output.messages": json.dumps(reply)}),
        span("c", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
                   "gen_ai.tool.call.arguments": '{"q": "bus"}', "gen_ai.tool.call.result": TEXT}),
    ]  # fmt: skip
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def _trajectory(number: int) -> Row:
    call = {"id": "call_1", "type": "function",
            "function": {"name": "get_user", "arguments": '{"user_id": "mia"}'}}  # fmt: skip
    turns = _turns(number)
    turns[1:1] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "name": "get_user", "content": TEXT},
    ]
    task = {"user_id": "mia", "actions": [{"name": "book", "kwargs": {"at": "two"}}],
            "instruction": TEXT, "outputs": []}  # fmt: skip
    return {"task_id": number, "trial": 0, "reward": float(number % 2),
            "info": {"task": task, "user_cost": 0.01}, "traj": turns}  # fmt: skip


def _task(number: int) -> Row:
    """Make a task of Label Studio: one person's rating and remark, and a prediction."""

    def rated(value: float) -> Row:
        return {"from_name": "graded", "to_name": "text", "type": "number",
                "value": {"number": value}}  # fmt: skip

    remark = {"from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": [TEXT]}}
    return {
        "id": number,
        "data": {"question": f"{number} {TEXT}", "response": TEXT},
        "annotations": [
            {"id": number, "completed_by": {"id": 7, "email": "ann@example.com"},
             "result": [rated(0.25), remark], "created_at": TIME, "lead_time": 7.5,
             "ground_truth": False, "was_cancelled": False}
        ],
        "predictions": [{"model_version": "m", "score": 0.5, "result": [rated(0.5)]}],
    }  # fmt: skip


def _argilla(number: int) -> Row:
    return {
        "id": f"{number}",
        "fields": {"question": f"{number} {TEXT}", "response": TEXT},
        "metadata": {"place": number},
        "suggestions": {"graded": {"value": 1, "agent": "m", "score": 0.5}},
        "responses": {"graded": [{"value": 0, "user_id": "ann", "status": "submitted"}]},
        "vectors": {},
    }


def _chat(number: int) -> Row:
    return {"messages": _turns(number), "metadata": {"place": number}}


def _logged(number: int) -> list[Row]:
    """Make the events that OpenAI evals logs of a sample."""
    known = {"run_id": "r", "sample_id": f"dev.{number}", "created_at": TIME}
    asked = [{"role": "user", "content": f"{number} {TEXT}"}]
    told = [("sampling", {"prompt": asked, "sampled": [TEXT], "usage": {"prompt_tokens": 5}}),
            ("match", {"correct": number % 2 > 0, "expected": "two", "picked": TEXT})]  # fmt: skip
    return [{**known, "event_id": 2 * number + at, "type": kind, "data": data}
            for at, (kind, data) in enumerate(told)]  # fmt: skip


def _annotated(number: int) -> Row:
    """Make a row of Ragas' annotations, with a judge's prompt and a person's acceptance."""
    verdict = {"verdict": number % 2, "reason": TEXT}
    prompt = {"prompt_input": {"response": TEXT}, "prompt_output": verdict,
              "is_accepted": True, "edited_output": None}  # fmt: skip
    return {
        "metric_input": {"user_input": f"{number} {TEXT}", "response": TEXT},
        "metric_output": number % 2,
        "prompts": {"single_turn_prompt": prompt},
        "is_accepted": True,
    }


def _measured(number: int) -> Row:
    return {"user_input": f"{number} {TEXT}", "response": TEXT, "retrieved_contexts": [TEXT],
            "reference": "two", "graded": 0.5, "Tone": 0.25}  # fmt: skip


def _state(number: int) -> Row:
    """Make what HELM keeps of an instance."""
    return {
        "instance": {"id": f"id{number}", "input": {"text": f"{number} {TEXT}"}, "split": "test",
                     "references": [{"output": {"text": "two"}, "tags": ["correct"]}]},
        "train_trial_index": 0,
        "request": {"model": "m/one", "prompt": f"{number} {TEXT}", "temperature": 0.0},
        "result": {"success": True, "completions": [{"text": TEXT, "logprob": -1.5}],
                   "request_time": 0.5, "request_datetime": 1767323045},
    }  # fmt: skip


def _talk(number: int) -> Row:
    turns = [{"from": ("human", "gpt")[n % 2], "value": turn["content"]}
             for n, turn in enumerate(_turns(number))]  # fmt: skip
    return {"id": f"c{number}", "conversations": turns}


def _classified(number: int) -> Row:
    return {"id": number, "text": f"{number} {TEXT}", "label": [("good", "bad")[number % 2]],
            "Comments": ["unclear"]}  # fmt: skip


def _compared(number: int) -> Row:
    return {"instruction": f"{number} {TEXT}", "output_1": TEXT, "generator_1": "one",
            "output_2": TEXT, "generator_2": "two", "annotator": "gpt4", "time_per_example": 1.5,
            "preference": 1.0 + number % 2, "raw_completion": TEXT}  # fmt: skip


def _rated(number: int) -> Row:
    prompt = (
        f"[Instruction]\nRate it.\n\n[Question]\n{number} {TEXT}\n\n"
        f"[The Start of Assistant's Answer]\n{TEXT}\n[The End of Assistant's Answer]"
    )
    return {"question_id": number, "model": "m", "judge": ["gpt-4", "single-v1"], "turn": 1,
            "user_prompt": prompt, "judgment": f"{TEXT} Rating: [[8]]", "score": 8,
            "tstamp": 1700367448.5}  # fmt: skip


def _collected(number: int) -> Row:
    levels = {f"orig_score{n}_description": f"level {n}" for n in range(1, 6)}
    return {"orig_instruction": f"{number} {TEXT}", "orig_response": TEXT, "orig_score": "4",
            "orig_reference_answer": "two", "orig_criteria": "Is it kind?",
            "orig_feedback": TEXT, "instruction": TEXT, "output": f"{TEXT} [RESULT] 4",
            **levels}  # fmt: skip


def _instance(number: int) -> Row:
    people = {"mean_human": 0.5, "individual_human_scores": [0, 1, 1]}
    return {"id": number, "instance": f"{number} {TEXT}", "annotations": {"reward": people}}


def _record(number: int) -> Row:
    return {
        "id": f"{number}",
        "input": f"{number} {TEXT}",
        "response": TEXT,
        "scores": [{"metric": name, "value": 0.5, "reasoning": TEXT, "scorer": "judge"}
                   for name in ("graded", "Tone")],
    }  # fmt: skip


def _cells(number: int) -> Row:
    return {"id": f"q{number}", "question": f"{number} {TEXT}", "answer": TEXT, "graded": 0.5,
            "tone_human": number % 2}  # fmt: skip


def _listed(before: str, after: str, *, indent: int | None = 2) -> Callable[..., None]:
    """Write a list inside a document: indented as most tools do, or all in one line."""
    end = "\n" if indent else ""

    def write(path: Path, rows: Iterable[Any]) -> None:
        with path.open("w", encoding="utf-8") as out:
            out.write(before)
            for at, row in enumerate(rows):
                text = json.dumps(row, indent=indent).replace("\n", "\n  ")
                out.write(f"{',' if at else ''}{end}{'  ' if indent else ''}{text}")
            out.write(f"{end}{after}{end}")

    return write


def _lines(path: Path, rows: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            for one in row if isinstance(row, list) else [row]:
                out.write(json.dumps(one) + "\n")


def _events(path: Path, rows: Iterable[Any]) -> None:
    """Write a log of OpenAI evals."""

    def lines() -> Iterator[Any]:
        yield {"spec": {"eval_name": "buses.dev", "completion_fns": ["m"], "created_at": TIME}}
        yield from rows

    _lines(path, lines())


def _log(path: Path, rows: Iterable[Any]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success",
                                                    "eval": HEAD}))  # fmt: skip
        for number, row in enumerate(rows):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(row))


def _helm(path: Path, rows: Iterable[Row]) -> None:
    """Write instances, and beside them what was measured of each."""
    number = -1

    def counted() -> Iterator[Row]:
        nonlocal number
        for row in rows:
            number += 1
            yield row

    _listed('{"adapter_spec": {"model": "m/one"}, "request_states": [', "]}")(path, counted())
    stats = [{"name": {"name": name, "split": "test"}, "count": 1, "sum": 0.5, "mean": 0.5}
             for name in ("exact_match", "graded", "num_prompt_tokens")]  # fmt: skip
    measured = ({"instance_id": f"id{n}", "train_trial_index": 0, "stats": stats}
                for n in range(number + 1))  # fmt: skip
    _listed("[", "]")(path.with_name("per_instance_stats.json"), measured)


def _table(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(_cells(0)))
        writer.writeheader()
        writer.writerows(rows)


def _parquet(path: Path, rows: Iterable[Row]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    left = iter(rows)
    first = pa.Table.from_pylist(list(islice(left, 5_000)))
    with parquet.ParquetWriter(path, first.schema) as out:
        out.write_table(first)
        while some := list(islice(left, 5_000)):
            out.write_table(pa.Table.from_pylist(some, schema=first.schema))


def _workbook(path: Path, rows: Iterable[Row]) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet("results")
        sheet.write_row(0, 0, list(_cells(0)))
        for at, row in enumerate(rows, 1):
            sheet.write_row(at, 0, list(row.values()))


def _parsed(*steps: str) -> Callable[[Path], Iterator[Any]]:
    """Read a whole document, and give the list that stands in it."""

    def parse(path: Path) -> Iterator[Any]:
        found = msgspec.json.decode(path.read_bytes())
        for step in steps:
            found = found[step]
        yield from found

    return parse


def _both(path: Path) -> Iterator[Any]:
    yield from _parsed("request_states")(path)
    yield from _parsed()(path.with_name("per_instance_stats.json"))


def _each_line(path: Path) -> Iterator[Any]:
    with path.open("rb") as lines:
        yield from map(msgspec.json.decode, lines)


def _members(path: Path) -> Iterator[Any]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("samples/"):
                yield msgspec.json.decode(archive.read(name))


def _each_row(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines)


def _of_groups(path: Path) -> Iterator[Any]:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from zip(*batch.to_pydict().values(), strict=True)


def _of_sheet(path: Path) -> Iterator[Any]:
    from python_calamine import CalamineWorkbook

    yield from CalamineWorkbook.from_path(path).get_sheet_by_index(0).iter_rows()


HEAD: Final = {"task": "buses", "model": "m/one", "created": TIME}
_LOG: Final = (
    f'{{"version": 2, "status": "success", "eval": {json.dumps(HEAD)}, "samples": [',
    "]}",
)
_RESULTS: Final = ('{"evalId": "eval-1", "results": {"version": 3,"results": [', "]}}")
_BENCH: Final = (
    '{"dataset": "buses", "annotations": [{"metric": "reward", "category": "graded", "worst": 0, '
    '"best": 1, "prompt": "Is it right?"}], "instances": [',
    "]}",
)
_SIDES: Final = ("graded=judge",)
KINDS: Final[dict[str, Kind]] = {
    "native": Kind("jsonl", _record, _lines, _each_line),
    "inspect": Kind("json", _sample, _listed(*_LOG), _parsed("samples")),
    "inspect-one-line": Kind("json", _sample, _listed(*_LOG, indent=None),
                             _parsed("samples")),
    "inspect-eval": Kind("eval", _sample, _log, _members),
    "promptfoo": Kind("json", _result, _listed(*_RESULTS),
                      _parsed("results", "results")),
    "promptfoo-one-line": Kind("json", _result, _listed(*_RESULTS, indent=None),
                               _parsed("results", "results")),
    "promptfoo-lines": Kind("jsonl", _result, _lines, _each_line),
    "lm-eval": Kind("jsonl", _document, _lines, _each_line),
    "deepeval": Kind("json", _case, _listed('{"testCases": [', '], "testPassed": 1}'),
                     _parsed("testCases")),
    "langfuse": Kind("json", _trace, _listed("[", "]"), _parsed()),
    "phoenix": Kind("jsonl", _spans, _lines, _each_line),
    "otel": Kind("jsonl", _exported, _lines, _each_line),
    "tau-bench": Kind("json", _trajectory, _listed("[", "]"), _parsed()),
    "label-studio": Kind("json", _task, _listed("[", "]"), _parsed()),
    "argilla": Kind("json", _argilla, _listed("[", "]"), _parsed()),
    "openai-evals": Kind("jsonl", _logged, _events, _each_line),
    "ragas": Kind("json", _annotated, _listed('{"graded": [', "]}"), _parsed("graded")),
    "ragas-results": Kind("jsonl", _measured, _lines, _each_line),
    "helm": Kind("json", _state, _helm, _both),
    "sharegpt": Kind("json", _talk, _listed("[", "]"), _parsed()),
    "doccano": Kind("jsonl", _classified, _lines, _each_line),
    "alpaca-eval": Kind("json", _compared, _listed("[", "]"), _parsed()),
    "mt-bench": Kind("jsonl", _rated, _lines, _each_line),
    "prometheus": Kind("json", _collected, _listed("[", "]"), _parsed()),
    "judge-bench": Kind("json", _instance, _listed(*_BENCH), _parsed("instances")),
    "openai-chat": Kind("jsonl", _chat, _lines, _each_line),
    "table-csv": Kind("csv", _cells, _table, _each_row, _SIDES),
    "table-json": Kind("json", _cells, _listed("[", "]"), _parsed(), _SIDES),
    "parquet": Kind("parquet", _cells, _parquet, _of_groups, _SIDES),
    "workbook": Kind("xlsx", _cells, _workbook, _of_sheet, _SIDES),
}  # fmt: skip
