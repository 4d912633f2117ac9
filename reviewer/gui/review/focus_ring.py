"""The strong border of the card in focus, painted over it.

A style sheet could do it, but dressing a card with all its children anew costs more than a label
may take.
"""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.gui.kit.theme import Theme

RADIUS = 8
WIDTH = 2


class FocusRing(QWidget):
    """A ring around its parent that lets the mouse through."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make a hidden ring."""
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("focus"), WIDTH))
        half = WIDTH / 2
        radius = self._theme.px(RADIUS) - half
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(half, half, -half, -half), radius, radius
        )
        painter.end()
