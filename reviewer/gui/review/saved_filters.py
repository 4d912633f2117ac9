"""Filters that a project keeps under names, as the queue's menus offer them."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog

from reviewer.gui.review.queue_view import QueueView
from reviewer.services.project.session import Session
from reviewer.services.queueing import queues


class SavedFilters(QObject):
    """Keeps and forgets filters, and tells the menus what there is."""

    def __init__(self, view: QueueView) -> None:
        """Follow the wishes of a queue's menus; nothing is kept before `open`."""
        super().__init__(view)
        self._view = view
        self._session: Session | None = None
        view.save_requested.connect(self._save)
        view.menus.forget_chosen.connect(self._forget)

    def open(self, session: Session | None) -> None:
        """Offer a project's filters, or none."""
        self._session = session
        if session is not None:
            self._view.menus.set_saved(queues.saved_filters(session))

    def _save(self, words: str) -> None:
        title = f"Name for “{words}”:"
        name, agreed = QInputDialog.getText(self._view, "Save this filter", title)
        if agreed and name.strip() and self._session is not None:
            queues.save_filter(self._session, name.strip(), words)
            self.open(self._session)

    def _forget(self, name: str) -> None:
        if self._session is not None:
            queues.delete_filter(self._session, name)
            self.open(self._session)
