"""Bots side by side: a row a metric, a column a bot; a figure opens its responses."""

from PySide6.QtCore import QModelIndex, Signal

from reviewer.domain.rubric import Metric
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import name_line, without_shared
from reviewer.gui.kit.theme import Theme
from reviewer.services.monitoring import bots
from reviewer.services.monitoring.bots import Bot, BotFigure, Bots

MOST, WIDE = 14, 16
"""Rows that are shown at once, and letters of a bot's name."""
SIGNS = {"best": "★ ", "ahead": "☆ ", "": ""}
_NOTE = (
    "★ ahead of every other bot beyond chance, on the questions that both answered; ☆ the best "
    "mean, not told apart. Each mean is of the responses that have the score; a click opens them."
)


class BotsCard(pieces.Card):
    """Every metric of every bot; hidden where the run is of another framework.

    Signals:
        open_requested: Responses are asked for: their evaluations, and what they are.
    """

    open_requested = Signal(object, str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card empty."""
        super().__init__("Bots side by side")
        self._theme, self._figures = theme, figures
        self._found: Bots | None = None
        self.table: GridView | None = None
        self.note = pieces.text("", "tiny", wrap=True)
        self.body.addWidget(self.note)
        self.hide()

    def show_bots(self, found: Bots | None) -> None:
        """Show bots; one alone has nothing beside it, and is shown all the same."""
        before = () if self._found is None else self._names(self._found)
        self._found = found
        if found is None or not found.metrics:
            self.hide()
            return
        if self.table is None or before != self._names(found):
            self._make_table(found)
        if self.table is not None:
            self.table.show_rows([(x.name, _cells(x, found)) for x in found.metrics])
        left_out = f" {found.left_out:,} of older runs are left out." if found.left_out else ""
        self.note.setText(f"{_NOTE}{left_out}")
        self.show()

    @staticmethod
    def _names(found: Bots) -> tuple[tuple[str, str], ...]:
        return tuple((x.run, x.name) for x in found.bots)

    def _make_table(self, found: Bots) -> None:
        if self.table is not None:
            pieces.discard(self.table)
        short = without_shared([x.name for x in found.bots])
        columns = (
            Column("metric"),
            *(
                Column(
                    x.name if len(x.name) <= WIDE else name_line(short[x.name], WIDE),
                    104,
                    number=True,
                    tip=f"{x.name}, {x.n:,} responses of the run {x.run}",
                )
                for x in found.bots
            ),
        )
        self.table = GridView(self._theme, columns, "Bots side by side", most=MOST)
        self.body.insertWidget(1, self.table)
        self._figures.serve_grid(self.table, self._figure)
        self.table.clicked.connect(self._open_cell)

    def _of(self, key: object, column: int) -> tuple[Metric, Bot, BotFigure] | None:
        found = self._found
        if found is None or not 0 < column <= len(found.bots):
            return None
        metric = next((x for x in found.metrics if x.name == key), None)
        bot = found.bots[column - 1]
        return None if metric is None else (metric, bot, bot.figures[metric.name])

    def _open_cell(self, index: QModelIndex) -> None:
        table = self.table
        of = None if table is None else self._of(table.rows.keys[index.row()], index.column())
        if of is not None and of[2].keys:
            metric, bot, figure = of
            self.open_requested.emit(figure.keys, f"{metric.heading} of {bot.name}")

    def _figure(self, key: object, column: int) -> Figure | None:
        of = self._of(key, column)
        if of is None:
            return None
        metric, bot, figure = of
        told = f" {figure.told}." if figure.told else ""
        return Figure(
            title=f"{metric.heading} of {bot.name}",
            sentence=f"Mean {metric.heading} of {bot.name} is "
            f"{bots.mean_words(metric, figure.mean)} (n {figure.mean.n:,}).{told}",
            heading=f"{metric.heading} of {bot.name}",
        )


def _cells(metric: Metric, found: Bots) -> tuple[Cell, ...]:
    about = " · ".join(x for x in (metric.family, metric.unit) if x)
    cells = [Cell(metric.heading, tip=metric.description, below=about or " ")]
    for bot in found.bots:
        figure = bot.figures[metric.name]
        if figure.mean.value is None:
            cells.append(Cell("—", "muted", tip="No response of the bot has it."))
            continue
        words = f"{SIGNS[figure.standing]}{bots.number_words(figure.mean)}"
        role = "adjusted" if figure.standing == "best" else ""
        cells.append(Cell(words, role, tip=figure.told, below=f"n {figure.mean.n:,}"))
    return tuple(cells)
