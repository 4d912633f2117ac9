"""Words to somebody who looks elsewhere: through the system where it can, else in the bar."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from reviewer.gui.kit.theme import Theme

SHOWN_MS = 10_000


class Notifier(QObject):
    """Tells what happened while the window was not in front."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        """Speak for a window; nothing is shown before there is something to tell."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._tray: QSystemTrayIcon | None = None
        self.told: list[tuple[str, str]] = []

    def tell(self, title: str, sentence: str) -> bool:
        """Tell it through the system; False where the window is in front, or none can."""
        self.told.append((title, sentence))
        if self._window.isActiveWindow() or not _possible():
            return False
        if self._tray is None:
            from reviewer.gui.kit import icons

            icon = icons.program_icon(self._theme)
            self._tray = QSystemTrayIcon(icon, self)
            self._tray.setToolTip("Reviewer")
            self._tray.activated.connect(self._come_forward)
            self._tray.messageClicked.connect(self._come_forward)
        self._tray.show()
        self._tray.showMessage(title, sentence, QSystemTrayIcon.MessageIcon.Information, SHOWN_MS)
        return True

    def _come_forward(self) -> None:
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()


def _possible() -> bool:
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()
