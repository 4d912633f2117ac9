"""The section on run A: facts, whose scores count, categories, rubric, imports, backups."""

from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.backups_card import BackupsCard
from reviewer.gui.runs.carry_card import CarryCard
from reviewer.gui.runs.details_view import DetailsView
from reviewer.gui.runs.imports_card import ImportsCard
from reviewer.gui.runs.records_card import RecordsCard
from reviewer.gui.runs.rubric_card import RubricCard
from reviewer.gui.runs.section import Reading, RunsSection
from reviewer.gui.runs.words import many
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import RunRecords, Wish
from reviewer.services.project.session import Session
from reviewer.services.transfer import carrying, importing, run_details
from reviewer.services.transfer.run_details import RunDetails
from reviewer.services.upkeep import projects

UNDO, CARRY, NAME = "undo import", "carry labels", "name record"


class Found(NamedTuple):
    """What is read of a run."""

    details: RunDetails
    records: RunRecords


class RunSection(RunsSection):
    """Everything the project holds of one run, and what keeps it safe.

    Signals:
        saved: Something was stored just now.
    """

    title = "Run"
    saved = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._editor: RubricEditor | None = None
        self._summary: projects.RunSummary | None = None
        self.details = DetailsView(surroundings)
        self.records = RecordsCard(surroundings)
        self.rubric = RubricCard(self.theme)
        self.imports = ImportsCard(surroundings)
        self.carry = CarryCard(self.theme)
        self.backups = BackupsCard(surroundings)
        self.details.put_below_head(self.records)
        for part in (self.details, self.carry, self.rubric, self.imports, self.backups):
            self.body.addWidget(part)
        self.records.wished.connect(self.name_version)
        self.rubric.edit_requested.connect(self.edit_rubric)
        self.imports.undo_requested.connect(self.undo_import)
        self.carry.carry_requested.connect(self.carry_labels)
        self.backups.failed.connect(self.failed)
        self.backups.noted.connect(self.noted)

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Say something about every project: it has backups."""
        return session is not None and run is not None

    def show_summary(self, summary: projects.RunSummary | None) -> None:
        """Show at once what the list knows of run A; the rest follows."""
        self._summary = summary
        self.details.setVisible(summary is not None)
        self.imports.setVisible(summary is not None)
        self.rubric.show_rubric(self._rubric())
        if summary is not None:
            self.details.show_run(summary)

    @override
    def show_runs(self, session: Session, run: str, other: str = "") -> None:
        """Take run A."""
        fresh = self.session is not session
        super().show_runs(session, run, other)
        if fresh:
            self.backups.open(session)
        else:
            self.backups.refresh()

    @override
    def reading(self, run: str) -> Reading | None:
        """Read the details of a run, and whose scores count in it."""
        if not run:
            return None
        return lambda own, _: Found(
            run_details.of_run(own.project, run), run_records.of_run(own, run)
        )

    @override
    def show_found(self, found: object) -> None:
        """Show the details."""
        if self.session is None or not isinstance(found, Found):
            return
        details, records = found
        self.details.show_details(details, self._rubric())
        self.details.show_records(records)
        self.records.show_records(records)
        writable = not self.session.project.read_only
        self.imports.show_imports(details.imports, writable=writable, places=self._places)
        self.carry.show_offers(details.offers, writable=writable)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self.backups.open(None)
        self.records.forget()
        if self._editor is not None:
            self._editor.deleteLater()
            self._editor = None
        self.show_summary(None)

    def panes(self) -> list[QWidget]:
        """Give the parts that F6 goes through."""
        return [self.records, self.details.categories, self.rubric, self.imports, self.backups]

    def edit_rubric(self) -> RubricEditor | None:
        """Open the editor on the run's rubric; an open one comes to the front."""
        rubric = self._rubric()
        if self.session is None or rubric is None:
            return None
        if self._editor is not None:
            self._editor.raise_()
            self._editor.activateWindow()
            return self._editor
        self._editor = RubricEditor(self.theme, self.session, rubric, self)
        self._editor.kept.connect(self._note_kept)
        self._editor.destroyed.connect(self._drop_editor)
        self._editor.show()
        return self._editor

    def _places(self, number: int) -> str:
        session = self.session
        return "" if session is None else importing.places_to_lose(session.project, number)

    def undo_import(self, number: int) -> None:
        """Take an import back in the background."""
        if self.session is None:
            return
        work = beside(self.session, lambda own, _: importing.undo_import(own.project, number))
        task = self.surroundings.tasks.run(UNDO, work)
        task.finished.connect(self._take_undone)
        task.failed.connect(self.failed)

    def name_version(self, wish: Wish) -> None:
        """Let a version count, beside the window; undo brings back what counted before."""
        if self.session is None:
            return
        self.records.wait()
        work = beside(self.session, lambda own, _: run_records.name(own, wish))
        task = self.surroundings.tasks.run(NAME, work)
        task.finished.connect(self._take_undone)
        task.finished.connect(lambda _: self.saved.emit())
        task.failed.connect(self._take_refused)

    def _take_refused(self, sentence: str) -> None:
        """Say why nothing was named, and show what stands."""
        self.failed.emit(sentence)
        self.recompute()

    def carry_labels(self, source: str) -> None:
        """Copy a run's labels to identical texts of this one, in the background."""
        session, run = self.session, self.run
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

    def _rubric(self) -> Rubric | None:
        if self.session is None:
            return None
        try:
            # before the list has come, the newest run counts as chosen
            return (
                self.session.rubric(self._summary.rubric)
                if self._summary
                else self.session.current_rubric()
            )
        except ReviewerError as error:
            if self._summary is not None:
                self.failed.emit(str(error))
            return None

    def _take_undone(self, sentence: object) -> None:
        self.noted.emit(str(sentence))
        if self.session is not None:
            self.session.poll()
            self.runs_changed.emit()

    def _note_kept(self, rubric: Rubric) -> None:
        self.saved.emit()
        self.noted.emit(f"Kept version {rubric.version} of {rubric.name}.")

    def _drop_editor(self) -> None:
        self._editor = None
