"""Functions of installed packages, called in processes of their own.

A function that hangs, wants all memory or takes its whole process down cannot hold up a job.
"""

import contextlib
import json
import math
import os
import sys
from typing import Any, Final, NamedTuple

from reviewer.confined.process import (
    MEGABYTE,
    START_SECONDS,
    EndedError,
    Heed,
    Processes,
    greedy,
)
from reviewer.domain.errors import ReviewerError
from reviewer.scoring.packages.scorers import CallEndedError
from reviewer.services.computer import secrets
from reviewer.services.computer.plugins import Brought, Kind, PackageError

SECONDS: Final = 120.0
"""How long a call may take unless the function's attribute `seconds` or the variable says more."""
VARIABLE: Final = "REVIEWER_PACKAGE_SECONDS"
MEMORY_MB: Final = 4096.0
"""What a call may take unless the function's attribute `memory_mb` or the variable says more."""
MEMORY_VARIABLE: Final = "REVIEWER_PACKAGE_MEMORY_MB"
_TOLD: Final[dict[tuple[str, ...], dict[str, Any]]] = {}
"""What packages told of their functions; they are not asked again."""


class About(NamedTuple):
    """What a package tells of its function.

    Attributes:
        seconds: How long a call may take.
        memory: Bytes that a call may take.
        metrics: What a scorer scores by itself, None where it does not say.
        parameters: The names that a scorer takes, None where it takes every one.
        title: What a reader calls its format.
        recognises: Whether a reader can tell its files from others.
    """

    seconds: float
    memory: int
    metrics: tuple[str, ...] | None
    parameters: tuple[str, ...] | None
    title: str
    recognises: bool


def about(
    kind: Kind, found: Brought, heed: Heed | None = None, loading: float = START_SECONDS
) -> About:
    """Let a package tell what its function is, in a process that loads it.

    Args:
        kind: Of what the package brings.
        found: What it brings.
        heed: Raises where nobody waits for it any more.
        loading: Seconds that loading may take.

    Raises:
        PackageError: It cannot be loaded, takes too long or too much for that, or is no function.
        ReviewerError: A variable of the limits holds no such number.
    """
    # else what is wrong with the variables would be told as if it were the package's
    seconds, memory = _seconds(None), _memory(None)
    key = (kind, found.name, found.package, found.place)
    told = _TOLD.get(key)
    if told is None:
        processes = processes_of(kind, found, seconds=seconds, memory=memory, loading=loading)
        try:
            told = json.loads(secrets.hidden_bytes(processes.greeting(heed)))
        except EndedError as error:
            raise PackageError(f"The {kind} {found.title} {error}") from None
        finally:
            processes.close()
        if "problem" in told:
            raise PackageError(told["problem"])
        _TOLD[key] = told
    metrics, parameters = told["metrics"], told["parameters"]
    return About(
        seconds=_seconds(told["seconds"]),
        memory=_memory(told["memory_mb"]),
        metrics=None if metrics is None else tuple(metrics),
        parameters=None if parameters is None else tuple(parameters),
        title=told["title"],
        recognises=told["recognises"],
    )


def processes_of(
    kind: Kind, found: Brought, *, seconds: float, memory: int, loading: float = START_SECONDS
) -> Processes:
    """Give processes that load what a package brings; the first is started when it is asked."""
    frozen = getattr(sys, "frozen", False)
    start = ["--function"] if frozen else ["-P", "-m", "reviewer.worker.function"]
    return Processes(
        (*start, kind, found.name, f"{seconds:g}", f"{memory}"),
        # a package's judge may ask a model itself; what only reads a file needs no key
        secrets.without_keys() if kind == "reader" else secrets.handed_on(),
        seconds=seconds,
        memory=memory,
        loading=loading,
    )


def _seconds(own: float | None) -> float:
    """Give the limit of a call: as the variable says, else the function itself, else 120."""
    return _limit(own, VARIABLE, "seconds", SECONDS)


def _memory(own: float | None) -> int:
    """Give the bytes of a call: as the variable says, else the function's megabytes, else 4 GB."""
    return int(_limit(own, MEMORY_VARIABLE, "megabytes", MEMORY_MB) * MEGABYTE)


def _limit(own: float | None, variable: str, unit: str, usual: float) -> float:
    said = os.environ.get(variable, "").strip()
    if said:
        with contextlib.suppress(ValueError):
            if 0 < float(said) < math.inf:
                return float(said)
        raise ReviewerError(
            f"The variable {variable} is {said[:40]!r}; a number of {unit} above 0 is expected."
        )
    return usual if own is None else own


class Packaged:
    """A package's function, to be called as if it were here; several threads may call at once."""

    def __init__(self, kind: Kind, found: Brought) -> None:
        """Take what a package brings; it is loaded once to see what it is, then by its first call.

        Raises:
            PackageError: It cannot be loaded, or is no function.
            ReviewerError: A variable of the limits holds no such number.
        """
        self.about = about(kind, found)
        self._processes = processes_of(
            kind, found, seconds=self.about.seconds, memory=self.about.memory
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
            raise CallEndedError(greedy(self.about.memory))
        if "error" in reply:
            raise CallEndedError(reply["error"])
        # JSON knows no pairs
        return tuple(reply["pair"]) if "pair" in reply else reply.get("value")

    def close(self) -> None:
        """End its processes, calls under way included."""
        self._processes.close()
