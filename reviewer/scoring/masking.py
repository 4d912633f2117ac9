"""Secrets: signs of one in what is about to be stored, and none in what a provider says."""

import base64
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from reviewer.domain.errors import ReviewerError

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


_SECRET: Final = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|apikey|key|token|secret|password|passwd|pwd|cookie|credentials?|"
    r"authorization|auth|signature|sig)$",
    re.IGNORECASE,
)
_LOOKS: Final = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|github_pat|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}"
    r"|\b(?:Bearer|Basic)\s+(?!\{\{)[^\s{]{6,}"
)


def is_secret(name: str) -> bool:
    """Tell whether something of this name is likely to be a key, token or password."""
    return _SECRET.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)) is not None


def looks_secret(text: str) -> bool:
    """Tell whether a text looks like it holds a key."""
    return _LOOKS.search(text) is not None


def check_address(url: str) -> None:
    """Keep passwords and keys out of addresses: those are stored in the project.

    Raises:
        ReviewerError: There is one in it, or it is no address at all.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ReviewerError(f"{url!r} is no address.") from None
    if parts.username or parts.password:
        raise ReviewerError(
            "The address holds a name or password; it would stand in the project. Leave it out "
            "and store the key."
        )
    named = next((name for name, _ in parse_qsl(parts.query) if is_secret(name)), None)
    if named is not None:
        raise ReviewerError(
            f"The address holds {named!r}; it would stand in the project. Leave it out and store "
            "the key."
        )
