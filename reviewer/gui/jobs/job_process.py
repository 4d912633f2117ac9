"""The process that works on a job: started by command line, heard through its lines."""

import json
import os
import sys
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QByteArray, QObject, QProcess, QProcessEnvironment, QTimer, Signal

import reviewer

PATIENCE_MS = 10_000
"""How long a cancelled process may take before it is ended."""
NO_START = "The process that evaluates could not be started: {why}."
DIED = (
    "The process that evaluates ended unexpectedly{how}. Whatever it had scored is kept; resume "
    "the job, and it goes on from there."
)


class Told(Struct, frozen=True):
    """What the process told of its job so far.

    Attributes:
        total: None where unknown.
        cost_usd: Dollars, those of earlier starts included.
        waits_for: The number of the job that asks the same just now, 0 where none does.
        limit_with: The number of the job that spends of its limit just now, 0 where none does.
    """

    done: int
    total: int | None
    failed: int = 0
    cached: int = 0
    cost_usd: float = 0.0
    waits_for: int = 0
    limit_with: int = 0


def command(project: Path, job: int) -> list[str]:
    """Give the words that start the process; no key is among them."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--worker", str(project), str(job)]
    # -P: a file lying about in the working directory must not pass for a module
    return [sys.executable, "-P", "-m", "reviewer.worker", str(project), str(job)]


class JobProcess(QObject):
    """One process on one job.

    Signals:
        told: It told how far it is, as a `Told`.
        ended: It ended by itself: the job's state and a sentence, which may be empty.
        died: It ended without a word, or could not be started; the sentence says how.
    """

    told = Signal(object)
    ended = Signal(str, str)
    died = Signal(str)

    def __init__(self, project: Path, job: int, parent: QObject | None = None) -> None:
        """Make it; nothing runs before `start`."""
        super().__init__(parent)
        self._words = command(project, job)
        self._rest = b""
        self._last: tuple[str, str] | None = None
        self.has_spoken = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment())
        self._process.setStandardInputFile(QProcess.nullDevice())
        self._process.readyReadStandardOutput.connect(self._read)
        # what it says there is in the log already; an unread pipe would stop it
        self._process.readyReadStandardError.connect(self._process.readAllStandardError)
        self._process.finished.connect(self._end)
        self._process.errorOccurred.connect(self._fail)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._process.kill)

    @property
    def number(self) -> int:
        """Give the number of the process, 0 where none runs."""
        return int(self._process.processId())

    def start(self) -> None:
        """Start the process."""
        self._process.start(self._words[0], self._words[1:])

    def expect_end(self) -> None:
        """End the process if it does not end by itself soon."""
        self._patience.start()

    def kill(self) -> None:
        """End the process at once; what it wrote stays."""
        self._process.kill()

    def wait(self, milliseconds: int) -> bool:
        """Wait until the process has ended; tells whether it has."""
        if self._process.state() == QProcess.ProcessState.NotRunning:
            return True
        return self._process.waitForFinished(milliseconds)

    def _read(self) -> None:
        self._take(self._process.readAllStandardOutput())

    def _take(self, arrived: QByteArray) -> None:
        *lines, self._rest = (self._rest + arrived.data()).split(b"\n")
        for line in lines:
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            return
        if not isinstance(found, dict):
            return
        self.has_spoken = True
        if "state" in found:
            self._last = (str(found["state"]), str(found.get("sentence") or ""))
        elif isinstance(found.get("done"), int):
            self.told.emit(_told(found))

    def _end(self, code: int, how: QProcess.ExitStatus) -> None:
        self._patience.stop()
        self._read()
        if self._last is not None:
            self.ended.emit(*self._last)
        elif how == QProcess.ExitStatus.CrashExit:
            self.died.emit(DIED.format(how=f" (signal {code})" if code else ""))
        else:
            self.died.emit(DIED.format(how=f" (exit code {code})"))

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.died.emit(NO_START.format(why=self._process.errorString().rstrip(".")))


def _told(found: dict[str, object]) -> Told:
    def number(name: str) -> float:
        value = found.get(name)
        return value if isinstance(value, int | float) else 0

    total = found.get("total")
    return Told(
        done=int(number("done")),
        total=total if isinstance(total, int) else None,
        failed=int(number("failed")),
        cached=int(number("cached")),
        cost_usd=float(number("cost_usd")),
        waits_for=int(number("waits_for")),
        limit_with=int(number("limit_with")),
    )


def _environment() -> QProcessEnvironment:
    """Give this program's environment, in which the process finds this very package."""
    found = QProcessEnvironment.systemEnvironment()
    root = str(Path(reviewer.__file__).resolve().parent.parent)
    before = found.value("PYTHONPATH", "")
    found.insert("PYTHONPATH", os.pathsep.join(x for x in (root, before) if x))
    return found
