"""What a provider says, made fit to be kept and shown: without keys, in whole characters."""

import base64
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

MASK: Final = "…"
_SHORTEST: Final = 4
"""Shorter keys are test words, and masking them would spoil texts."""


def whole(text: str) -> str:
    """Put a mark in the place of half a surrogate pair, which JSON can say and no file keeps."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def masked(text: str, key: str | None) -> str:
    """Put a mark in the place of a key, also where it is URL-encoded or in base64.

    Mask before cutting a text: a cut may leave half a key that nobody finds any more. What comes
    back is in whole characters.
    """
    text = whole(text)
    if not key or len(key) < _SHORTEST:
        return text
    for form in dict.fromkeys(_forms(key)):
        text = text.replace(form, MASK)
    return text


def _forms(key: str) -> Iterator[str]:
    yield key
    yield quote(key, safe="")
    yield quote_plus(key)
    for shift in range(3):
        # the groups at both ends depend on what stands around the key
        raw = b"\0" * shift + key.encode()
        whole = raw[3 if shift else 0 : len(raw) - len(raw) % 3]
        if len(whole) >= _SHORTEST:
            yield base64.b64encode(whole).decode()
            yield base64.urlsafe_b64encode(whole).decode()
