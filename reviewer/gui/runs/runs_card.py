"""The list of runs: the chosen one is run A, which another one, run B, is compared with."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout
from typing_extensions import override

from reviewer.gui.kit import choosing, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import percent, run_line
from reviewer.services.upkeep.projects import RunSummary

_COLUMNS = (
    Column("run"),
    Column("n", 48, number=True, tip="Evaluations.", drop=2),
    Column("labelled", 60, number=True, tip="Evaluations with at least one label.", drop=3),
    Column("pass", 58, number=True, tip="Share that passes by the judge's scores."),
    Column("", 26, tip="A is the chosen run; press here, or the key B, to compare it with a run."),
)
MARK = len(_COLUMNS) - 1
NOTHING = "Nothing is imported yet. Import results, or drop a file here."


class RunsList(GridView):
    """The list itself; a press on the last column, or the key B, makes a run run B.

    Signals:
        other_requested: A run is to be run B, by its name.
    """

    other_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__(theme, _COLUMNS, "Runs")

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Mark run B where its column is pressed."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == MARK and index.row() != self.currentIndex().row():
            self.other_requested.emit(str(self.rows.keys[index.row()]))
            return
        super().mousePressEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Mark run B; run A stays the one that was chosen before."""
        if event.key() == Qt.Key.Key_B and not event.modifiers() and self.chosen() is not None:
            self.other_requested.emit(str(self.chosen()))
            return
        super().keyPressEvent(event)


class RunsCard(pieces.Card):
    """Runs with the marks A and B.

    Signals:
        runs_chosen: Other runs are A and B, by their names; empty for none.
        import_requested: Results are to be imported.
    """

    runs_chosen = Signal(str, str)
    import_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__("Runs")
        self._runs: dict[str, RunSummary] = {}
        self._a = self._b = ""
        self._is_free = True
        self.add = pieces.Button("Import…", self.import_requested.emit, dense=True)
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.list = RunsList(theme)
        self.list.fit_to_rows(12)
        self.other: QComboBox = choosing.choice("Run B, which run A is compared with")
        self.swap = pieces.Button("Swap", self.exchange, dense=True, name="Swap run A and run B")
        self.swap.setToolTip("Run A becomes run B, and run B becomes run A.")
        self.head.addWidget(self.add)
        self.body.addWidget(self.empty)
        self.body.addWidget(self.list)
        self._foot = pieces.text("B", "strong")
        row = QHBoxLayout()
        row.addWidget(self._foot)
        row.addWidget(self.other, 1)
        row.addWidget(self.swap)
        self.body.addLayout(row)
        self.list.row_chosen.connect(lambda key: self.choose(str(key)))
        self.list.other_requested.connect(self.compare_with)
        self.other.activated.connect(lambda _: self.compare_with(self.other.currentData() or ""))
        self._show_choice()

    @property
    def a(self) -> RunSummary | None:
        """Give run A."""
        return self._runs.get(self._a)

    @property
    def b(self) -> str:
        """Give the name of run B, empty for none."""
        return self._b

    def show_runs(self, runs: tuple[RunSummary, ...]) -> None:
        """Show runs, the newest first; A and B stay where they are still there."""
        self._runs = {run.name: run for run in reversed(runs)}
        self.empty.setVisible(not self._runs)
        self.list.setVisible(bool(self._runs))
        if self._a not in self._runs:
            self._a = next(iter(self._runs), "")
            self._is_free = True
        if self._b not in self._runs:
            self._is_free = True
        self._settle()

    def choose(self, name: str) -> None:
        """Make a run run A."""
        if name == self._a or name not in self._runs:
            return
        if name == self._b and not self._is_free:
            self._b = self._a
        self._a = name
        self._settle()

    def compare_with(self, name: str) -> None:
        """Make a run run B; that of the chosen run goes back to the one chosen before."""
        self._is_free = False
        if name == self._a:
            self.exchange()
            return
        self._b = name
        self._settle()

    def exchange(self) -> None:
        """Let A and B change places."""
        if self._b:
            self._a, self._b, self._is_free = self._b, self._a, False
        self._settle()

    def forget(self) -> None:
        """Let go of the project."""
        self._runs, self._a, self._b, self._is_free = {}, "", "", True
        self._settle(quietly=True)

    def _settle(self, *, quietly: bool = False) -> None:
        if self._is_free:
            self._b = self._usual()
        blocker = QSignalBlocker(self.list.selectionModel())
        self.list.show_rows([(name, self._cells(run)) for name, run in self._runs.items()])
        if self._a:
            self.list.choose(self._a)
        blocker.unblock()
        self.list.viewport().update()
        self._show_choice()
        if not quietly:
            self.runs_chosen.emit(self._a, self._b)

    def _usual(self) -> str:
        """Give the next older run of the same rubric, else any other of it."""
        chosen = self._runs.get(self._a)
        if chosen is None:
            return ""
        like = [name for name, run in self._runs.items() if run.rubric == chosen.rubric]
        older = like[like.index(self._a) + 1 :]
        return next(iter(older), next((name for name in like if name != self._a), ""))

    def _show_choice(self) -> None:
        several = len(self._runs) > 1
        for widget in (self._foot, self.other, self.swap):
            widget.setVisible(several)
        names = [name for name in self._runs if name != self._a]
        blocker = QSignalBlocker(self.other)
        choosing.offer_names(self.other, "compare with no run", names)
        self.other.setCurrentIndex(max(0, self.other.findData(self._b)))
        blocker.unblock()
        self.swap.setEnabled(bool(self._b))

    def _cells(self, run: RunSummary) -> tuple[Cell, ...]:
        by = f"by {run.judged_by}" if run.judged_by else ""
        reason = by if run.pass_rate is not None else "The rubric has no pass rule."
        mark = {self._a: "A", self._b: "B"}.get(run.name, "")
        return (
            Cell(one_line(run.name, 80), tip=run.name, below=run_line(run)),
            Cell(f"{run.evaluations:,}"),
            Cell(f"{run.labelled:,}"),
            Cell(percent(run.pass_rate), tip=reason),
            Cell(mark, "auto" if mark == "A" else "muted", strong=bool(mark)),
        )
