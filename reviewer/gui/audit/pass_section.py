"""The section Pass/fail: verdicts of judge and people, by category, and what-if."""

from typing_extensions import override

from reviewer.gui.audit.section import Reading, Section
from reviewer.gui.audit.verdicts_cards import CategoriesCard, VerdictsCard
from reviewer.gui.audit.what_if_card import WhatIfCard
from reviewer.gui.page import Surroundings
from reviewer.services.audits import passing
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.passing import WHOLE, PassAudit
from reviewer.services.project.session import Session


class PassSection(Section):
    """Shows the whole rubric's verdicts first, or a metric's where the rubric has no rule."""

    title = "Pass/fail"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.verdicts = VerdictsCard(self.theme, self.figures)
        self.categories = CategoriesCard(self.theme, self.figures)
        self.what_if = WhatIfCard(surroundings, self.figures)
        self._wanted: str | None = None
        for card in (self.verdicts, self.categories, self.what_if):
            card.hide()
            self.body.addWidget(card)
            card.responses_requested.connect(self.responses_requested)
        self.verdicts.subject_chosen.connect(self._choose)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading | None:
        """Compute the verdicts of the chosen subject."""
        subject = self._subject(audit)
        self._offer(audit, subject)
        return lambda own, progress: passing.read(own, audit, subject, progress)

    @override
    def show_found(self, found: object) -> None:
        """Show the verdicts and try what is being tried on them."""
        audit, session = self.audit, self.session
        if not isinstance(found, PassAudit) or audit is None or session is None:
            return
        level = audit.request.level
        self.verdicts.show()
        self.verdicts.show_verdicts(found, level)
        self.categories.show_verdicts(found, level)
        self.what_if.show()
        self._try(session, audit, found.subject)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._wanted = None
        self.what_if.forget()
        for card in (self.verdicts, self.categories, self.what_if):
            card.hide()

    def _try(self, session: Session, audit: Audit, subject: str) -> None:
        self.what_if.show_audit(session, audit, subject=subject, metric=self.chosen_metric)

    def _subject(self, audit: Audit) -> str:
        """Give the chosen subject, else the whole rubric, else a metric with a mark."""
        there = passing.subjects(audit.rubric)
        if self._wanted in there:
            return str(self._wanted)
        if passing.why_no_sides(audit.frame.table, WHOLE) is None or len(there) == 1:
            return WHOLE
        return there[1]

    def _offer(self, audit: Audit, subject: str) -> None:
        rubric = audit.rubric
        titles = [(x, passing.subject_title(rubric, x)) for x in passing.subjects(rubric)]
        self.verdicts.offer(tuple(titles), subject)

    def _choose(self) -> None:
        self._wanted = str(self.verdicts.subject.currentData())
        self.recompute()
