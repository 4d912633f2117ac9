"""The Runs page: runs on the left, jobs and sections in the middle, re-evaluating on the right."""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.change import Change
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.background import beside
from reviewer.gui.jobs.job_lines import to_work
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.focus_order import follow_layout
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.tasks import Refresher, telling
from reviewer.gui.page import ProjectPage, ProjectSurroundings
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.compare_section import JUDGE, OPERATIONS, CompareSection
from reviewer.gui.runs.job_cards import JobCards
from reviewer.gui.runs.jobs_section import JobsSection
from reviewer.gui.runs.judges_card import JudgesCard
from reviewer.gui.runs.launch_pane import ENDS, LaunchPane
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.run_section import TABLES, RunSection
from reviewer.gui.runs.runs_card import PageColumns, RunsCard
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.targets_section import TargetsSection
from reviewer.gui.runs.tests_section import TestsSection
from reviewer.gui.runs.trend_section import TrendSection
from reviewer.gui.runs.words import many
from reviewer.gui.sections import Sections
from reviewer.gui.taking_back import take_beside
from reviewer.services.jobs import job_list
from reviewer.services.labelling import undo
from reviewer.services.upkeep import projects

LIST = "runs"
SETTLE_MS = 400
Kind = TypeVar("Kind", bound=RunsSection[Any])
PARTS = ("Runs", "Results", "Re-evaluate")


class RunsPage(ProjectPage):
    """What was imported or made here, by what, and everything to launch and follow jobs."""

    ends = (LIST, JUDGE, OPERATIONS, TABLES, *ENDS)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the page; the newest run is run A."""
        super().__init__(surroundings)
        self._refresher = Refresher(self, self._read, SETTLE_MS)
        self.runs = RunsCard(self.theme)
        self.jobs = JobCards(surroundings)
        self.sections = Sections(surroundings, SECTIONS, "Section", connect=self._connect_section)
        self.run = self.sections.of_kind(RunSection)
        self.cards = tuple(kind(surroundings) for kind in CARDS)
        for card in self.cards:
            surroundings.choices.bring(card.choices)
            self._connect_section(card)
        self.launch = LaunchPane(surroundings)
        gap = pieces.GAP
        left = QWidget()
        layouts.column(self.runs, *self.cards, 1, on=left, margins=0, gap=gap)
        self.middle = QWidget()
        layouts.column(self.jobs, (self.sections, 1), on=self.middle, margins=0, gap=gap)
        self.columns = PageColumns(
            self.theme, (ScrolledColumn(left, "Runs and judges"), self.middle, self.launch), PARTS
        )
        layouts.column(self.columns, on=self, margins=0)
        pieces.connect(
            (self.runs.runs_chosen, self._show_runs),
            (self.runs.import_requested, lambda: self.command_requested.emit("window.import")),
            (self.jobs.failed, self.failed),
            (self.jobs.failures_requested, self.show_failures),
            (self.launch.failed, self.failed),
            (self.launch.noted, self.noted),
            (self.launch.evaluation_requested, self.open_evaluation_requested),
            (self.surroundings.jobs.ended, self._refresher.wish),
            (self.surroundings.jobs.ended, self._score_answers),
            (self.surroundings.jobs.begun, self._show_status),
        )
        bind(self, COMMANDS["runs.undo"], partial(self.take_back, "undo"))
        bind(self, COMMANDS["runs.redo"], partial(self.take_back, "redo"))
        bind(self, COMMANDS["runs.rubric"], self.edit_rubric)
        bind(self, COMMANDS["runs.backup"], self.run.backups.back_up)
        bind(self, COMMANDS["runs.evaluate"], self.ask_what)
        bind(self, COMMANDS["runs.jobs"], lambda: self.bring(JobsSection))
        bind(self, COMMANDS["runs.swap"], self.runs.exchange)
        bind(self, COMMANDS["runs.watch"], lambda: self.bring(MonitorSection).toggle_watching())
        bind(self, COMMANDS["runs.look"], lambda: self.bring(MonitorSection).look_now())

    @override
    def begin(self) -> None:
        """Show the runs, the newest chosen."""
        self.jobs.refresh()
        self._show_runs("", "")
        self._read()

    @override
    def follow(self, change: Change) -> None:
        """Read the runs anew, soon."""
        self._refresher.wish()

    @override
    def close_session(self) -> None:
        """Let nothing come back to the page."""
        super().close_session()
        self.sections.let_go()
        for card in self.cards:
            card.let_go()

    @override
    def panes(self) -> list[QWidget]:
        """Give the runs, the row of sections, what is in view of the run, and the launch pane."""
        shown = self.run.panes() if self.sections.current is self.run else [self.sections.current]
        return [
            self.columns.tabs,
            self.runs.list,
            *self.cards,
            self.sections.row.buttons[0],
            *shown,
            self.launch,
        ]

    @override
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go through the page as it is read, also through what was made late."""
        follow_layout(self)
        return super().focusNextPrevChild(forward)

    def take_back(self, what: str) -> None:
        """Take the labeler's newest action back, or do again what was undone last.

        Beside the window: it may be thousands of scores.
        """
        take_beside(
            self,
            self.surroundings.tasks,
            self.session,
            what,
            then=partial(self._tell_taken, what),
            failed=self.failed,
        )

    def ask_what(self) -> None:
        """Bring the pane on the right into view, and go to its first field."""
        self.columns.bring(self.launch)
        self.launch.form.what.setFocus()

    def edit_rubric(self) -> RubricEditor | None:
        """Open the editor on the rubric of run A."""
        self.bring(RunSection)
        return self.run.edit_rubric()

    @override
    def show_failures(self, job: int) -> None:
        """Show what failed in a job, by its number."""
        self.bring(JobsSection).show_job(job)

    def bring(self, kind: type[Kind]) -> Kind:
        """Bring a section into view, and give it."""
        self.columns.bring(self.middle)
        return self.sections.bring(kind)

    def _connect_section(self, section: RunsSection[Any]) -> None:
        pieces.connect(
            (section.responses_requested, self.evaluations_requested),
            (section.noted, self.noted),
            (section.failed, self.failed),
            (section.command_requested, self.command_requested),
            (section.runs_changed, self._refresher.now),
            (section.section_requested, self._bring),
        )
        if isinstance(section, RunSection | JobsSection):
            section.saved.connect(self.saved)
        if isinstance(section, TestsSection):
            section.bot_requested.connect(self._ask_bot)

    def _tell_taken(self, what: str, taken: undo.Taken | str | None) -> None:
        self.session.poll()
        if isinstance(taken, str):
            self.noted.emit(taken)
            return
        if taken is not None:
            self.saved.emit()
        self.noted.emit(undo.told(what, taken))

    def _read(self) -> None:
        self.surroundings.tasks.run(
            LIST,
            beside(self.session, lambda own, _: projects.list_runs(own.project)),
            then=self._take,
            failed=self.failed,
        )

    def _take(self, found: tuple[projects.RunSummary, ...]) -> None:
        self.jobs.refresh()
        self.launch.refresh()
        self.runs.show_runs(found)
        self._show_status()

    def _show_status(self) -> None:
        parts = [many(len(self.runs.list.rows.keys), "run")]
        if self.surroundings.jobs.jobs:
            parts.append(f"{len(self.surroundings.jobs.jobs)} running")
        self.status_changed.emit(" · ".join(parts))

    def _show_runs(self, a: str, b: str) -> None:
        self.sections.show_fitting(
            [kind.fits(self.session, a) for kind in SECTIONS],
            lambda made: made.show_runs(a, b),
        )
        # after the section has the project: it says at once what the list knows
        self.run.show_summary(self.runs.a)
        for card in self.cards:
            card.setVisible(card.fits(self.session, a))
            card.show_runs(a, b)
        self.launch.show_run(a)

    def _ask_bot(self, tests: str, cases: Sequence[str]) -> None:
        """Let the pane on the right have a bot answer cases of a test set."""
        self.launch.form.ask_tests(tests, cases)
        self.launch.refresh()
        self.ask_what()

    def _score_answers(self, key: int, _: str, state: str, __: str) -> None:
        """Score what a bot has just answered."""
        if state == "done":
            with telling(self.failed.emit):
                for job in job_list.waiting(self.session, key):
                    self.surroundings.jobs.start(to_work(self.session, job.key))

    def _bring(self, title: str) -> None:
        self.columns.bring(self.middle)
        self.sections.bring_title(title)


SECTIONS: tuple[type[RunsSection[Any]], ...] = (
    RunSection,
    CompareSection,
    TrendSection,
    TargetsSection,
    MonitorSection,
    TestsSection,
    JobsSection,
)
"""In the order of the row: Run, A against B, Trend, Targets, Monitor, Test sets, Jobs; each is
made when it is chosen for the first time."""

CARDS: tuple[type[RunsSection[Any]], ...] = (JudgesCard,)
"""What stands below the list of runs, such as the judges on run A. They are sections like those of
the row, in view as long as they fit; one whose `title` is empty says nothing above its cards."""
