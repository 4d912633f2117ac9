"""What keys and buttons do to the evaluation in view."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from reviewer.domain.errors import LabelError, ReviewerError
from reviewer.domain.evaluation import Label, LabelKind, Value
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import score_words
from reviewer.gui.any_value import ask_value
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.level_button import TickRow
from reviewer.gui.review.mark_acts import MarkActs
from reviewer.gui.review.revealing import Revealing
from reviewer.gui.review.saving import Saving
from reviewer.gui.review.scores_view import ScoresView
from reviewer.services.labelling import entering
from reviewer.services.labelling.unsaved import Answer
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import UNNAMED, Session

ON_EVALUATION = {
    "skip": entering.toggle_skip,
    "flag": entering.toggle_flag,
}
DONE_ANYWAY = "Skipped. All of it is answered, so that it still counts as done."
OUT_OF_SIGHT = (
    "Nothing was answered, as the response is not in view. Escape goes back to the conversation."
)
REVEAL = "reveal"
NOTHING = "Nothing was answered, as no response is in view."
SHOWN = "The auto scores are shown already."
SEEN = ". The auto scores were shown, so that an answer counts as seen now."
OPENED = ". All of it was answered, which opens the auto scores: an answer counts as seen now."
NOT_HERE = "The hub has given no auto scores of this response yet."
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
KINDS: dict[str, LabelKind] = {"not_applicable": "not_applicable", "withdraw": "withdrawn"}
FORGOTTEN = "Undone: the last answer, which was not yet saved."


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
    offered = Signal(str, str, object)
    step_requested = Signal(int)
    place_requested = Signal(int, str)

    def __init__(self, scores: ScoresView, case: CaseView, tasks: Tasks) -> None:
        """Make the acts on a pane of cards beside a response."""
        super().__init__(scores)
        self._scores = scores
        self._case = case
        self._tasks = tasks
        self._session: Session | None = None
        self._view: EvaluationView | None = None
        self._since = time.monotonic()
        self._wish = Wish()
        self.saving = Saving(self)
        self.marks = MarkActs(scores, case.conversation, self.saving)
        self.revealing = Revealing(scores, tasks)
        connect(
            (self.saving.failed, self.failed),
            (self.saving.noted, self.noted),
            (self.saving.saved, self.saved),
            (self.revealing.failed, self.failed),
            (self.revealing.noted, self.noted),
            (self.revealing.offered, self.offered),
            (self.revealing.saved, self.saved),
            (self.marks.noted, self.noted),
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
        self.saving.open(session)
        self.revealing.open(session)

    def said(self, metric: str) -> tuple[Label | None, bool]:
        """Give what was said of a metric of the evaluation in view, and whether it is unsaved."""
        view, waiting = self._view, self.saving.waiting
        kept = waiting.shown(view.evaluation.key, metric) if view and waiting else None
        return (kept, True) if kept else (view.own.get(metric) if view else None, False)

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
        self.noted.emit("")
        if not self._take(
            lambda: entering.commit(session, key, metric, value, seconds=seconds),
            _meanwhile(metric, self.said(metric)[0], kind="label", value=value),
        ):
            return False
        self._since = time.monotonic()
        self._wish = Wish()
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
        elif what == REVEAL or what in ON_EVALUATION:
            self._on_evaluation(what)

    def comment(self, words: str) -> None:
        """Keep a comment on the metric that it is about."""
        session, view, metric = self._session, self._view, self._scores.commented
        if session is not None and view is not None and metric is not None:
            key = view.evaluation.key
            before, _ = self.said(metric)
            shown = replace(_meanwhile(metric, before, kind="comment"), comment=words or None)
            if self._take(lambda: entering.comment(session, key, metric, words), shown):
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
        kind: LabelKind | None = KINDS.get(what)
        before, _ = self.said(metric)
        shown = None if kind is None else _meanwhile(metric, before, kind=kind)
        done = self._take(lambda: ON_METRIC[what](session, key, metric), shown)
        if done and what == "not_applicable":
            self._scores.go_on_from(metric)

    def _on_evaluation(self, what: str) -> None:
        session, view = self._session, self._view
        if session is None or view is None:
            return
        key, goes_on = view.evaluation.key, what == "skip" and not view.skipped
        if what == REVEAL:
            if not view.judged or not view.hidden:
                here = SHOWN if view.shows_auto else NOT_HERE
                self.noted.emit(here if view.judged else NOT_JUDGED)
                return
            if not self._wish.is_meant(key, what):
                self.noted.emit(REVEALING)
                return
            self.revealing.reveal(key)
            return
        finished = _is_finished(view, self._scores.cards)
        self.noted.emit("")
        if not self._take(lambda: ON_EVALUATION[what](session, key)):
            return
        if goes_on:
            self.next_requested.emit()
            if finished:
                self.noted.emit(DONE_ANYWAY)

    def _take_back(self, what: str) -> None:
        """Undo or redo, and go where the eye has to be: what is typed next is about that."""
        session = self._session
        if session is None:
            return
        if what == "undo" and self.saving.take_back():
            self.noted.emit(FORGOTTEN)
            return
        from reviewer.services.labelling import undo

        if undo.is_large(session, what):
            self._take_back_beside(session, what)
            return
        try:
            taken = undo.take(session, what)
        except LabelError as stays:
            # nothing went wrong: what has to stay is passed over in words
            self.noted.emit(str(stays))
            return
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self._tell_taken(what, taken)

    def _take_back_beside(self, session: Session, what: str) -> None:
        from reviewer.gui import taking_back

        def tell(found: Any) -> None:  # noqa: ANN401 - of a room that is loaded late
            if session is not self._session:
                return
            session.poll()
            if isinstance(found, str):
                self.noted.emit(found)
            else:
                self._tell_taken(what, found)

        begun = taking_back.take_beside(
            self, self._tasks, session, what, then=tell, failed=self.failed
        )
        if begun:
            self.noted.emit(taking_back.UNDOING if what == "undo" else taking_back.REDOING)

    def _tell_taken(self, what: str, taken: Any) -> None:  # noqa: ANN401 - the same
        from reviewer.services.labelling import undo

        self.saved.emit()
        session = self._session
        if taken is not None and taken.evaluation is not None:
            self.place_requested.emit(taken.evaluation, taken.metric)
        view, words = self._view, undo.told(what, taken)
        if what == "undo" and taken is not None and taken.metric and view is not None:
            why = SEEN if view.shows_auto else OPENED
            words += why if session and session.blind and view.judged and view.revealed else ""
        self.noted.emit(words)

    def _take(self, write: Callable[[], object], shown: Label | None = None) -> bool:
        """Save what was answered, or keep it; tells whether it was taken."""
        view = self._view
        return view is not None and self.saving.take(Answer(view.evaluation.key, write, shown))


def _meanwhile(
    metric: str, before: Label | None, *, kind: LabelKind, value: Value | None = None
) -> Label:
    """Give what a card shows of an answer that is not yet saved."""
    if before is not None and kind == "comment":
        return before
    return Label(
        evaluation=0, metric=metric, labeler="", value=value, kind=kind,
        comment=before.comment if before else None,
    )  # fmt: skip


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
