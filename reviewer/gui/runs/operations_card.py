"""How the responses of two sides came about: latencies over each other, and the figures."""

from PySide6.QtCore import Signal

from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.densities import Densities, Spread
from reviewer.gui.runs.compare_table import TONES
from reviewer.services.evaluating import comparison_words as said
from reviewer.services.evaluating import operation_words
from reviewer.services.evaluating.comparison import Comparison
from reviewer.services.evaluating.operation_words import OperationRow
from reviewer.services.figures.paired_scores import word_sign

_COLUMNS = (
    Column("figure"),
    Column("B", 84, number=True),
    Column("A", 84, number=True),
    Column("A − B", 200, number=True, tip="Of the shared cases, with its interval.", drop=1),
)


class OperationsCard(pieces.Card):
    """The chart of latencies and a table of latency, cost, cache and templates.

    Signals:
        noted: A passing line, such as that the numbers of the chart were copied.
    """

    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card empty; the chart comes with the first latencies."""
        super().__init__("Latency and cost")
        self._theme = theme
        self.chart: Densities | None = None
        self.axis = pieces.text("latency of A and B, ms (logarithmic)", "small")
        self.caption = pieces.text("", "small", wrap=True, name="Latencies")
        self.table = GridView(theme, _COLUMNS, "Latency, cost, cache and templates")
        self.table.fit_to_rows(20)
        self._rows: dict[str, OperationRow] = {}
        self._found: Comparison | None = None
        self.body.addWidget(self.axis)
        self.body.addWidget(self.caption)
        self.body.addWidget(self.table)
        self.show_waiting()

    def show_waiting(self) -> None:
        """Say that latencies and costs are still being read."""
        self._found = None
        self.caption.setText("Reading latencies and costs…")
        self.axis.hide()
        self.table.hide()
        if self.chart is not None:
            self.chart.hide()

    def show_comparison(self, found: Comparison) -> None:
        """Show what is known of both sides."""
        self._found = found
        rows = operation_words.operation_rows(found)
        self._rows = {row.name: row for row in rows}
        self.table.show_rows([(row.name, _cells(row)) for row in rows])
        self.table.setVisible(bool(rows))
        self._draw(found)
        words = operation_words.latency_words(found)
        if not rows:
            words = "No response of these runs says how long it took or what it cost."
        self.caption.setText(words)
        self.caption.setVisible(bool(words))

    def figure(self, key: object, column: int) -> Figure | None:
        """Give the figure of a row, as somebody takes it away."""
        row, found = self._rows.get(str(key)), self._found
        if row is None or found is None or not column:
            return None
        return Figure(
            title=row.name,
            sentence=operation_words.operation_sentence(found, row),
            steps=lambda: operation_words.operation_steps(row),
        )

    def _draw(self, found: Comparison) -> None:
        before, after = found.latencies
        there = bool(before.size or after.size)
        if there and self.chart is None:
            self.chart = Densities(self._theme, "Latency of A and B", "ms")
            self.chart.noted.connect(self.noted)
            self.body.insertWidget(2, self.chart)
        self.axis.setVisible(there)
        if self.chart is None:
            return
        self.chart.setVisible(there)
        lines: tuple[tuple[str, float], ...] = ()
        if found.after_operations is not None:
            latency = found.after_operations.latency
            marks = (("A p50", latency.p50), ("A p95", latency.p95))
            lines = tuple((name, value) for name, value in marks if value is not None)
        spreads = [Spread("A", "auto_fill", after, lines)]
        if found.before.run != found.after.run:
            spreads.insert(0, Spread("B", "neutral_fill", before))
        self.chart.show_spreads(tuple(spreads))


def _cells(row: OperationRow) -> tuple[Cell, ...]:
    change = ""
    if row.shift is not None and row.shift.difference is not None:
        low, high = row.shift.low, row.shift.high
        change = said.change(row.shift.difference, low, high, row.digits)
    tone = ""
    if row.shift is not None:
        tone = TONES.get(-word_sign(row.shift.sign, row.shift.n), "")
    return (
        Cell(row.name, tip=row.tip),
        Cell(row.b, tip=row.n_b),
        Cell(row.a, "auto", tip=row.n_a),
        Cell(change, tone),
    )
