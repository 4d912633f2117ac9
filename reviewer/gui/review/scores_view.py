"""The right pane: one card a metric, the comment, what to do next, live figures."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.gui.kit import layouts
from reviewer.gui.kit.arranging import arrange_now, arranged_once
from reviewer.gui.kit.layouts import FlowLayout, WholeColumn
from reviewer.gui.kit.pieces import (
    Button,
    Panel,
    SteadyBar,
    connect,
    discard,
    dressed,
    line,
    named,
    pill,
    say,
    set_property,
    text,
)
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.comment_field import CommentField
from reviewer.gui.review.level_button import LevelButton
from reviewer.gui.review.live_panel import LivePanel
from reviewer.gui.review.metric_card import CardState, MetricCard
from reviewer.services.project.reading import EvaluationView

MOST = 100
"""Cards that a screen still lays out in a moment."""
ROOMY = 4
"""Metrics up to which every card has its full height."""
ROOMY_HEIGHT = 860
"""Height in pixels at 100 % from which the histogram has room."""
SHOWN, TO_COME = "auto shown", "no auto yet"
LOW_HEIGHT = 720
"""Height in pixels at 100 % below which the figures scroll with the cards."""


class ScoresView(Panel):
    """The cards of an evaluation's metrics with one of them in focus.

    Attributes:
        focus: The metric that keys go to.
        unsaved: Comments that were refused, by evaluation and metric; they are shown there again.

    Signals:
        value_chosen: A level of a metric was clicked: metric, value.
        share_chosen: Keywords of a metric were ticked: metric, share.
        focus_changed: Another metric is in focus.
        unsure_turned: The answer to a metric is unsure, or no more.
        answered: A metric was answered, and another one is next.
        comment_left: The comment on `commented` was edited and left; the words.
        wished: A button was pressed: `skip`, `flag`, `undo`, `reveal`, `guidelines` or `done`.
        settling: Changes are about to be laid out; what belongs to them is shown with them now.
        arranged: Changes have been laid out.
    """

    value_chosen = Signal(str, object)
    share_chosen = Signal(str, float)
    unsure_turned = Signal(str)
    focus_changed = Signal(str)
    comment_left = Signal(str)
    answered = Signal()
    wished = Signal(str)
    settling = Signal()
    arranged = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make a pane without cards."""
        super().__init__("left")
        self._theme = theme
        self.cards: dict[str, MetricCard] = {}
        self.focus: str | None = None
        self._answered = ""
        self._alone = False
        self._rubric: tuple[str, str] | None = None
        self._key = 0
        self.unsaved: dict[tuple[int, str], str] = {}
        self._ticked: dict[tuple[int, str, Value | None], frozenset[str]] = {}
        self.sight = pill("")
        self.reveal = Button("Reveal", lambda: self.wished.emit("reveal"), key="R", dense=True)
        self._holder = dressed(QWidget(), kind="scrolled")
        self.left_out = text("", "muted", wrap=True, hidden=True)
        self.computed = text("", "small", wrap=True, hidden=True, name="Computed scores")
        self._column = column = WholeColumn(self._holder)
        column.setSpacing(theme.px(8))
        column.setContentsMargins(0, 0, 0, 0)
        layouts.fill(column, self.left_out, self.computed, 1)
        self.area = named(QScrollArea(widgetResizable=True), "Metrics")
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # a bar that came and went with each reveal would have all cards laid out anew
        self.area.setVerticalScrollBar(SteadyBar())
        self.area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.area.setWidget(self._holder)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.comment = CommentField(theme)
        connect(
            (self.comment.left, self.comment_left),
            (self.comment.told, lambda: self.refresh_comment(anew=True)),
        )
        self.live = LivePanel(theme)
        self._buttons = QWidget()
        self._arrange()

    def show_metrics(
        self,
        rubric: tuple[str, str],
        metrics: tuple[Metric, ...],
        *,
        asks_unsure: bool = False,
    ) -> None:
        """Make the cards of a rubric, named by name and version; the same one keeps its cards.

        A metric that is there again stays in focus, and so does what is typed on it.
        """
        if rubric == self._rubric:
            return
        self._rubric = rubric
        metrics, every = metrics[:MOST], len(metrics)
        kept = next((x.name for x in metrics if x.name == self.focus), None)
        if kept is None:
            self.comment.leave()
        for card in self.cards.values():
            discard(card)
        self.left_out.setText(
            f"The first {MOST} of {every:,} metrics are shown; import what people are to "
            "label with a rubric of its own."
        )
        self.left_out.setVisible(every > MOST)
        many = len(metrics) > ROOMY
        self.cards = {
            metric.name: self._card(
                MetricCard(self._theme, metric, compact=many, asks_unsure=asks_unsure)
            )
            for metric in metrics
        }
        for place, card in enumerate(self.cards.values()):
            self._column.insertWidget(place, card)
        self.focus = kept
        if kept is not None:
            self.cards[kept].set_in_focus(focused=True)
            QTimer.singleShot(0, self._bring_into_view)
        elif metrics:
            self.set_focus_on(metrics[0].name)

    def show_keywords(self, key: int, keywords: Sequence[str]) -> None:
        """Offer the keywords of an evaluation for ticking."""
        if key != self._key:
            self._answered = ""
        self._key = key
        for card in self.cards.values():
            card.show_keywords(keywords)

    def show_ticks(self) -> None:
        """Tick the keywords that made the labels in view, as far as they are known."""
        for name, card in self.cards.items():
            if card.ticks is not None:
                own = card.state.own
                value = own.value if own is not None and own.counts else None
                card.ticks.show_ticked(self._ticked.get((self._key, name, value), ()))

    def clear(self) -> None:
        """Show no evaluation, and let go of what was ticked on those before."""
        self.setEnabled(False)
        self._ticked.clear()
        with self.arranged_once():
            for card in self.cards.values():
                card.show_state(CardState())
            self.show_keywords(0, ())
            self.show_sight("", hidden=False)
            self.show_marks(skipped=False, flagged=False)
            self.refresh_comment(anew=True)

    def set_focus_on(self, name: str) -> None:
        """Let keys go to a metric and bring its card into view."""
        if name not in self.cards or (name == self.focus and not self._answered):
            return
        self.comment.leave()
        self._answered = ""
        self.focus = name
        with self.arranged_once():
            chosen = self.cards[name]
            chosen.set_in_focus(focused=True)
            holder = QApplication.focusWidget()
            if isinstance(holder, LevelButton) and not chosen.isAncestorOf(holder):
                # a level that is folded away would hand the focus to any card, and keys with it
                chosen.first_button.setFocus(Qt.FocusReason.OtherFocusReason)
            for card in self.cards.values():
                card.set_in_focus(focused=card is chosen)
        QTimer.singleShot(0, self._bring_into_view)
        self.refresh_comment(anew=True)
        self.focus_changed.emit(name)

    @contextmanager
    def arranged_once(self) -> Iterator[None]:
        """Lay out cards and figures once for everything that changes in the block."""
        inner = [card.layout() for card in self.cards.values()]
        outermost = self._column.isEnabled()
        with arranged_once(*inner, self._column, self.live.layout(), self.layout()):
            yield
            if outermost:
                self.settling.emit()
        if self._column.isEnabled():
            arrange_now(self, self.area, (*self.cards.values(), self.live))
            self.arranged.emit()

    def go_on_from(self, name: str) -> None:
        """Go to what is open after a metric that was answered, which comments are about then.

        What was answered before is passed by as long as something is open. Keys that a button of
        the cards was reached by go to what one reads: nobody came to the next card's buttons.
        """
        names = list(self.cards)
        at = names.index(name) + 1
        left = [x for x in (*names[at:], *names[:at]) if not _is_answered(self.cards[x])]
        if name == self.focus and left and left[0] != name:
            self.set_focus_on(left[0])
        elif name == self.focus and not left:
            self.step_focus(1)
        self.answered.emit()
        self._answered = name
        self.refresh_comment(anew=True)

    @property
    def commented(self) -> str | None:
        """Give the metric that a comment is about: the one answered last, or the one in focus."""
        return self._answered or self.focus

    def step_focus(self, step: int) -> bool:
        """Go to the next or previous metric; tells whether there is one."""
        names = list(self.cards)
        if self.focus is None or not names:
            return False
        place = names.index(self.focus) + step
        if not 0 <= place < len(names):
            return False
        self.set_focus_on(names[place])
        return True

    def show_sight(self, words: str, *, hidden: bool) -> None:
        """Say what is seen; where auto scores are `hidden`, they can be revealed."""
        say(self.sight, words)
        if hidden:
            # whatever is shown or said later, what stands below keeps its place
            metrics = self.sight.fontMetrics()
            self.sight.setMinimumWidth(0)
            widest = max(map(metrics.horizontalAdvance, (SHOWN, TO_COME)))
            wider = widest - metrics.horizontalAdvance(words)
            self.sight.setMinimumWidth(self.sight.sizeHint().width() + max(wider, 0))
            keeps = self.reveal.sizePolicy()
            keeps.setRetainSizeWhenHidden(True)
            self.reveal.setSizePolicy(keeps)
        self.reveal.setVisible(hidden)

    def show_marks(self, *, skipped: bool, flagged: bool) -> None:
        """Show which marks stand."""
        for button, on in ((self.skip, skipped), (self.flag, flagged)):
            button.setCheckable(True)
            button.setChecked(on)
            set_property(button, "on", "true" if on else "false")

    def refresh_comment(self, *, anew: bool = False) -> None:
        """Show the comment that one would write on; only `anew` in place of one being typed."""
        if self.comment.hasFocus() and not anew:
            return
        about = self.commented or ""
        card = self.cards.get(about)
        own = card.state.own if card is not None else None
        title = card.subject.heading if card is not None else ""
        said = (own.comment if own is not None else None) or ""
        self.comment.show_comment(
            said, title, self.unsaved.get((self._key, about)), last=bool(self._answered)
        )

    def set_alone(self, *, alone: bool) -> None:
        """Leave out what a labeler does not need: heading and figures."""
        self._head.setVisible(not alone)
        self._alone = alone
        self.live.setVisible(not alone)
        self._rule.setVisible(not alone and self.live.parentWidget() is not self._holder)
        self.not_applicable.setVisible(alone)

    def restyle(self) -> None:
        """Take the theme's colours."""
        for card in self.cards.values():
            card.restyle()

    def _card(self, card: MetricCard) -> MetricCard:
        metric = card.subject
        card.unsure_turned.connect(lambda: self.unsure_turned.emit(metric.name))
        card.value_chosen.connect(lambda value: self.value_chosen.emit(metric.name, value))
        if card.ticks is not None:
            card.ticks.share_chosen.connect(lambda share: self._tick(metric.name, share))
        card.focus_requested.connect(lambda: self.set_focus_on(metric.name))
        return card

    def _tick(self, name: str, share: float) -> None:
        ticks = self.cards[name].ticks
        if ticks is not None:
            self._ticked[self._key, name, share] = ticks.ticked
        self.share_chosen.emit(name, share)
        # what was refused, or changed nothing, told nobody
        self.show_ticks()

    def _arrange(self) -> None:
        px = self._theme.px
        # the cards' scroll bar stands in the margin of the others
        edge = px(12) - px(2)
        self._head = QWidget()
        head = FlowLayout(self._head, spacing=px(6), pushed_from=2)
        head.setContentsMargins(0, 0, edge, 0)
        guide = named(
            Button("Guidelines", lambda: self.wished.emit("guidelines"), kind="link"),
            tip="What labelers should keep to   [G]",
        )
        layouts.fill(head, text("Your scores", "heading"), guide, self.sight, self.reveal)
        self._below = below = QVBoxLayout()
        below.setContentsMargins(0, 0, edge, 0)
        below.setSpacing(px(8))
        self._rule = line()
        # at the end, where they keep their place whatever figures and cards there are
        layouts.fill(below, self._rule, self.live, self.comment, self._buttons)
        layouts.column(
            self._head,
            (self.area, 1),
            below,
            on=self,
            margins=(px(16), px(12), px(2), px(12)),
            gap=px(8),
        )

        row = layouts.row(on=self._buttons, margins=0)
        left = QWidget()
        flow = FlowLayout(left, spacing=self._theme.px(6))
        self.skip, self.flag = (
            named(
                Button(title, partial(self.wished.emit, title.lower()), key=title[0], dense=True),
                tip=f"{title} [{title[0]}]; with a reason [Shift+{title[0]}]",
            )
            for title in ("Skip", "Flag")
        )
        self.undo = named(
            Button("Undo", lambda: self.wished.emit("undo"), dense=True),
            tip="Undo the last act, also on another evaluation   [Ctrl+Z]",
        )
        self.not_applicable = Button(
            "N/A", lambda: self.wished.emit("not_applicable"), key="X", dense=True
        )
        self.not_applicable.hide()
        self.next = Button("Next", lambda: self.wished.emit("done"), kind="primary", key="Space")
        layouts.fill(flow, self.skip, self.flag, self.not_applicable, self.undo)
        layouts.fill(row, (left, 1), self.next)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the plot out where the cards need its room; in a low pane the figures scroll."""
        super().resizeEvent(event)
        low = self.height() < self._theme.px(LOW_HEIGHT)
        # where the figures scroll they take room from nothing
        self.live.set_roomy(roomy=low or self.height() >= self._theme.px(ROOMY_HEIGHT))
        if low == (self.live.parentWidget() is self._holder):
            return
        self._rule.setVisible(not low and not self._alone)
        layouts.take_out(self.live)
        if low:
            self._column.addWidget(self.live)
        else:
            self._below.insertWidget(1, self.live)
        self.live.setVisible(not self._alone)

    def _bring_into_view(self) -> None:
        card = self.cards.get(self.focus or "")
        if card is None:
            return
        # from its own place alone: wherever one was before, its levels stand at the same height
        hidden = card.y() + card.question_height - self.area.viewport().height()
        self.area.verticalScrollBar().setValue(min(card.y(), max(hidden, 0)))


def _is_answered(card: MetricCard) -> bool:
    own = card.state.own
    return own is not None and (own.counts or own.kind == "not_applicable")


def sight_words(view: EvaluationView) -> str:
    """Say what is seen of an evaluation."""
    if view.judged and not view.hidden:
        return SHOWN if view.shows_auto else TO_COME
    answered = sum(1 for x in view.own.values() if x.counts or x.kind == "not_applicable")
    words = f"{answered} of {len(view.rubric.labelled_metrics)}"
    return f"Blind ● {words}" if view.judged else f"{words} · no auto scores"
