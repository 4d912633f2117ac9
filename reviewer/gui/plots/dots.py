"""Agreement as dots with intervals: the judge with people, and people with each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from typing_extensions import override

from reviewer.domain.wording import two
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

ROW, EDGE, NAME = 48, 34, 130
"""Pixels that a metric, the axis and the longest name take."""
LIFT: Final = 0.16
"""How far people stand above the middle of a row, and the judge below it."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure with its interval; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DotRow:
    """A metric: its key and title, what judge and people reach, and what is said when hovered."""

    key: str
    title: str
    judge: Dot
    people: Dot
    words: str


class DotsChart(Plot):
    """A row a metric, people's own agreement above the judge's; a chosen dot is the metric."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Agreement of the judge with people, and of people")
        self._rows: tuple[DotRow, ...] = ()
        self.area.showGrid(x=True, y=False, alpha=0.25)
        self.restyle()

    def show_rows(self, rows: Sequence[DotRow]) -> None:
        """Draw metrics, the first on top."""
        self._rows = tuple(rows)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw dots, intervals and names."""
        self.clear()
        spots: list[Spot] = []
        lowest = 0.0
        for place, row in enumerate(self._rows):
            for dot, lift, role in ((row.people, LIFT, "human"), (row.judge, -LIFT, "auto")):
                if dot.value is None:
                    continue
                y = lift - place
                self._draw_dot(dot, y, role)
                spots.append(Spot(dot.value, y, row.words, row.key))
                lowest = min(lowest, dot.value, dot.low or 0.0)
        self._draw_axes(max(lowest, -1.0))
        self.set_spots(spots)
        self.set_table(
            ("metric", "judge", "low", "high", "people", "low", "high"),
            [
                (x.title, *(z for y in (x.judge, x.people) for z in (y.value, y.low, y.high)))
                for x in self._rows
            ],
        )

    def _draw_dot(self, dot: Dot, y: float, role: str) -> None:
        colour = self.theme.colour(f"{role}_fill")
        if dot.low is not None and dot.high is not None:
            pen = self.pg.mkPen(colour, width=2)
            self.add(self.pg.PlotDataItem([dot.low, dot.high], [y, y], pen=pen))
        # a square for people, so that colour is not the only sign
        symbol = "s" if role == "human" else "o"
        self.add(
            self.pg.ScatterPlotItem(
                [dot.value], [y], size=self.theme.px(9), symbol=symbol, pen=None, brush=colour
            )
        )
        words = self.pg.TextItem(
            f"{'people' if role == 'human' else 'judge'} {two(dot.value or 0.0)}",
            color=self.theme.colour(role),
            anchor=(0.5, 1.05 if role == "human" else -0.05),
        )
        words.setFont(self.theme.font(TextStyle.TINY))
        words.setPos(dot.value or 0.0, y)
        self.add(words)

    def _draw_axes(self, lowest: float) -> None:
        count = len(self._rows)
        metrics = QFontMetrics(self.theme.font(TextStyle.TINY))
        room = self.theme.px(NAME)
        names = [
            (-place, metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, room))
            for place, row in enumerate(self._rows)
        ]
        self.area.getAxis("left").setTicks([names])
        first = np.floor(lowest * 4) / 4
        self.area.getAxis("bottom").setTicks([[(x, two(x)) for x in np.arange(first, 1.01, 0.25)]])
        self.area.setXRange(first, 1.0, padding=0.07)
        self.area.setYRange(0.5 - count, 0.5, padding=0)
        self.setFixedHeight(self.theme.px(EDGE + ROW * max(count, 1)))
