"""The Audit page: where a lead sees how far the judge can be trusted, and why not."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from reviewer.domain.change import Change
from reviewer.gui import pieces
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.confusion_view import ConfusionView, Place
from reviewer.gui.audit.figures_cards import AgreementCard, GapsCard, LabelersCard
from reviewer.gui.audit.insights_card import InsightsCard
from reviewer.gui.audit.insights_reading import InsightsReader
from reviewer.gui.audit.scope_card import ScopeCard
from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.own_session import beside
from reviewer.gui.page import Page, Surroundings
from reviewer.gui.refreshing import Refresher
from reviewer.gui.scrolling import ScrolledColumn
from reviewer.services import auditing
from reviewer.services.auditing import Audit
from reviewer.services.session import Session
from reviewer.services.statistics import StatsRequest
from reviewer.services.statistics_blocks import MetricBlock

TASK = "audit"
SETTLE_MS = 700
TABLE_HINT = "rows human, columns auto · choose a cell"
NO_LEVELS = "This scale has no levels; the gaps below show how far people and judge are apart."


class AuditPage(Page):
    """Scope, verdict, figures, and the responses behind them."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the page empty."""
        super().__init__(surroundings)
        self._session: Session | None = None
        self._leave: Callable[[], None] = lambda: None
        self._audit: Audit | None = None
        self._cell: Place | None = None
        self._refresher = Refresher(self, self.compute, SETTLE_MS)
        self.scope = ScopeCard(self.theme)
        self.verdict = VerdictCard(self.theme)
        self.labelers = LabelersCard(self.theme)
        self.confusion = ConfusionView(self.theme)
        self.agreement = AgreementCard(self.theme)
        self.gaps = GapsCard(self.theme)
        self.insights = InsightsCard(self.theme)
        self._insights = InsightsReader(surroundings.tasks, self.insights)
        self.side = CasesSide(self.theme)
        self.state = pieces.text("", "muted", wrap=True)
        self.state.setAccessibleName("State of the figures")
        self._table_card = self._make_table_card()
        self._lay_out()
        self._connect()
        bind(self, COMMANDS["audit.compute"], self.compute)

    @property
    def audit(self) -> Audit | None:
        """Give the figures in view."""
        return self._audit

    @override
    def open(self, session: Session) -> None:
        """Compute a project's figures and show them."""
        self._session = session
        self._leave = session.subscribe(self._on_change)
        self._say("Computing the figures…")
        self.compute()

    @override
    def close_session(self) -> None:
        """Let go of the project."""
        self._leave()
        self._leave = lambda: None
        self._session = self._audit = self._cell = None
        self._refresher.forget()
        self._insights.forget()
        self.surroundings.tasks.cancel(TASK)
        self.scope.reset()
        self._show_nothing("")

    @override
    def panes(self) -> list[QWidget]:
        """Give scope, table, metrics, list and response."""
        return [
            self.scope,
            self.confusion,
            self.agreement.table,
            self.side.cases.table,
            self.side.case.open_button,
        ]

    def compute(self) -> None:
        """Compute the figures of the scope anew, beside the window."""
        if self._session is None:
            return
        request = StatsRequest(scope=self.scope.scope())
        work = beside(
            self._session, lambda own, progress: auditing.compute(own, request, progress)
        )
        task = self.surroundings.tasks.run(TASK, work)
        task.finished.connect(self._take)
        task.failed.connect(self._show_nothing)

    def _lay_out(self) -> None:
        gap = pieces.GAP
        left = _column(gap, self.scope, self.verdict, self.labelers)
        middle = _column(
            gap, self.state, self._table_card, self.agreement, self.gaps, self.insights
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(gap, gap, gap, gap)
        row.setSpacing(gap)
        row.addWidget(ScrolledColumn(left, "Scope, verdict and labelers"), 22)
        row.addWidget(ScrolledColumn(middle, "Figures"), 54)
        row.addWidget(self.side, 44)

    def _make_table_card(self) -> pieces.Card:
        card = pieces.Card("Human × auto")
        hint = pieces.ElidedText(TABLE_HINT, "small")
        hint.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        card.head.addWidget(hint, 3)
        self._no_levels = pieces.text(NO_LEVELS, "muted", wrap=True)
        card.body.addWidget(self._no_levels)
        card.body.addWidget(self.confusion)
        return card

    def _connect(self) -> None:
        self.scope.scope_changed.connect(self.compute)
        self.scope.metric_changed.connect(lambda _: self._show_metric())
        self.agreement.metric_chosen.connect(self.scope.choose_metric)
        self.insights.level_chosen.connect(self._choose_level)
        self.insights.category_chosen.connect(self.scope.choose_category)
        self.confusion.cell_chosen.connect(self._choose_cell)
        self.confusion.cleared.connect(self._clear_cell)
        self.side.all_requested.connect(self.confusion.clear_choice)
        self.side.open_requested.connect(self.open_evaluation_requested)

    def _on_change(self, _: Change) -> None:
        self._refresher.wish()

    def _take(self, audit: object) -> None:
        if self._session is None or not isinstance(audit, Audit):
            return
        self._audit = audit
        self._insights.renew(self._session, audit.document.scope)
        self._say("")
        metrics = audit.document.metrics
        labelled = (name for name, block in metrics.items() if block.judge_human.n)
        best = next(labelled, next(iter(metrics), ""))
        self.scope.show_choices(audit.choices, audit.rubric, tuple(metrics), best)
        self.agreement.show_document(audit.document)
        self.agreement.setVisible(True)
        self.status_changed.emit(f"{audit.evaluations:,} responses · {audit.labelled:,} labelled")
        self._show_metric()

    def _show_metric(self) -> None:
        audit = self._audit
        block = self._block()
        if audit is None or block is None:
            self._show_nothing("There is no metric to show.")
            return
        self._cell = None
        self.agreement.table.choose(block.name)
        self.verdict.show_metric(block, audit.document.stale)
        self.labelers.setVisible(True)
        self.labelers.show_metric(audit.document, block)
        self._table_card.setVisible(True)
        self._no_levels.setVisible(not block.confusion.table)
        self.confusion.show_table(block.confusion)
        self.gaps.show_metric(block, audit.pairs[block.name])
        self.insights.setVisible(True)
        self._insights.show_metric(block.name)
        self._show_cases()

    def _block(self) -> MetricBlock | None:
        if self._audit is None:
            return None
        return self._audit.document.metrics.get(self.scope.chosen_metric)

    def _choose_cell(self, row: int, column: int) -> None:
        self._cell = (row, column)
        self._show_cases()

    def _choose_level(self, level: object) -> None:
        block = self._block()
        if block is not None and isinstance(level, float) and level in block.confusion.values:
            self.confusion.clear_choice()
            self._cell = (None, block.confusion.values.index(level))
            self._show_cases()

    def _clear_cell(self) -> None:
        self._cell = None
        self._show_cases()

    def _show_cases(self) -> None:
        audit, block, session = self._audit, self._block(), self._session
        if audit is not None and block is not None and session is not None:
            self.side.show_list(session, audit, block, self._cell)

    def _show_nothing(self, sentence: str) -> None:
        self._audit = None
        self._say(sentence)
        self.verdict.show_metric(None, ())
        self.labelers.setVisible(False)
        self._table_card.setVisible(False)
        self.agreement.setVisible(False)
        self.gaps.setVisible(False)
        self.insights.setVisible(False)
        self.side.clear()

    def _say(self, sentence: str) -> None:
        self.state.setText(sentence)
        self.state.setVisible(bool(sentence))


def _column(gap: int, *widgets: QWidget) -> QWidget:
    holder = QWidget()
    holder.setProperty("kind", "scrolled")
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(gap)
    for widget in widgets:
        column.addWidget(widget)
    column.addStretch(1)
    return holder
