"""The table of a comparison: a row a metric, the pass rate last, counts that open evaluations."""

from collections.abc import Hashable

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QMouseEvent
from typing_extensions import override

from reviewer.domain.wording import fixed, level_percent, p_words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.theme import Theme
from reviewer.services.comparing import comparison_words as said
from reviewer.services.comparing.comparison import (
    Comparison,
    Flips,
    MetricPair,
    OverallPair,
    conversations_of,
)
from reviewer.services.comparing.side_by_side import SideBySide
from reviewer.services.figures.paired_scores import is_told, word_sign

PASS, OVERALL = "pass rate", "overall of all metrics"
"""The keys of the last rows."""
TONES = {1: "adjusted", -1: "alert"}
METRIC, B, A, DIFFERENCE, FIXED, BROKEN, BOTH, TEST = range(8)
KINDS = {FIXED: "fixed", BROKEN: "broken", BOTH: "both wrong"}
CHANGED = "changed"
DASH = "—"
MARK = "≠"
"""Stands beside what was not scored alike, or moved on answers that did not change."""
_COLUMNS = (
    Column("metric"),
    Column("B", 58, number=True, tip="The side that A is held against."),
    Column("A", 58, number=True, tip="The run in view."),
    Column("A − B", 146, tip="The difference on the shared cases, with its interval."),
    Column("fixed", 44, number=True, tip="Failing in B, passing in A. A click opens them."),
    Column("broken", 50, number=True, tip="Passing in B, failing in A. A click opens them."),
    Column("both", 42, number=True, tip="Wrong on both sides. A click opens them.", drop=1),
    Column(
        "p", 62, number=True, drop=2,
        tip="Of the test that the interval inverts: paired t, McNemar's mid-p for rates.",
    ),
)  # fmt: skip


class CompareGrid(GridView):
    """The table; a click on a count asks for its evaluations, one elsewhere chooses the row.

    Signals:
        count_clicked: A count was clicked, or Return pressed on it: the row's key, the column.
    """

    count_clicked = Signal(object, int)

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__(theme, _COLUMNS, "A against B", most=12)
        self.setMouseTracking(True)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for the evaluations behind a count."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and self._counts(index):
            self.count_clicked.emit(self.rows.keys[index.row()], index.column())

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a click opens something."""
        super().mouseMoveEvent(event)
        points = self._counts(self.indexAt(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if points else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def _counts(self, index: QModelIndex) -> bool:
        if not index.isValid() or index.column() not in KINDS:
            return False
        return self.rows.cell(index.row(), index.column()).words not in (DASH, "0")


class CompareTable(pieces.Card):
    """Which sides, the table, and what qualifies it.

    Signals:
        row_chosen: Another row is in view, by its key: a metric's name or `PASS`.
        count_clicked: A count was clicked: the row's key, the column.
    """

    row_chosen = Signal(object)
    count_clicked = Signal(object, int)

    def __init__(self, theme: Theme) -> None:
        """Make the card empty."""
        super().__init__("A against B")
        self.cases = pieces.text("", "muted")
        self.head.insertWidget(1, self.cases)
        self.judges = pieces.text("", "notice", wrap=True, name="What the judge changes")
        self.grid = CompareGrid(theme)
        self.note = pieces.text("", "small", wrap=True, name="Which tests")
        self.stale = pieces.text("", "alert", wrap=True, name="What lags behind")
        layouts.fill(self.body, self.judges, self.grid, self.note, self.stale)
        pieces.connect(
            (self.grid.row_chosen, self.row_chosen),
            (self.grid.count_clicked, self.count_clicked),
        )
        self._shown: SideBySide | None = None

    def show_comparison(self, shown: SideBySide) -> None:
        """Show the rows; the chosen one stays."""
        self._shown = shown
        found = shown.found
        kept = self.grid.chosen()
        self.cases.setText(_cases(found))
        rows: list[tuple[Hashable, tuple[Cell, ...]]] = [
            (name, _metric_cells(pair)) for name, pair in found.metrics.items()
        ]
        if found.overall is not None:
            rows.append((OVERALL, _overall_cells(found.overall, found.unlike)))
        rows.append((PASS, _pass_cells(found.flips, found.unlike)))
        self.grid.show_rows(rows)
        self.grid.choose(kept if self.grid.rows.place_of(kept) is not None else rows[0][0])
        self.note.setText(_note(found))
        pieces.say(self.judges, said.judges_sentences(found, *_SIDES))
        lines = [f"⚠ {x}" for x in said.lagging_sentences(found, *_SIDES)]
        pieces.say(self.stale, "\n".join(lines))

    def figure(self, key: object, column: int) -> Figure | None:
        """Give the figure of a cell, as somebody takes it away."""
        shown = self._shown
        if shown is None or column == METRIC:
            return None
        found = shown.found
        if key == OVERALL:
            return _overall_figure(found)
        pair = found.metrics.get(str(key))
        flips = found.flips if pair is None else pair.flips
        kind = KINDS.get(column, CHANGED)
        keys, heading = self.keys(key, kind), self.heading(key, kind)
        if pair is None or column in KINDS:
            what = "The pass rate" if pair is None else f"The pass rate of {pair.metric.heading}"
            sentence = said.pass_sentence(found, flips, what)
            return Figure(
                title=f"{what}, A against B", sentence=sentence, heading=heading,
                steps=lambda: said.pass_steps(found, flips), keys=lambda: keys,
            )  # fmt: skip
        return Figure(
            title=f"{pair.metric.heading}, A against B",
            sentence=said.metric_sentence(found, pair),
            steps=lambda: said.metric_steps(found, pair), keys=lambda: keys, heading=heading,
        )  # fmt: skip

    def kinds(self, key: object) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Give what changed in a row, by kind: evaluations of A, hidden ones too."""
        shown = self._shown
        if shown is None:
            return ()
        pair = shown.found.metrics.get(str(key))
        flips = shown.found.flips if pair is None else pair.flips
        moved = (*flips.fixed, *flips.broken) if pair is None else pair.moved
        kinds = (
            ("fixed", flips.fixed),
            ("broken", flips.broken),
            ("both wrong", flips.both_wrong),
        )
        return (*(kinds if flips.reason is None else ()), (CHANGED, moved))

    def keys(self, key: object, kind: str) -> list[int]:
        """Give the evaluations of A of one kind, as far as they may be seen."""
        found = dict(self.kinds(key)).get(kind, ())
        return [] if self._shown is None else self._shown.seen_among(found)

    def heading(self, key: object, kind: str) -> str:
        """Say in words what a kind of change is."""
        shown = self._shown
        if shown is None:
            return ""
        pair = shown.found.metrics.get(str(key))
        what = "by the rubric's rule" if pair is None else f"by {pair.metric.heading}"
        return f"{kind} {what}, {shown.found.after.title} against {shown.found.before.title}"


_SIDES = ("B", "A")
"""The window's letters of the side before and after."""


def _cases(found: Comparison) -> str:
    if found.before.run == found.after.run:
        return f"the same {found.n:,} responses"
    words = f"same {found.n:,} cases"
    alone = [
        f"{n:,} only in {letter}"
        for letter, n in (("B", found.only_before), ("A", found.only_after))
        if n
    ]
    return " · ".join([words, *alone])


def _note(found: Comparison) -> str:
    words = (
        f"{found.scores.words}; of what is called better or worse at most "
        f"{level_percent(1 - found.level)} is expected to be neither. Each holds for one look."
    )
    conversations = conversations_of(found)
    if conversations is not None:
        words = f"Counted are the {conversations:,} conversations of the shared cases. {words}"
    return words


def _metric_cells(pair: MetricPair) -> tuple[Cell, ...]:
    flips, shift = pair.flips, pair.shift
    why = shift.reason or "" if shift.difference is None else ""
    scorers = f"A: {pair.after_scorer or 'no scores'}\nB: {pair.before_scorer or 'no scores'}"
    mind = said.mind(pair)
    return (
        Cell(
            _marked(pair.metric.heading, mind),
            tip=f"{scorers}\n{mind}." if mind else scorers,
        ),
        Cell(mean_words(pair.before_mean), tip=why or f"n = {shift.n:,}"),
        Cell(mean_words(pair.after_mean), "auto", tip=why or f"n = {shift.n:,}"),
        Cell(
            difference_words(shift.difference, shift.low, shift.high),
            tone_of(pair),
            tip=why or "A right click copies it as a sentence, explains it, or opens responses.",
        ),
        *_counts(flips),
        Cell(p_words(shift.p), tip=said.test_words(shift)),
    )


def _marked(name: str, mind: str) -> str:
    """Mark a row whose difference is not all the answers'."""
    return f"{name} {MARK}" if mind else name


def _overall_cells(pair: OverallPair, unlike: str) -> tuple[Cell, ...]:
    shift = pair.shift
    why = shift.reason or "" if shift.difference is None else ""
    return (
        Cell(_marked("Overall", unlike), tip=unlike, strong=True),
        Cell(mean_words(pair.before_mean), tip=why or f"n = {shift.n:,}", strong=True),
        Cell(mean_words(pair.after_mean), "auto", tip=why or f"n = {shift.n:,}", strong=True),
        Cell(
            difference_words(shift.difference, shift.low, shift.high),
            "" if unlike else TONES.get(word_sign(shift.sign, shift.n), ""),
            tip=why or shift.reason or "",
        ),
        *(Cell(DASH, "muted", tip="The pass rate has its own row.") for _ in KINDS),
        Cell(p_words(shift.p), tip=said.test_words(shift)),
    )


def _overall_figure(found: Comparison) -> Figure | None:
    pair = found.overall
    if pair is None:
        return None
    return Figure(
        title="The overall score, A against B",
        sentence=said.overall_sentence(found, pair),
        steps=lambda: said.overall_steps(found, pair),
    )


def _pass_cells(flips: Flips, unlike: str) -> tuple[Cell, ...]:
    test = flips.test
    why = flips.reason or ""
    tone = "" if unlike else TONES.get(word_sign(test.sign, test.n), "")
    points = None if test.difference is None else 100 * test.difference
    low, high = (None if x is None else 100 * x for x in (test.low, test.high))
    return (
        Cell(_marked("Pass rate", unlike), strong=True, tip=why or unlike),
        Cell(said.percent(flips.before_rate), tip=why or f"n = {test.n:,}", strong=True),
        Cell(said.percent(flips.after_rate), "auto", tip=why or f"n = {test.n:,}", strong=True),
        Cell(difference_words(points, low, high, digits=1), tone, tip=why or "In points."),
        *_counts(flips),
        Cell(
            p_words(test.mid),
            tip=why or said.test_words(test),
        ),
    )


def _counts(flips: Flips) -> tuple[Cell, ...]:
    if flips.reason is not None:
        return tuple(Cell(DASH, "muted", tip=f"{flips.reason}.") for _ in KINDS)
    return tuple(
        Cell(f"{len(keys):,}", "auto" if keys else "muted", tip=f"Open them on Review: {kind}.")
        for keys, kind in zip(
            (flips.fixed, flips.broken, flips.both_wrong), KINDS.values(), strict=True
        )
    )


def difference_words(
    value: float | None, low: float | None, high: float | None, digits: int = 2
) -> str:
    """Write a difference with its interval; milliseconds need no hundredths."""
    if max((abs(x) for x in (value, low, high) if x is not None), default=0) >= 100:
        digits = 0
    return said.change(value, low, high, digits)


def tone_of(pair: MetricPair) -> str:
    """Give the role of a difference: better, worse, or neither for sure."""
    if pair.unlike or not is_told(pair.metric):
        return ""
    sign = word_sign(pair.shift.sign, pair.shift.n)
    return TONES.get(sign if pair.metric.higher_is_better else -sign, "")


def mean_words(value: float | None) -> str:
    """Write a mean; large ones need no hundredths."""
    return DASH if value is None else fixed(value, 2 if abs(value) < 1000 else 0)
