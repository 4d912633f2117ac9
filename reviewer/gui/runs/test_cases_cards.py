"""The cases of a test set: their results in every run, what its check found, what was refused."""

import re
from collections.abc import Hashable, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from reviewer.domain.case_set import Fields, question_of
from reviewer.domain.wording import fixed
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many, percent
from reviewer.services.testing import sets
from reviewer.services.testing.checking import Finding
from reviewer.services.testing.results import Across, RunResults
from reviewer.services.testing.results import Cell as Result
from reviewer.services.testing.sets import Added
from reviewer.services.transfer.import_report import RejectedRow

ROWS, TYPED_MS = 11, 200
HEADING = 13
"""Letters of a run's name above its column."""
FIXED = 2
"""Columns before those of the runs."""
LONGEST = 300
HINT = "such as complexity=hard tag:parking pool"
NO_RUN = "No run holds any of these cases yet; let a bot answer them."
HELD = "Not told before you have answered it yourself."


class CasesCard(pieces.Card):
    """A filter, the table, and what the runs come to.

    Signals:
        narrowed: Other cases are in view.
        evaluation_requested: A result is to be opened on Review, by its evaluation's key.
        case_requested: A case is to be changed, by its id.
        metric_changed: Other scores are wanted.
    """

    narrowed = Signal()
    evaluation_requested = Signal(int)
    case_requested = Signal(str)
    metric_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card without cases."""
        super().__init__("Cases")
        self._theme = theme
        self._across: Across | None = None
        self._only: tuple[str, ...] = ()
        self.shown: tuple[Fields, ...] = ()
        self.count = pieces.text("", "small", name="Cases in view")
        self.head.addWidget(self.count)
        self.filter = pieces.named(
            QLineEdit(placeholderText=HINT, clearButtonEnabled=True), "Filter of the cases"
        )
        self.scores = number_field.choice("Scores in the table")
        self.body.addLayout(layouts.row((self.filter, 3), (self.scores, 2)))
        self.only = QWidget()
        self.which = pieces.ElidedText("", "small")
        layouts.row(
            (self.which, 1),
            pieces.Button("Show every case", self.show_all, dense=True),
            on=self.only,
            margins=0,
        )
        self._runs: tuple[str, ...] = ()
        self.table = self._made(())
        self.note = pieces.text("", "small", wrap=True, name="What the runs come to")
        self.unstable = pieces.Button("", self._show_unstable, kind="link")
        layouts.fill(self.body, self.only, self.table, self.note, self.unstable)
        self._soon = soon(self, self._refresh, TYPED_MS)
        pieces.connect(
            (self.filter.textChanged, lambda _: self._soon.start()),
            (self.scores.currentIndexChanged, lambda _: self.metric_changed.emit()),
        )

    def show_cases(self, across: Across) -> None:
        """Show a test set with its results."""
        if self._across is None or self._across.tests.name != across.tests.name:
            self._only = ()
        self._across = across
        number_field.offer(self.scores, "Overall", across.metrics)
        self.scores.setVisible(bool(across.runs))
        names = tuple(run.run for run in across.runs)
        if names != self._runs:
            self._runs = names
            place = self.body.indexOf(self.table)
            pieces.discard(self.table)
            self.table = self._made(across.runs)
            self.body.insertWidget(place, self.table)
        self._refresh()

    def show_only(self, ids: Sequence[str], words: str) -> None:
        """Show some cases alone, and say which."""
        self._only = tuple(ids)
        self.which.setText(words)
        self.filter.clear()
        self._refresh()

    def show_all(self) -> None:
        """Show every case."""
        self._only = ()
        self.filter.clear()
        self._refresh()

    def narrow(self, text: str) -> None:
        """Filter by a text, as if it were typed."""
        self._only = ()
        self.filter.setText(text)
        self._refresh()

    def _made(self, runs: Sequence[RunResults]) -> GridView:
        columns = [Column("case"), Column("kind", 108, drop=50)]
        for age, run in enumerate(reversed(runs)):
            tip = one_line(run.run, 200)
            columns.append(Column(_short(run.run), 84, number=True, tip=tip, drop=age))
        table = GridView(self._theme, columns, "Cases with their results in every run", most=ROWS)
        pieces.connect(
            (table.clicked, self._click),
            (table.activated, self._open),
        )
        return table

    def _refresh(self) -> None:
        self._soon.stop()
        across = self._across
        if across is None:
            return
        found = sets.filtered(across.tests.cases, self.filter.text())
        if self._only:
            found = [case for case in found if case["id"] in self._only]
        self.shown = tuple(found)
        self.only.setVisible(bool(self._only))
        whole = len(across.tests.cases)
        part = len(found) < whole
        self.count.setText(f"{len(found):,} of {whole:,}" if part else f"{whole:,}")
        self.table.show_rows([(str(case["id"]), self._cells(case, across)) for case in found])
        self.note.setText(_note(across))
        unstable = across.unstable()
        self.unstable.setText(f"{many(len(unstable), 'case')} with another verdict in another run")
        self.unstable.setVisible(bool(unstable))
        self.narrowed.emit()

    def _cells(self, case: Fields, across: Across) -> list[Cell]:
        id_, question = str(case["id"]), one_line(question_of(case), LONGEST)
        category = one_line(str(case.get("category") or "no category"), 60)
        first = Cell(one_line(id_, 60), tip=question, below=question)
        kind = Cell(sets.complexity_of(case), below=category)
        results = [_result(run.cells.get(id_)) for run in reversed(across.runs)]
        return [first, kind, *results]

    def _show_unstable(self) -> None:
        if self._across is not None:
            self.show_only(self._across.unstable(), "Cases with another verdict in another run")

    def _cell_at(self, index: QModelIndex) -> Result | None:
        if self._across is None or index.column() < FIXED:
            return None
        return tuple(reversed(self._across.runs))[index.column() - FIXED].cells.get(
            self._key(index)
        )

    def _key(self, index: QModelIndex) -> str:
        key: Hashable = self.table.rows.keys[index.row()]
        return str(key)

    def _click(self, index: QModelIndex) -> None:
        found = self._cell_at(index)
        if found is not None:
            self.evaluation_requested.emit(found.evaluation)

    def _open(self, index: QModelIndex) -> None:
        if index.column() < FIXED:
            self.case_requested.emit(self._key(index))
        else:
            self._click(index)


def _short(name: str) -> str:
    """Give the end of a run's name, which tells runs apart where they begin with a date."""
    line = one_line(name, 200)
    if len(line) <= HEADING:
        return line
    end = line[-HEADING:]
    return "…" + (end.partition(" ")[2] or end)


def _result(found: Result | None) -> Cell:
    if found is None:
        return Cell("—", "muted", tip="The run does not hold this case.", below=" ")
    if found.held:
        return Cell("hidden", "muted", tip=HELD, below=" ")
    verdict = {True: "pass", False: "▼ fail", None: " "}[found.passed]
    if found.overall is None:
        words, tip = ("error", "An error instead of a response.") if found.failed else (
            "answered", "Answered, and not scored by this.")  # fmt: skip
        return Cell(words, "alert" if found.failed else "muted", tip=tip, below=verdict)
    role = "alert" if found.passed is False else ""
    return Cell(fixed(found.overall), role, tip="Click to open it on Review.", below=verdict)


def _note(across: Across) -> str:
    if not across.runs:
        return NO_RUN
    said = []
    for run in reversed(across.runs):
        parts = []
        if run.judged:
            parts.append(f"{percent(run.passed / run.judged)} pass ({run.passed} of {run.judged})")
        if run.mean is not None:
            parts.append(f"mean {fixed(run.mean)}")
        parts.append(f"n {len(run.cells):,}")
        said.append(f"{one_line(run.run, 40)}: {', '.join(parts)}")
    left = f" {many(across.left_out, 'older run')} left out." if across.left_out else ""
    return " · ".join(said) + "." + left


REJECTED_ROWS = 6
_COLUMNS = (
    Column("place", 100, tip="Where in the file."),
    Column("field", 90),
    Column("found", 130),
    Column("why"),
)


class RejectedCard(pieces.Card):
    """Line, field, value and reason of each; hidden where everything was taken."""

    def __init__(self, theme: Theme) -> None:
        """Make the card; it is hidden until something was not taken."""
        super().__init__("Not taken")
        self.sentence = pieces.text("", "muted", wrap=True)
        self.head.addWidget(pieces.Button("Close", self.hide, dense=True))
        self.table = GridView(
            theme, _COLUMNS, "Rows and values that were not taken", most=REJECTED_ROWS
        )
        layouts.fill(self.body, self.sentence, self.table)

    def show_rejected(self, told: Added) -> None:
        """Show what of a file was not taken."""
        rows = told.rejected
        values = len(rows) - told.rejected_rows
        parts = [many(told.rejected_rows, "row")] if told.rejected_rows else []
        parts += [f"{many(values, 'single value')} of cases that were kept"] if values else []
        self.sentence.setText(f"{' and '.join(parts)}; everything else is in {told.name}.")
        self.table.show_rows([(n, _rejected_cells(x)) for n, x in enumerate(rows)])
        self.setVisible(bool(rows))


def _rejected_cells(row: RejectedRow) -> tuple[Cell, ...]:
    found = "nothing" if row.value is None else one_line(str(row.value), 80)
    return (
        Cell(row.place), Cell(one_line(row.field, 60) or "—"), Cell(found, tip=found),
        Cell(one_line(row.reason, 300), tip=row.reason),
    )  # fmt: skip


MOST = 8
LONGEST_FINDING = 400
_CUT = re.compile(r"[:;] ")
"""Where a sentence goes on to single cases."""


class FindingsCard(pieces.Card):
    """Problems and remarks in sentences.

    Signals:
        cases_requested: Cases are to be shown, by their ids and a heading.
    """

    cases_requested = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        """Make the card without findings."""
        super().__init__("Check")
        self.verdict = pieces.text("", "small", name="What the check says")
        self.head.addWidget(self.verdict)
        self.table = GridView(
            theme,
            (
                Column("finding"),
                Column("cases", 60, number=True, tip="How many cases it is about."),
            ),
            "Findings",
            most=MOST,
        )
        self.body.addWidget(self.table)
        self._found: tuple[Finding, ...] = ()
        pieces.connect(
            (self.table.clicked, lambda index: self._open(index.row())),
            (self.table.row_opened, self._open),
        )

    def show_findings(self, found: Sequence[Finding]) -> None:
        """Show what was found."""
        self._found = tuple(found)
        problems = sum(x.problem for x in found)
        said = f"{problems:,} to look at" if problems else "nothing is missing"
        remarks = len(self._found) - problems
        self.verdict.setText(f"{said} · {many(remarks, 'remark')}" if remarks else said)
        pieces.set_property(self.verdict, "role", "alert" if problems else "small")
        self.table.show_rows([(n, _finding_cells(x)) for n, x in enumerate(self._found)])
        self.table.setVisible(bool(self._found))

    def _open(self, place: object) -> None:
        if isinstance(place, int) and place < len(self._found):
            found = self._found[place]
            if found.cases:
                self.cases_requested.emit(found.cases, one_line(found.sentence, 120))


def _finding_cells(found: Finding) -> tuple[Cell, ...]:
    sentence = one_line(found.sentence, LONGEST_FINDING)
    parts = _CUT.split(sentence, maxsplit=1)
    sign = "▲ " if found.problem else "• "
    count = f"{len(found.cases):,} ▸" if found.cases else "—"
    role = "alert" if found.problem else ""
    below = parts[1] if len(parts) == 2 else " "
    return Cell(sign + parts[0].removesuffix("."), role, tip=sentence, below=below), Cell(
        count, "muted"
    )
