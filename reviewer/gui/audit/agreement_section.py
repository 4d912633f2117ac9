"""The first section: human against auto, agreement by metric, gaps, and what they say."""

from PySide6.QtCore import Qt
from typing_extensions import override

from reviewer.gui import pieces
from reviewer.gui.audit.confusion_view import ConfusionView
from reviewer.gui.audit.figures_cards import AgreementCard, GapsCard
from reviewer.gui.audit.insights_card import InsightsCard
from reviewer.gui.audit.insights_reading import InsightsReader
from reviewer.gui.audit.section import Section
from reviewer.gui.page import Surroundings
from reviewer.services.auditing import Audit
from reviewer.services.session import Session

TABLE_HINT = "rows human, columns auto · choose a cell"
NO_LEVELS = "This scale has no levels; the gaps below show how far people and judge are apart."


class AgreementSection(Section):
    """Shows what the page has computed already; only what the numbers say is read on top."""

    title = "Agreement"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.confusion = ConfusionView(self.theme)
        self.agreement = AgreementCard(self.theme)
        self.gaps = GapsCard(self.theme)
        self.insights = InsightsCard(self.theme)
        self._insights = InsightsReader(surroundings.tasks, self.insights)
        self._source: Audit | None = None
        self._table_card = pieces.Card("Human × auto")
        hint = pieces.ElidedText(TABLE_HINT, "small")
        hint.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self._table_card.head.addWidget(hint, 3)
        self._no_levels = pieces.text(NO_LEVELS, "muted", wrap=True)
        self._table_card.body.addWidget(self._no_levels)
        self._table_card.body.addWidget(self.confusion)
        for card in (self._table_card, self.agreement, self.gaps, self.insights):
            self.body.addWidget(card)
        self.agreement.metric_chosen.connect(self.metric_requested)
        self.gaps.responses_requested.connect(self.responses_requested)
        self.insights.responses_requested.connect(self.responses_requested)
        self.gaps.noted.connect(self.noted)

    @override
    def recompute(self) -> None:
        """Show the figures of the page; they are there already."""
        session, audit = self.session, self.audit
        if session is None or audit is None:
            return
        self._due = False
        self._show(session, audit, self.chosen_metric)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._source = None
        self._insights.forget()

    @override
    def refine(self, audit: Audit) -> None:
        """Show the intervals that came later."""
        super().refine(audit)
        if self._source is not None:
            self._source = audit
            self.agreement.show_document(audit.document)

    def _show(self, session: Session, audit: Audit, metric: str) -> None:
        block = audit.document.metrics[metric]
        if self._source is not audit:
            self._source = audit
            self._insights.renew(session, audit.document.scope)
            self.agreement.show_document(audit.document)
        self.agreement.table.choose(metric)
        self._no_levels.setVisible(not block.confusion.table)
        self.confusion.show_table(block.confusion)
        self.gaps.show_metric(block, audit.pairs[metric])
        self._insights.show_metric(metric)
