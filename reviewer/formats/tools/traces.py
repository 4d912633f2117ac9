"""Make one record of the steps of a trace, whichever tool recorded them.

The conversation is the longest that any model's call or agent held, its reply among it. Where it
shows no call of a tool although the trace has some, the steps are told one after another instead.
What was found by retrieval becomes sources. `meta` has the name, kind and duration of each step
(at most 200), not their inputs and outputs, which the conversation repeats.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, takewhile
from operator import attrgetter
from typing import Any, Literal

from reviewer.formats import json_text
from reviewer.formats.conversations import opened, turns_in
from reviewer.formats.format import Sniffed
from reviewer.formats.incoming import BadRow, Fields, Source
from reviewer.formats.paths import NUMBERS, Json, as_text
from reviewer.formats.turns import Turn

StepKind = Literal["model", "tool", "retrieval", "other"]
_MOST_STEPS = 200
_GATHERED = {name: attrgetter(name) for name in ("sources", "scores", "labels")}
_SAID = ("content", "text", "value", "answer", "response", "output", "result")
_ASKED = ("prompt", "question", "query", "input", "user_input", "message")


@dataclass(slots=True)
class Step:
    """One step of a trace.

    Attributes:
        said: What it got and what it gave, as they were recorded; read where it is JSON.
        turns: The conversations within the two, where they are not found in `said`.
        scores: Auto scores and labels that stand at it.
        both: The conversations within the two.
    """

    id: str
    parent: str
    kind: StepKind
    name: str
    start: str = ""
    end: str = ""
    said: tuple[Json, Json] = (None, None)
    turns: tuple[list[Turn], list[Turn]] | None = None
    model: str = ""
    tokens: tuple[float, float] = (0, 0)
    cost: float = 0
    error: str = ""
    call: str = ""
    sources: list[Fields] = field(default_factory=list)
    scores: list[Fields] = field(default_factory=list)
    labels: list[Fields] = field(default_factory=list)
    meta: Fields = field(default_factory=dict)
    both: tuple[list[Turn], list[Turn]] = field(init=False)

    def __post_init__(self) -> None:
        """Find the conversations."""
        given, gave = self.said = (opened(self.said[0]), opened(self.said[1]))
        # what a tool got and gave is no conversation of its own
        self.both = self.turns or (
            ([], []) if self.kind == "tool" else (turns_in(given), turns_in(gave))
        )


def grouped(
    source: Source,
    sniffed: Sniffed,
    parts: Callable[[Json], Iterable[tuple[str, Any]]],
    named: Callable[[bytes], Iterable[str]] = lambda _: (),
) -> Iterator[tuple[int, str, list[Any]] | BadRow]:
    """Gather the parts of each trace, wherever they stand in a file.

    The file is read twice: once to count them, so that a trace is given when it is whole, and no
    more are held than are begun.

    Args:
        source: The file, at its start.
        sniffed: What it holds.
        parts: Gives the trace and the content of each part in one value of the file.
        named: Gives the traces of the parts in one line, sooner; none where it cannot.
    """
    with source.again() as first:
        counts = Counter(_counted(first, sniffed, parts, named))
    held: dict[str, tuple[int, list[Any]]] = {}
    for item in _items(source, sniffed):
        if isinstance(item, BadRow):
            yield item
            continue
        found = False
        for trace, part in parts(item.value):
            found = True
            line, there = held.setdefault(trace, (item.line, []))
            there.append(part)
            counts[trace] -= 1
            if not counts[trace]:
                del held[trace]
                yield line, trace, there
        if not found:
            yield BadRow(item.line, "", None, "a step of a trace is expected")
    # in a line that is no JSON to one parser alone
    yield from ((line, trace, there) for trace, (line, there) in held.items())


def _counted(
    source: Source,
    sniffed: Sniffed,
    parts: Callable[[Json], Iterable[tuple[str, Any]]],
    named: Callable[[bytes], Iterable[str]],
) -> Iterator[str]:
    """Give the trace of each part of a file."""
    if sniffed.shape == "lines":
        while line := source.readline():
            traces = named(line)
            yield from traces or _traces(json_text.lines(io.BytesIO(line)), parts)
    else:
        yield from _traces(_items(source, sniffed), parts)


def _traces(
    items: Iterable[json_text.Item | BadRow], parts: Callable[[Json], Iterable[tuple[str, Any]]]
) -> Iterator[str]:
    for item in items:
        if not isinstance(item, BadRow):
            yield from (trace for trace, _ in parts(item.value))


def _items(source: Source, sniffed: Sniffed) -> Iterator[json_text.Item | BadRow]:
    return json_text.items(source, sniffed.shape, sniffed.records)


def record_of(identity: str, steps: Sequence[Step], root: Step | None = None) -> Fields:
    """Give the record that the steps of a trace make.

    Args:
        identity: The trace's.
        steps: In any order.
        root: What stands for the trace as a whole; default the first step without a parent.
    """
    ordered = sorted(steps, key=_times)
    known = {step.id for step in steps}
    top = root or next((x for x in ordered if x.parent not in known), None)
    fields: Fields = {"id": identity}
    whole = ordered if top is None else [top, *(x for x in ordered if x is not top)]
    turns = _conversation(whole, ordered, top)
    if turns:
        fields["messages"] = turns
    elif top is not None:
        fields |= {"input": as_text(top.said[0]), "response": as_text(top.said[1])}
    fields |= _sums(ordered)
    if top is not None:
        fields |= _of_top(top)
    for name, held in _GATHERED.items():
        gathered = list(chain.from_iterable(map(held, whole)))
        if gathered:
            fields[name] = gathered
    brief = [_brief(step) for step in ordered[:_MOST_STEPS]]
    fields["meta"] = {
        **(top.meta if top is not None else {}),
        **({"steps": brief} if brief else {}),
    }
    return fields


def _times(step: Step) -> tuple[str, str]:
    """Give when a step began and ended; a whole second sorts before its parts without the Z."""
    return step.start.removesuffix("Z"), step.end.removesuffix("Z")


def _conversation(whole: Sequence[Step], ordered: Sequence[Step], top: Step | None) -> list[Turn]:
    held = [_joined(*step.both) for step in whole if step.kind != "tool"]
    turns = max(held, key=len, default=[])
    turns = [*_instructed(turns, held), *turns]
    tools = [step for step in ordered if step.kind == "tool"]
    if tools and not any(turn.get("tool_calls") for turn in turns):
        turns = _in_order(ordered)
    if top is None:
        return turns
    if not any(turn["role"] == "user" for turn in turns):
        asked = _plain(top.said[0], _ASKED)
        at = next((n for n, turn in enumerate(turns) if turn["role"] != "system"), len(turns))
        turns = [*turns[:at], {"role": "user", "content": asked}, *turns[at:]] if asked else turns
    answered = _plain(top.said[1], _SAID) if turns else ""
    if answered and answered not in map(_text, turns):
        turns = [*turns, {"role": "assistant", "content": answered}]
    return turns


def _instructed(turns: Sequence[Turn], held: Sequence[Sequence[Turn]]) -> Sequence[Turn]:
    """Give what stood before a conversation where only an earlier call of it tells that."""
    if not turns or turns[0]["role"] == "system":
        return ()
    for earlier in held:
        count = sum(1 for _ in takewhile(lambda turn: turn["role"] == "system", earlier))
        said = earlier[count:]
        if count and said and all(map(_same, said, turns)):
            return earlier[:count]
    return ()


def _joined(given: list[Turn], gave: list[Turn]) -> list[Turn]:
    """Put what came out after what went in, unless it repeats that at its start."""
    repeats = len(gave) > len(given) and all(map(_same, given, gave))
    return gave if repeats else [*given, *gave]


def _same(one: Turn, other: Turn) -> bool:
    return one["role"] == other["role"] and _text(one) == _text(other)


def _in_order(ordered: Sequence[Step]) -> list[Turn]:
    """Tell the calls of models and tools one after another, each turn once."""
    turns: list[Turn] = []
    for step in ordered:
        if step.kind == "model":
            for turn in (*step.both[0], *step.both[1]):
                if turn not in turns:
                    turns.append(turn)
        elif step.kind == "tool":
            turns += _of_tool(step, turns)
    # a program may look things up before any model is asked, but not before the user asked
    asked = [n for n, turn in enumerate(turns) if turn["role"] in ("system", "user")]
    first = asked[0] if asked else 0
    last = next((n for n in range(first, len(turns)) if n not in asked), len(turns))
    return [*turns[first:last], *turns[:first], *turns[last:]]


def _of_tool(step: Step, turns: Sequence[Turn]) -> list[Turn]:
    given, gave = step.said
    if isinstance(given, dict) and list(given) == ["input"]:
        given = given["input"]
    calls = [call for turn in turns for call in turn.get("tool_calls", ())]
    answered = {turn.get("tool_call_id") for turn in turns}
    told = [x for x in calls if x["name"] == step.name and x.get("id", "") not in answered]
    call = next((x for x in told if x.get("arguments") == given), told[0] if told else None)
    number = step.call or (call or {}).get("id") or step.id
    answer: Turn = {"role": "tool", "name": step.name, "tool_call_id": number}
    answer["content"] = _plain(gave, _SAID) or as_text(gave)
    if call is not None:
        return [answer]
    asked = {"id": number, "name": step.name} | ({"arguments": given} if given else {})
    return [{"role": "assistant", "content": None, "tool_calls": [asked]}, answer]


def _plain(value: Json, names: Sequence[str]) -> str:
    """Give the text that a value is or holds, empty where it is no single one."""
    value = opened(value)
    if isinstance(value, str):
        return value
    turns = turns_in(value)
    if turns:
        return _text(turns[-1])
    if isinstance(value, dict):
        return next((x for x in (_plain(value[y], names) for y in names if y in value) if x), "")
    if isinstance(value, list) and all(isinstance(x, dict) and "text" in x for x in value):
        return "\n\n".join(as_text(x["text"]) for x in value)
    return ""


def _text(turn: Turn) -> str:
    content = turn.get("content")
    if isinstance(content, list):
        return "\n\n".join(as_text(part.get("text")) for part in content if part.get("text"))
    return content or ""


def _sums(ordered: Sequence[Step]) -> Fields:
    """Add up what the calls of models took; an agent's own sum would count them twice."""
    models = [step for step in ordered if step.kind == "model"] or ordered
    model = ""
    cost: float = 0
    given: float = 0
    gave: float = 0
    for step in models:
        cost += step.cost
        given += step.tokens[0]
        gave += step.tokens[1]
        model = step.model or model
    told = {"cost_usd": cost, "tokens_in": given, "tokens_out": gave, "model": model}
    return {name: x for name, x in told.items() if x}


def _of_top(top: Step) -> Fields:
    took = duration(top.start, top.end)
    found: Fields = {"occurred_at": top.start} if top.start else {}
    if took is not None:
        found["latency_ms"] = took
    if top.cost:
        found["cost_usd"] = top.cost
    return found | ({"error": top.error} if top.error else {})


def _brief(step: Step) -> Fields:
    took = duration(step.start, step.end)
    told: Fields = {"name": step.name} if step.name else {}
    told["kind"] = step.kind
    if took is not None:
        told["ms"] = took
    if step.error:
        told["error"] = step.error
    return told


def duration(start: str, end: str) -> float | None:
    """Give the milliseconds between two times, None where one is none."""
    try:
        took = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (ValueError, TypeError):
        return None
    return round(took.total_seconds() * 1000, 3)


def number_of(value: Json) -> float:
    """Give a number, 0 for anything else."""
    return value if isinstance(value, NUMBERS) and not isinstance(value, bool) else 0
