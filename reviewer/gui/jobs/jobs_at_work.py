"""The jobs that this window works on, each in a process of its own, heard through its lines."""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct, field
from PySide6.QtCore import QByteArray, QObject, QProcess, QProcessEnvironment, Signal

import reviewer
from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import Rate
from reviewer.services.computer import secrets
from reviewer.services.project.session import Session

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
        self._process.setProcessEnvironment(environment(secrets.handed_on()))
        self._process.setStandardInputFile(QProcess.nullDevice())
        self._process.readyReadStandardOutput.connect(self._read)
        # what it says there is in the log already; an unread pipe would stop it
        connect(
            (self._process.readyReadStandardError, self._process.readAllStandardError),
            (self._process.finished, self._end),
            (self._process.errorOccurred, self._fail),
        )
        self._patience = soon(self, self._process.kill, PATIENCE_MS)

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


def environment(variables: Mapping[str, str]) -> QProcessEnvironment:
    """Give an environment for a process, in which it finds this very package."""
    found = QProcessEnvironment()
    for name, value in variables.items():
        found.insert(name, value)
    root = str(Path(reviewer.__file__).resolve().parent.parent)
    found.insert(
        "PYTHONPATH", os.pathsep.join(x for x in (root, found.value("PYTHONPATH", "")) if x)
    )
    return found


Doing = Literal["starting", "running", "pausing", "cancelling"]
KILLED = "Cancelled; what was scored until then is kept."
TELL_MS = 250
"""How often progress is shown: each time costs the thread on which somebody labels."""
LEAVE_S = 20.0
"""How long a closed window waits for calls under way, which are paid for already."""


class JobAtWork(Struct, kw_only=True):
    """One job at work, as cards and the status bar show it.

    Attributes:
        asks: Whether it asks a model, so that there is a cache and a cost.
        max_cost: Dollars after which it stops, None without limit.
        priced: Whether it is known what its calls cost; else no limit can act.
    """

    key: int
    title: str
    asks: bool = True
    max_cost: float | None = None
    priced: bool = True
    total: int | None = None
    doing: Doing = "starting"
    told: Told = field(default_factory=lambda: Told(0, None))
    rate: Rate = field(default_factory=Rate)

    @property
    def share(self) -> float | None:
        """Give how much is done, from 0 to 1, None where unknown."""
        total = self.told.total or self.total
        return min(self.told.done / total, 1.0) if total else None


class JobsAtWork(QObject):
    """Starts, follows, pauses and cancels; a process that dies is a sentence here.

    Signals:
        begun: A job was started, by its number.
        moved: A job's progress or what it is doing changed, by its number.
        ended: A job is not at work any more: number, title, state, sentence. The state is that of
            the job, or `interrupted` where its process died.
    """

    begun = Signal(int)
    moved = Signal(int)
    ended = Signal(int, str, str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        """Make it; nothing is at work."""
        super().__init__(parent)
        self._session: Session | None = None
        self._jobs: dict[int, JobAtWork] = {}
        self._processes: dict[int, JobProcess] = {}
        self._leaving: list[JobProcess] = []
        self._fresh: set[int] = set()
        self._tell = soon(self, self._tell_moved, TELL_MS)

    def open(self, session: Session | None) -> None:
        """Work on a project; None pauses what is at work and lets go of it."""
        if self._session is not None and session is not self._session:
            for key, process in self._processes.items():
                process.blockSignals(True)  # noqa: FBT003 - Qt's call
                if process.has_spoken and self._session is not None:
                    from reviewer.services.jobs import job_list

                    try:
                        job_list.stop(self._session, key, "pause")
                    except ReviewerError:
                        process.kill()
                else:
                    process.kill()
                self._leaving.append(process)
            for key in tuple(self._jobs):
                del self._jobs[key]
                self.moved.emit(key)
            self._processes.clear()
        self._session = session

    @property
    def jobs(self) -> tuple[JobAtWork, ...]:
        """Give the jobs at work, the oldest first."""
        return tuple(self._jobs.values())

    def job(self, key: int) -> JobAtWork | None:
        """Give a job at work by its number."""
        return self._jobs.get(key)

    def process(self, key: int) -> JobProcess | None:
        """Give the process that works on a job."""
        return self._processes.get(key)

    def start(self, job: JobAtWork) -> None:
        """Start a job that the project keeps, or go on with it."""
        session = self._session
        if session is not None and job.key not in self._jobs:
            process = JobProcess(Path(session.project.path), job.key, self)
            self._jobs[job.key], self._processes[job.key] = job, process
            connect(
                (process.told, lambda told: self._take(job, told)),
                (process.ended, lambda state, said: self._end(process, job, state, said)),
                (process.died, lambda said: self._end(process, job, "interrupted", said)),
            )
            self.begun.emit(job.key)
            process.start()

    def pause(self, key: int) -> None:
        """Let the calls under way come to their end and start no more.

        Raises:
            ReviewerError: The project cannot be written.
        """
        self._stop(key, "pause")

    def cancel(self, key: int) -> None:
        """Drop what is under way; a process that does not react is ended.

        Raises:
            ReviewerError: The project cannot be written.
        """
        self._stop(key, "cancel")

    def finish(self, seconds: float = LEAVE_S) -> bool:
        """Wait until every process has ended, then end the rest; tells whether none was left."""
        until = time.monotonic() + seconds
        whole = True
        for process in (*self._processes.values(), *self._leaving):
            if not process.wait(max(0, round((until - time.monotonic()) * 1000))):
                whole = False
                process.kill()
                process.wait(2_000)
        return whole

    def _stop(self, key: int, what: Literal["pause", "cancel"]) -> None:
        session, job, process = self._session, self._jobs.get(key), self._processes.get(key)
        if session is None or job is None or process is None:
            return
        job.doing = "pausing" if what == "pause" else "cancelling"
        self.moved.emit(key)
        if not process.has_spoken:
            # it is still loading, so nothing is under way
            process.kill()
            return
        from reviewer.services.jobs import job_list

        job_list.stop(session, key, what)
        if what == "cancel":
            process.expect_end()

    def _take(self, job: JobAtWork, told: Told) -> None:
        job.told = told
        if job.doing == "starting":
            job.doing = "running"
        job.rate.see(told.done)
        self._fresh.add(job.key)
        if not self._tell.isActive():
            self._tell.start()

    def _tell_moved(self) -> None:
        fresh, self._fresh = self._fresh, set()
        for key in fresh & set(self._jobs):
            self.moved.emit(key)

    def _end(self, process: JobProcess, job: JobAtWork, state: str, sentence: str) -> None:
        process.deleteLater()
        if self._processes.get(job.key) is not process:
            return
        del self._processes[job.key], self._jobs[job.key]
        if state == "interrupted" and job.doing in ("pausing", "cancelling"):
            state, sentence = self._settle(job, sentence)
        self.ended.emit(job.key, job.title, state, sentence)

    def _settle(self, job: JobAtWork, sentence: str) -> tuple[str, str]:
        """Write down how a job ended whose process was ended from here."""
        what: Literal["pause", "cancel"] = "pause" if job.doing == "pausing" else "cancel"
        if self._session is None:
            return "interrupted", sentence
        from reviewer.services.jobs import job_list

        try:
            job_list.stop(self._session, job.key, what)
        except ReviewerError as error:
            return "interrupted", str(error)
        return ("paused", "Paused.") if what == "pause" else ("cancelled", KILLED)
