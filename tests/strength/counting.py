"""Counts trials, says on the way how many there were, and ends early when it is asked to."""

import signal
import sys
from collections.abc import Iterator
from types import FrameType

STEPS = 20
"""How often at most it is said how far it is."""
_asked = False


class MissingError(Exception):
    """A program that a kind of trial needs is not there."""


def _ask(_number: int, _frame: FrameType | None) -> None:
    global _asked  # noqa: PLW0603 - a signal reaches nothing else
    _asked = True


def end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end a kind after the trial under way; its row tells what was done."""
    signal.signal(signal.SIGINT, _ask)
    signal.signal(signal.SIGTERM, _ask)


def asked_to_end() -> bool:
    """Tell whether somebody asked for the end."""
    return _asked


def trials(count: int, *, told: bool = True) -> Iterator[int]:
    """Give the numbers of trials until there are enough or somebody asks for the end."""
    step = max(10, count // STEPS)
    for number in range(count):
        if _asked:
            return
        yield number
        if told and (number + 1) % step == 0:
            sys.stderr.write(f"{number + 1:,} of {count:,}\n")
            sys.stderr.flush()
