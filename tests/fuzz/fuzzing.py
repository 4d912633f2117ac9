"""Let every target read changed files, by count; the same seed gives the same files."""

import logging
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from reviewer.domain.errors import ReviewerError
from tests.fuzz import targets

LONGEST = 20
"""Seconds of work after which an answer is overdue, whatever else the machine does."""
SILENT = 200
"""Seconds after which it is overdue even where nothing works on it."""


class OverdueError(Exception):
    """Nothing came for too long."""


@dataclass(frozen=True)
class Failure:
    """A file that did something other than being read or refused with a sentence."""

    seed: int
    number: int
    target: str
    name: str
    data: bytes
    error: BaseException

    def __str__(self) -> str:
        return (
            f"{self.target}: {type(self.error).__name__}: {str(self.error)[:200]}\n"
            f"    again: python -m tests.fuzz --seed {self.seed} --at {self.number}"
        )


def _overdue(_signal: int, _frame: FrameType | None) -> None:
    raise OverdueError(f"no answer after {LONGEST} s of work, or {SILENT} s of silence")


def _expect(work: float, silence: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, work)
    signal.setitimer(signal.ITIMER_REAL, silence)


@contextmanager
def _watched() -> Iterator[None]:
    """Let what goes on for too long fail, and keep silent what is told beside."""
    before = {x: signal.signal(x, _overdue) for x in (signal.SIGALRM, signal.SIGPROF)}
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
        _expect(0, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def failures(
    seed: int, numbers: Iterable[int], only: str = "", refused: Counter[str] | None = None
) -> Iterator[Failure]:
    """Try files of a seed by their numbers, of the targets whose names hold `only`.

    Those that are refused with a sentence are counted by their targets.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, _watched():
        known = targets.every(Path(folder))
        chosen = [one for one in known if only in one.name]
        shares = [one.share for one in chosen]
        for number in numbers:
            random = Random(f"{seed} {number} {only}")  # noqa: S311 - the same again
            target = random.choices(chosen, shares)[0]
            name, data = target.attempt(random)
            _expect(LONGEST, SILENT)
            try:
                target.act(name, data, random)
            except ReviewerError:
                if refused is not None:
                    refused[target.name] += 1
            except Exception as error:  # noqa: BLE001 - any other is what is looked for
                yield Failure(seed, number, target.name, name, data, error)
            finally:
                _expect(0, 0)
