"""Comparing texts: tokens, lower case with places kept, and lists in sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

STRIPPED: Final = ".,!?;:\"'()[]{}"
"""Taken off both ends of a token."""
_SEPARATORS: Final = (",", "'", "\u2019", "\u2009", "\u202f", "\u00a0")
_TWO_DIGITS: Final = re.compile(r"\d\d")
_MOST_PLACES: Final = 50

Place = tuple[int, int]
"""From the first character up to, but not including, the last."""


def tokens(text: str) -> set[str]:
    """Split a text into its words: lower case, cut at spaces, punctuation off both ends."""
    return {word for raw in text.lower().split() if (word := raw.strip(STRIPPED))}


def plain(text: str) -> str:
    """Bring a text to lower case, trim it and make one space of several; punctuation stays."""
    return " ".join(text.lower().split())


def listed(items: Iterable[str]) -> str:
    """Join names for a sentence: "none" where there are none."""
    return ", ".join(items) or "none"


def quoted(text: str) -> str:
    """Set a text in quotation marks."""
    return f"\u201c{text}\u201d"


def counted(number: float, noun: str) -> str:
    """Write a number with its noun: 1 claim, 2 claims."""
    return f"{shown(number)} {noun}" if number == 1 else f"{shown(number)} {noun}s"


def shown(number: float) -> str:
    """Write a number in full without a trailing ".0"."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


class Folded:
    """A text in lower case whose places can be traced back to the original.

    A few letters grow in lower case, and numbers are also read without their thousands separators,
    so places are mapped, not assumed.
    """

    __slots__ = ("_bare", "_removed", "_starts", "lower", "text")

    def __init__(self, text: str) -> None:
        """Bring the text to lower case."""
        self.text = text
        self.lower = lower = text.lower()
        self._starts: list[int] | None = None
        self._bare: str | None = None
        self._removed: list[int] = []
        if len(lower) != len(text):
            self._starts = [0, *accumulate(len(letter.lower()) for letter in text)]

    @property
    def letter_by_letter(self) -> bool:
        """Tell whether places in lower case are the places in the original."""
        return self._starts is None

    def places(self, sought: str, *, words: bool = False, numbers: bool = False) -> list[Place]:
        """Find the places of a text in lower case, as (start, end) in the original.

        Args:
            sought: what to look for, in lower case and not empty.
            words: only where no letter, digit or underscore stands on either side.
            numbers: where nothing is found, look again with the thousands separators left out.
        """
        lower = self.lower
        at = lower.find(sought)
        if at >= 0:
            found = _each(lower, sought, at, words=words)
            if found:
                return found if self._starts is None else [self._original(*at) for at in found]
        # a match that runs over a separator has a digit from each of its sides
        if not numbers or sought.isalpha() or not _TWO_DIGITS.search(sought):
            return []
        bare = self._without_separators()
        at = -1 if bare is lower else bare.find(sought)
        return [self._unbare(*at) for at in _each(bare, sought, at, words=words)]

    def token_place(self, token: str) -> Place | None:
        """Find where one of the text's own words stands first."""
        lower = self.lower
        at = lower.find(token)
        while at >= 0:
            end = at + len(token)
            # the usual case, a space on either side, without a call
            alone = (not at or lower[at - 1] == " ") and lower[end : end + 1] in {" ", ""}
            if alone or (_ends_a_word(lower, at - 1, -1) and _ends_a_word(lower, end, 1)):
                return (at, end) if self._starts is None else self._original(at, end)
            at = lower.find(token, at + 1)
        return None

    def _without_separators(self) -> str:
        if self._bare is None:
            self._bare = lower = self.lower
            gaps = [at for sign in _SEPARATORS if sign in lower for at in _gaps(lower, sign)]
            if gaps:
                gaps.sort()
                self._removed = [at - number for number, at in enumerate(gaps)]
                starts, ends = (0, *(at + 1 for at in gaps)), (*gaps, len(lower))
                self._bare = "".join([lower[a:b] for a, b in zip(starts, ends, strict=True)])
        return self._bare

    def _unbare(self, start: int, end: int) -> Place:
        first = start + bisect_right(self._removed, start)
        last = end - 1 + bisect_right(self._removed, end - 1)
        return self._original(first, last + 1)

    def _original(self, start: int, end: int) -> Place:
        if self._starts is None:
            return (start, end)
        return (bisect_right(self._starts, start) - 1, bisect_right(self._starts, end - 1))


def _each(text: str, sought: str, at: int, *, words: bool) -> list[Place]:
    found: list[Place] = []
    size = len(sought)
    while at >= 0 and len(found) < _MOST_PLACES:
        end = at + size
        if not words or _stands_alone(text, at, end):
            found.append((at, end))
        at = text.find(sought, at + 1 if words else end)
    return found


def _gaps(text: str, sign: str) -> list[int]:
    """Find a sign between a digit and exactly three digits."""
    found = []
    at = text.find(sign, 1)
    while at > 0:
        if text[at - 1].isdecimal() and _is_group(text[at + 1 : at + 5]):
            found.append(at)
        at = text.find(sign, at + 1)
    return found


def _is_group(after: str) -> bool:
    return len(after) > 2 and after[:3].isdecimal() and not after[3:].isdecimal()


def _ends_a_word(text: str, at: int, step: int) -> bool:
    """Tell whether nothing but punctuation stands between a place and the next space or end."""
    while 0 <= at < len(text):
        letter = text[at]
        if letter.isspace():
            return True
        if letter not in STRIPPED:
            return False
        at += step
    return True


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum() or before == "_" or after == "_")
