"""The table of pages: the one place that names them all."""

from collections.abc import Callable
from dataclasses import dataclass

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.page import Page, Surroundings
from reviewer.gui.reports.page import ReportsPage
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.runs.page import RunsPage


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page of the window; it is made when it is shown for the first time."""

    id: str
    title: str
    factory: Callable[[Surroundings], Page]


PAGES: tuple[PageSpec, ...] = (
    PageSpec("review", "Review", ReviewPage),
    PageSpec("audit", "Audit", AuditPage),
    PageSpec("runs", "Runs", RunsPage),
    PageSpec("reports", "Reports", ReportsPage),
)
