"""Judge and people side by side on the chosen case, and what a lead can do about it beneath."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.evaluation import Score
from reviewer.domain.wording import in_percent, score_words
from reviewer.gui.audit.decide_row import DecideRow
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ReadingColumn
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.services.adjudicating.cases import DisputedCase, Opinion, Span, without_names
from reviewer.services.adjudicating.decisions import Question

RESPONSE = "The response under evaluation"
LONGEST = 6_000
BEFORE = 120
"""Characters shown of a response, and before its first highlight where that comes late."""
TITLE, NAME, QUOTE = 600, 28, 80
"""Characters of the title, which is what was asked, of a name, and of what somebody marked."""
MOST_QUOTES = 3
"""Stretches that are quoted beneath whoever marked them; the response shows all."""
BESIDE = 380
"""Pixels at 100 % from which two people stand side by side."""
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
        self._across = 1
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

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put people side by side, or one beneath the other."""
        super().resizeEvent(event)
        across = 2 if self._has_room else 1
        if self.case is not None and len(self.case.people) > 1 and across != self._across:
            self._show()

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
            self._lines.addWidget(self._person(decision, found, before=place > 0))
        self._add_people(found)
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

    def _add_people(self, found: DisputedCase) -> None:
        """Put people's answers side by side, two in a row where there is room."""
        made = [self._person(person, found) for person in found.people]
        across = self._across = 2 if self._has_room and len(made) > 1 else 1
        for place in range(0, len(made), across):
            row = made[place : place + across]
            missing = [QWidget()] * (across - len(row))
            self._lines.addLayout(
                layouts.row(*((x, 1) for x in (*row, *missing)), gap=self._theme.px(16))
            )

    @property
    def _has_room(self) -> bool:
        return self.scrolled.viewport().width() >= self._theme.px(BESIDE)

    def _person(self, person: Opinion, found: DisputedCase, *, before: bool = False) -> QWidget:
        verb = " decided" if person.decided else ""
        value = score_words(person.value) if person.applies else "not applicable"
        foot = {True: "blind", False: "seen", None: ""}[person.blind]
        if person.decided:
            foot = "an earlier decision" if before else ""
        name = one_line(person.labeler, NAME)
        role = "adjusted" if person.decided and not before else "human"
        marked = [] if person.decided else [x for x in found.spans if x.by == person.labeler]
        quotes = [self._quoted(found.response, x) for x in marked[:MOST_QUOTES]]
        return self._block(f"{name}{verb}: {value}", role, person.comment or "", foot, quotes)

    def _quoted(self, response: str, span: Span) -> QWidget:
        quote = one_line(response[span.start : span.end], QUOTE)
        note = f" {one_line(span.note, LONGEST)}" if span.note else ""
        return pieces.text(f"marked “{quote}”{note}", "small", wrap=True)

    def _add_question(self, question: Question) -> None:
        asker, asked = one_line(question.asker, NAME), one_line(question.asked, NAME)
        foot = "answered since" if question.answered else "waits for an answer"
        self._line(f"{asker} asked {asked}", "muted", question.text, foot)

    def _line(self, head: str, role: str, words: str, foot: str = "") -> None:
        self._lines.addWidget(self._block(head, role, words, foot))

    def _block(
        self, head: str, role: str, words: str, foot: str, more: Sequence[QWidget] = ()
    ) -> QWidget:
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
        layouts.fill(column, *more, 1)
        return block

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
        notes = [span.words for span in spans if span.words]
        label.setToolTip(escape("\n".join(notes)).replace("\n", "<br>"))
        return label


def _html(text: str) -> str:
    return escape(visible(text).text).replace("\n", "<br>")
