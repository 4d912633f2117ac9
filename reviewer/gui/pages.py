"""The table of pages: the one place that names them all."""

from reviewer.gui.page import Page, PageSpec, ProjectSurroundings
from reviewer.gui.review.page import ReviewPage


def _audit(surroundings: ProjectSurroundings) -> Page:
    from reviewer.gui.audit.page import AuditPage

    return AuditPage(surroundings)


def _runs(surroundings: ProjectSurroundings) -> Page:
    from reviewer.gui.runs.page import RunsPage

    return RunsPage(surroundings)


def _reports(surroundings: ProjectSurroundings) -> Page:
    from reviewer.gui.reports.page import ReportsPage

    return ReportsPage(surroundings)


PAGES: tuple[PageSpec, ...] = (
    PageSpec("review", "Review", ReviewPage),
    PageSpec("audit", "Audit", _audit, leads=True),
    PageSpec("runs", "Runs", _runs, leads=True),
    PageSpec("reports", "Reports", _reports, leads=True),
)
