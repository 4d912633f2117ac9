"""What the figures are about: runs, metric, judge, people, dates; a quiet button for each."""

from collections.abc import Hashable, Mapping, Sequence

from msgspec import UNSET
from PySide6.QtCore import Property, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QMenu, QSizePolicy
from typing_extensions import override

from reviewer.domain.errors import FilterError
from reviewer.domain.filters import parse
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import DateBasis, Scope
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import literal, name_line, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits.auditing import ScopeChoices
from reviewer.services.figures.statistics import StatsRequest

NAMED = 2
"""So many chosen names are spelt out; of more, only the number is said."""
LONGEST = 60
LEAST = 72
"""Pixels that the button needs at least."""
ARROW = " ▾"


class ScopeChoice(pieces.Button):
    """One name or, with `several`, any number of them; none stands for `everything`.

    An entry that is `alone` goes with no other.

    Signals:
        picked: Something else was chosen by hand.
    """

    picked = Signal()

    def __init__(
        self,
        name: str,
        everything: str = "",
        *,
        several: bool = False,
        alone: Hashable | None = None,
    ) -> None:
        """Make an empty choice; without `everything` one entry is always chosen."""
        super().__init__("", kind="flat", name=name)
        self.setObjectName(name)
        self._name, self._everything, self._several = name, everything, several
        self._alone = alone
        self._entries: tuple[tuple[Hashable, str], ...] = ()
        self.chosen: tuple[Hashable, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(LEAST)
        self._words = ""
        self.setProperty("side", "leading")
        self.menu_of_choices = _StayingMenu(self) if several else QMenu(self)
        self.menu_of_choices.setProperty("kind", "long")
        pieces.connect(
            (self.menu_of_choices.aboutToShow, self._fill),
            (self.clicked, self._open),
        )
        self._say()

    @property
    def names(self) -> tuple[str, ...]:
        """Give what is chosen, of names."""
        return tuple(str(value) for value in self.chosen if value != self._alone)

    @property
    def value(self) -> Hashable | None:
        """Give the one entry that is chosen, None for everything."""
        return self.chosen[0] if self.chosen else None

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Give what can be chosen."""
        return tuple(value for value, _ in self._entries)

    def offer(self, entries: Sequence[tuple[Hashable, str]]) -> None:
        """Offer entries with their titles, quietly; what was chosen stays chosen."""
        self._entries = tuple(entries)
        there = {value for value, _ in entries}
        gone = tuple((x, str(x)) for x in self.chosen if x not in there)
        if gone and (self._everything or not entries):
            # what a scope names is shown also where it is nowhere any more
            self._entries += gone
        elif gone or (not self.chosen and not self._everything):
            self.chosen = tuple(value for value, _ in entries[:1])
        self._say()

    def offer_names(self, names: Sequence[str]) -> None:
        """Offer names that are their own titles."""
        self.offer([(name, name_line(name, LONGEST)) for name in names])

    def call_everything(self, words: str) -> None:
        """Say otherwise what stands where nothing is chosen."""
        self._everything = words
        self._say()

    def choose(self, *values: Hashable) -> None:
        """Choose quietly."""
        self.chosen = values
        self._say()

    kept = Property(
        object,
        lambda self: self.chosen,
        lambda self, values: self.choose(*values),
        user=True,
    )
    """What is chosen, for `Choices`."""

    def pick(self, *values: Hashable) -> None:
        """Choose as by hand."""
        if values != self.chosen:
            self.choose(*values)
            self.picked.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the words to the room there is."""
        super().resizeEvent(event)
        self._elide()

    def _open(self) -> None:
        pieces.open_below(self, self.menu_of_choices)

    def _fill(self) -> None:
        self.menu_of_choices.clear()
        if self._everything:
            self._add(self._everything, not self.chosen).triggered.connect(lambda *_: self.pick())
        for value, title in self._entries:
            self._add(title, value in self.chosen).triggered.connect(
                lambda *_, value=value: self._press(value)
            )

    def _add(self, title: str, checked: bool) -> QAction:  # noqa: FBT001 - a state, not a mode
        action = self.menu_of_choices.addAction(literal(title))
        action.setCheckable(True)
        action.setChecked(checked)
        return action

    def _press(self, value: Hashable) -> None:
        if not self._several or (value == self._alone and value not in self.chosen):
            self.pick(value)
        elif value in self.chosen:
            self.pick(*(x for x in self.chosen if x != value))
        else:
            there = [x for x, _ in self._entries]
            kept = (x for x in self.chosen if x != self._alone)
            self.pick(*sorted((*kept, value), key=there.index))
        named = self.menu_of_choices.actions()[-len(self._entries) :]
        for action, (name, _) in zip(named, self._entries, strict=True):
            action.setChecked(name in self.chosen)
        if self._everything:
            self.menu_of_choices.actions()[0].setChecked(not self.chosen)

    def _say(self) -> None:
        titles = dict(self._entries)
        named = [titles.get(value, str(value)) for value in self.chosen]
        words = ", ".join(named) if len(named) <= NAMED else f"{len(named)} chosen"
        self._words = words or self._everything or "—"
        self.setToolTip("\n".join(named))
        self.setAccessibleName(f"{self._name}: {self._words}")
        self._elide()

    def _elide(self) -> None:
        width = self.fontMetrics().horizontalAdvance
        # what frame and padding take, which grow with the text
        edges = self.sizeHint().width() - width(self.text())
        room = max(self.width() - edges - width(ARROW) - 1, LEAST // 2)
        fitting = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        self.setText(f"{fitting}{ARROW}")


class _StayingMenu(QMenu):
    """A menu that stays open while entries are ticked."""

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tick instead of closing."""
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isEnabled():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick with Space; Return ticks and closes."""
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None:
            action.trigger()
        else:
            super().keyPressEvent(event)


LOOK_BACK = "look-back"
"""The window where none is chosen: that of the project, which bounds gaps and bands alone."""
EVERY_RUN = ("all runs",)
NEWEST = "the newest"
WINDOWS: tuple[tuple[int | None, str], ...] = (
    (6, "last 6 months"),
    (1, "last month"),
    (3, "last 3 months"),
    (12, "last 12 months"),
    (None, "any date"),
)
WINDOW_TIP = (
    "A window that is chosen here bounds every figure on the page. Without one, as the project "
    "looks back, only means of labelled evaluations, gaps, deviations and bands are bounded; "
    "agreement, corrected means and pass rates take every date."
)
OF_RECORD = "of record"
JUDGE_TIP = (
    "Whose scores count: in each run those of its version of record, which the Runs page names, "
    "or those of another version, for the metrics that it scored."
)
DECISIONS, LABELS, CONSENSUS = "decisions", "labels", "consensus"
SOURCES = (
    (DECISIONS, "decision or mean"),
    (LABELS, "mean of labelers"),
    (CONSENSUS, "consensus"),
)
SOURCE_TIP = (
    "What people say where several answered: a lead's decision where there is one and the mean "
    "elsewhere; the mean alone; or a consensus that weighs people by how they confuse values, "
    "where there are labels enough for it."
)
DATES: tuple[tuple[DateBasis, str], ...] = (("evaluation", "of evaluation"), ("chat", "of chat"))
DATES_TIP = (
    "By which date an evaluation lies in the window and over time. By date of evaluation, old "
    "chats that are evaluated today count today."
)
FILTER_HINT = "such as -tag:test"


class ScopeCard(pieces.Card):
    """The choices of a scope; the metric chooses only what is shown in detail.

    Signals:
        scope_changed: Other evaluations, labels or scores are to be computed.
        metric_changed: Another metric is to be shown, by its name.
    """

    scope_changed = Signal()
    metric_changed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card with nothing to choose from yet."""
        super().__init__("Scope")
        self.run = ScopeChoice("Run", NEWEST, several=True, alone=EVERY_RUN)
        self.measured = ScopeChoice("Metric")
        self.judge = ScopeChoice("Judge", OF_RECORD)
        self.labeler = ScopeChoice("Labelers", "everybody", several=True)
        self.source = ScopeChoice("Labels")
        self.category = ScopeChoice("Category", "all", several=True)
        self.tag = ScopeChoice("Tags", "any", several=True)
        self.span = ScopeChoice("Window")
        self.dates = ScopeChoice("Dates")
        self.blind = QCheckBox("blind only")
        self.filter = QLineEdit()
        self.filter.setMinimumWidth(theme.px(LEAST))
        self.problem = pieces.text("", "alert", wrap=True)
        self._filter_text = ""
        self._grid = layouts.grid(across=theme.px(4), down=theme.px(1), stretch={1: 1})
        self.source.offer(SOURCES)
        self.source.setToolTip(SOURCE_TIP)
        self.span.offer([(LOOK_BACK, "as the project looks back"), *WINDOWS])
        self.span.setToolTip(WINDOW_TIP)
        self.dates.offer(DATES)
        self.dates.setToolTip(DATES_TIP)
        self.filter.setPlaceholderText(FILTER_HINT)
        self.filter.setAccessibleName("Filter")
        self.filter.setClearButtonEnabled(True)
        self.problem.hide()
        self._lay_out()
        for choice in (
            self.run,
            self.judge,
            self.labeler,
            self.source,
            self.category,
            self.tag,
            self.span,
            self.dates,
        ):
            choice.picked.connect(self.scope_changed)
        pieces.connect(
            (self.measured.picked, lambda: self.metric_changed.emit(self.chosen_metric)),
            (self.blind.toggled, lambda _: self.scope_changed.emit()),
            (self.filter.editingFinished, self._take_filter),
        )

    def request(self, viewer: str) -> StatsRequest:
        """Give what was chosen; `viewer` is whose states the filter is about."""
        weighed = self.source.value == CONSENSUS
        return StatsRequest(
            scope=self.scope(viewer), options=(("label_combine", "consensus"),) if weighed else ()
        )

    def scope(self, viewer: str = "") -> Scope:
        """Give what was chosen as filters."""
        judge = self.judge.value
        return Scope(
            runs=self.run.names,
            every_run=EVERY_RUN in self.run.chosen,
            labelers=self.labeler.names,
            categories=self.category.names,
            tags=self.tag.names,
            scorer=None if judge is None else str(judge),
            blind_only=self.blind.isChecked(),
            window_months=UNSET if self.span.value == LOOK_BACK else self._months(),
            filter=self._filter_text,
            viewer=viewer,
            dates="chat" if self.dates.value == "chat" else "evaluation",
            decisions=self.source.value != LABELS,
        )

    @property
    def chosen_metric(self) -> str:
        """Give the metric that is shown in detail."""
        return str(self.measured.value or "")

    def choose_metric(self, name: str) -> None:
        """Show another metric in detail."""
        if name in self.measured.values:
            self.measured.pick(name)

    def choose_category(self, name: str) -> None:
        """Narrow the scope to a category; the one that is chosen already is let go."""
        if self.category.chosen == (name,):
            self.category.pick()
        else:
            self.category.pick(name)

    def narrow(self, words: str) -> None:
        """Narrow the scope by words of the filter language."""
        old = self.filter.text().strip()
        if words not in old:
            self.filter.setText(f"{old} {words}".strip())
            self._take_filter()

    @property
    def is_narrowed(self) -> bool:
        """Tell whether anything leaves evaluations out."""
        if self._filter_text or self.category.chosen or self.tag.chosen:
            return True
        return EVERY_RUN in self.run.values and EVERY_RUN not in self.run.chosen

    def widen(self) -> None:
        """Let every evaluation in again."""
        for choice in (self.category, self.tag):
            choice.choose()
        self.run.choose(*((EVERY_RUN,) if EVERY_RUN in self.run.values else ()))
        self.span.choose(LOOK_BACK)
        with pieces.quiet(self.filter):
            self.filter.clear()
        self._filter_text = ""
        self.problem.hide()
        self.scope_changed.emit()

    def show_choices(
        self, choices: ScopeChoices, rubric: Rubric, metrics: Sequence[str], best: str
    ) -> None:
        """Offer what the project has; what was chosen stays.

        `best` is the metric to show where none was chosen before.
        """
        fresh = self.chosen_metric not in metrics
        titles = {metric.name: metric.heading for metric in rubric.metrics}
        names = [(name, name_line(name, LONGEST)) for name in reversed(choices.runs)]
        every = [(EVERY_RUN, "all runs")] if len(choices.runs) > 1 else []
        self.run.offer([*every, *names])
        self.run.call_everything(
            f"newest: {name_line(choices.runs[-1], LONGEST)}" if choices.runs else NEWEST
        )
        self.judge.offer_names(choices.scorers)
        self.labeler.offer_names(choices.labelers)
        self.category.offer_names(choices.categories)
        self.tag.offer_names(choices.tags)
        if fresh:
            self.measured.choose(best)
        self.measured.offer([(name, titles[name]) for name in metrics])
        self._show_row(self.judge, shown=len(choices.scorers) > 1)
        self._show_row(self.tag, shown=bool(self.tag.values))
        self._show_row(self.category, shown=bool(self.category.values))

    def show_look_back(self, words: str) -> None:
        """Say how far the project looks back, where no window is chosen."""
        title = f"gaps: {words}" if words else "as the project looks back"
        if self.span.value != LOOK_BACK and not words:
            # a chosen window leaves nothing to look back on: what was said before still holds
            return
        self.span.offer([(LOOK_BACK, title), *WINDOWS])

    def _months(self) -> int | None:
        months = self.span.value
        return months if isinstance(months, int) else None

    def show_judges(self, words: Mapping[str, str]) -> None:
        """Say model, prompt and parameters behind each judge, by its name."""
        named = [str(name) for name in self.judge.values]
        self.judge.offer([(name, one_line(words.get(name, name), 120)) for name in named])
        if not self.judge.chosen:
            self.judge.setToolTip(JUDGE_TIP)

    def _lay_out(self) -> None:
        rows = (
            ("Run", self.run),
            ("Metric", self.measured),
            ("Judge", self.judge),
            ("Labelers", self.labeler),
            ("Labels", self.source),
            ("", self.blind),
            ("Category", self.category),
            ("Tags", self.tag),
            ("Window", self.span),
            ("Dates", self.dates),
            ("Filter", self.filter),
        )
        for row, (title, widget) in enumerate(rows):
            self._grid.addWidget(pieces.text(title, "muted"), row, 0)
            self._grid.addWidget(widget, row, 1)
        self._grid.addWidget(self.problem, len(rows), 0, 1, 2)
        self.body.addLayout(self._grid)

    def _take_filter(self) -> None:
        text = self.filter.text().strip()
        if text == self._filter_text:
            self.problem.hide()
            return
        try:
            parse(text)
        except FilterError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.problem.hide()
        self._filter_text = text
        self.scope_changed.emit()

    def _show_row(self, widget: ScopeChoice, *, shown: bool) -> None:
        row = self._grid.getItemPosition(self._grid.indexOf(widget))[0]  # type: ignore[index]
        for column in (0, 1):
            item = self._grid.itemAtPosition(row, column)
            inside = None if item is None else item.widget()
            if inside is not None:
                inside.setVisible(shown)
