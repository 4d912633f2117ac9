"""Comparing texts: tokens, lower case with places kept, and lists in sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

STRIPPED: Final = ".,!?;:\"'()[]{}"
"""Taken off both ends of a token."""
_SEPARATOR: Final = re.compile("(?<=\\d)[,'\u2019\u2009\u202f\u00a0](?=\\d{3}(?!\\d))")
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
        self.lower = text.lower()
        self._starts: list[int] | None = None
        self._bare: str | None = None
        self._removed: list[int] = []
        if len(self.lower) != len(text):
            self._starts = [0, *accumulate(len(letter.lower()) for letter in text)]

    def places(self, sought: str, *, words: bool = False, numbers: bool = False) -> list[Place]:
        """Find the places of a text in lower case, as (start, end) in the original.

        Args:
            sought: what to look for, in lower case and not empty.
            words: only where no letter, digit or underscore stands on either side.
            numbers: where nothing is found, look again with the thousands separators left out.
        """
        if sought in self.lower:
            found = [self._original(*at) for at in _each(self.lower, sought, words=words)]
            if found or not numbers:
                return found
        if not numbers:
            return []
        bare = self._without_separators()
        if bare is self.lower:
            return []
        return [self._unbare(*at) for at in _each(bare, sought, words=words)]

    def _without_separators(self) -> str:
        if self._bare is None:
            self._bare = self.lower
            gaps = [match.start() for match in _SEPARATOR.finditer(self.lower)]
            if gaps:
                self._removed = [at - number for number, at in enumerate(gaps)]
                self._bare = _SEPARATOR.sub("", self.lower)
        return self._bare

    def _unbare(self, start: int, end: int) -> Place:
        first = start + bisect_right(self._removed, start)
        last = end - 1 + bisect_right(self._removed, end - 1)
        return self._original(first, last + 1)

    def _original(self, start: int, end: int) -> Place:
        if self._starts is None:
            return (start, end)
        return (bisect_right(self._starts, start) - 1, bisect_right(self._starts, end - 1))


def _each(text: str, sought: str, *, words: bool) -> Iterator[Place]:
    at, found = text.find(sought), 0
    while at >= 0 and found < _MOST_PLACES:
        end = at + len(sought)
        if not words or _stands_alone(text, at, end):
            found += 1
            yield at, end
        at = text.find(sought, end if not words else at + 1)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start]
    after = text[end : end + 1]
    return not (_in_word(before) or _in_word(after))


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
