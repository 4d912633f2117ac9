"""Logs of Inspect: the archive `.eval` and the JSON of the same log.

A sample of an epoch is an evaluation; its `case` is the sample's id. Letters become the numbers
that Inspect itself counts (C 1, P 0.5, I and N 0) and stay beside as `verdict`, unless the first
samples have other letters of the same scorer, such as A to E: these are categories. A score of
several values becomes a metric each, `scorer.key`. What a person changed (`history` with its
author) is a label, or a comment where the value stayed, and the score is what stood there before.

Left out: the events and what belongs to them (`timelines`, `message_pool`, `events_data`), whose
messages the sample repeats, and attachments that no message refers to. Other keys that have no
field here are kept under `meta`, those beyond 32 kB are named there as `left_out`.

Verified with logs of 0.3.45 to 0.3.208 (versions 2 and 3, packed with deflate and zstd, cancelled,
failed, of several epochs, with `score` and `scores`) and, for edits, with the declarations of
0.3.285. Not seen: logs that stop in the middle of an archive, which then has no directory.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from reviewer.domain.errors import FormatError
from reviewer.domain.rubric import Level, Metric
from reviewer.formats import archives, json_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Record, Refused, Source
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
    moment,
    named,
    number_of,
    scored,
    spread,
    text_of,
)
from reviewer.formats.turns import Turn, to_turns

HEADER = "header.json"
START = "_journal/start.json"
SAMPLES = "samples/"
LETTERS: Final = {"C": 1, "I": 0, "P": 0.5, "N": 0}
_EVENTS = frozenset({"events", "transcript", "timelines", "message_pool", "events_data"})
_USED = frozenset(
    {"id", "epoch", "input", "target", "messages", "output", "scores", "score", "error",
     "total_time", "started_at", "completed_at", "attachments", "invalidation"}
)  # fmt: skip
_READ = _USED - {"attachments"}
_NOTHING = len("null")
_LARGEST = 32 << 10
_ATTACHED = re.compile(r"attachment://([0-9a-f]+)")
_LETTER = re.compile(r"[A-Z]")
_UNCHANGED = "UNCHANGED"
_LOOKED_AT = 200


@dataclass(frozen=True)
class _Log:
    """What the head of a log says about all of its samples, and what their scores show.

    Attributes:
        lettered: The metrics with letters of their own, which stand for no numbers.
    """

    header: Fields
    lettered: frozenset[str] = frozenset()

    @property
    def task(self) -> Fields:
        return fields_of(self.header.get("eval"))

    @property
    def run(self) -> str:
        known = self.task
        return named(known.get("task"), known.get("model"), moment(known.get("created")))

    @property
    def repeats(self) -> bool:
        epochs = number_of(fields_of(self.task.get("config")).get("epochs"))
        return epochs is not None and epochs > 1

    @property
    def status(self) -> str:
        return text_of(self.header.get("status")) or "not finished"

    def scorer(self, name: str) -> Fields:
        """Give what the log declares of a scorer."""
        declared = entries_of(self.task.get("scorers"))
        return next((x for x in map(fields_of, declared) if x.get("name") == name), {})

    def only_scorer(self) -> str:
        """Name the scorer of an old log, whose samples have a `score` without a name."""
        results = fields_of(self.header.get("results"))
        listed = entries_of(results.get("scores"))
        first = fields_of(listed[0]) if listed else fields_of(results.get("scorer"))
        return text_of(first.get("name")) or "score"

    def number(self, metric: str, value: Json) -> Json:
        """Give the number that a letter of Inspect's stands for, anything else as it is."""
        if metric in self.lettered or not isinstance(value, str):
            return value
        return LETTERS.get(value, value)

    def check(self, found: int, file: str) -> None:
        """Say why a log without samples has none.

        Raises:
            FormatError: There was none.
        """
        if not found:
            raise FormatError(
                f"{file} is an Inspect log without samples: its task "
                f"{text_of(self.task.get('task')) or 'without a name'} is {self.status}; "
                "there is nothing to import."
            )


def _read_archive(source: Source, lettered: frozenset[str]) -> Iterator[Incoming]:
    with archives.opened(source) as archive:
        log = _Log(_head_of(archive), lettered)
        found = 0
        for name in archive.names:
            if name.startswith(SAMPLES) and name.endswith(".json"):
                found += 1
                try:
                    with archive.member(name) as member:
                        sample = json_text.sealed(member.read())
                except (FormatError, ValueError) as error:
                    yield BadRow(found, name, None, str(error))
                else:
                    yield made(partial(_record, log=log), sample, found)
        log.check(found, source.path.name)


def _head_of(archive: archives.Archive) -> Fields:
    heads = (_head(archive, name) for name in (HEADER, START) if name in archive.names)
    return next((x for x in heads if x is not None), {})


def _head(archive: archives.Archive, name: str) -> Fields | None:
    try:
        with archive.member(name) as member:
            header = json_text.sealed(member.read())
    except (FormatError, ValueError):
        return None
    return {key: unsealed(x) for key, x in fields_of(header).items()}


def _read_document(source: Source, lettered: frozenset[str]) -> Iterator[Incoming]:
    header: Fields = {}
    log = _Log(header, lettered)
    found = 0
    for item in json_text.parts(source, ("samples",), sealed=True):
        if isinstance(item, BadRow):
            found += 1
            yield item
        elif item.key == "samples" and item.value is not None:
            found += 1
            make = partial(_record, log=log, careful=not item.is_whole)
            yield made(make, item.value, item.line)
        else:
            header[item.key or ""] = item.value
    log.check(found, source.path.name)


def record_of(sample: Fields, line: int, header: Fields, lettered: frozenset[str]) -> Incoming:
    """Give the record of a sample outside of its log, of whose head something is known."""
    return _record(sample, line, _Log(header, lettered))


def _record(sample: Fields, line: int, log: _Log, *, careful: bool = True) -> Incoming:
    known = {key: unsealed(x) for key, x in sample.items() if key in _READ}
    given = sample.get("attachments")
    if given and json_text.size_of(given) > _NOTHING:
        attached = _Attached(given)
        known = {key: attached.put(x) for key, x in known.items()}
    scores, labels = _scores(known, log)
    epoch = known.get("epoch")
    several = log.repeats or (isinstance(epoch, int) and epoch > 1)
    case = text_of(known.get("id"))
    turns = _turns(known)
    fields: Fields = kept(
        {
            "id": f"{case}_epoch_{epoch}" if several and case is not None else case,
            "run": log.run,
            "case": case,
            "input": known.get("input") if isinstance(known.get("input"), str) else None,
            "messages": turns if isinstance(turns, list) else None,
            "expected": _expected(known.get("target")),
            "error": text_of(fields_of(known.get("error")).get("message")),
            "model": text_of(log.task.get("model")),
            "occurred_at": known.get("started_at") or log.task.get("created"),
            "evaluated_at": known.get("completed_at"),
            "scores": scores,
            "labels": labels,
            "excluded": _invalidated(known.get("invalidation")),
        }
    )
    output = fields_of(known.get("output"))
    seconds = known.get("total_time")
    fields |= kept(
        {"latency_ms": milliseconds(output.get("time") if seconds is None else seconds)}
    )
    fields |= _response(output, turns)
    meta = _meta(sample, epoch)
    fields |= _usage(meta, log) | {"meta": meta}
    category = fields_of(meta.get("metadata")).get("category")
    fields |= {"category": category} if isinstance(category, str) and category else {}
    found = checked(fields, line, careful=careful)
    if isinstance(turns, str) and isinstance(found, Record):
        found.refused.append(Refused("messages", None, turns))
    return found


class _Attached:
    """Long texts and pictures, which messages only refer to."""

    def __init__(self, given: Json) -> None:
        self._given = given
        self._texts: Fields | None = None

    def put(self, value: Json) -> Json:
        """Put what is referred to in its place."""
        if isinstance(value, str):
            return _ATTACHED.sub(self._text, value) if "attachment://" in value else value
        if isinstance(value, list):
            return [self.put(x) for x in value]
        if isinstance(value, dict):
            return {key: self.put(x) for key, x in value.items()}
        return value

    def _text(self, match: re.Match[str]) -> str:
        if self._texts is None:
            self._texts = fields_of(unsealed(self._given))
        found = self._texts.get(match[1])
        return found if isinstance(found, str) else match[0]


def _turns(known: Fields) -> list[Turn] | str:
    messages = known.get("messages")
    if not messages:
        given = known.get("input")
        asked = [{"role": "user", "content": given}] if isinstance(given, str) else given
        answer = _answer(fields_of(known.get("output")))
        messages = [*entries_of(asked), *([answer] if answer else [])]
    return to_turns(messages)


def _answer(output: Fields) -> Fields:
    choices = entries_of(output.get("choices"))
    return fields_of(fields_of(choices[0]).get("message")) if choices else {}


def _response(output: Fields, turns: list[Turn] | str) -> Fields:
    """Give the output where it is not the last assistant turn anyway."""
    said = output.get("completion")
    if not isinstance(said, str):
        content = _answer(output).get("content")
        said = content if isinstance(content, str) else None
    given = turns if isinstance(turns, list) else []
    last = next((x["content"] for x in reversed(given) if x["role"] == "assistant"), "")
    return {"response": said} if said and isinstance(last, str) and last != said else {}


def _expected(target: Json) -> Json:
    several = [x for x in entries_of(target) if x != ""]
    return several[0] if len(several) == 1 else (several or target or None)


def _invalidated(given: Json) -> Fields | None:
    if not isinstance(given, dict):
        return None
    reason = text_of(given.get("reason")) or "invalidated in the log"
    return {"reason": reason} | kept({"by": given.get("author"), "at": given.get("timestamp")})


def _meta(sample: Fields, epoch: Json) -> Fields:
    meta: Fields = {"epoch": epoch} if epoch is not None else {}
    left = []
    for key, value in sample.items():
        if key not in _USED and key not in _EVENTS:
            if json_text.size_of(value) > _LARGEST:
                left.append(key)
            else:
                meta[key] = unsealed(value)
    return kept(meta | {"left_out": left})


def _usage(meta: Fields, log: _Log) -> Fields:
    """Give the tokens and the cost of the evaluated model; judges' stay under `meta`."""
    every = fields_of(meta.get("model_usage"))
    only = next(iter(every.values())) if len(every) == 1 else None
    usage = fields_of(every.get(str(log.task.get("model")), only))
    given = [number_of(usage.get(key)) for key in
             ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")]  # fmt: skip
    return kept(
        {
            "tokens_in": sum(x for x in given if x is not None) if usage else None,
            "tokens_out": number_of(usage.get("output_tokens")),
            "cost_usd": number_of(usage.get("total_cost")),
        }
    )


def _scores(known: Fields, log: _Log) -> tuple[list[Fields], list[Fields]]:
    given = known.get("scores")
    if not isinstance(given, dict):
        given = {log.only_scorer(): known["score"]} if known.get("score") is not None else {}
    scores: list[Fields] = []
    labels: list[Fields] = []
    for name, score in given.items():
        told = score if isinstance(score, dict) else {"value": score}
        history = [x for x in entries_of(told.get("history")) if isinstance(x, dict)]
        edits = [x for x in history if isinstance(x.get("provenance"), dict)]
        labels += [x for edit in edits for x in _labels(name, edit, told.get("value"), log)]
        # whole, though a log leaves out what is null: all else at the score is a person's
        original = next((x for x in history if x not in edits), None) if edits else told
        if original is not None:
            scores += _score(name, original, log)
    return scores, labels


def _labels(name: str, edit: Fields, now: Json, log: _Log) -> Iterator[Fields]:
    """Give what a person made of a score: a label, or a comment where its value stayed."""
    by = edit["provenance"]
    changed = {key: x for key, x in edit.items() if x not in (None, _UNCHANGED)}
    answer = text_of(changed.get("answer"))
    said = [text_of(by.get("reason")), text_of(changed.get("explanation")),
            answer and f"Answer: {answer}"]  # fmt: skip
    comment = "\n\n".join(x for x in dict.fromkeys(said) if x)
    if "value" not in changed and not comment:
        return
    author, is_new = text_of(by.get("author")) or "unknown", "value" in changed
    # beside what Inspect has, our own logs tell how a label was given
    how = {key: x for key, x in fields_of(by.get("metadata")).items() if _tells(key, x)}
    how = how if is_new else {"kind": "comment"}
    for metric, value in spread(name, changed.get("value", now)):
        number = log.number(metric, value) if is_new else None
        letter = value if is_new and number is not value else None
        meta = kept({"verdict": letter, "metadata": changed.get("metadata")})
        label: Fields = {"metric": metric, "labeler": author, "value": number}
        yield label | how | kept({"comment": comment, "at": by.get("timestamp"), "meta": meta})


def _tells(key: str, value: object) -> bool:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return (
        (key == "kind" and value == "adjudication")
        or (key == "blind" and isinstance(value, bool))
        or (key == "aggregate" and is_count)
    )


def _score(name: str, told: Fields, log: _Log) -> Iterator[Fields]:
    declared = log.scorer(name)
    options = fields_of(declared.get("options"))
    metadata = dict(fields_of(told.get("metadata")))
    dialogue = [fields_of(x) for x in entries_of(metadata.get("grading"))]
    judge: Fields = {}
    if len(dialogue) > 1:
        metadata.pop("grading")
        judge = {"raw": text_of(dialogue[-1].get("content")), "model": dialogue[-1].get("model")}
        metadata["grading_prompt"] = [x.get("content") for x in dialogue[:-1]]
    version = _models(options.get("model")) or _models(
        fields_of(log.task.get("model_roles")).get("grader")
    )
    scorer = name
    if isinstance(metadata.get("scorer"), str):
        scorer = metadata.pop("scorer")
        version = text_of(metadata.pop("version", None)) or version
    for metric, value in spread(name, told.get("value")):
        number = log.number(metric, value)
        letter = None if number is value else value
        meta = kept({"verdict": letter, "answer": told.get("answer"), "metadata": metadata})
        yield scored(
            metric,
            number,
            reasoning=text_of(told.get("explanation")),
            scorer=scorer,
            scorer_version=version,
            parameters=options,
            meta=meta,
            **judge,
        )


def _models(given: Json) -> str | None:
    """Name the model, or several, each by its name or as an object that has it."""
    several = given if isinstance(given, list) else [given]
    names = (text_of(fields_of(x).get("model", x)) for x in several)
    return ", ".join(filter(None, names)) or None


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    """Give the metrics of letters; what they stand for is Inspect's own."""
    return metrics_of_letters(_read(source, sniffed, None))


def metrics_of_letters(items: Iterator[Incoming]) -> list[Metric]:
    """Give the metrics of which the first scores and labels have letters of Inspect's."""
    seen: dict[str, set[float]] = {}
    for given in _first_given(items):
        if "verdict" in given.get("meta", {}):
            seen.setdefault(given["metric"], set()).add(given["value"])
    half = Level(value=0.5, title="Partially correct")
    return [
        Metric(
            name=name,
            pass_at=1,
            levels=(
                Level(value=0, title="Incorrect"),
                *((half,) if half.value in values else ()),
                Level(value=1, title="Correct"),
            ),
        )
        for name, values in seen.items()
    ]


def _subject(source: Source, sniffed: Sniffed) -> str:
    """Give the task, without the package that it is of."""
    log = _Log({})
    if sniffed.shape == "archive":
        with archives.opened(source) as archive:
            log = _Log(_head_of(archive))
    else:
        for item in json_text.parts(source, ("samples",), sealed=True):
            if isinstance(item, BadRow) or item.key in ("samples", "eval"):
                log = _Log({} if isinstance(item, BadRow) else {"eval": item.value})
                break
    return (text_of(log.task.get("task")) or "").rpartition("/")[2]


def _is_archive(look: Look) -> str | None:
    fits = HEADER in look.names or START in look.names
    inside = any(name.startswith((SAMPLES, "_journal/")) for name in look.names)
    return "an archive with an Inspect log" if fits and inside else None


def _is_document(look: Look) -> str | None:
    top = look.top
    task = top.get("eval")
    fits = isinstance(task, dict) and "task" in task and "model" in task and "version" in top
    is_log = fits and ("status" in top or "samples" in top)
    return "a JSON object with an Inspect log" if is_log else None


def _recognise(look: Look) -> str | None:
    return _is_archive(look) if look.shape == "archive" else _is_document(look)


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    is_archive = sniffed.shape == "archive"
    read = _read_archive if is_archive else _read_document
    with source.again() as again:
        lettered = lettered_among(read(again, frozenset()))
    yield from read(source, lettered)


def lettered_among(items: Iterator[Incoming]) -> frozenset[str]:
    """Give the metrics of which the first samples have other letters than Inspect's own."""
    return frozenset(
        given["metric"]
        for given in _first_given(items)
        if isinstance(given["value"], str) and _LETTER.fullmatch(given["value"])
    )


def _first_given(items: Iterator[Incoming]) -> Iterator[Fields]:
    """Give the scores and labels of the first samples."""
    for item in islice(items, _LOOKED_AT):
        if isinstance(item, Record):
            yield from (*item.fields.get("scores", ()), *item.fields.get("labels", ()))


FORMAT = Format(
    name="inspect",
    title="Inspect logs",
    suffixes=(".eval", ".json"),
    recognised_by="a ZIP archive or JSON object with the header of an Inspect log",
    shapes=frozenset({"archive", "object"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
    subject=_subject,
)
