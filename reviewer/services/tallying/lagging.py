"""What lags behind in one run, for whoever shows its figures live."""

from reviewer.domain.errors import CancelledError
from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.covered import covered
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_loading import held_back
from reviewer.store import figures


def of_run(session: Session, run: str, progress: Progress) -> dict[str, tuple[str, ...]]:
    """Say by metric what lags behind in a run; call it beside the window.

    Raises:
        ReviewerError: There is no such run.
        CancelledError: Nobody waits for it any more.
    """
    project, scope = session.project, Scope(runs=(run,))
    held = held_back(project, session.labeler.name) if session.blind else None
    said: dict[str, list[str]] = {}
    with figures.snapshot(project):
        found = covered(project, scope)
        table = Loader(project, memory_of(session)).load(
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held,
        )
        for metric in table.metrics.values():
            if progress.cancelled:
                raise CancelledError("Nobody asks what lags behind any more.")
            for one in behind(project, found, (metric,)):
                said.setdefault(metric.metric.name, []).append(one.text)
    return {name: tuple(texts) for name, texts in said.items()}
