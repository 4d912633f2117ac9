"""A held against more than one side: a column of means a side, and what A differs by."""

from collections.abc import Hashable, Sequence

from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.compare_table import PASS, difference_words, mean_words, tone_of
from reviewer.services.evaluating import comparison_words as said
from reviewer.services.evaluating.comparison import Comparison


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
            self.body.removeWidget(self.grid)
            self.grid.hide()
            self.grid.deleteLater()
            self.grid = None
        self.setVisible(len(self._found) > 1)
        if len(self._found) < 2:
            return
        columns = (
            Column("metric"),
            Column("A", 60, number=True),
            *(Column(one_line(x.before.title, 18), 124, tip=x.before.title) for x in self._found),
        )
        self.grid = GridView(self._theme, columns, "A against more sides")
        self.grid.fit_to_rows(12)
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
