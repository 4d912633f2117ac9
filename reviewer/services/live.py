"""Live figures: every label moves a few counts, whatever the project's size."""

from reviewer.services.live_figures import EvaluationFigures, MetricFigures
from reviewer.services.live_loading import Tallies
from reviewer.services.session import Session


class LiveFigures:
    """The figures of a scope, kept up to date while people label.

    Subscribe before the pages do: it listens to the session from the moment it is made and has
    moved its tallies before a page hears of a change. Changes between `load_tallies` and now are
    caught up at once. `close` it before another one takes its place.
    """

    def __init__(self, session: Session, tallies: Tallies) -> None:
        """Take over loaded tallies and follow the session from here on."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Tell whether figures are true; False once everything must be loaded anew."""
        raise NotImplementedError

    def close(self) -> None:
        """Follow the session no longer."""
        raise NotImplementedError

    def metric(self, name: str) -> MetricFigures | None:
        """Give a metric's figures over the scope, None where the rubric has no such metric."""
        raise NotImplementedError

    def overall(self) -> MetricFigures | None:
        """Give the overall's figures over the scope, None where the rubric has none."""
        raise NotImplementedError

    def evaluation(self, key: int) -> EvaluationFigures:
        """Give the figures of one evaluation; empty while it is hidden from the labeler."""
        raise NotImplementedError
