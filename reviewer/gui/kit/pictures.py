"""Pictures of what is drawn again and again, each drawn once for each of its looks."""

from collections.abc import Callable, Hashable
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPixmap

MOST: Final = 400
"""Pictures that are kept; each width of a pane brings its own."""


class Pictures:
    """Pictures by how they look, in one set of colours and sizes."""

    def __init__(self) -> None:
        """Keep none yet."""
        self._made: dict[Hashable, QPixmap] = {}

    def __len__(self) -> int:
        """Count those that are kept."""
        return len(self._made)

    def get(
        self, look: Hashable, size: QSize, ratio: float, draw: Callable[[QPainter], None]
    ) -> QPixmap:
        """Give the picture of a look, drawn where it is not there; `ratio` is the screen's."""
        key = (look, size.width(), size.height(), ratio)
        found = self._made.get(key)
        if found is None:
            if len(self._made) >= MOST:
                self._made.clear()
            found = self._made[key] = QPixmap(size * ratio)
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            draw(painter)
            painter.end()
        return found

    def clear(self) -> None:
        """Forget all, as colours or sizes are others."""
        self._made.clear()
