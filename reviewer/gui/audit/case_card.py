"""Judge and people side by side on the chosen case, and what a lead can do about it beneath."""

from collections.abc import Mapping
from functools import partial
from html import escape

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPen, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.evaluation import Score, Value
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import in_percent, score_words
from reviewer.gui.actions import COMMANDS
from reviewer.gui.any_value import has_more
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ReadingColumn
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.services.adjudicating.cases import DisputedCase, Opinion, Span, without_names
from reviewer.services.adjudicating.decisions import CAUSES, TITLES, Cause, Question

RESPONSE = "The response under evaluation"
LONGEST = 1_200
BEFORE = 120
"""Characters shown of a response, and before its first highlight where that comes late."""
TITLE, NAME = 110, 28
"""Characters of the title, which is what was asked, and of a name, whose value stands behind."""
LEAST = 96
"""Pixels at 100 % in which judge, people and response can still be read."""


class CaseCard(pieces.Card):
    """What the judge said about one evaluation beside what people said.

    Attributes:
        scrolled: Where both are read.

    Signals:
        open_requested: The evaluation is to be shown on Review.
    """

    open_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__()
        self._theme = theme
        self.case: DisputedCase | None = None
        self.setAccessibleName("Response")
        self.name = pieces.ElidedText("Response", "heading")
        self.names = pieces.named(
            pieces.Button("Hide names", self._show, dense=True, name="Hide names"),
            tip="Letters for names, in an order of their own   [A]",
        )
        self.names.setCheckable(True)
        self.open_button = pieces.named(
            pieces.Button("Open", self.open_requested.emit, dense=True, name="Open on Review"),
            tip="Show the response on Review   [O]",
        )
        self.name.setMinimumWidth(theme.px(60))
        self.names.let_shrink()
        layouts.fill(self.head, (self.name, 1), self.names, self.open_button)
        self.body.addLayout(self.head)
        holder = QWidget()
        self._lines = layouts.column(gap=theme.px(7))
        layouts.column(self._lines, 1, on=holder, margins=0)
        # an aligned layout would be no taller than its words are in one line
        self.scrolled = ReadingColumn(holder, "Judge and people side by side")
        self.scrolled.setMinimumHeight(theme.px(LEAST))
        self.decide = DecideRow(theme)
        layouts.fill(self.body, (self.scrolled, 1), self.decide)
        self.clear()

    def clear(self, sentence: str = "") -> None:
        """Show nothing but a sentence."""
        self.case = None
        self.name.setText("Response")
        pieces.show(self.open_button, self.names, self.decide, shown=False)
        pieces.clear(self._lines)
        if sentence:
            self._lines.addWidget(pieces.text(sentence, "muted", wrap=True))

    def show_case(self, found: DisputedCase) -> None:
        """Show a case; the same one again stays where it is scrolled to."""
        other = self.case is None or self.case.key != found.key
        self.case = found
        pieces.show(self.open_button, self.names, self.decide, shown=True)
        self._show()
        self.decide.show_case(found)
        if other:
            self.scrolled.verticalScrollBar().setValue(0)

    def toggle_names(self) -> None:
        """Hide names and shuffle who stands first, or show them again."""
        self.names.setChecked(not self.names.isChecked())
        self._show()

    def _show(self) -> None:
        if self.case is None:
            return
        found = without_names(self.case) if self.names.isChecked() else self.case
        pieces.clear(self._lines)
        self.name.setText(f"{one_line(found.id, 40)} · {found.metric.heading}")
        title = pieces.text(one_line(found.title, TITLE), "strong", wrap=True)
        title.setToolTip(one_line(found.title, LONGEST))
        self._lines.addWidget(title)
        if found.excluded is not None:
            words = f"Excluded from every figure: {one_line(found.excluded, 200)}"
            self._lines.addWidget(pieces.text(words, "alert", wrap=True))
        self._add_judge(found.score, found.judge)
        for place, decision in enumerate(found.decisions):
            self._add_person(decision, before=place > 0)
        for person in found.people:
            self._add_person(person)
        for question in found.questions:
            self._add_question(question)
        if found.response:
            card = pieces.Card(margin=self._theme.px(10))
            card.body.addWidget(self._response(found.response, found.spans))
            self._lines.addWidget(card)

    def _add_judge(self, score: Score | None, judge: str) -> None:
        if score is None:
            self._line("Judge —", "auto", "", "no auto score")
            return
        facts = [judge, score.model if score.model != score.scorer else ""]
        if score.prompt_hash:
            facts.append(f"prompt {one_line(score.prompt_hash, 8)}")
        if score.confidence is not None:
            facts.append(f"{in_percent(score.confidence, 0)} sure")
        foot = " · ".join(dict.fromkeys(x for x in facts if x)) or "from its parts"
        self._line(f"Judge {score_words(score.value)}", "auto", score.reasoning or "", foot)

    def _add_person(self, person: Opinion, *, before: bool = False) -> None:
        verb = " decided" if person.decided else ""
        value = score_words(person.value) if person.applies else "not applicable"
        foot = {True: "blind", False: "seen", None: ""}[person.blind]
        if person.decided:
            foot = "an earlier decision" if before else ""
        name = one_line(person.labeler, NAME)
        role = "adjusted" if person.decided and not before else "human"
        self._line(f"{name}{verb}: {value}", role, person.comment or "", foot)

    def _add_question(self, question: Question) -> None:
        asker, asked = one_line(question.asker, NAME), one_line(question.asked, NAME)
        foot = "answered since" if question.answered else "waits for an answer"
        self._line(f"{asker} asked {asked}", "muted", question.text, foot)

    def _line(self, head: str, role: str, words: str, foot: str = "") -> None:
        block = QWidget()
        tail = pieces.ElidedText(foot, "tiny")
        column = layouts.column(
            layouts.row(pieces.ElidedText(head, role), (tail, 1), gap=self._theme.px(8)),
            on=block,
            margins=0,
            gap=1,
        )
        if words:
            shown = visible(words).text
            column.addWidget(pieces.text(f"“{shown}”", "muted", wrap=True))
        self._lines.addWidget(block)

    def _response(self, text: str, spans: tuple[Span, ...]) -> QLabel:
        """Show the response with its highlights; markup in it is shown, never obeyed."""
        first = min((span.start for span in spans), default=0)
        start = max(first - BEFORE, 0) if first > LONGEST - BEFORE else 0
        end = min(start + LONGEST, len(text))
        if not spans:
            more = "…" if end < len(text) else ""
            plain = visible(text[:end]).text + more
            return pieces.text(plain, wrap=True, name=RESPONSE)
        label = pieces.named(
            QLabel(
                textFormat=Qt.TextFormat.RichText,
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            ),
            RESPONSE,
        )
        ground, ink = self._theme.colour("highlight").name(), self._theme.colour("text").name()
        style = f"background-color: {ground}; color: {ink};"
        parts, at = ["…" if start else ""], start
        for span in sorted(spans, key=lambda x: x.start):
            left, right = max(span.start, at), min(span.end, end)
            if left < right:
                parts += [
                    _html(text[at:left]),
                    f'<u><span style="{style}">{_html(text[left:right])}</span></u>',
                ]
                at = right
        parts.append(_html(text[at:end]) + ("…" if end < len(text) else ""))
        label.setText("".join(parts))
        notes = [span.note for span in spans if span.note]
        label.setToolTip(escape("\n".join(notes)).replace("\n", "<br>"))
        return label


def _html(text: str) -> str:
    return escape(visible(text).text).replace("\n", "<br>")


MOST_WORDS = 24
"""Longer names of categories are shortened on their buttons."""
OTHER = "Other…"


class DecideRow(QWidget):
    """The buttons; each has its key.

    Signals:
        decided: The value at a place of the scale, counted from the lowest.
        cause_chosen: A cause is to be recorded, or taken back where it stands.
        wished: Another act by its name: `value`, `edit_note`, `note`, `ask` and the like.
    """

    decided = Signal(int)
    cause_chosen = Signal(str)
    wished = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the row without levels."""
        super().__init__()
        self._theme = theme
        self.levels: list[pieces.Button] = []
        self._metric: Metric | None = None
        self._beyond: Value | None = None
        self._about = (0, "")
        self._kept = ""
        self._drafts: dict[tuple[int, str], str] = {}
        self._levels = layouts.FlowLayout(spacing=theme.px(5))
        self.causes: dict[Cause, pieces.Button] = {}
        self.note = pieces.named(
            QLineEdit(placeholderText="Note for the decision or the cause (C), kept with Return"),
            "Note for the decision or the cause",
            hidden=True,
        )
        self.write = _act("Note…", "note", self, wish="edit_note")
        self.note.returnPressed.connect(lambda: self.wished.emit("note"))
        self.other = _act(OTHER, "value", self)
        self.other.setCheckable(True)
        # a click checks it, whatever comes of the question
        self.other.clicked.connect(lambda *_: self._mark_other())
        self.ask = _act("Send back…", "ask", self)
        self.take_back = _act("Take back", "withdraw", self)
        self.take_question_back = _act("Take question back", "withdraw_question", self)
        column = layouts.column(
            pieces.line(), self._levels, on=self, margins=0, gap=self._theme.px(6)
        )
        for cause in CAUSES:
            command = COMMANDS[f"audit.{cause}"]
            button = pieces.named(pieces.Button(
                SHORT[cause], partial(self.cause_chosen.emit, cause),
                dense=True, name=command.title,
            ), tip=f"{TITLES[cause].capitalize()}   [{command.keys_text}]")  # fmt: skip
            button.setCheckable(True)
            self.causes[cause] = button
        column.addWidget(self.note)
        leave = QShortcut(QKeySequence("Escape"), self.note)
        leave.setContext(Qt.ShortcutContext.WidgetShortcut)
        leave.activated.connect(self._leave_note)

    @property
    def words(self) -> str:
        """Give the note as it stands in the field."""
        return self.note.text().strip()

    def show_case(self, found: DisputedCase) -> None:
        """Show what is decided and why; where nothing may be decided, nothing can be pressed."""
        self._show_levels(found.metric)
        decided = found.decisions[0].value if found.decisions else None
        for button, value in zip(self.levels, found.metric.key_values, strict=False):
            button.setChecked(decided is not None and value == decided)
        self._beyond = None if decided in found.metric.key_values else decided
        self._mark_other()
        for cause, one in self.causes.items():
            one.setChecked(found.cause is not None and found.cause.cause == cause)
        note = found.cause.note if found.cause else ""
        if not note and found.mine is not None:
            note = found.mine.comment or ""
        about = (found.key, found.metric.name)
        if about != self._about and self.words != self._kept:
            # what was written and not kept stands here again with its response
            self._drafts[self._about] = self.words
        self._about, self._kept = about, note
        note = self._drafts.pop(about, note)
        self.note.setText(note)
        self.note.setVisible(bool(note) or self.note.hasFocus())
        self.take_back.setVisible(found.mine is not None)
        self.take_question_back.setVisible(found.asks)
        self.setEnabled(found.may_decide)
        self.setToolTip("" if found.may_decide else "Only a lead decides in this project.")

    def edit_note(self) -> None:
        """Put the cursor into the note."""
        self.note.show()
        self.note.setFocus()
        self.note.selectAll()

    def _leave_note(self) -> None:
        self.wished.emit("leave")
        self.note.setVisible(bool(self.words))

    def _mark_other(self) -> None:
        """Show a decided value that has no button of its own."""
        beyond = self._beyond
        self.other.setText(
            OTHER if beyond is None else f"Other: {one_line(score_words(beyond), MOST_WORDS)}…"
        )
        self.other.setChecked(beyond is not None)

    def _show_levels(self, metric: Metric) -> None:
        if metric == self._metric:
            return
        self._metric = metric
        others = (
            self.other, self.ask, self.take_question_back, self.take_back,
            *self.causes.values(), self.write,
        )  # fmt: skip
        for part in others:
            self._levels.removeWidget(part)
        pieces.clear(self._levels)
        self._levels.addWidget(pieces.text("Decide", "small"))
        titles = {level.value: level.title or "" for level in metric.levels}
        self.levels = []
        for place, value in enumerate(metric.key_values):
            words, title = score_words(value), titles.get(value, "")
            shown = words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…"
            button = pieces.named(pieces.Button(
                shown, partial(self.decided.emit, place), dense=True,
                name=f"Decide {metric.heading} {words} {title}".strip(),
            ), tip=f"{words} {title}".strip() + f"   [{(place + 1) % 10}]")  # fmt: skip
            button.setProperty("told", "level")
            button.setCheckable(True)
            self.levels.append(button)
            self._levels.addWidget(button)
        layouts.fill(self._levels, *others)
        # a button without a parent would become a window of its own
        self.other.setVisible(has_more(metric))


def _act(words: str, name: str, row: DecideRow, wish: str = "") -> pieces.Button:
    command = COMMANDS[f"audit.{name}"]
    return pieces.named(
        pieces.Button(
            words,
            lambda: row.wished.emit(wish or name),
            dense=True,
            name=command.title.rstrip("…"),
        ),
        tip=f"{command.title.rstrip('…')}   [{command.keys_text}]",
    )


SHORT: dict[Cause, str] = {
    "judge_wrong": "judge wrong",
    "human_slip": "human slip",
    "rubric_unclear": "rubric unclear",
    "data_broken": "broken",
    "both_defensible": "both fine",
}


class CauseSegment(QAbstractButton):
    """One cause with its count, over a bar as long as its share of the most frequent one."""

    def __init__(self, theme: Theme, cause: Cause) -> None:
        """Make the segment of a cause that nobody recorded."""
        super().__init__()
        self._theme = theme
        self._cause = cause
        self._share = 0.0
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Cause {TITLES[cause]}")
        self.setToolTip(f"List only those with the cause: {TITLES[cause]}.")

    def show_count(self, count: int, most: int) -> None:
        """Show how often the cause occurs."""
        self._share = count / most if most else 0.0
        pieces.write(
            self, f"{SHORT[self._cause]} {count:,}", name=f"Cause {TITLES[self._cause]}, {count:,}"
        )
        self.setVisible(count > 0 or self.isChecked())
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Ask for room for words and bar."""
        self.setFont(self._theme.font(TextStyle.SMALL))
        width = self.fontMetrics().horizontalAdvance(self.text()) + self._theme.px(14)
        return QSize(width, self.fontMetrics().height() + self._theme.px(10))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint words and bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, px = self._theme.colour, self._theme.px
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        edge = "focus" if self.hasFocus() or self.isChecked() else "border"
        painter.setPen(QPen(colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(colour("selection" if self.isChecked() or self.underMouse() else "card"))
        painter.drawRoundedRect(box, px(5), px(5))
        inner = box.adjusted(px(5), 0, -px(5), -px(2))
        track = QRectF(inner.left(), inner.bottom() - px(3), inner.width(), px(3))
        painter.fillRect(track, colour("track"))
        track.setWidth(max(inner.width() * self._share, px(2)))
        painter.fillRect(track, colour("human_fill"))
        painter.setPen(colour("text"))
        painter.setFont(self._theme.font(TextStyle.SMALL))
        room = inner.adjusted(0, 0, 0, -px(4))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class CauseBar(QWidget):
    """The causes that occur.

    Signals:
        cause_chosen: The list is to show one cause alone, or all again (None).
        todo_requested: What the rubric leaves unclear is to be shown.
    """

    cause_chosen = Signal(object)
    todo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty row."""
        super().__init__(accessibleName="Causes of disagreements")
        row = layouts.FlowLayout(self, spacing=theme.px(5), together=True)
        self.segments: dict[Cause, CauseSegment] = {}
        for cause in CAUSES:
            segment = self.segments[cause] = CauseSegment(theme, cause)
            segment.clicked.connect(lambda _=False, x=cause: self._choose(x))
            row.addWidget(segment)
        self.todo = pieces.named(
            pieces.Button("To-do list", self.todo_requested.emit, kind="link"),
            "Rubric to-do list",
            hidden=True,
        )
        self.hide()

    @property
    def chosen(self) -> Cause | None:
        """Give the cause that the list is narrowed to."""
        return next((name for name, x in self.segments.items() if x.isChecked()), None)

    def show_counts(self, counts: Mapping[Cause, int]) -> None:
        """Show how often each cause occurs."""
        most = max(counts.values(), default=0)
        for cause, segment in self.segments.items():
            segment.show_count(counts.get(cause, 0), most)
        self.todo.setVisible(counts.get("rubric_unclear", 0) > 0)
        self.setVisible(most > 0 or self.chosen is not None)

    def reset(self) -> None:
        """Choose no cause, without telling."""
        for segment in self.segments.values():
            segment.setChecked(False)

    def _choose(self, cause: Cause) -> None:
        for other, segment in self.segments.items():
            if other != cause:
                segment.setChecked(False)
        self.cause_chosen.emit(self.chosen)
