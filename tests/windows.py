"""The real window for a test, with nothing left of it afterwards."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QApplication, QLayout, QLayoutItem
from shiboken6 import Shiboken

from reviewer.gui.app import compose
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings


@contextmanager
def shown(settings: Settings, size: QSize | None = None) -> Iterator[MainWindow]:
    """Show the window and delete it in the end; outside of an event loop Qt would keep it.

    The style of the next window would be put on everything in this one, too: half a second.
    """
    before = {address for address, _ in _items()}
    window = compose(settings, backups=False)
    if size is not None:
        window.resize(size)
    window.show()
    window.activateWindow()
    try:
        yield window
        forgotten = _forgotten() - before
        assert not forgotten or not forgotten - _of_gone_rows(), (
            "widgets left layouts without `layouts.take_out`"
        )
    finally:
        window.close()
        QApplication.processEvents()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _items() -> list[tuple[int, QLayoutItem]]:
    """Give the items of layouts that Shiboken knows, each with its address."""
    return [
        (Shiboken.getCppPointer(one)[0], one)
        for one in Shiboken.getAllValidWrappers()
        if isinstance(one, QLayoutItem) and not isinstance(one, QLayout)
    ]


def _forgotten() -> set[int]:
    """Give the addresses of items that no layout has any more."""
    held = {address for address, _ in _items()}
    if held:
        for one in Shiboken.getAllValidWrappers():
            if isinstance(one, QLayout):
                inside = (one.itemAt(place) for place in range(one.count()))
                held -= {Shiboken.getCppPointer(item)[0] for item in inside if item is not None}
    return held


def _of_gone_rows() -> set[int]:
    """Give the addresses of items of rows that are gone: what Qt leaves to their layouts."""
    rows = (one for one in gc.get_objects() if type(one) is FlowLayout)
    gone = (one for one in rows if not Shiboken.isValid(one))
    return {Shiboken.getCppPointer(item)[0] for one in gone for item in vars(one)["_items"]}
