"""Traces of MLflow: what `search_traces` gives as a data frame, tables of `evaluate`, JSON traces.

An assessment by a `HUMAN` is a label, one by a judge or code an auto score; of any other source it
stays under `meta`, as nobody knows whose it is, and so does what was overridden since. Of
expectations the expected response is what was expected, others stay there, too. The columns
`NAME/value` and `NAME/rationale` of an evaluation's table only repeat assessments.
Read: traces and an evaluation that MLflow 3.17.2 recorded, saved as Parquet, CSV, workbook and
JSON. From the documentation only: the names that version 2 had.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.conversations import opened
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Json, as_text
from reviewer.formats.tools.drafts import (
    entries_of,
    fields_of,
    kept,
    number_of,
    scored,
    spread,
    text_of,
    unit_scales,
)
from reviewer.formats.tools.making import made
from reviewer.formats.tools.span_attributes import iso_time
from reviewer.formats.tools.traces import Step, StepKind, record_of

_KINDS: Final[dict[str, StepKind]] = {
    "LLM": "model", "CHAT_MODEL": "model", "TOOL": "tool", "RETRIEVER": "retrieval",
}  # fmt: skip
_JUDGES: Final = ("LLM_JUDGE", "AI_JUDGE", "CODE")
_EXPECTED: Final = ("expected_response", "expected_output", "expected_answer", "ground_truth")
_IDS: Final = ("trace_id", "request_id")
_META: Final = ("trace_metadata", "request_metadata")
_OF_FRAME: Final = frozenset(
    {*_IDS, *_META, "trace", "state", "status", "request_time", "timestamp_ms", "request",
     "response", "execution_duration", "execution_time_ms", "execution_duration_ms", "tags",
     "spans", "assessments", "request_preview", "response_preview", "trace_location"}
)  # fmt: skip
_USAGE: Final = "mlflow.trace.tokenUsage"
_COST: Final = "mlflow.trace.cost"
_SESSION: Final = "mlflow.trace.session"
_OWN: Final = "mlflow."


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for item in json_text.items(source, sniffed.shape, _records(sniffed)):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(item.line, partial(_record, item.value))


def _records(sniffed: Sniffed) -> str:
    """Give where the traces stand; one alone is the object itself, whatever lists it has."""
    return "." if sniffed.shape == "object" and sniffed.records in _INSIDE else sniffed.records


_INSIDE: Final = ("data.spans", "info.assessments", "spans", "assessments", ".")


def _plain(row: Fields) -> Fields:
    """Give a trace as a data frame has it, one of JSON without its two halves."""
    if isinstance(row.get("info"), dict):
        return {**row["info"], "spans": fields_of(row.get("data")).get("spans")}
    return row


def _record(row: Json) -> Fields | str:
    if not isinstance(row, dict):
        return "a trace is expected: an object"
    row = _plain(row)
    steps = [_step(one) for one in entries_of(opened(row.get("spans"))) if isinstance(one, dict)]
    about = fields_of(opened(next((row[x] for x in _META if row.get(x)), None)))
    tags = fields_of(opened(row.get("tags")))
    held = entries_of(opened(row.get("assessments")))
    assessments = [_exact(x, row) for x in held if isinstance(x, dict)]
    repeated = {f"{_name(x)}/{end}" for x in assessments for end in ("value", "rationale")}
    rest = {key: x for key, x in row.items() if key not in _OF_FRAME | repeated}
    own = {key: x for key, x in (about | tags).items() if not key.startswith(_OWN)}
    said = tuple(row.get(x, row.get(f"{x}_preview")) for x in ("request", "response"))
    start = iso_time(row.get("request_time") or row.get("timestamp_ms"))
    top = Step("", "", "other", "", start, said=(said[0], said[1]), meta=kept(rest | own))
    fields = record_of(as_text(next((row[x] for x in _IDS if row.get(x)), "")), steps, top)
    took = next((row[x] for x in _TOOK if row.get(x) is not None), None)
    fields |= kept({"latency_ms": number_of(took), "cluster": about.get(_SESSION)})
    return _judged(_summed(fields, about) | _failed(row), assessments)


_TOOK: Final = ("execution_duration", "execution_time_ms", "execution_duration_ms")


def _summed(fields: Fields, about: Fields) -> Fields:
    """Take what the trace as a whole says of tokens and cost where its steps say nothing."""
    usage, cost = (fields_of(opened(about.get(x))) for x in (_USAGE, _COST))
    told = {"tokens_in": usage.get("input_tokens"), "tokens_out": usage.get("output_tokens"),
            "cost_usd": cost.get("total_cost")}  # fmt: skip
    return kept(told) | fields


def _failed(row: Fields) -> Fields:
    state = as_text(row.get("state") or row.get("status"))
    return {"error": "the trace ended with an error"} if state == "ERROR" else {}


def _step(span: Fields) -> Step:
    # each attribute is a text of JSON
    told = {key: opened(x) for key, x in fields_of(opened(span.get("attributes"))).items()}
    usage, cost = (fields_of(told.get(x)) for x in ("mlflow.chat.tokenUsage", "mlflow.llm.cost"))
    kind = _KINDS.get(as_text(told.get("mlflow.spanType")), "other")
    status = fields_of(opened(span.get("status")))
    failed = as_text(status.get("code") or span.get("status_code")).endswith("ERROR")
    gave = told.get("mlflow.spanOutputs")
    return Step(
        as_text(span.get("span_id")),
        as_text(span.get("parent_span_id") or span.get("parent_id")),
        kind,
        as_text(span.get("name")),
        iso_time(span.get("start_time_unix_nano") or span.get("start_time")),
        iso_time(span.get("end_time_unix_nano") or span.get("end_time")),
        said=(told.get("mlflow.spanInputs"), gave),
        model=as_text(told.get("mlflow.llm.model")),
        tokens=(number_of(usage.get("input_tokens")) or 0,
                number_of(usage.get("output_tokens")) or 0),
        cost=number_of(cost.get("total_cost")) or 0,
        error=(as_text(status.get("message")) or "it failed") if failed else "",
        sources=_documents(gave) if kind == "retrieval" else [],
    )  # fmt: skip


def _documents(gave: Json) -> list[Fields]:
    return [
        {"id": as_text(fields_of(one.get("metadata")).get("doc_uri") or one.get("id")) or f"{n}",
         "text": as_text(one["page_content"])}
        for n, one in enumerate(entries_of(gave), 1)
        if isinstance(one, dict) and one.get("page_content")
    ]  # fmt: skip


def _exact(assessment: Fields, row: Fields) -> Fields:
    """Give an assessment with its yes or no, which columns of several kinds make a number."""
    told, feedback = row.get(f"{_name(assessment)}/value"), assessment.get("feedback")
    if isinstance(told, bool) and isinstance(feedback, dict) and feedback.get("value") == told:
        return assessment | {"feedback": feedback | {"value": told}}
    return assessment


def _name(assessment: Fields) -> str:
    return as_text(assessment.get("assessment_name") or assessment.get("name"))


def _judged(fields: Fields, assessments: Sequence[Fields]) -> Fields:
    """Put each assessment on its side."""
    beside: list[Fields] = []
    for one in assessments:
        source = fields_of(one.get("source"))
        kind = as_text(source.get("source_type")).upper()
        feedback, wanted = one.get("feedback"), one.get("expectation")
        if one.get("valid") is False:
            beside.append(one)
        elif isinstance(wanted, dict):
            if _name(one) in _EXPECTED and "expected" not in fields:
                fields["expected"] = opened(wanted.get("value"))
            else:
                beside.append(one)
        elif isinstance(feedback, dict) and kind == "HUMAN":
            fields.setdefault("labels", []).extend(_labels(one, feedback, source))
        elif isinstance(feedback, dict) and kind in _JUDGES:
            fields.setdefault("scores", []).extend(_scores(one, feedback, source, kind))
        else:
            beside.append(one)
    if beside:
        fields["meta"]["assessments"] = beside
    return fields


def _labels(one: Fields, feedback: Fields, source: Fields) -> Iterator[Fields]:
    who = text_of(source.get("source_id")) or "annotator"
    for metric, value in spread(_name(one), feedback.get("value")):
        beside = kept({"comment": text_of(one.get("rationale")), "at": one.get("create_time")})
        kind = {"kind": "comment"} if value is None else {}
        if value is not None or beside.get("comment"):
            yield {"metric": metric, "labeler": who, "value": value} | beside | kind


def _scores(one: Fields, feedback: Fields, source: Fields, kind: str) -> Iterator[Fields]:
    who = text_of(source.get("source_id"))
    error = feedback.get("error")
    message = text_of(fields_of(error).get("error_message") or error)
    for metric, value in spread(_name(one), feedback.get("value")):
        yield scored(
            metric,
            value,
            error=message,
            reasoning=text_of(one.get("rationale")),
            scorer=who or kind.lower(),
            model=who if kind != "CODE" else None,
            at=one.get("create_time"),
            meta=kept({"metadata": one.get("metadata")}),
        )


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    return unit_scales(_read(source, sniffed, None))


def _is_one(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict):
        return False
    inside = row.get("info")
    if isinstance(inside, dict):
        return isinstance(row.get("data"), dict) and any(map(inside.get, _IDS)) and (
            bool(inside.keys() & {"trace_location", "experiment_id"})
        )  # fmt: skip
    return any(map(row.get, _IDS)) and not row.keys().isdisjoint(_META) and "spans" in row


def _recognise(look: Look) -> str | None:
    if look.shape == "object" and look.records in _INSIDE and _is_one(dict(look.top)):
        return "a trace of MLflow's"
    fits = bool(look.rows) and all(map(_is_one, look.rows))
    return f"{look.words} with traces of MLflow's" if fits else None


FORMAT = Format(
    name="mlflow",
    title="MLflow traces and evaluations",
    suffixes=(".json", ".jsonl"),
    recognised_by="rows with trace_id, trace_metadata and spans, or JSON of info and data",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
