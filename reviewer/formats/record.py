"""Check native records against their declaration.

A wrong value is taken out and reported while its record is kept; a record that has no id, nothing
to look at, or a conversation that cannot be trusted is refused as a whole. Written for speed on
good records: one look-up and one comparison of types a key; only what fails that is looked at with
care.
"""

import contextlib
import json
from collections.abc import Sequence
from typing import get_args

from reviewer.domain.evaluation import PartType, Role, text_problem
from reviewer.domain.record import (
    ANALYSIS_KEYS,
    CANDIDATE,
    EXCLUSION,
    LABEL_ROW,
    OF_EVALUATION,
    PART,
    RECORD,
    SOURCE,
    TOOL_CALL,
    TURN,
    UNKNOWN,
    UNSURE,
    Json,
    Kind,
    Shape,
    native_names,
)
from reviewer.formats.incoming import BadRow, Fields, Incoming, LabelRow, Record, Refused
from reviewer.formats.values import (
    A_NUMBER,
    A_TEXT,
    HELD,
    MADE,
    NO_TEXTS,
    anything,
    check_of,
    found_kind,
    otherwise,
    whole,
)


class UnusableError(Exception):
    """Carry what makes a whole record, score, label or mark unusable."""

    def __init__(self, field: str, value: Json, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.value = value
        self.reason = reason


class _Keys:
    """What the keys of an object are checked by.

    Attributes:
        plain: The types that need no look, of the keys that have some.
        whole: Those of the keys that a text of ASCII alone needs no look for.
        texts: The keys that may be missing, and else hold a text.
    """

    def __init__(self, shape: Shape) -> None:
        held = {x.name: HELD[x.kind] for x in shape.fields if x.kind in HELD}
        self.checks = {field.name: check_of(field) for field in shape.fields}
        self.made = {x.name: MADE[x.kind] for x in shape.fields if x.kind in MADE}
        self.plain = {name: kind.types for name, kind in held.items() if kind.plain}
        self.whole = {name for name in self.plain if str in self.plain[name]}
        self.needed = [field.name for field in shape.fields if field.needed]
        self.decisive = {field.name for field in shape.fields if field.decisive}
        self.texts = [
            x.name for x in shape.fields if x.kind in (Kind.TEXT, Kind.TIME) and not x.needed
        ]

    def clean(
        self, fields: Fields, *, careful: bool = True, rest: Fields | None = None
    ) -> list[Refused]:
        """Remove every key whose value is wrong and report it; null is always allowed.

        Numbers become texts where a text is expected. Unknown keys may be anything that JSON can
        say.

        Args:
            fields: Changed in place.
            careful: False where the parser has already refused unpaired surrogates.
            rest: What is left to check of a value that was looked at, by its key.
        """
        # one look-up and one comparison for nearly every key of nearly every record
        if careful:
            whole = self.whole
            doubtful = [
                key
                for key, value in fields.items()
                if value is not None
                and not (value.__class__ is str and key in whole and value.isascii())
            ]
        else:
            plain = self.plain
            doubtful = [
                key
                for key, value in fields.items()
                if value is not None and value.__class__ not in plain.get(key, ())
            ]
        if not doubtful:
            return []
        refused: list[Refused] = []
        for key in doubtful:
            if key in self.made:
                fields[key] = self.made[key](fields[key])
            value = rest[key] if rest is not None and key in rest else fields[key]
            problem = self.checks.get(key, anything)(value)
            if problem is not None:
                refused.append(_refusal(key, fields.pop(key), problem))
        return refused

    def lacking(self, fields: Fields, refused: list[Refused]) -> list[Refused]:
        """Name what is missing, except what was refused and so stood there."""
        told = {item.field for item in refused}
        return [
            Refused(key, fields.get(key), "it is missing; a text is expected")
            for key in self.needed
            if not fields.get(key) and key not in told
        ]


def _refusal(key: str, value: Json, problem: str) -> Refused:
    """Name the first entry of a list of texts that is none, else the field itself."""
    if value.__class__ is list:
        for index, item in enumerate(value):
            if problem == NO_TEXTS and not isinstance(item, str):
                return Refused(f"{key}[{index}]", value, otherwise(item, "a text"))
    return Refused(key, value, problem)


_RECORD = _Keys(RECORD)
_LABEL_ROW = _Keys(LABEL_ROW)
_EXCLUSION = _Keys(EXCLUSION)
_ENTRIES = {
    x.name: _Keys(x.of) for x in RECORD.fields if x.kind is Kind.ENTRIES and x.of is not None
}
_EXCLUSION.checks["by"] = lambda value: A_TEXT.check(value) or (None if value else "it is empty")
_EXCLUSION.whole.discard("by")
_TURN_TEXTS = _Keys(TURN).texts
_SAID_OF_TURN = {"role", "content", *_TURN_TEXTS}
_PART_TEXTS = _Keys(PART).texts
_CALL_TEXTS = _Keys(TOOL_CALL).texts
_CANDIDATE_TEXTS = _Keys(CANDIDATE).texts
_SOURCE_TEXTS = _Keys(SOURCE).texts
ROLES = get_args(Role)
PART_TYPES = get_args(PartType)


def checked(fields: Json, line: int, *, careful: bool = True) -> Incoming:
    """Check one JSON value as a record or a single label.

    Args:
        fields: What the reader found, under our keys or their synonyms; an object may be changed
            in place.
        line: Where it stood, for reports.
        careful: False where the parser has already refused unpaired surrogates.
    """
    if not isinstance(fields, dict):
        return BadRow(line, "", fields, otherwise(fields, "an object"))
    try:
        fields = native_names(fields)
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
        problem = A_NUMBER.look(value)
        if problem is not None:
            raise UnusableError("id", value, problem)
        fields["id"] = str(value)
    elif not isinstance(value, str) or not value:
        given = "there is none" if "id" not in fields else f"{found_kind(value)} was found"
        if value == "":
            given = "it is empty"
        raise UnusableError(
            "id", value, f"{given}; every record needs an id of its own, as a text"
        )


def _record(fields: Fields, line: int, *, careful: bool) -> Incoming:
    rest: Fields = {}
    if "messages" in fields:
        rest["messages"] = _check_messages(fields["messages"], "messages")
    if "candidates" in fields:
        _check_candidates(fields["candidates"])
    refused = _RECORD.clean(fields, careful=careful, rest=rest)
    if "id" not in fields:
        raise UnusableError("id", None, "it holds an unpaired surrogate, which cannot be kept")
    for name in _ENTRIES:
        if fields.get(name):
            fields[name] = _entries(fields[name], name, refused, careful=careful)
    if fields.get("sources"):
        _check_sources(fields, refused)
    if fields.get("excluded"):
        _check_exclusion(fields, refused)
    if not (fields.get("input") or fields.get("messages") or fields.get("candidates")
            or fields.get("response") is not None):  # fmt: skip
        _explain_emptiness(fields, refused)
    if refused:
        unread(fields, refused)
    return Record(line, fields, refused)


_MARK_OF_EXPORT = {"value_text", "counts"}
_ASIDE = (*_ENTRIES, "id", "excluded", "unreadable", "meta")


def unread(fields: Fields, refused: Sequence[Refused]) -> None:
    """Keep refused fields beside a record, so that nothing which needs them is scored."""
    lost = {}
    for item in refused:
        name, part, _ = item.field.partition("[")
        if name in _RECORD.checks and name not in _ASIDE and (part or name not in fields):
            lost[name] = item.value if anything(item.value) is None else None
    if lost:
        known = fields.get("unreadable")
        fields["unreadable"] = {**(known if isinstance(known, dict) else {}), **lost}


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
    keys = _ENTRIES[name]
    lost: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.__class__ is not dict:
            refused.append(Refused(f"{name}[{index}]", entry, otherwise(entry, "an object")))
            lost.add(index)
            continue
        wrong = keys.clean(entry, careful=careful)
        if wrong or not all(map(entry.get, keys.needed)):
            wrong += keys.lacking(entry, wrong)
            if any(item.field in keys.decisive for item in wrong):
                lost.add(index)
            refused += [Refused(f"{name}[{index}].{x.field}", x.value, x.reason) for x in wrong]
    return [x for index, x in enumerate(entries) if index not in lost] if lost else entries


def as_given(fields: Fields) -> Fields:
    """Give a label of our export as it was given, without what the export says beside it."""
    given = {
        key: value
        for key, value in fields.items()
        if value is not None
        and key not in ANALYSIS_KEYS
        and not key.startswith(OF_EVALUATION)
        and (key, value) not in (("kind", "label"), (UNSURE, False))
    }
    rest = given.pop(UNKNOWN, None)
    if isinstance(rest, str):
        with contextlib.suppress(ValueError):
            given |= json.loads(rest)
    value = whole(fields.get("value"), fields.get("value_text"))
    return given if "value" not in fields and value is None else given | {"value": value}


def _label_row(fields: Fields, line: int) -> Incoming:
    if fields.keys() >= _MARK_OF_EXPORT:
        fields = as_given(fields)
    wrong = _LABEL_ROW.clean(fields)
    decisive = (item for item in wrong if item.field in _LABEL_ROW.decisive)
    for item in (*decisive, *_LABEL_ROW.lacking(fields, wrong)):
        return BadRow(line, item.field, item.value, item.reason)
    return LabelRow(line, fields, wrong)


def _check_messages(messages: Json, place: str) -> list[Fields]:
    """Give the turns that hold more than texts, which may still be no JSON."""
    if messages is None:
        return []
    if not isinstance(messages, list):
        raise UnusableError(place, messages, otherwise(messages, "a list of turns"))
    rest = []
    for index, turn in enumerate(messages):
        if isinstance(turn, dict) and turn.get("role") in ROLES and _says_text(turn):
            continue
        here = f"{place}[{index}]"
        if not isinstance(turn, dict):
            raise UnusableError(here, turn, otherwise(turn, "an object with role"))
        if turn.get("role") not in ROLES:
            raise UnusableError(
                f"{here}.role", turn.get("role"), f"one of {', '.join(ROLES)} is expected"
            )
        rest.append(turn)
        _check_content(turn.get("content"), f"{here}.content")
        _check_calls(turn.get("tool_calls"), f"{here}.tool_calls")
        _check_texts(_TURN_TEXTS, turn, here)
    return rest


def _says_text(turn: Fields) -> bool:
    """Tell whether a turn has beside its role nothing but texts that can be kept."""
    if turn.get("content").__class__ is not str or not turn.keys() <= _SAID_OF_TURN:
        return False
    for text in turn.values():
        if text.__class__ is not str or not (text.isascii() or text_problem(text) is None):
            return False
    return True


def _check_texts(keys: Sequence[str], entry: Fields, here: str) -> None:
    for key in keys:
        value = entry.get(key)
        if value is not None and not isinstance(value, str):
            raise UnusableError(f"{here}.{key}", value, "a text is expected")


def _check_content(content: Json, here: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise UnusableError(here, content, otherwise(content, "a text or a list of parts"))
    for index, part in enumerate(content):
        if not isinstance(part, dict) or part.get("type") not in PART_TYPES:
            kind = part.get("type") if isinstance(part, dict) else part
            raise UnusableError(
                f"{here}[{index}].type", kind, f"one of {', '.join(PART_TYPES)} is expected"
            )
        _check_texts(_PART_TEXTS, part, f"{here}[{index}]")


def _check_calls(calls: Json, here: str) -> None:
    if calls is None:
        return
    if not isinstance(calls, list):
        raise UnusableError(here, calls, "a list of tool calls is expected")
    for index, call in enumerate(calls):
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise UnusableError(f"{here}[{index}].name", call, "the name of a tool is expected")
        _check_texts(_CALL_TEXTS, call, f"{here}[{index}]")


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
        _check_texts(_CANDIDATE_TEXTS, candidate, here)


def _check_sources(fields: Fields, refused: list[Refused]) -> None:
    """Take out retrieved sources without an id, or with a relevance that is none."""
    given = fields["sources"]
    problems = [(index, _source_problem(entry)) for index, entry in enumerate(given)]
    wrong = [(index, problem) for index, problem in problems if problem is not None]
    if wrong:
        refused += [Refused(f"sources[{index}]", given, problem) for index, problem in wrong]
        fields["sources"] = [x for x in given if _source_problem(x) is None]


def _source_problem(entry: Json) -> str | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        return "an object with an id as a text is expected"
    relevance = entry.get("relevance")
    if relevance is not None and (A_NUMBER.check(relevance) or relevance < 0):
        return "the relevance must be a number from 0"
    wrong = [key for key in _SOURCE_TEXTS if not isinstance(entry.get(key), str | None)]
    return f"{wrong[0]} must be a text" if wrong else None


def _check_exclusion(fields: Fields, refused: list[Refused]) -> None:
    """Take an exclusion without a usable reason out; who and when may be missing."""
    entry = fields["excluded"]
    wrong = _EXCLUSION.clean(entry)
    wrong += _EXCLUSION.lacking(entry, wrong)
    refused += [Refused(f"excluded.{x.field}", x.value, x.reason) for x in wrong]
    if not entry.get("reason"):
        del fields["excluded"]
