"""The Audit page: where a lead sees how far the judge can be trusted, read beside the window."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.change import Change, MonitorsChanged
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.audit import insights_card, metric_figures, pass_section
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.confusion_view import ConfusionView, Place
from reviewer.gui.audit.families_section import FamiliesSection
from reviewer.gui.audit.figures_cards import LabelersCard
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.plan_section import PlanSection
from reviewer.gui.audit.scope_card import ScopeCard
from reviewer.gui.audit.sections import AuditSection, SectionsView
from reviewer.gui.audit.segments_section import ProbesSection, SegmentsSection
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.background import beside
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.focus_order import follow_layout
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.tasks import PAINTED, Refresher, soon
from reviewer.gui.page import ProjectPage, ProjectSurroundings
from reviewer.services.audits import auditing, judge_words
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures import run_records
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import MetricBlock

SETTLE_MS = 700
FIRST, SECOND = "audit", "audit intervals"


class AuditPage(ProjectPage):
    """Scope, verdict, figures, and the responses behind them."""

    ends = (FIRST, SECOND, insights_card.TASK, pass_section.TASK)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the page without figures."""
        super().__init__(surroundings)
        self.audit: Audit | None = None
        self._reader = AuditReader(surroundings, self)
        self._refresher = Refresher(self, self.compute, SETTLE_MS)
        self.scope = ScopeCard(self.theme)
        self.verdict = VerdictCard(self.theme)
        self.labelers = LabelersCard(self.theme)
        self.validate = pieces.Button(
            "Validate the judge",
            partial(self.command_requested.emit, "window.validate"),
            dense=True,
        )
        self.sections = SectionsView(surroundings, SECTIONS)
        first = self.sections.of_kind(AgreementSection)
        self.confusion, self.agreement = first.confusion, first.agreement
        self.gaps, self.insights = first.gaps, first.insights
        self.side = CasesSide(surroundings)
        self.side.bind_to(self)
        self._listing = Listing(self.side, self.confusion)
        self._figures = PageFigures(self, self.verdict, self.labelers)
        self._lay_out()
        pieces.connect(
            (self._reader.found, self._take),
            (self._reader.refined, self._refine),
            (self._reader.failed, self._show_nothing),
            (self._reader.advanced, self.sections.tell_how_far),
            (self.scope.scope_changed, self.compute),
            (self.scope.metric_changed, lambda _: self._show_metric(self._listing.change_metric)),
            (self.sections.metric_requested, self.scope.choose_metric),
            (self.sections.responses_requested, self._listing.show_responses),
            (self.sections.nothing.everything_requested, self.scope.widen),
            (self.sections.nothing.command_requested, self.command_requested),
            (self.sections.filter_requested, self.scope.narrow),
            (self.side.filter_requested, self.scope.narrow),
            (self.side.metric_requested, self.scope.choose_metric),
            (self.side.responses_requested, self._listing.show_responses),
            (self.sections.noted, self.noted),
            (self.sections.row.chosen, lambda _: self._show_labelers()),
            (self._figures.menu.responses_requested, self._listing.show_responses),
            (self._figures.menu.noted, self.noted),
            (self.insights.category_chosen, self.scope.choose_category),
            (self.side.open_requested, self.open_evaluation_requested),
        )
        bind(self, COMMANDS["audit.compute"], self.compute)

    @override
    def begin(self) -> None:
        """Compute the figures and show them."""
        self.sections.show_nothing("Computing the figures…")
        if self.isVisible():
            self.compute()
        else:
            self._refresher.wish()

    @override
    def follow(self, change: Change) -> None:
        """Compute the figures anew, soon."""
        if not isinstance(change, MonitorsChanged):
            self._refresher.wish()
        self.side.follow(change)

    @override
    def close_session(self) -> None:
        """Let nothing come back to the page."""
        super().close_session()
        self.sections.let_go()

    @override
    def panes(self) -> list[QWidget]:
        """Give scope, table, metrics, list and response."""
        return [
            self.scope,
            self.sections.row.buttons[0],
            self.confusion,
            self.agreement.table,
            self.side.cases.table,
            self.side.case.open_button,
        ]

    def compute(self) -> None:
        """Compute the figures of the scope anew, beside the window."""
        self._reader.read(self.scope.request(self.session.labeler.name))

    @override
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go through the page as it is read, also through sections that were made late."""
        follow_layout(self)
        return super().focusNextPrevChild(forward)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Compute nothing out of view: somebody may be labelling."""
        super().hideEvent(event)
        if self._reader.busy:
            self._reader.stop()
            self._refresher.wish()

    def _lay_out(self) -> None:
        gap = pieces.GAP
        left = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(self.scope, self.verdict, self.labelers, 1, on=left, margins=0, gap=gap)
        self.scope.head.addWidget(self.validate)
        layouts.row(
            (ScrolledColumn(left, "Scope, verdict and labelers"), 24),
            (self.sections, 54),
            (self.side, 44),
            on=self,
            margins=gap,
            gap=gap,
        )

    def _take(self, audit: Audit) -> None:
        audit = self.audit = auditing.with_kept_intervals(audit, self.audit)
        self._offer(audit)
        withheld = (
            f" · {audit.withheld:,} count once you have scored them" if audit.withheld else ""
        )
        self.status_changed.emit(
            f"{audit.evaluations:,} responses · {audit.labelled:,} labelled{withheld}"
        )
        if not audit.evaluations and not audit.withheld:
            self._show_nothing("")
            self.sections.show_empty(narrowed=self.scope.is_narrowed)
            return
        self._show_metric(self._listing.give)

    def _refine(self, audit: Audit) -> None:
        if self.audit is None:
            return
        self.audit = audit
        self._offer(audit)
        block = self._block()
        if block is not None:
            self._figures.give(audit, block)
            self._show_verdict(audit, block)
            self.labelers.show_metric(audit.document, block)
        self.sections.refine(audit)

    def _offer(self, audit: Audit) -> None:
        metrics = audit.document.metrics
        labelled = (name for name, block in metrics.items() if block.judge_human.n)
        best = next(labelled, next(iter(metrics), ""))
        self.scope.show_choices(audit.choices, audit.rubric, tuple(metrics), best)
        self.scope.show_look_back(audit.document.look_back)
        self.scope.show_judges(judge_words.by_name(self.session))

    def _show_verdict(self, audit: Audit, block: MetricBlock) -> None:
        who = judge_words.of_metric(self.session, audit, block.name)
        mine = [one for name, one in audit.document.records if name == block.name]
        self.verdict.show_metric(block, audit.document.stale, who, run_records.line(mine))

    def _show_labelers(self) -> None:
        """Show people's pairs, except beside the section that shows more of them."""
        beside = isinstance(self.sections.current, PeopleSection)
        self.labelers.setVisible(self.audit is not None and not beside)

    def _show_metric(self, then: Callable[[Audit, MetricBlock], None]) -> None:
        audit = self.audit
        if audit is None:
            return
        block = self._block()
        if block is None:
            self._show_nothing("There is no metric to show.")
            return
        self._figures.give(audit, block)
        self._show_verdict(audit, block)
        self._show_labelers()
        self.labelers.show_metric(audit.document, block)
        self.sections.show_metric(audit, block.name)
        then(audit, block)

    def _block(self) -> MetricBlock | None:
        if self.audit is None:
            return None
        return self.audit.document.metrics.get(self.scope.chosen_metric)

    def _show_nothing(self, sentence: str) -> None:
        self.audit = None
        self.sections.show_nothing(sentence)
        self.verdict.show_metric(None, ())
        self.labelers.setVisible(False)
        self._listing.clear()


Given = tuple[Audit, MetricBlock]


class Listing(QObject):
    """Lists disagreements, one cell of the table, or the responses behind any figure."""

    def __init__(self, side: CasesSide, table: ConfusionView) -> None:
        """Watch over the right side and the table of human against auto."""
        super().__init__(side)
        self._side, self._table = side, table
        self._given: Given | None = None
        self._metric = ""
        self._again: Callable[[], None] = self._show_all
        self._soon = soon(self, self._list_again)
        pieces.connect(
            (table.cell_chosen, lambda row, column: self._show_cell((row, column))),
            (table.cleared, self._show_all),
            (side.all_requested, table.clear_choice),
        )

    def give(self, audit: Audit, block: MetricBlock) -> None:
        """Take newer figures; what is listed of the same metric is listed again, a little later.

        The figures are painted before the list is read.
        """
        self._given = (audit, block)
        self._soon.start()

    def change_metric(self, audit: Audit, block: MetricBlock) -> None:
        """List the disagreements of another metric at once."""
        self._given = (audit, block)
        self._show_all()

    def clear(self) -> None:
        """List nothing."""
        self._soon.stop()
        self._given, self._metric = None, ""
        self._side.clear()

    def show_responses(self, keys: object, what: str) -> None:
        """List responses by their keys, a sequence or an array of numbers, under a heading."""
        if self._given is not None:
            self._remember(partial(self.show_responses, keys, what))
            self._side.show_responses(
                *self._given, np.asarray(keys, dtype=np.int64).tolist(), what
            )

    def _show_cell(self, cell: Place) -> None:
        if self._given is not None:
            self._remember(partial(self._show_cell, cell))
            self._side.show_list(*self._given, cell)

    def _show_all(self) -> None:
        if self._given is not None:
            self._remember(self._show_all)
            self._side.show_list(*self._given, None)

    def _remember(self, again: Callable[[], None]) -> None:
        self._soon.stop()
        if self._given is not None:
            self._metric, self._again = self._given[1].name, again

    def _list_again(self) -> None:
        if self._given is not None and self._given[1].name == self._metric:
            self._again()
        else:
            self._show_all()


class PageFigures(QObject):
    """Serves verdict and labelers with the figures in view."""

    def __init__(self, parent: QWidget, verdict: VerdictCard, labelers: LabelersCard) -> None:
        """Serve both cards."""
        super().__init__(parent)
        self._given: Given | None = None
        self._labelers = labelers
        self.menu = FigureMenu(verdict.theme, parent)
        self.menu.serve(verdict.figure, lambda: self._made(_coefficient))
        self.menu.serve(verdict.sentence, lambda: self._made(metric_figures.verdict))
        self.menu.serve(verdict.corrected, lambda: self._made(metric_figures.corrected))
        self.menu.serve_grid(labelers.table, self._pair)

    def give(self, audit: Audit, block: MetricBlock) -> None:
        """Take the figures in view."""
        self._given = (audit, block)

    def _made(self, make: Callable[[Audit, MetricBlock], Figure]) -> Figure | None:
        return None if self._given is None else make(*self._given)

    def _pair(self, key: Hashable, _: int) -> Figure | None:
        one = self._labelers.pairs.get(key)  # type: ignore[call-overload]
        if one is None or self._given is None:
            return None
        return metric_figures.pair_figure(self._given[0], one)


def _coefficient(audit: Audit, block: MetricBlock) -> Figure:
    return metric_figures.agreement(audit, block, block.coefficient)


SECTIONS: tuple[type[AuditSection[Any]], ...] = (
    AgreementSection,
    TrendSection,
    PeopleSection,
    PassSection,
    SegmentsSection,
    FamiliesSection,
    PlanSection,
    ProbesSection,
)
"""In the order of the row; each is made when it is chosen for the first time."""


class AuditReader(QObject):
    """Runs one computation at a time.

    Another scope silences the older one. The same scope after a change waits for it: while labels
    keep coming in, figures and intervals would never be there.

    Signals:
        found: The figures of a scope, an `Audit`.
        refined: The same with resampled intervals and what lags behind.
        failed: Why there are no figures, as a sentence.
        advanced: How far the figures of a scope are: metrics done, and of how many.
    """

    found = Signal(object)
    refined = Signal(object)
    failed = Signal(str)
    advanced = Signal(object, object)

    def __init__(self, surroundings: ProjectSurroundings, parent: QObject) -> None:
        """Read nothing yet."""
        super().__init__(parent)
        self._session, self._tasks = surroundings.session, surroundings.tasks
        self._request: StatsRequest | None = None
        self._again = False

    @property
    def busy(self) -> bool:
        """Tell whether figures are on their way."""
        return bool({FIRST, SECOND} & set(self._tasks.running()))

    def read(self, request: StatsRequest) -> None:
        """Compute the figures of a scope."""
        if self.busy and request == self._request:
            self._again = True
            return
        self._request, self._again = request, False
        self._tasks.drop(SECOND)
        self._tasks.run(
            FIRST,
            beside(self._session, lambda own, step: auditing.audit_of(own, request, step)),
            then=self._take,
            failed=self._fail,
        ).progressed.connect(self.advanced)

    def stop(self) -> None:
        """Cancel what is on its way."""
        self._again = False
        for kind in (FIRST, SECOND):
            self._tasks.cancel(kind)

    def _take(self, audit: Audit) -> None:
        self.found.emit(audit)
        self._tasks.run(
            SECOND,
            beside(self._session, lambda own, step: auditing.refine(own, audit, step)),
            after=PAINTED,
            then=self._take_refined,
        ).failed.connect(self._go_on)

    def _take_refined(self, audit: Audit) -> None:
        self.refined.emit(audit)
        self._go_on()

    def _fail(self, sentence: str) -> None:
        self.failed.emit(sentence)
        self._go_on()

    def _go_on(self) -> None:
        """Compute once more where something changed meanwhile."""
        if self._again:
            self._again = False
            # the task that has just ended counts as running still
            QTimer.singleShot(0, self, self._read_newest)

    def _read_newest(self) -> None:
        """Read the scope that is wanted by now: it may be another one already."""
        if self._request is not None:
            self.read(self._request)
