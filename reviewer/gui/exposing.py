"""Remembers whose auto scores a lead's page listed, once eyes and hands rest."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from reviewer.gui.kit.tasks import soon, telling
from reviewer.services.project import exposure
from reviewer.services.project.session import Session

REST_MS = 300
"""Rows are read while they are painted, and nothing may be written then."""


class Exposing(QObject):
    """Records what stood in a list before a lead.

    Signals:
        failed: It could not be recorded, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, session: Session, owner: QObject) -> None:
        """Begin with nothing seen."""
        super().__init__(owner)
        self._session = session
        self._seen: set[int] = set()
        self._soon = soon(self, self.record, REST_MS)

    def note(self, evaluations: Iterable[int]) -> None:
        """Note evaluations whose auto scores are in view."""
        if self._session.sees_all:
            self._seen.update(evaluations)
            self._soon.start()

    def record(self) -> None:
        """Record what was seen so far."""
        self._soon.stop()
        seen = sorted(self._seen)
        self._seen.clear()
        if seen:
            with telling(self.failed.emit):
                exposure.note_seen(self._session, seen)
