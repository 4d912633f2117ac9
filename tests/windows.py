"""The real window for a test, with nothing left of it afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QApplication

from reviewer.gui.app import compose
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings


@contextmanager
def shown(settings: Settings, size: QSize | None = None) -> Iterator[MainWindow]:
    """Show the window and delete it in the end; outside of an event loop Qt would keep it.

    The style of the next window would be put on everything in this one, too: half a second.
    """
    window = compose(settings, backups=False)
    if size is not None:
        window.resize(size)
    window.show()
    window.activateWindow()
    try:
        yield window
    finally:
        window.close()
        QApplication.processEvents()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
