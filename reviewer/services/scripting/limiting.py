"""A limit in seconds for a function of a script, which cannot run in a process of its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

SECONDS: Final = 600.0
"""How long an agent may take to answer, unless told otherwise."""


class TooLongError(Exception):
    """Report that a function of a script took longer than it may."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Interrupt what runs in the block after so many seconds; None is no limit.

    It is the system's alarm that interrupts, so that nothing is left behind. That works on a
    script's main thread, and reaches code in C when it comes back to Python; elsewhere there is no
    limit.

    Raises:
        TooLongError: The seconds are over.
    """

    def interrupt(*_: object) -> NoReturn:
        raise TooLongError(f"no answer within {seconds:g} s")

    try:
        before = None if seconds is None else signal.signal(signal.SIGALRM, interrupt)
    except ValueError:
        # not on the main thread
        before = seconds = None
    if seconds is None:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
