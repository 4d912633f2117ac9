"""The histogram of gaps, human minus auto."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.gui.text import signed
from reviewer.gui.theme import TextStyle, Theme

HEIGHT = 92
WIDEST = 15
"""Bars beyond which gaps are put together in equal steps."""


def bars(gaps: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Give centre and count of each bar, lowest first; many distinct gaps share bars."""
    if len(gaps) <= WIDEST:
        return [(gap, n) for gap, n in gaps]
    low, high = gaps[0][0], gaps[-1][0]
    step = max((high - low) / WIDEST, 1e-9)
    counts: dict[int, int] = {}
    for gap, n in gaps:
        place = round(gap / step)
        counts[place] = counts.get(place, 0) + n
    return [(place * step, n) for place, n in sorted(counts.items())]


class Histogram(QWidget):
    """Bars of gaps: the judge too high in the colour of auto, too low in that of human."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty histogram."""
        super().__init__()
        # half a second to import: not on the way to the first window
        import pyqtgraph

        self._pg: Any = pyqtgraph
        self._theme = theme
        self._gaps: tuple[tuple[float, int], ...] = ()
        self._plot = self._pg.PlotWidget(background=None)
        self._plot.setAntialiasing(True)
        self._plot.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._plot.setMouseEnabled(x=False, y=False)
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.hideAxis("left")
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(self._plot.Shape.NoFrame)
        self._plot.viewport().setAutoFillBackground(False)
        self._plot.setStyleSheet("background: transparent")
        self._bars = self._pg.BarGraphItem(x=[], height=[], width=0.8)
        self._plot.addItem(self._bars)
        self._counts: list[Any] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._plot)
        self.setFixedHeight(theme.px(HEIGHT))
        self.hide()
        self.setAccessibleName("Histogram of gaps, human minus auto")

    def show_gaps(self, gaps: tuple[tuple[float, int], ...]) -> None:
        """Draw gaps with their counts, lowest first."""
        if gaps != self._gaps:
            self._gaps = gaps
            self._draw()

    def restyle(self) -> None:
        """Take the theme's colours."""
        self._draw()

    def _draw(self) -> None:
        found = bars(self._gaps)
        self.setVisible(bool(found))
        places = list(range(len(found)))
        self._bars.setOpts(
            x=places,
            height=[n for _, n in found],
            width=0.62,
            brushes=[self._brush(gap) for gap, _ in found],
            pen=self._pg.mkPen(None),
        )
        axis = self._plot.getAxis("bottom")
        axis.setTicks([[(x, signed(gap, 1)) for x, (gap, _) in zip(places, found, strict=True)]])
        axis.setStyle(tickFont=self._theme.font(TextStyle.TINY), tickLength=0)
        axis.setPen(self._theme.colour("border"))
        axis.setTextPen(self._theme.colour("muted"))
        self._label(found)
        top = max((n for _, n in found), default=1)
        self._plot.setXRange(-0.7, max(len(found), 3) - 0.3, padding=0)
        self._plot.setYRange(0, top * 1.4, padding=0)
        words = ", ".join(f"{signed(gap, 1)}: {n}" for gap, n in found)
        self.setAccessibleDescription(words)
        self.setToolTip(f"gap: how often\n{words}" if words else "no gaps yet")

    def _label(self, found: Sequence[tuple[float, int]]) -> None:
        while len(self._counts) < len(found):
            item = self._pg.TextItem(anchor=(0.5, 1))
            self._plot.addItem(item)
            self._counts.append(item)
        for place, item in enumerate(self._counts):
            item.setVisible(place < len(found))
            if place < len(found):
                item.setText(str(found[place][1]), self._theme.colour("muted"))
                item.setFont(self._theme.font(TextStyle.TINY))
                item.setPos(place, found[place][1])

    def _brush(self, gap: float) -> object:
        role = "neutral_fill" if abs(gap) < 1e-9 else "auto_fill" if gap < 0 else "human_fill"
        return self._pg.mkBrush(self._theme.colour(role))
