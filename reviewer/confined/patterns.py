"""Regular expressions that somebody brought, with limits on what a search may take.

What cannot take long by any means is searched for here: the steps of a search are at most the
letters of the text, to a power that grows with every part that may repeat, times two for every
choice, times the letters of the pattern. That holds as long as only single signs repeat. All else
is searched for in a process of its own.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE, EndedError
from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import counted

SECONDS: Final = 2.0
MEMORY: Final = 512 * MEGABYTE
LONGEST: Final = 20_000
"""Characters of a pattern."""
_SHOWN: Final = 80
_STEPS: Final = 30_000_000
"""Steps that take a quarter of a second at the most, as long as a process takes to be started."""
_SHORT: Final = 1_000
_RANGES: Final = 16
"""Ranges of letters, which take 10 ms each to be compiled where case is ignored."""
_REPEATED_GROUP: Final = re.compile(r"\)[^()\[\]a-zA-Z0-9]*[*+{]|\(\?[a-zA-Z]*x")
_REPEAT: Final = re.compile(r"[*+{]|\\\d|\(\?P=|\(\?\(")
_CHOICE: Final = re.compile(r"[?|]")


class PatternError(ReviewerError):
    """Report a search that took too long or too much, with pattern and limit."""


class Found(NamedTuple):
    """A place where a pattern matches.

    Attributes:
        group: What the first group holds, None where only others take part; the whole where no
            group does.
    """

    start: int
    end: int
    text: str
    group: str | None


class Pattern:
    """A regular expression whose searches end within `SECONDS`."""

    __slots__ = ("_flags", "_here", "_repeats", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        """Compile a regular expression.

        Raises:
            ValueError: It is none, with the place, or takes too long to be read.
        """
        self.source = source
        self._flags = int(flags)
        self._here = _here(source, self._flags)
        self._repeats = _repeats(source)

    def search(self, text: str) -> Found | None:
        """Find the first match.

        Raises:
            PatternError: The search takes too long or too much.
        """
        if self._here is not None and self._is_quick(len(text)):
            match = self._here.search(text)
            return None if match is None else _found(text, [match.span(), *match.regs[1:]])
        try:
            spans = _SEARCH(self.source, self._flags, text)
        except EndedError as error:
            length = counted(len(text), "character")
            raise PatternError(f"{_named(self.source)} on {length}: it {error}") from None
        return None if spans is None else _found(text, spans)

    def _is_quick(self, length: int) -> bool:
        if self._repeats is None:
            return False
        repeats, choices = self._repeats
        steps = float(length + 1) ** (repeats + 1) * 2.0**choices * len(self.source)
        return steps <= _STEPS


def _named(source: str) -> str:
    shown = source if len(source) <= _SHOWN else f"{source[:_SHOWN]}…"
    return f"The pattern {shown!r}"


def _repeats(source: str) -> tuple[int, int] | None:
    """Count what may repeat and what may be so or so; None where a group may repeat.

    Signs that stand for themselves are counted, too.
    """
    if len(source) > _SHORT or _REPEATED_GROUP.search(source):
        return None
    return len(_REPEAT.findall(source)), min(len(_CHOICE.findall(source)), _SHORT)


@lru_cache(maxsize=256)
def _here(source: str, flags: int) -> re.Pattern[str] | None:
    """Compile what is compiled quickly; of all else see only that it can be."""
    if len(source) > LONGEST:
        raise ValueError(f"it has {len(source):,} characters; at most {LONGEST:,} are read")
    if len(source) <= _SHORT and source.count("-") <= _RANGES:
        return _compiled(source, flags)
    try:
        problem = _PROBLEM(source, flags)
    except EndedError as error:
        raise ValueError(f"it {error}") from None
    if problem:
        raise ValueError(problem)
    return None


def _compiled(source: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(source, flags)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(str(error)) from None


def _found(text: str, spans: list[tuple[int, int]]) -> Found:
    (start, end), *groups = spans
    taking_part = any(first >= 0 for first, _ in groups)
    first, last = groups[0] if taking_part else (start, end)
    return Found(start, end, text[start:end], text[first:last] if first >= 0 else None)


def spans_of(source: str, flags: int, text: str) -> list[tuple[int, int]] | None:
    """Search, wherever this is called, and give the places of the match and its groups."""
    match = _compiled(source, flags).search(text)
    return None if match is None else [match.span(), *match.regs[1:]]


def problem_of(source: str, flags: int) -> str:
    """Say what is wrong with a pattern, wherever this is called."""
    try:
        _compiled(source, flags)
    except ValueError as error:
        return str(error)
    return ""


_SEARCH: Final = Confined(spans_of, seconds=SECONDS, memory=MEMORY)
_PROBLEM: Final = Confined(problem_of, seconds=SECONDS, memory=MEMORY)
