"""Figures over runs: a point a run with its interval, joined by a line, several side by side.

What changed between two runs, such as the judge, is a dotted line between them with its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 210
NAME, BEHIND = 84, 78
"""Pixels that the name of a run takes, and that of a series behind its last point."""
STEP: Final = 0.13
"""How far the points of a run stand beside each other, in runs."""
CROWDED, PALE = 40, 80
"""Runs from which on points are small, and how faint their intervals are then."""
_SYMBOLS: Final = {"auto": "o", "human": "s", "adjusted": "t1"}
_SIGNS: Final = {"auto": "●", "human": "■", "adjusted": "▲"}
_STYLES: Final = {"adjusted": Qt.PenStyle.DashLine}


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


@dataclass(frozen=True, slots=True)
class RunSeries:
    """One figure over all runs, oldest first.

    Attributes:
        name: What stands behind its last point where there are several.
        role: `auto`, `human` or `adjusted`.
    """

    name: str
    role: str
    dots: tuple[RunDot, ...]


@dataclass(frozen=True, slots=True)
class RunMark:
    """What is otherwise from a run on: its place, in a word, and in full."""

    place: int
    name: str
    words: str


class RunsChart(Plot):
    """A point a run and series, oldest first; a chosen spot is the run's name."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Figure by run")
        self._series: tuple[RunSeries, ...] = ()
        self._marks: tuple[RunMark, ...] = ()
        self._names: tuple[str, ...] = ()
        self.area.showGrid(x=False, y=True, alpha=0.25)
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_runs(
        self,
        series: Sequence[RunSeries],
        marks: Sequence[RunMark] = (),
        names: Sequence[str] = (),
    ) -> None:
        """Draw figures of runs, oldest first; `names` are short ones for little room."""
        self._series, self._marks = tuple(series), tuple(marks)
        self._names = tuple(names)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw marks, points, intervals and names."""
        self.clear()
        spots: list[Spot] = []
        for place, one in enumerate(self._series):
            shift = STEP * (place - (len(self._series) - 1) / 2)
            known = [(x + shift, dot) for x, dot in enumerate(one.dots) if dot.value is not None]
            if known:
                self._draw_series(one, known)
            spots += [Spot(x, dot.value or 0.0, dot.words, dot.run) for x, dot in known]
        self._draw_axis()
        for mark in self._marks:
            spots.append(Spot(mark.place - 0.5, self._top, mark.words))
            self._draw_mark(mark)
        self._draw_names()
        self.set_spots(spots)
        self._tell()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name as many runs as there is room for."""
        super().resizeEvent(event)
        self._draw_axis()

    @property
    def _count(self) -> int:
        return max((len(x.dots) for x in self._series), default=0)

    @property
    def _span(self) -> tuple[float, float]:
        """Give the lowest and the highest number that is drawn, a little apart."""
        found = [
            x
            for one in self._series
            for dot in one.dots
            for x in (dot.value, dot.low, dot.high)
            if x is not None
        ]
        low, high = min(found, default=0.0), max(found, default=1.0)
        edge = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
        return low - edge, high + edge * (3 if self._marks else 1)

    @property
    def _top(self) -> float:
        return self._span[1]

    def _draw_series(self, one: RunSeries, known: list[tuple[float, RunDot]]) -> None:
        xs = np.array([x for x, _ in known])
        values = np.array([dot.value for _, dot in known], dtype=np.float64)
        colour = self.theme.colour(f"{one.role}_fill")
        is_crowded = self._count > CROWDED
        style = _STYLES.get(one.role, Qt.PenStyle.SolidLine)
        # an interval the colour of its point where several stand beside each other
        tone = self.theme.colour(f"{one.role}_fill" if len(self._series) > 1 else "muted")
        if is_crowded:
            tone.setAlpha(PALE)
        self.add(
            self.pg.ErrorBarItem(
                x=xs,
                y=values,
                top=np.array([_above(dot) for _, dot in known]),
                bottom=np.array([_below(dot) for _, dot in known]),
                beam=0.0 if is_crowded else 0.06,
                pen=self.pg.mkPen(tone, width=1),
            )
        )
        self.add(
            self.pg.PlotDataItem(
                xs,
                values,
                pen=self.pg.mkPen(colour, width=2, style=style),
                symbol=_SYMBOLS[one.role],
                symbolSize=self.theme.px(4 if is_crowded else 8),
                symbolPen=None,
                symbolBrush=self.pg.mkBrush(colour),
            )
        )

    def _draw_mark(self, mark: RunMark) -> None:
        pen = self.pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine)
        self.add(self.pg.InfiniteLine(mark.place - 0.5, angle=90, pen=pen))
        self._write(mark.name, (mark.place - 0.5, self._top), "muted", (0.5, 0.0))

    def _draw_names(self) -> None:
        """Name series behind their last points, as far apart as they can be read."""
        if len(self._series) < 2:
            return
        last = [
            (next(dot.value for dot in reversed(one.dots) if dot.value is not None), one)
            for one in self._series
            if any(dot.value is not None for dot in one.dots)
        ]
        low, high = self._span
        line = QFontMetrics(self.theme.font(TextStyle.TINY)).height()
        apart = (high - low) * line / max(self.height() - 2 * line, 1)
        last.sort(key=lambda x: x[0] or 0.0)
        at = low - apart
        for place, (value, one) in enumerate(last):
            # those above need room, too
            most = high - apart * (len(last) - place - 0.5)
            at = min(max(at + apart, value or 0.0), most)
            words = f"{_SIGNS[one.role]} {one.name}"
            self._write(words, (self._count - 1 + 2 * STEP, at), one.role, (0.0, 0.5))

    def _write(
        self, words: str, place: tuple[float, float], role: str, anchor: tuple[float, float]
    ) -> None:
        made = self.pg.TextItem(words, color=self.theme.colour(role), anchor=anchor)
        made.setFont(self.theme.font(TextStyle.TINY))
        made.setPos(*place)
        self.add(made)

    def _draw_axis(self) -> None:
        count = self._count
        fitting = max(1, self.width() // self.theme.px(NAME))
        step = max(1, -(-count // fitting))
        metrics = QFontMetrics(self.theme.font(TextStyle.TINY))
        room = max(self.theme.px(NAME), self.width() // max(count, 1)) - self.theme.px(8)
        runs = tuple(dot.run for one in self._series[:1] for dot in one.dots)
        if any(metrics.horizontalAdvance(run) > room for run in runs):
            runs = self._names or runs
        ticks = [
            (place, metrics.elidedText(run, Qt.TextElideMode.ElideMiddle, room))
            for place, run in enumerate(runs)
        ]
        self.area.getAxis("bottom").setTicks([ticks[::-1][::step]])
        behind = 0.0
        if len(self._series) > 1:
            share = self.theme.px(BEHIND) / max(self.width(), 2 * self.theme.px(BEHIND))
            behind = max(count, 2) * share / (1 - share)
        self.area.setXRange(-0.5, max(count, 2) - 0.5 + behind, padding=0)
        self.area.setYRange(*self._span, padding=0)

    def _tell(self) -> None:
        changed: dict[int, list[str]] = {}
        for mark in self._marks:
            changed.setdefault(mark.place, []).append(mark.words)
        titles = [title for one in self._series for title in (one.name, "low", "high")]
        rows = []
        for place in range(self._count):
            dots = [one.dots[place] for one in self._series]
            numbers = [x for dot in dots for x in (dot.value, dot.low, dot.high)]
            notes = ["; ".join(changed.get(place, []))] if self._marks else []
            rows.append((dots[0].run, *numbers, *notes))
        self.set_table(("run", *titles, *(["changed"] if self._marks else [])), rows)


def _above(dot: RunDot) -> float:
    return 0.0 if dot.high is None or dot.value is None else dot.high - dot.value


def _below(dot: RunDot) -> float:
    return 0.0 if dot.low is None or dot.value is None else dot.value - dot.low
