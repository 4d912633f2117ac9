"""How scores spread over levels: a panel a metric, a row a run, the share of each level in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QResizeEvent
from typing_extensions import override

from reviewer.domain.wording import in_percent
from reviewer.gui.kit.theme import TextStyle, Theme, contrast, mix
from reviewer.gui.plots.plot import Plot, Spot

ROW, PANEL = 22, 168
"""Pixels that a run takes, and that a metric needs to be read."""
NAMES = 116
"""Pixels of the runs' names."""
BAR: Final = 0.76
BETWEEN: Final = 0.07
"""Share of a panel that stays free before the next."""
HEAD: Final = 1.7
"""Rows that a panel's title takes, with what stays free above it."""
FAINTEST: Final = 0.12
WRITTEN: Final = 26
"""Pixels from which a share is written into its bar."""
SLACK: Final = 24
"""Pixels by which a window may change its width before all is drawn anew."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run of a panel.

    Attributes:
        key: What choosing a level of it stands for, with the level's place.
        short: Its name where there is little room.
        counts: Scores at each level, lowest first.
    """

    key: str
    name: str
    short: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric: its key, its title, its levels in words, and its runs, the first on top."""

    key: str
    title: str
    levels: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Bar:
    """A level of a run as it is drawn."""

    x: float
    y: float
    width: float
    spot: Spot


class LevelShares(Plot):
    """Panels side by side and below each other; a chosen spot is (metric, run, place of level)."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty chart."""
        super().__init__(theme, "Shares of levels by run")
        self._panels: tuple[Panel, ...] = ()
        self._bars: list[_Bar] = []
        self._drawn = self._beside = 0
        self.area.hideAxis("bottom")
        self.restyle()

    def show_panels(self, panels: Sequence[Panel]) -> None:
        """Draw metrics with the same runs."""
        self._panels = tuple(panels)
        self.draw()

    @override
    def draw(self) -> None:
        """Draw titles, bars and shares."""
        self.clear()
        self._bars = []
        self._drawn, self._beside = self.width(), self._across
        across = self._beside
        for place, panel in enumerate(self._panels):
            self._draw_panel(panel, place % across, -(place // across) * self._tall)
        self._draw_axis(across)
        self.set_spots([bar.spot for bar in self._bars])
        self.set_table(
            ("metric", "run", "level", "scores", "share"),
            [
                (panel.title, row.name, level, count, count / max(sum(row.counts), 1))
                for panel in self._panels
                for row in panel.rows
                for level, count in zip(panel.levels, row.counts, strict=True)
            ],
        )

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many panels beside each other as can be read."""
        super().resizeEvent(event)
        if abs(self.width() - self._drawn) < self.theme.px(SLACK) and self._across == self._beside:
            return
        self.draw()
        # the height follows from the width, and the layout holds the one before
        made = self.layout()
        if made is not None:
            made.invalidate()
            made.activate()

    @override
    def _nearest(self, place: QPointF) -> int | None:
        """Find the bar under the pointer, however wide it is."""
        box = self.area.plotItem.vb
        if not box.sceneBoundingRect().contains(place):
            return None
        here = box.mapSceneToView(place)
        return next(
            (
                at
                for at, bar in enumerate(self._bars)
                if bar.x <= here.x() <= bar.x + bar.width and abs(bar.y - here.y()) <= BAR / 2
            ),
            None,
        )

    @property
    def _across(self) -> int:
        room = self.width() - self.theme.px(NAMES)
        return max(1, min(len(self._panels), room // self.theme.px(PANEL)))

    @property
    def _tall(self) -> float:
        """Give the rows that a panel takes with its title."""
        return max((len(x.rows) for x in self._panels), default=1) + HEAD

    def _draw_panel(self, panel: Panel, column: int, top: float) -> None:
        self._write(panel.title, (float(column), top - HEAD + 1.1), self.theme.colour("text"))
        inks = [self._ink(level, len(panel.levels)) for level in range(len(panel.levels))]
        made: list[list[_Bar]] = [[] for _ in panel.levels]
        for line, row in enumerate(panel.rows):
            start, total = float(column), sum(row.counts)
            for level, count in enumerate(row.counts):
                width = count / total * (1 - BETWEEN) if total else 0.0
                if width:
                    made[level].append(
                        self._bar((panel, row, level), start, top - HEAD - line, width)
                    )
                start += width
        for level, bars in enumerate(made):
            if bars:
                self._draw_level(bars, *inks[level])
                self._bars += bars

    def _bar(self, of: tuple[Panel, Row, int], x: float, y: float, width: float) -> _Bar:
        panel, row, level = of
        count, total = row.counts[level], sum(row.counts)
        words = (
            f"{row.name}\n{panel.title} {panel.levels[level]}: {count:,} of {total:,} "
            f"({in_percent(count / total)})"
        )
        spot = Spot(x + width / 2, y, words, (panel.key, row.key, level))
        return _Bar(x, y, width, spot)

    def _draw_level(self, bars: list[_Bar], ground: QColor, ink: QColor) -> None:
        self.add(
            self.pg.BarGraphItem(
                x0=np.array([x.x for x in bars]),
                y=np.array([x.y for x in bars]),
                width=np.array([x.width for x in bars]),
                height=BAR,
                brush=self.pg.mkBrush(ground),
                pen=self.pg.mkPen(self.theme.colour("card"), width=1),
            )
        )
        wide = max(1.0, (self.width() - self.theme.px(NAMES)) / self._across)
        for bar in bars:
            if bar.width * wide >= self.theme.px(WRITTEN):
                share = in_percent(bar.width / (1 - BETWEEN), 0).removesuffix(" %")
                self._write(share, (bar.spot.x, bar.y), ink, (0.5, 0.5))

    def _ink(self, level: int, of: int) -> tuple[QColor, QColor]:
        """Give a level's colour, the higher the darker, and one that can be read on it."""
        colours = self.theme.colours
        share = FAINTEST + (1 - FAINTEST) * level / max(of - 1, 1)
        ground = mix(colours.card, colours.auto_fill, share)
        ink = max((colours.text, colours.card), key=lambda x: contrast(x, ground.name()))
        return ground, QColor(ink)

    def _write(
        self,
        words: str,
        place: tuple[float, float],
        ink: QColor,
        anchor: tuple[float, float] = (0.0, 0.5),
    ) -> None:
        made = self.pg.TextItem(words, color=ink, anchor=anchor)
        made.setFont(self.theme.font(TextStyle.TINY))
        made.setPos(*place)
        self.add(made)

    def _draw_axis(self, across: int) -> None:
        metrics = QFontMetrics(self.theme.font(TextStyle.TINY))
        room = self.theme.px(NAMES)
        lines = -(-len(self._panels) // across)
        rows = self._panels[0].rows if self._panels else ()
        is_short = any(metrics.horizontalAdvance(x.name) >= room for x in rows)
        names = [x.short if is_short else x.name for x in rows]
        ticks = [
            (
                -block * self._tall - HEAD - line,
                metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room),
            )
            for block in range(lines)
            for line, name in enumerate(names)
        ]
        self.area.getAxis("left").setTicks([ticks])
        self.area.setXRange(0, max(across, 1), padding=0)
        tall = max(lines, 1) * self._tall
        self.area.setYRange(HEAD - 1.4 - tall, 0, padding=0)
        self.setFixedHeight(round(self.theme.px(ROW) * (tall + 0.2)))
