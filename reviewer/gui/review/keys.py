"""The commands bound to the Review page, and which widgets keep keys for themselves.

Inside a button or list that was reached by keyboard, Space and the arrows keep their usual
meaning; single-key actions would fire there too, so they are put aside while such a widget has the
focus. What was clicked gives the focus back at once, and every text field is left by keyboard:
for what one reads, where keys label again.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from reviewer.gui.actions import LEVELS, REVIEW, bind
from reviewer.gui.kit.pieces import connect
from reviewer.gui.review.acts import Acts
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.review.scores_view import ScoresView

ARROWS = {"Up", "Down"}
USUAL = ARROWS | {"Space"}


FIELDS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
"""What keeps the focus when it is clicked, as somebody writes or selects there."""


class UsualKeys(QObject):
    """Gives Space and the arrows to buttons and lists that were reached by keyboard."""

    def __init__(self, page: QWidget, case: CaseView) -> None:
        """Watch the focus while the page lives; after a click what one reads has it."""
        super().__init__(page)
        self._page = page
        self._case = case
        self._actions: list[tuple[QAction, list[QKeySequence]]] = []
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def add(self, action: QAction) -> None:
        """Put this action's usual keys aside when a button or list has the focus."""
        if any(key.toString() in USUAL for key in action.shortcuts()):
            self._actions.append((action, action.shortcuts()))

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is not None and self._is_clicked(now):
            # what is shown may be another tab once the click has ended
            QTimer.singleShot(0, self._case, partial(_go_on, self._case))
            return
        usual = USUAL if isinstance(now, QAbstractButton) else set()
        if isinstance(now, QAbstractItemView):
            usual = ARROWS
        for action, keys in self._actions:
            kept = [key for key in keys if key.toString() not in usual]
            if kept != action.shortcuts():
                action.setShortcuts(kept)

    def _is_clicked(self, now: QWidget) -> bool:
        """Tell whether a mouse gave the focus to what needs none to be clicked."""
        return (
            QApplication.mouseButtons() != Qt.MouseButton.NoButton
            and not isinstance(now, FIELDS)
            and self._page.isAncestorOf(now)
            and not self._case.stack.isAncestorOf(now)
        )


def bind_keys(
    page: QWidget,
    *,
    acts: Acts,
    scores: ScoresView,
    case: CaseView,
    queue: QueueView,
    turn_focus: Callable[[], object],
) -> None:
    """Bind every command of the page to the page."""
    usual = UsualKeys(page, case)
    for place, command in enumerate(LEVELS):
        bind(page, command, partial(acts.level, place))
    handlers: dict[str, Callable[[], object]] = {
        "review.yes": lambda: acts.yes_or_no(yes=True),
        "review.no": lambda: acts.yes_or_no(yes=False),
        "review.value": acts.enter_value,
        "review.next_metric": partial(_step, scores, case, 1),
        "review.previous_metric": partial(_step, scores, case, -1),
        "review.filter": queue.edit_filter,
        "review.find": partial(_open_find, case),
        "review.judge": case.toggle_judge,
        "review.focus": turn_focus,
        "review.explain": scores.live.explain_requested.emit,
    }
    for command in REVIEW[len(LEVELS) :]:
        name = command.id.removeprefix("review.")
        usual.add(bind(page, command, handlers.get(command.id, partial(acts.act, name))))
    back = partial(_go_on, case)
    scores.comment.returnPressed.connect(back)
    queue.filter.confirmed.connect(back)
    for field, leave in (
        (scores.comment, partial(_leave_comment, scores, back)),
        (case.header.search, partial(_close_find, case)),
        (queue.edit, partial(_leave, queue, back)),
    ):
        _on_escape(field, leave)
    inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
    _on_escape(case.stack, partial(_leave, queue, partial(_read_on, case)), inside)
    _on_escape(queue.empty, partial(_leave, queue, back), Qt.ShortcutContext.WindowShortcut)


def _on_escape(
    field: QWidget,
    leave: Callable[[], None],
    context: Qt.ShortcutContext = Qt.ShortcutContext.WidgetShortcut,
) -> None:
    shortcut = QShortcut(QKeySequence("Escape"), field)
    shortcut.setContext(context)
    # where nothing is found, the whole window means the same by it as the field
    connect((shortcut.activated, leave), (shortcut.activatedAmbiguously, leave))


def _step(scores: ScoresView, case: CaseView, step: int) -> None:
    """Go to another metric; who comes from the comment labels it by keys, and writes no more."""
    scores.step_focus(step)
    if scores.comment.hasFocus():
        _go_on(case)


def _leave_comment(scores: ScoresView, leave: Callable[[], None]) -> None:
    scores.comment.give_up()
    leave()


def _read_on(case: CaseView) -> None:
    case.header.choose_tab(0)
    case.shown.setFocus()


def _go_on(case: CaseView) -> None:
    case.shown.setFocus()


def _leave(queue: QueueView, leave: Callable[[], None]) -> None:
    """Let go of a filter that finds nothing or cannot be read, else of what has the focus."""
    queue.let_go()
    leave()


def _open_find(case: CaseView) -> None:
    case.header.choose_tab(0)
    case.header.open_find()


def _close_find(case: CaseView) -> None:
    case.header.close_find()
    _go_on(case)
