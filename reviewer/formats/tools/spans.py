"""Traces as spans: Phoenix and whatever follows OpenInference, and OpenTelemetry's GenAI spans.

Spans come as OTLP's JSON (`resourceSpans`, attributes as lists of `key` and `value`), as the SDKs
print them, or as Phoenix saves them, with attributes nested or under dotted names. The spans of a
trace, wherever they stand, make one record: calls of models are told by `llm.*`, `gen_ai.*` or the
older `gen_ai.prompt.N`, messages also by the events that were used before, at a span or as records
of a log (`resourceLogs`) that name it. Annotations at a span or in a file beside, and events
`gen_ai.evaluation.result`, are scores; annotations by a `HUMAN` are labels. Read: one trace of
Phoenix's own tests. The rest follows the conventions' texts and files written by hand.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from reviewer.domain.wording import counted
from reviewer.formats.conversations import opened, turns_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Json, as_text
from reviewer.formats.tools import annotations_beside
from reviewer.formats.tools.drafts import scored
from reviewer.formats.tools.making import made
from reviewer.formats.tools.span_attributes import (
    Row,
    attributes_of,
    divided,
    flat,
    identity,
    in_order,
    iso_time,
    listed,
    typed,
)
from reviewer.formats.tools.traces import Step, StepKind, grouped, number_of, record_of
from reviewer.formats.turns import Turn, plain_turn

_KINDS: dict[str, StepKind] = {
    "LLM": "model", "TOOL": "tool", "RETRIEVER": "retrieval",
    "chat": "model", "generate_content": "model", "text_completion": "model",
    "execute_tool": "tool", "retrieval": "retrieval",
}  # fmt: skip
_GROUPS = ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "resourceLogs",
           "scopeLogs", "logRecords")  # fmt: skip
_GROUPED = frozenset(_GROUPS)
_IDS = ("span_id", "spanId")
_TRACES = ("trace_id", "traceId")
_PARENTS = ("parent_id", "parentSpanId", "parent_span_id")
_LOGGED = frozenset({"timeUnixNano", "observedTimeUnixNano"})
"""Of these keys a record of a log has one, and a span none."""
_DETAILS = "gen_ai.client.inference.operation.details"
_EVENTS = "gen_ai."
_RESULT = "gen_ai.evaluation.result"
_CLUSTERS = ("session.id", "gen_ai.conversation.id")
_GIVEN, _GAVE = (
    [name for one in both for name in (f"llm.token_count.{one}", f"gen_ai.usage.{one}_tokens")]
    for both in (("prompt", "input"), ("completion", "output"))
)
Notes = dict[str, list[Row]]
"""Annotations by the span or trace that they are of."""


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    notes, line = annotations_beside.of_spans(source.path), 1
    for group in grouped(source, sniffed, _parts, _traces):
        if isinstance(group, BadRow):
            yield group
            continue
        line, trace, spans = group
        yield made(line, partial(_record, trace, spans, notes))
        for of in (trace, *(_named(span, _IDS) for span in spans)) if notes else ():
            notes.pop(of, None)
    if notes:
        count = sum(map(len, notes.values()))
        reason = f"{counted(count, 'annotation')} beside, of spans that are not in this file"
        yield BadRow(line, "annotations", next(iter(notes)), reason)


def _record(trace: str, parts: Sequence[Row], notes: Notes) -> Fields:
    spans = _with_events(parts)
    steps = [_step(span, notes) for span in spans]
    if steps and trace in notes:
        _annotated(steps[0], notes[trace])
    told = (step.meta.get(name) for step in steps for name in _CLUSTERS)
    cluster = next((as_text(x) for x in told if x), "")
    return record_of(trace, steps) | ({"cluster": cluster} if cluster else {})


def _parts(value: Json) -> list[tuple[str, Row]]:
    """Give the spans in one value of a file, each with its trace."""
    if not isinstance(value, dict):
        return []
    if not _GROUPED.isdisjoint(value):
        name = next((x for x in _GROUPS if isinstance(value.get(x), list)), None)
        if name is not None:
            found: list[tuple[str, Row]] = []
            for one in value[name]:
                found += _parts(one)
            return found
    row = _nested(value)
    trace = _named(row, _TRACES)
    return [(trace, row)] if trace and _named(row, _IDS) else []


class _Ids(Struct):
    trace_id: str | None = None
    traceId: str | None = None  # noqa: N815 - as files have it
    span_id: str | None = None
    spanId: str | None = None  # noqa: N815


class _Seen(_Ids):
    """What tells the trace of a span, and the lists that spans stand in."""

    context: _Ids | None = None
    resourceSpans: list["_Seen"] | None = None  # noqa: N815
    scopeSpans: list["_Seen"] | None = None  # noqa: N815
    instrumentationLibrarySpans: list["_Seen"] | None = None  # noqa: N815
    spans: list["_Seen"] | None = None
    resourceLogs: list["_Seen"] | None = None  # noqa: N815
    scopeLogs: list["_Seen"] | None = None  # noqa: N815
    logRecords: list["_Seen"] | None = None  # noqa: N815


_SEEN = msgspec.json.Decoder(_Seen).decode


def _traces(line: bytes) -> list[str]:
    """Give the traces of the spans in a line without reading the rest, none where that fails."""
    try:
        found = _seen(_SEEN(line))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
    return found if "" not in found else []


def _seen(value: _Seen) -> list[str]:
    for name in _GROUPS:
        inside = getattr(value, name)
        if inside is not None:
            return [trace for one in inside for trace in _seen(one)]
    context = value.context or value
    trace = value.trace_id or value.traceId or context.trace_id or context.traceId
    span = value.span_id or value.spanId or context.span_id or context.spanId
    return [identity(trace) if span and trace else ""]


def _with_events(parts: Sequence[Row]) -> list[Row]:
    """Give the spans, with the records of a log as events of the span that each names."""
    logs = [part for part in parts if not _LOGGED.isdisjoint(part)]
    if not logs:
        return list(parts)
    spans = {_named(part, _IDS): part for part in parts if _LOGGED.isdisjoint(part)}
    for log in logs:
        number, at = _named(log, _IDS), log.get("timeUnixNano") or log.get("observedTimeUnixNano")
        span = spans.setdefault(number, {"spanId": number, "name": "log", "startTimeUnixNano": at})
        told = attributes_of(log.get("attributes"))
        body = opened(typed(log.get("body")))
        told |= body if isinstance(body, dict) else {"content": body} if body else {}
        name = log.get("eventName") or told.get("event.name")
        if name == _DETAILS:
            span["attributes"] = attributes_of(span.get("attributes")) | told
        else:
            event = {"name": name, "timeUnixNano": at, "attributes": told}
            span["events"] = [*(opened(span.get("events")) or ()), event]
    return list(spans.values())


def _nested(row: Row) -> Row:
    """Give a span whose own keys are no dotted names, as tables of spans have them."""
    if "." not in "".join(row):
        return row
    made: Row = {}
    for key, value in row.items():
        head, _, rest = key.partition(".")
        if rest and head in ("context", "attributes"):
            made.setdefault(head, {})[rest] = value
        else:
            made[key] = value
    return made


def _named(row: Row, names: Sequence[str]) -> str:
    for name in names:
        found = row.get(name)
        if found:
            return identity(found)
    context = row.get("context")
    return _named(context, names) if isinstance(context, dict) else ""


def _step(span: Row, notes: Notes) -> Step:
    told = flat(attributes_of(span.get("attributes")), "")
    grown, meta = divided(told)
    get, events, kind = told.get, _events(span), span.get("span_kind")
    if kind in (None, "UNKNOWN"):
        kind = get("openinference.span.kind") or get("gen_ai.operation.name")
    number, given, gave = _named(span, _IDS), get("input.value"), get("output.value")
    step = Step(
        number,
        _named(span, _PARENTS),
        _KINDS.get(as_text(kind), "model" if "gen_ai.prompt.0.role" in told else "other"),
        as_text(get("tool.name") or get("gen_ai.tool.name") or span.get("name")),
        iso_time(span.get("start_time") or span.get("startTimeUnixNano")),
        iso_time(span.get("end_time") or span.get("endTimeUnixNano")),
        said=(
            get("gen_ai.tool.call.arguments") if given is None else given,
            get("gen_ai.tool.call.result") if gave is None else gave,
        ),
        turns=_turns(grown, events) if grown or events else None,
        model=as_text(
            get("llm.model_name") or get("gen_ai.response.model") or get("gen_ai.request.model")
        ),
        tokens=(_count(told, _GIVEN), _count(told, _GAVE)),
        cost=number_of(get("llm.cost.total")),
        error=_error(span),
        call=as_text(get("tool.id") or get("gen_ai.tool.call.id")),
        sources=_sources(grown) if "retrieval" in grown else [],
        meta=meta,
    )
    if events:
        _judged(step, events)
    known = _annotations(span, notes.get(number, ()))
    if known:
        _annotated(step, known)
    return step


def _events(span: Row) -> list[Row]:
    events = opened(span.get("events"))
    return [x for x in events if isinstance(x, dict)] if events else []


def _annotations(span: Row, notes: Sequence[Row]) -> list[Row]:
    """Give what was said of a span, at it and beside, each once."""
    given = opened(span.get("annotations") or span.get("span_annotations"))
    known = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    if notes:
        ids = {one.get("id") for one in known} - {None}
        known += (one for one in notes if one.get("id") not in ids)
    return known


def _turns(grown: Row, events: list[Row]) -> tuple[list[Turn], list[Turn]] | None:
    """Find the messages of a model's call, under whichever convention."""
    given: list[Turn] = []
    gave: list[Turn] = []
    if "llm" in grown:
        given += _numbered(grown["llm"].get("input_messages"))
        gave += _numbered(grown["llm"].get("output_messages"))
    if "gen_ai" in grown:
        told = grown["gen_ai"]
        given += _numbered(told.get("prompt"))
        gave += _numbered(told.get("completion"))
        instructed = opened(listed(told.get("system_instructions")))
        if instructed:
            given += turns_of({"role": "system", "parts": instructed})
        given += _messages(told.get("input"))
        gave += _messages(told.get("output"))
    for event in events:
        kind = as_text(event.get("name"))
        if kind == "gen_ai.choice":
            inside = attributes_of(event.get("attributes"))
            said = opened(inside.get("message")) or inside
            gave += turns_of({"role": "assistant", **said} if isinstance(said, dict) else said)
        elif kind.startswith(_EVENTS) and kind.endswith(".message"):
            inside = attributes_of(event.get("attributes"))
            given += turns_of({"role": kind.split(".")[1], **inside})
    return (given, gave) if given or gave else None


def _messages(held: Json) -> list[Turn]:
    return turns_of(listed(held.get("messages"))) if isinstance(held, dict) else []


def _numbered(tree: Json) -> list[Turn]:
    """Read messages of OpenInference and OpenLLMetry, which number each."""
    turns: list[Turn] = []
    found = in_order(tree) if isinstance(tree, dict) else tree
    for one in found if isinstance(found, list) else ():
        message = one.get("message", one) if isinstance(one, dict) else None
        plain = plain_turn(message)
        if plain is not None:
            turns.append(plain)
        elif isinstance(message := listed(message), dict):
            turns += turns_of(_message(message))
    return turns


def _message(message: Row) -> Row:
    calls = message.get("tool_calls")
    told = [x.get("tool_call", x) for x in calls or () if isinstance(x, dict)]
    contents = message.get("contents")
    parts = [x.get("message_content", x) for x in contents or () if isinstance(x, dict)]
    made = {"content": parts or None, **message}
    return {**made, "tool_calls": told} if told else made


def _count(told: Row, names: Sequence[str]) -> float:
    for name in names:
        if name in told:
            return number_of(told[name])
    return 0


def _error(span: Row) -> str:
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    code = as_text(span.get("status_code") or status.get("code") or status.get("status_code"))
    if code not in ("ERROR", "STATUS_CODE_ERROR", "2", "StatusCode.ERROR"):
        return ""
    text = span.get("status_message") or status.get("message") or status.get("description")
    return as_text(text) or "it failed"


def _sources(grown: Row) -> list[Fields]:
    found = listed(grown["retrieval"].get("documents"))
    sources: list[Fields] = []
    for at, one in enumerate(found if isinstance(found, list) else (), start=1):
        document = one.get("document", one) if isinstance(one, dict) else {}
        source: Fields = {"id": as_text(document.get("id")) or f"{at}"}
        source |= {"text": as_text(document["content"])} if document.get("content") else {}
        score = document.get("score")
        source |= {"relevance": score} if isinstance(score, int | float) and score >= 0 else {}
        sources.append(source)
    return sources


def _judged(step: Step, events: list[Row]) -> None:
    """Take the results of evaluations that a span has as events."""
    for event in events:
        if event.get("name") == _RESULT:
            inside = flat(attributes_of(event.get("attributes")), "")
            part = {key.removeprefix("gen_ai.evaluation."): x for key, x in inside.items()}
            at = iso_time(event.get("timestamp") or event.get("timeUnixNano"))
            step.scores.append(_score(part, "evaluation", at))


def _annotated(step: Step, annotations: Sequence[Row]) -> None:
    """Put what was said of a span on its side: people's are labels, all others auto scores."""
    for one in annotations:
        inner = one.get("result")
        result: Row = inner if isinstance(inner, dict) else one
        part = {f"score.{key}" if key == "label" else key: x for key, x in result.items()}
        part |= {"name": one.get("name"), "score.value": result.get("score")}
        made = _score(part, as_text(one.get("annotator_kind")).lower() or "unknown",
                      iso_time(one.get("updated_at") or one.get("created_at")))  # fmt: skip
        if made["scorer"] != "human":
            step.scores.append(made)
            continue
        who = as_text(one.get("user_id") or one.get("identifier")) or "annotator"
        kept: Fields = {key: made[key] for key in ("metric", "value", "at") if key in made}
        said = {"comment": made["reasoning"]} if "reasoning" in made else {}
        kind = {"kind": "comment"} if made["value"] is None else {}
        step.labels.append({**kept, "labeler": who, **said, **kind})


def _score(part: Row, scorer: str, at: str) -> Fields:
    number, word = part.get("score.value"), part.get("score.label")
    return scored(
        part.get("name") or "",
        word if number is None else number,
        error=as_text(part.get("error.type")),
        reasoning=as_text(part.get("explanation")),
        at=at,
        scorer=scorer,
        meta={"label": word} if number is not None and word is not None else {},
    )


def _holds(look: Look, *names: str) -> bool:
    """Tell whether the first values hold spans, one of them with an attribute of these names."""
    try:
        spans = [span for row in look.rows for _, span in _parts(row)]
        told = [key for span in spans for key in flat(attributes_of(span.get("attributes")), "")]
        told += [as_text(span.get("eventName")) for span in spans]
    except RecursionError:
        return False
    return bool(spans) and any(key.startswith(names) for key in told)


def _recognise_phoenix(look: Look) -> str | None:
    names = ("openinference.", "llm.", "input.value", "output.value", "retrieval.")
    return f"{look.words} with spans of OpenInference" if _holds(look, *names) else None


def _recognise_otel(look: Look) -> str | None:
    return f"{look.words} with spans of OpenTelemetry" if _holds(look, "gen_ai.") else None


def _remarks(look: Look) -> tuple[str, ...]:
    found = ", ".join(file.name for file in annotations_beside.files(look.path))
    words = f"{look.path.name}: annotations of its spans are taken from {found}."
    return (words,) if found else ()


PHOENIX = Format(
    name="phoenix",
    title="Phoenix and OpenInference spans",
    suffixes=(".json", ".jsonl"),
    recognised_by="spans with a trace_id and attributes of OpenInference, such as llm.model_name",
    shapes=ITEMS,
    recognise=_recognise_phoenix,
    read=_read,
    remarks=_remarks,
)
OTEL = Format(
    name="otel",
    title="OpenTelemetry GenAI spans",
    suffixes=(".json", ".jsonl"),
    recognised_by="spans, in OTLP's resourceSpans or alone, with attributes gen_ai.*",
    shapes=ITEMS,
    recognise=_recognise_otel,
    read=_read,
    remarks=_remarks,
)
