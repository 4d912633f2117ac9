"""One figure over runs: a point a run with its interval, joined by a line."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from typing_extensions import override

from reviewer.gui.kit.pieces import show
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 190
NAME = 84
"""Pixels that the name of a run takes."""


@dataclass(frozen=True, slots=True)
class RunDot:
    """One run's figure; None where it has none.

    Attributes:
        low, high: Ends of its interval, None where there is none.
        words: What it says when hovered.
    """

    run: str
    value: float | None
    low: float | None
    high: float | None
    words: str


class RunsChart(Plot):
    """A point a run, oldest first; a chosen spot is the run's name."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Figure by run")
        self._dots: tuple[RunDot, ...] = ()
        self._title = ""
        self._line = self.pg.PlotDataItem()
        self._ends = self.pg.ErrorBarItem(x=np.zeros(0), y=np.zeros(0), beam=0.12)
        self.area.addItem(self._ends)
        self.area.addItem(self._line)
        self.area.showGrid(x=False, y=True, alpha=0.25)
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_runs(self, title: str, dots: Sequence[RunDot]) -> None:
        """Draw a figure of runs, oldest first."""
        self._title, self._dots = title, tuple(dots)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw points, intervals and names."""
        known = [(x, dot) for x, dot in enumerate(self._dots) if dot.value is not None]
        xs = np.array([x for x, _ in known], dtype=np.float64)
        values = np.array([dot.value for _, dot in known], dtype=np.float64)
        colour = self.theme.colour("auto_fill")
        self._line.setData(
            xs,
            values,
            pen=self.pg.mkPen(colour, width=2),
            symbol="o",
            symbolSize=self.theme.px(7),
            symbolPen=None,
            symbolBrush=self.pg.mkBrush(colour),
        )
        self._ends.setData(
            x=xs,
            y=values,
            top=np.array([_above(dot) for _, dot in known]),
            bottom=np.array([_below(dot) for _, dot in known]),
            beam=0.12,
            pen=self.pg.mkPen(self.theme.colour("muted"), width=1),
        )
        show(self._line, self._ends, shown=bool(known))
        self._draw_axis()
        self.set_spots([Spot(x, dot.value or 0.0, dot.words, dot.run) for x, dot in known])
        self.set_table(
            ("run", self._title, "low", "high"),
            [(dot.run, dot.value, dot.low, dot.high) for dot in self._dots],
        )

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name as many runs as there is room for."""
        super().resizeEvent(event)
        self._draw_axis()

    def _draw_axis(self) -> None:
        count = len(self._dots)
        fitting = max(1, self.width() // self.theme.px(NAME))
        step = max(1, -(-count // fitting))
        metrics = QFontMetrics(self.theme.font(TextStyle.TINY))
        room = max(self.theme.px(NAME), self.width() // max(count, 1)) - self.theme.px(8)
        ticks = [
            (place, metrics.elidedText(dot.run, Qt.TextElideMode.ElideMiddle, room))
            for place, dot in enumerate(self._dots)
        ]
        self.area.getAxis("bottom").setTicks([ticks[::-1][::step]])
        self.area.setXRange(-0.5, max(count, 2) - 0.5, padding=0)
        self.area.enableAutoRange(y=True)


def _above(dot: RunDot) -> float:
    return 0.0 if dot.high is None or dot.value is None else dot.high - dot.value


def _below(dot: RunDot) -> float:
    return 0.0 if dot.low is None or dot.value is None else dot.value - dot.low
