"""A against B: two sides side by side, which they are, and further ones against A."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QMenu, QWidget
from typing_extensions import override

from reviewer.gui.background import beside
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice, offer
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import literal, name_line, one_line, without_shared
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs.compare_cards import MOST, FlipsCard, OperationsCard, rows_of
from reviewer.gui.runs.compare_table import (
    CHANGED,
    KINDS,
    PASS,
    CompareTable,
    difference_words,
    mean_words,
    tone_of,
)
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.sections import Reading
from reviewer.services.comparing import comparison_words as said
from reviewer.services.comparing import side_by_side
from reviewer.services.comparing.comparison import Comparison, Side
from reviewer.services.comparing.side_by_side import SideBySide, Wanted

JUDGE, OPERATIONS = "comparison judge", "comparison operations"
WIDE = 18
"""Letters of a side's name in a column's title."""


class CompareSection(RunsSection[SideBySide]):
    """The sides, their figures, what changed, and how the responses came about."""

    title = "A against B"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._both: SideBySide | None = None
        self._row: object = PASS
        self.sides = SidesBar(self.theme)
        self.judged = pieces.text("", "small", wrap=True, name="Whose scores are compared")
        self.table = CompareTable(self.theme)
        self.more = MoreCard(self.theme, self.figures)
        self.flips = FlipsCard(self.theme)
        self.choices = (self.flips.how,)
        self.operations = OperationsCard(self.theme)
        layouts.fill(
            self.body, self.sides, self.judged, self.table, self.more, self.operations, self.flips
        )
        self._show_cards(there=False)
        pieces.connect(
            (self.sides.changed, self.recompute),
            (self.table.row_chosen, self._choose_row),
            (self.table.count_clicked, lambda key, column: self._open(key, KINDS[column])),
            (self.table.grid.row_opened, lambda key: self._open(key, CHANGED)),
            (self.flips.kind_chosen, lambda _: self._list()),
            (self.flips.case_chosen, self._show_case),
            (self.flips.open_requested, lambda: self._open(self._row, self.flips.kind)),
            (self.operations.noted, self.noted),
        )
        self.figures.serve_grid(self.table.grid, self.table.figure)
        self.figures.serve_grid(self.operations.table, self.operations.figure)
        self.theme.changed.connect(self.flips.restyle)

    @override
    def show_runs(self, run: str, other: str = "") -> None:
        """Take the marks A and B; judges and further sides that were chosen stay."""
        moved = (run, other) != (self.run, self.other)
        if moved or not self.sides.wanted.a.run:
            self.sides.show_runs(self.session.run_names(), run, other)
        super().show_runs(run, other)

    @override
    def reading(self, run: str) -> Reading[SideBySide] | None:
        """Give what compares the chosen sides."""
        if not run:
            return None
        wanted = self.sides.wanted
        for kind in (JUDGE, OPERATIONS):
            self.surroundings.tasks.cancel(kind)
        return lambda own, progress: side_by_side.read(own, wanted, progress)

    @override
    def show_found(self, found: SideBySide) -> None:
        """Show the figures, and go on with what takes longer."""
        self._both = found
        self._show_cards(there=True)
        self.sides.show_scorers(found.scorers)
        self.sides.show_b(found.found.before)
        self.judged.setText(_judged(found))
        self.table.show_comparison(found)
        self.more.show_comparisons((found.found, *found.also) if found.also else ())
        self._list()
        self.operations.show_waiting()
        self._go_on(JUDGE)
        self._go_on(OPERATIONS)

    @override
    def say(self, sentence: str) -> None:
        """Show a sentence above the section; one that is no progress stands instead of figures."""
        super().say(sentence)
        if sentence and not sentence.endswith("…"):
            self._both = None
            self._show_cards(there=False)

    def _show_cards(self, *, there: bool) -> None:
        pieces.show(self.judged, self.table, self.operations, self.flips, shown=there)
        if not there:
            self.more.hide()

    def _go_on(self, kind: str) -> None:
        shown = self._both
        if shown is not None:
            add = side_by_side.with_judge if kind == JUDGE else side_by_side.with_operations
            self.surroundings.tasks.run(
                kind,
                beside(self.session, lambda own, progress: add(own, shown.found, progress)),
                then=self._take_judge if kind == JUDGE else self._take_operations,
                failed=self.failed,
            )

    def _take_judge(self, found: Comparison) -> None:
        if self._both is not None:
            self._both = replace(
                self._both,
                found=replace(self._both.found, metrics=found.metrics, stale=found.stale),
            )
            self.table.show_comparison(self._both)

    def _take_operations(self, found: Comparison) -> None:
        if self._both is not None:
            more = replace(
                self._both.found,
                before_operations=found.before_operations,
                after_operations=found.after_operations,
                latencies=found.latencies,
                latency=found.latency,
                cost=found.cost,
            )
            self._both = replace(self._both, found=more)
            self.operations.show_comparison(more)

    def _choose_row(self, key: object) -> None:
        if key != self._row:
            self._row = key
            self._list()

    def _list(self) -> None:
        """List what changed in the chosen row."""
        shown = self._both
        if shown is None:
            return
        kinds = dict(self.table.kinds(self._row))
        self.flips.offer_kinds([(kind, len(keys)) for kind, keys in kinds.items()])
        kind = self.flips.kind
        keys = self.table.keys(self._row, kind)
        metric = shown.found.metrics.get(str(self._row))
        self.expose(keys[:MOST])
        names = {key: self.session.place(key)[1] for key in keys[:MOST]}
        what = "Pass rate" if metric is None else metric.metric.heading
        self.flips.show_list(
            f"What changed — {what}",
            rows_of(shown, keys, None if metric is None else str(self._row), names),
            len(kinds.get(kind, ())),
        )

    def _show_case(self, key: int) -> None:
        shown = self._both
        if shown is not None:
            metric = str(self._row) if self._row in shown.found.metrics else None
            with telling(self.flips.show_problem):
                self.flips.show_case(side_by_side.on_both(self.session, shown, key, metric))

    def _open(self, key: object, kind: str) -> None:
        keys = self.table.keys(key, kind)
        if keys:
            self.responses_requested.emit(keys, self.table.heading(key, kind))
        else:
            self.noted.emit("None of them may be seen before you have answered it.")


def _column(title: str, short: Mapping[str, str]) -> str:
    return title if len(title) <= WIDE else name_line(short[title], WIDE)


def _judged(found: SideBySide) -> str:
    """Say whose scores stand on both sides, and on how many."""
    before, after = (words or "no scores" for words in found.judged)
    return f"A by {after}. B by {before}."


class MoreCard(pieces.Card):
    """A row a metric, a column a side: its mean, and beneath it A minus that side."""

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card empty."""
        super().__init__("A against more")
        self._theme = theme
        self._figures = figures
        self._found: tuple[Comparison, ...] = ()
        self.grid: GridView | None = None
        note = pieces.text(
            "Each side's mean on the cases it shares with A, and A minus it. Corrected over the "
            "figures of one side, not over the sides.",
            "small",
            wrap=True,
        )
        self.body.addWidget(note)
        self.hide()

    def show_comparisons(self, found: Sequence[Comparison]) -> None:
        """Show sides; without two of them the card is hidden."""
        self._found = tuple(found)
        if self.grid is not None:
            pieces.discard(self.grid)
            self.grid = None
        self.setVisible(len(self._found) > 1)
        if len(self._found) >= 2:
            short = without_shared([x.before.title for x in self._found])
            columns = (
                Column("metric"),
                Column("A", 60, number=True, tip="Mean of run A."),
                *(
                    Column(_column(x.before.title, short), 124, tip=x.before.title)
                    for x in self._found
                ),
            )
            self.grid = GridView(self._theme, columns, "A against more sides", most=12)
            self.grid.show_rows(self._rows())
            self._figures.serve_grid(self.grid, self.figure)
            self.body.addWidget(self.grid)

    def figure(self, key: object, column: int) -> Figure | None:
        """Give the figure of a cell."""
        if column < 2:
            return None
        found = self._found[column - 2]
        pair = found.metrics.get(str(key))
        if pair is None:
            return Figure(
                title="Pass rate",
                sentence=said.pass_sentence(found, found.flips, "The pass rate"),
                steps=lambda: said.pass_steps(found, found.flips),
            )
        return Figure(
            title=pair.metric.heading,
            sentence=said.metric_sentence(found, pair),
            steps=lambda: said.metric_steps(found, pair),
        )

    def _rows(self) -> list[tuple[Hashable, tuple[Cell, ...]]]:
        first = self._found[0]
        rows: list[tuple[Hashable, tuple[Cell, ...]]] = []
        for name, pair in first.metrics.items():
            cells = [Cell(pair.metric.heading), Cell(mean_words(pair.after_mean), "auto")]
            for found in self._found:
                other = found.metrics[name]
                shift = other.shift
                cells.append(
                    Cell(
                        mean_words(other.before_mean),
                        tone_of(other),
                        below=difference_words(shift.difference, shift.low, shift.high),
                        tip=f"n = {shift.n:,}, {said.test_words(shift)}",
                    )
                )
            rows.append((name, tuple(cells)))
        if first.flips.reason is None:
            rows.append((PASS, self._pass_cells()))
        return rows

    def _pass_cells(self) -> tuple[Cell, ...]:
        cells = [
            Cell("Pass rate", strong=True),
            Cell(said.percent(self._found[0].flips.after_rate), "auto"),
        ]
        for found in self._found:
            test = found.flips.test
            points, low, high = (
                None if x is None else 100 * x for x in (test.difference, test.low, test.high)
            )
            cells.append(
                Cell(
                    said.percent(found.flips.before_rate),
                    below=difference_words(points, low, high, digits=1),
                    tip=f"n = {test.n:,}, {said.test_words(test)}",
                )
            )
        return tuple(cells)


OF_RECORD = "of record"


class SidesBar(QWidget):
    """A and B as choices in a line; a button adds further sides.

    Signals:
        changed: Other sides are wanted.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the line without runs."""
        super().__init__()
        self._theme = theme
        self._runs: tuple[str, ...] = ()
        self._scorers: dict[str, tuple[str, ...]] = {}
        self._a = ""
        self._also: list[Side] = []
        self.a_scores = choice("A by")
        self.b_run = choice("B")
        self.b_run.setMinimumContentsLength(12)
        self.b_scores = choice("B by")
        self.more = pieces.named(
            pieces.Button("Also ▾", self._open_menu, dense=True, name="Further sides"),
            tip="Hold A against further runs and judges, in a table of their own.",
        )
        row = layouts.FlowLayout(self, spacing=theme.px(8))
        row.setContentsMargins(0, 0, 0, 0)
        for combo in (self.a_scores, self.b_run, self.b_scores):
            combo.currentIndexChanged.connect(lambda _, x=combo: self._take(x))
            row.addWidget(_titled(combo))
        row.addWidget(self.more)

    def show_runs(self, runs: Sequence[str], a: str, b: str) -> None:
        """Take the runs of the project, and the marks A and B."""
        self._runs, self._a = tuple(runs), a
        offer(self.b_run, "", [(run, run) for run in runs])
        self._choose(self.b_run, b or a)
        self._also = [side for side in self._also if side.run in runs]
        self._offer_scores()

    def show_scorers(self, scorers: Mapping[str, Sequence[str]]) -> None:
        """Take what scored which run; what was chosen stays where it is still there."""
        self._scorers |= {run: tuple(names) for run, names in scorers.items()}
        self._offer_scores()

    def show_b(self, side: Side) -> None:
        """Show which side stands as B where none was chosen."""
        self._choose(self.b_run, side.run)
        self._offer_scores()
        self._choose(self.b_scores, side.scorer)

    @property
    def wanted(self) -> Wanted:
        """Give the sides that are chosen."""
        b = Side(str(self.b_run.currentData() or ""), _name(self.b_scores))
        a = Side(self._a, _name(self.a_scores))
        return Wanted(a=a, b=Side("") if a == b else b, also=tuple(self._also))

    def menu(self, parent: QWidget) -> QMenu:
        """Make the menu of further sides."""
        made = QMenu("Further sides", parent)
        taken = (self.wanted.a, self.wanted.b)
        for run in self._runs:
            for scorer in (None, *self._scorers.get(run, ())):
                side = Side(run, scorer)
                if side not in taken:
                    action = made.addAction(literal(one_line(side.title, 80)))
                    action.setCheckable(True)
                    action.setChecked(side in self._also)
                    action.triggered.connect(partial(self._toggle, side))
        return made

    def _toggle(self, side: Side, *_: object) -> None:
        if side in self._also:
            self._also.remove(side)
        else:
            self._also.append(side)
        self.changed.emit()

    def _open_menu(self) -> None:
        made = self.menu(self)
        made.aboutToHide.connect(made.deleteLater)
        pieces.open_below(self.more, made)

    def _take(self, combo: QComboBox) -> None:
        if combo is self.b_run:
            self._offer_scores()
        self.changed.emit()

    def _offer_scores(self) -> None:
        for combo, run in ((self.a_scores, self._a), (self.b_scores, self.b_run.currentData())):
            offer(combo, OF_RECORD, [(x, x) for x in self._scorers.get(str(run), ())])

    def _choose(self, combo: QComboBox, name: str | None) -> None:
        with pieces.quiet(combo):
            combo.setCurrentIndex(max(0, combo.findData(name)))


def _titled(combo: QComboBox) -> QWidget:
    """Keep a choice and its letter in one line."""
    made = QWidget()
    layouts.row(pieces.text(combo.accessibleName(), "muted"), combo, on=made, margins=0)
    return made


def _name(combo: QComboBox) -> str | None:
    name = combo.currentData()
    return None if name is None else str(name)
