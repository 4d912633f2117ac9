"""Results of promptfoo: JSON of versions 2 and 3, JSON Lines and YAML.

A column of promptfoo, a provider with a prompt, is a run, and the test's place its id, so that the
same test is the same case in every run. Each assertion is a metric of its `metric` or its type;
what is inside an assert-set counts as it stands, and a second of one type is `type 2`. `pass` is
the verdict of the whole and `score` its weighted mean, which people are not asked for. A person's
rating (an assertion of type `human`) is a label of `pass`; it overrides both in the file, so that
the verdict is then taken from the other assertions and there is no `score`.

`error` is one only where promptfoo failed (`failureReason` 2, or no answer); else it repeats the
reason of an assertion. `cached` is never a score. Variables, metadata, options of the test and
what else the provider replied are kept under `meta`; the configuration of the whole and the table
of version 2, which repeats the results, are left out.

Verified with files of 0.120.8 and 0.121.20 in every kind and one of version 2 of 2023, and for
people's ratings with the tool's sources. Not seen: results of version 1.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from reviewer.domain.record import SYNONYMS, run_name
from reviewer.domain.rubric import Metric
from reviewer.formats import json_text, yaml_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Record, Source
from reviewer.formats.json_text import Item
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import parsed
from reviewer.formats.record import checked
from reviewer.formats.tools.drafts import (
    Fields,
    Json,
    entries_of,
    fields_of,
    kept,
    made,
    named,
    number_of,
    scored,
    text_of,
)
from reviewer.formats.turns import Turn, to_turns

VERDICT: Final = "pass"
SCORE: Final = "score"
PERSON: Final = "human"
_RESULTS = "results.results"
_FAILED = 2
_MANUAL = "Manual result"
_REFERENCES: Final = (
    "equals", "factuality", "similar", "rouge-n", "bleu", "gleu", "meteor", "levenshtein",
    "context-recall",
)  # fmt: skip
"""Assertions whose value is what the answer should be."""
_YES_OR_NO: Final = re.compile(
    r"(not-)?(equals|i?contains(-any|-all)?|starts-with|regex|(is|contains)-[\w-]+|latency|cost|"
    r"finish-reason|levenshtein|guardrails)"
)
"""Assertions that hold or do not."""
_USED = frozenset(
    {"id", "testIdx", "promptIdx", "prompt", "promptId", "provider", "vars", "response", "error",
     "failureReason", "gradingResult", "namedScores", "score", "success", "latencyMs", "cost",
     "testCase", "tokenUsage", "description"}
)  # fmt: skip
_OF_TEST = frozenset({"vars", "assert", "description", "id", "tags"})
_OF_REPLY = frozenset({"output", "tokenUsage", "cost", "latencyMs", "cached", "error"})
_LOOKED_AT = 200


class _Runs:
    """Names the runs of a file: a provider each, and a prompt where one has several."""

    def __init__(self, file: str) -> None:
        self.evaluation = run_name(file)
        self.at: str | None = None
        self._prompts: dict[str, dict[str, None]] = {}
        self._rows: Counter[str] = Counter()

    def see(self, item: Item) -> None:
        if item.key == "evalId" and isinstance(item.value, str):
            self.evaluation = item.value
        elif item.key == "results.timestamp" and isinstance(item.value, str):
            self.at = item.value

    def name(self, provider: str, prompt: Fields, number: Json) -> str:
        told = text_of(number) or text_of(prompt.get("label")) or text_of(prompt.get("display"))
        known = self._prompts.setdefault(provider, {})
        known.setdefault(told or "")
        place = list(known).index(told or "") + 1
        return named(self.evaluation, provider, f"prompt {place}" if place > 1 else "")

    def number(self, run: str) -> int:
        """Count a row of a run."""
        self._rows[run] += 1
        return self._rows[run]


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    runs = _Runs(source.path.name)
    is_row = sniffed.shape in ("lines", "documents", "list", "rows")
    for item in _items(source, sniffed):
        if isinstance(item, BadRow):
            yield item
        elif is_row or item.key == _RESULTS:
            make = partial(_record, runs=runs, careful=not item.is_whole)
            yield made(make, item.value, item.line)
        else:
            runs.see(item)


def _items(source: Source, sniffed: Sniffed) -> Iterator[Item | BadRow]:
    if sniffed.shape == "yaml":
        return yaml_text.parts(source, (_RESULTS,))
    if sniffed.shape == "object":
        return json_text.parts(source, (_RESULTS,))
    return json_text.items(source, sniffed.shape)


def _record(row: Fields, line: int, *, runs: _Runs, careful: bool) -> Incoming:
    test, prompt = fields_of(row.get("testCase")), fields_of(row.get("prompt"))
    given = row.get("provider")
    model = given if isinstance(given, str) else text_of(fields_of(given).get("label"))
    model = model or text_of(fields_of(given).get("id")) or ""
    run = runs.name(model, prompt, row.get("promptId"))
    number, place = runs.number(run), number_of(row.get("testIdx"))
    values = fields_of(row.get("vars")) or fields_of(test.get("vars"))
    reply = fields_of(row.get("response"))
    usage = fields_of(reply.get("tokenUsage"))
    components = _components(fields_of(row.get("gradingResult")))
    fields = kept(
        {
            "id": text_of(number if place is None else place + 1),
            "run": run,
            "case": text_of(test.get("id")),
            "category": text_of(fields_of(test.get("metadata")).get("category")),
            "tags": [x for x in entries_of(test.get("tags")) if isinstance(x, str)],
            "expected": _expected(components, test, values),
            "context": of_variables("context", values),
            "error": _error(row, reply),
            "latency_ms": number_of(row.get("latencyMs")),
            "cost_usd": number_of(row.get("cost")),
            "tokens_in": number_of(usage.get("prompt")),
            "tokens_out": number_of(usage.get("completion")),
            "model": model,
            "occurred_at": runs.at,
            "cache": "warm" if reply.get("cached") is True else None,
            "meta": _meta(row, test, reply, values),
        }
    )
    fields |= _asked(prompt, row, reply)
    if "error" not in fields:
        scores, labels = _graded(row, components)
        fields |= kept({"scores": scores, "labels": labels})
    return checked(fields, line, careful=careful)


def _error(row: Fields, reply: Fields) -> str | None:
    told = text_of(row.get("error")) or text_of(reply.get("error"))
    if row.get("failureReason") == _FAILED:
        return told or "the provider failed"
    is_old = "failureReason" not in row and not fields_of(row.get("gradingResult"))
    return told if is_old or (reply.get("output") is None and reply.get("error")) else None


def _asked(prompt: Fields, row: Fields, reply: Fields) -> Fields:
    """Give the conversation, or the question and the answer."""
    output = reply.get("output")
    said = text_of(output) if not isinstance(output, bool) else str(output).lower()
    told = entries_of(fields_of(row.get("metadata")).get("messages"))
    given = to_turns(told) if told else _conversation(prompt.get("raw"))
    answer = _answer(output)
    if isinstance(given, list) and given:
        last = given[-1]
        repeats = last["role"] == "assistant" and last.get("content") == said
        own = answer or ({"role": "assistant", "content": said} if said is not None else None)
        return {"messages": given if repeats or own is None else [*given, own]}
    question = text_of(prompt.get("raw"))
    if answer is not None:
        return {"messages": [{"role": "user", "content": question or ""}, answer]}
    return {"input": question or "", "response": said}


def _conversation(prompt: Json) -> list[Turn] | str:
    """Read a prompt that is a list of messages written as JSON."""
    is_list = isinstance(prompt, str) and prompt.lstrip().startswith("[")
    return to_turns(parsed(prompt)) if isinstance(prompt, str) and is_list else ""


def _answer(output: Json) -> Turn | None:
    """Give an output that is a message or calls of tools as a turn."""
    if isinstance(output, dict) and (output.get("tool_calls") or "role" in output):
        message = output | {"role": "assistant"}
    elif isinstance(output, list) and output and all(map(_is_call, output)):
        message = {"role": "assistant", "content": None, "tool_calls": output}
    else:
        return None
    turns = to_turns([message])
    return turns[0] if isinstance(turns, list) else None


def _is_call(entry: Json) -> bool:
    return isinstance(entry, dict) and ("function" in entry or entry.get("type") == "tool_use")


def _expected(components: Sequence[Fields], test: Fields, values: Fields) -> Json:
    """Give what the answer should be: of the variables, else of the first assertion that says."""
    found = of_variables("expected", values)
    if found is not None:
        return found
    for one in components:
        assertion = fields_of(one.get("assertion"))
        if assertion.get("type") in _REFERENCES:
            told = fields_of(one.get("metadata")).get("renderedAssertionValue")
            return text_of(told) or text_of(assertion.get("value"))
    given = (fields_of(x) for x in entries_of(test.get("assert")))
    return next((text_of(x.get("value")) for x in given if x.get("type") in _REFERENCES), None)


def of_variables(name: str, values: Fields) -> Json:
    """Give the variable that holds a field of ours by its name or a synonym."""
    names = (name, *SYNONYMS[name])
    return next((values[x] for x in names if values.get(x) not in (None, "")), None)


def _meta(row: Fields, test: Fields, reply: Fields, values: Fields) -> Fields:
    grading, provider = fields_of(row.get("gradingResult")), row.get("provider")
    told = {key: x for key, x in row.items() if key not in _USED}
    return kept(
        told
        | {
            "vars": values,
            "description": test.get("description") or row.get("description"),
            "test": kept({key: x for key, x in test.items() if key not in _OF_TEST}),
            "reply": kept({key: x for key, x in reply.items() if key not in _OF_REPLY}),
            "provider": provider if isinstance(provider, dict) else None,
            "prompt_label": fields_of(row.get("prompt")).get("label"),
            "result_id": row.get("id"),
            "comment": grading.get("comment"),
        }
    )


def _components(grading: Fields) -> list[Fields]:
    """Give the results of single assertions, those within sets, too."""
    inner = entries_of(grading.get("componentResults"))
    if inner:
        return [x for one in inner for x in _components(fields_of(one))]
    return [grading] if fields_of(grading.get("assertion")) else []


def _graded(row: Fields, components: Sequence[Fields]) -> tuple[list[Fields], list[Fields]]:
    grading = fields_of(row.get("gradingResult"))
    people = [x for x in components if _kind(x) == PERSON]
    components = [x for x in components if _kind(x) != PERSON] if people else components
    scores = _scores(components, fields_of(row.get("namedScores")) or fields_of(
        grading.get("namedScores")))  # fmt: skip
    passed = row.get("success", grading.get("pass"))
    if people:
        passed = all(x.get("pass") is True for x in components) if components else None
    elif (whole := number_of(row.get("score", grading.get("score")))) is not None:
        scores.append(scored(SCORE, whole, scorer="promptfoo"))
    if isinstance(passed, bool):
        reason = None if people else text_of(grading.get("reason"))
        scores.append(scored(VERDICT, passed, scorer="promptfoo", reasoning=reason))
    return scores, list(_labels(people, grading))


def _labels(people: Iterable[Fields], grading: Fields) -> Iterator[Fields]:
    for rating in people:
        reason = text_of(rating.get("reason"))
        said = None if reason is None or reason.startswith(_MANUAL) else reason
        said = text_of(rating.get("comment")) or text_of(grading.get("comment")) or said
        if isinstance(rating.get("pass"), bool):
            label = {"metric": VERDICT, "labeler": PERSON, "value": rating["pass"]}
            yield label | kept({"comment": said})


def _kind(component: Fields) -> str:
    return text_of(fields_of(component.get("assertion")).get("type")) or "assertion"


def _scores(components: Sequence[Fields], means: Fields) -> list[Fields]:
    groups: dict[str, list[Fields]] = {}
    for one in components:
        name = text_of(fields_of(one.get("assertion")).get("metric"))
        if name is None:
            kind = _kind(one)
            number = sum(x == kind or x.startswith(f"{kind} ") for x in groups) + 1
            name = kind if number == 1 else f"{kind} {number}"
        groups.setdefault(name, []).append(one)
    scores = [_score(name, given, means.get(name)) for name, given in groups.items()]
    scores += [scored(name, number_of(x), scorer="promptfoo") for name, x in means.items()
               if name not in groups]  # fmt: skip
    return scores


def _score(name: str, given: Sequence[Fields], mean: Json) -> Fields:
    """Make one score of the assertions of a name, whose mean the file tells."""
    first = given[0]
    assertion = fields_of(first.get("assertion"))
    value = number_of(first.get("score")) if len(given) == 1 else number_of(mean)
    used = fields_of(first.get("tokensUsed"))
    provider = assertion.get("provider")
    told = [text_of(x.get("reason")) or "" for x in given]
    return scored(
        name,
        value,
        reasoning="\n".join(filter(None, told)),
        passed=all(x["pass"] for x in given) if all(_has_verdict(x) for x in given) else None,
        scorer=_kind(first),
        model=provider if isinstance(provider, str) else None,
        tokens_in=number_of(used.get("prompt")),
        tokens_out=number_of(used.get("completion")),
        meta=kept(
            {
                "assertion": assertion if len(given) == 1 else [x.get("assertion") for x in given],
                "metadata": first.get("metadata"),
            }
        ),
    )


def _has_verdict(component: Fields) -> bool:
    return isinstance(component.get("pass"), bool)


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    """Give which assertions hold or do not; only `pass` decides, by the test's own threshold."""
    kinds: dict[str, set[str]] = {}
    for item in islice(_read(source, sniffed, None), _LOOKED_AT):
        for score in item.fields.get("scores") or () if isinstance(item, Record) else ():
            assertion = fields_of(fields_of(score.get("meta")).get("assertion"))
            kinds.setdefault(score["metric"], set()).add(text_of(assertion.get("type")) or "")
    return [
        Metric(name=name, scale="binary")
        for name, types in kinds.items()
        if all(map(_YES_OR_NO.fullmatch, types))
    ] + [*WHOLE]


WHOLE: Final = (
    Metric(name=SCORE, scale="range", min=0.0, max=1.0, weight=0, labelled=False),
    Metric(name=VERDICT, scale="binary", pass_at=1),
)
"""The weighted mean of all assertions, which people are not asked for, and the verdict."""
_HEAD = re.compile(rb"(?:evalId:.*\n)?results:\n +version: \d")


def _is_row(row: Json) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("prompt"), dict):
        return False
    is_graded = "gradingResult" in row or "success" in row
    return "raw" in row["prompt"] and "provider" in row and is_graded


def _recognise(look: Look) -> str | None:
    if look.shape == "yaml":
        return "a YAML document with promptfoo's results" if _HEAD.search(look.head) else None
    if look.shape == "object":
        results = look.top.get("results")
        told = results if isinstance(results, dict) else {}
        fits = isinstance(told.get("version"), int) and "results" in told
        return "a JSON object with promptfoo's results" if fits else None
    fits = bool(look.rows) and all(map(_is_row, look.rows))
    return f"{look.words} with promptfoo's results" if fits else None


FORMAT = Format(
    name="promptfoo",
    title="promptfoo results",
    suffixes=(".json", ".jsonl", ".yaml"),
    recognised_by="results of a version, or objects with prompt, provider and gradingResult",
    shapes=frozenset({"object", "lines", "list", "yaml", "rows"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
