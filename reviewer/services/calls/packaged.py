"""Functions of installed packages, called in processes of their own.

A function that hangs, wants all memory or takes its whole process down cannot hold up a job.
"""

import contextlib
import json
import math
import os
import sys
from typing import Any, Final

from reviewer.confined.process import MEGABYTE, EndedError, Processes, greedy
from reviewer.domain.errors import ReviewerError
from reviewer.scoring.packages.scorers import CallEndedError
from reviewer.services.computer import secrets
from reviewer.services.computer.plugins import Brought, Kind

SECONDS: Final = 120.0
"""How long a call may take unless the function's attribute `seconds` or the variable says more."""
VARIABLE: Final = "REVIEWER_PACKAGE_SECONDS"
MEMORY_MB: Final = 4096.0
"""What a call may take unless the function's attribute `memory_mb` or the variable says more."""
MEMORY_VARIABLE: Final = "REVIEWER_PACKAGE_MEMORY_MB"


def seconds_of(thing: object) -> float:
    """Give the limit of a call: as the variable says, else the function's `seconds`, else 120.

    Raises:
        ReviewerError: The variable holds no number of seconds.
    """
    return _limit(thing, "seconds", VARIABLE, "seconds", SECONDS)


def memory_of(thing: object) -> int:
    """Give the bytes of a call: as the variable says, else the function's `memory_mb`, else 4 GB.

    Raises:
        ReviewerError: The variable holds no number of megabytes.
    """
    return int(_limit(thing, "memory_mb", MEMORY_VARIABLE, "megabytes", MEMORY_MB) * MEGABYTE)


def _limit(thing: object, attribute: str, variable: str, unit: str, usual: float) -> float:
    said = os.environ.get(variable, "").strip()
    if said:
        with contextlib.suppress(ValueError):
            if 0 < float(said) < math.inf:
                return float(said)
        raise ReviewerError(
            f"The variable {variable} is {said[:40]!r}; a number of {unit} above 0 is expected."
        )
    own: object = getattr(thing, attribute, None)
    if isinstance(own, int | float) and not isinstance(own, bool) and 0 < own < math.inf:
        return float(own)
    return usual


class Packaged:
    """A package's function, to be called as if it were here; several threads may call at once."""

    def __init__(self, kind: Kind, found: Brought) -> None:
        """Take what a package brings; its first process is started at the first call.

        Raises:
            ReviewerError: A variable of the limits holds no such number.
        """
        self.seconds = seconds_of(found.thing)
        self.memory = memory_of(found.thing)
        self.function = getattr(found.thing, "run", found.thing)
        frozen = getattr(sys, "frozen", False)
        start = ["--function"] if frozen else ["-P", "-m", "reviewer.worker.function"]
        self._processes = Processes(
            (*start, kind, found.name, f"{self.seconds:g}", f"{self.memory}"),
            # a package's judge may ask a model itself
            secrets.handed_on(),
            seconds=self.seconds,
            memory=self.memory,
        )

    def __call__(self, *values: Any, **named: Any) -> Any:  # noqa: ANN401  # of a stranger
        """Call the function with JSON values and give what it gives back.

        Raises:
            CallEndedError: It raised, gave back what is no value, took too long or too much, or
                ended its process.
        """
        try:
            answer = self._processes.ask(json.dumps([values, named]).encode())
        except EndedError as error:
            raise CallEndedError(str(error)) from None
        reply: dict[str, Any] = json.loads(secrets.hidden_bytes(answer))
        if "greedy" in reply:
            raise CallEndedError(greedy(self.memory))
        if "error" in reply:
            raise CallEndedError(reply["error"])
        # JSON knows no pairs
        return tuple(reply["pair"]) if "pair" in reply else reply.get("value")

    def close(self) -> None:
        """End its processes, calls under way included."""
        self._processes.close()
