"""The cases of a scope with the one score a metric that counts, as reports read them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from reviewer.domain.evaluation import Score
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.scoring.case import Case
from reviewer.scoring.summaries.scored import ScoredCase
from reviewer.services import figure_table
from reviewer.services.column_memory import read_scores
from reviewer.services.covered import covered
from reviewer.services.figure_table import FigureTable
from reviewer.services.human_columns import Floats
from reviewer.services.reporting.verdicts import VerdictAgreement, verdict_agreement
from reviewer.services.reporting.whole import WholeCases
from reviewer.store import figures, operating
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


@dataclass(frozen=True, slots=True)
class RunCases:
    """What a report is made of.

    Attributes:
        left_out: Runs of other rubrics.
        keys: The evaluations, in the order of their arrival.
        cases: What figures are worked out from, without a text: of scores the numbers alone.
        scorers: Whose scores count, by metric.
        verdicts: Judge against people, over the same evaluations.
        whole: Reads the same cases with their texts.
    """

    rubric: Rubric
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    keys: tuple[int, ...]
    cases: tuple[ScoredCase, ...]
    scorers: Mapping[str, str | None]
    verdicts: VerdictAgreement
    whole: WholeCases


def read(
    project: Project,
    scope: Scope,
    *,
    only: Collection[int] | None = None,
    sets: Mapping[str, int] | None = None,
) -> RunCases:
    """Read the cases of a scope.

    Args:
        project: the project.
        scope: which evaluations, and whose scores and labels.
        only: of these, the evaluations that are asked for.
        sets: score sets to take instead of those that count by themselves, by metric.

    Raises:
        ReviewerError: The scope names something that is not there.
    """
    with figures.snapshot(project):
        covers = covered(project, scope)
        table = figure_table.load(project, scope, rubric=covers.rubric, within=covers.within)
        chosen = _sets(table) | dict(sets or {})
        columns = _columns(project, table, chosen)
        wanted = None if only is None else set(only)
        cases = tuple(
            case
            for case in _cases(project, covers.within, columns)
            if wanted is None or case.case.key in wanted
        )
        versions = {x.key: x.name for x in figures.scorer_versions(project)}
    keys = tuple(case.case.key for case in cases)
    return RunCases(
        rubric=covers.rubric,
        runs=covers.runs,
        left_out=covers.left_out,
        keys=keys,
        cases=cases,
        scorers=_names(table, chosen, versions),
        verdicts=verdict_agreement(table, keys),
        whole=WholeCases(project, table, chosen),
    )


def _sets(table: FigureTable) -> dict[str, int]:
    return {
        name: metric.score_set
        for name, metric in table.metrics.items()
        if metric.score_set is not None
    }


def _names(
    table: FigureTable, chosen: Mapping[str, int], versions: Mapping[int, str]
) -> dict[str, str | None]:
    return {
        name: versions.get(chosen[name]) if name in chosen else metric.scorer
        for name, metric in table.metrics.items()
    }


def _columns(
    project: Project, table: FigureTable, chosen: Mapping[str, int]
) -> dict[str, list[Score | None]]:
    """Give the scores that are numbers, in the order of the evaluations."""
    numbers = figures.metric_keys(project)
    found = {}
    for name, one in table.metrics.items():
        if one.metric.scale == "categorical":
            continue
        values = one.auto
        if name in chosen and chosen[name] != one.score_set:
            own = read_scores(project, one.metric, numbers[name], chosen[name]).at(table.keys)
            values = np.where(one.derived_auto, values, own)
        found[name] = _scores(name, values)
    return found


def _scores(metric: str, values: Floats) -> list[Score | None]:
    """Make scores of numbers; evaluations with the same number share one."""
    distinct, places = np.unique(values, return_inverse=True)
    made = [None if x != x else Score(metric=metric, value=x) for x in distinct.tolist()]  # noqa: PLR0124
    return [made[place] for place in places.tolist()]


def _cases(
    project: Project, within: Condition, columns: Mapping[str, list[Score | None]]
) -> Iterator[ScoredCase]:
    rows = operating.read_named(project, within)
    for place, (key, ident, run, case, category, *how) in enumerate(rows):
        latency, cost, cache, matched, substituted = how
        yield ScoredCase(
            Case(
                key=key,
                id=ident,
                run=run,
                case=case,
                category=category,
                latency_ms=_number(latency),
                cost_usd=_number(cost),
                cache=cache if isinstance(cache, str) else None,
                template_matched=_truth(matched),
                direct_substitution=_truth(substituted),
            ),
            {name: score for name, scores in columns.items() if (score := scores[place])},
        )


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


def _truth(value: object) -> bool | None:
    return bool(value) if value in (0, 1) else None
