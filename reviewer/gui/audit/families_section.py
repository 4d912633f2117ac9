"""The section Families: for rubrics whose metrics name one."""

from PySide6.QtCore import QTimer
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.gui.audit.contradictions_card import ContradictionsCard
from reviewer.gui.audit.families_cards import FamiliesCard
from reviewer.gui.audit.scatter_card import ScatterCard
from reviewer.gui.audit.section import Reading, Section
from reviewer.gui.page import Surroundings
from reviewer.services.audits import families, family_rules
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.families import FamilyTable
from reviewer.services.audits.family_rules import Threshold

SETTLE_MS = 250


class FamiliesSection(Section):
    """Families in rows, contradictions in lists, and two metrics of choice in a chart."""

    title = "Families"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self._waiting: dict[str, tuple[Threshold, float]] = {}
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(SETTLE_MS)
        self._wait.timeout.connect(self._keep)
        self.families = FamiliesCard(self.theme, self.figures)
        self.contradictions = ContradictionsCard(self.theme, self.figures)
        self.scatter = ScatterCard(self.theme, self.figures)
        self._cards = (self.families, self.contradictions, self.scatter)
        for card in self._cards:
            card.hide()
            self.body.addWidget(card)
        self.families.metric_chosen.connect(self.metric_requested)
        self.contradictions.responses_requested.connect(self.responses_requested)
        self.contradictions.moved.connect(self._move)
        self.contradictions.reset_requested.connect(self._reset)
        self.scatter.responses_requested.connect(self.responses_requested)
        self.scatter.noted.connect(self.noted)

    @override
    @classmethod
    def fits(cls, audit: Audit) -> bool:
        """Tell whether any metric of the rubric names a family."""
        return families.has_families(audit.rubric)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading | None:
        """Compute families and lists with the project's thresholds."""
        return lambda own, _: families.read(own, audit)

    @override
    def show_found(self, found: object) -> None:
        """Show everything."""
        audit = self.audit
        if not isinstance(found, FamilyTable) or audit is None:
            return
        for card in self._cards:
            card.show()
        self.families.show_families(found.families, audit)
        self.contradictions.show_found(found.found)
        self.scatter.show_audit(audit)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._wait.stop()
        self._waiting = {}
        self.contradictions.forget()
        self.scatter.forget()
        for card in self._cards:
            card.hide()

    def _move(self, threshold: Threshold, value: float) -> None:
        self._waiting[threshold.key] = (threshold, value)
        self._wait.start()

    def _keep(self) -> None:
        """Keep what was moved, then find anew."""
        waiting, self._waiting = self._waiting, {}
        session = self.session
        if session is None:
            return
        try:
            for threshold, value in waiting.values():
                family_rules.keep(session, threshold, value)
        except ReviewerError as error:
            self.noted.emit(str(error))
        self.recompute()

    def _reset(self) -> None:
        session = self.session
        if session is None:
            return
        try:
            family_rules.reset(session)
        except ReviewerError as error:
            self.noted.emit(str(error))
        self.recompute()
