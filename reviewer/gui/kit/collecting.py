"""Garbage is searched for between two events of the window's thread, and nowhere else.

By itself Python searches in whichever thread makes the next object. Widgets in a circle would then
be destroyed beside the window, or while Qt goes through the very tree that they stand in.
"""

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 1000


class Collector(QObject):
    """Searches as often as Python would, by its own thresholds, once it was told not to."""

    def __init__(self, parent: QObject) -> None:
        """Begin to search, now and then."""
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.search)
        timer.start(EVERY_MS)

    def search(self) -> None:
        """Search the generations that have come of age, the youngest first."""
        for generation, most in enumerate(gc.get_threshold()):
            if gc.get_count()[generation] <= most:
                return
            gc.collect(generation)
