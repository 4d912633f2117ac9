"""The scorers that are there: those of Reviewer, and those of installed packages."""

from collections.abc import Sequence
from dataclasses import replace

from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.packages.scorers import FunctionScorer, scorer_of
from reviewer.scoring.registry import SCORERS, scorer_for
from reviewer.scoring.scorer import Deterministic
from reviewer.services.calls.packaged import Packaged
from reviewer.services.computer import plugins
from reviewer.services.computer.plugins import Offer

AnyScorer = Deterministic | FunctionScorer


def names() -> tuple[str, ...]:
    """Give the names of all scorers; those of packages come last and are not loaded."""
    return (*SCORERS, *(x for x in plugins.names("scorer") if x not in SCORERS))


def offers() -> tuple[Offer, ...]:
    """Give the scorers to choose from; those of packages come last, with their packages."""
    brought = (x for x in plugins.offers("scorer") if x.name not in SCORERS)
    return (*(Offer(name, "") for name in SCORERS), *brought)


def find(name: str) -> AnyScorer | None:
    """Give a scorer by name, None where there is none.

    Raises:
        PackageError: A package brings it and it cannot be loaded.
    """
    known = SCORERS.get(name)
    if known is not None:
        return known
    brought = plugins.find("scorer", name)
    if brought is None:
        return None
    made = scorer_of(name, brought.version, brought.thing)
    if isinstance(made, Deterministic):
        return made
    outside = Packaged("scorer", brought)
    return replace(made, function=outside, named=outside.function, who=brought.title)


def of_metric(metric: Metric, wanted: tuple[str, ...] = ()) -> AnyScorer | None:
    """Give the scorer of a metric: a package's that is asked for, the one it names, or its own.

    Args:
        metric: of a rubric.
        wanted: names that were asked for; a package's scorer takes the metrics it is made for.

    Raises:
        PackageError: A package brings it and it cannot be loaded.
    """
    for name in wanted:
        mine = None if name in SCORERS else find(name)
        if mine is not None and metric.name in mine.metrics:
            return mine
    return scorer_for(metric) if metric.scorer is None else find(metric.scorer)


def cover(rubric: Rubric, metrics: Sequence[str]) -> bool:
    """Tell whether scorers can score what is named, or, without names, anything of the rubric."""
    if not metrics:
        return any(of_metric(x) is not None for x in rubric.metrics)
    named = [rubric.by_name[x] for x in metrics if x in rubric.by_name]
    return bool(named) and all(of_metric(x) is not None for x in named)


def misfit(metric: Metric) -> str | None:
    """Say why the scorer that a metric names cannot score it, None where it can or none is named.

    What a package's scorer gives is not known before it scores.
    """
    known = SCORERS.get(metric.scorer or "")
    return None if known is None else known.misfit(metric)
