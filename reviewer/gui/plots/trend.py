"""A metric over weeks: its means with the deviations as a band, and one figure with intervals.

Charts beneath each other show the same weeks: their left axes are alike, and so are their marks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from typing_extensions import override

from reviewer.domain.wording import fixed, gap_words, plain, two
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot
from reviewer.gui.plots.ticks import ticks, without_overlap
from reviewer.services.audits.trend import Side, Spanned, Trend, Week

HEIGHT, LOW = 230, 128
"""Pixels that the means and one figure of weeks take."""
LEFT = 44
"""Pixels of the left axis."""
DAYS = 7
TICK_WIDTH = 76
BAND_ALPHA = 46
MOST_TICKS = 5
NAMED = 36
"""Characters of the name of a mark."""


@dataclass(frozen=True, slots=True)
class Point:
    """What choosing a point stands for: evaluations of a week."""

    start: date
    side: Side


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A line over weeks: its colour by name, a value a week, and the sign of its points."""

    colour: str
    values: Sequence[Spanned]
    symbol: str
    is_dashed: bool = False


class WeeksChart(Plot):
    """What charts of weeks have in common: the axes, and lines where something changed."""

    def __init__(self, theme: Theme, name: str, height: int) -> None:
        """Make an empty chart of a height in pixels."""
        super().__init__(theme, name)
        self._trend: Trend | None = None
        self.area.showGrid(x=False, y=True, alpha=0.25)
        self.setFixedHeight(theme.px(height))
        self.area.getAxis("left").setWidth(theme.px(LEFT))

    @property
    def weeks(self) -> tuple[Week, ...]:
        """Give the weeks in view."""
        return () if self._trend is None else self._trend.weeks

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name as many weeks and changes as there is room for."""
        super().resizeEvent(event)
        self.draw()

    def draw_weeks(self, lines: Sequence[WeekLine]) -> None:
        """Draw lines with their intervals, week by week."""
        xs = np.array([week.start.toordinal() for week in self.weeks], dtype=np.float64)
        for line in lines:
            values = [x.value for x in line.values]
            if any(value is not None for value in values):
                self._draw_line(xs, line)

    def _draw_line(self, xs: Any, line: WeekLine) -> None:  # noqa: ANN401 - a numpy array
        colour = self.theme.colour(line.colour)
        for x, one in zip(xs, line.values, strict=True):
            if one.ends is not None:
                pen = self.pg.mkPen(colour, width=1.5)
                self.add(self.pg.PlotDataItem([x, x], list(one.ends), pen=pen))
        values = [np.nan if one.value is None else one.value for one in line.values]
        xs, values = _with_gaps(xs, np.array(values, dtype=np.float64))
        style = Qt.PenStyle.DashLine if line.is_dashed else Qt.PenStyle.SolidLine
        self.add(
            self.pg.PlotDataItem(
                xs,
                values,
                connect="finite",
                pen=self.pg.mkPen(colour, width=2, style=style),
                symbol=line.symbol,
                symbolSize=self.theme.px(4 if line.is_dashed else 6),
                symbolPen=None,
                symbolBrush=self.pg.mkBrush(colour),
            )
        )

    def draw_marks(self, *, named: bool) -> None:
        """Draw a line where something changed, with its name where there is room for it."""
        marks = () if self._trend is None else self._trend.marks
        pen = self.pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DashLine)
        for mark in marks:
            self.add(self.pg.InfiniteLine(mark.since.toordinal(), angle=90, pen=pen))
        if not named or not marks:
            return
        measures = self.theme.metrics(TextStyle.TINY)
        first, last = self._ends()
        pixel = (last - first) / max(self.width() - self.theme.px(LEFT), 1)
        titles = [one_line(mark.title, NAMED) for mark in marks]
        wide = [measures.horizontalAdvance(title) * pixel for title in titles]
        # the newest ones are named where there is no room for all
        places = [
            (mark.since.toordinal() + w / 2, w, mark.since.toordinal())
            for mark, w in zip(marks, wide, strict=True)
        ]
        for mark, title, w, shown in zip(
            marks, titles, wide, without_overlap(places), strict=True
        ):
            if not shown:
                continue
            at = mark.since.toordinal()
            words = self.pg.TextItem(
                title, color=self.theme.colour("muted"), anchor=(1 if at + w > last else 0, 0)
            )
            words.setFont(self.theme.font(TextStyle.TINY))
            self.add(words)
            words.setPos(at, self.area.plotItem.vb.viewRange()[1][1])

    def draw_axes(self, low: float, high: float) -> None:
        """Name weeks below and round values at the left, both ends of the values in view."""
        fitting = max(1, self.width() // self.theme.px(TICK_WIDTH))
        step = max(1, -(-len(self.weeks) // fitting))
        named = [(x.start.toordinal(), f"week {x.start.isocalendar().week}") for x in self.weeks]
        self.area.getAxis("bottom").setTicks([named[::step]])
        at = [(x, plain(x)) for x in ticks(low, high, MOST_TICKS)]
        self.area.getAxis("left").setTicks([at])
        self.area.setXRange(*self._ends(), padding=0)
        self.area.setYRange(low, high, padding=0.08)

    def _ends(self) -> tuple[float, float]:
        if not self.weeks:
            return 0.0, 1.0
        first, last = self.weeks[0].start.toordinal(), self.weeks[-1].start.toordinal()
        return first - DAYS / 2, last + DAYS / 2


class FigureOfWeeks(WeeksChart):
    """One figure a week with its interval, such as the gap or the agreement.

    A chosen spot is a `Point` of evaluations that judge and people scored.
    """

    def __init__(
        self, theme: Theme, name: str, colour: str, write: Callable[[float], str]
    ) -> None:
        """Make an empty chart; `write` says a value."""
        super().__init__(theme, name, LOW)
        self._colour, self._write, self._name = colour, write, name
        self._values: tuple[Spanned, ...] = ()
        self.restyle()

    def show_figures(self, found: Trend, values: Sequence[Spanned]) -> None:
        """Draw one figure of every week."""
        self._trend, self._values = found, tuple(values)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw the line, its intervals, and where it would be 0."""
        self.clear()
        if len(self._values) != len(self.weeks):
            return
        low, high = ends_of(self._values, around=0.0)
        self.draw_axes(low, high)
        pen = self.pg.mkPen(self.theme.colour("muted"), width=1)
        self.add(self.pg.InfiniteLine(0.0, angle=0, pen=pen))
        self.draw_weeks([WeekLine(self._colour, self._values, "d")])
        self.draw_marks(named=False)
        pairs = list(zip(self.weeks, self._values, strict=True))
        self.set_spots(
            [
                Spot(
                    float(week.start.toordinal()),
                    one.value,
                    f"{week.name}\n{self._name} {_told(one, self._write)}",
                    Point(week.start, "compared"),
                )
                for week, one in pairs
                if one.value is not None
            ]
        )
        self.set_table(
            ("week from", self._name, "low", "high", "n"),
            [(week.start.isoformat(), x.value, x.low, x.high, x.n) for week, x in pairs],
        )


class TrendChart(WeeksChart):
    """Lines with a mark a week; a week without evaluations is a gap.

    A chosen spot is a `Point`.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Means over weeks", HEIGHT)
        self._with_deviations = True
        self._edges = [self.pg.PlotCurveItem(), self.pg.PlotCurveItem()]
        self._band = self.pg.FillBetweenItem(*self._edges)
        self._band.setZValue(-10)
        for item in (*self._edges, self._band):
            self.area.addItem(item)
        self.restyle()

    def show_trend(self, found: Trend, *, deviations: bool) -> None:
        """Draw a metric's weeks, with or without deviations and adjusted means."""
        self._trend, self._with_deviations = found, deviations
        self.draw()

    @override
    def draw(self) -> None:
        """Draw lines, band, axes and what can be hovered."""
        self.clear()
        found, weeks = self._trend, self.weeks
        adjusted = tuple(
            Spanned(week.adjusted.value if self._with_deviations else None) for week in weeks
        )
        autos = tuple(Spanned(week.auto_mean) for week in weeks)
        humans = tuple(week.human for week in weeks)
        low, high = ends_of((*adjusted, *autos, *humans, *self._band_ends()))
        self.draw_axes(low, high)
        self.draw_weeks(
            [
                WeekLine("adjusted_fill", adjusted, "t", is_dashed=True),
                WeekLine("auto_fill", autos, "o"),
                WeekLine("human_fill", humans, "s"),
            ]
        )
        self._draw_band(
            np.array([week.start.toordinal() for week in weeks], dtype=np.float64), weeks
        )
        self.draw_marks(named=True)
        band = gap_words(found.band.value) if found else ""
        self.set_spots(
            [
                *_spots(weeks, band, deviations=self._with_deviations),
                *(
                    Spot(float(x.since.toordinal()), high, f"since {x.since}: {x.words}")
                    for x in (found.marks if found else ())
                ),
            ]
        )
        titles = ("week from", "auto mean", "evaluations", "human mean", "low", "high",
                  "labelled", "adjusted", "lower deviation", "upper deviation")  # fmt: skip
        lower, upper = (None, None) if found is None else (found.lower, found.upper)
        self.set_table(
            titles,
            [
                (x.start.isoformat(), x.auto_mean, x.n_auto, x.human.value, x.human.low,
                 x.human.high, x.n_human, x.adjusted.value, lower, upper)
                for x in weeks
            ],
        )  # fmt: skip

    def _band_ends(self) -> list[Spanned]:
        """Give the edges of the band around what the judge gave."""
        found = self._trend
        if found is None or not self._with_deviations:
            return []
        return [
            Spanned(week.auto_mean + deviation)
            for week in found.weeks
            for deviation in (found.lower, found.upper)
            if week.auto_mean is not None and deviation is not None
        ]

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
            found.append(Spot(x, week.auto_mean, words, Point(week.start, "judged")))
        if week.human.value is not None:
            words = f"{week.name}\nhuman mean {_told(week.human, two)} ({week.n_labels:,} labels)"
            found.append(Spot(x, week.human.value, words, Point(week.start, "labelled")))
    return found


def ends_of(values: Sequence[Spanned], around: float | None = None) -> tuple[float, float]:
    """Give the least and the largest of values and their intervals, with `around` between."""
    there = [x for one in values for x in (one.value, *(one.ends or ())) if x is not None]
    there += [] if around is None else [around]
    low, high = (min(there), max(there)) if there else (0.0, 1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _told(one: Spanned, write: Callable[[float], str]) -> str:
    if one.value is None:
        return ""
    around = "" if one.ends is None else f" ({write(one.ends[0])} – {write(one.ends[1])})"
    return f"{write(one.value)}{around}, n = {one.n:,}"
