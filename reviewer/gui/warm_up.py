"""What is loaded and read once the window stands, so that nobody waits at the first use.

The first page does without most rooms: where they are needed they are imported inside a function.
A test holds that none of them is loaded on the way to the first page, and that afterwards all are.
"""

import importlib
import pkgutil
import sys
import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.domain.errors import Progress
from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import Tasks, soon
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session

ROOMS = (
    "reviewer.gui.plots",
    "reviewer.gui.figures",
    "reviewer.gui.audit",
    "reviewer.gui.runs",
    "reviewer.gui.queues",
    "reviewer.gui.reports",
    "reviewer.gui.sharing",
)
"""Rooms of widgets whose modules are loaded one by one, as a whole page would hold up a key."""
SERVICES = (
    "reviewer.services.audits",
    "reviewer.services.adjudicating",
    "reviewer.services.queues",
    "reviewer.services.calls",
    "reviewer.services.judging",
    "reviewer.services.bots",
    "reviewer.services.jobs",
    "reviewer.services.comparing",
    "reviewer.services.monitoring",
    "reviewer.services.aligning",
    "reviewer.services.sharing",
)
"""What those rooms build on; all of it is loaded beside the window."""
WIDGETS = (
    "reviewer.gui.asking",
    "reviewer.gui.explanation",
    "reviewer.gui.glossary",
    "reviewer.gui.importing.dialog",
    "reviewer.gui.judges.opening",
    "reviewer.gui.keys_sheet",
    "reviewer.gui.kit.icons",
    "reviewer.gui.kit.word_diff",
    "reviewer.gui.labelers.dialog",
    "reviewer.gui.parcels.dialogs",
    "reviewer.gui.parcels.sheets",
    "reviewer.gui.review.claims_view",
    "reviewer.gui.settings_dialog",
    "reviewer.gui.systems",
)
"""Widgets of other rooms that somebody asks for later."""
USES = (
    "reviewer.services.queues.bulk_acts",
    "reviewer.services.queues.bulk_queue",
    "reviewer.services.computer.logs",
    "reviewer.services.computer.versions",
    "reviewer.services.labelling.undo",
    "reviewer.services.explaining.explanations",
    "reviewer.services.figures.every_score",
    "reviewer.services.figures.figure_settings",
    "reviewer.services.figures.judge_details",
    "reviewer.services.figures.listed_scores",
    "reviewer.services.parcels.merging",
    "reviewer.services.project.backups",
    "reviewer.services.project.session",
    "reviewer.services.listing.list_orders",
    "reviewer.services.tallying.live_loading",
    "reviewer.services.tallying.live",
    "reviewer.services.transfer.exporting",
    "reviewer.services.transfer.importing",
    "reviewer.services.transfer.file_plans",
    "reviewer.services.transfer.exporting",
    "reviewer.services.transfer.run_details",
    "reviewer.services.upkeep.doctor",
    "reviewer.services.upkeep.forgetting",
    "reviewer.services.upkeep.projects",
)
"""What touches no widget, beside the rooms."""
KIND = "warm-up"
STEP_MS = 50
BUDGET_S = 0.008
"""How long a step goes on; loading one module may take longer."""


class WarmUp(QObject):
    """Loads the rooms while somebody reads: plain modules beside the window, widgets in steps.

    Signals:
        finished: Everything is loaded.
    """

    finished = Signal()

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        """Make it; nothing is loaded before `begin`."""
        super().__init__(parent)
        self._tasks = tasks
        self._left: list[str] = []
        self._step = QTimer(self, interval=STEP_MS)
        self._step.timeout.connect(self._take_step)

    def begin(self) -> None:
        """Load what touches no widget on a thread, then the modules of widgets one by one."""
        self._left = [*_modules(ROOMS), *WIDGETS]
        self._tasks.run(
            KIND, lambda progress: _import_all([*USES, *_modules(SERVICES)], progress)
        ).ended.connect(self._step.start)

    def _take_step(self) -> None:
        until = time.perf_counter() + BUDGET_S
        while self._left and time.perf_counter() < until:
            importlib.import_module(self._left.pop(0))
        if not self._left:
            self._step.stop()
            self.finished.emit()


def _modules(rooms: Sequence[str]) -> list[str]:
    """Name the modules of some packages."""
    return [
        f"{room}.{found.name}"
        for room in rooms
        for found in pkgutil.iter_modules(importlib.import_module(room).__path__)
    ]


def _import_all(modules: Sequence[str], progress: Progress) -> None:
    for module in modules:
        if progress.cancelled:
            return
        importlib.import_module(module)


QUIET_MS = 600
PREPARING = "audit columns"


class Preparation(QObject):
    """Waits until nothing else runs after a project was opened, then reads its columns once."""

    def __init__(self, window: MainWindow) -> None:
        """Watch over a window."""
        super().__init__(window)
        self._window = window
        self._done: Session | None = None
        self._timer = soon(self, self._begin, QUIET_MS)
        window.page_shown.connect(lambda _: self._timer.start())
        self._timer.start()

    def _begin(self) -> None:
        session, tasks = self._window.session, self._window.surroundings.tasks
        if session is None or session is self._done:
            return
        if tasks.running():
            self._timer.start()
            return
        self._done = session
        tasks.run(PREPARING, beside(session, _prepare))


def _prepare(session: Session, _: Progress) -> None:
    from reviewer.services.audits import auditing

    auditing.prepare(session)
    _give_back()


def _give_back() -> None:
    """Return to the system what reading left over; glibc keeps 40 MB of it for later threads."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
