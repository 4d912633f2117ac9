"""Processes of their own for what may hang or want too much, and the line to each.

What hangs, in C code too, or takes its whole process down cannot hold up anything else that way:
its process is ended, the call is a failure, and the next call has a new process. A thread could
only be left behind, where it keeps its memory, its core and whatever lock it holds. Calls at the
same time have a process each, so that ending one repeats no other.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import psutil

from reviewer.domain.wording import as_typed

START_SECONDS: Final = 120.0
"""How long a process may take to load what it calls."""
SPARE_SECONDS: Final = 5
"""How much longer than its limit a call may take before its process ends by itself."""
LARGEST: Final = 64 * 1024 * 1024
MEGABYTE: Final = 1 << 20
_READ: Final = 1 << 16
_LOOK: Final = 0.1
"""Seconds between two looks at whether somebody still waits, and at the memory where the system
itself holds no limit."""
Heed = Callable[[], None]
"""Raises where nobody waits for an answer any more."""


class EndedError(Exception):
    """Say how a call ended that has no answer, to be read behind what was called."""


class OverdueError(EndedError):
    """Say that a call took longer than it may."""


class GreedyError(EndedError):
    """Say that a call wanted more memory than it may have."""


class Processes:
    """Processes that each answer one line with one or many, as many as are asked at a time."""

    def __init__(
        self,
        words: Sequence[str],
        surroundings: Mapping[str, str],
        *,
        seconds: float,
        memory: int,
        loading: float = START_SECONDS,
    ) -> None:
        """Keep how they are started; the first is at the first question.

        Args:
            words: The command line behind Python's own name; the number of an open socket is
                put at its end.
            surroundings: Their whole environment.
            seconds: How long an answer, or the next of its lines, may take.
            memory: Bytes that a process may take, as far as this one has to watch over it.
            loading: Seconds until a process gives the line with which it begins.
        """
        self._words = tuple(words)
        self._surroundings = dict(surroundings)
        self._seconds = seconds
        self._memory = memory
        self._loading = loading
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._end = weakref.finalize(self, _end_all, self._all)

    def greeting(self, heed: Heed | None = None) -> bytes:
        """Give the line with which a process begins; the process waits for the first question.

        Raises:
            EndedError: It took too long or too much, or came to its end.
        """
        process = self._idle.pop() if self._idle else self._started(heed)
        self._idle.append(process)
        return process.greeting

    def ask(self, line: bytes, heed: Heed | None = None) -> bytes:
        """Send a line to a process and give its answer, without the end of the line.

        Raises:
            EndedError: There is no answer, because it took too long or too much, or because the
                process came to its end.
        """
        with self._asked(line, heed) as process:
            return process.hear(self._seconds, heed)

    def follow(self, line: bytes, heed: Heed | None = None) -> Generator[bytes, None, None]:
        """Send a line to a process and give the lines of its answer, up to an empty one.

        A process whose answer is not wanted to its end is ended.

        Raises:
            EndedError: As `ask` does, of every line.
        """
        with self._asked(line, heed) as process:
            while answer := process.hear(self._seconds, heed):
                yield answer

    def close(self) -> None:
        """End all processes, calls under way included."""
        self._idle.clear()
        _end_all(self._all)

    @contextlib.contextmanager
    def _asked(self, line: bytes, heed: Heed | None) -> Iterator["_Process"]:
        process = self._idle.pop() if self._idle else self._started(heed)
        with self._ending(process, "gave no answer within", self._seconds):
            process.send(line, self._seconds)
            yield process
        self._idle.append(process)

    def _started(self, heed: Heed | None) -> "_Process":
        process = _start(self._words, self._surroundings, self._memory)
        self._all.add(process)
        with self._ending(process, "was not loaded within", self._loading, " while it was loaded"):
            process.greeting = process.hear(self._loading, heed)
        return process

    @contextlib.contextmanager
    def _ending(
        self, process: "_Process", late: str, seconds: float, when: str = ""
    ) -> Iterator[None]:
        """End a process whose answer will not come, or is not waited for, and say why."""
        try:
            yield
        except TimeoutError:
            self._kill(process)
            raise OverdueError(f"{late} {as_typed(seconds)} s; the call was ended.") from None
        except MemoryError:
            self._kill(process)
            raise GreedyError(greedy(self._memory)) from None
        except (OSError, ValueError):
            raise EndedError(f"ended its process{when}{self._drop(process)}.") from None
        except BaseException:
            self._kill(process)
            raise

    def _kill(self, process: "_Process") -> None:
        process.kill()
        self._drop(process)

    def _drop(self, process: "_Process") -> str:
        self._all.discard(process)
        return process.end()


def greedy(memory: int) -> str:
    """Say that something wanted more memory than it may have."""
    return f"needs more than {memory // MEGABYTE:,} MB of memory; the call was ended."


def own_memory(room: int, *, address_space: bool) -> None:
    """Let the system refuse this process more memory than it may have.

    Systems that know no such limit leave that to the one who asks, who looks at the memory.

    Args:
        room: Bytes, beyond what the process has already where it is of the address space.
        address_space: Whether whatever is reserved counts; libraries for numbers reserve much
            that they never touch.
    """
    if not _has_limits():
        return
    import resource  # unknown to Windows

    kind = resource.RLIMIT_AS if address_space else resource.RLIMIT_DATA
    taken = psutil.Process().memory_info().vms if address_space else 0
    hard = resource.getrlimit(kind)[1]
    wanted = taken + room if hard == resource.RLIM_INFINITY else min(taken + room, hard)
    resource.setrlimit(kind, (wanted, hard))


def _has_limits() -> bool:
    return sys.platform == "linux"


@dataclass(eq=False, slots=True)
class _Process:
    process: "subprocess.Popen[bytes]"
    line: socket.socket
    memory: int
    greeting: bytes = b""
    lines: deque[bytes] = field(default_factory=deque)
    rest: bytearray = field(default_factory=bytearray)
    next_look: float = 0.0

    def send(self, line: bytes, seconds: float) -> None:
        """Send a line."""
        self.line.settimeout(seconds)
        self.line.sendall(line + b"\n")

    def hear(self, seconds: float, heed: Heed | None = None) -> bytes:
        """Wait for one line."""
        until = time.monotonic() + seconds
        while not self.lines:
            now = time.monotonic()
            if now >= until:
                raise TimeoutError
            if heed is not None:
                heed()
            self._look_at_memory(now)
            first, *more = self._arrived(min(until - now, _LOOK)).split(b"\n")
            self.rest += first
            if len(self.rest) > LARGEST:
                raise ConnectionError
            if more:
                self.lines += (bytes(self.rest), *more[:-1])
                self.rest = bytearray(more[-1])
        return self.lines.popleft()

    def _look_at_memory(self, now: float) -> None:
        if not _has_limits() and now >= self.next_look:
            self.next_look = now + _LOOK
            if _resident(self.process.pid) > self.memory:
                raise MemoryError

    def _arrived(self, seconds: float) -> bytes:
        self.line.settimeout(seconds)
        try:
            arrived = self.line.recv(_READ)
        except TimeoutError:
            return b""
        if not arrived:
            raise ConnectionError
        return arrived

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


def _resident(number: int) -> int:
    try:
        return int(psutil.Process(number).memory_info().rss)
    except psutil.Error:
        return 0


def _end_all(processes: set[_Process]) -> None:
    while processes:
        process = processes.pop()
        process.kill()
        process.end()


def _start(words: Sequence[str], surroundings: Mapping[str, str], memory: int) -> _Process:
    here, there = socket.socketpair()
    path = os.pathsep.join(x for x in sys.path if x)
    with there:
        process = subprocess.Popen(  # noqa: S603 - the words are this program's own
            [sys.executable, *words, str(there.fileno())],
            stdin=subprocess.DEVNULL,
            # a package may print what it likes
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[there.fileno()],
            # with whatever it starts it can be ended, and Ctrl-C is for this process alone
            start_new_session=True,
            env={**surroundings, "PYTHONPATH": path},
        )
    return _Process(process, here, memory)
