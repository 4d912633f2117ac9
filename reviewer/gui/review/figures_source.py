"""Where the page gets live figures from; without one it shows answers only."""

from typing import Protocol

from reviewer.services.live_figures import EvaluationFigures, MetricFigures


class FiguresSource(Protocol):
    """Live figures of the scope in view."""

    @property
    def ready(self) -> bool:
        """Tell whether the figures are gathered."""
        ...

    def metric(self, name: str) -> MetricFigures | None:
        """Give a metric's figures over the scope."""
        ...

    def overall(self) -> MetricFigures | None:
        """Give the overall's figures over the scope, None where the rubric has none."""
        ...

    def evaluation(self, key: int) -> EvaluationFigures:
        """Give the figures of one evaluation."""
        ...
