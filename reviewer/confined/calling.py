"""Functions of this program that work on what strangers wrote, called with limits."""

import atexit
import base64
import json
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from reviewer.confined.process import (
    EndedError,
    GreedyError,
    OverdueError,
    Processes,
    greedy,
)

CHANCES: Final = 3
"""How many calls for one subject may go beyond a limit before it is not tried any more."""

_NEEDED: Final = ("LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TZ")
"""What is handed on of the environment: keys are not."""


class Confined:
    """A function of a module, to be called with limits as if it were here."""

    def __init__(self, function: Callable[..., Any], *, seconds: float, memory: int) -> None:
        """Keep the limits; the first process is started at the first call.

        Args:
            function: What gives a JSON value; it is found again by its name.
            seconds: How long a call may take.
            memory: Bytes that a call may take beside what loading takes.
        """
        frozen = getattr(sys, "frozen", False)
        self._memory = memory
        self._overruns: Counter[str] = Counter()
        self._processes = Processes(
            (
                *(["--confined"] if frozen else ["-P", "-m", __package__]),
                _packed(function).decode(),
                f"{seconds:g}",
                f"{memory}",
            ),
            {x: os.environ[x] for x in _NEEDED if x in os.environ}
            # the threads of libraries for numbers reserve much for every core
            | {"OPENBLAS_NUM_THREADS": "1"},
            seconds=seconds,
            memory=memory,
        )
        self.close = self._processes.close
        atexit.register(self.close)

    def __call__(self, subject: str, *values: Any) -> Any:  # noqa: ANN401 - as the function
        """Call the function.

        Args:
            subject: What somebody brought, its first argument.
            values: Its other arguments.

        Raises:
            EndedError: It took too long or too much, now or three times before, or raised.
        """
        if self._overruns[subject] >= CHANCES:
            raise EndedError(
                f"took too long or too much {CHANCES} times; it is not tried any more."
            )
        try:
            return self._called((subject, *values))
        except (OverdueError, GreedyError):
            self._overruns[subject] += 1
            raise

    def _called(self, values: tuple[Any, ...]) -> Any:  # noqa: ANN401 - as the function
        answer = json.loads(self._processes.ask(_packed(values)))
        if "greedy" in answer:
            raise GreedyError(greedy(self._memory))
        if "failed" in answer:
            raise EndedError(f"{answer['failed']}.")
        return answer["value"]


def _packed(thing: object) -> bytes:
    return base64.b64encode(pickle.dumps(thing))
