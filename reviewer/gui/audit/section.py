"""A section of the Audit page: figures of its own on the page's scope, read while in view."""

from PySide6.QtCore import Signal
from typing_extensions import override

from reviewer.gui.background import Found
from reviewer.gui.page import Surroundings
from reviewer.gui.sections import Reading, Section
from reviewer.services.audits.auditing import Audit
from reviewer.services.project.session import Session


class AuditSection(Section[Found]):
    """A section on a metric of the scope; it says what to work out in `reading`.

    Signals:
        filter_requested: The page's scope is to be narrowed by words of the filter language.
        metric_requested: Another metric is to be shown, by its name.
    """

    page = "audit"
    working = "Working out the figures…"
    filter_requested = Signal(str)
    metric_requested = Signal(str)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__(surroundings)
        self._audit: Audit | None = None
        self._metric = ""

    @classmethod
    def fits(cls, audit: Audit) -> bool:
        """Tell whether the section has anything to say about this rubric."""
        return audit is not None

    @property
    def audit(self) -> Audit | None:
        """Give the figures of the scope in view."""
        return self._audit

    @property
    def chosen_metric(self) -> str:
        """Give the metric in view."""
        return self._metric

    @property
    @override
    def about(self) -> str:
        """Give the metric in view."""
        return self._metric

    def reading(self, audit: Audit, metric: str) -> Reading[Found] | None:
        """Give what is to be worked out beside the window; None where nothing is."""
        raise NotImplementedError

    @override
    def work(self) -> Reading[Found] | None:
        """Give what is to be worked out about the metric in view."""
        return None if self._audit is None else self.reading(self._audit, self._metric)

    def show_metric(self, session: Session, audit: Audit, metric: str) -> None:
        """Take other figures, another scope or another metric; read at once where in view."""
        before = None if self._audit is None else (self._audit.request, self._metric)
        self._session, self._audit, self._metric = session, audit, metric
        if before == (audit.request, metric) and self.is_reading:
            # dropping it for every label that comes in would never show anything
            self._again = True
            return
        self.renew()

    def refine(self, audit: Audit) -> None:
        """Take the same figures with resampled intervals; nothing is read anew."""
        self._audit = audit

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._audit, self._metric = None, ""
