"""The Review page's commands, bound to what they do.

Inside a focused button or list, Space and the arrows keep their usual meaning; single-key actions
would fire there too, so they are put aside while such a widget has the focus. Every text field is
left by keyboard for what one reads, where keys label again.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QWidget

from reviewer.gui.actions import BULK, LEVELS, REVIEW, Scope, bind
from reviewer.gui.bulk_acts import BulkActs
from reviewer.gui.page import Page
from reviewer.gui.review.acts import Acts
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.header import JUDGE
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.review.scores_view import ScoresView

USUAL = {"Space", "Up", "Down"}


class UsualKeys(QObject):
    """Gives Space and the arrows back to buttons and lists that have the focus."""

    def __init__(self, page: QWidget) -> None:
        """Watch the focus while the page lives."""
        super().__init__(page)
        self._page = page
        self._actions: list[tuple[QAction, list[QKeySequence]]] = []
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def add(self, action: QAction) -> None:
        """Put this action's usual keys aside when a button or list has the focus."""
        if any(key.toString() in USUAL for key in action.shortcuts()):
            self._actions.append((action, action.shortcuts()))

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        usual = isinstance(now, QAbstractButton | QAbstractItemView)
        for action, keys in self._actions:
            kept = [key for key in keys if not (usual and key.toString() in USUAL)]
            if kept != action.shortcuts():
                action.setShortcuts(kept)


def bind_keys(
    page: QWidget, *, acts: Acts, scores: ScoresView, case: CaseView, queue: QueueView
) -> None:
    """Bind every command of the page to the page."""
    usual = UsualKeys(page)
    for place, command in enumerate(LEVELS):
        bind(page, command, partial(acts.level, place))
    handlers: dict[str, Callable[[], object]] = {
        "review.yes": lambda: acts.yes_or_no(yes=True),
        "review.no": lambda: acts.yes_or_no(yes=False),
        "review.value": acts.enter_value,
        "review.next_metric": lambda: scores.step_focus(1),
        "review.previous_metric": lambda: scores.step_focus(-1),
        "review.comment": scores.comment.setFocus,
        "review.highlight": case.conversation.mark_selection,
        "review.filter": queue.edit_filter,
        "review.find": partial(_open_find, case),
        "review.judge": lambda: case.header.choose_tab(JUDGE),
        "review.explain": scores.live.explain_requested.emit,
    }
    for command in REVIEW[len(LEVELS) :]:
        name = command.id.removeprefix("review.")
        usual.add(bind(page, command, handlers.get(command.id, partial(acts.act, name))))
    back = partial(_go_on, case)
    scores.comment.returnPressed.connect(back)
    queue.edit.returnPressed.connect(partial(_leave_filter, case, queue))
    for field, leave in (
        (scores.comment, back),
        (case.header.search, partial(_close_find, case)),
        (queue.edit, back),
    ):
        _on_escape(field, leave)


def bind_bulk(page: Page, bulk: BulkActs, rows: QAbstractItemView) -> None:
    """Offer what is done to the selected rows of the queue: in the palette and on the rows."""
    rows.customContextMenuRequested.connect(
        lambda place: bulk.menu(page).popup(rows.viewport().mapToGlobal(place))
    )
    bulk.failed.connect(page.failed)
    bulk.noted.connect(page.noted)
    bulk.saved.connect(page.saved)
    for command in BULK:
        if command.scope is Scope.REVIEW:
            bind(page, command, partial(bulk.act, command.id.removeprefix("review.")))


def _on_escape(field: QWidget, leave: Callable[[], None]) -> None:
    shortcut = QShortcut(QKeySequence("Escape"), field)
    shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
    shortcut.activated.connect(leave)


def _go_on(case: CaseView) -> None:
    case.shown.setFocus()


def _leave_filter(case: CaseView, queue: QueueView) -> None:
    """Read on, unless the filter has to be mended."""
    if not queue.problem.text():
        _go_on(case)


def _open_find(case: CaseView) -> None:
    case.header.choose_tab(0)
    case.header.open_find()


def _close_find(case: CaseView) -> None:
    case.header.close_find()
    _go_on(case)
