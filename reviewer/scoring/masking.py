"""Secrets: signs of one in what is about to be stored, and none in what a provider says."""

import base64
import html
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
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
    """Put a mark in the place of a key, in whatever spelling a reader would turn into it.

    That is plain or in base64, and each of its characters as JSON, addresses or HTML may escape
    it, in any mixture and at any depth; an escape is masked whole, so that JSON stays JSON.

    Mask before cutting a text: a cut may leave half a key that nobody finds any more. What comes
    back is in whole characters.
    """
    text = whole(text)
    if not key or len(key) < _SHORTEST:
        return text
    parts, end = [], 0
    for start, stop in sorted(_places(text, tuple(dict.fromkeys(_forms(key))))):
        if stop <= end:
            continue
        parts += [text[end:start], MASK] if start >= end else []
        end = stop
    return "".join((*parts, text[end:])) if parts else text


_ESCAPE: Final = re.compile(
    r"\\(?:[uU]\{0*(?P<braced>[0-9a-fA-F]{2})\}|U000000(?P<long>[0-9a-fA-F]{2})"
    r"|u00(?P<short>[0-9a-fA-F]{2})|x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[01][0-7]{2})"
    r"|(?P<sign>[/\"'\\]))"
    r"|%(?:25)*(?:(?P<address>[2-7][0-9a-fA-F])|u00(?P<old>[0-9a-fA-F]{2}))"
    r"|&(?:amp;)*(?P<entity>#0*[0-9]{2,3};?|#[xX]0*[0-9a-fA-F]{2};?|[A-Za-z]{2,16};)"
)
"""A character as it is escaped."""
_DEPTH: Final = 16
"""Kinds of escape within each other that are looked through."""
_Span = tuple[int, int]


def _places(text: str, forms: tuple[str, ...], depth: int = _DEPTH) -> list[_Span]:
    """Give where any of the forms stands in a text, from start to end."""
    found = [(at, at + len(form)) for form in forms for at in _starts(text, form)]
    if not depth or not any(sign in text for sign in "\\%&"):
        return found
    read, steps = _unescaped(text)
    if steps:
        inner = _places(read, forms, depth - 1)
        found += [(_origin(steps, at)[0], _origin(steps, to - 1)[1]) for at, to in inner]
    return found


def _starts(text: str, form: str) -> Iterator[int]:
    at = text.find(form)
    while at >= 0:
        yield at
        at = text.find(form, at + len(form))


def _unescaped(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """Read the escapes of a text once; each as (its place in what was read, start, end)."""
    parts: list[str] = []
    steps: list[tuple[int, int, int]] = []
    end = length = 0
    for match in _ESCAPE.finditer(text):
        character = _character(match)
        if character is None:
            continue
        parts += [text[end : match.start()], character]
        steps.append((length + match.start() - end, match.start(), match.end()))
        length += match.start() - end + 1
        end = match.end()
    return "".join((*parts, text[end:])), steps


def _character(match: re.Match[str]) -> str | None:
    kind, said = match.lastgroup or "", match.group(match.lastgroup or 0)
    match kind:
        case "sign":
            return said
        case "octal":
            return chr(int(said, 8))
        case "entity":
            found = html.unescape(f"&{said}")
            return found if len(found) == 1 else None
    return chr(int(said, 16))


def _origin(steps: Sequence[tuple[int, int, int]], at: int) -> _Span:
    """Give where a character that was read stands in the text before."""
    place = bisect(steps, at, key=lambda step: step[0]) - 1
    if place < 0:
        return at, at + 1
    read, start, end = steps[place]
    return (start, end) if read == at else (end + at - read - 1, end + at - read)


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
    r"(?:^(?:pg)?|[-_.])(?:api[-_]?key|apikey|key|token|secret|password|passwd|pwd|cookie|credentials?|"
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
    return bool(secret_in(text))


def secret_in(text: str) -> str:
    """Give what looks like a key in a text, empty where nothing does."""
    found = _LOOKS.search(text)
    return found.group() if found else ""


def secret_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Give the environment variables that hold keys, as their name or what they hold tells."""
    return {
        name: value
        for name, value in variables.items()
        if value and (is_secret(name) or looks_secret(value))
    }


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
