"""The histogram of gaps, human minus auto."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtGui import QResizeEvent
from typing_extensions import override

from reviewer.domain.wording import gap_words
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 92
WIDEST = 15
MOST_DIGITS = 3
"""Bars beyond which gaps are put together in equal steps."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its centre, how many gaps it counts, and between which gaps they lie."""

    gap: float
    n: int
    low: float
    high: float


def bars(gaps: Sequence[tuple[float, int]]) -> list[Bar]:
    """Give the bars, lowest first; many distinct gaps share bars."""
    if len(gaps) <= WIDEST:
        return [Bar(gap, n, gap, gap) for gap, n in gaps]
    low, high = gaps[0][0], gaps[-1][0]
    step = max((high - low) / WIDEST, 1e-9)
    mine: dict[int, list[tuple[float, int]]] = {}
    for gap, n in gaps:
        mine.setdefault(round(gap / step), []).append((gap, n))
    return [
        Bar(place * step, sum(n for _, n in some), some[0][0], some[-1][0])
        for place, some in sorted(mine.items())
    ]


class Histogram(Plot):
    """Bars of gaps: the judge too high in the colour of auto, too low in that of human.

    A chosen spot is the `Bar`.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty histogram."""
        super().__init__(theme, "Histogram of gaps, human minus auto", by_column=True)
        self._gaps: tuple[tuple[float, int], ...] = ()
        self._counts: list[Any] = []
        self.area.hideAxis("left")
        self._bars = self.pg.BarGraphItem(x=[], height=[], width=0.8)
        self.area.addItem(self._bars)
        self.setFixedHeight(theme.px(HEIGHT))
        self.hide()
        self.restyle()

    def show_gaps(self, gaps: tuple[tuple[float, int], ...]) -> None:
        """Draw gaps with their counts, lowest first."""
        if gaps != self._gaps:
            self._gaps = gaps
            self.draw()

    def draw(self) -> None:
        """Draw the bars."""
        found = bars(self._gaps)
        self.setVisible(bool(found))
        self._bars.setOpts(
            x=list(range(len(found))),
            height=[bar.n for bar in found],
            width=0.62,
            brushes=[self._brush(bar.gap) for bar in found],
            pen=self.pg.mkPen(None),
        )
        self._write_titles(found)
        self._label(found)
        top = max((bar.n for bar in found), default=1)
        self.area.setXRange(-0.7, max(len(found), 3) - 0.3, padding=0)
        self.area.setYRange(0, top * 1.4, padding=0)
        self.set_spots([Spot(x, bar.n, _words(bar), bar) for x, bar in enumerate(found)])
        self.set_table(("gap", "responses"), [(bar.gap, bar.n) for bar in found])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write as many titles as there is room for now."""
        super().resizeEvent(event)
        self._write_titles(bars(self._gaps))

    def _write_titles(self, found: Sequence[Bar]) -> None:
        """Write beneath the bars every title, or as many as do not touch each other."""
        titles = _titles(found)
        measures = self.theme.metrics(TextStyle.TINY)
        wide = max((measures.horizontalAdvance(x) for x in titles), default=0) + self.theme.px(4)
        step = math.ceil(wide * max(len(found), 3) / max(self.width(), 1))
        ticks = [(at, title) for at, title in enumerate(titles) if at % step == 0]
        self.area.getAxis("bottom").setTicks([ticks])

    def _label(self, found: Sequence[Bar]) -> None:
        while len(self._counts) < len(found):
            item = self.pg.TextItem(anchor=(0.5, 1))
            self.area.addItem(item)
            self._counts.append(item)
        for place, item in enumerate(self._counts):
            item.setVisible(place < len(found))
            if place < len(found):
                item.setText(f"{found[place].n:,}", self.theme.colour("muted"))
                item.setFont(self.theme.font(TextStyle.TINY))
                item.setPos(place, found[place].n)

    def _brush(self, gap: float) -> object:
        role = "neutral_fill" if abs(gap) < 1e-9 else "auto_fill" if gap < 0 else "human_fill"
        return self.pg.mkBrush(self.theme.colour(role))


def _titles(found: Sequence[Bar]) -> list[str]:
    """Write each bar's gap with as few decimals as tell the bars apart."""
    for digits in range(1, MOST_DIGITS):
        titles = [gap_words(bar.gap, digits) for bar in found]
        if len(set(titles)) == len(titles):
            return titles
    return [gap_words(bar.gap, MOST_DIGITS) for bar in found]


def _words(bar: Bar) -> str:
    gap = gap_words(bar.gap, 2)
    if bar.low != bar.high:
        gap = f"{gap_words(bar.low, 2)} to {gap_words(bar.high, 2)}"
    return f"gap {gap}: {bar.n:,} responses"
