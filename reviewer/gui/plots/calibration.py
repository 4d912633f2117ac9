"""Calibration: what people give on average at each score of the judge."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from typing_extensions import override

from reviewer.domain.wording import plain, two
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot
from reviewer.gui.plots.ticks import ticks
from reviewer.services.findings.insights_values import LevelMean

HEIGHT = 230
MARGIN = 0.06
MOST_TICKS = 6
EDGE = 0.85
"""The part of the width beyond which counts stand before their points."""


class CalibrationChart(Plot):
    """A point a level with its interval and count; on the dashed line both sides are alike.

    A chosen spot is the level.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "What people give on average at each score of the judge")
        self._levels: tuple[LevelMean, ...] = ()
        self._fitted: dict[float, float] = {}
        self._bounds: tuple[float, float] | None = None
        self.area.showGrid(x=True, y=True, alpha=0.25)
        self.area.setLabel("bottom", "judge")
        self.area.setLabel("left", "people")
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_levels(
        self,
        levels: Sequence[LevelMean],
        fitted: dict[float, float],
        bounds: tuple[float, float] | None,
    ) -> None:
        """Draw levels; `fitted` are the nearest means that never fall, where there are enough."""
        self._levels, self._fitted, self._bounds = tuple(levels), fitted, bounds
        self.draw()

    @override
    def draw(self) -> None:
        """Draw points, intervals, counts and the line of no difference."""
        self.clear()
        low, high = self._ends()
        self._draw_same(low, high)
        human = self.theme.colour("human_fill")
        for one in self._levels:
            if one.low is not None and one.high is not None:
                self.add(
                    self.pg.PlotDataItem(
                        [one.level] * 2,
                        [max(one.low, low), min(one.high, high)],
                        pen=self.pg.mkPen(human, width=2),
                    )
                )
            self._write_count(one, before=one.level > low + EDGE * (high - low))
        self.add(
            self.pg.ScatterPlotItem(
                [one.level for one in self._levels],
                [one.mean for one in self._levels],
                size=self.theme.px(9),
                symbol="s",
                pen=None,
                brush=human,
            )
        )
        for axis, way in (("bottom", self.area.setXRange), ("left", self.area.setYRange)):
            self.area.getAxis(axis).setTicks(
                [[(x, plain(x)) for x in ticks(low, high, MOST_TICKS)]]
            )
            way(low, high, padding=MARGIN)
        self.set_spots([Spot(x.level, x.mean, self._words(x), x.level) for x in self._levels])
        self.set_table(
            ("judge", "labelled", "people", "low", "high", "fitted"),
            [
                (x.level, x.n, x.mean, x.low, x.high, self._fitted.get(x.level))
                for x in self._levels
            ],
        )

    def _ends(self) -> tuple[float, float]:
        if self._bounds is not None:
            return self._bounds
        values = [x for one in self._levels for x in (one.level, one.mean)] or [0.0, 1.0]
        return min(values), max(*values, min(values) + 1.0)

    def _draw_same(self, low: float, high: float) -> None:
        pen = self.pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DashLine)
        self.add(self.pg.PlotDataItem([low, high], [low, high], pen=pen))

    def _write_count(self, one: LevelMean, *, before: bool) -> None:
        words = self.pg.TextItem(
            f"n {one.n:,}",
            color=self.theme.colour("muted"),
            anchor=(1.2 if before else -0.15, 0.5),
        )
        words.setFont(self.theme.font(TextStyle.TINY))
        words.setPos(one.level, one.mean)
        self.add(words)

    def _words(self, one: LevelMean) -> str:
        around = (
            "" if one.low is None or one.high is None else f" ({two(one.low)} – {two(one.high)})"
        )
        fitted = self._fitted.get(one.level)
        told = (
            f"\n{two(fitted)} once fitted so that means never fall" if fitted is not None else ""
        )
        return f"judge {plain(one.level)}: people {two(one.mean)}{around}, n = {one.n:,}{told}"
