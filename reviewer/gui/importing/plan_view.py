"""What an import would do and where it goes, and what the user can decide about it beforehand."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QTabWidget,
    QWidget,
)

from reviewer.domain.errors import ProjectError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.gui.importing.mapping_editor import MappingEditor
from reviewer.gui.importing.mapping_file import MappingFile
from reviewer.gui.importing.question_card import QuestionCard
from reviewer.gui.importing.record_preview import RecordPreview
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.tables import RowsModel, table_view
from reviewer.gui.kit.text import literal
from reviewer.gui.kit.theme import Theme
from reviewer.services.transfer import column_uses
from reviewer.services.transfer.admission import RefusedShare
from reviewer.services.transfer.asking import Question
from reviewer.services.transfer.file_plans import FilePlan, Sample
from reviewer.services.transfer.importing import ImportPlan, ImportRequest

CONFLICTS = (
    ("skip", "keep what is there"),
    ("replace", "replace it; its labels stay and are marked stale"),
    ("version", "keep both, as a new version"),
)
SELECTIONS = (
    ("unknown", "I do not know"),
    ("random", "at random"),
    ("stratum", "at random within groups"),
)
_PROPOSED = "proposed"


class PlanView(QWidget):
    """Recognised format, preview, columns, rubric and choices of one import.

    Signals:
        mapping_changed: The mapping was edited; look at the files again with it.
        answers_changed: A question was answered, or an answer taken back; look again.
        rubric_requested: The chosen rubric is to be shown in full.
        failed: Something could not be saved, as a sentence.
    """

    mapping_changed = Signal(object)
    answers_changed = Signal()
    rubric_requested = Signal(object)
    failed = Signal(str)

    def __init__(
        self, theme: Theme, rubrics: dict[str, Rubric], open_project: Path | None
    ) -> None:
        """Make the view, empty; `rubrics` are those that ship."""
        super().__init__()
        self.answers: list[str] = []
        self.question = QuestionCard()
        self.question.answered.connect(self._take_answer)
        self.question.back_requested.connect(self._take_back)
        self.records = RecordPreview(theme)
        self._rubrics = rubrics
        self._plan: ImportPlan | None = None
        self._title = pieces.ElidedText("", "heading", is_name=True)
        self._reason = pieces.text("", "small", wrap=True)
        self._sentences = pieces.text("", "notice", wrap=True)
        self._problem = pieces.text("", "alert", wrap=True)
        self._preview = RowsModel()
        self.editor = MappingEditor(self)
        self.editor.mapping_changed.connect(self.mapping_changed)
        self.editor.problem_found.connect(self._show_problem)
        self.mapping_file = MappingFile(self.editor)
        self.mapping_file.failed.connect(self.failed)
        self._tabs = QTabWidget(documentMode=True)
        self._tabs.addTab(self.records, "As on Review")
        self._tabs.addTab(table_view(self._preview, "Preview"), "Preview")
        self.target = TargetChoice(open_project)
        self.rubric = ChoiceBox()
        self.run = QLineEdit(placeholderText="named in the records, else after the file")
        self.conflict = _choice(CONFLICTS)
        self.selection = _choice(SELECTIONS)
        self._metrics = pieces.text("", "small", wrap=True)
        self._missing = pieces.text("", "alert", wrap=True, hidden=True)
        self._rubric_by_hand = False
        self.rubric.activated.connect(self._note_rubric)
        self.rubric.currentIndexChanged.connect(lambda _: self._show_metrics())
        self._decisions = self._lower()
        layouts.column(
            self.question, (self._upper(), 1), self._decisions, on=self, margins=0, gap=10
        )

    def _upper(self) -> QWidget:
        card = pieces.Card()
        layouts.fill(
            card.body,
            layouts.row((self._title, 1), self.mapping_file),
            self._reason,
            self._sentences,
            self._problem,
        )
        self._problem.hide()
        card.body.addWidget(self._tabs, 1)
        return card

    def _lower(self) -> pieces.Card:
        card = pieces.Card()
        grid = layouts.grid(across=18, down=7, stretch={1: 1})
        show = pieces.Button("Show", self._show_rubric, dense=True, name="Show the rubric")
        rubric = layouts.row((self.rubric, 1), show, gap=8)
        lines: tuple[tuple[str, QWidget | QHBoxLayout | QGridLayout], ...] = (
            ("Into", self.target),
            ("Rubric", rubric),
            ("", self._metrics),
            ("", self._missing),
            ("", self._choices()),
        )
        for row, (title, content) in enumerate(lines):
            grid.addWidget(pieces.text(title, "muted"), row, 0)
            if isinstance(content, QWidget):
                grid.addWidget(content, row, 1)
            else:
                grid.addLayout(content, row, 1)
        for widget, name in (
            (self.rubric, "Rubric"),
            (self.run, "Name of the run"),
            (self.conflict, "If a record is there with other content"),
            (self.selection, "How the labelled evaluations were chosen"),
        ):
            widget.setAccessibleName(name)
        card.body.addLayout(grid)
        return card

    def _choices(self) -> QGridLayout:
        """Put the three further choices side by side under their names."""
        grid = layouts.grid(margins=(0, 6, 0, 0), across=18, down=4)
        titles = (
            "Run",
            "Where a record exists with other content",
            "The labelled ones were chosen",
        )
        controls = (self.run, self.conflict, self.selection)
        for place, (title, control) in enumerate(zip(titles, controls, strict=True)):
            grid.setColumnStretch(place, 1)
            grid.addWidget(pieces.text(title, "small"), 0, place)
            grid.addWidget(control, 1, place)
        return grid

    def show_plan(self, plan: ImportPlan, sample: Sample) -> None:
        """Show what was found in the files; choices already made stay.

        `sample` holds the first file's own columns where it needs a mapping.
        """
        first_time = self._plan is None
        self._plan = plan
        first = plan.files[0]
        names = ", ".join(x.file.name for x in plan.files)
        self._title.setText(f"{names} — {first.title}")
        self._reason.setText(first.reason)
        pieces.say(self._sentences, "\n".join(plan.sentences))
        # the record that the question is about has the room until it is answered
        self._decisions.setVisible(not self.is_open)
        if self.is_mapped:
            self.question.hide()
        else:
            self.question.ask(self._questions(), len(self.answers))
        self.records.show_previews(first.previews)
        self._preview.show_rows(first.columns, first.rows)
        self._tabs.setTabText(1, f"Table of the first {len(first.rows)}")
        self._show_mapping(first, sample, first_time=first_time)
        if first_time:
            self.target.propose(first.file)
            self.run.setEnabled(len(plan.files) == 1)
        self._fill_rubrics(plan)

    def _show_mapping(self, file: FilePlan, sample: Sample, *, first_time: bool) -> None:
        mapping = column_uses.narrowed(file.mapping)
        self.mapping_file.offer(file.file, shown=mapping is not None)
        if mapping is None:
            return
        if not self.is_mapped:
            self.editor.show_mapping(mapping, sample.columns, sample.rows)
        self.editor.show_problems(file.rejected)
        if first_time:
            self._tabs.addTab(self.editor.area, "Columns and fields")
            self._tabs.addTab(self.editor.text, "Mapping as text")

    @property
    def is_mapped(self) -> bool:
        """Tell whether somebody said by hand what the columns are: that answers all."""
        return self.editor.is_changed

    @property
    def is_open(self) -> bool:
        """Tell whether questions are open."""
        return not self.is_mapped and bool(self._questions())

    def _questions(self) -> list[Question]:
        files = self._plan.files if self._plan is not None else ()
        return [question for file in files for question in file.questions]

    def _take_answer(self, answer: str) -> None:
        # a double click answers once
        if answer not in self.answers:
            self.answers.append(answer)
        self.answers_changed.emit()

    def _take_back(self) -> None:
        # a double click may find nothing more to take back
        del self.answers[-1:]
        self.answers_changed.emit()

    def request(self) -> ImportRequest:
        """Give the import as the user decided it.

        Raises:
            TypeError: No plan was shown yet.
        """
        if self._plan is None:
            raise TypeError("there is no plan to carry out")
        chosen = self.rubric.currentData()
        request = self._plan.request()
        return replace(
            request,
            mapping=self.editor.mapping or request.mapping,
            answers=tuple(self.answers),
            rubric=None if chosen == _PROPOSED else self._rubric_named(chosen),
            run=self.run.text().strip() or None,
            on_conflict=self.conflict.currentData(),
            selection=self.selection.currentData(),
        )

    def chosen_rubric(self) -> Rubric | None:
        """Give the rubric that the combo box shows."""
        chosen = self.rubric.currentData()
        proposed = self._plan.rubric if self._plan else None
        return proposed if chosen == _PROPOSED else self._rubric_named(chosen)

    def _rubric_named(self, name: str | None) -> Rubric | None:
        if self._plan and self._plan.rubric and self._plan.rubric.name == name:
            return self._plan.rubric
        return self._rubrics.get(name or "")

    def forget_rubric(self) -> None:
        """Choose anew what fits the next plan."""
        self._rubric_by_hand = False

    def _note_rubric(self) -> None:
        self._rubric_by_hand = True

    def _fill_rubrics(self, plan: ImportPlan) -> None:
        # what nobody chose follows the plan, as columns get another meaning
        chosen = self.rubric.currentData() if self._rubric_by_hand else None
        with pieces.quiet(self.rubric):
            self.rubric.clear()
            if plan.rubric is not None:
                title = f"Proposed from the values: {plan.rubric.name}"
                name = _PROPOSED if plan.proposed else plan.rubric.name
                self.rubric.addItem(title if plan.proposed else plan.rubric.name, name)
            for name in sorted(self._rubrics, key=lambda x: (x not in plan.fitting, x)):
                if self.rubric.findData(name) < 0:
                    self.rubric.addItem(f"{name}{_lacking(self._rubrics[name], plan)}", name)
            self.rubric.setCurrentIndex(max(0, self.rubric.findData(chosen)))
        self._show_metrics()

    def _show_metrics(self) -> None:
        rubric = self.chosen_rubric()
        words = (
            " · ".join(_metric_words(x) for x in rubric.metrics) if rubric else "no metrics yet"
        )
        self._metrics.setText(words)
        seen = self._plan.metrics if self._plan else ()
        missing = [x for x in seen if rubric is not None and x not in rubric.by_name]
        unfit = self._plan.unfit(rubric) if self._plan and rubric else ()
        said = (_missing_words(missing) if missing else "", _unfit_words(unfit))
        pieces.say(self._missing, "\n".join(x for x in said if x))

    def _show_rubric(self) -> None:
        rubric = self.chosen_rubric()
        if rubric is not None:
            self.rubric_requested.emit(rubric)

    def _show_problem(self, sentence: str) -> None:
        pieces.say(self._problem, sentence)


def _choice(entries: tuple[tuple[str, str], ...]) -> QComboBox:
    combo = ChoiceBox()
    for name, title in entries:
        combo.addItem(title, name)
    return combo


def _metric_words(metric: Metric) -> str:
    bounds = metric.bounds
    if bounds is None:
        return metric.heading
    return f"{metric.heading} {bounds[0]:g} to {bounds[1]:g}"


NAMED = 6
SHOWN = 3


def _lacking(rubric: Rubric, plan: ImportPlan) -> str:
    """Say in short why a rubric that is offered would refuse something."""
    if rubric.name not in plan.fitting:
        return " (not all metrics)"
    return " (not all values)" if plan.unfit(rubric) else ""


def _unfit_words(unfit: Sequence[RefusedShare]) -> str:
    if not unfit:
        return ""
    said = [f"{share.sentence}." for share in unfit[:SHOWN]]
    said += [f"… and {len(unfit) - SHOWN:,} more metrics."] if len(unfit) > SHOWN else []
    return "\n".join(("Not on this rubric's scales, in the first rows:", *said))


def _missing_words(missing: Sequence[str]) -> str:
    more = f" and {len(missing) - NAMED:,} more" if len(missing) > NAMED else ""
    names = ", ".join(missing[:NAMED])
    return (
        f"Not in this rubric: {names}{more}. Their scores and labels would be refused; choose "
        "another rubric, or a new project."
    )


SUFFIX = ".review"


class TargetChoice(QWidget):
    """Two radio buttons and the new project's file name.

    Signals:
        changed: The open project was chosen, or a new one.
    """

    changed = Signal()

    def __init__(self, open_project: Path | None) -> None:
        """Make the choice; without an open project only a new one is offered."""
        super().__init__()
        self._open = open_project
        self.existing = QRadioButton(literal(open_project.name) if open_project else "")
        self.existing.setVisible(open_project is not None)
        self.fresh = QRadioButton("a new project")
        self.field = pieces.named(QLineEdit(), "File of the new project")
        self._browse = pieces.Button("Choose…", self._ask_where, dense=True)
        group = QButtonGroup(self)
        for button in (self.existing, self.fresh):
            group.addButton(button)
        (self.existing if open_project else self.fresh).setChecked(True)
        self.fresh.setVisible(open_project is not None)
        self.fresh.toggled.connect(lambda _: self._adapt())
        layouts.row(self.existing, self.fresh, (self.field, 1), self._browse, on=self, margins=0)
        self._adapt()

    def propose(self, source: Path) -> None:
        """Propose a new project's file beside the source, else in the documents folder."""
        folder = source.absolute().parent
        if not os.access(folder, os.W_OK):
            where = QStandardPaths.StandardLocation.DocumentsLocation
            folder = Path(QStandardPaths.writableLocation(where) or Path.home())
        stem = source.name.split(".")[0] or "project"
        self.field.setText(str(_free(folder, stem)))

    @property
    def there(self) -> Path | None:
        """Give the project that is there already, None for a new one."""
        return self._open if self.existing.isChecked() else None

    def path(self) -> Path:
        """Give the project file to import into.

        Raises:
            ProjectError: No file is named, or a new project's file exists already.
        """
        if self.there is not None:
            return self.there
        words = self.field.text().strip()
        if not words:
            raise ProjectError("Name the file of the new project.")
        path = Path(words).expanduser()
        path = path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)
        if path.exists():
            raise ProjectError(f"{path} exists already; open it first, or name another file.")
        return path

    def _adapt(self) -> None:
        pieces.show(self.field, self._browse, shown=self.fresh.isChecked())
        self.changed.emit()

    def _ask_where(self) -> None:
        dialog = QFileDialog(
            self,
            "New project",
            self.field.text(),
            f"Projects (*{SUFFIX})",
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix=SUFFIX.lstrip("."),
        )
        dialog.fileSelected.connect(self.field.setText)
        dialog.open()


def _free(folder: Path, stem: str) -> Path:
    number, path = 1, folder / f"{stem}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{SUFFIX}"
    return path
