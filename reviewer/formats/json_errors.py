"""Say in words where a text is no JSON, and what is expected there."""

import json

_NEARBY = 20
_WORDS = {
    "Expecting value": "a value is expected there; texts and keys stand in double quotes",
    "Expecting property name enclosed in double quotes": "a key in double quotes is expected",
    "Expecting ':' delimiter": "a colon is expected there",
    "Expecting ',' delimiter": "a comma is expected there",
    "Invalid control character at": "line breaks and control characters in a text must be escaped",
    "Invalid \\escape": "this backslash begins no escape that JSON knows",
    "Invalid \\uXXXX escape": "four hexadecimal digits are expected after \\u",
    "Extra data": "the value before it has ended already",
    "Unterminated string starting at": "the text that starts there has no end",
}


def in_words(error: json.JSONDecodeError, text: str, *, where: str) -> str:
    """Name the place of a syntax error and what is expected there.

    Args:
        error: The error, from `json`.
        text: The text it was found in.
        where: The place for people, such as `from position 12 on`.
    """
    nearby = text[error.pos : error.pos + _NEARBY]
    if nearby.startswith("\0"):
        place = where.removeprefix("from ").removesuffix(" on")
        return f"a null byte stands {place}; no JSON may hold one"
    message = error.msg.removesuffix(": ").strip()
    expected = next((said for known, said in _WORDS.items() if message.startswith(known)), message)
    if not nearby.strip():
        return f"no JSON {where}, at the end of the text: {expected}"
    return f"no JSON {where}, at {nearby!r}: {expected}"
