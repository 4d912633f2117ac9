"""The conversation of an evaluation: turns or candidates, and what stands below them."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from reviewer.domain.evaluation import CAUSE_TITLES, Candidate, Evaluation, JsonValue, Mark, Turn
from reviewer.domain.wording import fixed
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import Card, pill, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.turn_text import Attachment, Span, TurnText
from reviewer.gui.review.turns import Fold, TurnView

FIRST_TURNS = 12
MORE_TURNS = 20
RESPONSE = -1
"""The turn number of a bare response without messages."""


class ConversationView(QScrollArea):
    """Turns from first to last; long conversations are built while one reads.

    Signals:
        highlight_requested: A stretch was chosen for a highlight: turn or `RESPONSE`, start, end.
        removal_requested: A highlight is to be taken back, by its mark.
        unfolded: More or less of the texts is shown now.
    """

    highlight_requested = Signal(int, int, int)
    removal_requested = Signal(object)
    unfolded = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty conversation."""
        super().__init__()
        self._theme = theme
        self._views: list[TurnView] = []
        self._parts: list[TurnView | Comparison] = []
        self._pending: Iterator[None] = iter(())
        self._marks: tuple[Mark, ...] = ()
        self._notes: QWidget | None = None
        self._pointed: tuple[int, Span] | None = None
        self.setWidgetResizable(True)
        self.setAccessibleName("Conversation")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._build_more)
        self._fresh()

    @property
    def texts(self) -> list[TurnText]:
        """Give the texts in reading order."""
        return [part for view in self._views for part in view.texts]

    def show_evaluation(
        self, evaluation: Evaluation, marks: Sequence[Mark], attachment: Attachment
    ) -> None:
        """Show an evaluation from its top."""
        self._timer.stop()
        self._fresh()
        self._pointed = None
        self._marks = tuple(marks)
        if evaluation.candidates:
            if evaluation.input and not evaluation.messages:
                question = Turn(role="user", content=evaluation.input)
                self._add(question, RESPONSE - 1, attachment)
            row = Comparison(self._theme, evaluation.candidates, attachment)
            self._parts.append(row)
            self._column.insertWidget(self._column.count() - 1, row)
        self._pending = self._turns(evaluation, attachment)
        for _ in range(FIRST_TURNS):
            next(self._pending, None)
        self.set_marks(self._marks)
        self.verticalScrollBar().setValue(0)
        self._timer.start()

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Draw the highlights anew."""
        self._marks = tuple(marks)
        for view in self._views:
            view.set_spans(self._spans_of(view.number))
        if self._notes is not None:
            pieces.discard(self._notes)
        self._notes = note_card(self._marks, self._quoted)
        if self._notes is not None:
            self._column.insertWidget(self._column.count() - 1, self._notes)

    def build_all(self) -> None:
        """Build what is still missing, before a search or a screenshot."""
        for _ in self._pending:
            pass
        self._timer.stop()
        self.set_marks(self._marks)

    @property
    def has_selection(self) -> bool:
        """Tell whether anything is selected."""
        return any(part.textCursor().hasSelection() for part in self.texts)

    def mark_selection(self) -> bool:
        """Ask for a highlight of the selected stretch, or to take back that at the cursor.

        Tells whether there is either.
        """
        return any(part.mark_selection() for part in self.texts)

    def find_all(self, words: str) -> list[tuple[TurnText | Fold, int]]:
        """Mark every place of the words, and give each as a text and its number there.

        Of a folded detail its one line is searched, which is what one sees of it.
        """
        self.build_all()
        searched = [text for part in self._parts for text in part.searched]
        return [(part, n) for part in searched for n in range(part.find_all(words))]

    def scroll_to(self, part: TurnText | Fold, index: int) -> None:
        """Bring a found place into view, and mark it more than the others."""
        for shown in self._parts:
            for other in shown.searched:
                other.stress(index if other is part else -1)
        content = self.widget()
        if content is None:
            return
        top = part.mapTo(content, part.rect().topLeft()).y() + part.found_top(index)
        self.ensureVisible(0, top, 0, self.height() // 3)

    def point_at(self, start: int, end: int) -> None:
        """Mark a stretch of the response, and bring it into view."""
        self.build_all()
        answers = [x for x in self._views if x.texts and not x.is_user]
        content = self.widget()
        if not answers or content is None:
            return
        view, span = answers[-1], Span(start, end)
        self._pointed = (view.number, span)
        view.set_spans(self._spans_of(view.number))
        part = view.texts[0]
        top = part.mapTo(content, part.rect().topLeft()).y() + part.span_top(span)
        self.ensureVisible(0, top, 0, self.height() // 3)

    def restyle(self) -> None:
        """Take the theme's fonts and colours."""
        for part in self._parts:
            for shown in part.texts:
                shown.restyle()

    def _fresh(self) -> None:
        self._views, self._parts = [], []
        self._notes = None
        content = pieces.dressed(QWidget(), kind="scrolled")
        margin = self._theme.px(20)
        self._column = layouts.column(
            1,
            on=content,
            margins=(margin, self._theme.px(8), margin, margin),
            gap=self._theme.px(12),
        )
        self.setWidget(content)

    def _build_more(self) -> None:
        before = len(self._views)
        for _ in range(MORE_TURNS):
            if next(self._pending, StopIteration) is StopIteration:
                self._timer.stop()
                break
        for view in self._views[before:]:
            view.set_spans(self._spans_of(view.number))

    def _turns(self, evaluation: Evaluation, attachment: Attachment) -> Iterator[None]:
        turns = list(evaluation.messages)
        results = {t.tool_call_id: t for t in turns if t.role == "tool" and t.tool_call_id}
        called = {call.id for turn in turns for call in turn.tool_calls}
        if not turns and evaluation.input and not evaluation.candidates:
            self._add(Turn(role="user", content=evaluation.input), RESPONSE - 1, attachment)
        for number, turn in enumerate(turns):
            if turn.role == "tool" and turn.tool_call_id in called:
                continue
            view = self._add(turn, number, attachment)
            view.add_calls(turn.tool_calls, {k: v for k, v in results.items() if k})
            yield
        if _response_stands_alone(evaluation):
            bare = Turn(role="assistant", content=evaluation.response)
            self._add(bare, RESPONSE, attachment)
        cards = (match_card(evaluation), _error_card(evaluation.error))
        for card in cards:
            if card is not None:
                self._column.insertWidget(self._column.count() - 1, card)
        yield

    def _add(self, turn: Turn, number: int, attachment: Attachment) -> TurnView:
        view = TurnView(self._theme, turn, number, attachment)
        pieces.connect(
            (view.marked, self.highlight_requested),
            (view.unmarked, self.removal_requested),
            (view.unfolded, self.unfolded),
        )
        self._views.append(view)
        self._parts.append(view)
        at = self._column.count() - (2 if self._notes is not None else 1)
        self._column.insertWidget(at, view)
        return view

    def _spans_of(self, number: int) -> list[Span]:
        wanted = None if number == RESPONSE else number
        pointed = [self._pointed[1]] if self._pointed and self._pointed[0] == number else []
        return pointed + [
            Span(mark.start, mark.end, mark)
            for mark in self._marks
            if mark.kind == "highlight"
            and (mark.turn == wanted or (mark.turn is None and self._is_last_answer(number)))
            and mark.start is not None
            and mark.end is not None
        ]

    def _is_last_answer(self, number: int) -> bool:
        answers = [x.number for x in self._views if x.texts and not x.is_user]
        return bool(answers) and answers[-1] == number

    def _quoted(self, mark: Mark) -> str:
        if mark.start is None or mark.end is None:
            return ""
        turn = RESPONSE if mark.turn is None else mark.turn
        words = self.stretch(turn, mark.start, mark.end)
        return f"“{one_line(words, 90)}” — " if words else ""

    def stretch(self, turn: int, start: int, end: int) -> str:
        """Give a stretch of a turn (`RESPONSE`: the last answer) as it is stored."""
        for view in self._views:
            fits = turn == RESPONSE and self._is_last_answer(view.number)
            if view.texts and (fits or view.number == turn):
                return view.texts[0].stored[start:end]
        return ""


def _response_stands_alone(evaluation: Evaluation) -> bool:
    if evaluation.response is None or evaluation.candidates:
        return False
    last = next((t for t in reversed(evaluation.messages) if t.role == "assistant"), None)
    return last is None or last.text != evaluation.response


def _error_card(error: str | None) -> Card | None:
    if not error:
        return None
    card = Card("Error while answering")
    card.body.addWidget(text(visible(error).text, "alert", wrap=True))
    return card


class Comparison(QWidget):
    """A card a candidate, numbered like the keys that choose it.

    Attributes:
        texts: What the candidates say, in their order.
    """

    def __init__(
        self, theme: Theme, candidates: Sequence[Candidate], attachment: Attachment
    ) -> None:
        """Show candidates in their order."""
        super().__init__()
        self.texts: list[TurnText] = []
        row = layouts.row(on=self, margins=0, gap=theme.px(12))
        for place, candidate in enumerate(candidates, 1):
            card = Card(f"{place} · {one_line(candidate.id, 40)}")
            body = pieces.named(TurnText(theme, attachment), f"Candidate {candidate.id}")
            body.set_text(answer_of(candidate))
            self.texts.append(body)
            layouts.fill(card.body, body, 1)
            row.addWidget(card, 1)

    @property
    def searched(self) -> list[TurnText]:
        """Give what is searched: every candidate."""
        return self.texts


def answer_of(candidate: Candidate) -> str:
    """Give the text of a candidate: its response, else what the assistant says in its turns."""
    if candidate.response is not None:
        return candidate.response
    return "\n\n".join(t.text for t in candidate.messages if t.role == "assistant")


LISTED = ("highlight", "question", "cause")
WITH_REASON = ("skip", "flag")


def note_card(marks: Sequence[Mark], quote: Callable[[Mark], str]) -> Card | None:
    """Make the list of noted marks, None where there are none; `quote` gives the marked words."""
    noted = [x for x in marks if x.kind in LISTED or (x.kind in WITH_REASON and x.note)]
    if not noted:
        return None
    card = Card()
    for mark in noted:
        words = f"{quote(mark)}{_said(mark)} · {mark.labeler}"
        card.body.addLayout(
            layouts.row(
                pill(mark.kind.capitalize(), "human"),
                (text(visible(words).text, "muted", wrap=True), 1),
            )
        )
    return card


def _said(mark: Mark) -> str:
    """Say what a mark holds: a cause in words, whom a question goes to, and the note."""
    value = mark.value if isinstance(mark.value, str) else ""
    if mark.kind == "highlight" and mark.metric:
        value = f"for {mark.metric.replace('_', ' ')}"
    if mark.kind == "cause":
        value = CAUSE_TITLES.get(value, value)
    elif mark.kind == "question" and value:
        value = f"to {value}"
    return ": ".join(part for part in (value, mark.note) if part) or "no note"


def match_card(evaluation: Evaluation) -> Card | None:
    """Show which row of its question list a bot took the response from, None where it took none.

    That is about the bot under review and tells nothing of a score.
    """
    meta = evaluation.rest.get("meta")
    found = meta.get("matched") if isinstance(meta, dict) else None
    if not isinstance(found, dict):
        return None
    row, likeness = found.get("row"), found.get("similarity")
    card = Card(f"Matched row {row}" if row is not None else "No row matched")
    question = found.get("question")
    if isinstance(question, str) and question:
        card.body.addWidget(
            text(f"“{one_line(question, 300)}”", wrap=True, name="Matched question")
        )
    facts = [f"similarity {fixed(likeness)}"] if isinstance(likeness, int | float) else []
    facts.append(_shared(found.get("shared")))
    card.body.addWidget(text(" · ".join(facts), "muted", wrap=True, name="How alike"))
    return card


def _shared(words: JsonValue) -> str:
    said = (
        [visible(x).text for x in words if isinstance(x, str)] if isinstance(words, list) else []
    )
    return f"shared words: {', '.join(said)}" if said else "no shared words"
