"""One metric: its levels as buttons, what you, the judge and others said, the level texts.

A style sheet could do it, but dressing a card with all its children anew costs more than a label
may take.
"""

from collections.abc import Sequence

from msgspec import Struct, field
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import Label, Score, Value, as_number
from reviewer.domain.rubric import Level, Metric
from reviewer.domain.wording import gap_words, score_words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, Card, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.review.elided import ElidedLabel
from reviewer.gui.review.level_button import LevelButton, TickRow, is_ticked
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


REASONING_SHOWN, REASONING_ASIDE = 150, 52
NARROW = 6


class CardState(Struct, frozen=True):
    """What a card shows; `auto`, `others` and `told` are empty while the evaluation is hidden.

    Attributes:
        told: How the auto score came about, in one line.
    """

    own: Label | None = None
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
    """

    value_chosen = Signal(object)
    focus_requested = Signal()

    def __init__(self, theme: Theme, metric: Metric, *, compact: bool = False) -> None:
        """Make a card without answer; a compact one is a single line until it is in focus."""
        super().__init__("" if compact else metric.heading, margin=theme.px(8 if compact else 12))
        if compact:
            self.head.addWidget(ElidedLabel(metric.heading, "heading"), 1)
            self.body.addLayout(self.head)
        self.setAccessibleName(metric.heading)
        self.subject = metric
        self._theme = theme
        self._state = CardState()
        self._whole_reasoning = False
        self._in_focus = False
        self._shown = False
        self.summary = SummaryLine(theme)
        self._compact = compact
        self._ring = FocusRing(theme, self)
        self.title.setToolTip(metric.description)
        self._buttons: list[tuple[Value, LevelButton]] = []
        self._level_row = self._levels()
        (self.head if compact else self.body).addWidget(self._level_row)
        self.ticks = TickRow(theme) if is_ticked(metric) else None
        if self.ticks is not None:
            self.body.addWidget(self.ticks)
            self.ticks.hide()
        (self.body if compact else self.head).addWidget(self.summary)
        self._quote = pieces.dressed(text("", "muted", wrap=True), kind="quote")
        self._more = Button("more", self._unfold, kind="link", name="Whole reasoning")
        row = layouts.row((self._quote, 1), (self._more, 0, Qt.AlignmentFlag.AlignBottom))
        self._told = text("", "tiny", wrap=True, name=f"How the judge scored {metric.heading}")
        self._held: QWidget | None = None
        self.said = text("", "small", wrap=True)
        self._texts = self._level_texts()
        layouts.fill(self.body, row, self._told, self.said, self._texts)
        self.show_state(CardState())

    @property
    def state(self) -> CardState:
        """Give what is shown."""
        return self._state

    @property
    def first_button(self) -> QWidget:
        """Give what the focus goes to when the cards are reached by F6."""
        return self._buttons[0][1] if self._buttons else self

    def show_keywords(self, keywords: Sequence[str]) -> bool:
        """Let keywords be ticked where the metric is labelled so; tells whether it is."""
        if self.ticks is None:
            return False
        self.ticks.show_keywords(keywords)
        self.ticks.setVisible(bool(keywords))
        self._level_row.setVisible(not keywords)
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
        nearest = _nearest([value for value, _ in self._buttons], auto)
        for value, button in self._buttons:
            button.set_state(
                given=_same(value, given), auto=nearest is not None and value == nearest
            )
        self._show_summary()
        if unfold:
            self.unfold()

    def unfold(self) -> None:
        """Show what judge and people said, and the level texts as long as they are wanted."""
        self._show_reasoning()
        self._show_people()
        self._show_texts()

    def set_in_focus(self, *, focused: bool) -> None:
        """Make this the metric that keys go to; its level texts unfold."""
        if focused == self._in_focus:
            return
        self._in_focus = focused
        self._ring.setVisible(focused)
        self._show_texts()
        self._show_reasoning()
        self._show_people()
        self._show_summary()

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
        """Keep the ring around the whole card."""
        super().resizeEvent(event)
        self._ring.setGeometry(self.rect())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the focus by a click."""
        self.focus_requested.emit()
        super().mousePressEvent(event)

    def _levels(self) -> QWidget:
        holder = QWidget()
        values = self.subject.key_values
        row: QHBoxLayout | FlowLayout
        wide = not self.subject.is_numeric or len(values) > NARROW
        row = FlowLayout(spacing=self._theme.px(6)) if wide else QHBoxLayout()
        holder.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self._theme.px(6))
        titles = {level.value: level.title for level in self.subject.levels}
        for place, value in enumerate(values):
            words = (
                {0: "No", 1: "Yes"}.get(int(value), "")
                if self.subject.kind.is_binary
                else score_words(value)
            )
            key = str((place + 1) % 10)
            button = LevelButton(self._theme, words, key=key, title=titles.get(value, ""))
            button.clicked.connect(lambda _=False, x=value: self.value_chosen.emit(x))
            button.reached.connect(self.focus_requested)
            self._buttons.append((value, button))
            row.addWidget(button)
        return holder

    def _level_texts(self) -> QLabel:
        lines = [_level_line(level) for level in _described(self.subject)]
        if not lines and self.subject.description:
            lines = [self.subject.description]
        return pieces.named(
            text("\n".join(lines), "small", wrap=True), f"Level texts of {self.subject.heading}"
        )

    def _show_texts(self) -> None:
        # the reasoning takes their room once it may be seen; the rubric is a key away
        self._texts.setVisible(self._in_focus and self._state.hidden)

    @property
    def _unfolded(self) -> bool:
        return self._in_focus or not self._compact

    def _show_summary(self) -> None:
        pieces = self._summary()
        self.summary.set_pieces(pieces)
        self.summary.setVisible(bool(pieces) and self._unfolded)

    def _summary(self) -> list[Piece]:
        state, own = self._state, self._state.own
        if own is not None and own.kind == "not_applicable":
            return [("not applicable", "human")]
        facts: list[tuple[str, str, str]] = []
        if own is not None and own.counts:
            facts.append(("you ", _word(self.subject, own.value), "human"))
        if state.auto is not None:
            facts.append(("auto ", _word(self.subject, state.auto.value), "auto"))
        if state.figures.gap is not None and not state.hidden:
            facts.append(("gap ", gap_words(state.figures.gap), "text"))
            if state.figures.gap:
                facts.append(("adjusted ", state.figures.adjusted.marked(score_words), "adjusted"))
        pieces: list[Piece] = []
        for place, (name, value, role) in enumerate(facts):
            pieces += ((" · " if place else "") + name, "muted"), (value, role)
        return pieces

    def _unfold(self) -> None:
        self._whole_reasoning = True
        self._show_reasoning()

    def _show_reasoning(self) -> None:
        auto = self._state.auto
        words = (auto.reasoning or auto.error or "") if auto is not None else ""
        short = one_line(words, REASONING_SHOWN if self._in_focus else REASONING_ASIDE)
        cut = short.endswith("…") and not (self._whole_reasoning and self._in_focus)
        self._quote.setText(f"“{short if cut else visible(words).text}”" if words else "")
        self._quote.setVisible(bool(words) and self._unfolded)
        self._more.setVisible(bool(words) and cut and self._in_focus)
        self._told.setText(self._state.told)
        self._told.setVisible(bool(self._state.told) and self._in_focus)

    def _show_people(self) -> None:
        own = self._state.own
        people = [_said(self.subject, x) for x in self._state.others if x.counts]
        if own is not None and own.comment:
            people.insert(0, f"your comment “{one_line(own.comment, 80)}”")
        self.said.setText(" · ".join(people))
        self.said.setVisible(bool(people) and self._unfolded)


def _word(metric: Metric, value: Value | None) -> str:
    return metric.kind.word(value) or score_words(value)


def _said(metric: Metric, label: Label) -> str:
    decided = "decided " if label.kind == "adjudication" else ""
    comment = f" “{one_line(label.comment, 80)}”" if label.comment else ""
    return f"{label.labeler}: {decided}{_word(metric, label.value)}{comment}"


def _described(metric: Metric) -> Sequence[Level]:
    if metric.kind.by_levels:
        return tuple(reversed(metric.sorted_levels))
    return metric.levels


def _level_line(level: Level) -> str:
    words = " — ".join(x for x in (level.title, level.description) if x)
    return f"{score_words(level.value)}  {words}"


def _same(value: Value, given: Value | None) -> bool:
    if given is None or isinstance(value, str) or isinstance(given, str):
        return value == given
    return abs(float(value) - float(given)) < 1e-9


def _nearest(values: Sequence[Value], auto: Value | None) -> Value | None:
    if auto is None or isinstance(auto, str):
        return auto
    wanted = as_number(auto) or 0.0
    numbers = [x for x in values if not isinstance(x, str)]
    return min(numbers, key=lambda x: (round(abs(float(x) - wanted), 9), float(x)), default=None)


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
