"""The process that keeps the open project in step with its hub, heard through its lines."""

import json
import math
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QProcess, QTimer, Signal

from reviewer.domain.change import Change
from reviewer.domain.errors import ProjectError
from reviewer.gui.jobs.jobs_at_work import environment
from reviewer.gui.kit.pieces import connect
from reviewer.services.computer import secrets
from reviewer.services.project.session import Session
from reviewer.services.sharing import states
from reviewer.services.sharing.states import SyncState

LOOK_MS = 2_000
"""How often one looks whether the project is shared now, or is no more."""
FIRST_REST_S, LONGEST_REST_S = 2.0, 60.0
"""How long one waits before a process that broke down is started again."""
REFUSED_REST_S = 600.0
"""How long one waits after a refusal: a lead may invite again, or bring the hub up to date."""
LEAVE_S = 5.0
"""How long what was answered last may take to be sent as a project is closed."""
READ_MS = 2_000
"""How long a window that closes says what still waits."""
DIED = "The process that sends answers ended unexpectedly; it is started again in a moment."
NO_START = "The process that sends answers could not be started: {why}."


def command(project: Path) -> list[str]:
    """Give the words that start the process; no password is among them."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--sync", str(project)]
    # -P: a file lying about in the working directory must not pass for a module
    return [sys.executable, "-P", "-m", "reviewer.worker.sync", str(project)]


class SyncProcess(QObject):
    """One process on one project.

    Signals:
        told: It told how the project stands, as a `SyncState`.
        ended: It ended, or could not be started: a sentence why, empty where it has said so.
    """

    told = Signal(object)
    ended = Signal(str)

    def __init__(self, project: Path, parent: QObject) -> None:
        """Make it; nothing runs before `start`."""
        super().__init__(parent)
        self.project = project
        self.last: SyncState | None = None
        self._rest = b""
        self._process = QProcess(self)
        self._process.setProcessEnvironment(environment(secrets.handed_to_hub()))
        connect(
            (self._process.readyReadStandardOutput, self._read),
            # what it says there is in the log already; an unread pipe would stop it
            (self._process.readyReadStandardError, self._process.readAllStandardError),
            (self._process.finished, self._end),
            (self._process.errorOccurred, self._fail),
        )

    @property
    def number(self) -> int:
        """Give the number of the process, 0 where none runs."""
        return int(self._process.processId())

    def start(self) -> None:
        """Start the process."""
        words = command(self.project)
        self._process.start(words[0], words[1:])

    def say(self, **wish: object) -> None:
        """Tell it a wish."""
        self._process.write(json.dumps(wish).encode() + b"\n")

    def leave(self) -> None:
        """Let it send what is still here, and end."""
        self._process.closeWriteChannel()
        QTimer.singleShot(round(LEAVE_S * 1000), self, self._process.kill)

    @property
    def runs(self) -> bool:
        """Tell whether it has not ended yet."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    @property
    def refused(self) -> bool:
        """Tell whether it cannot go on, so that it ends."""
        return self.last is not None and self.last.doing == "refused"

    def kill(self) -> None:
        """End it at once; what it was about is done by the next one."""
        self._process.kill()
        self._process.waitForFinished(1_000)

    def _read(self) -> None:
        *lines, self._rest = (self._rest + self._process.readAllStandardOutput().data()).split(
            b"\n"
        )
        for line in lines:
            state = states.read(line)
            if state is not None:
                self.last = state
                self.told.emit(state)

    def _end(self) -> None:
        self._read()
        said = self.last is not None and self.last.doing in ("refused", "off")
        self.ended.emit("" if said else DIED)

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.ended.emit(NO_START.format(why=self._process.errorString().rstrip(".")))


class HubAtWork(QObject):
    """Keeps the open project in step while it is shared; a process that dies is started again.

    Attributes:
        state: How it stands, None where the project is not shared.

    Signals:
        changed: `state` changed.
        came: Something came from the hub and is in the file.
        parted: A project was closed, and something of it waits, as a sentence says.
    """

    changed = Signal()
    came = Signal()
    parted = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        """Make it; nothing is shared."""
        super().__init__(parent)
        self.state: SyncState | None = None
        self._session: Session | None = None
        self._process: SyncProcess | None = None
        self._leaving: list[SyncProcess] = []
        self._refused: Path | None = None
        self._rest, self._not_before = FIRST_REST_S, 0.0
        self._parted_at = -math.inf
        self._once_more = False
        self._is_counted = True
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.look)

    def open(self, session: Session | None) -> None:
        """Keep a project in step; None sends what is still here and lets go of it."""
        if self._process is not None:
            self._let_go(self._process)
        elif self._session is not None and self.state is not None:
            # no process is there that would tell what waits as it ends
            self._part(self._recounted(self.state), Path(self._session.project.path))
        self._session = session
        self._refused, self._rest, self._not_before = None, FIRST_REST_S, 0.0
        self._set(None)
        if session is None or session.project.read_only:
            self._look.stop()
        else:
            session.subscribe(self._note)
            self._look.start()
            self.look()

    @property
    def process(self) -> SyncProcess | None:
        """Give the process at work, None where there is none."""
        return self._process

    def look(self) -> None:
        """Begin where the project is shared, and end where it is not; call it after either."""
        session = self._session
        if session is None:
            return
        shared, path = _is_shared(session), Path(session.project.path)
        if not shared:
            if self._process is not None:
                self._let_go(self._process)
            self._refused = None
            self._set(None)
        elif self._process is None and self._may_start(path):
            self._start(path, session)
        elif self._process is None and self.state is not None and not self._is_counted:
            self._is_counted = True
            self._set(_counted(session, self.state))

    def again(self) -> None:
        """Try the hub now, whatever was to be waited for."""
        self._refused, self._rest, self._not_before = None, FIRST_REST_S, 0.0
        if self._process is not None:
            # one that was refused is on its way out and hears nothing more
            self._once_more = self._process.refused
            self._process.say(again=True)
        self.look()

    def give_password(self, word: str, *, keep: bool) -> None:
        """Hand over a password that somebody typed, through the process's input alone."""
        if self._process is not None:
            self._process.say(password=word, keep=keep)

    def finish(self) -> None:
        """Wait until what is still here is sent, or five seconds have passed.

        Where something waits even then, the window stays until that can be read.
        """
        loop = QEventLoop()
        for process in tuple(self._leaving):
            process.ended.connect(lambda _: loop.quit())
            while process.runs and process in self._leaving:
                loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        since = (time.monotonic() - self._parted_at) * 1000
        if since < READ_MS:
            QTimer.singleShot(round(READ_MS - since), loop.quit)
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)

    def _may_start(self, path: Path) -> bool:
        busy = any(process.runs and process.project == path for process in self._leaving)
        elsewhere = self._refused not in (None, path)
        return not busy and (elsewhere or time.monotonic() >= self._not_before)

    def _note(self, _: Change) -> None:
        self._is_counted = False

    def _start(self, path: Path, session: Session) -> None:
        self._refused = None
        process = self._process = SyncProcess(path, self)
        connect(
            (process.told, lambda state: self._take(process, state)),
            (process.ended, lambda why: self._end(process, why)),
        )
        self._set(_counted(session, SyncState(doing="connecting")))
        process.start()

    def _let_go(self, process: SyncProcess) -> None:
        self._process, self._once_more = None, False
        self._leaving.append(process)
        process.leave()

    def _take(self, process: SyncProcess, state: SyncState) -> None:
        if process is not self._process or not _is_there(process.project, state):
            return
        if state.doing == "refused":
            state = self._recounted(state)
        before = self.state.came if self.state is not None else 0
        if state.is_connected:
            self._rest = FIRST_REST_S
        self._set(state)
        if state.came > before:
            self.came.emit()

    def _end(self, process: SyncProcess, why: str) -> None:
        process.deleteLater()
        if process in self._leaving:
            self._leaving.remove(process)
            if process.last is not None:
                self._part(process.last, process.project)
            self.look()
            return
        if process is not self._process:
            return
        self._process = None
        if self._once_more:
            self._once_more = False
            self.look()
        elif process.refused and not why:
            self._refused = process.project
            self._not_before = time.monotonic() + REFUSED_REST_S
        else:
            self._not_before = time.monotonic() + self._rest
            self._rest = min(2 * self._rest, LONGEST_REST_S)
            if why:
                self._set(self._recounted(states.refused(why, self.state)))

    def _part(self, state: SyncState, project: Path) -> None:
        waits = states.parting(state, project.name)
        if waits:
            self._parted_at = time.monotonic()
            self.parted.emit(waits)

    def _recounted(self, state: SyncState) -> SyncState:
        """Count what waits, as no process does it any more."""
        self._is_counted = True
        return state if self._session is None else _counted(self._session, state)

    def _set(self, state: SyncState | None) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()


def _is_there(project: Path, state: SyncState) -> bool:
    """Tell whether it is worth telling: a file that lost its name is followed in a moment."""
    return state.doing != "refused" or project.exists()


def _counted(session: Session, state: SyncState) -> SyncState:
    """Give a state with what the file says of it."""
    from reviewer.services.sharing import link, standing

    try:
        return standing.of_file(session.project, link.must(session.project), state)
    except ProjectError:
        # the process says what is wrong with it
        return state


def _is_shared(session: Session) -> bool:
    from reviewer.services.sharing import link

    return link.is_shared(session.project)
