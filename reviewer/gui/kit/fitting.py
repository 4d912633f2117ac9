"""The size of dialogs: as large as they like, but never larger than what is behind them."""

from PySide6.QtWidgets import QWidget


def fit(dialog: QWidget, width: int, height: int) -> None:
    """Give a dialog a size in pixels; large text never makes it larger than its window.

    A dialog without a window behind it keeps within the screen.
    """
    owner = dialog.parentWidget()
    room = owner.window().size() if owner else dialog.screen().availableGeometry().size()
    dialog.resize(min(width, room.width()), min(height, room.height()))
