"""What the window loads by name once it stands: rooms that nobody needs for the first page.

With `services.computer.deferred`, the one exception to imports at the top of a module. A test
holds that every name here exists and that none of their modules is loaded on the way to the first
page; `WarmUp` loads them afterwards, a little at a time, so that nobody waits at the first use
either.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.domain.progress import Progress
from reviewer.gui.kit.tasks import Tasks
from reviewer.services.computer import deferred as beneath

AUDIT_PAGE = "reviewer.gui.audit.page:AuditPage"
RUNS_PAGE = "reviewer.gui.runs.page:RunsPage"
REPORTS_PAGE = "reviewer.gui.reports.page:ReportsPage"
IMPORT_DIALOG = "reviewer.gui.importing.dialog:ImportDialog"
KEYS_SHEET = "reviewer.gui.keys_sheet:KeysSheet"
SETTINGS_DIALOG = "reviewer.gui.settings_dialog:SettingsDialog"
PROGRAM_ICON = "reviewer.gui.kit.icons:program_icon"
COMPARED = "reviewer.gui.kit.word_diff:compared"
HISTOGRAM = "reviewer.gui.plots.histogram:Histogram"
EXPLANATION_DIALOG = "reviewer.gui.explanation:ExplanationDialog"
EXPLAIN = "reviewer.services.explaining.explanations:explain"
SHOWN = "reviewer.services.explaining.explanations:Shown"
FIGURE_SETTINGS = "reviewer.services.figures.figure_settings:read"
OPTIONS_TEXT = "reviewer.services.figures.figure_settings:as_text"
CHANGE_FIGURES = "reviewer.services.figures.figure_settings:change"
LIVE_FIGURES = "reviewer.services.tallying.live:LiveFigures"
LOAD_TALLIES = "reviewer.services.tallying.live_loading:load_tallies"
BACK_UP = "reviewer.services.project.backups:automatic"
DIAGNOSIS = "reviewer.services.computer.diagnosis:diagnosis"
EXPLAIN_TROUBLE = "reviewer.services.computer.diagnosis:explain"
VERSION = "reviewer.services.computer.versions:version"
MAKE_DEMO = "reviewer.services.upkeep.projects:make_demo"
ASKED_COUNT = "reviewer.services.deciding.questions:count_to_me"
ASKED_SENTENCE = "reviewer.services.deciding.questions:sentence"
EVERY_TAG = "reviewer.services.bulk.acting:every_tag"
TAGS_OF = "reviewer.services.bulk.acting:tags_of"
IN_ONE_STEP = "reviewer.services.bulk.asking:in_one_step"
BULK_ACT = "reviewer.services.bulk.asking:act"
MY_QUEUES = "reviewer.services.assigning.working:lines"
BEGIN_VALIDATION = "reviewer.services.assigning.recipes:begin_validation"
ANSWERS_LEFT = "reviewer.services.assigning.working:answers_left"
VALIDATION = "reviewer.services.assigning.validation:of_queue"
LOOK_REACHED = "reviewer.services.assigning.validation:look_reached"
FEEDBACK = "reviewer.services.assigning.training:sentence"
QUEUE_BUILDER = "reviewer.gui.queues.builder:QueueBuilder"
QUEUES_DIALOG = "reviewer.gui.queues.overview:QueuesDialog"
ASSIGN_DIALOG = "reviewer.gui.queues.assign_dialog:AssignDialog"
VERDICT_DIALOG = "reviewer.gui.queues.verdict:VerdictDialog"
LABELERS_DIALOG = "reviewer.gui.labelers.dialog:LabelersDialog"
PACK_DIALOG = "reviewer.gui.parcels.pack_dialog:PackDialog"
MERGE_DIALOG = "reviewer.gui.parcels.merge_dialog:MergeDialog"
IS_PACKAGE = "reviewer.services.parcels.merging:is_of"
REQUIRE_LEAD = "reviewer.services.project.permission:require_lead"
LABELER_CHOOSER = "reviewer.gui.labelers.chooser:LabelerChooser"
OPEN_JUDGES = "reviewer.gui.judges.opening:open_judges"
OPEN_PROMPTS = "reviewer.gui.judges.opening:open_prompts"
OPEN_BOTS = "reviewer.gui.judges.opening:open_bots"
PREPARATION = "reviewer.gui.preparing:Preparation"
PREPARE = "reviewer.services.audits.remembering:prepare"
STOP_JOB = "reviewer.services.evaluating.job_list:stop"
EVERY_JOB = "reviewer.services.evaluating.job_list:every"
JOB_WAITS = "reviewer.services.evaluating.job_list:waits"
JOB_SCORES = "reviewer.services.evaluating.job_scores:read"
JOB_TO_WORK = "reviewer.gui.runs.job_lines:to_work"
FAILURE_COUNTS = "reviewer.services.evaluating.job_list:failure_counts"
RETRY_FAILURES = "reviewer.services.evaluating.job_list:retry_failures"
LOOK_IN_TURN = "reviewer.services.monitoring.watching:turn"
LOOK_ONCE = "reviewer.services.monitoring.watching:once"
LOOK_AGAIN = "reviewer.services.monitoring.watching:again"
WATCH = "reviewer.services.monitoring.watching:begin"
UNWATCH = "reviewer.services.monitoring.watching:end"
LEAVE_WATCH = "reviewer.services.monitoring.watching:leave"
JUDGE_DETAILS = "reviewer.services.figures.judge_details:details"
JUDGE_VIEW = "reviewer.gui.review.judge_view:JudgeView"
CLAIMS_VIEW = "reviewer.gui.review.claims_view:ClaimsView"
CLAIMS_FOUND = "reviewer.services.deciding.claims:found"
CORRECT_CLAIM = "reviewer.services.deciding.claims:correct"
CONVERSION = "reviewer.services.project.conversion:untold"
CONVERSION_SHOWN = "reviewer.services.project.conversion:keep_shown"
LAGGING = "reviewer.services.tallying.lagging:of_run"
UNDO = "reviewer.services.entering.undo:undo"
REDO = "reviewer.services.entering.undo:redo"

WIDGETS = (
    AUDIT_PAGE,
    RUNS_PAGE,
    REPORTS_PAGE,
    IMPORT_DIALOG,
    KEYS_SHEET,
    SETTINGS_DIALOG,
    HISTOGRAM,
    PROGRAM_ICON,
    COMPARED,
    EXPLANATION_DIALOG,
    JUDGE_VIEW,
    CLAIMS_VIEW,
    QUEUE_BUILDER,
    QUEUES_DIALOG,
    ASSIGN_DIALOG,
    VERDICT_DIALOG,
    LABELERS_DIALOG,
    LABELER_CHOOSER,
    PACK_DIALOG,
    MERGE_DIALOG,
    OPEN_JUDGES,
    OPEN_PROMPTS,
    OPEN_BOTS,
    PREPARATION,
    JOB_TO_WORK,
)
USES = (
    PREPARE,
    LIVE_FIGURES,
    LOAD_TALLIES,
    BACK_UP,
    DIAGNOSIS,
    EXPLAIN,
    SHOWN,
    FIGURE_SETTINGS,
    OPTIONS_TEXT,
    CHANGE_FIGURES,
    EXPLAIN_TROUBLE,
    VERSION,
    MAKE_DEMO,
    MY_QUEUES,
    BEGIN_VALIDATION,
    ANSWERS_LEFT,
    VALIDATION,
    LOOK_REACHED,
    FEEDBACK,
    IS_PACKAGE,
    REQUIRE_LEAD,
    STOP_JOB,
    EVERY_JOB,
    JOB_WAITS,
    FAILURE_COUNTS,
    RETRY_FAILURES,
    JOB_SCORES,
    CONVERSION,
    CONVERSION_SHOWN,
    LOOK_IN_TURN,
    LOOK_ONCE,
    LOOK_AGAIN,
    WATCH,
    UNWATCH,
    LEAVE_WATCH,
    UNDO,
    REDO,
    JUDGE_DETAILS,
    CLAIMS_FOUND,
    CORRECT_CLAIM,
    LAGGING,
    ASKED_COUNT,
    ASKED_SENTENCE,
    EVERY_TAG,
    TAGS_OF,
    IN_ONE_STEP,
    BULK_ACT,
)
ROOMS = (
    "reviewer.gui.plots",
    "reviewer.gui.figures",
    "reviewer.gui.audit",
    "reviewer.gui.runs",
    "reviewer.gui.queues",
    "reviewer.gui.reports",
)
"""Rooms of widgets whose modules are loaded one by one, as a whole page would hold up a key."""
SERVICES = (
    "reviewer.services.audits",
    "reviewer.services.deciding",
    "reviewer.services.assigning",
    "reviewer.services.evaluating",
    "reviewer.services.monitoring",
    "reviewer.services.aligning",
)
"""What those rooms build on; all of it is loaded beside the window."""
PARTS = (
    "reviewer.services.audits.auditing",
    "reviewer.services.transfer.exporting",
    "reviewer.services.transfer.importing",
    "reviewer.services.transfer.mappings",
    "reviewer.services.transfer.previewing",
    "reviewer.services.transfer.run_details",
)
KIND = "warm-up"
STEP_MS = 50
BUDGET_S = 0.008
"""How long a step goes on; loading one module may take longer."""


def load(name: str) -> Callable[..., Any]:
    """Give what a name of this module stands for, loading its module where that is still to do."""
    return beneath.load(name)


def maker(name: str) -> Callable[..., Any]:
    """Give a stand-in that loads what it stands for when it is called."""
    return partial(_make, name)


def _make(name: str, *values: object) -> object:
    return load(name)(*values)


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
        self._left = [*_modules(ROOMS), *(name.partition(":")[0] for name in WIDGETS)]
        task = self._tasks.run(KIND, lambda progress: _import_all(_plain(), progress))
        task.ended.connect(self._step.start)

    def _take_step(self) -> None:
        until = time.perf_counter() + BUDGET_S
        while self._left and time.perf_counter() < until:
            importlib.import_module(self._left.pop(0))
        if not self._left:
            self._step.stop()
            self.finished.emit()


def _plain() -> list[str]:
    # what talks to models takes seconds to load, and few windows ever call one
    uses = [name for name in (*USES, *beneath.USES) if name.startswith("reviewer.services.")]
    return [*(name.partition(":")[0] for name in uses), *PARTS, *_modules(SERVICES)]


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
