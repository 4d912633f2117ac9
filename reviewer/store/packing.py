"""Take records apart into columns, and put them together again as they came.

Keys with a column of their own go there. `evaluations.extra`, `scores.extra`, `labels.extra`,
`marks.extra` and `exclusions.extra` are JSON objects with every other key under its own name,
unknown ones too, and under `$` what a reader may pass over but an exact export needs:

- `strays`: unknown keys as `[known key before it, name]`;
- `as_is`: known keys whose value a column cannot tell from an absent one: null, empty lists;
- `filled`: columns that stand for a default, so that export leaves them out;
- `truth`: the value in the column is a truth, not 0 or 1;
- `named`: the entry came with its `uid`, which is written again even where nothing names it.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from reviewer.domain.record import (
    EXCLUSION_KEYS,
    LABEL_KEYS,
    MARK_KEYS,
    RECORD_KEYS,
    SCORE_KEYS,
    Json,
)
from reviewer.domain.run import telling

BOOK = "$"
TITLE_LENGTH = 200

TEXT_COLUMNS = {
    "case": "case_id", "category": "category", "complexity": "complexity", "input": "input",
    "response": "response", "expected": "expected", "error": "error",
    "latency_ms": "latency_ms", "cost_usd": "cost_usd", "tokens_in": "tokens_in",
    "tokens_out": "tokens_out", "model": "model", "occurred_at": "occurred_at",
    "evaluated_at": "evaluated_at",
}  # fmt: skip
"""Keys of a record that have a column of their own, in the format's order, and that column."""

COLUMN_KEYS = tuple(TEXT_COLUMNS)
COLUMN_NAMES = tuple(TEXT_COLUMNS.values())
_IN_TABLES = frozenset({"scores", "labels", "marks", "messages", "excluded"})
_OWN_PLACE = frozenset({"id", "run", *COLUMN_KEYS, *_IN_TABLES})
_RECORD_SET = frozenset(RECORD_KEYS)

_SCORE_COLUMNS = frozenset({"metric", "value", "reasoning", "at", "turn", "scorer",
                            "scorer_version", "model", "prompt_hash", "parameters"})  # fmt: skip
_LABEL_COLUMNS = frozenset(LABEL_KEYS)
_MARK_COLUMNS = frozenset(MARK_KEYS)
_EXCLUSION_COLUMNS = frozenset(EXCLUSION_KEYS)
_NAMES_OF_SETS = frozenset({"scorer", "scorer_version", "model", "prompt_hash"})
_SETS = {"score": frozenset(SCORE_KEYS), "label": _LABEL_COLUMNS, "mark": _MARK_COLUMNS,
         "exclusion": _EXCLUSION_COLUMNS}  # fmt: skip
_COLUMNS = {"score": _SCORE_COLUMNS, "label": _LABEL_COLUMNS, "mark": _MARK_COLUMNS,
            "exclusion": _EXCLUSION_COLUMNS}  # fmt: skip


@cache
def _writer() -> Callable[[Json], bytes]:
    # a window opens without it
    from pydantic_core import to_json

    return to_json


def dump(value: Json) -> str:
    """Write a JSON value as text for a column."""
    return _writer()(value).decode()


def record_extra(fields: dict[str, Any], filled: list[str]) -> str | None:
    """Pack the keys of a record that have no column."""
    values = fields.values()
    if fields.keys() <= _OWN_PLACE and not filled and None not in values and [] not in values:
        return None
    extra = {key: value for key, value in fields.items() if key not in _OWN_PLACE}
    book: dict[str, Any] = {}
    as_is = {
        key: value
        for key, value in fields.items()
        if key in _OWN_PLACE and (value is None or (key in _IN_TABLES and not value))
    }
    if as_is:
        book["as_is"] = as_is
    if filled:
        book["filled"] = filled
    return _with_book(extra, book, fields, _RECORD_SET)


def entry_extra(kind: str, entry: dict[str, Any]) -> str | None:
    """Pack the keys of a score, label, mark or exclusion that have no column."""
    columns = _COLUMNS[kind]
    values = entry.values()
    truth = entry.get("value").__class__ is bool
    spelt_out = kind == "label" and entry.get("kind") == "label"
    whole = kind == "score" and telling(entry.get("parameters")) is not entry.get("parameters")
    named = entry.get("uid") is not None
    if (
        not (truth or spelt_out or whole or named)
        and entry.keys() <= columns
        and None not in values
        and "" not in values
    ):
        return None
    extra = {key: value for key, value in entry.items() if key not in columns}
    if whole:
        # the set has only what makes a version
        extra["parameters"] = entry["parameters"]
    book: dict[str, Any] = {}
    as_is = {
        key: value
        for key, value in entry.items()
        if key in columns and (value is None or (value == "" and key in _NAMES_OF_SETS))
    }
    if spelt_out:
        as_is["kind"] = "label"
    if as_is:
        book["as_is"] = as_is
    if truth:
        book["truth"] = True
    if named:
        book["named"] = True
    return _with_book(extra, book, entry, _SETS[kind])


def opened(extra: str) -> dict[str, Any]:
    """Read a packed rest; what lies a level deeper than it came may be too deep for one reader."""
    from pydantic_core import from_json

    try:
        rest: dict[str, Any] = from_json(extra)
    except ValueError:
        rest = json.loads(extra)
    return rest


def is_named(extra: str | None) -> bool:
    """Tell whether an entry came with its `uid`."""
    if extra is None or '"named"' not in extra:
        return False
    book = opened(extra).get(BOOK)
    return book is not None and bool(book.get("named"))


def _with_book(
    extra: dict[str, Any], book: dict[str, Any], fields: dict[str, Any], known: frozenset[str]
) -> str | None:
    if not extra.keys() <= known:
        before: str | None = None
        strays: list[list[Any]] = []
        for key in fields:
            if key in known:
                before = key
            elif key == BOOK:
                strays.append([before, key, extra.pop(key)])
            else:
                strays.append([before, key])
        book["strays"] = strays
    if book:
        extra[BOOK] = book
    return dump(extra) if extra else None


def unpack(columns: dict[str, Any], extra: str | None, order: tuple[str, ...]) -> dict[str, Any]:
    """Put an object together from its columns (absent ones left out) and its extras.

    Args:
        columns: Keys with a column of their own that hold something; changed in place.
        extra: The packed rest.
        order: The known keys in the format's order.
    """
    if extra is None:
        return {key: columns[key] for key in order if key in columns}
    rest = opened(extra)
    book = rest.pop(BOOK, None)
    if book is None:
        columns.update(rest)
        return {key: columns[key] for key in order if key in columns}
    for key in book.get("filled", ()):
        columns.pop(key, None)
    if book.get("truth"):
        columns["value"] = bool(columns["value"])
    for key, value in book.get("as_is", {}).items():
        columns.setdefault(key, value)
    columns.update(rest)
    return _placed(columns, book.get("strays", ()), order)


def _placed(
    columns: dict[str, Any], strays: list[list[Any]], order: tuple[str, ...]
) -> dict[str, Any]:
    if not strays:
        return {key: columns[key] for key in order if key in columns}
    following: dict[str | None, list[tuple[str, Any]]] = {}
    for before, key, *value in strays:
        following.setdefault(before, []).append((key, value[0] if value else columns[key]))
    placed = dict(following.get(None, ()))
    for key in order:
        if key in columns:
            placed[key] = columns[key]
        placed.update(following.get(key, ()))
    return placed


def last_answer(messages: list[dict[str, Any]]) -> str | None:
    """Give the text of the last assistant turn, the default of `response`."""
    for turn in reversed(messages):
        if turn["role"] == "assistant":
            return turn_text(turn)
    return None


def turn_text(turn: dict[str, Any]) -> str:
    """Give a turn's readable text; images, files and reasoning are left out."""
    content = turn.get("content")
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content or () if part["type"] == "text"]
    return "\n".join(part for part in parts if part)


def title(fields: dict[str, Any]) -> str:
    """Give an evaluation's one line for lists: the question, else the answer, else the id."""
    text = fields.get("input")
    if not text:
        turns = fields.get("messages") or ()
        text = next((turn_text(turn) for turn in turns if turn["role"] == "user"), None)
    text = text or fields.get("response") or fields["id"]
    first = text[:TITLE_LENGTH]
    if first.isprintable() and "  " not in first and first == first.strip():
        return first
    text = text[: 2 * TITLE_LENGTH]
    if text.isprintable() and "  " not in text:
        return text[:TITLE_LENGTH].strip()
    return " ".join(text.split())[:TITLE_LENGTH]


SEARCHED = ("input", "messages", "candidates", "context", "expected")
"""Keys of a record that `search_texts` needs."""


def search_texts(fields: dict[str, Any], response: str | None) -> tuple[str, str, str]:
    """Give the three texts of the full-text index: input, response, everything else said.

    The same fields give the same texts, as taking an entry out of the index needs them again.
    """
    spoken: list[str] = []
    for turn in fields.get("messages") or ():
        _collect_turn(turn, spoken)
    for candidate in fields.get("candidates") or ():
        spoken.append(candidate.get("response") or "")
        for turn in candidate.get("messages") or ():
            _collect_turn(turn, spoken)
    for key in ("context", "expected"):
        value = fields.get(key)
        if value:
            spoken.append(value if isinstance(value, str) else dump(value))
    return fields.get("input") or "", response or "", "\n".join(spoken)


def _collect_turn(turn: dict[str, Any], spoken: list[str]) -> None:
    spoken.append(turn_text(turn))
    calls = turn.get("tool_calls")
    if calls:
        spoken.extend(
            f"{call['name']} {dump(call['arguments']) if call.get('arguments') else ''}"
            for call in calls
        )
