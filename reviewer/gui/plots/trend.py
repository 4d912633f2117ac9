"""Means over weeks: auto, human, adjusted, and the deviations as a band around auto."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from typing_extensions import override

from reviewer.domain.wording import fixed, gap_words
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.plot import Plot, Spot
from reviewer.services.audits.trend import Trend, Week

HEIGHT = 250
DAYS = 7
TICK_WIDTH = 76
BAND_ALPHA = 46


@dataclass(frozen=True, slots=True)
class Point:
    """What choosing a point stands for: its week, and whether it is the human mean's."""

    start: date
    labelled: bool


class TrendChart(Plot):
    """Lines with a mark a week; a week without evaluations is a gap.

    A chosen spot is a `Point`.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Means over weeks")
        self._trend: Trend | None = None
        self._with_deviations = True
        self._lines = {name: self.pg.PlotDataItem() for name in ("adjusted", "auto", "human")}
        self._edges = [self.pg.PlotCurveItem(), self.pg.PlotCurveItem()]
        self._band = self.pg.FillBetweenItem(*self._edges)
        self._band.setZValue(-10)
        for item in (*self._edges, self._band, *self._lines.values()):
            self.area.addItem(item)
        self.area.showGrid(x=False, y=True, alpha=0.25)
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_trend(self, found: Trend, *, deviations: bool) -> None:
        """Draw a metric's weeks, with or without deviations and adjusted means."""
        self._trend, self._with_deviations = found, deviations
        self.draw()

    @override
    def draw(self) -> None:
        """Draw lines, band, axes and what can be hovered."""
        weeks = () if self._trend is None else self._trend.weeks
        xs = np.array([week.start.toordinal() for week in weeks], dtype=np.float64)
        self._draw_line("auto", xs, [week.auto_mean for week in weeks], "o")
        self._draw_line("human", xs, [week.human_mean for week in weeks], "s")
        adjusted = [week.adjusted.value if self._with_deviations else None for week in weeks]
        self._draw_line("adjusted", xs, adjusted, "t")
        self._draw_band(xs, weeks)
        self._draw_axis(weeks)
        band = gap_words(self._trend.band.value) if self._trend else ""
        self.set_spots(_spots(weeks, band, deviations=self._with_deviations))
        found = self._trend
        titles = ("week from", "auto mean", "evaluations", "human mean", "labelled", "adjusted",
                  "lower deviation", "upper deviation")  # fmt: skip
        lower, upper = (None, None) if found is None else (found.lower, found.upper)
        self.set_table(
            titles,
            [
                (x.start.isoformat(), x.auto_mean, x.n_auto, x.human_mean, x.n_human,
                 x.adjusted.value, lower, upper)
                for x in weeks
            ],
        )  # fmt: skip

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name as many weeks as there is room for."""
        super().resizeEvent(event)
        self._draw_axis(() if self._trend is None else self._trend.weeks)

    def _draw_line(self, name: str, xs: Any, means: list[float | None], symbol: str) -> None:  # noqa: ANN401 - a numpy array
        values = np.array([np.nan if mean is None else mean for mean in means], dtype=np.float64)
        if not np.isfinite(values).any():
            # the library warns of a line without a single point
            self._lines[name].setData([], [])
            return
        xs, values = _with_gaps(xs, values)
        colour = self.theme.colour(f"{name}_fill")
        style = Qt.PenStyle.DashLine if name == "adjusted" else Qt.PenStyle.SolidLine
        self._lines[name].setData(
            xs,
            values,
            connect="finite",
            pen=self.pg.mkPen(colour, width=2, style=style),
            symbol=symbol,
            symbolSize=self.theme.px(4 if name == "adjusted" else 6),
            symbolPen=None,
            symbolBrush=self.pg.mkBrush(colour),
        )

    def _draw_band(self, xs: Any, weeks: tuple[Week, ...]) -> None:  # noqa: ANN401 - a numpy array
        found = self._trend
        shown = (
            self._with_deviations
            and found is not None
            and (found.upper is not None or found.lower is not None)
            and any(week.auto_mean is not None for week in weeks)
        )
        self._band.setVisible(shown)
        if found is None or not shown:
            for edge in self._edges:
                edge.setData([], [])
            return
        autos = np.array([np.nan if x.auto_mean is None else x.auto_mean for x in weeks])
        wide, values = _with_gaps(xs, autos)
        for edge, deviation in zip(self._edges, (found.lower, found.upper), strict=True):
            edge.setData(wide, values + (deviation or 0.0), connect="finite", pen=None)
        colour = self.theme.colour("auto_fill")
        colour.setAlpha(BAND_ALPHA)
        self._band.setBrush(self.pg.mkBrush(colour))

    def _draw_axis(self, weeks: tuple[Week, ...]) -> None:
        fitting = max(1, self.width() // self.theme.px(TICK_WIDTH))
        step = max(1, -(-len(weeks) // fitting))
        ticks = [(x.start.toordinal(), f"week {x.start.isocalendar().week}") for x in weeks]
        self.area.getAxis("bottom").setTicks([ticks[::step]])
        if weeks:
            first, last = weeks[0].start.toordinal(), weeks[-1].start.toordinal()
            self.area.setXRange(first - DAYS / 2, last + DAYS / 2, padding=0.02)
        self.area.enableAutoRange(y=True)


def _with_gaps(xs: Any, values: Any) -> tuple[Any, Any]:  # noqa: ANN401 - numpy arrays
    """Put nothing between weeks that do not follow each other, so that no line joins them."""
    breaks = np.flatnonzero(np.diff(xs) > DAYS) + 1
    return np.insert(xs, breaks, xs[breaks] - DAYS), np.insert(values, breaks, np.nan)


def _spots(weeks: tuple[Week, ...], band: str, *, deviations: bool) -> list[Spot]:
    found = []
    for week in weeks:
        x = float(week.start.toordinal())
        if week.auto_mean is not None:
            words = f"{week.name}\nauto mean {fixed(week.auto_mean)}, n = {week.n_auto:,}"
            adjusted = week.adjusted
            if deviations and adjusted.value is not None:
                mark = f", {adjusted.mark}" if adjusted.mark else ""
                words += f"\nadjusted {fixed(adjusted.value)} (band {band} as of today{mark})"
            found.append(Spot(x, week.auto_mean, words, Point(week.start, labelled=False)))
        if week.human_mean is not None:
            words = (
                f"{week.name}\nhuman mean {fixed(week.human_mean)}, "
                f"n = {week.n_human:,} ({week.n_labels:,} labels)"
            )
            found.append(Spot(x, week.human_mean, words, Point(week.start, labelled=True)))
    return found
