"""Functions of installed packages, called in processes of their own.

A function that hangs, in C code too, or takes its whole process down cannot hold up a job that
way: its process is ended, the call is a failure, and the next call has a new process. A thread
could only be left behind, where it keeps its memory, its core and whatever lock it holds. Calls at
the same time have a process each, so that ending one repeats no other.
"""

import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.scoring.packages.scorers import CallEndedError
from reviewer.services.computer import secrets
from reviewer.services.computer.plugins import Brought, Kind

SECONDS: Final = 120.0
"""How long a call may take unless the function's attribute `seconds` or the variable says more."""
VARIABLE: Final = "REVIEWER_PACKAGE_SECONDS"
START_SECONDS: Final = 120.0
"""How long a process may take to load the package."""
LARGEST: Final = 64 * 1024 * 1024
_READ: Final = 1 << 16


def seconds_of(thing: object) -> float:
    """Give the limit of a call: as the variable says, else the function's `seconds`, else 120.

    Raises:
        ReviewerError: The variable holds no number of seconds.
    """
    said = os.environ.get(VARIABLE, "").strip()
    if said:
        with contextlib.suppress(ValueError):
            if 0 < float(said) < math.inf:
                return float(said)
        raise ReviewerError(
            f"The variable {VARIABLE} is {said[:40]!r}; a number of seconds above 0 is expected."
        )
    own: object = getattr(thing, "seconds", None)
    if isinstance(own, int | float) and not isinstance(own, bool) and 0 < own < math.inf:
        return float(own)
    return SECONDS


class Packaged:
    """A package's function, to be called as if it were here; several threads may call at once."""

    def __init__(self, kind: Kind, found: Brought) -> None:
        """Take what a package brings; its first process is started at the first call.

        Raises:
            ReviewerError: The variable of the limit holds no number of seconds.
        """
        self.seconds = seconds_of(found.thing)
        self.function = getattr(found.thing, "run", found.thing)
        self._words = (kind, found.name, f"{self.seconds:g}")
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._end = weakref.finalize(self, _end_all, self._all)

    def __call__(self, *values: Any, **named: Any) -> Any:  # noqa: ANN401  # of a stranger
        """Call the function with JSON values and give what it gives back.

        Raises:
            CallEndedError: It raised, gave back what is no value, took too long, or ended its
                process.
        """
        process = self._idle.pop() if self._idle else self._started()
        try:
            reply = process.ask([values, named], self.seconds)
        except TimeoutError:
            self._drop(process)
            raise CallEndedError(
                f"gave no answer within {self.seconds:g} s; the call was ended."
            ) from None
        except (OSError, ValueError):
            raise CallEndedError(f"ended its process{self._drop(process)}.") from None
        self._idle.append(process)
        if "error" in reply:
            raise CallEndedError(reply["error"])
        # JSON knows no pairs
        return tuple(reply["pair"]) if "pair" in reply else reply.get("value")

    def close(self) -> None:
        """End its processes, calls under way included."""
        self._idle.clear()
        _end_all(self._all)

    def _started(self) -> "_Process":
        process = _start(self._words)
        self._all.add(process)
        try:
            process.hear(START_SECONDS)
        except TimeoutError:
            self._drop(process)
            raise CallEndedError(f"was not loaded within {START_SECONDS:g} s.") from None
        except (OSError, ValueError):
            raise CallEndedError(
                f"ended its process while it was loaded{self._drop(process)}."
            ) from None
        return process

    def _drop(self, process: "_Process") -> str:
        self._all.discard(process)
        return process.end()


@dataclass(eq=False, slots=True)
class _Process:
    process: "subprocess.Popen[bytes]"
    line: socket.socket
    rest: bytearray = field(default_factory=bytearray)

    def ask(self, call: object, seconds: float) -> dict[str, Any]:
        """Send a call and wait for the reply."""
        self.line.settimeout(seconds)
        self.line.sendall(json.dumps(call).encode() + b"\n")
        return self.hear(seconds)

    def hear(self, seconds: float) -> dict[str, Any]:
        """Wait for one line."""
        until = time.monotonic() + seconds
        while b"\n" not in self.rest[-_READ:]:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.line.settimeout(left)
            arrived = self.line.recv(_READ)
            if not arrived or len(self.rest) > LARGEST:
                raise ConnectionError
            self.rest += arrived
        found: dict[str, Any] = json.loads(secrets.hidden_bytes(bytes(self.rest)))
        self.rest.clear()
        return found

    def end(self) -> str:
        """End the process and say how it had ended by itself, empty where it had not."""
        self.line.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # a process that broke the line is about to be gone
            self.process.wait(0.5)
        code = self.process.poll()
        if code is None:
            self.kill()
            self.process.wait()
            return ""
        return f" (signal {-code})" if code < 0 else f" (exit code {code})"

    def kill(self) -> None:
        """End the process, and what it started, at once."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


def _end_all(processes: set[_Process]) -> None:
    while processes:
        process = processes.pop()
        process.kill()
        process.end()


def _start(words: tuple[str, ...]) -> _Process:
    here, there = socket.socketpair()
    frozen = getattr(sys, "frozen", False)
    start = ["--function"] if frozen else ["-P", "-m", "reviewer.worker.function"]
    # a package's judge may ask a model itself
    surroundings = secrets.handed_on() | {"PYTHONPATH": os.pathsep.join(x for x in sys.path if x)}
    with there:
        process = subprocess.Popen(  # noqa: S603 - the words are this program's own
            [sys.executable, *start, *words, str(there.fileno())],
            stdin=subprocess.DEVNULL,
            # a package may print what it likes
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[there.fileno()],
            # with whatever it starts it can be ended, and Ctrl-C is for this process alone
            start_new_session=True,
            env=surroundings,
        )
    return _Process(process, here)
