"""The middle pane: one evaluation's conversation, context, expected answer, history and judge."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from reviewer.gui.kit import layouts
from reviewer.gui.kit.pieces import connect, say, show, text
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.conversation import ConversationView
from reviewer.gui.review.details import ContextView, ExpectedView, HistoryView
from reviewer.gui.review.header import JUDGE, Header
from reviewer.gui.review.turn_text import TurnText
from reviewer.gui.review.turns import Fold
from reviewer.services.project.reading import EvaluationView


class CaseView(QWidget):
    """One evaluation; the panes behind the tabs are filled when they are looked at.

    Signals:
        details_requested: How the judge came to its scores is looked at; `show_judge` shows it.
    """

    details_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty pane."""
        super().__init__()
        self.header = Header(theme)
        self.conversation = ConversationView(theme)
        self.context = ContextView(theme, "Context")
        self.expected = ExpectedView(theme, "Expected answer")
        self.history = HistoryView(theme, "History")
        self._theme = theme
        self._judge: Any = None
        self._judge_room = QWidget(focusPolicy=Qt.FocusPolicy.StrongFocus, accessibleName="Judge")
        QVBoxLayout(self._judge_room).setContentsMargins(0, 0, 0, 0)
        self._view: EvaluationView | None = None
        self._filled: set[int] = set()
        self._hits: list[tuple[TurnText | Fold, int]] = []
        self._hit = 0
        self.stack = QStackedWidget()
        for pane in (
            self.conversation,
            self.context,
            self.expected,
            self.history,
            self._judge_room,
        ):
            self.stack.addWidget(pane)
        self.nothing = text("", "muted", wrap=True)
        self.nothing.setContentsMargins(theme.px(24), theme.px(24), theme.px(24), 0)
        self.asked = text("", "notice", wrap=True, name="Asked of you", hidden=True)
        self.asked.setContentsMargins(theme.px(24), theme.px(8), theme.px(24), theme.px(8))
        self.warned = text("", "alert", wrap=True, name="Warnings", hidden=True)
        self.warned.setContentsMargins(theme.px(24), theme.px(4), theme.px(24), theme.px(4))
        layouts.column(
            self.nothing,
            self.header,
            self.asked,
            self.warned,
            (self.stack, 1),
            on=self,
            margins=0,
            gap=0,
        )
        connect(
            (self.header.tab_chosen, self._choose_tab),
            (self.header.find_requested, self._find),
            (self.conversation.unfolded, self._find_again),
        )
        self.show_nothing("")

    def show_nothing(self, sentence: str) -> None:
        """Show a sentence instead of an evaluation."""
        self._view = None
        say(self.nothing, sentence)
        show(self.header, self.asked, self.warned, self.stack, shown=False)

    def show_view(self, view: EvaluationView, attachment: Callable[[str], bytes | None]) -> None:
        """Show an evaluation from its top; another one is read before it is looked at closely."""
        if self._view is None or self._view.evaluation.key != view.evaluation.key:
            self._view = None
            self.header.choose_tab(0)
        self._view = view
        self.nothing.hide()
        show(self.header, self.stack, shown=True)
        self.header.show_evaluation(view.evaluation)
        self.conversation.show_evaluation(view.evaluation, view.marks, attachment)
        self._filled = {0}
        self._fill(self.stack.currentIndex())
        if self.header.search.text():
            self._find(self.header.search.text(), 0)

    def show_asked(self, sentence: str) -> None:
        """Show what a lead asks the labeler here, or nothing."""
        say(self.asked, sentence)

    def show_warnings(self, sentences: Sequence[str]) -> None:
        """Show what is odd about the evaluation, or nothing."""
        say(self.warned, "\n".join(sentences))

    def show_judge(self, found: Sequence[Any], *, hidden: bool) -> None:
        """Show how scores came about, or that this is told after the reveal."""
        if self._judge is None:
            from reviewer.gui.review.claims_view import JudgeView

            self._judge = JudgeView(self._theme, "Judge")
            self._judge_room.setFocusProxy(self._judge)
            room = self._judge_room.layout()
            if room is not None:
                room.addWidget(self._judge)
            # a layout shows it a moment later, and until then it could not take keys
            self._judge.show()
        self._judge.show_details(found, hidden=hidden)

    @property
    def shown(self) -> QWidget:
        """Give the pane behind the chosen tab; while it has the focus, keys label."""
        return self.stack.currentWidget() or self.conversation

    @property
    def shows_response(self) -> bool:
        """Tell whether the response is in sight, not what stands beside it."""
        return self.stack.currentIndex() == 0

    def toggle_judge(self) -> None:
        """Go to how the judge came to its scores, and back to the conversation."""
        self.header.choose_tab(0 if self.stack.currentIndex() == JUDGE else JUDGE)

    def point_at(self, start: int, end: int) -> None:
        """Show a stretch of the response in the conversation."""
        self.header.choose_tab(0)
        self.conversation.point_at(start, end)

    def refresh(self, view: EvaluationView) -> None:
        """Show what changed beside the text: marks, history, and what a reveal opens."""
        if self._view is None or view.marks != self._view.marks:
            self.conversation.set_marks(view.marks)
        self._view = view
        self._filled -= {1, 2, 3, JUDGE}
        self._fill(self.stack.currentIndex())

    def restyle(self) -> None:
        """Take the theme's colours."""
        self.conversation.restyle()
        self._find_again()
        for pane in (self.expected, self.history, self._judge):
            if pane is not None:
                pane.clear()
        self._filled = {0}
        self._fill(self.stack.currentIndex())

    def _choose_tab(self, place: int) -> None:
        self.stack.setCurrentIndex(place)
        self._fill(place)

    def _fill(self, place: int) -> None:
        view = self._view
        if view is None or place in self._filled:
            return
        self._filled.add(place)
        if place == 1:
            self.context.show_evaluation(view.evaluation, hidden=view.hidden)
        elif place == 2:
            self.expected.show_evaluation(view.evaluation, view.rubric, hidden=view.hidden)
        elif place == 3:
            self.history.show_history(view.history, view.rubric, hidden=view.hidden)
        elif place == JUDGE:
            self.details_requested.emit()

    def _find(self, words: str, step: int) -> None:
        if step and self._hits:
            self._hit = (self._hit + step) % len(self._hits)
        else:
            self._hits = self.conversation.find_all(words.strip())
            self._hit = 0
        self._show_count(words)
        if self._hits:
            self.conversation.scroll_to(*self._hits[self._hit])

    def _find_again(self) -> None:
        """Mark again what a text lost that was drawn anew; the place in view stays the same."""
        words = self.header.search.text()
        if not words:
            return
        kept = self._hits[self._hit] if self._hits else None
        self._hits = self.conversation.find_all(words.strip())
        self._hit = self._hits.index(kept) if kept in self._hits else 0
        self._show_count(words)
        if self._hits:
            part, place = self._hits[self._hit]
            part.stress(place)

    def _show_count(self, words: str) -> None:
        count = len(self._hits)
        self.header.found.setText(
            f"{self._hit + 1} of {count}" if count else "not found" * bool(words)
        )
