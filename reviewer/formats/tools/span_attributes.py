"""Attributes of spans: read from OTLP's lists, laid out flat, and put together again by parts."""

from typing import Any

from reviewer.formats.conversations import opened
from reviewer.formats.paths import Json, as_text

_GROWN = ("llm.input_messages", "llm.output_messages", "retrieval.documents", "gen_ai.prompt",
          "gen_ai.completion", "gen_ai.input.messages", "gen_ai.output.messages",
          "gen_ai.system_instructions")  # fmt: skip
"""What consists of several parts, whose names are numbered where it was laid out flat."""
_LEFT_OUT = ("llm.", "input.", "output.", "retrieval.", "gen_ai.input", "gen_ai.output",
             "gen_ai.prompt", "gen_ai.completion", "gen_ai.tool.call", "tool.")  # fmt: skip
_NESTED = frozenset({dict, list})
Row = dict[str, Any]


def attributes_of(given: Json) -> Row:
    """Give attributes by name; OTLP lists them, each value under the name of its type."""
    given = opened(given)
    if isinstance(given, list):
        return {as_text(x.get("key")): typed(x.get("value")) for x in given if x.__class__ is dict}
    return given if isinstance(given, dict) else {}


def typed(value: Json) -> Json:
    """Give a value of OTLP's without the name of its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "stringValue":
        return inner
    if kind == "arrayValue":
        held = inner.get("values") if isinstance(inner, dict) else None
        return [typed(one) for one in held or ()]
    if kind == "kvlistValue":
        return attributes_of(inner.get("values") if isinstance(inner, dict) else None)
    if kind == "intValue":
        return int(inner) if str(inner).lstrip("-").isdigit() else inner
    return inner if kind.endswith("Value") else value


def flat(value: Json, prefix: str) -> Row:
    """Give nested attributes under dotted names; lists of objects count their entries."""
    if isinstance(value, dict) and value:
        if not prefix and _NESTED.isdisjoint(map(type, value.values())):
            return value
        pairs = [(f"{prefix}.{key}" if prefix else str(key), x) for key, x in value.items()]
    elif isinstance(value, list) and value and all(isinstance(x, dict) for x in value):
        pairs = [(f"{prefix}.{at}", x) for at, x in enumerate(value)]
    else:
        return {prefix: value}
    return {name: x for key, inner in pairs for name, x in flat(inner, key).items()}


def divided(told: Row) -> tuple[Row, Row]:
    """Give what has parts, put together again, and what is to be kept beside a record.

    What has parts is an attribute that is a text of JSON, or was an object or list before it was
    laid out flat.
    """
    grown: Row = {}
    beside: Row = {}
    # what stands under a message, one key after another, has one place
    before, place = "", grown
    for key, value in told.items():
        if key.startswith(_GROWN):
            above, _, last = key.rpartition(".")
            if above != before:
                before, place = above, _place(grown, above)
            place[last] = value
        if not key.startswith(_LEFT_OUT):
            beside[key] = value
    return grown, beside


def _place(grown: Row, above: str) -> Row:
    place = grown
    for step in above.split("."):
        inner = place.setdefault(step, {})
        place = inner if isinstance(inner, dict) else {}
    return place


def listed(tree: Json) -> Json:
    """Make lists of objects whose keys are numbers, all the way down."""
    if not isinstance(tree, dict):
        return tree
    for key, value in tree.items():
        if value.__class__ is dict:
            tree[key] = listed(value)
    return in_order(tree)


def in_order(tree: Row) -> Json:
    """Make a list of an object whose keys are numbers."""
    if tree and all(map(str.isdigit, tree)):
        return [tree[key] for key in sorted(tree, key=int)]
    return tree
