"""One metric: what it asks, its levels, what you, the judge and others said.

A style sheet could do it, but dressing a card with all its children anew costs more than a label
may take.
"""

from collections.abc import Sequence

from msgspec import Struct, field
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import Label, Score, Value, as_number
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted, gap_words, score_words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import Button, Card, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.review.elided import ElidedLabel, FoldedText
from reviewer.gui.review.level_button import Levels, TickRow, is_ticked
from reviewer.services.tallying.live_figures import CaseFigures

Piece = tuple[str, str]
"""Words and their role; `muted` is written light, everything else strong."""


class SummaryLine(QWidget):
    """Painted, because a rich text label lays out a whole document for five words."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty line."""
        super().__init__()
        self._theme = theme
        self._pieces: tuple[Piece, ...] = ()
        self._measured: tuple[QFontMetrics, tuple[int, ...]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self._measured = None
            self.setAccessibleName(self.text())
            self.setToolTip(self.text())
            self.updateGeometry()
            self.update()

    def text(self) -> str:
        """Give the line as plain text."""
        return "".join(words for words, _ in self._pieces)

    @override
    def sizeHint(self) -> QSize:
        """Ask for the width of the words."""
        return QSize(sum(self._widths()) + 2, self._theme.metrics(_style("")).height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Be content with the first fact; the tooltip has all."""
        return QSize(sum(self._widths()[:2]) + 2, self._theme.metrics(_style("")).height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces one after another."""
        painter = QPainter(self)
        shown = self._pieces[: self._fitting()]
        # what is left of a line that has no room for all stands at its end as well
        x = max(0, self.width() - 2 - sum(self._widths()[: len(shown)]))
        for (words, role), width in zip(shown, self._widths(), strict=False):
            metrics = self._theme.metrics(_style(role))
            painter.setFont(self._theme.font(_style(role)))
            painter.setPen(self._theme.colour(role))
            painter.drawText(x, (self.height() + metrics.ascent() - metrics.descent()) // 2, words)
            x += width
        painter.end()

    def _fitting(self) -> int:
        """Count the pieces of facts (name and figure each) that have room, whole or not at all."""
        room, widths = self.width(), self._widths()
        for place in range(0, len(widths) - 1, 2):
            room -= widths[place] + widths[place + 1]
            if room < 0 and place:
                return place
        return len(widths)

    def _widths(self) -> tuple[int, ...]:
        """Give the width of every piece, measured once for each font and words."""
        measures = self._theme.metrics(TextStyle.STRONG)
        if self._measured is None or self._measured[0] is not measures:
            found = (self._theme.metrics(_style(x)).horizontalAdvance(w) for w, x in self._pieces)
            self._measured = (measures, tuple(found))
        return self._measured[1]


def _style(role: str) -> TextStyle:
    return TextStyle.BODY if role == "muted" else TextStyle.STRONG


REASONING_SHOWN = 150


class CardState(Struct, frozen=True):
    """What a card shows; `auto`, `others` and `told` are empty while the evaluation is hidden.

    Attributes:
        waits: Whether that is not yet saved.
        unsure: Whether the labeler is unsure of their answer.
        doubting: Who is unsure of theirs.
        told: How the auto score came about, in one line.
    """

    own: Label | None = None
    waits: bool = False
    unsure: bool = False
    doubting: frozenset[str] = frozenset()
    auto: Score | None = None
    others: tuple[Label, ...] = ()
    figures: CaseFigures = field(default_factory=CaseFigures)
    hidden: bool = True
    told: str = ""


class MetricCard(Card):
    """A metric's card.

    Signals:
        value_chosen: A level was clicked.
        focus_requested: The card was clicked or tabbed into.
        unsure_turned: The answer is to be one that the labeler is unsure of, or no more.
    """

    unsure_turned = Signal()
    value_chosen = Signal(object)
    focus_requested = Signal()

    def __init__(
        self, theme: Theme, metric: Metric, *, compact: bool = False, asks_unsure: bool = False
    ) -> None:
        """Make a card without answer; a compact one is a single line until it is in focus.

        With `asks_unsure`, an answer has a button beside it to say that one is unsure of it.
        """
        super().__init__(margin=theme.px(8 if compact else 12))
        self.setAccessibleName(metric.heading)
        self.subject = metric
        self._theme = theme
        self._state = CardState()
        self._whole_reasoning = False
        self._in_focus = False
        self._shown = False
        self._compact = compact
        self._ring = FocusRing(theme, self)
        self.summary = SummaryLine(theme)
        title = metric.heading
        self.heading = ElidedLabel(title, "heading") if compact else text(title, "heading")
        self._asks_unsure = asks_unsure
        self.unsure = _unsure_button(title, asked=asks_unsure)
        self.unsure.clicked.connect(lambda _: self.unsure_turned.emit())
        layouts.fill(self.head, (self.heading, 1), self.summary, self.unsure)
        self._about = FoldedText("", "muted")
        self._levels = Levels(theme, metric)
        self._levels.chosen.connect(self._choose)
        self._levels.reached.connect(self.focus_requested)
        self.ticks = TickRow(theme) if is_ticked(metric) else None
        self._examples = Button("", self._turn_examples, kind="link")
        self._example_texts = text(_examples(metric), "small", wrap=True, hidden=True)
        self._quote = pieces.dressed(text("", "muted", wrap=True), kind="quote")
        self._more = Button("more", self._unfold, kind="link", name="Whole reasoning")
        quote = layouts.row((self._quote, 1), (self._more, 0, Qt.AlignmentFlag.AlignBottom))
        self._told = text("", "tiny", wrap=True, name=f"How the judge scored {metric.heading}")
        self._held: QWidget | None = None
        self.said = text("", "small", wrap=True)
        layouts.fill(self.body, self.head, self._about, self._levels)
        if self.ticks is not None:
            layouts.fill(self.body, self.ticks)
            self.ticks.hide()
        layouts.fill(self.body, layouts.row(self._examples, 1), self._example_texts)
        layouts.fill(self.body, quote, self._told, self.said)
        self._show_examples(unfold=False)
        self.show_state(CardState())

    @property
    def state(self) -> CardState:
        """Give what is shown."""
        return self._state

    @property
    def first_button(self) -> QWidget:
        """Give what the focus goes to when the cards are reached by F6."""
        return self._levels.first or self

    def show_keywords(self, keywords: Sequence[str]) -> bool:
        """Let keywords be ticked where the metric is labelled so; tells whether it is."""
        if self.ticks is None:
            return False
        self.ticks.show_keywords(keywords)
        self.ticks.setVisible(bool(keywords))
        self._show_levels()
        return bool(keywords)

    def show_state(self, state: CardState, *, unfold: bool = True) -> None:
        """Show answer, auto score, reasoning and figures; the same state costs nothing.

        Without `unfold` what was said and the level texts stay as they are until `unfold`.
        """
        if state == self._state and self._shown:
            return
        self._state, self._shown = state, True
        given = state.own.value if state.own is not None and state.own.counts else None
        auto = state.auto.value if state.auto is not None else None
        self._levels.show_values(given, auto)
        self.unsure.setVisible(self._asks_unsure and (given is not None or state.unsure))
        self.unsure.setChecked(state.unsure)
        self._show_summary()
        self._show_levels()
        if unfold:
            self.unfold()

    def unfold(self) -> None:
        """Show what is asked, and what judge and people said."""
        self._show_reasoning()
        self._show_about()

    def set_in_focus(self, *, focused: bool) -> None:
        """Make this the metric that keys go to: what is asked and all levels unfold."""
        if focused == self._in_focus:
            return
        self._in_focus = focused
        self._ring.setVisible(focused)
        self._show_levels()
        self._show_summary()
        self._show_examples(unfold=False)
        self.unfold()

    @property
    def question_height(self) -> int:
        """Give the pixels from its top to the end of its levels, whatever was said below."""
        asked = self._levels if self._levels.isVisible() else self.ticks or self._about
        return asked.geometry().bottom() + self._theme.px(12)

    def hold(self, widget: QWidget | None) -> None:
        """Show something under the reasoning, such as the claims behind it, or nothing."""
        if self._held is not None and self._held is not widget:
            self._held.hide()
        if widget is not None:
            if widget.parentWidget() is not self:
                self.body.insertWidget(self.body.indexOf(self._told) + 1, widget)
            widget.show()
        self._held = widget

    def restyle(self) -> None:
        """Take the theme's colours."""
        self._shown = False
        self.show_state(self._state)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the ring around the whole card, and its name readable."""
        super().resizeEvent(event)
        _leave_room(self)
        self._ring.setGeometry(self.rect())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the focus by a click."""
        self.focus_requested.emit()
        super().mousePressEvent(event)

    def _choose(self, value: Value) -> None:
        """Take a level by a click; that of a folded card shows all of them first."""
        if self._in_focus:
            self.value_chosen.emit(value)
        else:
            self.focus_requested.emit()

    def _show_levels(self) -> None:
        """Show all levels while keys go to them, and the chosen one afterwards."""
        ticked = self.ticks is not None and not self.ticks.isHidden()
        self._levels.set_folded(folded=not self._in_focus)
        chosen = self._levels.is_answered and not self._compact
        self._levels.setVisible(not ticked and (self._in_focus or chosen))

    def _turn_examples(self) -> None:
        self._show_examples(unfold=self._example_texts.isHidden())

    def _show_examples(self, *, unfold: bool) -> None:
        """Show the rubric's examples below the levels, or put them away."""
        count = sum(1 for level in self.subject.levels if level.example)
        self._example_texts.setVisible(unfold and self._in_focus)
        self._examples.setText("Put examples away" if unfold else counted(count, "example"))
        self._examples.setVisible(bool(count) and self._in_focus)

    def _show_summary(self) -> None:
        own, titled = self._state.own, self._compact and self._state.hidden
        # the levels of a compact card are out of sight
        title = self._levels.titles.get(own.value or 0, "") if titled and own is not None else ""
        pieces = _summary(self.subject, self._state, title)
        self.summary.set_pieces(pieces)
        _leave_room(self)
        self.summary.setVisible(bool(pieces))

    def _unfold(self) -> None:
        self._whole_reasoning = True
        self._show_reasoning()

    def _show_reasoning(self) -> None:
        words = _reasoning(self._state.auto)
        short = one_line(words, REASONING_SHOWN)
        cut = short.endswith("…") and not self._whole_reasoning
        self._quote.setText(f"“{short if cut else visible(words).text}”" if words else "")
        self._quote.setVisible(bool(words) and self._in_focus)
        self._more.setVisible(bool(words) and cut and self._in_focus)
        self._told.setText(self._state.told)
        self._told.setVisible(bool(self._state.told) and self._in_focus)
        people = _people(self.subject, self._state)
        self.said.setText(" · ".join(people))
        self.said.setVisible(bool(people) and self._in_focus)

    def _show_about(self) -> None:
        """Ask the question; a folded card says what was said about its answer in that line."""
        asked = self.subject.description or self.subject.describe_scale()
        pieces.set_property(self._about, "role", "" if self._in_focus else "muted")
        if self._in_focus:
            self._about.show_words(asked, folded=False)
        else:
            why = _reasoning(self._state.auto)
            people = _people(self.subject, self._state)
            said = " · ".join((*people[:1], *([f"“{why}”"] if why else []), *people[1:]))
            self._about.show_words(one_line(said or asked, 500), folded=True)
        self._about.setVisible(self._in_focus or not self._compact)


def _unsure_button(title: str, *, asked: bool) -> Button:
    button = Button("Unsure", dense=True, name=f"Unsure of {title}")
    button.setToolTip("Say that you are unsure of this answer.  [U: of the last one]")
    button.setCheckable(True)
    # what stands below keeps its place when there is an answer
    room = button.sizePolicy()
    room.setRetainSizeWhenHidden(asked)
    button.setSizePolicy(room)
    return button


def _reasoning(auto: Score | None) -> str:
    return (auto.reasoning or auto.error or "") if auto is not None else ""


def _people(metric: Metric, state: CardState) -> list[str]:
    """Say what one commented oneself, then what others gave."""
    people = [
        _said(metric, x) + (", unsure" if x.labeler in state.doubting else "")
        for x in state.others
        if x.counts
    ]
    if state.own is not None and state.own.comment:
        people.insert(0, f"your comment “{one_line(state.own.comment, 80)}”")
    return people


def _leave_room(card: MetricCard) -> None:
    """Let the last facts of a compact card go before its name is cut."""
    if isinstance(card.heading, ElidedLabel):
        inside = card.contentsRect().marginsRemoved(card.body.contentsMargins()).width()
        beside = card.unsure.sizeHint().width() if card.unsure.isVisibleTo(card) else 0
        room = inside - card.heading.whole_width - beside - 2 * card.head.spacing()
        card.summary.setMaximumWidth(max(room, card.summary.minimumSizeHint().width()))


def _summary(metric: Metric, state: CardState, title: str) -> list[Piece]:
    """Give the facts of a card; `title` is that of the level where its lines are out of sight."""
    own = state.own
    facts: list[tuple[str, str, str]] = []
    if state.waits:
        facts.append(("", "not yet saved", "alert"))
    if own is not None and own.kind == "not_applicable":
        return _joined([*facts, ("", "not applicable", "human")])
    figures = state.figures
    is_gap_shown = figures.gap is not None and not state.hidden
    said = own.value if own is not None and own.counts else None
    if said is not None:
        facts.append(("you ", f"{_word(metric, said)} {title}".strip(), "human"))
    if is_gap_shown and figures.human != as_number(said):
        # the gap is that of everybody's mean, which one's own answer does not explain
        facts.append(("people ", score_words(figures.human), "human"))
    if state.auto is not None:
        facts.append(("auto ", _word(metric, state.auto.value), "auto"))
    if is_gap_shown:
        facts.append(("gap ", gap_words(figures.gap), "text"))
        if figures.gap and figures.adjusted.value is not None:
            facts.append(("adjusted ", figures.adjusted.marked(score_words), "adjusted"))
    return _joined(facts)


def _joined(facts: Sequence[tuple[str, str, str]]) -> list[Piece]:
    pieces: list[Piece] = []
    for place, (name, value, role) in enumerate(facts):
        pieces += ((" · " if place else "") + name, "muted"), (value, role)
    return pieces


def _word(metric: Metric, value: Value | None) -> str:
    return metric.kind.word(value) or score_words(value)


def _said(metric: Metric, label: Label) -> str:
    decided = "decided " if label.kind == "adjudication" else ""
    comment = f" “{one_line(label.comment, 80)}”" if label.comment else ""
    return f"{label.labeler}: {decided}{_word(metric, label.value)}{comment}"


def _examples(metric: Metric) -> str:
    """List the rubric's examples in its order."""
    lines = [f"{score_words(x.value)}  {x.example}" for x in reversed(metric.levels) if x.example]
    return "\n".join(lines)


RADIUS = 8
WIDTH = 2


class FocusRing(QWidget):
    """A ring around its parent that lets the mouse through."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make a hidden ring."""
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("focus"), WIDTH))
        half = WIDTH / 2
        radius = self._theme.px(RADIUS) - half
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(half, half, -half, -half), radius, radius
        )
        painter.end()
