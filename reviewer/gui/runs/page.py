"""The Runs page: the list of runs, the chosen one, its rubric, imports and backups."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from reviewer.domain.change import Change
from reviewer.domain.errors import ReviewerError
from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.gui import pieces
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.grid import Cell, Column, GridView
from reviewer.gui.own_session import beside
from reviewer.gui.page import Page, Surroundings
from reviewer.gui.refreshing import Refresher
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.backups_card import BackupsCard
from reviewer.gui.runs.carry_card import CarryCard
from reviewer.gui.runs.details_view import DetailsView
from reviewer.gui.runs.imports_card import ImportsCard
from reviewer.gui.runs.rubric_card import RubricCard
from reviewer.gui.runs.words import many, percent, run_line
from reviewer.gui.scrolling import ScrolledColumn
from reviewer.gui.text import one_line
from reviewer.services import carrying, importing, projects, run_details
from reviewer.services.projects import RunSummary
from reviewer.services.run_details import RunDetails
from reviewer.services.session import Session

LIST, DETAILS, UNDO, CARRY = "runs", "run details", "undo import", "carry labels"
SETTLE_MS = 400
_COLUMNS = (
    Column("run"),
    Column("n", 48, number=True, tip="Evaluations.", drop=2),
    Column("labelled", 60, number=True, tip="Evaluations with at least one label.", drop=3),
    Column("pass", 58, number=True, tip="Share that passes by the judge's scores."),
)


class RunsPage(Page):
    """What was imported, by what it was scored, and what keeps it safe."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the page empty."""
        super().__init__(surroundings)
        self._session: Session | None = None
        self._leave: Callable[[], None] = lambda: None
        self._runs: dict[str, RunSummary] = {}
        self._editor: RubricEditor | None = None
        self._refresher = Refresher(self, self._read, SETTLE_MS)
        self.list = GridView(self.theme, _COLUMNS, "Runs")
        self.details = DetailsView(surroundings)
        self.rubric = RubricCard(self.theme)
        self.imports = ImportsCard(surroundings)
        self.carry = CarryCard(self.theme)
        self.backups = BackupsCard(surroundings)
        self.add = pieces.Button(
            "Import…", lambda: self.command_requested.emit("window.import"), dense=True
        )
        self.empty = pieces.text("", "muted", wrap=True)
        self._lay_out()
        self._connect()
        bind(self, COMMANDS["runs.rubric"], self.edit_rubric)
        bind(self, COMMANDS["runs.backup"], self.backups.back_up)

    @override
    def open(self, session: Session) -> None:
        """Show a project's runs, the newest chosen."""
        self._session = session
        self._leave = session.subscribe(self._on_change)
        self.backups.open(session)
        self._read()

    @override
    def close_session(self) -> None:
        """Let go of the project."""
        self._leave()
        self._leave = lambda: None
        self._session = None
        self._refresher.forget()
        for kind in (LIST, DETAILS):
            self.surroundings.tasks.cancel(kind)
        if self._editor is not None:
            self._editor.deleteLater()
            self._editor = None
        self._runs = {}
        self.list.show_rows([])
        self._show_chosen(None)

    @override
    def panes(self) -> list[QWidget]:
        """Give list, details, rubric and backups."""
        return [self.list, self.details.categories, self.rubric, self.imports, self.backups]

    def edit_rubric(self) -> RubricEditor | None:
        """Open the editor on the chosen run's rubric; an open one comes to the front."""
        rubric = self._chosen_rubric()
        if self._session is None or rubric is None:
            return None
        if self._editor is not None:
            self._editor.raise_()
            self._editor.activateWindow()
            return self._editor
        self._editor = RubricEditor(self.theme, self._session, rubric, self)
        self._editor.kept.connect(self._note_kept)
        self._editor.destroyed.connect(self._drop_editor)
        self._editor.show()
        return self._editor

    def undo_import(self, number: int) -> None:
        """Take an import back in the background."""
        if self._session is None:
            return
        work = beside(self._session, lambda own, _: importing.undo_import(own.project, number))
        task = self.surroundings.tasks.run(UNDO, work)
        task.finished.connect(self._take_undone)
        task.failed.connect(self.failed)

    def carry_labels(self, source: str) -> None:
        """Copy a run's labels to identical texts of the chosen one, in the background."""
        session, run = self._session, str(self.list.chosen())
        if session is None:
            return
        labeler = session.labeler.name

        def work(own: Session, progress: Progress) -> str:
            report = carrying.carry(
                own.project, run=run, source=source, labeler=labeler, progress=progress
            )
            return f"{many(report.labels, 'label')} carried over from {source}."

        task = self.surroundings.tasks.run(CARRY, beside(session, work))
        task.finished.connect(self._take_undone)
        task.failed.connect(self.failed)

    def _lay_out(self) -> None:
        gap = pieces.GAP
        runs = pieces.Card("Runs")
        runs.head.addWidget(self.add)
        runs.body.addWidget(self.empty)
        runs.body.addWidget(self.list, 1)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(gap)
        for card in (self.rubric, self.carry, self.imports, self.backups):
            column.addWidget(card)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(gap, gap, gap, gap)
        row.setSpacing(gap)
        row.addWidget(runs, 36)
        row.addWidget(ScrolledColumn(self.details, "Details of the run"), 56)
        row.addWidget(ScrolledColumn(side, "Rubric, imports and backups"), 34)

    def _connect(self) -> None:
        self.list.row_chosen.connect(self._show_chosen)
        self.rubric.edit_requested.connect(self.edit_rubric)
        self.imports.undo_requested.connect(self.undo_import)
        self.carry.carry_requested.connect(self.carry_labels)
        self.backups.failed.connect(self.failed)
        self.backups.noted.connect(self.noted)

    def _on_change(self, _: Change) -> None:
        self._refresher.wish()

    def _read(self) -> None:
        if self._session is None:
            return
        work = beside(self._session, lambda own, _: projects.list_runs(own.project))
        task = self.surroundings.tasks.run(LIST, work)
        task.finished.connect(self._show_runs)
        task.failed.connect(self.failed)

    def _show_runs(self, found: object) -> None:
        if self._session is None or not isinstance(found, tuple):
            return
        self._runs = {run.name: run for run in reversed(found)}
        self.list.show_rows([(name, _cells(run)) for name, run in self._runs.items()])
        self.empty.setVisible(not self._runs)
        self.empty.setText("Nothing is imported yet. Import results, or drop a file here.")
        evaluations = sum(run.evaluations for run in self._runs.values())
        self.status_changed.emit(
            f"{many(len(self._runs), 'run')} · {many(evaluations, 'evaluation')}"
        )
        if self.list.chosen() is None and self._runs:
            self.list.choose(next(iter(self._runs)))
        else:
            self._show_chosen(self.list.chosen())
        self.backups.refresh()

    def _show_chosen(self, name: object) -> None:
        run = self._runs.get(str(name))
        session = self._session
        self.details.setVisible(run is not None)
        self.imports.setVisible(run is not None)
        self.rubric.show_rubric(self._chosen_rubric())
        if run is None or session is None:
            return
        self.details.show_run(run)
        work = beside(session, lambda own, _: run_details.of_run(own.project, run.name))
        task = self.surroundings.tasks.run(DETAILS, work)
        task.finished.connect(self._show_details)
        task.failed.connect(self.failed)

    def _show_details(self, details: object) -> None:
        if self._session is None or not isinstance(details, RunDetails):
            return
        self.details.show_details(details, self._chosen_rubric())
        writable = not self._session.project.read_only
        self.imports.show_imports(details.imports, writable=writable)
        self.carry.show_offers(details.offers, writable=writable)

    def _chosen_rubric(self) -> Rubric | None:
        run = self._runs.get(str(self.list.chosen()))
        if self._session is None:
            return None
        try:
            # before the list has come, the newest run counts as chosen
            return self._session.rubric(run.rubric) if run else self._session.current_rubric()
        except ReviewerError as error:
            self.failed.emit(str(error))
            return None

    def _take_undone(self, sentence: object) -> None:
        self.noted.emit(str(sentence))
        if self._session is not None:
            self._session.poll()
            self._refresher.now()

    def _note_kept(self, rubric: Rubric) -> None:
        self.saved.emit()
        self.noted.emit(f"Kept version {rubric.version} of {rubric.name}.")

    def _drop_editor(self) -> None:
        self._editor = None


def _cells(run: RunSummary) -> tuple[Cell, ...]:
    reason = "" if run.pass_rate is not None else "The rubric has no pass rule."
    return (
        Cell(one_line(run.name, 80), tip=run.name, below=run_line(run)),
        Cell(f"{run.evaluations:,}"),
        Cell(f"{run.labelled:,}"),
        Cell(percent(run.pass_rate), tip=reason),
    )
