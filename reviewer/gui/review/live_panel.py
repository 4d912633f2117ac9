"""The live figures of the metric in focus: this response, this run, the overall."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget
from typing_extensions import override

from reviewer.domain.wording import fixed, gap_words, in_percent, score_words
from reviewer.gui.kit import layouts
from reviewer.gui.kit.arranging import arranged_once
from reviewer.gui.kit.pieces import Button, ElidedText, named, say, show, text, write
from reviewer.gui.kit.theme import Theme
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.tallying.live_figures import (
    CaseFigures,
    EvaluationFigures,
    MetricFigures,
    OverallFigures,
)

COLUMNS = ("", "auto", "human", "gap", "adjusted")
ROLES = ("", "auto", "human", "strong", "adjusted")
KAPPA_FROM, INTERVAL_FROM = 5, 10
FROM_PARTS = " · * from its parts"
CLOSED = "Figures of this run show once this response is answered, so that nothing leads you."
NARROW = 340
"""Width in pixels at 100 % below which a row's name stands above its values."""
MORE = {"gt": "more than", "ge": "at least"}


class LivePanel(QWidget):
    """A small table, a sentence on agreement and the histogram of gaps.

    Signals:
        explain_requested: How the metric's figures came about is asked for.
    """

    explain_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty panel; the histogram comes later, off the way to the first paint."""
        super().__init__()
        self._theme = theme
        self._stacked = False
        self._plot_room = QWidget()
        self.title = text("Live", "heading")
        self.how = named(
            Button(
                "How?", self.explain_requested.emit, kind="link", name="How is this calculated?"
            ),
            tip="How is this calculated? The formulas with the numbers filled in",
        )
        self.closed = text(CLOSED, "small", wrap=True, hidden=True)
        self._figures = QWidget()
        layouts.column(
            layouts.row(self.title, 1, self.how),
            self.closed,
            self._figures,
            on=self,
            margins=(0, theme.px(6), 0, 0),
            gap=theme.px(4),
        )
        self._column = layouts.column(on=self._figures, margins=0, gap=theme.px(4))
        self._grid = layouts.grid(across=theme.px(12), down=theme.px(2), stretch={0: 1})
        self._cells: dict[tuple[int, int], QLabel] = {}
        for column, words in enumerate(COLUMNS):
            self._cell(0, column, "small").setText(words)
        self._column.addLayout(self._grid)
        self.reach = text("", "tiny", wrap=True)
        self.verdict = text("", "small", wrap=True)
        layouts.fill(self._column, self.reach, self.verdict)
        self.kappa = text("", "small", wrap=True)
        self.note = text("", "tiny", wrap=True)
        self.band = text("", "small", wrap=True)
        self.held = text("", "human", wrap=True)
        self.stale = named(ElidedText("", "alert"), hidden=True)
        layouts.fill(self._column, self.stale, self.kappa, self.note, self.band, self.held)
        layouts.column(on=self._plot_room, margins=0)
        self._column.addWidget(self._plot_room)
        self.setAccessibleName("Live figures")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def add_histogram(self, histogram: QWidget) -> None:
        """Put the histogram below the figures."""
        layout = self._plot_room.layout()
        if layout is not None:
            layout.addWidget(histogram)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the names of rows above their values where the panel is narrow."""
        super().resizeEvent(event)
        stacked = self.width() < self._theme.px(NARROW)
        if stacked != self._stacked:
            self._stacked = stacked
            self._grid.setHorizontalSpacing(self._theme.px(6 if stacked else 12))
            for (row, column), cell in self._cells.items():
                self._put(cell, row, column)

    def _put(self, cell: QLabel, row: int, column: int) -> None:
        layouts.take_out(cell)
        if not self._stacked:
            self._grid.addWidget(cell, 2 * row, column)
        elif column:
            self._grid.addWidget(cell, 2 * row + 1, column - 1)
        else:
            self._grid.addWidget(cell, 2 * row, 0, 1, len(COLUMNS) - 1)

    def set_roomy(self, *, roomy: bool) -> None:
        """Leave the histogram out in a low window."""
        self._plot_room.setVisible(roomy)

    def show_figures(
        self,
        metric: str,
        *,
        case: EvaluationFigures,
        run: MetricFigures | None,
        overall: MetricFigures | None,
    ) -> None:
        """Show the figures of a metric."""
        with self._arranged_once():
            self._open(is_open=True)
            self.title.setText(f"Live — {run.title}" if run is not None else "Live")
            one = case.metrics.get(metric)
            if one is None:
                self._row(1, "This response", ("—", "—", "—", "—"))
            else:
                self._row(1, *_here(one))
                self._tell(1, one.adjusted)
            self._show_run(2, run)
            self._show_overall(case, overall)
            self.reach.setText(_reach(run, overall))
            self.show_agreement(run)

    @property
    def is_closed(self) -> bool:
        """Tell whether no figure is shown."""
        return not self.closed.isHidden()

    def show_closed(self) -> None:
        """Show no figure of anybody: each would lead whoever has not answered yet."""
        if self.is_closed:
            return
        with self._arranged_once():
            self._empty()
            self.kappa.setText("")
            self._open(is_open=False)

    def show_waiting(self, *, gathering: bool = True) -> None:
        """Say whether figures are being gathered, and show none of another run."""
        self._empty()
        self._open(is_open=True)
        self.kappa.setText("Gathering figures…" if gathering else "")

    def _arranged_once(self) -> AbstractContextManager[None]:
        above = self.parentWidget()
        around = above.layout() if above is not None else None
        return arranged_once(self._column, self.layout(), around)

    def _open(self, *, is_open: bool) -> None:
        show(self._figures, self.how, shown=is_open)
        self.closed.setVisible(not is_open)

    def _empty(self) -> None:
        self.title.setText("Live")
        for row in range(1, 5):
            self._clear(row)
        self.show_stale(())
        for label in (self.reach, self.verdict, self.note, self.band, self.held):
            write(label, "", tip="")

    def show_stale(self, sentences: Sequence[str]) -> None:
        """Say that figures mix or lag behind: in a line, the rest of it in the tooltip."""
        words = "⚠ " + " ".join(sentences) if sentences else ""
        if words == self.stale.text():
            return
        write(self.stale, words, name=words or "Nothing lags behind")
        self.stale.setVisible(bool(words))

    def _clear(self, row: int) -> None:
        if (row, 0) in self._cells:
            self._row(row, "", ("", "", "", ""))
            for column in range(len(COLUMNS)):
                self._cells[row, column].setToolTip("")

    def _show_run(self, row: int, run: MetricFigures | None) -> None:
        if run is None:
            self._row(row, "This run", ("—", "—", "—", "—"))
            return
        self._row(row, f"This run (n = {run.n_labelled})", _means(run))
        self._tell(row, run.shown_adjusted)
        tip = f"{run.n_auto:,} with an auto score, {run.n_labelled:,} labelled in the window"
        self._cell(row, 0, "").setToolTip(tip)

    def _show_overall(self, case: EvaluationFigures, overall: MetricFigures | None) -> None:
        if overall is None:
            # a rubric of categories has no overall; the rows may be there from another run
            self._clear(3)
            self._clear(4)
            self.verdict.hide()
            return
        mine = case.overall
        self._row(3, f"{overall.title}, this response", _numbers(mine))
        self._tell(3, mine.adjusted)
        self._row(4, f"{overall.title}, run (n = {overall.n_labelled})", _means(overall))
        self._tell(4, overall.shown_adjusted)
        say(self.verdict, _verdicts(case))
        self.verdict.setToolTip(mine.meaning)

    def show_agreement(self, run: MetricFigures | None) -> None:
        """Show kappa, its interval as soon as it is known, and the deviations."""
        if run is None:
            return
        self.kappa.setText(_kappa(run))
        say(self.note, run.note or "")
        self.band.setVisible(run.ordered)
        found = run.deviations
        words = (
            f"upper {gap_words(found.upper)} · lower {gap_words(found.lower)} · "
            f"band {run.shown_band.words(gap_words)}"
        )
        write(self.band, words, tip=_deviation_reason(run))
        self.held.setVisible(run.held_back > 0)
        many = "answers count" if run.held_back > 1 else "answer counts"
        self.held.setText(f"{run.held_back} {many} after the reveal")

    def _row(self, row: int, name: str, values: tuple[str, ...]) -> None:
        self._cell(row, 0, "").setText(name)
        for column, value in enumerate(values, 1):
            cell = self._cell(row, column, ROLES[column])
            write(
                cell, value, name=f"{name}, {COLUMNS[column]}: {value or 'hidden'}" if name else ""
            )

    def _tell(self, row: int, adjusted: BandOrScore) -> None:
        """Mark an adjusted score that lies off the scale, and say why there is none."""
        cell, last = self._cells[row, len(COLUMNS) - 1], COLUMNS[-1]
        if adjusted.mark:
            write(cell, f"{cell.text()} ⚠", name=f"{cell.accessibleName()}, {adjusted.mark}")
        cell.setToolTip(adjusted.note or last)

    def _cell(self, row: int, column: int, role: str) -> QLabel:
        cell = self._cells.get((row, column))
        if cell is None:
            cell = text("", role, wrap=not column)
            side = Qt.AlignmentFlag.AlignTrailing if column else Qt.AlignmentFlag.AlignLeading
            cell.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self._cells[row, column] = cell
            self._put(cell, row, column)
        return cell


def _reach(run: MetricFigures | None, overall: MetricFigures | None) -> str:
    """Say what `n` covers, and of how many the auto means are where these are others."""
    if run is None:
        return ""
    since, autos = run.made_by.look_back, [f"{run.n_auto}"]
    if overall is not None and overall.n_auto != run.n_auto:
        autos.append(f"{overall.title} {overall.n_auto}")
    apart = run.n_auto != run.n_labelled or len(autos) > 1
    said = (f"n: {since}" if since else "", f"auto of {', '.join(autos)}" if apart else "")
    return " · ".join(filter(None, said))


def _here(one: CaseFigures) -> tuple[str, tuple[str, str, str, str]]:
    """Write what a response has, and mark what follows from other metrics."""
    auto, human, gap, adjusted = _numbers(one)
    if one.from_parts is not None:
        human = f"{score_words(one.from_parts)} *"
    if one.derived:
        auto = f"{auto} *"
    marked = one.derived or one.from_parts is not None
    return f"This response{FROM_PARTS if marked else ''}", (auto, human, gap, adjusted)


def _numbers(one: CaseFigures | OverallFigures) -> tuple[str, str, str, str]:
    return (
        score_words(one.auto),
        score_words(one.human),
        gap_words(one.gap),
        one.adjusted.words(score_words),
    )


def _means(found: MetricFigures) -> tuple[str, str, str, str]:
    """Write means with two decimals each, so that they stand below one another."""
    adjusted = found.shown_adjusted.words(_mean)
    return _mean(found.auto_mean), _mean(found.human_mean), _mean(found.gap_mean, "+"), adjusted


def _mean(value: float | None, sign: str = "") -> str:
    if value is None:
        return score_words(None)
    rounded = round(value, 2) or 0.0
    return f"{sign if rounded > 0 else ''}{fixed(rounded)}"


def _kappa(run: MetricFigures) -> str:
    name = "quadratic κ" if run.ordered else "κ"
    if run.n_pairs < KAPPA_FROM:
        return f"{name} — · not enough labels: {run.n_pairs} of {KAPPA_FROM}"
    if run.kappa is None:
        return f"{name} — · {run.kappa_reason or 'undefined'}"
    words = f"{name} {fixed(run.kappa)}"
    if run.kappa_interval is not None:
        low, high = run.kappa_interval
        words += f" [{fixed(low)}, {fixed(high)}]"
    elif run.n_pairs >= INTERVAL_FROM:
        words += " […]"
    return f"{words} · n = {run.n_pairs}"


def _verdicts(case: EvaluationFigures) -> str:
    overall = case.overall
    found = (("auto", overall.auto_verdict), ("people", overall.human_verdict))
    words = [f"{who}: {verdict}" for who, verdict in found if verdict]
    if overall.grade:
        words.append(f"grade {overall.grade}")
    if overall.mixed:
        words.append("mixed: a labelled metric has no auto score")
    elif overall.human is not None and 0 < overall.covered < 1:
        words.append(f"{in_percent(overall.covered, 0)} of the weight is labelled")
    return " · ".join(words)


def _deviation_reason(run: MetricFigures) -> str:
    found, options = run.deviations, run.made_by.options
    changed = f", changed: {', '.join(run.made_by.changed)}" if run.made_by.changed else ""
    sides = {"both": "on both sides", "any": "on one side"}.get(options.band_gate, "together")
    return (
        f"{found.n_higher} higher, {found.n_lower} lower, {found.n_equal} equal in the window; "
        f"a deviation needs {MORE[options.deviation_rule]} {options.min_records} on its side, "
        f"the band {MORE[options.band_rule]} {options.min_records} {sides} (preset "
        f"{run.made_by.preset}{changed})"
    )
