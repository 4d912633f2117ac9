"""The table of pages: the one place that names them all."""

from collections.abc import Callable

from msgspec import Struct

from reviewer.gui import deferred
from reviewer.gui.page import Page, Surroundings
from reviewer.gui.review.page import ReviewPage


class PageSpec(Struct, frozen=True):
    """A page of the window; it is made when it is shown for the first time."""

    id: str
    title: str
    factory: Callable[[Surroundings], Page]


PAGES: tuple[PageSpec, ...] = (
    PageSpec("review", "Review", ReviewPage),
    PageSpec("audit", "Audit", deferred.maker(deferred.AUDIT_PAGE)),
    PageSpec("runs", "Runs", deferred.maker(deferred.RUNS_PAGE)),
    PageSpec("reports", "Reports", deferred.maker(deferred.REPORTS_PAGE)),
)
