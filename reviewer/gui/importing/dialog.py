"""The import dialog from looking at the files to what was taken in and what was refused."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QMessageBox,
    QProgressBar,
    QStackedWidget,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.errors import Progress, refusal
from reviewer.domain.wording import in_percent
from reviewer.gui.importing.plan_view import PlanView
from reviewer.gui.keys_sheet import KeysSheet
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.tables import RowsModel, table_view
from reviewer.gui.kit.tasks import Task, telling
from reviewer.gui.page import Surroundings
from reviewer.services.project import rubrics
from reviewer.services.transfer import column_uses, file_plans, importing
from reviewer.services.transfer.asking import RefusedError
from reviewer.services.transfer.column_uses import AnyMapping
from reviewer.services.transfer.file_plans import Sample
from reviewer.services.transfer.import_report import ImportReport
from reviewer.services.transfer.importing import ImportPlan, ImportRequest

LOOK = "import-look"
IMPORT = "import"
TIDY = "import-tidy"
MOST_ASKED = 4
"""Metrics that a question names."""


@dataclass(frozen=True, slots=True)
class _Look:
    plan: ImportPlan
    sample: Sample


def _look(
    files: tuple[Path, ...],
    project: Path | None,
    mapping: AnyMapping | None,
    answers: tuple[str, ...],
    progress: Progress,
) -> _Look:
    plan = importing.inspect(
        files, project=project, mapping=mapping, answers=answers, progress=progress
    )
    known = column_uses.narrowed(plan.files[0].mapping)
    return _Look(plan, file_plans.sample(files[0], known) if known is not None else Sample())


def _run(target: Path, request: ImportRequest, progress: Progress) -> ImportReport | RefusedError:
    try:
        return importing.run(target, request, progress)
    except RefusedError as error:
        return error


class ImportDialog(QDialog):
    """Plan, progress and result of one import; labelling goes on meanwhile.

    Signals:
        imported: The import has ended well, with the project's path.
        review_requested: The project with this path is to be opened and reviewed.
        work_changed: Progress of the running import as words and a share from 0 to 1 or None.
        work_ended: Nothing of this import runs any more.

    Attributes:
        ending: How it ended while it was out of sight; empty once somebody has looked.
    """

    imported = Signal(object)
    review_requested = Signal(object)
    work_changed = Signal(str, object)
    work_ended = Signal()

    def __init__(
        self,
        surroundings: Surroundings,
        files: Sequence[Path],
        open_project: Path | None,
        parent: QWidget | None = None,
        *,
        labeler: str = "",
    ) -> None:
        """Make the dialog and begin to look at the files; `labeler` may undo the import."""
        super().__init__(parent)
        self._surroundings = surroundings
        self._files = tuple(files)
        several = f"{len(self._files):,} files"
        self._names = self._files[0].name if len(self._files) == 1 else several
        self._labeler = labeler or surroundings.settings.labeler
        self._target: Path | None = None
        self._task: Task | None = None
        self.ending = ""
        self.setWindowTitle("Import results")
        fit(self, surroundings.theme.px(980), surroundings.theme.px(740))
        self._error = pieces.text("", "alert", wrap=True, hidden=True)
        self.plan = PlanView(surroundings.theme, rubrics.shipped(), open_project)
        pieces.connect(
            (self.plan.mapping_changed, self._look),
            (self.plan.answers_changed, lambda: self._look(None)),
            (self.plan.target.changed, self._look_elsewhere),
            (self.plan.failed, self.show_error),
            # what would be refused was counted with the one before
            (self.plan.rubric.currentIndexChanged, lambda _: self.refused.hide()),
            (
                self.plan.rubric_requested,
                lambda rubric: KeysSheet(surroundings.theme, rubric, (), self).show(),
            ),
        )
        self.outcome = ResultView()
        pieces.connect(
            (self.outcome.close_requested, self.close),
            (self.outcome.failed, self.show_error),
            (self.outcome.review_requested, self._review),
        )
        self.start = pieces.Button("Import", self.begin, kind="primary")
        self.start.setEnabled(False)
        self.steps = QStackedWidget()
        self.plan_page = self._plan_page()
        for step in (self.plan_page, self._progress_page(), self.outcome):
            self.steps.addWidget(step)
        layouts.column(self._error, (self.steps, 1), on=self, margins=14, gap=10)
        self._look(None)

    def _plan_page(self) -> QWidget:
        page = QWidget()
        self._state = pieces.text("Looking at the files…", "small")
        self.refused = RefusedCard(lambda: self.begin(allow_refused=True))
        layouts.column(
            self.refused,
            (self.plan, 1),
            layouts.row(self._state, 1, pieces.Button("Cancel", self.close), self.start),
            on=page,
            margins=0,
            gap=12,
        )
        return page

    def _progress_page(self) -> QWidget:
        page = QWidget()
        card = pieces.Card("Importing")
        self._bar = pieces.named(QProgressBar(textVisible=False), "Progress of the import")
        self._bar.setRange(0, 0)
        self._line = pieces.text("", "small", wrap=True)
        words = "You can close this and go on labelling; the line at the bottom shows how it goes."
        layouts.fill(card.body, self._bar, self._line, pieces.text(words, "small", wrap=True))
        layouts.column(
            card,
            1,
            layouts.row(
                1,
                pieces.Button("Continue in the background", self.hide),
                pieces.Button("Cancel the import", self.cancel),
            ),
            on=page,
        )
        return page

    @property
    def is_running(self) -> bool:
        """Tell whether the import itself is going on."""
        return self._task is not None

    @property
    def waits(self) -> str:
        """Say that somebody is to look at it before anything is stored; empty where not."""
        if self.ending and self.steps.currentWidget() is self.plan_page:
            return (
                f"The import of {self._names} has stored nothing and waits for you to look at it."
            )
        return ""

    def show_error(self, sentence: str) -> None:
        """Show an expected error above everything else; empty takes it away."""
        pieces.say(self._error, sentence)

    def begin(self, *, allow_refused: bool = False) -> None:
        """Start the import as decided."""
        with telling(self.show_error):
            target = self.plan.target.path()
            maker = self._surroundings.settings.name_given
            request = replace(
                self.plan.request(),
                labeler=self._labeler,
                maker=maker,
                allow_refused=allow_refused,
            )
            self.show_error("")
            self.refused.hide()
            self._target = target
            self._bar.setRange(0, 0)
            self._line.setText("")
            self.steps.setCurrentIndex(1)
            self._task = self._surroundings.tasks.run(
                IMPORT,
                lambda progress: _run(target, request, progress),
                then=self._finish,
                failed=self._fail,
                loss=f"the import of {self._names}",
            )
            self._task.progressed.connect(self._advance)
            self._task.cancelled.connect(self._stop)

    def cancel(self) -> None:
        """Stop the import; nothing half is left behind."""
        self._line.setText("Stopping…")
        self._surroundings.tasks.cancel(IMPORT)

    def _look_elsewhere(self) -> None:
        """Look again for another target, whose own rubric or proposal is chosen at first."""
        self.plan.forget_rubric()
        self._look(self.plan.editor.mapping if self.plan.is_mapped else None)

    def _look(self, mapping: AnyMapping | None) -> None:
        self._state.setText("Looking at the files…")
        self.refused.hide()
        self.start.setEnabled(False)
        files, project = self._files, self.plan.target.there
        answers = tuple(self.plan.answers)
        self._surroundings.tasks.run(
            LOOK,
            lambda progress: _look(files, project, mapping, answers, progress),
            then=self._show_plan,
            failed=self._refuse,
        )

    def _show_plan(self, look: _Look) -> None:
        self.show_error("")
        self._state.setText("")
        with telling(self.show_error):
            self.plan.show_plan(look.plan, look.sample)
        self.start.setEnabled(not self.plan.is_open)
        if self.plan.is_open:
            self._state.setText("Answer the question above, or say it under Columns and fields.")

    def _refuse(self, sentence: str) -> None:
        self._state.setText("")
        self.start.setEnabled(False)
        self.show_error(sentence)

    def _advance(self, done: int, total: int | None, note: str) -> None:
        share = min(done / total, 1.0) if total else None
        percent = "" if share is None else in_percent(share, 0)
        words = " · ".join(x for x in (percent, note) if x)
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))
        self._line.setText(words)
        self.work_changed.emit(f"Import {words}", share)

    def _finish(self, report: ImportReport | RefusedError) -> None:
        if isinstance(report, RefusedError):
            self._end(0, "Import: nothing stored yet, it asks you something")
            self.refused.ask(report)
            return
        self.outcome.show_report(report)
        refused = f", {report.refused_words} refused" if report.refused_words else ""
        self._end(2, f"Import ended: {report.stored_words}{refused}")
        self.outcome.review.setFocus()
        if report.stored and self._target is not None:
            self.imported.emit(self._target)

    def _end(self, step: int, ending: str) -> None:
        """Show how it ended; out of sight it stays there, as keys may be on their way."""
        self._task = None
        self.ending = "" if self.isVisible() else ending
        self.steps.setCurrentIndex(step)
        self.work_ended.emit()

    def _fail(self, sentence: str) -> None:
        self.show_error(sentence)
        self._end(0, "Import ended: nothing was stored")

    def _stop(self) -> None:
        self._fail("The import was cancelled.")
        target = self._target
        if target is not None and target.is_file():
            # what it left nobody sees; it goes beside whatever is done next
            self._surroundings.tasks.run(TIDY, partial(importing.tidy, target))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Tell no longer how it ended: it is seen."""
        self.ending = ""
        super().showEvent(event)

    def _review(self) -> None:
        self.close()
        if self._target is not None:
            self.review_requested.emit(self._target)

    @override
    def reject(self) -> None:
        """Go on in the background while importing; else go, asking where columns were mapped."""
        editor = self.plan.editor
        mapped = editor.is_changed and not editor.is_kept and self.steps.currentIndex() == 0
        if mapped and self.isVisible():
            title, question = "Import results", "Throw away what you said about the columns?"
            yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
            if QMessageBox.question(self, title, question, yes | no, no) != yes:
                return
        if not self.is_running:
            self._surroundings.tasks.cancel(LOOK)
            self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        super().reject()


class RefusedCard(pieces.Card):
    """Asks whether the rest is to be stored without the values that would be refused."""

    def __init__(self, go_on: Callable[[], object]) -> None:
        """Make the card, hidden; `go_on` stores the rest."""
        super().__init__()
        self._words = pieces.text("", "alert", wrap=True)
        self.rest = pieces.Button("Import the rest without them", go_on)
        layouts.fill(self.body, self._words, layouts.row(self.rest, 1))
        self.hide()

    def ask(self, error: RefusedError) -> None:
        """Say what would be refused, and ask."""
        shown = error.shares[:MOST_ASKED]
        more = len(error.shares) - len(shown)
        words = ["Nothing was stored: many values fit neither this rubric nor this mapping."]
        words += [f"{share.sentence}." for share in shown]
        words += [f"… and {more:,} more metrics."] if more > 0 else []
        words += ["Change something and import again, or leave these values out:"]
        self._words.setText("\n".join(words))
        self.show()
        # on words: no key that was meant for something else answers
        self._words.setFocus()


_COLUMNS = ("file", "place", "field", "value", "reason")


class ResultView(QWidget):
    """Shown when an import has ended.

    Signals:
        review_requested: The imported evaluations are to be reviewed now.
        close_requested: The dialog is to be closed.
        failed: The list of refused rows could not be saved, as a sentence.
    """

    review_requested = Signal()
    close_requested = Signal()
    failed = Signal(str)

    def __init__(self) -> None:
        """Make the view, empty."""
        super().__init__()
        self._rejected_file: Path | None = None
        self._title = pieces.text("", "title")
        self._sentences = pieces.text("", "muted", wrap=True)
        self._counts = layouts.grid(across=28)
        self._model = RowsModel(_COLUMNS)
        self._refused = pieces.text("", "heading")
        self._table = table_view(self._model, "Refused rows and values")
        for place, width in enumerate((150, 130, 130, 200)):
            self._table.setColumnWidth(place, width)
        self._save = pieces.Button("Save the list…", self._ask_where)
        self.review = pieces.Button("Review now", self.review_requested.emit, kind="primary")
        head = layouts.row(self._refused, 1, self._save)
        foot = layouts.row(1, pieces.Button("Close", self.close_requested.emit), self.review)
        card = pieces.Card()
        layouts.fill(card.body, self._title, self._sentences, self._counts)
        self._refused_card = pieces.Card()
        layouts.fill(self._refused_card.body, head, (self._table, 1))
        layouts.column(card, (self._refused_card, 1), 0, foot, on=self, margins=0, gap=10)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Return go on to what was imported."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.review.click()
        else:
            super().keyPressEvent(event)

    def show_report(self, report: ImportReport) -> None:
        """Show what an import did."""
        stored = report.stored_words
        self._title.setText(stored[0].upper() + stored[1:])
        pieces.say(self._sentences, " ".join(report.sentences))
        self._show_counts(report)
        refused = report.rejected + report.rejected_values
        self._refused_card.setVisible(refused > 0)
        shown = len(report.first_rejected)
        more = f", the first {shown:,} below" if shown < refused else ""
        self._refused.setText(f"{report.refused_words} refused{more}")
        self._model.show_rows(
            _COLUMNS,
            [{name: getattr(row, name) for name in _COLUMNS} for row in report.first_rejected],
        )
        self._rejected_file = report.rejected_file
        self._save.setVisible(report.rejected_file is not None)
        self.review.setEnabled(report.stored)

    def _show_counts(self, report: ImportReport) -> None:
        pairs = (
            ("read", report.read),
            ("added", report.added),
            ("updated", report.updated),
            ("unchanged", report.unchanged),
            ("conflicts", report.conflicts),
            ("refused", report.rejected),
            ("scores", report.scores),
            ("labels", report.labels),
        )
        pieces.clear(self._counts)
        for column, (name, count) in enumerate(pairs):
            self._counts.addWidget(pieces.text(name, "small"), 0, column)
            role = "alert" if name in ("conflicts", "refused") and count else "strong"
            self._counts.addWidget(pieces.text(f"{count:,}", role), 1, column)
        self._counts.setColumnStretch(len(pairs), 1)

    def _ask_where(self) -> None:
        if self._rejected_file is None:
            return
        dialog = QFileDialog(
            self,
            "Save the list of refused rows",
            self._rejected_file.name,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
        )
        dialog.fileSelected.connect(self.save_list)
        dialog.open()

    def save_list(self, to: str) -> None:
        """Copy the list of everything that was refused to a file."""
        if self._rejected_file is None:
            return
        try:
            shutil.copyfile(self._rejected_file, to)
        except shutil.SameFileError:
            return
        except OSError as error:
            self.failed.emit(f"The list could not be saved as {to}: {refusal(error)}.")
