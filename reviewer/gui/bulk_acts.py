"""What both lists do to the responses that are selected in them: tags, exclusions, queues."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QInputDialog, QMenu, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import counted
from reviewer.gui.actions import BULK, Scope, bind
from reviewer.gui.background import beside
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.page import Page
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, profiles

TASK = "bulk"
TITLES = {
    "tag": "Tag…",
    "untag": "Take a tag off…",
    "exclude": "Exclude…",
    "include": "Count again",
    "assign": "Make a queue of them…",
}


class BulkActs(QObject):
    """Acts on the selected responses of a list; each is one action for undo.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
    """

    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()

    def __init__(
        self, owner: QWidget, tasks: Tasks, selected: Callable[[], Sequence[int]]
    ) -> None:
        """Act for a list; `selected` gives the keys of what is selected in it."""
        super().__init__(owner)
        self._owner = owner
        self._tasks = tasks
        self._selected = selected
        self._session: Session | None = None

    def open(self, session: Session | None) -> None:
        """Act on a project, or on none."""
        self._session = session

    def menu(self, parent: QWidget) -> QMenu:
        """Make the menu of everything that can be done."""
        menu = QMenu(parent)
        count = len(self._selected())
        menu.addAction(counted(count, "response")).setEnabled(False)
        menu.addSeparator()
        for name, title in TITLES.items():
            action = menu.addAction(title)
            action.setEnabled(count > 0)
            action.triggered.connect(lambda _=False, x=name: self.act(x))
        return menu

    def act(self, what: str) -> None:
        """Do what a command is named after, such as `tag` or `exclude`."""
        session, keys = self._session, list(self._selected())
        if session is None:
            return
        if not keys:
            self.failed.emit("Select responses in the list first.")
            return
        asked = {"include": list, "assign": lambda: self._ask_for_queue(session, keys)}.get(what)
        words = asked() if asked else self._ask(session, what, keys)
        if words is not None:
            self._do(what, keys, *words)

    def _ask(self, session: Session, what: str, keys: Sequence[int]) -> list[str] | None:
        """Ask for the tag or the reason; None where it was called off."""
        title, many = TITLES[what].rstrip("…"), counted(len(keys), "response")
        if what == "exclude":
            question = f"Why shall {many} count in no figure?"
            words, agreed = QInputDialog.getText(self._owner, title, question)
            return [words.strip()] if agreed else None
        if what == "tag":
            names = [x[0] for x in bulk_acts.every_tag(session)]
        else:
            names = bulk_acts.tags_of(session, keys)
        if what == "untag" and not names:
            self.failed.emit("None of the selected responses has a tag.")
            return None
        # Return alone shall not tag everything with whatever tag comes first
        offered = ["", *names] if what == "tag" else names
        words, agreed = QInputDialog.getItem(
            self._owner, title, f"Tag for {many}:" if what == "tag" else f"From {many}:",
            offered, 0, what == "tag",
        )  # fmt: skip
        return [words.strip()] if agreed and words.strip() else None

    def _ask_for_queue(self, session: Session, keys: Sequence[int]) -> list[str] | None:
        """Ask for the queue's name and its people; None where it was called off."""
        from reviewer.gui.queues.assign_dialog import AssignDialog

        people, labelling = profiles.dealt_to(session), profiles.labelling(session)
        dialog = AssignDialog(people, labelling, counted(len(keys), "response"), self._owner)
        agreed = dialog.exec() == QDialog.DialogCode.Accepted
        name, chosen = dialog.answer
        dialog.deleteLater()
        return [name, *chosen] if agreed else None

    def _do(self, what: str, keys: list[int], *words: str) -> None:
        session = self._session
        if session is None:
            return
        from reviewer.services.queues import bulk_queue

        if len(keys) <= bulk_queue.in_one_step():
            try:
                told = bulk_queue.act(session, what, keys, *words)
            except ReviewerError as error:
                self.failed.emit(str(error))
                return
            self._tell(told)
            return
        self._tasks.run(
            TASK,
            beside(session, lambda own, _: bulk_queue.act(own, what, keys, *words)),
            then=self._follow,
            failed=self.failed,
            loss=f"what is done to {counted(len(keys), 'response')}",
        )

    def _follow(self, told: object) -> None:
        """Read what was done beside the window, then say so."""
        if self._session is not None:
            self._session.poll()
        self._tell(told)

    def _tell(self, told: object) -> None:
        self.saved.emit()
        self.noted.emit(str(told))


def bind_bulk(page: Page, bulk: BulkActs, rows: QAbstractItemView) -> None:
    """Offer what is done to the selected rows of the queue: in the palette and on the rows."""
    connect(
        (
            rows.customContextMenuRequested,
            lambda place: bulk.menu(page).popup(rows.viewport().mapToGlobal(place)),
        ),
        (bulk.failed, page.failed),
        (bulk.noted, page.noted),
        (bulk.saved, page.saved),
    )
    for command in BULK:
        if command.scope is Scope.REVIEW:
            bind(page, command, partial(bulk.act, command.id.removeprefix("review.")))
