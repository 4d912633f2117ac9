"""Traces as Langfuse saves them: `{"trace", "observations"}`, or traces with their observations.

Inputs and outputs are texts of JSON, also twice. Scores of people (`ANNOTATION`) become labels of
`authorUserId`, those of judges (`EVAL`) and of programs (`API`) auto scores of the scorers `eval`
and `api`; a correction, which is a person's better output, becomes what is expected. Scores that a
table's export gives by name alone, without source, stay in `meta`, as nobody knows whose they are,
and so do those that are words without a value.
Read: traces of five frameworks as the tool's own tests keep them, their conversations held against
what the tool itself makes of them. Exports of observations alone are read by trace; those and the
kinds of scores are as the tool's own Python client (3.6.1) writes them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.conversations import opened
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Json, as_text
from reviewer.formats.tools.drafts import unit_scales
from reviewer.formats.tools.making import made
from reviewer.formats.tools.traces import Step, StepKind, grouped, number_of, record_of

_KINDS: dict[str, StepKind] = {
    "GENERATION": "model", "EMBEDDING": "other", "TOOL": "tool", "RETRIEVER": "retrieval",
}  # fmt: skip
_OBSERVED = frozenset(
    {"GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR",
     "EMBEDDING", "GUARDRAIL"}
)  # fmt: skip
_CORRECTION = "CORRECTION"
_META = ("name", "userId", "environment", "release", "version", "metadata", "bookmarked")
_OF_TRACE = frozenset(
    {"id", "timestamp", "input", "output", "sessionId", "tags", "latency", "totalCost", "scores",
     "observations", "corrections", "projectId", "createdAt", "updatedAt", "htmlPath", "public",
     "externalId"}
)  # fmt: skip
_OF_SCORE = ("id", "configId", "observationId", "dataType", "queueId", "metadata")
Row = dict[str, Any]


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    if sniffed.reason.startswith(_ALONE):
        for group in grouped(source, sniffed, _observed):
            if isinstance(group, BadRow):
                yield group
            else:
                line, trace, rows = group
                yield made(line, partial(_gathered, trace, rows))
        return
    records = "." if sniffed.shape == "object" and sniffed.records in _INSIDE else sniffed.records
    for item in json_text.items(source, sniffed.shape, records):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(item.line, partial(_record, item.value))


_ALONE = "observations"
_INSIDE = (
    "observations",
    "trace.observations",
    "trace.scores",
    "trace.corrections",
    "scores",
    ".",
)


def _gathered(trace: str, rows: Sequence[Row]) -> Fields:
    fields = record_of(trace, [_step(row) for row in rows])
    session = next((row["sessionId"] for row in rows if row.get("sessionId")), None)
    if session:
        fields["cluster"] = session
    return fields


def _record(row: Row) -> Fields | str:
    if not isinstance(row, dict):
        return "a trace is expected: an object"
    trace = row["trace"] if isinstance(row.get("trace"), dict) else row
    rows = row.get("observations") or trace.get("observations")
    # a list of ids stands for observations that are kept elsewhere
    steps = [_step(one) for one in rows or () if isinstance(one, dict)]
    fields = record_of(as_text(trace.get("id")), steps, _trace(trace))
    for key, name in (("sessionId", "cluster"), ("tags", "tags"), ("timestamp", "occurred_at")):
        if trace.get(key):
            fields[name] = trace[key]
    latency = trace.get("latency")
    if isinstance(latency, int | float):
        fields["latency_ms"] = latency * 1000
    scores = _listed(row, "scores") or _listed(trace, "scores")
    _judged(fields, [x for x in scores if x.get("dataType") != _CORRECTION])
    _correct(fields, [*_listed(trace, "corrections"), *scores])
    if isinstance(trace.get("scores"), dict):
        fields["meta"]["scores"] = trace["scores"]
    return fields


def _listed(row: Row, name: str) -> list[Row]:
    value = opened(row.get(name))
    return [x for x in value if isinstance(x, dict)] if isinstance(value, list) else []


def _trace(trace: Row) -> Step:
    said = (trace.get("input"), trace.get("output"))
    start, cost = as_text(trace.get("timestamp")), number_of(trace.get("totalCost"))
    return Step(
        "", "", "other", as_text(trace.get("name")), start, said=said, cost=cost,
        meta=_meta(trace) | {key: x for key, x in trace.items() if _is_kept(key, x)},
    )  # fmt: skip


def _is_kept(key: str, value: Json) -> bool:
    """Tell what a table's export has beside, such as a column a score, whose side it tells not."""
    return key not in _OF_TRACE and key not in _META and value not in (None, "", [], {})


def _meta(row: Row) -> Fields:
    return {key: opened(row[key]) for key in _META if row.get(key)}


def _step(row: Row) -> Step:
    usage = row.get("usageDetails") or row.get("usage") or {}
    usage = usage if isinstance(usage, dict) else {}
    costs = row.get("costDetails")
    cost = row.get("totalCost") or row.get("calculatedTotalCost")
    cost = cost or (costs.get("total") if isinstance(costs, dict) else None)
    kind = as_text(row.get("type")).upper()
    failed = row.get("level") == "ERROR"
    return Step(
        as_text(row.get("id")),
        as_text(row.get("parentObservationId")),
        _KINDS.get(kind, "other"),
        as_text(row.get("name")),
        as_text(row.get("startTime")),
        as_text(row.get("endTime")),
        said=(row.get("input"), row.get("output")),
        model=as_text(row.get("model")),
        tokens=(
            number_of(usage.get("input", row.get("promptTokens"))),
            number_of(usage.get("output", row.get("completionTokens"))),
        ),
        cost=number_of(cost),
        error=as_text(row.get("statusMessage")) or "it failed" if failed else "",
        meta=_meta(row),
    )


def _correct(fields: Fields, scores: Sequence[Row]) -> None:
    """Take the correction of the whole trace as expected, else the first of one of its steps."""
    told = [x for x in scores if x.get("dataType") == _CORRECTION and _words(x)]
    corrected = list({as_text(x.get("id")): x for x in told}.values())
    if corrected:
        fields["expected"] = _words(min(corrected, key=lambda x: bool(x.get("observationId"))))
        fields["meta"]["corrections"] = corrected


def _words(row: Row) -> Json:
    return row.get("longStringValue") or row.get("stringValue")


def _judged(fields: Fields, scores: Sequence[Row]) -> None:
    """Put each score on its side: people's are labels, all others auto scores."""
    for row in scores:
        entry: Fields = {"metric": row.get("name"), "value": _value(row)}
        if row.get("timestamp"):
            entry["at"] = row["timestamp"]
        side = as_text(row.get("source")).upper()
        if entry["value"] is None:
            fields["meta"].setdefault("scores", []).append(row)
            continue
        if side == "ANNOTATION":
            entry["labeler"] = as_text(row.get("authorUserId")) or "annotator"
            entry |= {"comment": row["comment"]} if row.get("comment") else {}
            fields.setdefault("labels", []).append(entry)
            continue
        entry |= {"reasoning": row["comment"]} if row.get("comment") else {}
        entry["scorer"] = side.lower() or "unknown"
        told = {key: opened(row[key]) for key in _OF_SCORE if row.get(key)}
        made_by = told.get("metadata")
        version = made_by.get("job_configuration_id") if isinstance(made_by, dict) else None
        entry |= {"scorer_version": version} if isinstance(version, str) else {}
        fields.setdefault("scores", []).append(entry | ({"meta": told} if told else {}))


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    return unit_scales(_read(source, sniffed, None))


def _value(row: Row) -> Json:
    kind, value, word = row.get("dataType"), row.get("value"), row.get("stringValue")
    if kind == "TEXT":
        return None
    if kind == "BOOLEAN" and value in (0, 1):
        return bool(value)
    return word if kind == "CATEGORICAL" and word else value


def _observed(value: Json) -> Iterator[tuple[str, Row]]:
    if isinstance(value, dict) and isinstance(value.get("traceId"), str):
        yield value["traceId"], value


def _is_observation(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    return (
        isinstance(row, dict)
        and {"id", "traceId", "type", "startTime"} <= row.keys()
        and row["type"] in _OBSERVED
    )


def _is_trace(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict):
        return False
    if isinstance(row.get("trace"), dict) and isinstance(row.get("observations"), list):
        row = row["trace"]
    return {"id", "timestamp"} <= row.keys() and (
        {"input", "output", "sessionId"} <= row.keys()
        and bool({"projectId", "observations", "userId"} & row.keys())
    )


def _recognise(look: Look) -> str | None:
    top = dict(look.top)
    if look.shape == "object" and look.records in _INSIDE and _is_trace(top):
        return "a trace of Langfuse's"
    if look.rows and all(map(_is_trace, look.rows)):
        return f"{look.words} with traces of Langfuse's"
    if look.rows and all(map(_is_observation, look.rows)):
        return f"{_ALONE} of Langfuse's, {look.words}"
    return None


FORMAT = Format(
    name="langfuse",
    title="Langfuse traces",
    suffixes=(".json", ".jsonl"),
    recognised_by="a trace with its observations, a list of traces, or observations with traceId",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
