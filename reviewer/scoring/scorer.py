"""The protocol of scorers, and the deterministic scorer: a name, its options and a rule."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from reviewer.domain.rubric import Metric
from reviewer.scoring.case import Case
from reviewer.scoring.options import Option, ParameterError, Parameters, Settings, settle
from reviewer.scoring.outcome import Failure, Outcome

Rule = Callable[[Case], Outcome]
"""Scores one case; never raises for what a record holds."""

NO_PARAMETERS: Final[Parameters] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Deterministic:
    """A scorer without judge: the same case and parameters always give the same outcome.

    Attributes:
        name: the name by which rubrics call it.
        metrics: the metrics it scores where a rubric names no scorer.
        title: the heading in lists.
        help: how the score comes about, for the reader.
        options: the parameters it knows.
        gives: what its values are: a share or truth from 0 to 1, a measure such as a length, or
            numbers that its parameters decide.
        build: makes the rule from checked parameters; may raise `ParameterError`.
    """

    name: str
    metrics: tuple[str, ...]
    title: str
    help: str
    build: Callable[[Settings], Rule]
    options: tuple[Option, ...] = ()
    version: str = "1"
    gives: Literal["share", "measure", "numbers"] = "share"

    def misfit(self, metric: Metric) -> str | None:
        """Say why its values mean nothing on a metric's scale, None where they fit."""
        fits = {
            "share": metric.bounds == (0.0, 1.0),
            "measure": metric.kind.is_open,
            "numbers": metric.is_numeric,
        }
        if fits[self.gives]:
            return None
        given = {"share": "0 to 1", "measure": "a measure", "numbers": "numbers"}[self.gives]
        return (
            f"the scorer {self.name} gives {given}, which is not on the scale of {metric.name}: "
            f"{metric.describe_scale()} expected"
        )

    def prepare(self, parameters: Parameters = NO_PARAMETERS) -> Rule:
        """Read the parameters once, for many cases; wrong ones make every case a failure."""
        try:
            return self.build(settle(self.options, parameters))
        except ParameterError as error:
            failure = Failure("parameters", f"{self.name}: {error}")
            return lambda _case: failure

    def problem(self, parameters: Parameters) -> str | None:
        """Say what is wrong with a metric's parameters, None where nothing is."""
        try:
            self.build(settle(self.options, parameters))
        except ParameterError as error:
            return f"{self.name}: {error}"
        return None

    def score(self, case: Case, parameters: Parameters = NO_PARAMETERS) -> Outcome:
        """Score a single case; for many cases `prepare` once and call the rule."""
        return self.prepare(parameters)(case)
