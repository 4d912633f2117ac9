"""A scatter of two figures, one dot a place that is as large as what it counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.plot import Plot, Spot

HEIGHT = 260
SMALLEST, LARGEST = 6, 30


@dataclass(frozen=True, slots=True)
class Dot:
    """One dot: where it stands, what it says, what choosing it stands for, how much it counts."""

    spot: Spot
    n: int = 1
    role: str = "auto_fill"


class Scatter(Plot):
    """Dots over two named axes."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Make an empty scatter."""
        super().__init__(theme, name)
        self._dots: tuple[Dot, ...] = ()
        self._titles = ("", "")
        self._items = self.pg.ScatterPlotItem(pen=None)
        self.area.addItem(self._items)
        self.setFixedHeight(theme.px(HEIGHT))
        self.restyle()

    def show_dots(self, dots: Sequence[Dot], *, x_title: str, y_title: str) -> None:
        """Draw dots over axes with titles."""
        self._dots, self._titles = tuple(dots), (x_title, y_title)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw dots and axes."""
        small, large = self.theme.px(SMALLEST), self.theme.px(LARGEST)
        counts = np.array([dot.n for dot in self._dots], dtype=np.float64)
        sizes = small + (large - small) * np.sqrt(counts / counts.max(initial=1.0))
        if (counts <= 1).all():
            sizes = np.full(counts.size, float(small))
        brushes = []
        for dot in self._dots:
            colour = self.theme.colour(dot.role)
            colour.setAlpha(170)
            brushes.append(self.pg.mkBrush(colour))
        spots = [dot.spot for dot in self._dots]
        self._items.setData(
            x=[spot.x for spot in spots], y=[spot.y for spot in spots], size=sizes, brush=brushes
        )
        muted, small_text = self.theme.colour("muted").name(), self.theme.font(TextStyle.SMALL)
        for name, title in zip(("bottom", "left"), self._titles, strict=True):
            axis = self.area.getAxis(name)
            axis.setLabel(title, color=muted)
            axis.label.setFont(small_text)
        self.area.showGrid(x=True, y=True, alpha=0.15)
        self.set_spots(spots)
        self.set_table(
            (*self._titles, "responses"), [(dot.spot.x, dot.spot.y, dot.n) for dot in self._dots]
        )
