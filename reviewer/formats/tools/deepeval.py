"""Test runs of DeepEval, single turns and conversations.

A test case is an evaluation, each of its `metricsData` a score with the judge's model as its
version; the threshold becomes the metric's pass mark, downwards where less is better. Called tools
become turns: the call, its output, then the answer. Names that repeat get a number.

`runDuration` is the time the metrics took, so that only `completionTime` is the answer's latency.
Left out: the means of the whole run, which follow from the cases, and traces beyond 32 kB, which
are named under `meta.left_out`; what else a case holds is kept under `meta`.

The latest run, which the tool keeps for itself, has the same within `testRunData`. Test cases, or
the results that `evaluate` gives in Python, whose names have underscores, may stand in a list or
a table as well.

Verified with files of 4.3.1 of all three kinds. From the sources only: `identifier`,
`completionTime`, `tokenCost`, and metrics of which less is better.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from reviewer.domain.record import run_name
from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Record, Source
from reviewer.formats.json_text import unsealed
from reviewer.formats.mapping import Mapping
from reviewer.formats.record import checked
from reviewer.formats.tools.drafts import (
    Fields,
    Json,
    entries_of,
    fields_of,
    kept,
    made,
    milliseconds,
    named,
    number_of,
    scored,
    text_of,
)
from reviewer.formats.turns import Turn

_WITHIN: Final = "testRunData"
_CASES: Final = ("testCases", "conversationalTestCases")
_LISTS: Final = (*_CASES, *(f"{_WITHIN}.{name}" for name in _CASES))
_BESIDE: Final = (
    "metricsScores", "testPassed", "hyperparameters", "conversationalTestCases",
)  # fmt: skip
_USED: Final = frozenset(
    {"name", "input", "actualOutput", "expectedOutput", "expectedOutcome", "context", "turns",
     "retrievalContext", "toolsCalled", "expectedTools", "metricsData", "completionTime",
     "tokenCost", "tags", "error"}
)  # fmt: skip
_OF_TURN: Final = frozenset({"role", "content", "toolsCalled", "order"})
_LARGEST = 32 << 10
_LOOKED_AT = 200


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    names: Counter[str] = Counter()
    if sniffed.shape != "object":
        run = run_name(source.path.name)
        for item in json_text.items(source, sniffed.shape, sniffed.records):
            if isinstance(item, BadRow):
                yield item
            else:
                yield made(partial(_loose, run=run, names=names), item.value, item.line)
        return
    run, model = _known(source)
    for item in json_text.parts(source, _LISTS, sealed=True):
        if isinstance(item, BadRow):
            yield item
        elif item.key in _LISTS and item.value is not None:
            yield made(partial(_record, run=run, model=model, names=names), item.value, item.line)


def _loose(case: Json, line: int, *, run: str, names: Counter[str]) -> Incoming:
    return _record(_spelled(case), line, run=run, model=None, names=names)


def _spelled(value: Json) -> Json:
    """Give a test case, or what stands in it, with the names that its file has."""
    if isinstance(value, list):
        return [_spelled(x) for x in value]
    if not isinstance(value, dict):
        return value
    return {_camel(key): x if _camel(key) in _FREE else _spelled(x) for key, x in value.items()}


_FREE: Final = ("inputParameters", "additionalMetadata", "metadata")
"""What has names of its users' own."""


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest)) if first else name


def _known(source: Source) -> tuple[str, str | None]:
    """Name the run by what stands behind the cases."""
    head: Fields = {}
    with source.again() as again:
        for item in json_text.parts(again, _LISTS, sealed=True):
            if not isinstance(item, BadRow) and item.key not in _LISTS:
                head[(item.key or "").removeprefix(f"{_WITHIN}.")] = item.value
    model = text_of(fields_of(head.get("hyperparameters")).get("model"))
    name = text_of(head.get("identifier")) or run_name(source.path.name).lstrip(".")
    return named(name, model), model


def _record(
    case: Fields, line: int, *, run: str, model: str | None, names: Counter[str]
) -> Incoming:
    known = {key: unsealed(x) for key, x in case.items() if key in _USED}
    name = text_of(known.get("name")) or f"line {line}"
    names[name] += 1
    again = names[name]
    retrieved = [x for x in map(text_of, entries_of(known.get("retrievalContext"))) if x]
    response = text_of(known.get("actualOutput"))
    fields = kept(
        {
            "id": name if again == 1 else f"{name} {again}",
            "run": run,
            "case": name,
            "tags": [x for x in entries_of(known.get("tags")) if isinstance(x, str)],
            "input": text_of(known.get("input")) or text_of(unsealed(case.get("scenario"))),
            "messages": _messages(known, response),
            "expected": known.get("expectedOutput") or known.get("expectedOutcome"),
            "expected_tools": [_tool(x) for x in entries_of(known.get("expectedTools"))],
            "context": known.get("context") or retrieved,
            "sources": [{"id": f"{n}", "text": x} for n, x in enumerate(retrieved, 1)],
            "model": model,
            "latency_ms": milliseconds(known.get("completionTime")),
            "cost_usd": number_of(known.get("tokenCost")),
            "error": text_of(known.get("error")),
            "scores": [_score(fields_of(x)) for x in entries_of(known.get("metricsData"))
                       if fields_of(x).get("name")],
            "meta": _meta(case, entries_of(known.get("expectedTools"))),
        }
    )  # fmt: skip
    return checked(fields | ({} if "messages" in fields else {"response": response}), line)


def _messages(known: Fields, response: str | None) -> list[Turn]:
    turns = [fields_of(x) for x in entries_of(known.get("turns"))]
    if turns:
        return [turn for n, one in enumerate(turns) for turn in _turn(one, f"{n + 1}")]
    called = _calls(entries_of(known.get("toolsCalled")), "1")
    if not called:
        return []
    asked: Turn = {"role": "user", "content": text_of(known.get("input"))}
    calling: Turn = {"role": "assistant", "content": None, "tool_calls": [x for x, _ in called]}
    results = [turn for _, turn in called if turn is not None]
    return [asked, calling, *results, {"role": "assistant", "content": response}]


def _turn(one: Fields, place: str) -> Iterator[Turn]:
    role = one.get("role")
    turn: Turn = {"role": role if role in ("user", "assistant", "system") else "assistant",
                  "content": text_of(one.get("content"))}  # fmt: skip
    turn |= kept({key: x for key, x in one.items() if key not in _OF_TURN})
    called = _calls(entries_of(one.get("toolsCalled")), place)
    yield turn | ({"tool_calls": [call for call, _ in called]} if called else {})
    yield from (result for _, result in called if result is not None)


def _calls(tools: Sequence[Json], place: str) -> list[tuple[Fields, Turn | None]]:
    """Give each call with the turn of its output, if it has one."""
    found: list[tuple[Fields, Turn | None]] = []
    for number, tool in enumerate(map(fields_of, tools), start=1):
        call: Fields = {"id": f"call_{place}_{number}", "name": _tool(tool)}
        if tool.get("inputParameters") is not None:
            call["arguments"] = tool["inputParameters"]
        call |= kept({key: tool.get(key) for key in ("description", "reasoning")})
        output = text_of(tool.get("output"))
        result = {"role": "tool", "content": output, "tool_call_id": call["id"]}
        found.append((call, None if output is None else result))
    return found


def _tool(tool: Json) -> str:
    return text_of(fields_of(tool).get("name")) or text_of(tool) or "unnamed"


def _score(told: Fields) -> Fields:
    judge = text_of(told.get("evaluationModel"))
    return scored(
        str(told["name"]).strip(),
        number_of(told.get("score")),
        error=text_of(told.get("error")),
        reasoning=text_of(told.get("reason")),
        passed=told["success"] if isinstance(told.get("success"), bool) else None,
        scorer="deepeval",
        scorer_version=judge,
        model=judge,
        trace=text_of(told.get("verboseLogs")),
        cost_usd=number_of(told.get("evaluationCost")),
        meta=kept({"threshold": told.get("threshold"), "strict": told.get("strictMode") or None}),
    )


def _meta(case: Fields, tools: Sequence[Json]) -> Fields:
    rest = {key: x for key, x in case.items() if key not in _USED}
    # a record names the expected tools alone
    rest |= (
        {"expectedTools": tools} if any("inputParameters" in fields_of(x) for x in tools) else {}
    )
    large = [key for key, x in rest.items() if json_text.size_of(x) > _LARGEST]
    told = {key: unsealed(x) for key, x in rest.items() if key not in large}
    return kept(told | {"left_out": large})


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    """Give the metrics with the threshold that all of their scores are held to."""
    seen: dict[str, list[Fields]] = {}
    for item in islice(_read(source, sniffed, None), _LOOKED_AT):
        for score in item.fields.get("scores") or () if isinstance(item, Record) else ():
            seen.setdefault(score["metric"], []).append(score)
    found = []
    for name, scores in seen.items():
        limits = {number_of(fields_of(x.get("meta")).get("threshold")) for x in scores}
        limit = limits.pop() if len(limits) == 1 else None
        if limit is not None and 0 <= limit <= 1:
            less = any(_is_less_better(x, limit) for x in scores)
            found.append(Metric(name=name, scale="range", min=0.0, max=1.0, pass_at=limit,
                                higher_is_better=not less))  # fmt: skip
    return found


def _is_less_better(score: Fields, limit: float) -> bool:
    """Tell whether a score passed below its threshold, or failed above it."""
    value = number_of(score["value"])
    if value is None or "passed" not in score or value == limit:
        return False
    return bool(score["passed"]) != (value > limit)


def _is_case(row: Json) -> bool:
    """Tell a test case by the scores that stand in it, each with the threshold it was held to."""
    try:
        case = _spelled(row) if isinstance(row, dict) else {}
    except RecursionError:
        return False
    told = [fields_of(x) for x in entries_of(case.get("metricsData"))]
    has_subject = bool(case.keys() & {"input", "turns", "actualOutput"})
    return has_subject and bool(told) and all({"name", "threshold"} <= x.keys() for x in told)


def _recognise(look: Look) -> str | None:
    if look.shape != "object":
        fits = bool(look.rows) and all(map(_is_case, look.rows))
        return f"{look.words} with test cases of DeepEval" if fits else None
    top = fields_of(look.top.get(_WITHIN)) or look.top
    lists = [x for x in map(top.get, _CASES) if isinstance(x, list)]
    # what stands behind the cases of a large file is not looked at
    own = not top.keys().isdisjoint(_BESIDE) or any(
        "metricsData" in fields_of(case) for cases in lists for case in cases
    )
    return "a JSON object with a test run of DeepEval" if lists and own else None


FORMAT = Format(
    name="deepeval",
    title="DeepEval test runs",
    suffixes=(".json",),
    recognised_by="a JSON object with testCases or conversationalTestCases, or rows of these",
    shapes=frozenset({"object", "list", "lines", "rows"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
