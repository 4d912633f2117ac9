"""The shape of a native record: what each key must be, and what happens where it is not.

A wrong value is taken out and reported while its record is kept; a record that has no id, nothing
to look at, or a conversation that cannot be trusted is refused as a whole.
"""

from reviewer.domain.record import Json
from reviewer.formats import record_checks as checks
from reviewer.formats.incoming import BadRow, Fields, Incoming, LabelRow, Record, Refused
from reviewer.formats.record_checks import Check, UnusableError

ROLES = ("system", "user", "assistant", "tool")
PART_TYPES = ("text", "image", "reasoning", "file")
EXCLUDED = "excluded"
MARK_KINDS = ("skip", "flag", "highlight", "cause", "question", "reveal")
LABEL_KINDS = ("label", "adjudication", "not_applicable", "withdrawn", "comment")
REASONS = ("random", "stratum", "active", "browse", "search", "disputed", "imported")

_TEXT_KEYS = ("run", "case", "category", "complexity", "input", "response", "expected", "error",
              "model", "cluster")  # fmt: skip
_RECORD_CHECKS: dict[str, Check] = {
    **dict.fromkeys(("id", *_TEXT_KEYS), checks.a_text),
    **dict.fromkeys(("tags", "expected_keywords", "expected_tools", "tools_used"), checks.texts),
    **dict.fromkeys(("latency_ms", "cost_usd", "tokens_in", "tokens_out"), checks.a_number),
    **dict.fromkeys(("occurred_at", "evaluated_at"), checks.a_time),
    **dict.fromkeys(("template_matched", "direct_substitution"), checks.a_truth),
    **dict.fromkeys(("scores", "labels", "marks"), lambda _: None),
    **dict.fromkeys(("sources", "expected_sources", "feedback"), checks.a_list),
    "context": checks.text_or_object,
    "cache": checks.one_of("warm", "cold"),
    "meta": checks.an_object,
    EXCLUDED: checks.an_object,
}
_RECORD_PLAIN: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", *_TEXT_KEYS), (str,)),
    **dict.fromkeys(("scores", "labels", "marks"), (list,)),
    **dict.fromkeys(("template_matched", "direct_substitution"), (bool,)),
}
_SCORE_CHECKS: dict[str, Check] = {
    **dict.fromkeys(
        ("metric", "reasoning", "scorer", "scorer_version", "error", "raw", "trace", "model",
         "prompt_hash"), checks.a_text),
    **dict.fromkeys(("cost_usd", "latency_ms", "tokens_in", "tokens_out"), checks.a_number),
    "value": checks.a_value, "examples": checks.texts, "at": checks.a_time,
    "passed": checks.a_truth, "confidence": checks.between(0, 1), "turn": checks.a_whole_number,
    "parameters": checks.an_object, "meta": checks.an_object,
}  # fmt: skip
_SCORE_PLAIN: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("metric", "reasoning", "scorer", "scorer_version", "error", "raw",
                     "trace", "model", "prompt_hash"), (str,)),
    "value": (int, float, str, bool), "passed": (bool,),
}  # fmt: skip
_LABEL_CHECKS: dict[str, Check] = {
    **dict.fromkeys(("metric", "labeler", "comment", "rubric_version", "judge_version"),
                    checks.a_text),
    "value": checks.a_value, "at": checks.a_time, "blind": checks.a_truth,
    "kind": checks.one_of(*LABEL_KINDS), "turn": checks.a_whole_number,
    "seconds": checks.a_number, "aggregate": checks.a_whole_number,
    "selection_reason": checks.one_of(*REASONS), "selection_prob": checks.between(0, 1),
    "of": checks.one_of("label"), "uid": checks.a_uid, "restores": checks.a_uid,
}  # fmt: skip
_ROW_CHECKS = {**_LABEL_CHECKS, "run": checks.a_text, "id": checks.a_text}
_LABEL_PLAIN: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("metric", "labeler", "comment", "rubric_version", "judge_version"), (str,)),
    "value": (int, float, str, bool),
    "blind": (bool,),
}
_MARK_CHECKS: dict[str, Check] = {
    **dict.fromkeys(("labeler", "metric", "note"), checks.a_text),
    **dict.fromkeys(("turn", "start", "end"), checks.a_whole_number),
    "kind": checks.one_of(*MARK_KINDS), "at": checks.a_time, "value": checks.a_value,
    "uid": checks.a_uid, "restores": checks.a_uid,
}  # fmt: skip
_MARK_PLAIN: dict[str, tuple[type, ...]] = dict.fromkeys(("labeler", "metric", "note"), (str,))
_EXCLUSION_CHECKS: dict[str, Check] = {
    "reason": checks.a_text, "by": lambda x: checks.a_text(x) or (None if x else "it is empty"),
    "at": checks.a_time,
}  # fmt: skip
_NEEDED = {
    "scores": ("metric",),
    "labels": ("metric", "labeler"),
    "marks": ("kind", "labeler"),
}
_DECISIVE = {"scores": {"metric", "value", "turn"},
             "labels": {"metric", "labeler", "value", "kind", "of", "turn"},
             "marks": {"kind", "labeler", "metric", "turn", "start", "end"}}  # fmt: skip
"""Keys without which, or with a wrong one, an entry would say something else."""
_LISTS = {
    "scores": (_SCORE_CHECKS, _SCORE_PLAIN),
    "labels": (_LABEL_CHECKS, _LABEL_PLAIN),
    "marks": (_MARK_CHECKS, _MARK_PLAIN),
}


def checked(fields: Json, line: int, *, careful: bool = True) -> Incoming:
    """Check one JSON value as a record or a single label.

    Args:
        fields: What the reader found; an object is changed in place.
        line: Where it stood, for reports.
        careful: False where the parser has already refused unpaired surrogates.
    """
    if not isinstance(fields, dict):
        return BadRow(line, "", fields, f"{checks.found(fields)} was found, an object is expected")
    try:
        _identity(fields)
        if _is_label(fields):
            return _label_row(fields, line)
        return _record(fields, line, careful=careful)
    except UnusableError as error:
        return BadRow(line, error.field, error.value, error.reason)


def _is_label(fields: Fields) -> bool:
    return "metric" in fields and "labeler" in fields and not (
        "input" in fields or "messages" in fields or "response" in fields
    )  # fmt: skip


def _identity(fields: Fields) -> None:
    """Bring the id to text; a record without one cannot be told from others."""
    value = fields.get("id")
    if isinstance(value, int | float) and not isinstance(value, bool):
        problem = checks.number_problem(value)
        if problem is not None:
            raise UnusableError("id", value, problem)
        fields["id"] = str(value)
    elif not isinstance(value, str) or not value:
        given = "there is none" if "id" not in fields else f"{checks.found(value)} was found"
        if value == "":
            given = "it is empty"
        raise UnusableError(
            "id", value, f"{given}; every record needs an id of its own, as a text"
        )


def _record(fields: Fields, line: int, *, careful: bool) -> Incoming:
    if "messages" in fields:
        _check_messages(fields["messages"], "messages")
    if "candidates" in fields:
        _check_candidates(fields["candidates"])
    refused = checks.clean(fields, _WHOLE_CHECKS, {} if careful else _RECORD_PLAIN) or []
    if "id" not in fields:
        raise UnusableError("id", None, "it holds an unpaired surrogate, which cannot be kept")
    for name in ("scores", "labels", "marks"):
        if fields.get(name):
            fields[name] = _entries(fields[name], name, refused, careful=careful)
    _check_entries(fields, "sources", refused)
    if fields.get(EXCLUDED):
        _check_exclusion(fields, refused)
    if not (fields.get("input") or fields.get("messages") or fields.get("candidates")
            or fields.get("response") is not None):  # fmt: skip
        _explain_emptiness(fields, refused)
    return Record(line, fields, refused)


def _explain_emptiness(fields: Fields, refused: list[Refused]) -> None:
    if "response" in fields and (fields.get("error") or "input" in fields):
        return
    lost = next((item for item in refused if item.field in ("input", "response")), None)
    if lost is not None:
        raise UnusableError(lost.field, lost.value, lost.reason)
    raise UnusableError(
        "input", None, "there is nothing to look at: no input, no messages and no response"
    )


def _entries(
    entries: list[Json], name: str, refused: list[Refused], *, careful: bool
) -> list[Fields]:
    table, plain = _LISTS[name]
    needed = _NEEDED[name]
    known = {} if careful else plain
    lost: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.__class__ is not dict:
            reason = f"{checks.found(entry)} was found, an object is expected"
            refused.append(Refused(f"{name}[{index}]", entry, reason))
            lost.add(index)
            continue
        wrong = checks.clean(entry, table, known)
        for key in needed:
            if not entry.get(key) and not any(item.field == key for item in wrong or ()):
                missing = Refused(key, entry.get(key), "it is missing; a text is expected")
                wrong = [*(wrong or ()), missing]
        if wrong:
            if any(item.field in _DECISIVE[name] for item in wrong):
                lost.add(index)
            refused += [Refused(f"{name}[{index}].{x.field}", x.value, x.reason) for x in wrong]
    return [x for index, x in enumerate(entries) if index not in lost] if lost else entries


def _label_row(fields: Fields, line: int) -> Incoming:
    wrong = checks.clean(fields, _ROW_CHECKS, {}) or []
    for item in wrong:
        if item.field in {*_DECISIVE["labels"], "run", "id"}:
            return BadRow(line, item.field, item.value, item.reason)
    for key in _NEEDED["labels"]:
        if not fields.get(key):
            return BadRow(line, key, fields.get(key), "it is missing; a text is expected")
    return LabelRow(line, fields, wrong)


def _check_messages(messages: Json, place: str) -> None:
    if messages is None:
        return
    if not isinstance(messages, list):
        raise UnusableError(
            place, messages, f"{checks.found(messages)} was found, a list of turns is expected"
        )
    for index, turn in enumerate(messages):
        here = f"{place}[{index}]"
        if not isinstance(turn, dict):
            raise UnusableError(
                here, turn, f"{checks.found(turn)} was found, an object with role is expected"
            )
        if turn.get("role") not in ROLES:
            raise UnusableError(
                f"{here}.role", turn.get("role"), f"one of {', '.join(ROLES)} is expected"
            )
        _check_content(turn.get("content"), f"{here}.content")
        _check_calls(turn.get("tool_calls"), f"{here}.tool_calls")
        _check_turn_texts(turn, here)


def _check_turn_texts(turn: Fields, here: str) -> None:
    for key in ("at", "name", "tool_call_id"):
        value = turn.get(key)
        if value is not None and not isinstance(value, str):
            raise UnusableError(f"{here}.{key}", value, "a text is expected")


def _check_content(content: Json, here: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise UnusableError(
            here,
            content,
            f"{checks.found(content)} was found, a text or a list of parts is expected",
        )
    for index, part in enumerate(content):
        if not isinstance(part, dict) or part.get("type") not in PART_TYPES:
            kind = part.get("type") if isinstance(part, dict) else part
            raise UnusableError(
                f"{here}[{index}].type", kind, f"one of {', '.join(PART_TYPES)} is expected"
            )
        for key in ("text", "name", "data", "path"):
            if part.get(key) is not None and not isinstance(part[key], str):
                raise UnusableError(f"{here}[{index}].{key}", part[key], "a text is expected")


def _check_calls(calls: Json, here: str) -> None:
    if calls is None:
        return
    if not isinstance(calls, list):
        raise UnusableError(here, calls, "a list of tool calls is expected")
    for index, call in enumerate(calls):
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise UnusableError(f"{here}[{index}].name", call, "the name of a tool is expected")
        if call.get("id") is not None and not isinstance(call["id"], str):
            raise UnusableError(f"{here}[{index}].id", call["id"], "a text is expected")


def _check_candidates(candidates: Json) -> None:
    if candidates is None:
        return
    if not isinstance(candidates, list):
        raise UnusableError("candidates", candidates, "a list of answers is expected")
    seen: set[str] = set()
    for index, candidate in enumerate(candidates):
        here = f"candidates[{index}]"
        name = candidate.get("id") if isinstance(candidate, dict) else None
        if not isinstance(name, str) or name in seen:
            raise UnusableError(
                f"{here}.id", name, "a text that no other candidate has is expected"
            )
        seen.add(name)
        _check_messages(candidate.get("messages"), f"{here}.messages")
        for key in ("response", "model"):
            if candidate.get(key) is not None and not isinstance(candidate[key], str):
                raise UnusableError(f"{here}.{key}", candidate[key], "a text is expected")


def _check_entries(fields: Fields, name: str, refused: list[Refused]) -> None:
    """Drop retrieved sources that have no id or a relevance that is none."""
    entries = fields.get(name)
    if not entries:
        return
    kept = []
    for index, entry in enumerate(entries):
        problem = _source_problem(entry)
        if problem is None:
            kept.append(entry)
        else:
            refused.append(Refused(f"{name}[{index}]", entry, problem))
    fields[name] = kept


def _check_exclusion(fields: Fields, refused: list[Refused]) -> None:
    """Take an exclusion without a usable reason out; who and when may be missing."""
    entry = fields[EXCLUDED]
    wrong = checks.clean(entry, _EXCLUSION_CHECKS, {}) or []
    refused += [Refused(f"{EXCLUDED}.{x.field}", x.value, x.reason) for x in wrong]
    if not entry.get("reason"):
        if not any(item.field == "reason" for item in wrong):
            reason = "it is missing; a text is expected"
            refused.append(Refused(f"{EXCLUDED}.reason", entry.get("reason"), reason))
        del fields[EXCLUDED]


def _source_problem(entry: Json) -> str | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        return "an object with an id as a text is expected"
    relevance = entry.get("relevance")
    if relevance is not None and (checks.a_number(relevance) or relevance < 0):
        return "the relevance must be a number from 0"
    wrong = [key for key in ("title", "text") if not isinstance(entry.get(key), str | None)]
    return f"{wrong[0]} must be a text" if wrong else None


_WHOLE_CHECKS: dict[str, Check] = {
    **_RECORD_CHECKS,
    "messages": checks.anything,
    "candidates": checks.anything,
    "scores": checks.a_list,
    "labels": checks.a_list,
    "marks": checks.a_list,
}
