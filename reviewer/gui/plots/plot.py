"""A chart: points that can be hovered and chosen, and copies of what it shows."""

import csv
import io
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QBuffer,
    QEvent,
    QIODevice,
    QMimeData,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QPainter,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QToolTip, QWidget
from typing_extensions import override

from reviewer.domain.wording import brief
from reviewer.gui.kit import layouts
from reviewer.gui.kit.theme import TextStyle, Theme

REACH = 24
"""Pixels within which the pointer finds a spot."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a chart: what it says when hovered, and what choosing it stands for.

    `key` None is hovered only.
    """

    x: float
    y: float
    words: str
    key: Hashable | None = None


class Plot(QWidget):
    """The base of every chart; a kind of chart draws in `draw` and says what it shows.

    Left and Right move between spots, Return chooses one, the menu key offers the copies.

    Signals:
        spot_chosen: A spot was clicked or chosen with Return, by its key.
        menu_made: The menu of the chart is about to be shown, for whoever adds to it.
        noted: A passing line, such as that the numbers were copied.
    """

    spot_chosen = Signal(object)
    menu_made = Signal(QMenu)
    noted = Signal(str)

    def __init__(self, theme: Theme, name: str, *, by_column: bool = False) -> None:
        """Make an empty chart; `by_column` finds spots by their x alone, as bars are."""
        super().__init__()
        # half a second to import: not on the way to the first window
        import pyqtgraph

        self.pg: Any = pyqtgraph
        self.theme = theme
        self._by_column = by_column
        self.spots: tuple[Spot, ...] = ()
        self._within = 0.5
        self._at: int | None = None
        self._passing: list[Any] = []
        self.area = self.pg.PlotWidget(background=None)
        self._ring = self.pg.ScatterPlotItem(size=theme.px(11), brush=None)
        self.copies = Copies(theme, self, self.area)
        self.copies.noted.connect(self.noted)
        area = self.area
        area.setAntialiasing(True)
        area.setMouseEnabled(x=False, y=False)
        area.setMenuEnabled(False)
        area.hideButtons()
        for part in (area, area.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        area.setFrameShape(area.Shape.NoFrame)
        area.viewport().setAutoFillBackground(False)
        area.setStyleSheet("background: transparent")
        self._ring.setZValue(10)
        area.addItem(self._ring, ignoreBounds=True)
        area.scene().sigMouseMoved.connect(self._hover)
        area.scene().sigMouseClicked.connect(self._click)
        layouts.column(self.area, on=self, margins=0)
        self.setProperty("kind", "plot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        theme.changed.connect(self.restyle)

    def draw(self) -> None:
        """Draw everything in the theme's colours."""
        raise NotImplementedError

    def restyle(self) -> None:
        """Take the theme's colours and text size."""
        for name in ("bottom", "left"):
            axis = self.area.getAxis(name)
            axis.setStyle(tickFont=self.theme.font(TextStyle.TINY), tickLength=0)
            axis.setPen(self.theme.colour("chart_grid"))
            axis.setTextPen(self.theme.colour("muted"))
        self._ring.setPen(self.pg.mkPen(self.theme.colour("focus"), width=2))
        self.draw()

    def add(self, item: Any) -> None:  # noqa: ANN401 - an item of the library
        """Draw an item that goes with the next `clear`."""
        self.area.addItem(item)
        self._passing.append(item)

    def clear(self) -> None:
        """Take away what was added."""
        for item in self._passing:
            self.area.removeItem(item)
        self._passing = []

    @property
    def spot(self) -> Spot | None:
        """Give the spot under the pointer or the keys."""
        return None if self._at is None else self.spots[self._at]

    def set_spots(self, spots: Sequence[Spot], within: float = 0.5) -> None:
        """Say what can be hovered and chosen; a column is found `within` so much of its x."""
        self.spots, self._within = tuple(spots), within
        self._leave()
        self.setCursor(
            Qt.CursorShape.PointingHandCursor
            if any(spot.key is not None for spot in spots)
            else Qt.CursorShape.ArrowCursor
        )

    def set_table(self, titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Say which numbers the chart shows, for whoever copies or hears them."""
        self.copies.set_table(titles, rows)
        lines = ["; ".join(_spoken(value) for value in row) for row in rows[:40]]
        self.setAccessibleDescription("\n".join([", ".join(titles), *lines]) if rows else "")

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between spots, or choose one."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.spot is not None:
            self._choose(self.spot)
        elif key in steps and self.spots:
            place = 0 if self._at is None else self._at + steps[key]
            self._move_to(min(max(place, 0), len(self.spots) - 1), told=True)
        else:
            super().keyPressEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let go of the spot."""
        super().focusOutEvent(event)
        self._leave()

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Let go of the spot under the pointer."""
        super().leaveEvent(event)
        self._leave()

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the copies, and what the figure of the spot offers."""
        menu = self.copies.menu()
        self.menu_made.emit(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def _hover(self, place: QPointF) -> None:
        found = self._nearest(place)
        if found is None:
            self._leave()
        elif found != self._at:
            self._move_to(found, told=True)

    def _click(self, event: Any) -> None:  # noqa: ANN401 - the library's own event
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        found = self._nearest(event.scenePos())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.spots[found])

    def _nearest(self, place: QPointF) -> int | None:
        box = self.area.plotItem.vb
        if not self.spots or not box.sceneBoundingRect().contains(place):
            return None
        here = box.mapSceneToView(place)
        wide, high = box.viewPixelSize()
        x = np.array([spot.x for spot in self.spots]) - here.x()
        y = np.array([spot.y for spot in self.spots]) - here.y()
        if self._by_column:
            found = int(np.abs(x).argmin())
            return found if abs(x[found]) <= self._within else None
        away = np.hypot(x / wide, y / high)
        found = int(away.argmin())
        return found if away[found] <= self.theme.px(REACH) else None

    def _move_to(self, place: int, *, told: bool) -> None:
        self._at = place
        spot = self.spots[place]
        self._ring.setData([spot.x], [spot.y])
        if told:
            spotted = self.area.mapFromScene(
                self.area.plotItem.vb.mapViewToScene(QPointF(spot.x, spot.y))
            )
            below = self.area.mapToGlobal(spotted) + QPoint(self.theme.px(10), self.theme.px(6))
            QToolTip.showText(below, spot.words, self)

    def _leave(self) -> None:
        self._at = None
        self._ring.setData([], [])
        QToolTip.hideText()

    def _choose(self, spot: Spot) -> None:
        if spot.key is not None:
            self.spot_chosen.emit(spot.key)


def _spoken(value: object) -> str:
    if value is None:
        return "none"
    return brief(value, 3) if isinstance(value, float) else str(value)


SHARPNESS = 2
"""Pixels of a copied picture for each one of the window."""


class Copies(QObject):
    """Puts what a chart shows on the clipboard.

    Signals:
        noted: A passing line, such as that the numbers were copied.
    """

    noted = Signal(str)

    def __init__(self, theme: Theme, chart: QWidget, area: Any) -> None:  # noqa: ANN401 - the library's
        """Serve a chart and the library's area in it."""
        super().__init__(chart)
        self._theme, self._chart, self._area = theme, chart, area
        self._titles: tuple[str, ...] = ()
        self._rows: tuple[tuple[object, ...], ...] = ()

    def set_table(self, titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Say which numbers the chart shows."""
        self._titles, self._rows = tuple(titles), tuple(tuple(row) for row in rows)

    def menu(self) -> QMenu:
        """Make the menu of copies."""
        made = QMenu("Chart", self._chart)
        for title, act in (
            ("Copy as picture", self.copy_picture),
            ("Copy as SVG", self.copy_svg),
            ("Copy numbers as CSV", self.copy_data),
        ):
            made.addAction(title, act)
        return made

    def copy_data(self) -> None:
        """Put the numbers on the clipboard as CSV."""
        QGuiApplication.clipboard().setText(self.data_text())
        self.noted.emit("The numbers behind the chart are on the clipboard.")

    def data_text(self) -> str:
        """Give the numbers as CSV; a missing one is empty."""
        made = io.StringIO()
        writer = csv.writer(made, lineterminator="\n")
        writer.writerow(self._titles)
        for row in self._rows:
            writer.writerow(["" if value is None else value for value in row])
        return made.getvalue()

    def copy_picture(self) -> None:
        """Put the chart on the clipboard as a picture."""
        QGuiApplication.clipboard().setImage(self.picture())
        self.noted.emit("The chart is on the clipboard as a picture.")

    def picture(self) -> QImage:
        """Give the chart as a picture on the card's ground."""
        image = QImage(self._area.size() * SHARPNESS, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(SHARPNESS)
        image.fill(self._theme.colour("card"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter)
        painter.end()
        return image

    def copy_svg(self) -> None:
        """Put the chart on the clipboard as SVG, for drawing programs and as text."""
        text = self.svg_text()
        content = QMimeData()
        content.setData("image/svg+xml", text.encode())
        content.setText(text)
        QGuiApplication.clipboard().setMimeData(content)
        self.noted.emit("The chart is on the clipboard as SVG.")

    def svg_text(self) -> str:
        """Give the chart as SVG."""
        made = QBuffer()
        made.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(made)
        generator.setSize(self._area.size())
        generator.setViewBox(QRectF(self._area.rect()))
        generator.setTitle(self._chart.accessibleName())
        painter = QPainter(generator)
        self._paint(painter)
        painter.end()
        return bytes(made.data().data()).decode()

    def _paint(self, painter: QPainter) -> None:
        room = QRectF(self._area.rect())
        self._area.scene().render(painter, room, room)
