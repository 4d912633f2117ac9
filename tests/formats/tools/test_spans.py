import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.sniffing import sniff
from tests.formats.tools.reading import read, real

PHOENIX = "Arize-ai+phoenix/tests/unit/pxi/evals/online_evals/fixtures/pxi_turn_trace.json"


def span(number: str, parent: str | None, kind: str, **told: Any) -> dict[str, Any]:
    return {
        "name": told.pop("name", kind.lower()),
        "context": {"trace_id": told.pop("trace", "t1"), "span_id": number},
        "parent_id": parent,
        "span_kind": kind,
        "start_time": f"2026-01-02T03:04:0{told.pop('start', 0)}+00:00",
        "end_time": "2026-01-02T03:04:09+00:00",
        "status_code": "OK",
        **told,
    }


def put(folder: Path, spans: list[Any], name: str = "spans.json") -> Path:
    path = folder / name
    lines = name.endswith(".jsonl")
    text = "".join(json.dumps(one) + "\n" for one in spans) if lines else json.dumps(spans)
    path.write_text(text)
    return path


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": listed(value)}}
    if isinstance(value, int):
        return {"intValue": f"{value}"}
    return {"doubleValue" if isinstance(value, float) else "stringValue": value}


def listed(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed(value)} for key, value in attributes.items()]


def otlp(*attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    spans = [
        {
            "traceId": more.get("trace", "t1"),
            "spanId": f"s{number}",
            "parentSpanId": "" if number == 0 else "s0",
            "name": "span",
            "startTimeUnixNano": f"176732304{5 + number}000000000",
            "endTimeUnixNano": "1767323055000000000",
            "attributes": listed(one),
            "events": more.get("events", []) if number == 0 else [],
            "status": more.get("status", {}),
        }
        for number, one in enumerate(attributes)
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


MESSAGES = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.conversation.id": "c1",
    "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi?"}]}]',
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "Hello."}]}]
    ),
}


def test_a_real_trace_of_phoenix_becomes_one_record() -> None:
    records, bad = read(real(PHOENIX), "phoenix")
    assert not bad
    (record,) = records
    turns = record["messages"]
    assert [turn["role"] for turn in turns[:2]] == ["system", "user"]
    assert turns[-1]["content"].startswith("Done! I created the dataset")
    assert sum(len(turn.get("tool_calls", ())) for turn in turns) == 11
    assert record["cluster"] == "fixture-session"
    assert (record["latency_ms"], record["model"]) == (35_000, "claude-fable-5")
    steps = record["meta"]["steps"]
    assert [sum(step["kind"] == kind for step in steps) for kind in ("model", "tool")] == [9, 8]


def test_retrieved_documents_become_sources_and_annotations_take_their_sides(
    tmp_path: Path,
) -> None:
    found = [{"document": {"id": "d1", "content": "Text.", "score": 0.5}}]
    annotations = [
        {"name": "quality", "annotator_kind": "LLM",
         "result": {"label": "good", "score": 0.9, "explanation": "fits"}},
        {"name": "quality", "annotator_kind": "HUMAN", "user_id": "ann",
         "result": {"label": "bad"}, "created_at": "2026-01-03T00:00:00+00:00"},
    ]  # fmt: skip
    spans = [
        span("a", None, "CHAIN", annotations=annotations,
             attributes={"input": {"value": "Where?"}, "output": {"value": "Here."}}),
        span("b", "a", "RETRIEVER", start=1, attributes={"retrieval": {"documents": found}}),
    ]  # fmt: skip
    (record,), bad = read(put(tmp_path, spans), "phoenix")
    assert not bad
    assert [turn["content"] for turn in record["messages"]] == ["Where?", "Here."]
    assert record["sources"] == [{"id": "d1", "text": "Text.", "relevance": 0.5}]
    assert record["scores"] == [
        {"metric": "quality", "value": 0.9, "reasoning": "fits", "scorer": "llm",
         "meta": {"label": "good"}}
    ]  # fmt: skip
    assert record["labels"] == [
        {"metric": "quality", "value": "bad", "at": "2026-01-03T00:00:00+00:00", "labeler": "ann"}
    ]


def test_spans_of_a_trace_may_stand_apart_and_under_dotted_columns(tmp_path: Path) -> None:
    spans = [
        {
            "context.trace_id": f"t{n % 2}",
            "context.span_id": f"s{n}",
            "parent_id": None if n < 2 else f"s{n % 2}",
            "name": "x",
            "attributes.openinference.span.kind": "LLM",
            "attributes.llm.input_messages": [
                {"message.role": "user", "message.content": f"Question {n}?"}
            ],
            "attributes.output.value": f"Answer {n}.",
        }
        for n in range(4)
    ]
    records, bad = read(put(tmp_path, spans, "spans.jsonl"), "phoenix")
    assert not bad
    assert [record["id"] for record in records] == ["t0", "t1"]
    assert records[0]["messages"][0]["content"] == "Question 0?"


@pytest.mark.parametrize("name", ["spans.json", "spans.jsonl"])
def test_otlp_gives_messages_usage_and_evaluations(tmp_path: Path, name: str) -> None:
    result = {
        "gen_ai.evaluation.name": "relevance",
        "gen_ai.evaluation.score.value": 0.8,
        "gen_ai.evaluation.score.label": "good",
        "gen_ai.evaluation.explanation": "fits",
    }
    event = {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": "1767323049000000000",
        "attributes": listed(result),
    }
    document = otlp(MESSAGES, events=[event])
    path = tmp_path / name
    path.write_text(json.dumps(document) + ("\n" if name.endswith("l") else ""))
    (record,), bad = read(path, "otel")
    assert not bad
    assert record["messages"] == [
        {"role": "user", "content": "Hi?"},
        {"role": "assistant", "content": "Hello."},
    ]
    assert (record["tokens_in"], record["tokens_out"], record["model"]) == (12, 7, "m")
    assert (record["occurred_at"], record["latency_ms"]) == ("2026-01-02T03:04:05Z", 10_000)
    assert record["cluster"] == "c1"
    assert record["scores"] == [
        {"metric": "relevance", "value": 0.8, "reasoning": "fits", "at": "2026-01-02T03:04:09Z",
         "scorer": "evaluation", "meta": {"label": "good"}}
    ]  # fmt: skip


def test_older_events_and_numbered_prompts_are_messages_too(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "Hello."}
    events = [
        {"name": "gen_ai.user.message", "attributes": listed({"content": "Hi?"})},
        {"name": "gen_ai.choice", "attributes": listed({"index": 0, "message": said})},
    ]
    numbered = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Hello.",
    }
    first = otlp({"gen_ai.operation.name": "chat"}, events=events)
    path = put(tmp_path, [first, otlp(numbered, trace="t2")], "spans.jsonl")
    records, bad = read(path, "otel")
    assert not bad
    assert (
        records[0]["messages"]
        == records[1]["messages"]
        == [
            {"role": "user", "content": "Hi?"},
            said,
        ]
    )


def test_records_of_a_log_are_events_of_the_span_that_they_name(tmp_path: Path) -> None:
    def logged(name: str, body: Any, trace: str = "t1", number: str = "s0") -> dict[str, Any]:
        return {
            "traceId": trace,
            "spanId": number,
            "timeUnixNano": "1767323046000000000",
            "eventName": name,
            "body": typed(body),
            "attributes": listed({"gen_ai.system": "m"}),
        }

    logs = [
        logged("gen_ai.user.message", {"content": "Hi?"}),
        logged("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": "Oh."}}),
        logged("gen_ai.client.inference.operation.details", {}, "t2")
        | {"attributes": listed(MESSAGES)},
    ]
    rows = [otlp({"gen_ai.operation.name": "chat"}),
            {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]}]  # fmt: skip
    records, bad = read(put(tmp_path, rows, "spans.jsonl"), "otel")
    assert not bad
    said = {record["id"]: [turn["content"] for turn in record["messages"]] for record in records}
    assert said == {"t1": ["Hi?", "Oh."], "t2": ["Hi?", "Hello."]}


ANNOTATED: list[dict[str, Any]] = [
    {"id": "n1", "span_id": "b", "name": "quality", "annotator_kind": "LLM",
     "result": {"label": "good", "score": 0, "explanation": "fits"}},
    {"id": "n2", "span_id": "b", "name": "quality", "annotator_kind": "HUMAN", "user_id": "ann",
     "result": {"label": "bad"}},
    {"id": "n3", "span_id": "z", "name": "quality", "annotator_kind": "LLM",
     "result": {"score": 1}},
]  # fmt: skip
TABLE = """\
span_id,annotation_name,annotator_kind,result.label,result.score,result.explanation,user_id
b,quality,LLM,good,0,fits,
b,quality,HUMAN,bad,,,ann
z,quality,LLM,,1,,
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("annotations.json", json.dumps({"data": ANNOTATED, "next_cursor": None})),
        ("a-annotations.jsonl", "".join(json.dumps(row) + "\n" for row in ANNOTATED)),
        ("annotations.csv", TABLE),
    ],
)
def test_annotations_beside_are_taken_to_their_spans(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    spans = [span("a", None, "CHAIN"), span("b", "a", "LLM", attributes={"input.value": "Q?"})]
    file = put(tmp_path, spans)
    assert any(name in said for said in sniff(file).sentences)
    (record,), bad = read(file, "phoenix")
    (score,), (label,) = record["scores"], record["labels"]
    assert (score["value"], score["reasoning"], score["scorer"]) == (0, "fits", "llm")
    assert (label["value"], label["labeler"]) == ("bad", "ann")
    assert [row.reason for row in bad] == [
        "1 annotation beside, of spans that are not in this file"
    ]


def test_annotations_beside_may_be_a_data_frame_too(tmp_path: Path) -> None:
    rows = [{"span_id": one["span_id"], "annotation_name": one["name"],
             "annotator_kind": one["annotator_kind"], "user_id": one.get("user_id"),
             **{f"result.{key}": one["result"].get(key) for key in ("label", "score")}}
            for one in ANNOTATED]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "annotations.parquet")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other_annotations.parquet")
    spans = [span("a", None, "CHAIN"), span("b", "a", "LLM", attributes={"input.value": "Q?"})]
    (record,), _ = read(put(tmp_path, spans), "phoenix")
    assert [x["value"] for x in record["scores"]] == [0]
    assert [x["labeler"] for x in record["labels"]] == ["ann"]


def test_an_annotation_in_two_exports_beside_counts_once_as_it_stood_last(
    tmp_path: Path,
) -> None:
    def noted(score: int, minute: int, number: str = "n1") -> dict[str, Any]:
        return {"id": number, "span_id": "b", "name": "quality", "annotator_kind": "LLM",
                "result": {"score": score}, "created_at": "2026-01-02T03:00:00+00:00",
                "updated_at": f"2026-01-02T03:{minute:02}:00+00:00"}  # fmt: skip

    newer = [noted(5, 2), noted(2, 1, "n2")]
    (tmp_path / "a_annotations.json").write_text(json.dumps(newer))
    (tmp_path / "b_annotations.json").write_text(json.dumps({"data": [noted(1, 1)]}))
    (tmp_path / "c_annotations.csv").write_text(
        "id,span_id,annotation_name,annotator_kind,result.score,updated_at\n"
        "n1,b,quality,LLM,4,2026-01-02 03:01:30+00:00\n"
    )
    spans = put(tmp_path, [span("b", None, "LLM", attributes={"input.value": "Q?"})])
    (record,), bad = read(spans, "phoenix")
    assert not bad
    assert [score["value"] for score in record["scores"]] == [5, 2]


def test_broken_annotations_beside_are_told(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_text(json.dumps(ANNOTATED[0]) + "\n{")
    spans = put(tmp_path, [span("b", None, "LLM", attributes={"input.value": "Q?"})])
    with pytest.raises(FormatError, match=r"annotations\.jsonl, line 2"):
        read(spans, "phoenix")


def test_tools_that_no_message_shows_are_told_in_order(tmp_path: Path) -> None:
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": "c7",
        "gen_ai.tool.call.arguments": '{"q": 1}',
        "gen_ai.tool.call.result": '"found"',
    }
    asked = {**MESSAGES, "gen_ai.output.messages": "[]"}
    answered = {key: x for key, x in MESSAGES.items() if key != "gen_ai.input.messages"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(otlp(asked, tool, answered, status={"code": 2, "message": "late"})))
    (record,), _ = read(path, "otel")
    assert record["messages"] == [
        {"role": "user", "content": "Hi?"},
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "c7", "name": "find", "arguments": {"q": 1}}]},
        {"role": "tool", "name": "find", "content": "found", "tool_call_id": "c7"},
        {"role": "assistant", "content": "Hello."},
    ]  # fmt: skip
    assert record["error"] == "late"


def test_what_is_no_span_and_what_is_nested_too_deeply_is_told(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(150):
        deep = {"a": deep}
    good = [span(f"s{n}", None, "LLM", trace=f"t{n}", attributes={"input.value": "Hi?"})
            for n in range(60)]  # fmt: skip
    path = put(tmp_path, [*good, {"no": "span"}, span("x", None, "LLM", trace="d",
               attributes={"input.value": "Q", "llm": deep}), 7], "spans.jsonl")  # fmt: skip
    path.write_text(path.read_text() + '{"a":' * 5000 + "1" + "}" * 5000)
    records, bad = read(path, "phoenix")
    assert len(records) == 61
    assert [row.line for row in bad] == [61, 63, 64]
    assert bad[0].reason == "a step of a trace is expected"
    assert "nested too deeply" in bad[2].reason


def test_spans_of_other_programs_are_not_taken(tmp_path: Path) -> None:
    other = otlp({"http.method": "GET"})
    path = tmp_path / "a.json"
    path.write_text(json.dumps(other))
    assert sniff(path).format == "json"


@pytest.mark.parametrize(
    ("number", "time"),
    [
        ("1767323049000000000", "2026-01-02T03:04:09Z"),
        # a float of it is nearer to the next microsecond
        ("1767323049123456999", "2026-01-02T03:04:09.123456Z"),
        (1767323049000001000, "2026-01-02T03:04:09.000001Z"),
        ("1767323049000000999", "2026-01-02T03:04:09Z"),
        ("99999999999999999999999999", None),
        (1767323049, "2026-01-02T03:04:09Z"),
        (1767323049.25, "2026-01-02T03:04:09.250000Z"),
        ("1767323049123", "2026-01-02T03:04:09.123000Z"),
        (1767323049123456, "2026-01-02T03:04:09.123456Z"),
    ],
)
def test_times_since_1970_are_exact_in_every_unit(
    number: str | float, time: str | None, tmp_path: Path
) -> None:
    document = otlp(MESSAGES)
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["startTimeUnixNano"] = number
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps(document) + "\n")
    (record,), bad = read(path, "otel")
    assert not bad
    assert record.get("occurred_at") == time


def test_an_evaluation_that_failed_is_a_score_with_its_error(tmp_path: Path) -> None:
    told = [
        {"gen_ai.evaluation.name": "Late", "error.type": "timeout"},
        {"gen_ai.evaluation.name": "Mute", "gen_ai.evaluation.explanation": "unsure"},
    ]
    events = [{"name": "gen_ai.evaluation.result", "attributes": listed(x)} for x in told]
    (record,), bad = read(put(tmp_path, [otlp(MESSAGES, events=events)], "a.jsonl"), "otel")
    assert not bad
    assert record["scores"] == [
        {"metric": "Late", "value": None, "error": "timeout", "scorer": "evaluation"},
        {"metric": "Mute", "value": None, "error": "no value was given", "reasoning": "unsure",
         "scorer": "evaluation"},
    ]  # fmt: skip


def test_what_a_person_wrote_without_a_value_is_a_comment(tmp_path: Path) -> None:
    said = {"name": "tone", "annotator_kind": "HUMAN", "result": {"explanation": "Hm."}}
    told = span("b", None, "LLM", attributes={"input.value": "Q?"}, annotations=[said])
    (record,), _ = read(put(tmp_path, [told]), "phoenix")
    assert record["labels"] == [
        {"metric": "tone", "value": None, "kind": "comment", "comment": "Hm.",
         "labeler": "annotator"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("trace", "number"),
    [
        ("59f10de7ff39581ce9d91c6b27a1efac", "21bdec4d4eb4639c"),
        ("0x59f10de7ff39581ce9d91c6b27a1efac", "0x21bdec4d4eb4639c"),
        ("WfEN5/85WBzp2RxrJ6HvrA==", "Ib3sTU60Y5w="),
    ],
)
def test_ids_are_the_same_whoever_exported_them(trace: str, number: str, tmp_path: Path) -> None:
    note = {"id": "n1", "span_id": "21bdec4d4eb4639c", "name": "quality", "annotator_kind": "LLM",
            "result": {"score": 1}}  # fmt: skip
    (tmp_path / "annotations.jsonl").write_text(json.dumps(note) + "\n")
    spans = [
        span("b", number, "LLM", trace=trace, start=1),
        span(number, None, "LLM", trace=trace, attributes={"input.value": "Hi?"}),
    ]
    (record,), bad = read(put(tmp_path, spans, "spans.jsonl"), "phoenix")
    assert not bad
    assert record["id"] == "59f10de7ff39581ce9d91c6b27a1efac"
    assert [score["value"] for score in record["scores"]] == [1]


def test_an_id_that_only_looks_like_base64_stays(tmp_path: Path) -> None:
    spans = [span("b", None, "LLM", trace="chat-number=", attributes={"input.value": "Hi?"})]
    (record,), _ = read(put(tmp_path, spans), "phoenix")
    assert record["id"] == "chat-number="


def test_instructions_of_the_first_call_stand_before_the_conversation(tmp_path: Path) -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "parts": [{"type": "text", "content": text}]}

    def call(*given: dict[str, Any], gave: str, **more: str) -> dict[str, Any]:
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps([said("assistant", gave)]),
            **more,
        }

    brief = {"gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}
    other = {"gen_ai.system_instructions": '[{"type": "text", "content": "Judge it."}]'}
    first = call(said("user", "Hi?"), gave="Yes?", **brief)
    judge = call(said("user", "Is it good?"), gave="Yes.", **other)
    again = call(said("user", "Hi?"), said("assistant", "Yes?"), said("user", "Why?"), gave="So.")
    (record,), _ = read(put(tmp_path, [otlp(judge, first, again)], "a.jsonl"), "otel")
    assert [turn["content"] for turn in record["messages"]] == [
        "Be brief.", "Hi?", "Yes?", "Why?", "So."
    ]  # fmt: skip
