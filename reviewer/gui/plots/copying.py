"""Copies of a chart: as a picture, as SVG, and as the numbers behind it."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, QObject, QRectF, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from reviewer.gui.kit.theme import Theme

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
