"""Highlights, and reasons for skips and flags: what is marked at once, and what is said of it."""

import dataclasses
from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from reviewer.domain.evaluation import Mark, MarkKind
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.text import one_line
from reviewer.gui.review.comment_field import Question
from reviewer.gui.review.conversation import ConversationView
from reviewer.gui.review.saving import Saving
from reviewer.gui.review.scores_view import ScoresView
from reviewer.services.labelling import entering
from reviewer.services.labelling.unsaved import Answer
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session

NOTHING_SELECTED = "Select some words of the conversation first; then H highlights them."
NOT_DONE = "Nothing was marked: only Return does it."


class MarkActs(QObject):
    """Marks the response in view, and asks for words below the cards, never in a dialog.

    Signals:
        noted: A passing line.
        skipped: The response was skipped with a reason.
    """

    noted = Signal(str)
    skipped = Signal()

    def __init__(self, scores: ScoresView, conversation: ConversationView, saving: Saving) -> None:
        """Make the acts on what a conversation shows; the line below the cards asks."""
        super().__init__(scores)
        self._scores = scores
        self._conversation = conversation
        self._saving = saving
        self._session: Session | None = None
        self._view: EvaluationView | None = None
        self._asks = False
        self._newest: Mark | None = None
        connect(
            (conversation.highlight_requested, self._highlight),
            (conversation.removal_requested, self._remove),
        )

    def look_at(self, session: Session | None, view: EvaluationView | None) -> None:
        """Mark an evaluation, or none."""
        if self._view is None or view is None or view.evaluation.key != self._view.evaluation.key:
            self._newest = None
        self._session, self._view = session, view

    def highlight(self, *, asks: bool) -> None:
        """Highlight what is selected; where it `asks`, with words on it or on the newest one."""
        self._asks = asks
        is_selected = self._conversation.has_selection
        if asks and not is_selected and self._newest is not None:
            self._ask_note(self._newest)
        elif asks and not is_selected:
            # whoever types on meant it for a note, and not as keys
            self._ask(Question(("Select words first",), "Escape goes back", self._say_nothing))
        elif not self._conversation.mark_selection():
            self._say_nothing()

    def ask_reason(self, kind: MarkKind) -> None:
        """Ask why the response is skipped or flagged, and do that with the answer."""
        view = self._view
        if view is None:
            return
        mine = [x.note for x in view.marks if x.kind == kind and self._is_own(x)]
        self._ask(
            Question(
                about=(f"Why {kind} it",),
                hint="Return does it · Esc",
                keep=lambda words, _: self._give_reason(kind, words),
                words=(mine[-1] if mine else None) or "",
            )
        )

    def _ask(self, question: Question) -> None:
        self._scores.comment.ask(
            dataclasses.replace(question, drop=lambda: self.noted.emit(NOT_DONE))
        )

    def _say_nothing(self, *_: object) -> None:
        self.noted.emit(NOTHING_SELECTED)

    def _give_reason(self, kind: MarkKind, words: str) -> None:
        given = self._do(lambda session, key: entering.give_reason(session, key, kind, words))
        if given and kind == "skip":
            self.skipped.emit()

    def _highlight(self, turn: int, start: int, end: int) -> None:
        """Highlight a stretch of a turn (-1: the bare response)."""
        mark = Mark(
            evaluation=0, kind="highlight", labeler="", turn=None if turn < 0 else turn,
            start=start, end=end, metric=self._scores.commented,
        )  # fmt: skip
        if self._asks:
            self._ask_note(mark)
        elif self._keep(mark):
            words = one_line(self._conversation.stretch(turn, start, end), 60)
            self.noted.emit(f"Highlighted for {self._heading(mark.metric)}: “{words}”. Shift+H "
                            "says why.")  # fmt: skip

    def _ask_note(self, mark: Mark) -> None:
        names = (*self._scores.cards, None)

        def keep(words: str, at: int) -> None:
            """Keep it with its note, in the place of one for another metric."""
            if mark is self._newest and mark.metric != names[at]:
                self._remove(mark)
            self._keep(replace(mark, metric=names[at], note=words))

        self._ask(
            Question(
                about=tuple(f"Highlight for {self._heading(name)}" for name in names),
                hint="Return · ↑ ↓ metric · Esc",
                keep=keep,
                words=mark.note or "",
                place=names.index(mark.metric),
            )
        )

    def _keep(self, mark: Mark) -> bool:
        def keep(session: Session, key: int) -> None:
            at = entering.Stretch(mark.turn, mark.start or 0, mark.end or 0)
            note = mark.note or ""
            self._newest = entering.highlight(session, key, at, note=note, metric=mark.metric).mark

        return self._do(keep)

    def _remove(self, mark: Mark) -> None:
        if self._do(lambda session, _: entering.remove_highlight(session, mark)):
            self._newest = None
            self.noted.emit("The highlight is taken back.")

    def _heading(self, metric: str | None) -> str:
        card = self._scores.cards.get(metric or "")
        return card.subject.heading if card is not None else "the response"

    def _is_own(self, mark: Mark) -> bool:
        return self._session is not None and mark.labeler == self._session.labeler.name

    def _do(self, act: Callable[[Session, int], object]) -> bool:
        session, view = self._session, self._view
        if session is None or view is None:
            return False
        self.noted.emit("")
        key = view.evaluation.key
        return self._saving.take(Answer(key, lambda: act(session, key)))
