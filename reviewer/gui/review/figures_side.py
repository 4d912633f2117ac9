"""Live figures on the page: gathered beside the window, read again after every label."""

import time
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.run import Scope
from reviewer.gui.background import beside
from reviewer.gui.explanation import ExplanationDialog
from reviewer.gui.kit.tasks import soon
from reviewer.gui.page import Surroundings
from reviewer.gui.review.live_panel import LivePanel
from reviewer.services.figures import figure_settings
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_now
from reviewer.services.tallying.live_figures import EvaluationFigures, MetricFigures

OPEN_MS = 16
"""After this, figures are shown that were closed until the answer."""
SETTLE_MS = 40
"""The plot is drawn once keys pause: figures come first, the picture of them after."""
IDLE_MS = 900
"""How long keys rest before the plotting library is loaded, which takes half a second."""
FIRST_WAIT_S = 0.25
MINUTE_MS = 60_000
"""How often the figures look whether another day has begun, while nobody labels."""
PRESETS = ("published", "recommended")
BEHIND_MS = 1_500
"""How long figures stand before what lags behind is looked for."""
BEHIND = "what lags behind"
KIND = "figures"
"""The kind of task that gathers figures: a newer one takes the place of an older."""


class _Source(Protocol):
    """What is asked of live figures, whose module is loaded beside the first page."""

    @property
    def ready(self) -> bool: ...
    def metric(self, name: str, *, interval: bool = True) -> MetricFigures | None: ...
    def evaluation(self, key: int) -> EvaluationFigures: ...
    def overall(self) -> MetricFigures | None: ...
    def close(self) -> None: ...


class _Histogram(Protocol):
    """What is asked of the histogram, whose module is loaded when keys rest."""

    def show_gaps(self, gaps: tuple[tuple[float, int], ...]) -> None: ...
    def restyle(self) -> None: ...


class FiguresSide(QObject):
    """Keeps the panel on the metric in focus and the figures on the run in view.

    Attributes:
        midnight: Looks again every minute whether another day moves the figures' window.

    Signals:
        attached: New figures follow the session now; who listens to the session must come after
            them, so that what is read after a change is fresh.
        updated: Figures arrived; the cards show them.
    """

    attached = Signal()
    updated = Signal()

    def __init__(self, surroundings: Surroundings, panel: LivePanel) -> None:
        """Make the side without a project; it lives as long as its panel."""
        super().__init__(panel)
        self._surroundings = surroundings
        self._panel = panel
        self._source: _Source | None = None
        self._session: Session | None = None
        self._run = ""
        self._wait = 0.0
        self._histogram: _Histogram | None = None
        self._explanation: ExplanationDialog | None = None
        panel.explain_requested.connect(self.explain)
        self._view: EvaluationView | None = None
        self._metric = ""
        self._gaps: tuple[tuple[float, int], ...] = ()
        self._show_soon = soon(self, self._show)
        self._open_soon = soon(self, self._show, OPEN_MS)
        self._make_soon = soon(self, self._make_histogram, IDLE_MS)
        self._draw_soon = soon(self, self._draw, SETTLE_MS)
        self._behind: dict[str, tuple[str, ...]] = {}
        self._behind_soon = soon(self, self.look_behind, BEHIND_MS)
        self.midnight = QTimer(self, interval=MINUTE_MS)
        self.midnight.timeout.connect(self._show_soon.start)
        self._explain_again = False
        self.case = EvaluationFigures()

    def open(self, session: Session) -> None:
        """Take a project; its figures are gathered when an evaluation is looked at."""
        self._session = session
        self._wait = FIRST_WAIT_S
        self.midnight.start()
        self._show_waiting()

    def close(self) -> None:
        """Let go of the project."""
        self.midnight.stop()
        self._explain_again = False
        self._show_soon.stop()
        self._open_soon.stop()
        self._draw_soon.stop()
        self._make_soon.stop()
        self._behind_soon.stop()
        self._drop()
        for kind in (KIND, BEHIND):
            self._surroundings.tasks.cancel(kind)
        self._session = self._view = None
        self._run = ""

    def reload(self) -> None:
        """Gather the figures of the run in view anew, beside the window."""
        session, run = self._session, self._run
        if session is None or not run:
            return
        self._drop()
        self._surroundings.tasks.cancel(BEHIND)
        self._show_waiting()
        self._explain_again = self._explanation is not None and self._explanation.isVisible()
        wait, self._wait = self._wait, 0.0
        path, hidden = session.project.path, hidden_now(session)
        scope = Scope(runs=(run,))

        def gather(progress: Progress) -> object:
            # the page is painted first: both would wait for the interpreter's one lock
            time.sleep(wait)
            from reviewer.services.tallying import live_loading

            return live_loading.load_tallies(path, scope, hidden, progress=progress)

        self._surroundings.tasks.run(KIND, gather, then=partial(self._attach, session))

    def look_at(self, view: EvaluationView) -> None:
        """Read the figures of the evaluation in view."""
        self._view = view
        if view.evaluation.run != self._run:
            self._run = view.evaluation.run
            self.reload()
        self.refresh()

    def set_metric(self, name: str) -> None:
        """Show the figures of another metric."""
        self._metric = name
        self._show_soon.start()

    def show_now(self) -> None:
        """Show what is waiting to be shown, so that it is painted with what it belongs to."""
        if not self._show_soon.isActive():
            return
        self._show_soon.stop()
        if self._view is not None and not self._view.hidden and self._panel.is_closed:
            # the answer comes first; a panel that opens is laid out as a whole
            self._open_soon.start()
        else:
            self._show()

    def refresh(self) -> None:
        """Read the figures again."""
        source, view = self._source, self._view
        if source is None or view is None:
            return
        if not source.ready:
            self.reload()
            return
        self.case = EvaluationFigures() if view.hidden else source.evaluation(view.evaluation.key)
        self._show_soon.start()

    def explain(self) -> None:
        """Show how the figures of the metric in focus came about."""
        source, view, session = self._source, self._view, self._session
        if source is None or view is None or session is None or not source.ready or view.hidden:
            return
        run = source.metric(self._metric)
        if run is None:
            return
        if self._explanation is None:
            self._explanation = made = ExplanationDialog(self._surroundings.theme, self._panel)
            made.offer_options(PRESETS).changed.connect(self._change_options)
        from reviewer.services.explaining import explanations

        shown = explanations.Shown(
            rubric=session.rubric_of(view.evaluation.key),
            metric=self._metric,
            run=run,
            overall=source.overall(),
            case=self.case,
        )
        steps = explanations.explain(shown)
        self._explanation.show_steps(f"{run.title} · run {self._run}", steps)
        kept = figure_settings.read(session.project)
        words = figure_settings.as_text(kept)
        own = session.rubric_of(view.evaluation.key).preset
        self._explanation.offer_options(PRESETS).show_options(kept.preset or "", words, own)
        self._explanation.show()
        self._explanation.raise_()

    def _change_options(self, preset: str, options: str) -> None:
        session, shown = self._session, self._explanation
        if session is None or shown is None:
            return
        try:
            figure_settings.change(session, preset or None, options)
        except ReviewerError as error:
            shown.offer_options(PRESETS).show_problem(str(error))
            return
        shown.offer_options(PRESETS).show_problem("")

    def look_behind(self) -> None:
        """Look beside the window for what makes the run's figures stale."""
        session, run, source = self._session, self._run, self._source
        if session is None or source is None:
            return

        def look(own: Session, progress: Progress) -> object:
            from reviewer.services.tallying import live_loading

            return live_loading.lagging_of_run(own, run, progress)

        self._surroundings.tasks.run(
            BEHIND, beside(session, look), then=partial(self._take_behind, source)
        )

    def restyle(self) -> None:
        """Take the theme's colours."""
        if self._histogram is not None:
            self._histogram.restyle()
        self._show()

    def _attach(self, session: Session, tallies: Any) -> None:  # noqa: ANN401 - a task's result
        if self._session is not session:
            return
        from reviewer.services.tallying.live import LiveFigures

        self._drop()
        self._source = LiveFigures(session, tallies)
        self.attached.emit()
        self.refresh()
        self._behind_soon.start()
        self.updated.emit()
        if self._explain_again:
            self._explain_again = False
            self.explain()

    def _take_behind(self, asked: _Source, found: object) -> None:
        # by now the figures may be another run's or another project's
        if isinstance(found, dict) and self._source is asked:
            self._behind = found
            self._show()

    def _drop(self) -> None:
        self._behind = {}
        if self._source is not None:
            self._source.close()
        self._source = None
        self.case = EvaluationFigures()

    def _show_waiting(self) -> None:
        """Show nothing of another run or project while figures are gathered."""
        if self._view is not None and self._view.hidden:
            self._close_panel()
            return
        self._panel.show_waiting(gathering=self._view is not None)
        self._gaps = ()
        if self._histogram is not None:
            self._histogram.show_gaps(())

    def _make_histogram(self) -> None:
        if self._histogram is None:
            from reviewer.gui.plots.histogram import Histogram

            made = Histogram(self._surroundings.theme)
            self._histogram = made
            self._panel.add_histogram(made)
            made.show_gaps(self._gaps)

    def _show(self) -> None:
        source, view = self._source, self._view
        if source is None or view is None or not source.ready:
            return
        if view.hidden:
            self._close_panel()
            return
        run = source.metric(self._metric, interval=False)
        self._panel.show_figures(self._metric, case=self.case, run=run, overall=source.overall())
        self._panel.show_stale(self._behind.get(self._metric, ()))
        if run is not None:
            self._gaps = run.gaps
            self._draw_soon.start()

    def _close_panel(self) -> None:
        self._draw_soon.stop()
        self._panel.show_closed()
        if self._histogram is not None and self._gaps:
            self._histogram.show_gaps(())
        self._gaps = ()
        if self._explanation is not None:
            self._explanation.hide()

    def _draw(self) -> None:
        """Show what takes longer than a label may: the interval and the plot."""
        if self._source is not None and self._source.ready:
            self._panel.show_agreement(self._source.metric(self._metric))
        if self._histogram is not None:
            self._histogram.show_gaps(self._gaps)
        else:
            self._make_soon.start()
