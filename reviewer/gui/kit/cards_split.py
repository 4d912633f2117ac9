"""Cards above one another, with a line between them that can be moved."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme

LONG, THICK = 28, 3
"""Pixels at 100 % of the grip that is painted on the line."""


class CardsSplit(QSplitter):
    """Keeps the share of each card until somebody moves the line, and then where it was put."""

    def __init__(self, theme: Theme) -> None:
        """Make it empty."""
        super().__init__(Qt.Orientation.Vertical)
        self._theme = theme
        self._shares: list[int] = []
        self.setHandleWidth(pieces.GAP)
        self.setChildrenCollapsible(False)

    def add(self, card: QWidget, share: int) -> None:
        """Put a card at the end; `share` is its part of the height beside those of the others."""
        self.addWidget(card)
        self.setStretchFactor(self.count() - 1, share)
        self._shares.append(share)
        self.setSizes([100 * each for each in self._shares])

    @override
    def createHandle(self) -> QSplitterHandle:
        """Make the line with its grip."""
        return _Grip(self._theme, self)


class _Grip(QSplitterHandle):
    def __init__(self, theme: Theme, split: CardsSplit) -> None:
        super().__init__(Qt.Orientation.Vertical, split)
        self._theme = theme
        self.setToolTip("Drag to give the list or the response more room")

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grip alone: the line is the gap between the cards."""
        px, painter = self._theme.px, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("control"))
        box = QRectF(0, 0, px(LONG), px(THICK))
        box.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(box, px(THICK) / 2, px(THICK) / 2)
        painter.end()


class SplitCard(pieces.Card):
    """A card that never gets less height than its lines take at its width.

    A splitter asks for a smallest size only, which counts buttons in one line.
    """

    @override
    def minimumSizeHint(self) -> QSize:
        """Give the smallest size at the width of now."""
        hint, layout = super().minimumSizeHint(), self.layout()
        if layout is not None and layout.hasHeightForWidth():
            hint.setHeight(max(hint.height(), layout.minimumHeightForWidth(self.width())))
        return hint

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that another width may need another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
