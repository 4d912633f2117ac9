"""The program's icon, painted in the theme's colours, so that no picture file is needed."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap, QPolygonF

from reviewer.gui.kit.theme import Theme

_SIZES = (16, 24, 32, 48, 64, 128, 256)


def program_icon(theme: Theme) -> QIcon:
    """Paint the program's icon: a check mark between an auto and a human bar."""
    icon = QIcon()
    for size in _SIZES:
        icon.addPixmap(_paint(theme, size))
    return icon


def _paint(theme: Theme, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("accent"))
    painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.22, size * 0.22)
    painter.setBrush(theme.colour("human_fill"))
    painter.drawRect(QRectF(size * 0.22, size * 0.74, size * 0.56, size * 0.08))
    pen = QPen(theme.colour("on_accent"), size * 0.11)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    points = [(0.25, 0.42), (0.43, 0.58), (0.76, 0.22)]
    painter.drawPolyline(QPolygonF([QPointF(x * size, y * size) for x, y in points]))
    painter.end()
    return pixmap
