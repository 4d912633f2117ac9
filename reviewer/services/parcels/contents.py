"""What goes into a work package, and how its texts are told apart from changed ones."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from reviewer.store.records import Stored

Fields = dict[str, Any]

TEXTS: Final = ("input", "messages", "response", "candidates", "context", "expected")
_SHOWN: Final = (
    "id", "run", "case", "category", "complexity", "tags", *TEXTS, "expected_keywords",
    "expected_tools", "tools_used", "error", "latency_ms", "cost_usd", "tokens_in", "tokens_out",
    "model", "occurred_at", "evaluated_at", "sources", "expected_sources", "template_matched",
    "direct_substitution", "cache", "cluster",
)  # fmt: skip
"""What a blind labeler may see; whatever else a record holds could tell the judge's opinion."""
_TURN: Final = ("role", "content", "at", "name", "tool_calls", "tool_call_id")
_PART: Final = ("type", "text", "name", "data", "path")
_CALL: Final = ("id", "name", "arguments")
_SOURCE: Final = ("id", "title", "text", "relevance")
_CANDIDATE: Final = ("id", "response", "messages", "model")
"""What is known inside of texts; a tool's own exports put verdicts beside it."""
GOLD: Final = "gold"
_TELLING: Final = frozenset({"judge_version", "selection_reason", "selection_prob"})
"""What a label says of the judge and of how its evaluation was drawn."""


def stripped(stored: Stored, labeler: str, *, blind: bool, repeat: bool) -> Fields:
    """Give a record without what others said, and where blind without what any judge said.

    Args:
        stored: the record.
        labeler: whose own labels stay.
        blind: whether scores, the end users' feedback, tags that were given here and whatever is
            not known go, too.
        repeat: whether the labeler answers once more, so that their first answers go as well.
    """
    fields = stored.fields
    gone = ("labels", "marks", "excluded")
    kept = {
        key: value
        for key, value in fields.items()
        if key not in gone and (key in _SHOWN or not blind)
    }
    brought = set(stored.as_it_came.get("tags") or ())
    tags = [
        tag for tag in fields.get("tags") or () if tag != GOLD and (tag in brought or not blind)
    ]
    if blind:
        kept = {key: _bare(key, value) for key, value in kept.items()}
    kept.pop("tags", None)
    if tags:
        kept["tags"] = tags
    gone_of_labels = _TELLING if blind else frozenset[str]()
    own = [
        {key: value for key, value in label.items() if key not in gone_of_labels}
        for label in fields.get("labels") or ()
        if label["labeler"] == labeler and label.get("kind") != "adjudication"
    ]
    if own and not repeat:
        kept["labels"] = own
    return {key: kept[key] for key in _ordered(fields, kept)}


_Within = Mapping[str, Callable[[object], object]]


def _bare(key: str, value: object) -> object:
    """Give a text without keys that a record of this kind does not have."""
    match key:
        case "messages":
            return _turns(value)
        case "candidates":
            return _each(value, _CANDIDATE, {"messages": _turns})
        case "sources" | "expected_sources":
            return _each(value, _SOURCE)
    return value


def _turns(turns: object) -> object:
    return _each(turns, _TURN, {"content": _parts, "tool_calls": _calls})


def _parts(content: object) -> object:
    return _each(content, _PART)


def _calls(calls: object) -> object:
    return _each(calls, _CALL)


def _each(value: object, known: Sequence[str], within: _Within | None = None) -> object:
    """Keep the known keys of each object of a list, and look into some of them."""
    if not isinstance(value, list):
        return value
    ways = within or {}
    return [
        {key: ways[key](x) if key in ways else x for key, x in one.items() if key in known}
        if isinstance(one, dict)
        else one
        for one in value
    ]


def _ordered(fields: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    return [key for key in fields if key in kept]


def mark_of(fields: Mapping[str, Any]) -> str:
    """Name the texts of a record: what a labeler read, blind or not."""
    texts = [_bare(key, fields.get(key)) for key in TEXTS]
    said = json.dumps(texts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()
