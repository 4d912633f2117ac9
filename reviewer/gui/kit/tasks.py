"""Work now, soon and beside the window: the only module that starts threads.

A task's work is a plain function that takes a `Progress` and touches no widget; every signal
arrives on the window's own thread. Starting a task of a kind cancels the older one of that kind
and silences it. Pages read a changed project anew soon while they are in view, else when shown.
"""

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.wording import in_percent, listed

Work = Callable[[Progress], object]
Found = TypeVar("Found")
LOG = logging.getLogger(__name__)
_REPORT_EVERY = 0.05
PAINTED: Final = 0.2
"""Seconds in which the window paints what it has just been given, list and all."""
UNEXPECTED = "Something unexpected went wrong ({kind}); nothing saved was lost. The log says more."
LOSSES = "Closing stops {}; nothing half done is kept."
Explain = Callable[[BaseException], str]


def unexpected(error: BaseException) -> str:
    """Say that something went wrong that nobody expected."""
    return UNEXPECTED.format(kind=type(error).__name__)


class _Reporter(QObject):
    """What the worker thread holds: the stop flag and the way back, which never blocks."""

    advanced = Signal(object, object, str)
    ended = Signal(str, object)

    def __init__(self, owner: QObject) -> None:
        # owned by the task: the thread must never be the one that destroys it
        super().__init__(owner)
        self._stop = threading.Event()
        self._last = 0.0

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= _REPORT_EVERY or (total is not None and done >= total):
            self._last = now
            try:
                self.advanced.emit(done, total, note)
            except RuntimeError:
                # the window is gone, so nobody needs the work any more
                self.stop()

    def work(self, work: Work, explain: Explain, after: float) -> None:
        if self._stop.wait(after):
            how, result = "cancelled", None
        else:
            how, result = _outcome(work, self, explain)
        with contextlib.suppress(RuntimeError):
            self.ended.emit(how, result)


def _outcome(work: Work, progress: Progress, explain: Explain) -> tuple[str, object]:
    try:
        return "finished", work(progress)
    except CancelledError:
        return "cancelled", None
    except (ReviewerError, OSError) as error:
        LOG.warning("task ended with %s", type(error).__name__)
        return "failed", str(error)
    except Exception as error:
        LOG.exception("task failed")
        return "failed", explain(error)


class Task(QObject):
    """One piece of work on its own thread.

    Signals, all on the window's thread, one of the last three exactly once unless a newer task of
    the kind took over: `progressed(done, total or None, note)`, `finished(result)`,
    `failed(sentence)`, `cancelled()`.

    Attributes:
        loss: What would be lost if it ended now; empty where that is worth no word.
    """

    progressed = Signal(object, object, str)
    finished = Signal(object)
    failed = Signal(str)
    cancelled = Signal()
    ended = Signal()

    def __init__(self, kind: str, parent: QObject | None = None) -> None:
        """Make a task that has not begun; `Tasks.run` makes and begins one in a call."""
        super().__init__(parent)
        self.kind = kind
        self.loss = self._far = ""
        self._silent = False
        self._reporter = _Reporter(self)
        queued = Qt.ConnectionType.QueuedConnection
        self._reporter.advanced.connect(self._advance, queued)
        self._reporter.ended.connect(self._end, queued)
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Tell whether the work is still going on."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def lost(self) -> str:
        """Give what would be lost, with how far it is."""
        return f"{self.loss} (at {self._far})" if self._far else self.loss

    def begin(self, work: Work, explain: Explain = unexpected, after: float = 0.0) -> None:
        """Start the work on a thread of its own; `explain` puts unexpected errors into words."""
        name = f"task {self.kind}"
        self._thread = threading.Thread(
            target=self._reporter.work, args=(work, explain, after), name=name, daemon=True
        )
        self._thread.start()

    def cancel(self) -> None:
        """Ask the work to stop; `cancelled` follows once it has."""
        self._reporter.stop()

    def supersede(self) -> None:
        """Ask the work to stop and say nothing more about it."""
        self._silent = True
        self.cancel()

    def wait(self, seconds: float) -> bool:
        """Wait for the work to end; tells whether it did."""
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.is_running

    def _advance(self, done: float, total: float | None, note: str) -> None:
        self._far = in_percent(min(done / total, 1.0), 0) if total else ""
        if not self._silent:
            self.progressed.emit(done, total, note)

    def _end(self, how: str, result: object) -> None:
        if not self._silent:
            if how == "finished":
                self.finished.emit(result)
            elif how == "failed":
                self.failed.emit(str(result))
            else:
                self.cancelled.emit()
        self.ended.emit()


class Tasks(QObject):
    """Every running task of the window, one of a kind at most.

    Attributes:
        explain: How unexpected errors are put into words.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        """Make the set of tasks; it is empty."""
        super().__init__(parent)
        self._running: dict[str, Task] = {}
        self._leaving: set[Task] = set()
        self._closed = False
        self.explain: Explain = unexpected

    def run(
        self,
        kind: str,
        work: Callable[[Progress], Found],
        *,
        then: Callable[[Found], object] | None = None,
        failed: Callable[[str], object] | SignalInstance | None = None,
        after: float = 0.0,
        loss: str = "",
    ) -> Task:
        """Start work on its own thread and give the task, to connect to what else it tells.

        The older task of the same kind is cancelled and says nothing more. After `close` nothing
        is begun.

        Args:
            kind: What the task is about.
            work: Must open its own project connection: one belongs to one thread.
            then: Gets what the work gave.
            failed: Gets a sentence why it gave nothing.
            after: Seconds for which work that can wait gives way to painting: all threads share
                one interpreter.
            loss: What would be lost if the window closed meanwhile, as in "the export to b.csv".
        """
        self.drop(kind)
        task = Task(kind, self)
        task.loss = loss
        if then is not None:
            task.finished.connect(then)
        if failed is not None:
            task.failed.connect(failed)
        if self._closed:
            return task
        self._running[kind] = task
        task.ended.connect(lambda: self._collect(task))
        task.begin(work, self.explain, after)
        return task

    def running(self) -> tuple[str, ...]:
        """Give the kinds of task that have not ended."""
        return tuple(self._running)

    def losses(self, kinds: Collection[str] | None = None) -> str:
        """Say what stops if these kinds of task end now, all without any; empty for nothing."""
        lost = [
            task.lost
            for kind, task in self._running.items()
            if task.loss and (kinds is None or kind in kinds)
        ]
        return LOSSES.format(listed(lost)) if lost else ""

    def cancel(self, kind: str) -> None:
        """Ask the task of a kind to stop, if there is one."""
        if kind in self._running:
            self._running[kind].cancel()

    def drop(self, kind: str) -> None:
        """Ask the task of a kind to stop and say nothing more; nobody waits for it from now on."""
        task = self._running.pop(kind, None)
        if task is not None:
            task.supersede()
            self._leaving.add(task)

    def close(self, seconds: float = 5.0) -> bool:
        """Cancel everything silently and wait; tells whether all ended in time."""
        self._closed = True
        everything = [*self._running.values(), *self._leaving]
        for task in everything:
            task.supersede()
        until = time.monotonic() + seconds
        return all(task.wait(max(0.0, until - time.monotonic())) for task in everything)

    def _collect(self, task: Task) -> None:
        self._leaving.discard(task)
        if self._running.get(task.kind) is task:
            del self._running[task.kind]
        task.deleteLater()


@contextmanager
def telling(tell: Callable[[str], object]) -> Iterator[None]:
    """End an act that cannot be done, and tell its sentence."""
    try:
        yield
    except ReviewerError as error:
        tell(str(error))


PATIENCE: Final = 4


def soon(owner: QObject, act: Callable[[], object], ms: int = 0) -> QTimer:
    """Make a timer that acts once, so many milliseconds after it was last started."""
    timer = QTimer(owner, singleShot=True, interval=ms)
    timer.timeout.connect(act)
    return timer


class Refresher(QObject):
    """Calls a page's `refresh` once after many wishes; a hidden page is refreshed when shown."""

    def __init__(self, page: QWidget, refresh: Callable[[], object], settle_ms: int) -> None:
        """Watch over a page; wishes within `settle_ms` of each other are one.

        Where they never end, a refresh comes after `PATIENCE` times as long all the same.
        """
        super().__init__(page)
        self._page = page
        self._refresh = refresh
        self._due = False
        self._timer = soon(self, self.now)
        self._settle_ms = settle_ms
        self._first = QElapsedTimer()
        page.installEventFilter(self)

    def wish(self) -> None:
        """Ask for a refresh."""
        self._due = True
        if self._page.isVisible():
            if not self._timer.isActive():
                self._first.start()
            left = PATIENCE * self._settle_ms - self._first.elapsed()
            self._timer.start(max(min(self._settle_ms, int(left)), 0))

    def now(self) -> None:
        """Refresh at once."""
        self._timer.stop()
        self._due = False
        self._refresh()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Refresh a page that comes into view and is behind."""
        if event.type() == QEvent.Type.Show and self._due:
            QTimer.singleShot(0, self, self._catch_up)
        return False

    def _catch_up(self) -> None:
        if self._due:
            self.now()


ENDING_S = 1.5
"""How long a window has to close once the system ends the program."""
_ENDED = 143


class SystemEnd(QObject):
    """Hears that the system ends the program, also while the window hangs; then it ends anyhow.

    Attributes:
        requested: The window is to close; what it does not close in time is cut off.
    """

    requested = Signal()

    def __init__(self, parent: QObject) -> None:
        """Listen from now on; call it on the main thread."""
        super().__init__(parent)
        self._reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=self._listen, name="system's end", daemon=True).start()

    def _listen(self) -> None:
        while os.read(self._reading, 1) != bytes([signal.SIGTERM]):
            pass
        self.requested.emit()
        threading.Event().wait(ENDING_S)
        os._exit(_ENDED)
