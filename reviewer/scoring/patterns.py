"""Regular expressions that are tried only where the letters they need are in the text."""

import re
from functools import lru_cache
from typing import Final

from reviewer.confined import patterns
from reviewer.confined.patterns import Found
from reviewer.scoring.scorer import ParameterError

_FLAGS: Final = re.compile(r"\(\?[aimsux]+\)")
_PLAIN_GROUP: Final = re.compile(r"\((?:\?:)?([A-Za-z_ ]+(?:\|[A-Za-z_ ]+)*)\)")
_CLASS: Final = re.compile(r"(\\.)|\[\^?(?:\\.|[^\\])(?:\\.|[^\]\\])*\]", re.DOTALL)
_UNREAD: Final = re.compile(r"\(\?(?!:)|\\[0-9afnrtuvxNUx]")
_QUANTIFIER: Final = re.compile(r"[*?]|\{[^}]*\}")
_ODD: Final = ("\u0130", "\u0131", "\u017f")
"""Letters that a pattern may take for i or s without being so in lower case."""

Needles = tuple[tuple[str, ...], ...]
"""One text of each group stands, in lower case, in whatever the pattern matches."""


class Searched:
    """A text to search several patterns in; lower case is worked out once."""

    __slots__ = ("lower", "odd", "text")

    def __init__(self, text: str) -> None:
        """Bring the text to lower case."""
        self.text = text
        self.lower = text.lower()
        self.odd = not text.isascii() and any(letter in text for letter in _ODD)


class Pattern:
    """A regular expression with the letters that every match must hold."""

    __slots__ = ("_needles", "_search", "source")

    def __init__(self, source: str, *, ignore_case: bool = False) -> None:
        """Compile a regular expression.

        Raises:
            ParameterError: where it is none, with the place.
        """
        self.source = source
        try:
            pattern = patterns.Pattern(source, re.IGNORECASE if ignore_case else 0)
        except ValueError as error:
            raise ParameterError(
                f"{source!r} is no regular expression: {error}; write special characters such "
                "as ( or * with a backslash"
            ) from None
        self._search = pattern.search
        self._needles = _longest_first(source)

    def search(self, text: Searched) -> Found | None:
        """Find the first match.

        Raises:
            PatternError: The search took too long or too much.
        """
        if not text.odd:
            lower = text.lower
            for group in self._needles:
                for needle in group:
                    if needle in lower:
                        break
                else:
                    return None
        return self._search(text.text)


@lru_cache(maxsize=256)
def _longest_first(source: str) -> Needles:
    """Put first what most texts lack, so that one look is enough."""
    return tuple(sorted(needles(source), key=lambda group: -min(map(len, group))))


def needles(source: str) -> Needles:
    """Read from a regular expression what a match must hold; nothing where that is unclear.

    Only the top level is read: letters and escaped signs that follow one another, and groups of
    plain words. Whatever is optional, a class or another group counts for nothing.
    """
    rest = _FLAGS.sub("", source, count=1)
    # what stands in a class is skipped, so its escapes need not be read
    if _UNREAD.search(_CLASS.sub(r"\1.", rest)) or "x" in (source[: len(source) - len(rest)]):
        return ()
    found: list[tuple[str, ...]] = []
    run = ""
    at = 0
    while at < len(rest):
        piece, words, at = _piece(rest, at)
        if piece == "|":
            return ()
        optional = _QUANTIFIER.match(rest, at)
        literal = not optional and words is None and len(piece) == 1
        if literal:
            run += piece
            continue
        if run:
            found.append((run,))
            run = ""
        if words and not optional:
            found.append(words)
        at = optional.end() if optional else at
    if run:
        found.append((run,))
    return tuple(tuple(word.lower() for word in group) for group in found)


def _piece(source: str, at: int) -> tuple[str, tuple[str, ...] | None, int]:
    """Give the next sign (one letter where it stands for itself), its words, and what follows."""
    sign = source[at]
    if sign == "\\":
        after = source[at + 1 : at + 2]
        stands = after and not after.isalnum() and after.isascii()
        return (after if stands else "", None, at + 2)
    if sign == "(":
        match = _PLAIN_GROUP.match(source, at)
        if match:
            return "", tuple(match[1].split("|")), match.end()
        return "", None, _closing(source, at)
    if sign == "[":
        return "", None, _class_end(source, at)
    stands = sign.isascii() and sign not in "^$.*+?{}"
    return (sign if stands or sign == "|" else "", None, at + 1)


def _closing(source: str, at: int) -> int:
    depth = 0
    while at < len(source):
        sign = source[at]
        if sign == "\\":
            at += 1
        elif sign == "[":
            at = _class_end(source, at) - 1
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if not depth:
                return at + 1
        at += 1
    return at


def _class_end(source: str, at: int) -> int:
    at += 2 if source[at + 1 : at + 2] == "^" else 1
    # the first sign belongs to the class, even where it is a bracket
    at += 2 if source[at : at + 1] == "\\" else 1
    while at < len(source) and source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1
