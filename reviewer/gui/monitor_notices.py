"""What the window tells of its monitors on every page: changes of status, new records, trouble."""

from typing import Any

from PySide6.QtCore import QObject

from reviewer.gui.jobs_watch import JobsWatch
from reviewer.gui.window import MainWindow


class MonitorNotices(QObject):
    """Ties the monitors at work to the window around the pages."""

    def __init__(self, window: MainWindow, watch: JobsWatch) -> None:
        """Watch over a window; `watch` has the system's notifications."""
        super().__init__(window)
        self._window, self._notifier = window, watch.notifier
        monitors = window.surroundings.monitors
        window.session_opened.connect(monitors.open)
        window.session_closing.connect(lambda: monitors.open(None))
        monitors.looked.connect(self._tell)
        monitors.failed.connect(lambda _, sentence: window.notices.error(sentence))

    def _tell(self, looked: Any) -> None:  # noqa: ANN401  # of a room that is loaded late
        session = self._window.session
        if session is None:
            return
        for sentence in looked.fed.sentences:
            self._window.notices.note(sentence)
        if looked.change:
            self._window.notices.note(looked.change)
            self._notifier.tell("The monitor's status changed", looked.change)
        session.poll()
