"""How two columns of numbers spread, one over the other on a logarithmic axis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from typing_extensions import override

from reviewer.domain.wording import fixed, in_percent, trimmed
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 190
FEWEST, MOST = 8, 24
"""Steps for few numbers, where finer ones would show chance only, and for many."""
FILL_ALPHA = 60
NEAR_END = 0.75
"""Share of the axis from which on there is no room for a name behind its line."""
LEAST = 0.1
"""What a smaller number is taken for: a logarithm needs one above 0."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spread:
    """One column: what it is called, its colour's role, its numbers, and lines to draw.

    Attributes:
        lines: Names and places of vertical lines, such as ("p50", 90.0).
    """

    name: str
    role: str
    values: Floats
    lines: tuple[tuple[str, float], ...] = ()


class Densities(Plot):
    """The shares of numbers in equal steps of the logarithm, a filled line a column."""

    def __init__(self, theme: Theme, name: str, unit: str) -> None:
        """Make an empty chart; `unit` is of the numbers, such as ms."""
        super().__init__(theme, name, by_column=False)
        self._unit = unit
        self._spreads: tuple[Spread, ...] = ()
        self.area.hideAxis("left")
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_spreads(self, spreads: tuple[Spread, ...]) -> None:
        """Draw columns, the first below the others."""
        self._spreads = spreads
        self.draw()

    @override
    def draw(self) -> None:
        """Draw the lines, what marks them, and the axis in powers of ten."""
        self.clear()
        columns = [np.log10(np.maximum(x.values, LEAST)) for x in self._spreads]
        every = np.concatenate(columns) if columns else np.zeros(0)
        if not every.size:
            self.set_spots([])
            self.set_table((), ())
            return
        low, high = float(every.min()), float(every.max())
        smallest = min(column.size for column in columns if column.size)
        bins = min(max(round(smallest**0.5), FEWEST), MOST)
        edges = np.linspace(low - 0.05, high + 0.05, bins + 1)
        middles = (edges[:-1] + edges[1:]) / 2
        shares = [_shares(column, edges) for column in columns]
        top = max(float(x.max(initial=0.0)) for x in shares)
        for spread, share in zip(self._spreads, shares, strict=True):
            colour = self.theme.colour(spread.role)
            fill = QColor(colour)
            fill.setAlpha(FILL_ALPHA)
            if share.any():
                curve = self.pg.PlotCurveItem(
                    middles, share, pen=self.pg.mkPen(colour, width=2), fillLevel=0.0,
                    brush=self.pg.mkBrush(fill),
                )  # fmt: skip
                self.add(curve)
            for place, (name, value) in enumerate(spread.lines):
                at = float(np.log10(max(value, LEAST)))
                pen = self.pg.mkPen(colour, width=1.5, style=Qt.PenStyle.DashLine)
                self.add(self.pg.PlotCurveItem([at, at], [0.0, top * 1.12], pen=pen))
                # near the end of the axis a name stands before its line, where it has room
                late = at > middles[0] + NEAR_END * (middles[-1] - middles[0])
                label = self.pg.TextItem(f"{name} {fixed(value, 0)}", self.theme.colour("muted"),
                                         anchor=(float(late), 0.0))  # fmt: skip
                label.setFont(self.theme.font(TextStyle.TINY))
                # lines that stand close to each other have their names at two heights
                label.setPos(at, top * (1.3 if place % 2 == 0 else 1.15))
                self.add(label)
        powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
        ticks = [(float(power), trimmed(10.0**power, 10)) for power in powers]
        self.area.getAxis("bottom").setTicks([ticks])
        self.area.setXRange(low - 0.1, high + 0.1, padding=0.02)
        self.area.setYRange(0, top * 1.32, padding=0)
        self._tell(edges, shares)

    def _tell(self, edges: Floats, shares: list[Floats]) -> None:
        spots, rows = [], []
        for place in range(edges.size - 1):
            low, high = (float(10 ** edges[place + step]) for step in (0, 1))
            words = [f"{fixed(low, 0)} to {fixed(high, 0)} {self._unit}"]
            for spread, share in zip(self._spreads, shares, strict=True):
                words.append(f"{spread.name}: {in_percent(share[place])}")
            rows.append((low, high, *(float(share[place]) for share in shares)))
            most = max(float(share[place]) for share in shares)
            if most:
                middle = float((edges[place] + edges[place + 1]) / 2)
                spots.append(Spot(middle, most, "\n".join(words)))
        self.set_spots(spots)
        names = tuple(f"share of {spread.name}" for spread in self._spreads)
        self.set_table((f"from, {self._unit}", f"to, {self._unit}", *names), rows)


def _shares(column: Floats, edges: Floats) -> Floats:
    if not column.size:
        return np.zeros(edges.size - 1)
    counts, _ = np.histogram(column, edges)
    return np.asarray(counts / column.size)
