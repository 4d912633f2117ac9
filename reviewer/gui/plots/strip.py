"""A strip of past windows: the pass rate of each as a bar, its status as a sign and a colour."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import Qt
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 120
FEWEST = 10
"""Bars that the strip has room for at least, so that few are not broad."""
TITLES = 10
SIGNS: Final = {"healthy": "✓", "warning": "!", "critical": "✕", "insufficient_data": "–"}
"""What a status looks like without its colour."""
FILLS: Final = {
    "healthy": "adjusted_fill",
    "warning": "human_fill",
    "critical": "alert_fill",
    "insufficient_data": "neutral_fill",
}


@dataclass(frozen=True, slots=True)
class StripBar:
    """One past window.

    Attributes:
        title: When it was.
        rate: Its pass rate, None without a verdict.
        words: What it says when hovered.
        key: What choosing it stands for.
    """

    title: str
    rate: float | None
    n: int
    status: str
    uncertain: bool
    words: str
    key: Hashable


class StatusStrip(Plot):
    """Bars from the oldest to the newest, with a line at each threshold."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty strip."""
        super().__init__(theme, "Pass rate of past windows", by_column=True)
        self._found: tuple[StripBar, ...] = ()
        self._thresholds: tuple[float, float] = (0.0, 0.0)
        self._bars = self.pg.BarGraphItem(x=[], height=[], width=0.7)
        self.area.addItem(self._bars)
        self._lines = [self.pg.InfiniteLine(angle=0) for _ in self._thresholds]
        for line in self._lines:
            line.setZValue(-5)
            self.area.addItem(line, ignoreBounds=True)
        self._signs: list[Any] = []
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_bars(self, found: Sequence[StripBar], *, warning: float, critical: float) -> None:
        """Draw past windows, oldest first."""
        self._found, self._thresholds = tuple(found), (warning, critical)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw bars, signs and thresholds."""
        found = self._found
        self._bars.setOpts(
            x=list(range(len(found))),
            height=[bar.rate or 0.0 for bar in found],
            width=0.7,
            brushes=[self._brush(bar) for bar in found],
            pen=self.pg.mkPen(None),
        )
        roles = ("human_fill", "alert_fill")
        for line, at, role in zip(self._lines, self._thresholds, roles, strict=True):
            line.setPos(at)
            line.setPen(
                self.pg.mkPen(self.theme.colour(role), width=1, style=Qt.PenStyle.DashLine)
            )
        while len(self._signs) < len(self._found):
            item = self.pg.TextItem(anchor=(0.5, 1))
            self.area.addItem(item)
            self._signs.append(item)
        for place, item in enumerate(self._signs):
            item.setVisible(place < len(self._found))
            if place < len(self._found):
                bar = self._found[place]
                sign = SIGNS[bar.status] + ("?" if bar.uncertain and bar.n else "")
                item.setText(sign, self.theme.colour("text"))
                item.setFont(self.theme.font(TextStyle.SMALL))
                item.setPos(place, bar.rate or 0.0)
        step = max(1, -(-len(self._found) // TITLES))
        ticks = [(place, bar.title) for place, bar in enumerate(self._found)]
        # the newest is always named
        self.area.getAxis("bottom").setTicks([ticks[::-1][::step]])
        percents = [(share / 100, f"{share} %") for share in (0, 50, 100)]
        self.area.getAxis("left").setTicks([percents])
        self.area.setXRange(-0.7, max(len(self._found), FEWEST) - 0.3, padding=0)
        self.area.setYRange(0, 1.3, padding=0)
        self.set_spots(
            [Spot(x, bar.rate or 0.0, bar.words, bar.key) for x, bar in enumerate(found)]
        )
        self.set_table(
            ("when", "samples", "pass rate", "status", "uncertain"),
            [(x.title, x.n, x.rate, x.status, "yes" if x.uncertain else "no") for x in found],
        )

    def _brush(self, bar: StripBar) -> object:
        colour = self.theme.colour(FILLS[bar.status])
        # chance alone could have given another status: pale, and the sign says "?"
        colour.setAlpha(90 if bar.uncertain else 210)
        return self.pg.mkBrush(colour)
