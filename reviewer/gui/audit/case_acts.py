"""What keys and buttons do to the case in view; every act is on disk when it returns.

The palette finds the commands on the page, wherever the focus is; undo and redo work everywhere on
the page.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Value
from reviewer.domain.wording import score_words
from reviewer.gui.actions import BULK, COMMANDS, ON_CASE, ON_READING, Command, Scope, bind
from reviewer.gui.any_value import ask_value
from reviewer.gui.audit.case_card import CaseCard
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog
from reviewer.gui.taking_back import take_beside
from reviewer.services.adjudicating import decisions
from reviewer.services.adjudicating.cases import DisputedCase
from reviewer.services.adjudicating.decisions import CAUSES, TITLES
from reviewer.services.labelling import undo
from reviewer.services.project.session import Session


class CaseActs(QObject):
    """The lead's acts.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
        decided: The case in view was decided; the next one is wanted.
        left: The note was left; the list takes the focus.
        taken_back: Something was undone or done again: an `undo.Taken`.
    """

    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()
    decided = Signal()
    left = Signal()
    taken_back = Signal(object)

    def __init__(self, session: Session, tasks: Tasks, card: CaseCard, owner: QWidget) -> None:
        """Act on the case that a card shows."""
        super().__init__(owner)
        self._session, self._tasks = session, tasks
        self._card = card
        self._owner = owner
        self._asked: tuple[int, str, Value] | None = None
        pieces.connect(
            (card.decide.decided, self.decide),
            (card.decide.cause_chosen, self.cause),
            (card.decide.wished, self.act),
        )

    def decide(self, place: int) -> None:
        """Decide the value at a place of the scale, and go on to the next case."""
        found = self._case()
        if found is not None and place < len(found.metric.key_values):
            self._decide_on(found, found.metric.key_values[place])

    def _decide_any(self, found: DisputedCase) -> None:
        value = ask_value(found.metric, self._owner)
        if value is None:
            return
        problem = found.metric.label_problem(value)
        if problem is None:
            self._decide_on(found, value)
        else:
            self.failed.emit(f"{problem}.")

    def _decide_on(self, found: DisputedCase, value: Value) -> None:
        """Decide; what is decided otherwise changes at the same value once more."""
        again = (found.key, found.metric.name, value)
        decided = found.decisions[0] if found.decisions and found.may_decide else None
        if decided is not None and decided.value != value and again != self._asked:
            self._asked = again
            title, who = found.metric.heading, one_line(decided.labeler, 60)
            was, now = score_words(decided.value), score_words(value)
            self.noted.emit(f"{title} is decided: {was}, by {who}. Once more changes it to {now}.")
            return
        self._asked = None
        words = self._card.decide.words
        comment = words if found.cause is None or words != found.cause.note else None
        act = decisions.decide
        if self._try(lambda s: act(s, found.key, found.metric.name, value, comment)):
            # the next case comes into view, and the next key is for that one
            self.noted.emit(f"{_named(found)} is decided: {score_words(value)}.")
            self.decided.emit()

    def cause(self, name: str) -> None:
        """Record a cause, or take it back where it stands."""
        found = self._case()
        if found is None:
            return
        key, metric = found.key, found.metric.name
        cause = next(x for x in CAUSES if x == name)
        if found.cause is not None and found.cause.cause == name:
            if self._try(lambda s: decisions.withdraw_cause(s, key, metric)):
                self.noted.emit(f"{_named(found)}: not “{TITLES[cause]}” any more.")
            return
        note = self._card.decide.words
        if self._try(lambda s: decisions.record_cause(s, key, metric, cause, note)):
            self.noted.emit(f"{_named(found)}: {TITLES[cause]}.")

    def act(self, what: str) -> None:
        """Do what a button or a command is named after, such as `ask` or `undo`."""
        if what in CAUSES:
            self.cause(what)
        elif what in ("undo", "redo"):
            self._take_back(what)
        elif what == "leave":
            self.left.emit()
        else:
            self._on_case(what)

    def _take_back(self, what: str) -> None:
        found: list[undo.Taken | None] = []
        if undo.is_large(self._session, what):
            take_beside(
                self,
                self._tasks,
                self._session,
                what,
                then=partial(self._tell_taken, what),
                failed=self.failed,
            )
        elif self._try(lambda s: found.append(undo.take(s, what))):
            self._tell_taken(what, found[0])

    def _tell_taken(self, what: str, taken: undo.Taken | str | None) -> None:
        self._session.poll()
        if isinstance(taken, str):
            self.noted.emit(taken)
            return
        self.taken_back.emit(taken)
        self.noted.emit(undo.told(what, taken))

    def _on_case(self, what: str) -> None:
        found = self._case()
        if found is None:
            return
        match what:
            case "value":
                self._decide_any(found)
            case "ask":
                self._ask(found)
            case "withdraw_question":
                self._withdraw_question(found)
            case "withdraw":
                act = decisions.withdraw_decision
                self._try(lambda s: act(s, found.key, found.metric.name))
            case "names":
                self._card.toggle_names()
            case "note":
                self._note(found)
            case "edit_note":
                self._card.decide.edit_note()

    def _note(self, found: DisputedCase) -> None:
        """Keep the note with the cause that stands, else with one's own decision."""
        words, key, metric = self._card.decide.words, found.key, found.metric.name
        cause, mine = found.cause, found.mine
        kept = False
        if cause is not None:
            kept = self._try(lambda s: decisions.record_cause(s, key, metric, cause.cause, words))
        elif mine is not None and mine.value is not None:
            value = mine.value
            kept = self._try(lambda s: decisions.decide(s, key, metric, value, words))
        elif words:
            self.noted.emit("The note goes along with the decision or the cause that follows.")
        if kept:
            self.noted.emit(f"The note is kept with {_named(found)}.")
        self.left.emit()

    def _ask(self, found: DisputedCase) -> None:
        involved = [x.labeler for x in found.people]
        others = [x.name for x in self._session.labelers() if x.name not in involved]
        me = self._session.labeler.name
        people = [name for name in (*involved, *others) if name != me]
        dialog = AskDialog(people, _named(found), self._owner)
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return
        name, words = dialog.answer
        if self._try(lambda s: decisions.ask(s, found.key, found.metric.name, name, words)):
            self.noted.emit(f"Sent back to {one_line(name, 40)}.")

    def _withdraw_question(self, found: DisputedCase) -> None:
        act = decisions.withdraw_question
        if self._try(lambda s: act(s, found.key, found.metric.name)):
            self.noted.emit("The question is taken back.")

    def _case(self) -> DisputedCase | None:
        found = self._card.case
        if found is not None and not found.may_decide:
            self.failed.emit("Only a lead decides in this project.")
            return None
        return found

    def _try(self, act: Callable[[Session], object]) -> bool:
        try:
            act(self._session)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return False
        self.saved.emit()
        return True


def _named(found: DisputedCase) -> str:
    return f"{one_line(found.id, 40)} · {found.metric.heading}"


class AskDialog(ProjectDialog):
    """Asks for a labeler and a question."""

    def __init__(self, people: Sequence[str], what: str, parent: QWidget | None = None) -> None:
        """Offer people, those who labelled the case first; `what` names the case."""
        super().__init__(parent, "Send back with a question", once=False)
        self.setMinimumWidth(420)
        column = layouts.column(pieces.text(what, "strong", wrap=True), on=self, gap=8)
        self.person = pieces.named(ChoiceBox(), "Whom to ask")
        for name in people:
            self.person.addItem(one_line(name, 60), name)
        layouts.fill(column, pieces.text("Whom to ask", "small"), self.person)
        self.question = pieces.named(
            QPlainTextEdit(tabChangesFocus=True, placeholderText="What did you mean by…?"),
            "Question",
        )
        layouts.fill(
            column,
            pieces.text("Question", "small"),
            self.question,
            pieces.text(
                "They find it on Review under “Sent back to you”; another label or a comment "
                "answers it.",
                "small",
                wrap=True,
            ),
        )
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self._send = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._send.setText("Send")
        pieces.connect(
            (buttons.accepted, self.accept),
            (buttons.rejected, self.reject),
        )
        column.addWidget(buttons)
        self.question.textChanged.connect(self._enable)
        self._enable()
        self.question.setFocus()

    @property
    def answer(self) -> tuple[str, str]:
        """Give whom to ask and the question."""
        return str(self.person.currentData()), self.question.toPlainText().strip()

    def _enable(self) -> None:
        self._send.setEnabled(bool(self.answer[1]) and self.person.count() > 0)


Handlers = Mapping[str, Callable[[], object]]
"""What commands do, by the part of their id after the page's."""
_ELSEWHERE = ("undo", "redo", "todo")


def bind_case_keys(page: QWidget, side: QWidget, table: QWidget, handlers: Handlers) -> None:
    """Bind every command of list and case, to the page for the palette, to the side for keys.

    What scrolls the case works from the list alone: Space presses a button that has the focus.
    """
    for command in ON_CASE:
        act = handlers[command.id.removeprefix("audit.")]
        bind(page, command, act).setShortcuts([])
        _bind_within(side, command, act)
    for command in ON_READING:
        act = handlers[command.id.removeprefix("audit.")]
        bind(page, command, act).setShortcuts([])
        scroll = _bind_within(table, command, act)
        scroll.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        scroll.setAutoRepeat(True)
    others = [x for x in BULK if x.scope is Scope.AUDIT]
    for command in (*others, *(COMMANDS[f"audit.{name}"] for name in _ELSEWHERE)):
        bind(page, command, handlers[command.id.removeprefix("audit.")])


def _bind_within(side: QWidget, command: Command, handler: Callable[[], object]) -> QAction:
    action = QAction(
        command.title,
        side,
        shortcutContext=Qt.ShortcutContext.WidgetWithChildrenShortcut,
        autoRepeat=False,
    )
    action.setShortcuts([QKeySequence(key) for key in command.keys])
    action.triggered.connect(lambda *_: handler())
    side.addAction(action)
    return action
