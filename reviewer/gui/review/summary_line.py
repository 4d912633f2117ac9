"""A line of short pieces in the colours of their roles, such as "you 5 · auto 4 · gap +1"."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme

Piece = tuple[str, str]
"""Words and their role; `muted` is written light, everything else strong."""


class SummaryLine(QWidget):
    """Painted, because a rich text label lays out a whole document for five words."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty line."""
        super().__init__()
        self._theme = theme
        self._pieces: tuple[Piece, ...] = ()
        self._measured: tuple[QFontMetrics, tuple[int, ...]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self._measured = None
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
        return QSize(sum(self._widths()) + 2, self._theme.metrics(_style("")).height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Be content with the first fact; the tooltip has all."""
        return QSize(sum(self._widths()[:2]) + 2, self._theme.metrics(_style("")).height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces one after another."""
        painter = QPainter(self)
        x = 0
        shown = self._pieces[: self._fitting()]
        for (words, role), width in zip(shown, self._widths(), strict=False):
            metrics = self._theme.metrics(_style(role))
            painter.setFont(self._theme.font(_style(role)))
            painter.setPen(self._theme.colour(role))
            painter.drawText(x, (self.height() + metrics.ascent() - metrics.descent()) // 2, words)
            x += width
        painter.end()

    def _fitting(self) -> int:
        """Count the pieces of facts (name and figure each) that have room, whole or not at all."""
        room, widths = self.width(), self._widths()
        for place in range(0, len(widths) - 1, 2):
            room -= widths[place] + widths[place + 1]
            if room < 0 and place:
                return place
        return len(widths)

    def _widths(self) -> tuple[int, ...]:
        """Give the width of every piece, measured once for each font and words."""
        measures = self._theme.metrics(TextStyle.STRONG)
        if self._measured is None or self._measured[0] is not measures:
            found = (self._theme.metrics(_style(x)).horizontalAdvance(w) for w, x in self._pieces)
            self._measured = (measures, tuple(found))
        return self._measured[1]


def _style(role: str) -> TextStyle:
    return TextStyle.BODY if role == "muted" else TextStyle.STRONG
