"""A run as columns, case by case: scores, overall, verdicts, latency and cost."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures.covered import Covered
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader, overall_dates
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.paired_scores import SharedCases, numbered, shared_cases
from reviewer.services.project import project_days
from reviewer.stats.overall_columns import Verdicts
from reviewer.store import evaluation_columns, figures

OVERALL = "overall"
"""The name of the overall score among the averages."""


@dataclass(frozen=True, slots=True)
class RunColumns:
    """One run's columns, one row an evaluation.

    Attributes:
        when: The day of its newest evaluation, None without dates.
        n: Evaluations of the run.
        cases: The case of each.
        places: The row of each case; of one that has several, each under a name of its own.
        scores: By metric, and `OVERALL` where there is an overall; missing is NaN.
        verdicts: `PASS`, `FAIL` or `OPEN`.
        scorers: Whose scores these are, by metric.
        clusters: The conversation of each; None where no two share one.
    """

    name: str
    when: str | None
    n: int
    cases: list[str]
    places: dict[str, int]
    keys: Ints
    scores: dict[str, Floats]
    verdicts: Verdicts
    latency: Floats
    cost: Floats
    scorers: dict[str, str]
    clusters: Ints | None = None


def load(loader: Loader, found: Covered, scorer: str | None = None) -> RunColumns:
    """Read a run; `found` covers it alone.

    Raises:
        ReviewerError: The project has no such scorer.
    """
    project, rubric = loader.project, found.rubric
    with figures.snapshot(project):
        table = loader.load(
            Scope(runs=found.runs, scorer=scorer),
            rubric=rubric,
            within=found.within,
            options=kept_options(project, rubric),
        )
        measured = evaluation_columns.read_performance(project, found.within)
    zone = project_days.zone_of(project_days.zone_name(project))
    dates = overall_dates(table, table.overall_rule)
    newest = int(dates.max()) if dates.size else None
    day = None if newest is None else project_days.day_of(newest, zone)
    return RunColumns(
        name=found.runs[0],
        when=day.isoformat() if day else None,
        n=table.keys.size,
        cases=measured.cases,
        places={case: place for place, case in enumerate(numbered(measured.cases))},
        keys=table.keys,
        scores=_scores(table, rubric),
        verdicts=table.auto_verdicts(),
        latency=np.frombuffer(measured.latencies, dtype=np.float64),
        cost=np.frombuffer(measured.costs, dtype=np.float64),
        scorers={
            name: metric.scorer
            for name, metric in table.metrics.items()
            if metric.scorer is not None
        },
        clusters=table.clusters,
    )


def _scores(table: FigureTable, rubric: Rubric) -> dict[str, Floats]:
    autos = table.autos()
    found = {metric.name: autos[metric.name] for metric in rubric.metrics if metric.is_numeric}
    if table.overall_rule.parts and OVERALL not in found:
        found[OVERALL] = table.auto_overall()
    return found


def shared(before: RunColumns, after: RunColumns) -> SharedCases:
    """Find the cases that both runs have, in the order of the later one."""
    return shared_cases(before.cases, after.cases, (before.clusters, after.clusters))
