"""Evaluations that a page names, listed on Review."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from reviewer.gui.window import MainWindow
from reviewer.services.queueing import queue_memory

MOST = 200
"""A list is a filter of as many alternatives, and a filter has its limits."""


class EvaluationLists(QObject):
    """Answers the wishes of pages to see some evaluations."""

    def __init__(self, window: MainWindow) -> None:
        """Connect to the window's wishes."""
        super().__init__(window)
        self._window = window
        window.evaluations_requested.connect(self.show)

    def show(self, keys: Sequence[int], heading: str = "") -> None:
        """List evaluations on Review; of very many, the first."""
        session = self._window.session
        if session is None or not len(keys):
            return
        first = [int(key) for key in keys[:MOST]]
        self._window.show_page("review")
        if self._window.page is not None:
            self._window.page.open_list(words=queue_memory.some_filter(session, first))
        if len(keys) > len(first):
            heading = f"{heading or 'Evaluations'}: the first {len(first)} of {len(keys):,}"
        if heading:
            self._window.notices.note(f"{heading}.")
