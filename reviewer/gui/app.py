"""The composition root of the window: everything is made here once and handed down."""

import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from reviewer.domain.errors import ReviewerError
from reviewer.gui.commands import Opening, WindowCommands
from reviewer.gui.hub_watch import HubWatch
from reviewer.gui.jobs.jobs_at_work import JobsAtWork
from reviewer.gui.jobs.monitors_at_work import MonitorsAtWork
from reviewer.gui.jobs_watch import ConversionNotice, JobsWatch, MonitorNotices
from reviewer.gui.kit import roles
from reviewer.gui.kit.arranging import keep_on_screen
from reviewer.gui.kit.choices import Choices
from reviewer.gui.kit.collecting import Collector
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import SystemEnd, Tasks
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.presence import Presence
from reviewer.gui.page import Surroundings
from reviewer.gui.pages import PAGES
from reviewer.gui.repairing import RepairOffer
from reviewer.gui.syncing.hub_at_work import HubAtWork
from reviewer.gui.upkeep import Upkeep
from reviewer.gui.warm_up import Preparation, WarmUp
from reviewer.gui.window import PAINTED_MS, MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.listing import listing

LOG = logging.getLogger(__name__)
SETTLED_MS = 1_500
NOT_STARTED = (
    "The window cannot be shown: Qt found no way to the display. On Debian or Ubuntu "
    "`apt-get install libxcb-cursor0 libxkbcommon-x11-0 libegl1` usually helps; "
    "`sh packaging/run.sh` looks for everything that is missing. Every command without a window "
    "works meanwhile."
)
NO_DISPLAY = (
    "There is no display to open the window on; set DISPLAY or WAYLAND_DISPLAY, or use "
    "`reviewer tour` to render every page to PNG files."
)
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def run(path: Path | None, *, open_id: str | None = None) -> int:
    """Show the window until it is closed and give the exit code.

    Args:
        path: The project to open; None for the start page.
        open_id: The evaluation to open, by its id or RUN/ID.

    Raises:
        ReviewerError: There is no display.
    """
    require_display()
    with messages_logged():
        return _run(path, open_id)


@contextmanager
def messages_logged() -> Iterator[None]:
    """Let what Qt has to say go to the log instead of standard error."""
    before = qInstallMessageHandler(_log_qt)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _run(path: Path | None, open_id: str | None) -> int:
    app = make_application()
    window = assemble()
    hook = sys.excepthook
    sys.excepthook = _Unexpected(window)
    try:
        if sys.platform != "win32":
            # one thread emits, another closes
            queued = Qt.ConnectionType.QueuedConnection
            SystemEnd(window).requested.connect(lambda: end(window), queued)
        QTimer.singleShot(0, lambda: begin(window, path, open_id))
        QTimer.singleShot(SETTLED_MS, lambda: settle(window))
        return app.exec()
    finally:
        sys.excepthook = hook


def end(window: MainWindow) -> None:
    """Close without a question, as the system ends the program and waits for no answer."""
    window.asks = False
    asking = QApplication.activeModalWidget()
    if asking is not None:
        asking.close()
    window.close()


def require_display() -> None:
    """Refuse to go on where a window cannot be shown.

    Raises:
        ReviewerError: There is no display; Qt itself would end the process.
    """
    if os.environ.get("QT_QPA_PLATFORM", "").startswith(("offscreen", "minimal", "vnc")):
        return
    if sys.platform.startswith("linux"):
        shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if not shown:
            raise ReviewerError(NO_DISPLAY)


def make_application() -> QApplication:
    """Make the application object, or give the one that is there."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    app = QApplication(["reviewer"])
    app.setApplicationName("reviewer")
    app.setApplicationDisplayName("Reviewer")
    app.setDesktopFileName("reviewer")
    roles.install()
    return app


def begin(window: MainWindow, path: Path | None = None, open_id: str | None = None) -> None:
    """Show an assembled window: on a project's first page, without a path on the start page."""
    try:
        if path is not None:
            window.open_project(path, open_id)
    finally:
        window.surroundings.theme.dress()
        keep_on_screen(window)
        window.show()
        # texts are as high as their width asks for before anything is painted
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    if path is None:
        QTimer.singleShot(0, window.start.refresh)
    QTimer.singleShot(PAINTED_MS, window, lambda: set_icon(window))


def compose(settings: Settings | None = None, *, backups: bool = True) -> MainWindow:
    """Make the window with everything it needs; nothing is shown yet.

    Args:
        settings: The settings to go by; None for the person's own.
        backups: Whether open projects are backed up by themselves.
    """
    window = assemble(settings, backups=backups)
    window.surroundings.theme.dress()
    set_icon(window)
    return window


def assemble(settings: Settings | None = None, *, backups: bool = True) -> MainWindow:
    """Make the window with everything it needs but its style, which `begin` puts on.

    Args:
        settings: The settings to go by; None for the person's own.
        backups: Whether open projects are backed up by themselves.
    """
    kept = settings or Settings()
    theme = Theme(kept.theme, kept.font_scale)
    theme.prepare()
    tasks, jobs = Tasks(), JobsAtWork()
    monitors, hub = MonitorsAtWork(tasks, jobs), HubAtWork()
    window = MainWindow(Surroundings(theme, kept, tasks, jobs, monitors, hub, Choices()), PAGES)
    tasks.explain = partial(_explain, window)
    for child in (theme, tasks, jobs, monitors, hub):
        child.setParent(window)
    WindowCommands(window, Opening(window))
    Upkeep(window, backups=backups)
    RepairOffer(window)
    MonitorNotices(window, JobsWatch(window))
    HubWatch(window)
    ConversionNotice(window)
    EvaluationLists(window)
    # after the one above: who labels is shown as it is by then
    Presence(window)
    for problem in kept.problems:
        window.notices.warn(problem)
    return window


def set_icon(window: MainWindow) -> None:
    """Give the window the program's icon, for the bars of the desktop."""
    from reviewer.gui.kit import icons

    window.setWindowIcon(icons.program_icon(window.surroundings.theme))


def settle(window: MainWindow) -> None:
    """Load what the first page did without, and let garbage be searched for again."""
    warm_up = WarmUp(window.surroundings.tasks, window)
    # modules and classes live for good: never search them for garbage during a key press
    connect(
        (warm_up.finished, gc.freeze),
        (warm_up.finished, lambda: Collector(window)),
        (warm_up.finished, lambda: Preparation(window)),
    )
    warm_up.begin()


class _Unexpected:
    """Logs what nobody expected and says one sentence in the notice bar."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        if isinstance(error, ReviewerError):
            self._window.notices.error(str(error))
            return
        LOG.error("unexpected", exc_info=(kind, error, trace))
        self._window.notices.error(_explain(self._window, error))


def _explain(window: MainWindow, error: BaseException) -> str:
    """Put an unexpected error into words; a damaged project is named."""
    from reviewer.services.computer import logs

    return logs.explain(error, window.session.project.path if window.session is not None else None)


def _log_qt(kind: QtMsgType, _: QMessageLogContext, message: str) -> None:
    LOG.log(_LEVELS.get(kind, logging.INFO), "Qt: %s", message)
    if kind is QtMsgType.QtFatalMsg:
        # Qt ends the process after this call, so nobody else can say why
        sys.stderr.write(f"{NOT_STARTED}\n")
        sys.stderr.flush()
        os._exit(2)


MOST = 200
"""A list is a filter of as many alternatives, and a filter has its limits."""


class EvaluationLists(QObject):
    """Answers the wishes of pages to see some evaluations."""

    def __init__(self, window: MainWindow) -> None:
        """Connect to the window's wishes."""
        super().__init__(window)
        self._window = window
        window.evaluations_requested.connect(self.show)

    def show(self, keys: Sequence[int], heading: str = "") -> None:
        """List evaluations on Review; of very many, the first."""
        session = self._window.session
        if session is None or not len(keys):
            return
        first = [int(key) for key in keys[:MOST]]
        self._window.show_page("review")
        if self._window.page is not None:
            self._window.page.open_list(words=listing.some_filter(session, first))
        if len(keys) > len(first):
            heading = f"{heading or 'Evaluations'}: the first {len(first)} of {len(keys):,}"
        if heading:
            self._window.notices.note(f"{heading}.")
