"""Live figures on the page: gathered beside the window, read again after every label."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.gui.page import Surroundings
from reviewer.gui.review.figures_source import FiguresSource
from reviewer.gui.histogram import Histogram
from reviewer.gui.review.live_panel import LivePanel
from reviewer.services.live_figures import EvaluationFigures
from reviewer.services.reading import EvaluationView
from reviewer.services.session import Session

Load = Callable[[Session], FiguresSource]


class FiguresSide(QObject):
    """Keeps the panel on the metric in focus and the figures on the project in view.

    Signals:
        updated: Figures arrived or changed by themselves; the cards show them.
    """

    updated = Signal()

    def __init__(self, surroundings: Surroundings, panel: LivePanel) -> None:
        """Make the side without a project."""
        super().__init__()
        self._surroundings = surroundings
        self._panel = panel
        self._source: FiguresSource | None = None
        self._histogram: Histogram | None = None
        self._view: EvaluationView | None = None
        self._metric = ""
        self.case = EvaluationFigures()

    def open(self, session: Session) -> None:
        """Gather a project's figures; until they are there the cards show answers only."""
        self._panel.show_waiting()
        self._session = session
        QTimer.singleShot(0, self._make_histogram)

    def close(self) -> None:
        """Let go of the project."""
        self._source = None
        self._view = None
        self.case = EvaluationFigures()

    def look_at(self, view: EvaluationView) -> None:
        """Read the figures of the evaluation in view."""
        self._view = view
        self.refresh()

    def set_metric(self, name: str) -> None:
        """Show the figures of another metric."""
        self._metric = name
        self._show()

    def refresh(self) -> None:
        """Read the figures again."""
        source, view = self._source, self._view
        if source is None or view is None or not source.ready:
            return
        self.case = EvaluationFigures() if view.hidden else source.evaluation(view.evaluation.key)
        self._show()

    def restyle(self) -> None:
        """Take the theme's colours."""
        if self._histogram is not None:
            self._histogram.restyle()
        self._show()

    def _make_histogram(self) -> None:
        if self._histogram is None:
            self._histogram = Histogram(self._surroundings.theme)
            self._panel.add_histogram(self._histogram)
            self._show()

    def _show(self) -> None:
        source, view = self._source, self._view
        if source is None or view is None or not source.ready:
            return
        run = source.metric(self._metric)
        self._panel.show_figures(
            self._metric,
            case=self.case,
            run=run,
            overall=source.overall(),
            hidden=view.hidden,
        )
        if self._histogram is not None and run is not None:
            self._histogram.show_gaps(run.gaps)
