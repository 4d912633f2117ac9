"""Gets what the numbers say beside the window, and hands it to the card."""

from PySide6.QtCore import QObject

from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope
from reviewer.gui.audit.insights_card import InsightsCard
from reviewer.gui.kit.tasks import PAINTED, Tasks
from reviewer.gui.own_session import beside
from reviewer.services.audits.auditing import Audit
from reviewer.services.findings import insights
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import MetricInsights
from reviewer.services.project.session import Session
from reviewer.stats.deviations import PUBLISHED, DeviationOptions

TASK = "insights"
_Found = tuple[Source, MetricInsights]


class InsightsReader(QObject):
    """Reads a scope once and works out one metric at a time, whenever it is shown."""

    def __init__(self, tasks: Tasks, card: InsightsCard) -> None:
        """Watch over a card."""
        super().__init__(card)
        self._tasks = tasks
        self._card = card
        self._session: Session | None = None
        self._scope = Scope()
        self._options = PUBLISHED
        self._source: Source | None = None
        self._stale = False
        self._metric = ""

    def renew(self, session: Session, audit: Audit) -> None:
        """Take another scope, or the same after a change; it is read with the next metric."""
        self._session, self._source = session, None
        self._scope, self._options = audit.request.scope, audit.frame.choices.options
        self._stale = True

    def forget(self) -> None:
        """Let go of the project."""
        self._session = self._source = None
        self._metric = ""
        self._tasks.cancel(TASK)
        self._card.show_sentence("")

    def stop(self) -> bool:
        """Stop reading; tells whether there was anything to stop."""
        running = TASK in self._tasks.running()
        self._tasks.cancel(TASK)
        return running

    def show_metric(self, metric: str) -> None:
        """Show a metric's topics as soon as they are known."""
        session, source = self._session, self._source
        if session is None:
            return
        self._metric = metric
        self._card.show_loading(metric)
        scope, options = self._scope, self._options
        if source is not None:
            known = source
            task = self._tasks.run(TASK, lambda _: (known, insights.of_metric(known, metric)))
        else:
            self._stale = False
            task = self._tasks.run(
                TASK,
                beside(
                    session, lambda own, progress: _read(own, scope, options, metric, progress)
                ),
                after=PAINTED,
            )
        task.finished.connect(self._take)
        task.failed.connect(self._card.show_sentence)

    def _take(self, found: object) -> None:
        if self._session is None or not isinstance(found, tuple):
            return
        source, shown = found
        # what changed while it was read is not in it
        self._source = None if self._stale else source
        self._card.show_insights(shown)


def _read(
    session: Session, scope: Scope, options: DeviationOptions, metric: str, progress: Progress
) -> _Found:
    source = insights.read(session, scope, options=options, progress=progress)
    return source, insights.of_metric(source, metric)
