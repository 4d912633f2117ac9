"""A limit in seconds for a function of a script, which cannot run in a process of its own."""

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")
SECONDS: Final = 600.0
"""How long an agent may take to answer, unless told otherwise."""
_AGAIN: Final = 10.0
"""Seconds at most until a function that goes on nevertheless is interrupted again."""
_AT_ONCE: Final = 1e-6


class TooLongError(BaseException):
    """Report that a function of a script took longer than it may.

    Functions that try again after every `Exception` must not take it for one.
    """


def limited(seconds: float | None, work: Callable[[], T]) -> T:
    """Do some work and interrupt it after so many seconds; None is no limit.

    It is the system's alarm that interrupts, so that nothing is left behind. That works on a
    script's main thread, and reaches code in C when it comes back to Python; elsewhere, and on
    systems without an alarm, there is no limit. An alarm of the caller's own waits meanwhile.

    Raises:
        TooLongError: The seconds were over, whatever the work made of that.
    """
    alarm = None if seconds is None else _Alarm(seconds)
    if alarm is None or not alarm.set():
        return work()
    try:
        found = work()
    except Exception as error:
        if alarm.rang:
            raise alarm.error from error
        raise
    finally:
        alarm.take_away()
    if alarm.rang:
        raise alarm.error
    return found


class _Alarm:
    """The system's alarm, once set.

    Attributes:
        rang: Whether it interrupted the work.
    """

    def __init__(self, seconds: float) -> None:
        self.rang = False
        self._seconds = seconds
        self._others: tuple[float, float] = (0.0, 0.0)
        self._since = 0.0

    @property
    def error(self) -> TooLongError:
        """Say what was too long."""
        return TooLongError(f"no answer within {self._seconds:g} s")

    def set(self) -> bool:
        """Set it; tell whether that is possible here."""
        if not hasattr(signal, "SIGALRM"):
            return False
        try:
            # None where a program that Python is part of had a handler of its own
            self._before = signal.signal(signal.SIGALRM, self._ring) or signal.SIG_DFL
        except ValueError:
            # not on the main thread
            return False
        again = min(self._seconds, _AGAIN)
        self._since = time.monotonic()
        self._others = signal.setitimer(signal.ITIMER_REAL, self._seconds, again)
        return True

    def take_away(self) -> None:
        """Put the handler and the timer back that were there before."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        left, every = self._others
        if left:
            left = max(left - (time.monotonic() - self._since), _AT_ONCE)
            signal.setitimer(signal.ITIMER_REAL, left, every)

    def _ring(self, _: int, frame: FrameType | None) -> None:
        # at the edges of the work an error would keep the timer from being put back
        if frame is not None and frame.f_code.co_filename == __file__:
            return
        self.rang = True
        raise self.error
