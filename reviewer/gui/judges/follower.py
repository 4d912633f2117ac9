"""A dialog's list and form follow what other windows and programs keep."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from reviewer.domain.change import Change, JudgingChanged
from reviewer.gui.kit.tasks import soon
from reviewer.services.project.session import Session


class Form(Protocol):
    """What can be read anew, unless somebody has typed in it."""

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the form that is not kept."""
        ...

    def refresh(self) -> None:
        """Show what is kept."""
        ...


class Follower(QObject):
    """Refreshes the form in view; what another window kept never replaces what is typed here."""

    def __init__(self, dialog: QDialog, session: Session, form: Callable[[], Form]) -> None:
        """Follow a project as long as the dialog lives; `form` gives the form in view."""
        super().__init__(dialog)
        self._form = form
        self._soon = soon(self, self._catch_up)
        leave = session.subscribe(self._follow)
        dialog.destroyed.connect(lambda *_: leave())

    def _follow(self, change: Change) -> None:
        if isinstance(change, JudgingChanged):
            self._soon.start()

    def _catch_up(self) -> None:
        form = self._form()
        if not form.is_typed:
            form.refresh()
