"""The list of runs, A and B among them, and the columns that it shares the page with."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.text import name_line, without_shared
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
        super().__init__(theme, _COLUMNS, "Runs", most=12)

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
        self._a = self.b = ""
        self._is_free = True
        self.add = pieces.Button("Import…", self.import_requested.emit, dense=True)
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.list = RunsList(theme)
        self.other: QComboBox = number_field.choice("Run B, which run A is compared with")
        self.swap = pieces.named(
            pieces.Button("Swap", self.exchange, dense=True, name="Swap run A and run B"),
            tip="Run A becomes run B, and run B becomes run A.",
        )
        self.head.addWidget(self.add)
        self._foot = pieces.text("B", "strong")
        layouts.fill(
            self.body, self.empty, self.list, layouts.row(self._foot, (self.other, 1), self.swap)
        )
        pieces.connect(
            (self.list.row_chosen, lambda key: self.choose(str(key))),
            (self.list.other_requested, self.compare_with),
            (self.other.activated, lambda _: self.compare_with(self.other.currentData() or "")),
        )
        self._show_choice()

    @property
    def a(self) -> RunSummary | None:
        """Give run A."""
        return self._runs.get(self._a)

    def show_runs(self, runs: tuple[RunSummary, ...]) -> None:
        """Show runs, the newest first; A and B stay where they are still there."""
        self._runs = {run.name: run for run in reversed(runs)}
        self.empty.setVisible(not self._runs)
        self.list.setVisible(bool(self._runs))
        if self._a not in self._runs:
            self._a = next(iter(self._runs), "")
            self._is_free = True
        if self.b not in self._runs:
            self._is_free = True
        self._settle()

    def choose(self, name: str) -> None:
        """Make a run run A."""
        if name == self._a or name not in self._runs:
            return
        if name == self.b and not self._is_free:
            self.b = self._a
        self._a = name
        self._settle()

    def compare_with(self, name: str) -> None:
        """Make a run run B; that of the chosen run goes back to the one chosen before."""
        self._is_free = False
        if name == self._a:
            self.exchange()
            return
        self.b = name
        self._settle()

    def exchange(self) -> None:
        """Let A and B change places."""
        if self.b:
            self._a, self.b, self._is_free = self.b, self._a, False
        self._settle()

    def _settle(self) -> None:
        if self._is_free:
            self.b = self._usual()
        with pieces.quiet(self.list.selectionModel()):
            short = without_shared(list(self._runs))
            self.list.show_rows(
                [(name, self._cells(run, short[name])) for name, run in self._runs.items()]
            )
            if self._a:
                self.list.choose(self._a)
        self.list.viewport().update()
        self._show_choice()
        self.runs_chosen.emit(self._a, self.b)

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
        pieces.show(self._foot, self.other, self.swap, shown=several)
        names = [name for name in self._runs if name != self._a]
        with pieces.quiet(self.other):
            number_field.offer_names(self.other, "compare with no run", names)
            self.other.setCurrentIndex(max(0, self.other.findData(self.b)))
        self.swap.setEnabled(bool(self.b))

    def _cells(self, run: RunSummary, short: str) -> tuple[Cell, ...]:
        by = f"by {run.judged_by}" if run.judged_by else ""
        reason = by if run.pass_rate is not None else "The rubric has no pass rule."
        mark = {self._a: "A", self.b: "B"}.get(run.name, "")
        return (
            Cell(name_line(run.name, 80), tip=run.name, below=run_line(run), short=short),
            Cell(f"{run.evaluations:,}"),
            Cell(f"{run.labelled:,}"),
            Cell(percent(run.pass_rate), tip=reason),
            Cell(mark, "auto" if mark == "A" else "muted", strong=bool(mark)),
        )


LEFT, MIDDLE, RIGHT = range(3)
THREE, TWO = 1190, 840
"""Pixels at 100 % from which three columns, and two, stand beside each other."""
_SHARES: Final = {3: (32, 62, 38), 2: (38, 62, 0), 1: (1, 0, 0)}
_PLACES: Final = {3: (0, 1, 2), 2: (0, 1, 0), 1: (0, 0, 0)}


class PageColumns(QWidget):
    """Shows three widgets side by side, or lets a row of titles choose among those that share.

    With two columns the first and the last share the left one; with one all share it.
    """

    def __init__(self, theme: Theme, widgets: Sequence[QWidget], titles: Sequence[str]) -> None:
        """Take the widgets from left to right, and what they are called where they share."""
        super().__init__()
        self._theme = theme
        self._widgets = tuple(widgets)
        self.count = 0
        self.tabs = pieces.named(SectionRow(titles), "Parts of the page")
        self._grid = layouts.grid(on=self, margins=pieces.GAP)
        self._grid.setSpacing(pieces.GAP)
        self._grid.setRowStretch(1, 1)
        pieces.connect(
            (self.tabs.chosen, lambda _: self._show()),
            (theme.changed, self._arrange),
        )
        self._place(3)

    def bring(self, widget: QWidget) -> None:
        """Bring one of the widgets into view where it shares its place."""
        place = self._widgets.index(widget)
        if not self.tabs.buttons[place].isHidden():
            self.tabs.choose(place)

    @override
    def minimumSizeHint(self) -> QSize:
        """Ask for no more width than the widest widget alone needs."""
        least = max(x.minimumSizeHint().width() for x in self._shared() or self._widgets)
        return QSize(least + 2 * pieces.GAP, super().minimumSizeHint().height())

    @override
    def hasHeightForWidth(self) -> bool:
        """Take any height: what is too long scrolls inside its column, not the whole page."""
        return False

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange anew for another width."""
        super().resizeEvent(event)
        self._arrange()

    @override
    def event(self, event: QEvent) -> bool:
        """Arrange anew where a widget needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _shared(self) -> tuple[QWidget, ...]:
        """Give the widget in view where all share one place."""
        return tuple(x for x in self._widgets if not x.isHidden()) if self.count == 1 else ()

    def _arrange(self) -> None:
        count = next((n for n in (3, 2) if self._has_room(n)), 1)
        if count != self.count:
            self._place(count)

    def _has_room(self, count: int) -> bool:
        if self.width() < self._theme.px({3: THREE, 2: TWO}[count]):
            return False
        least = [0] * count
        for widget, place in zip(self._widgets, _PLACES[count], strict=True):
            least[place] = max(least[place], widget.minimumSizeHint().width())
        return sum(least) + (count + 1) * pieces.GAP <= self.width()

    def _place(self, count: int) -> None:
        self.count = count
        focused = QApplication.focusWidget()
        for column, share in enumerate(_SHARES[count]):
            self._grid.setColumnStretch(column, share)
        shares = _PLACES[count]
        self._grid.addWidget(self.tabs, 0, 0)
        for widget, column in zip(self._widgets, shares, strict=True):
            alone = shares.count(column) == 1
            self._grid.addWidget(widget, 0 if alone else 1, column, 2 if alone else 1, 1)
        self.tabs.setVisible(count < len(self._widgets))
        self.tabs.offer([shares.count(column) > 1 for column in shares])
        for widget in self._widgets:
            # somebody works in it
            if focused is not None and widget.isAncestorOf(focused):
                self.bring(widget)
        self._show()
        self.updateGeometry()

    def _show(self) -> None:
        shares = _PLACES[self.count]
        chosen = self.tabs.place
        for place, widget in enumerate(self._widgets):
            widget.setVisible(shares.count(shares[place]) == 1 or place == chosen)
