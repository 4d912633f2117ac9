"""What keys and buttons do to the evaluation in view, and the commands bound to it.

Inside a button or list that was reached by keyboard, Space and the arrows keep their usual
meaning; single-key actions would fire there too, so they are put aside while such a widget has the
focus. What was clicked gives the focus back at once, and every text field is left by keyboard:
for what one reads, where keys label again.
"""

import time
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal
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

from reviewer.domain.errors import LabelError, ReviewerError
from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import score_words
from reviewer.gui.actions import LEVELS, REVIEW, bind
from reviewer.gui.any_value import ask_value
from reviewer.gui.kit.pieces import connect
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.level_button import TickRow
from reviewer.gui.review.mark_acts import MarkActs
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.review.scores_view import ScoresView
from reviewer.services.labelling import entering
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import UNNAMED, Session

ON_EVALUATION = {
    "skip": entering.toggle_skip,
    "flag": entering.toggle_flag,
    "reveal": entering.reveal,
}
DONE_ANYWAY = "Skipped. All of it is answered, so that it still counts as done."
OUT_OF_SIGHT = (
    "Nothing was answered, as the response is not in view. Escape goes back to the conversation."
)
REVEAL = "reveal"
NOTHING = "Nothing was answered, as no response is in view."
SHOWN = "The auto scores are shown already."
SEEN = ". The auto scores were shown, so that an answer counts as seen now."
NOT_JUDGED = "There are no auto scores here that could be shown."
REVEALING = (
    "Revealing shows the auto scores; what you answer here from then on counts as seen, not as "
    "blind. R or Reveal once more shows them."
)
ON_METRIC = {
    "not_applicable": entering.not_applicable,
    "withdraw": entering.withdraw,
    "unsure": entering.turn_unsure,
}


WITH_WORDS: dict[str, Callable[[MarkActs], None]] = {
    "skip_why": lambda marks: marks.ask_reason("skip"),
    "flag_why": lambda marks: marks.ask_reason("flag"),
    "highlight": lambda marks: marks.highlight(asks=False),
    "highlight_why": lambda marks: marks.highlight(asks=True),
}


class Wish:
    """What was wished for last; what is hard to take back is done at the second wish in a row."""

    def __init__(self) -> None:
        """Begin without one."""
        self._about: tuple[object, ...] = ()

    def is_meant(self, *about: object) -> bool:
        """Take a wish; tells whether it is the one before once more."""
        again, self._about = about == self._about, about
        return again


class Acts(QObject):
    """The labeler's acts.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
        next_requested: The next evaluation that waits for an answer is wished for.
        step_requested: The evaluation beside this one in the queue is wished for: 1 or -1.
        place_requested: What was taken back is to be in view: evaluation, metric or "".
    """

    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()
    next_requested = Signal()
    step_requested = Signal(int)
    place_requested = Signal(int, str)

    def __init__(self, scores: ScoresView, case: CaseView) -> None:
        """Make the acts on a pane of cards beside a response."""
        super().__init__(scores)
        self._scores = scores
        self._case = case
        self._session: Session | None = None
        self._view: EvaluationView | None = None
        self._since = time.monotonic()
        self._wish = Wish()
        self.marks = MarkActs(scores, case.conversation)
        connect(
            (self.marks.failed, self.failed),
            (self.marks.noted, self.noted),
            (self.marks.saved, self.saved),
            (self.marks.skipped, self.next_requested),
            (scores.value_chosen, self.choose),
            (scores.share_chosen, self._commit),
            (scores.comment_left, self.comment),
            (scores.unsure_turned, lambda name: self._on_metric("unsure", name)),
            (scores.wished, self.act),
        )

    def open(self, session: Session | None) -> None:
        """Act on a project, or on none."""
        self._session = session
        self._view = None

    def look_at(self, view: EvaluationView | None, *, fresh: bool) -> None:
        """Act on an evaluation or on none; a `fresh` one starts the clock."""
        self._view = view
        self.marks.look_at(self._session, view)
        if fresh:
            self._since = time.monotonic()
            self._wish = Wish()
            self.noted.emit("")

    def choose(self, metric: str, value: Value) -> None:
        """Label a metric and go on to the next one."""
        with self._scores.arranged_once():
            if self._commit(metric, value):
                self._scores.go_on_from(metric)

    def _choose_by_key(self, metric: Metric, value: Value) -> None:
        """Label a metric; a digit too many does not change what was answered before."""
        if self._is_meant(metric, value, metric.kind.word(value) or score_words(value)):
            self.choose(metric.name, value)

    def _is_meant(self, metric: Metric, value: Value | None, words: str) -> bool:
        """Tell whether a key is to answer: what was finished changes at the same key once more."""
        view = self._view
        given = None if view is None else view.own.get(metric.name)
        if view is None or given is None or not given.counts or given.value == value:
            return True
        if not _is_finished(view, self._scores.cards) or self._wish.is_meant(metric.name, value):
            return True
        before = metric.kind.word(given.value) or score_words(given.value)
        self.noted.emit(
            f"{metric.heading} is answered: {before}. Press again to change it to {words}."
        )
        return False

    def _commit(self, metric: str, value: Value) -> bool:
        session, view = self._session, self._view
        if session is None or view is None:
            return False
        key, seconds = view.evaluation.key, round(time.monotonic() - self._since, 1)
        if not self._try(lambda: entering.commit(session, key, metric, value, seconds=seconds)):
            return False
        self._since = time.monotonic()
        self._wish = Wish()
        self.noted.emit("")
        return True

    def level(self, place: int) -> None:
        """Set the level at a place, counted from the lowest, or tick the keyword there."""
        if not self._may_answer():
            return
        ticks = _ticks(self._scores)
        if ticks is not None:
            ticks.toggle(place)
            return
        metric = _subject(self._scores)
        if metric is None:
            return
        if place < len(metric.key_values):
            self._choose_by_key(metric, metric.key_values[place])
        else:
            count = len(metric.key_values)
            self.noted.emit(
                f"{metric.heading} has {count} levels, so this key sets none of them."
                if count
                else f"{metric.heading} has no levels; = opens a field for its value."
            )

    def yes_or_no(self, *, yes: bool) -> None:
        """Answer a binary metric, or tick all keywords or none."""
        if not self._may_answer():
            return
        ticks = _ticks(self._scores)
        if ticks is not None:
            ticks.set_all(ticked=yes)
            return
        metric = _subject(self._scores)
        if metric is not None and metric.kind.is_binary:
            self._choose_by_key(metric, 1 if yes else 0)

    def enter_value(self) -> None:
        """Ask for any value of the scale in a field of its own."""
        metric = _subject(self._scores)
        if metric is None or not self._may_answer():
            return
        value = ask_value(metric, self._scores)
        if value is None:
            return
        problem = metric.label_problem(value)
        if problem is None:
            self.choose(metric.name, value)
        else:
            self.noted.emit(f"{problem}.")

    def act(self, what: str) -> None:
        """Do what a button or a command is named after, such as `skip` or `undo`."""
        if what == "done":
            self.next_requested.emit()
        elif what in ("next", "previous"):
            self.step_requested.emit(-1 if what == "previous" else 1)
        elif not self._may_answer(unseen=True):
            return
        elif what in ("undo", "redo"):
            self._take_back(what)
        elif what == "comment":
            self._scores.comment.setFocus()
        elif what in WITH_WORDS:
            WITH_WORDS[what](self.marks)
        elif what in ON_METRIC:
            about = self._scores.commented if what == "unsure" else self._scores.focus
            self._on_metric(what, about)
        elif what in ON_EVALUATION:
            self._on_evaluation(what)

    def comment(self, words: str) -> None:
        """Keep a comment on the metric that it is about."""
        session, view, metric = self._session, self._view, self._scores.commented
        if session is not None and view is not None and metric is not None:
            key = view.evaluation.key
            if self._try(lambda: entering.comment(session, key, metric, words)):
                self._scores.unsaved.pop((key, metric), None)
            else:
                self._scores.unsaved[key, metric] = words

    def _may_answer(self, *, unseen: bool = False) -> bool:
        """Tell whether it is known who answers, and what is not done `unseen` is in view.

        Where it may not be, why nothing happens is said.
        """
        problem = ""
        if self._session is not None and not self._session.is_named:
            problem = UNNAMED
        elif self._session is not None and self._view is None and not unseen:
            problem = NOTHING
        elif not unseen and self._view is not None and not self._case.shows_response:
            problem = OUT_OF_SIGHT
        if problem:
            self.noted.emit(problem)
        return not problem

    def _on_metric(self, what: str, metric: str | None) -> None:
        session, view = self._session, self._view
        if session is None or view is None or metric is None:
            return
        key = view.evaluation.key
        given = view.own.get(metric)
        subject = self._scores.cards[metric].subject
        if what == "not_applicable" and not self._is_meant(subject, None, "not applicable"):
            return
        if what == "withdraw" and (given is None or given.kind in ("withdrawn", "comment")):
            self.noted.emit("There is no label to take back.")
            return
        done = self._try(lambda: ON_METRIC[what](session, key, metric))
        if done and what == "not_applicable":
            self._scores.go_on_from(metric)

    def _on_evaluation(self, what: str) -> None:
        session, view = self._session, self._view
        if session is None or view is None:
            return
        key, goes_on = view.evaluation.key, what == "skip" and not view.skipped
        if what == REVEAL:
            if not view.judged or not view.hidden:
                self.noted.emit(SHOWN if view.judged else NOT_JUDGED)
                return
            if not self._wish.is_meant(key, what):
                self.noted.emit(REVEALING)
                return
        finished = _is_finished(view, self._scores.cards)
        if not self._try(lambda: ON_EVALUATION[what](session, key)):
            return
        self.noted.emit("")
        if goes_on:
            self.next_requested.emit()
            if finished:
                self.noted.emit(DONE_ANYWAY)

    def _take_back(self, what: str) -> None:
        """Undo or redo, and go where the eye has to be: what is typed next is about that."""
        session = self._session
        if session is None:
            return
        from reviewer.services.labelling import undo

        try:
            taken = undo.take(session, what)
        except LabelError as stays:
            # nothing went wrong: what has to stay is passed over in words
            self.noted.emit(str(stays))
            return
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.saved.emit()
        if taken is not None and taken.evaluation is not None:
            self.place_requested.emit(taken.evaluation, taken.metric)
        view, words = self._view, undo.told(what, taken)
        if what == "undo" and taken is not None and taken.metric and view is not None:
            words += SEEN if session.blind and view.judged and view.revealed else ""
        self.noted.emit(words)

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except ReviewerError as error:
            self.failed.emit(str(error))
            return False
        self.saved.emit()
        return True


ARROWS = {"Up", "Down"}
USUAL = ARROWS | {"Space"}


FIELDS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
"""What keeps the focus when it is clicked, as somebody writes or selects there."""


def _ticks(scores: ScoresView) -> TickRow | None:
    card = scores.cards.get(scores.focus or "")
    return card.ticks if card is not None and card.ticks and card.ticks.keywords else None


def _subject(scores: ScoresView) -> Metric | None:
    card = scores.cards.get(scores.focus or "")
    return card.subject if card is not None else None


def _is_finished(view: EvaluationView, metrics: Iterable[str]) -> bool:
    """Tell whether every metric has an answer of one's own."""
    done = {name for name, x in view.own.items() if x.counts or x.kind == "not_applicable"}
    return done.issuperset(metrics)


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
