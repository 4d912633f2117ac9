"""Attributes of spans: read from OTLP's lists, laid out flat, and put together again by parts.

And their ids and times, which every exporter writes in its own way.
"""

from base64 import b64decode
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from reviewer.formats.conversations import opened
from reviewer.formats.paths import Json, as_text

_GROWN = ("llm.input_messages", "llm.output_messages", "retrieval.documents", "gen_ai.prompt",
          "gen_ai.completion", "gen_ai.input.messages", "gen_ai.output.messages",
          "gen_ai.system_instructions")  # fmt: skip
"""What consists of several parts, whose names are numbered where it was laid out flat."""
_LEFT_OUT = ("llm.", "input.", "output.", "retrieval.", "gen_ai.input", "gen_ai.output",
             "gen_ai.prompt", "gen_ai.completion", "gen_ai.tool.call", "tool.")  # fmt: skip
_NESTED = frozenset({dict, list})
_IN_BASE64 = (24, 12)
"""How long the 16 bytes of a trace's id are in base64, and the 8 of a span's."""
_NANO, _MICRO = 1_000_000_000, 1_000
_UNITS: Final = ((10**11, _NANO), (10**14, 1_000_000), (10**17, _MICRO))
"""Below which number a time is in seconds, milliseconds and microseconds, each in nanoseconds."""
Row = dict[str, Any]


def identity(value: Json) -> str:
    """Give the id of a trace or span in hex; consoles write 0x before, protobuf's JSON base64."""
    text = value if value.__class__ is str else as_text(value)
    if text.startswith("0x"):
        return text[2:]
    if text.endswith("=") and len(text) in _IN_BASE64:
        try:
            return b64decode(text, validate=True).hex()
        except ValueError:
            return text
    return text


def iso_time(value: Json) -> str:
    """Give a time in ISO 8601, also where it came as a number since 1970, in whichever unit."""
    text = value if value.__class__ is str else as_text(value)
    is_whole = text.isdecimal()
    if not is_whole and not text.replace(".", "", 1).isdecimal():
        return text.strip().replace(" ", "T", 1)
    try:
        number = int(text) if is_whole else Decimal(text)
        if number < _UNITS[-1][0]:
            number *= next(unit for most, unit in _UNITS if number < most)
        seconds, nano = divmod(int(number), _NANO)
        told = _second(seconds)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{told}.{nano // _MICRO:06}Z" if nano >= _MICRO else f"{told}Z"


# many spans of a trace begin or end in one second
@lru_cache(maxsize=256)
def _second(number: int) -> str:
    return datetime.fromtimestamp(number, UTC).isoformat().removesuffix("+00:00")


def attributes_of(given: Json) -> Row:
    """Give attributes by name; OTLP lists them, each value under the name of its type."""
    given = opened(given)
    if not isinstance(given, list):
        return given if isinstance(given, dict) else {}
    told: Row = {}
    for one in given:
        if one.__class__ is dict:
            key, value = one.get("key"), one.get("value")
            told[key if key.__class__ is str else as_text(key)] = typed(value)
    return told


def typed(value: Json) -> Json:
    """Give a value of OTLP's without the name of its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    if "stringValue" in value:
        return value["stringValue"]
    ((kind, inner),) = value.items()
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
        is_beside, above, last = _placed(key)
        if is_beside:
            beside[key] = value
        if above is not None:
            if above != before:
                before, place = above, _place(grown, above)
            place[last] = value
    return grown, beside


# a file has the same few names in each of its spans
@lru_cache(maxsize=4096)
def _placed(key: str) -> tuple[bool, str | None, str]:
    """Tell whether an attribute is kept beside, and the place of one that has parts."""
    above, _, last = key.rpartition(".")
    return not key.startswith(_LEFT_OUT), above if key.startswith(_GROWN) else None, last


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
