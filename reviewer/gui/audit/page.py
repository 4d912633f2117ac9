"""The Audit page: where a lead sees how far the judge can be trusted, read beside the window."""

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.change import Change, MarkChanged, MonitorsChanged
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.audit import insights_card, pass_section
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.families_section import FamiliesSection
from reviewer.gui.audit.figures_cards import LabelersCard
from reviewer.gui.audit.limits_dialog import LimitsDialog
from reviewer.gui.audit.listing import Listing, PageFigures
from reviewer.gui.audit.next_card import RightSide, StepTaker
from reviewer.gui.audit.pass_rate_card import PassRateCard
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.plan_section import PlanSection, open_queue
from reviewer.gui.audit.reader import FIRST, SECOND, AuditReader
from reviewer.gui.audit.scope_card import ScopeCard
from reviewer.gui.audit.sections import AuditSection, SectionsView
from reviewer.gui.audit.segments_section import ProbesSection, SegmentsSection
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.audit.trust_section import TrustSection
from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.focus_order import follow_layout
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.tasks import Refresher
from reviewer.gui.page import ProjectPage, ProjectSurroundings
from reviewer.services.audits import auditing, judge_words
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures import run_records
from reviewer.services.figures.statistics_blocks import MetricBlock

SETTLE_MS = 700


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
        self.right = RightSide(self.theme, self.side)
        self.passing = PassRateCard(self.theme)
        self._listing = Listing(self.side, self.confusion)
        self._figures = PageFigures(self, self.verdict, self.labelers)
        self._lay_out()
        self._serve_trust()
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
            (self.sections.row.chosen, lambda _: self._turn()),
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
        seen = isinstance(change, MarkChanged) and change.is_sight
        if not seen and not isinstance(change, MonitorsChanged):
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
        layouts.column(
            self.scope, self.passing, self.verdict, self.labelers, 1, on=left, margins=0, gap=gap
        )
        self.scope.head.addWidget(self.validate)
        layouts.row(
            (ScrolledColumn(left, "Scope, verdict and labelers"), 24),
            (self.sections, 54),
            (self.right, 44),
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
            self._show_labelers()
            self.passing.show_rates(audit.document.passing)
        self.sections.refine(audit)

    def _offer(self, audit: Audit) -> None:
        metrics = audit.document.metrics
        asked = (block.name for block in audit.document.labelled)
        labelled = (name for name, block in metrics.items() if block.judge_human.n)
        best = next(chain(labelled, asked, metrics), "")
        self.scope.show_choices(audit.choices, audit.rubric, tuple(metrics), best)
        self.scope.show_look_back(audit.document.look_back)
        self.scope.show_judges(judge_words.by_name(self.session))

    def _show_verdict(self, audit: Audit, block: MetricBlock) -> None:
        who = judge_words.of_metric(self.session, audit, block.name)
        mine = [one for name, one in audit.document.records if name == block.name]
        self.verdict.show_metric(block, audit.document.stale, who, run_records.line(mine))

    def _turn(self) -> None:
        """Show what belongs to the section that was chosen."""
        self._show_labelers()
        self.right.show_cases(shown=not _trusts(self.sections))

    def _show_labelers(self) -> None:
        """Show people's pairs, except beside the sections that show more of them."""
        there, people = self.audit is not None, isinstance(self.sections.current, PeopleSection)
        self.labelers.setVisible(there and not people and not _trusts(self.sections))
        self.verdict.setVisible(self._block() is not None and not _trusts(self.sections))
        self.passing.setVisible(there and _trusts(self.sections))

    def _serve_trust(self) -> None:
        """Serve the first section, and the list of what to do next beside it."""
        trust = self.sections.of_kind(TrustSection)
        taker = StepTaker(self.right, self.side, self._listing)
        pieces.connect(
            (self.sections.row.clicked, lambda _: self._turn()),
            (
                self.sections.responses_requested,
                lambda *_: self.right.show_cases(shown=True, back=_trusts(self.sections)),
            ),
            (trust.next_found, self.right.steps.show_steps),
            (trust.command_requested, self.command_requested),
            (trust.limits_requested, self._open_limits),
            (taker.command_requested, self.command_requested),
            (taker.queue_requested, lambda step: open_queue(self, self.audit, step)),
            (taker.page_requested, self.page_requested),
            (taker.metric_requested, self.scope.choose_metric),
        )
        bind(self, COMMANDS["audit.limits"], self._open_limits)
        self.right.show_cases(shown=not _trusts(self.sections))

    def _open_limits(self) -> None:
        if self.audit is None:
            return
        dialog = LimitsDialog(self.session, self.audit.rubric, self)
        dialog.failed.connect(self.failed)
        dialog.show()

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
        self._show_labelers()
        self.passing.show_rates(audit.document.passing)
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
        pieces.show(self.labelers, self.passing, shown=False)
        self.right.steps.show_steps(())
        self._listing.clear()


def _trusts(sections: SectionsView) -> bool:
    """Tell whether the page is at its first question."""
    return isinstance(sections.current, TrustSection)


SECTIONS: tuple[type[AuditSection[Any]], ...] = (
    TrustSection,
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
