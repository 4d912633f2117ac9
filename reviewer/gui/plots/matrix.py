"""A table of small figures as a chart: each written in its cell, the larger the darker."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme, ink_on, mix
from reviewer.gui.plots.plot import Plot, Spot

ROW, HEAD, NAME = 28, 26, 150
"""Pixels that a row, the titles of columns and the longest name of a row take."""
PALE, DARK = 0.06, 0.85
"""Shades of the least and the largest figure."""
EDGE = 0.03


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One figure: what is written, how dark from 0 to 1, what is said, what choosing it means."""

    text: str
    shade: float
    words: str
    key: Hashable | None = None


class MatrixChart(Plot):
    """Rows and columns with names; a cell without a figure is None."""

    def __init__(self, theme: Theme, name: str, colour: str) -> None:
        """Make an empty chart; `colour` is that of the largest figure."""
        super().__init__(theme, name)
        self._colour = colour
        self._rows: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._cells: tuple[tuple[MatrixCell | None, ...], ...] = ()
        self.area.showAxis("top")
        self.area.hideAxis("bottom")
        self.restyle()

    def show_cells(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Sequence[Sequence[MatrixCell | None]],
    ) -> None:
        """Draw figures, the first row on top."""
        self._rows, self._columns = tuple(rows), tuple(columns)
        self._cells = tuple(tuple(row) for row in cells)
        self.draw()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the names of columns to the room there is."""
        super().resizeEvent(event)
        self._draw_axes()

    @override
    def draw(self) -> None:
        """Draw cells, figures and names."""
        self.clear()
        spots = []
        for y, row in enumerate(self._cells):
            for x, cell in enumerate(row):
                if cell is not None:
                    self._draw_cell(x, -y, cell)
                    spots.append(Spot(x, -y, cell.words, cell.key))
        self._draw_axes()
        self.set_spots(spots)
        self.set_table(
            ("", *self._columns),
            [
                (name, *(None if cell is None else cell.text for cell in row))
                for name, row in zip(self._rows, self._cells, strict=True)
            ],
        )

    def _draw_cell(self, x: int, y: int, cell: MatrixCell) -> None:
        colours = self.theme.colours
        share = PALE + (DARK - PALE) * min(max(cell.shade, 0.0), 1.0)
        shade = mix(colours.card, getattr(colours, self._colour), share)
        wide = 1 - 2 * EDGE
        self.add(
            self.pg.BarGraphItem(
                x=[x], y=[y], width=wide, height=wide, brush=shade, pen=self.pg.mkPen(None)
            )
        )
        words = self.pg.TextItem(cell.text, color=ink_on(colours, shade), anchor=(0.5, 0.5))
        words.setFont(self.theme.font(TextStyle.SMALL))
        words.setPos(x, y)
        self.add(words)

    def _draw_axes(self) -> None:
        theme, metrics = self.theme, QFontMetrics(self.theme.font(TextStyle.TINY))
        top, left = self.area.getAxis("top"), self.area.getAxis("left")
        top.setStyle(tickFont=theme.font(TextStyle.TINY), tickLength=0)
        top.setPen(None)
        left.setPen(None)
        top.setTextPen(theme.colour("muted"))
        elide = Qt.TextElideMode.ElideRight
        room = theme.px(NAME)
        names = [metrics.elidedText(name, elide, room) for name in self._rows]
        left.setTicks([[(-place, name) for place, name in enumerate(names)]])
        used = max((metrics.horizontalAdvance(name) for name in names), default=0)
        count = max(len(self._columns), 1)
        each = max((self.width() - used) // count - theme.px(8), theme.px(20))
        top.setTicks(
            [[(n, metrics.elidedText(x, elide, each)) for n, x in enumerate(self._columns)]]
        )
        self.area.setXRange(-0.5, count - 0.5, padding=0)
        self.area.setYRange(0.5 - max(len(self._rows), 1), 0.5, padding=0)
        self.setFixedHeight(theme.px(HEAD) + theme.px(ROW) * max(len(self._rows), 1))
