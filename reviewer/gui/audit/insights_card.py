"""What the numbers say: read beside the window, one line a topic with a small table to unfold."""

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.errors import Progress
from reviewer.domain.run import Scope
from reviewer.domain.wording import in_percent, short
from reviewer.gui.audit.table_card import (
    NAME_LENGTH,
    Detail,
    Row,
    difference,
    missing,
    number,
    p_value,
    person,
    share,
    spoken,
    whole,
)
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import PAINTED
from reviewer.gui.kit.text import name_line, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.audits.auditing import Audit
from reviewer.services.findings import insights
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import (
    FromGolden,
    Keys,
    MetricInsights,
    PassChange,
    Repeated,
    RunChange,
    SelfConsistency,
    Slice,
    Sliced,
    Topic,
)
from reviewer.services.project.session import Session
from reviewer.stats.deviations import PUBLISHED, DeviationOptions
from reviewer.stats.passfail import NO_FAIL_IN_SET, NO_PASS_IN_SET

LOADING = "Working out what the numbers say…"
EVERY_PAIR = "Every evaluation in scope counts here, also outside the window."
LONGEST = 600
MOST_ROWS = 12


class TopicView(QWidget):
    """One topic: title, few figures, sentence, and the table behind them.

    Signals:
        row_opened: A row's responses were asked for, by its key.
    """

    row_opened = Signal(object)

    def __init__(self, theme: Theme, title: str) -> None:
        """Make a folded topic without figures."""
        super().__init__()
        self._theme = theme
        self._title = title
        self._detail: Detail | None = None
        self.table: GridView | None = None
        self.head = pieces.Button(title, self.toggle, kind="row")
        self.head.setProperty("weight", "strong")
        self.figures = pieces.text("", "small")
        self.sentence = pieces.text("", wrap=True)
        self.note = pieces.text("", "tiny", wrap=True)
        self._column = layouts.column(
            layouts.row(self.head, 1, self.figures),
            self.sentence,
            self.note,
            on=self,
            margins=0,
            gap=theme.px(3),
        )
        self.note.hide()

    @property
    def is_open(self) -> bool:
        """Tell whether the table is unfolded."""
        return self.table is not None and not self.table.isHidden()

    def show_topic(self, found: Topic, behind: Detail) -> None:
        """Show a topic; what was unfolded stays so while there is something to see."""
        opened = self.is_open
        self._detail = behind
        self.sentence.setText(_held_together(one_line(found.sentence, LONGEST)))
        pieces.set_property(self.sentence, "role", "muted" if found.reason else "")
        self.figures.setText(behind.figures)
        self._unfold(wanted=opened and bool(behind.rows))

    def toggle(self) -> None:
        """Unfold or fold the table."""
        self._unfold(wanted=not self.is_open)

    def _unfold(self, *, wanted: bool) -> None:
        found = self._detail
        has_rows = found is not None and bool(found.rows)
        if found is not None and wanted:
            if self.table is None:
                self.table = GridView(
                    self._theme, found.columns, f"Table of {self._title}", most=MOST_ROWS
                )
                if found.opens:
                    self.table.setCursor(Qt.CursorShape.PointingHandCursor)
                    pieces.connect(
                        (self.table.row_opened, self.row_opened),
                        (self.table.clicked, self._open),
                    )
                self._column.insertWidget(self._column.indexOf(self.note), self.table)
            self.table.show_rows(found.rows)
            self.note.setText(one_line(found.note, LONGEST))
        if self.table is not None:
            self.table.setVisible(wanted)
        self.note.setVisible(wanted and bool(self.note.text()))
        arrow = "▾" if wanted else "▸"
        self.head.setText(f"{arrow} {self._title}" if has_rows else self._title)
        self.head.setEnabled(has_rows)
        state = "unfolded" if wanted else "folded" if has_rows else "without a table"
        self.head.setAccessibleName(f"{self._title}, {state}")
        self.head.setAccessibleDescription(self.sentence.text())

    def _open(self) -> None:
        if self.table is not None and self.table.chosen() is not None:
            self.row_opened.emit(self.table.chosen())


class InsightsCard(pieces.Card):
    """Every topic of the metric in view.

    Signals:
        category_chosen: A category's responses are wanted alone, by its name.
        responses_requested: Responses are to be listed, by their evaluations and a heading.
    """

    category_chosen = Signal(str)
    responses_requested = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        """Make a card that shows nothing yet."""
        super().__init__("What the numbers say")
        self.title.setToolTip(EVERY_PAIR)
        self.body.setSpacing(theme.px(10))
        self.state = pieces.named(pieces.ElidedText("", "small"), "State of what the numbers say")
        self.head.addWidget(self.state)
        self.topics = {name: TopicView(theme, title) for name, title in TITLES.items()}
        for view in self.topics.values():
            self.body.addWidget(view)
            view.hide()
        self.topics["slices"].row_opened.connect(self._choose_category)
        for name in ("consistency", "change"):
            self.topics[name].row_opened.connect(partial(self._list_responses, name))
        self.shown: MetricInsights | None = None

    def show_insights(self, found: MetricInsights) -> None:
        """Show a metric's topics."""
        self.shown = found
        self.state.setText("")
        for name, view in self.topics.items():
            view.show_topic(topic(found, name), detail(found, name))
            view.show()

    def show_loading(self, metric: str) -> None:
        """Say that figures are on their way; those of the same metric stay meanwhile."""
        if self.shown is not None and self.shown.metric == metric:
            self.state.setText("updating…")
        else:
            self.show_sentence(LOADING)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of the topics."""
        self.shown = None
        self.state.setText(one_line(sentence, LONGEST))
        pieces.show(*self.topics.values(), shown=False)

    def _list_responses(self, name: str, row: object) -> None:
        if self.shown is None or not isinstance(row, Hashable):
            return
        keys, heading = detail(self.shown, name).responses.get(row, ((), ""))
        if keys:
            self.responses_requested.emit(keys, heading)

    def _choose_category(self, category: object) -> None:
        if isinstance(category, str):
            self.category_chosen.emit(category)


def _held_together(words: str) -> str:
    """Keep figures and their signs on one line."""
    return (
        words.replace(" = ", "\u00a0=\u00a0")
        .replace(" ± ", "\u00a0±\u00a0")
        .replace(" %", "\u00a0%")
    )


TASK = "insights"
_Found = tuple[Source, MetricInsights]


class InsightsReader(QObject):
    """Reads a scope once and works out one metric at a time, whenever it is shown.

    Signals:
        found: What was worked out of the metric in view.
    """

    found = Signal(object)

    def __init__(self, surroundings: ProjectSurroundings, card: InsightsCard) -> None:
        """Watch over a card."""
        super().__init__(card)
        self._session, self._tasks = surroundings.session, surroundings.tasks
        self._card = card
        self._scope = Scope()
        self._options = PUBLISHED
        self._source: Source | None = None
        self._stale = False
        self._metric = ""

    def renew(self, audit: Audit) -> None:
        """Take another scope, or the same after a change; it is read with the next metric."""
        self._source = None
        self._scope, self._options = audit.request.scope, audit.frame.choices.options
        self._stale = True

    def stop(self) -> bool:
        """Stop reading; tells whether there was anything to stop."""
        running = TASK in self._tasks.running()
        self._tasks.cancel(TASK)
        return running

    def show_metric(self, metric: str) -> None:
        """Show a metric's topics as soon as they are known."""
        source = self._source
        self._metric = metric
        self._card.show_loading(metric)
        scope, options = self._scope, self._options
        if source is not None:
            known = source
            task = self._tasks.run(TASK, lambda _: (known, insights.of_metric(known, metric)))
        else:
            self._stale = False
            task = self._tasks.run(
                TASK,
                beside(
                    self._session,
                    lambda own, progress: _read(own, scope, options, metric, progress),
                ),
                after=PAINTED,
            )
        pieces.connect(
            (task.finished, self._take),
            (task.failed, self._card.show_sentence),
        )

    def _take(self, found: _Found) -> None:
        source, shown = found
        # what changed while it was read is not in it
        self._source = None if self._stale else source
        self._card.show_insights(shown)
        self.found.emit(shown)


def _read(
    session: Session, scope: Scope, options: DeviationOptions, metric: str, progress: Progress
) -> _Found:
    source = insights.read(session, scope, options=options, progress=progress)
    return source, insights.of_metric(source, metric)


TITLES = {
    "slices": "Categories",
    "consistency": "Self-consistency",
    "change": "Since the run before",
    "golden": "Golden set",
}
"""Topics in the order of the card."""


def topic(found: MetricInsights, name: str) -> Topic:
    """Give one topic's result."""
    result: Topic = getattr(found, name)
    return result


def detail(found: MetricInsights, name: str) -> Detail:
    """Give the table behind one topic's line."""
    return {
        "slices": lambda: _slices(found.slices),
        "consistency": lambda: _consistency(found.consistency),
        "change": lambda: _change(found.change, found.pass_change),
        "golden": lambda: _golden(found.golden),
    }[name]()


_REPEATS = (
    Column("who"),
    Column("items", 50, number=True, tip="Evaluations judged more than once."),
    Column("flips", 54, number=True, tip="Share of pairs of repeats that differ."),
    Column("ICC", 54, number=True, tip="ICC(1,1): share of the variance between evaluations."),
    Column("sd", 50, number=True, tip="Standard deviation of repeats on one evaluation."),
)


def _consistency(found: SelfConsistency) -> Detail:
    everyone = (*found.judges, *found.people)
    rows = tuple((n, _repeated(one)) for n, one in enumerate(everyone))
    rate = found.judges[0].flips.rate if found.judges else None
    figures = "" if rate is None else f"{in_percent(rate, 0)} flips"
    note = ""
    if found.ceiling is not None:
        note = f"With these repeats judge and people correlate at most {short(found.ceiling)}."
    listed: dict[Hashable, tuple[Keys, str]] = {
        n: (one.keys, f"{one.who} differs from itself")
        for n, one in enumerate(everyone)
        if one.keys
    }
    return Detail(_REPEATS, rows, figures, note, opens=bool(listed), responses=listed)


def _repeated(one: Repeated) -> tuple[Cell, ...]:
    spread = one.spread
    reason = "Categories have no spread." if spread is None else spread.reason
    return (
        person(one.who),
        whole(one.flips.items),
        share(one.flips.rate, one.flips.reason),
        number(spread.icc if spread else None, reason),
        number(spread.within_sd if spread else None, reason),
    )


_CHANGES = (
    Column("change of"),
    Column("n", 44, number=True, tip="Cases that both runs have."),
    Column("by", 104, number=True, tip="Later minus earlier run, with its interval."),
    Column("p", 66, number=True, tip="Whether chance alone would do: paired t, McNemar's mid-p."),
)


def _change(found: RunChange, passing: PassChange) -> Detail:
    change, paired, anchors, verdicts = found.change, found.paired, found.anchors, found.verdicts
    rows: list[Row] = []
    if paired is not None:
        cells = difference(paired.difference, paired.low, paired.high)
        rows.append(
            ("paired", (Cell("all shared cases"), whole(paired.n), cells, p_value(paired.p)))
        )
    if anchors is not None:
        cells = difference(anchors.difference, anchors.low, anchors.high)
        what = Cell("the judge alone", tip="On answers that are the same to the byte.")
        rows.append(("judge", (what, whole(anchors.n), cells, p_value(anchors.p))))
    if change is not None:
        cells = difference(change.system, change.low, change.high)
        what = Cell("the system alone", tip="Change on new answers without the judge's part.")
        rows.append(("system", (what, missing(), cells, missing(change.reason))))
    if verdicts is not None:
        cells = difference(verdicts.difference, verdicts.low, verdicts.high)
        what = Cell("pass rate", tip=f"{verdicts.gained:,} gained, {verdicts.lost:,} lost.")
        rows.append(("verdicts", (what, whole(verdicts.n), cells, p_value(verdicts.mid))))
    if passing.verdicts is not None:
        one = passing.verdicts
        cells = difference(one.difference, one.low, one.high)
        what = Cell("verdict, all metrics", tip=f"{one.gained:,} gained, {one.lost:,} lost.")
        rows.append(("whole", (what, whole(one.n), cells, p_value(one.mid))))
    scorers = f"{found.before_scorer} before, {found.after_scorer} now"
    note = "" if change is None else f"Since {name_line(found.before, NAME_LENGTH)}. {scorers}."
    figures = "" if change is None or paired is None else f"{paired.n:,} cases"
    since = f"since {name_line(found.before, NAME_LENGTH)}"
    listed: dict[Hashable, tuple[Keys, str]] = {
        "paired": (found.moved, f"Score changed {since}"),
        "judge": (found.judge_moved, f"Same answer, other score {since}"),
        "verdicts": (found.flipped, f"Passes in one run only {since}"),
        "whole": (passing.flipped, f"Other verdict {since}"),
    }
    listed = {key: one for key, one in listed.items() if one[0]}
    return Detail(_CHANGES, tuple(rows), figures, note, opens=bool(listed), responses=listed)


_GOLD = (
    Column("judge"),
    Column("n", 54, number=True, tip="Golden responses with this verdict by people."),
    Column("right", 64, number=True, tip="Those to which the judge gave the same verdict."),
    Column("share", 64, number=True, tip="Right of all with this verdict."),
)


def _golden(found: FromGolden) -> Detail:
    block = found.golden
    if block is None:
        return Detail(_GOLD)
    one = block.counts
    rows: tuple[Row, ...] = (
        ("fails", (Cell("catches fails"), whole(one.fails), whole(one.caught),
                   share(one.catch_rate, NO_FAIL_IN_SET))),
        ("passes", (Cell("keeps passes"), whole(one.passes), whole(one.kept),
                    share(one.keep_rate, NO_PASS_IN_SET))),
    )  # fmt: skip
    made = block.corrected
    figures = "" if made.mean is None else f"{in_percent(made.mean, 0)} pass"
    note = made.note or made.because or ""
    return Detail(_GOLD, rows if one.fails or one.passes else (), figures, spoken(note))


_SLICED = (
    Column("category"),
    Column("n", 40, number=True, tip="Evaluations with auto and human score."),
    Column("gap", 100, number=True, tip="Mean gap, human minus auto, with its interval."),
    Column("failed", 54, number=True, tip="Evaluations that people failed.", drop=1),
    Column("caught", 60, number=True, tip="Share of those that the judge failed too."),
)


def _slices(found: Sliced) -> Detail:
    rows = tuple((one.category, _slice(one, found.catch_reason)) for one in found.slices)
    note = "≠ differs from the rest, allowing for the number of categories. "
    note += "Choose a category to see its responses alone, once more to see all."
    figures = f"{len(rows):,} categories" if len(rows) > 1 else ""
    return Detail(_SLICED, rows, figures, note if rows else "", opens=True)


def _slice(one: Slice, why: str | None) -> tuple[Cell, ...]:
    gap = difference(one.gap, one.low, one.high)
    if one.gap is None:
        gap = missing(one.gap_verdict.reason)
    elif one.gap_verdict.differs:
        gap = Cell(f"≠ {gap.words}", "alert", tip=gap.tip, below=gap.below)
    verdict = one.catch_verdict
    caught = share(one.caught, why or (verdict.reason if verdict else None))
    if one.caught is not None and verdict is not None and verdict.differs:
        caught = Cell(f"≠ {caught.words}", "alert")
    name = one.category or "none"
    return (
        Cell(one_line(name, NAME_LENGTH), tip=name, strong=True),
        whole(one.n),
        gap,
        missing(why) if why else whole(one.failed),
        caught,
    )
