"""The first section: human against auto, agreement by metric and run, gaps, what they say."""

from collections.abc import Hashable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QHideEvent
from typing_extensions import override

from reviewer.domain.wording import DASH, percent_span
from reviewer.gui.audit import metric_figures, words
from reviewer.gui.audit.calibration_card import CalibrationCard
from reviewer.gui.audit.confusion_view import ConfusionView
from reviewer.gui.audit.figures_cards import AgreementCard, GapsCard
from reviewer.gui.audit.insights_card import InsightsCard, InsightsReader
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.table_card import percents
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import name_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics_blocks import PassBlock, RunBlock, RunMetric
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.findings.insights_values import MetricInsights

TABLE_HINT = "rows human, columns auto · shares are of a row · choose a cell"
QUIET_MS = 3_000
"""How long no newer figures must come before what the numbers say is read again."""
NO_LEVELS = "This scale has no levels, so there is no table."
GAPS_BELOW = "The gaps below show how far people and judge are apart."


class AgreementSection(AuditSection[None]):
    """Shows what the page has computed already; only what the numbers say is read on top."""

    title = "Agreement"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.confusion = ConfusionView(self.theme)
        self.agreement = AgreementCard(self.theme)
        self.choices = (self.agreement.statistic, self.agreement.order)
        self.runs = RunsCard(self.theme)
        self.gaps = GapsCard(self.theme, self.figures)
        self.calibration = CalibrationCard(self.theme, self.figures)
        self.insights = InsightsCard(self.theme)
        self._insights = InsightsReader(surroundings, self.insights)
        self._read_soon = soon(self, self._read_insights)
        self._source: Audit | None = None
        self._document: StatsDocument | None = None
        self._metric_shown = ""
        self._table_card = pieces.Card("Human × auto")
        self._hint = hint = pieces.ElidedText(TABLE_HINT, "small")
        hint.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self._table_card.head.addWidget(hint, 3)
        self._no_levels = pieces.text(NO_LEVELS, "muted", wrap=True)
        layouts.fill(self._table_card.body, self._no_levels, self.confusion)
        layouts.fill(self.body, self._table_card, self.agreement, self.runs, self.gaps)
        layouts.fill(self.body, self.calibration, self.insights)
        self.agreement.metric_chosen.connect(self.metric_requested)
        self.figures.serve_grid(self.agreement.table, self._figure_of)
        self.figures.serve(self.confusion, self._cell_figure)
        pieces.connect(
            (self.gaps.responses_requested, self.responses_requested),
            (self.insights.responses_requested, self.responses_requested),
            (self.gaps.noted, self.noted),
            (self.calibration.responses_requested, self.responses_requested),
            (self.calibration.noted, self.noted),
            (self._insights.found, self._show_calibration),
        )

    def _figure_of(self, metric: Hashable, column: int) -> Figure | None:
        if self.audit is None:
            return None
        return metric_figures.of_column(self.audit, str(metric), column, self.agreement.chosen)

    def _cell_figure(self) -> Figure | None:
        audit, index = self.audit, self.confusion.currentIndex()
        if audit is None or not index.isValid():
            return None
        return metric_figures.cell(
            audit, audit.document.metrics[self.chosen_metric], (index.row(), index.column())
        )

    @override
    def recompute(self) -> None:
        """Show the figures of the page; they are there already."""
        if self.audit is not None:
            self._due = False
            self._show(self.audit, self.chosen_metric)

    @override
    def refine(self, audit: Audit) -> None:
        """Show the intervals that came later."""
        super().refine(audit)
        if self._source is not None:
            self._source = audit
            self._show_metrics(audit)

    def _show(self, audit: Audit, metric: str) -> None:
        block = audit.document.metrics[metric]
        if self._source is not audit:
            # labels that keep coming shall not have everything read anew each time
            same = self._source is not None and self._source.request == audit.request
            self._read_soon.setInterval(QUIET_MS if same else 0)
            self._source = audit
            self._insights.renew(audit)
        if self._metric_shown != metric:
            self._metric_shown = metric
            self._read_soon.setInterval(0)
            self.confusion.clearSelection()
            self.calibration.hide()
        self._show_metrics(audit)
        self.confusion.show_table(block.confusion)
        self.gaps.show_metric(block, audit.pairs[metric], audit.document.look_back)
        self._hint.setVisible(bool(block.confusion.table))
        self._no_levels.setVisible(not block.confusion.table)
        gaps = audit.pairs[metric].histogram()
        self._no_levels.setText(f"{NO_LEVELS} {GAPS_BELOW}" if gaps else NO_LEVELS)
        if self._read_soon.interval():
            self._read_soon.start()
        else:
            self._read_insights()

    def _show_metrics(self, audit: Audit) -> None:
        """Show the table, and the metric in view as the chosen one: it is not chosen by this."""
        with QSignalBlocker(self.agreement):
            if self._document is not audit.document:
                self._document = audit.document
                self.agreement.show_document(audit.document)
            self.runs.show_metric(audit.document, self.chosen_metric)
            if self.agreement.table.chosen() != self.chosen_metric:
                # choosing anew would take the keys back to the first column
                self.agreement.table.choose(self.chosen_metric)

    def _show_calibration(self, found: MetricInsights) -> None:
        audit = self._source
        if audit is not None and found.metric in audit.pairs:
            title = audit.document.metrics[found.metric].title
            self.calibration.show_metric(found, title, audit.pairs[found.metric])

    def _read_insights(self) -> None:
        self._read_soon.setInterval(0)
        if self.isVisible():
            self._insights.show_metric(self.chosen_metric)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Stop reading out of view: somebody may be labelling."""
        super().hideEvent(event)
        if self._insights.stop() or self._read_soon.isActive():
            self._read_soon.stop()
            self._due = True


NAME = 60
_RUNS = (
    Column("run"),
    Column("n", 40, number=True, tip="Labelled evaluations inside the window."),
    Column("auto", 50, number=True, tip="Mean of all auto scores.", drop=1),
    Column("human", 52, number=True, tip="Mean human score inside the window.", drop=2),
    Column("adjusted", 64, number=True, tip="Auto mean plus band.", drop=4),
    Column("corrected", 84, number=True, tip="Estimated mean of all, with its interval."),
    Column("agreement", 88, number=True, tip="Judge and people by the metric's coefficient."),
    Column("passed", 84, number=True, tip="By the judge, over the whole rubric.", drop=3),
)


class RunsCard(pieces.Card):
    """One row a run for the metric in view, there only where several runs are pooled and differ.

    A judge that tells two agents apart agrees with people over both, and may with neither.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty card that is not shown."""
        super().__init__("By run")
        self.table = GridView(theme, _RUNS, "Figures of each run", most=8)
        self.body.addWidget(self.table)
        self.hide()

    def show_metric(self, document: StatsDocument, metric: str) -> None:
        """Show the runs' figures of a metric."""
        runs = [run for run in document.by_run if metric in run.metrics]
        suited = document.metrics[metric].coefficient
        rows = [(run.name, _cells(run, run.metrics[metric], suited)) for run in runs]
        told = {tuple(cell.words + cell.below for cell in cells[1:]) for _, cells in rows}
        self.setVisible(len(told) > 1)
        self.table.show_rows(rows if len(told) > 1 else [])


def _cells(run: RunBlock, found: RunMetric, name: str) -> tuple[Cell, ...]:
    gaps = found.gaps
    return (
        Cell(name_line(run.name, NAME), tip=f"{run.name}, by {found.scorer or 'nobody'}"),
        words.labelled(gaps),
        words.figure(gaps.auto_mean, gaps.undefined, "auto_mean", "auto"),
        words.figure(gaps.human_mean, gaps.undefined, "human_mean", "human"),
        words.adjusted(gaps.shown_adjusted),
        words.corrected(found.corrected),
        metric_figures.agreement_cell(found.judge_human, name),
        _passed(run.passing),
    )


def _passed(found: PassBlock) -> Cell:
    if found.auto_rate is None:
        return Cell(DASH, "muted", tip=found.undefined.get("auto_rate", ""))
    interval = found.intervals.get("auto_rate")
    below = "" if interval is None else percent_span(interval.low, interval.high)
    return Cell(percents(found.auto_rate), "auto", tip=f"n = {found.n_auto:,}", below=below)
