"""A line of short pieces in the colours of their roles, such as "you 5 · auto 4 · gap +1"."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from reviewer.gui.theme import TextStyle, Theme

Piece = tuple[str, str]
"""Words and their role; `muted` is written light, everything else strong."""


class SummaryLine(QWidget):
    """Painted, because a rich text label lays out a whole document for five words."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty line."""
        super().__init__()
        self._theme = theme
        self._pieces: tuple[Piece, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self.setAccessibleName(self.text())
            self.setToolTip(self.text())
            self.updateGeometry()
            self.update()

    def text(self) -> str:
        """Give the line as plain text."""
        return "".join(words for words, _ in self._pieces)

    @override
    def sizeHint(self) -> QSize:
        """Ask for the width of the words."""
        width = sum(self._metrics(role).horizontalAdvance(x) for x, role in self._pieces)
        return QSize(width + 2, self._metrics("").height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Be content with the first fact; the tooltip has all."""
        width = sum(self._metrics(role).horizontalAdvance(x) for x, role in self._pieces[:2])
        return QSize(width + 2, self._metrics("").height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces one after another."""
        painter = QPainter(self)
        x = 0
        for words, role in self._fitting():
            metrics = self._metrics(role)
            painter.setFont(self._theme.font(_style(role)))
            painter.setPen(self._theme.colour(role))
            painter.drawText(x, (self.height() + metrics.ascent() - metrics.descent()) // 2, words)
            x += metrics.horizontalAdvance(words)
        painter.end()

    def _fitting(self) -> list[Piece]:
        """Give the facts (name and figure each) that have room, whole or not at all."""
        room = self.width()
        kept: list[Piece] = []
        for name, value in zip(self._pieces[::2], self._pieces[1::2], strict=False):
            room -= sum(self._metrics(role).horizontalAdvance(x) for x, role in (name, value))
            if room < 0 and kept:
                return kept
            kept += [name, value]
        return kept or list(self._pieces)

    def _metrics(self, role: str) -> QFontMetrics:
        return QFontMetrics(self._theme.font(_style(role)))


def _style(role: str) -> TextStyle:
    return TextStyle.BODY if role == "muted" else TextStyle.STRONG
