"""The histogram of gaps, human minus auto."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from PySide6.QtGui import QResizeEvent
from typing_extensions import override

from reviewer.domain.wording import gap_words
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot
from reviewer.gui.plots.ticks import round_step, ticks, without_overlap

HEIGHT = 100
WIDEST = 41
"""Bars beyond which gaps are put together in equal steps: thirds and halves of five levels."""
NEAREST = 0.01
"""The least distance of two bars, as a part of the whole: nearer ones are put together as well."""
THINNEST, TICK_ROOM = 3, 46
"""Pixels of the thinnest bar, and between two ticks."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its centre, how many gaps it counts, and between which gaps they lie."""

    gap: float
    n: int
    low: float
    high: float


def bars(gaps: Sequence[tuple[float, int]]) -> list[Bar]:
    """Give the bars, lowest first; many distinct gaps share bars, and so do close ones."""
    span = gaps[-1][0] - gaps[0][0] if gaps else 0.0
    close = any(b - a < span * NEAREST for (a, _), (b, _) in pairwise(gaps))
    if len(gaps) <= WIDEST and not close:
        return [Bar(gap, n, gap, gap) for gap, n in gaps]
    step = round_step(max(span / WIDEST, 1e-9))
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
        """Draw the bars where their gaps lie, so that distances are to scale."""
        found = bars(self._gaps)
        self.setVisible(bool(found))
        places = [bar.gap for bar in found]
        apart = min((b - a for a, b in pairwise(places)), default=1.0)
        low, high = min([0.0, *places]) - apart, max([0.0, *places]) + apart
        thinnest = self.theme.px(THINNEST) * (high - low) / max(self.width(), 1)
        self._bars.setOpts(
            x=places,
            height=[bar.n for bar in found],
            width=max(0.62 * apart, thinnest),
            brushes=[self._brush(bar.gap) for bar in found],
            pen=self.pg.mkPen(None),
        )
        self.area.setXRange(low, high, padding=0)
        top = max((bar.n for bar in found), default=1)
        self.area.setYRange(0, top * 1.4, padding=0)
        self._write_titles(low, high)
        self._label(found, high - low)
        self.set_spots([Spot(x.gap, x.n, _words(x), x) for x in found], within=apart / 2)
        self.set_table(("gap", "responses"), [(bar.gap, bar.n) for bar in found])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write as many titles and counts as there is room for now."""
        super().resizeEvent(event)
        self.draw()

    def _write_titles(self, low: float, high: float) -> None:
        most = max(self.width() // self.theme.px(TICK_ROOM), 2)
        places = ticks(low, high, most)
        self.area.getAxis("bottom").setTicks([[(x, gap_words(x, 3)) for x in places]])

    def _label(self, found: Sequence[Bar], span: float) -> None:
        """Write the counts that do not touch each other, the largest first."""
        while len(self._counts) < len(found):
            item = self.pg.TextItem(anchor=(0.5, 1))
            self.area.addItem(item)
            self._counts.append(item)
        measures = self.theme.metrics(TextStyle.TINY)
        pixel = span / max(self.width(), 1)
        wide = [measures.horizontalAdvance(f"{bar.n:,}") + self.theme.px(4) for bar in found]
        shown = without_overlap(
            [(bar.gap, px * pixel, bar.n) for bar, px in zip(found, wide, strict=True)]
        )
        for place, item in enumerate(self._counts):
            item.setVisible(place < len(found) and shown[place])
            if item.isVisible():
                item.setText(f"{found[place].n:,}", self.theme.colour("muted"))
                item.setFont(self.theme.font(TextStyle.TINY))
                item.setPos(found[place].gap, found[place].n)

    def _brush(self, gap: float) -> object:
        role = "neutral_fill" if abs(gap) < 1e-9 else "auto_fill" if gap < 0 else "human_fill"
        return self.pg.mkBrush(self.theme.colour(role))


def _words(bar: Bar) -> str:
    gap = gap_words(bar.gap, 2)
    if bar.low != bar.high:
        gap = f"{gap_words(bar.low, 2)} to {gap_words(bar.high, 2)}"
    return f"gap {gap}: {bar.n:,} responses"
