"""The dot in a person's colour that stands beside their name."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap

from reviewer.gui.kit.theme import Theme

DOT, ICON = 9, 16
"""Pixels at 100 % of the dot, and of the icon that keeps it apart from the words."""


def dot(theme: Theme, colour: str | None) -> QIcon:
    """Make the dot of a colour, sharp on screens of every density."""
    size, whole = theme.px(DOT), theme.px(ICON)
    picture = QPixmap(whole * 2, whole * 2)
    picture.setDevicePixelRatio(2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.person(colour))
    painter.drawEllipse((whole - size) // 3, (whole - size) // 2, size, size)
    painter.end()
    return QIcon(picture)
