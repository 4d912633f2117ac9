"""The cases of a scope with the one score a metric that counts; texts are read in blocks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.label import Label
from reviewer.domain.values import Value
from reviewer.reports.cases import Judgement, Lagging, RunCases, ScoredCase, scored_case
from reviewer.reports.report import Wanted, with_pass_mark
from reviewer.scoring.scorer import Case
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import read_scores
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable, derived, given, under
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.project.figure_rules import Derivation, derivations, value_of
from reviewer.stats.clustering import NO_QUANTITY, Quantity, mean_of, share_of
from reviewer.stats.coefficients import kappa
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.satisfaction import Verdict
from reviewer.store import evaluation_columns, figures, labels, reading
from reviewer.store.project import Project
from reviewer.store.scoping import Condition

BLOCK = 250


@dataclass(frozen=True, slots=True)
class ReadCases:
    """Reads cases with the one score a metric that counts in a table of columns."""

    project: Project
    table: FigureTable

    def read(self, keys: Sequence[int]) -> Iterator[ScoredCase]:
        """Read the cases of evaluations, in the order of their keys."""
        ways = derivations(self.table.rubric)
        sets = {name: _sets(one) for name, one in self.table.metrics.items()}
        for start in range(0, len(keys), BLOCK):
            block = keys[start : start + BLOCK]
            scores = reading.counted_scores(self.project.conn, block)
            for found in reading.evaluations(self.project.conn, block):
                own = [
                    x for x, score_set in scores[found.key] if _counts(sets, x, found, score_set)
                ]
                yield scored_case(found, [*own, *self._derived(found, ways)])

    def labels(self, key: int) -> tuple[Label, ...]:
        """Read people's current labels of an evaluation."""
        return tuple(entry.label for entry in labels.current(self.project.conn, key))

    def humans(self, key: int) -> dict[str, Value]:
        """Give the human scores of an evaluation, those that people gave."""
        place = int(np.searchsorted(self.table.keys, key))
        found = {}
        for name, one in self.table.metrics.items():
            value = value_of(one.metric, float(one.human.score[place]))
            if value is not None and not one.derived_human[place]:
                found[name] = value
        return found

    def _derived(self, evaluation: Evaluation, ways: Mapping[str, Derivation]) -> Iterator[Score]:
        """Give scores that follow from others, where an evaluation has none of its own."""
        place = int(np.searchsorted(self.table.keys, evaluation.key))
        for name, way in ways.items():
            metric = self.table.metrics[name]
            if metric.derived_auto[place]:
                parts = (self.table.metrics[part].metric.heading for part in way.parts)
                yield Score(
                    metric=name,
                    value=float(metric.auto[place]),
                    reasoning=f"Derived: {way.way.replace('_', ' ')} of {', '.join(parts)}.",
                )


def _sets(metric: MetricTable) -> dict[str, int]:
    """Give the score set whose scores count by run; under `""` one that counts in all of them."""
    if metric.score_set is not None:
        return {"": metric.score_set}
    return {x.run: x.version.key for x in metric.records if x.version is not None}


def _counts(
    sets: Mapping[str, Mapping[str, int]], score: Score, found: Evaluation, score_set: int
) -> bool:
    mine = sets.get(score.metric, {})
    return mine.get("", mine.get(found.run)) == score_set


def read(project: Project, wanted: Wanted) -> RunCases:
    """Read the cases of a scope.

    Raises:
        ReviewerError: The scope names something that is not there, or the mark does not fit.
    """
    scope, only = wanted.scope, wanted.only
    with figures.snapshot(project):
        covers = covered(project, scope)
        rubric = with_pass_mark(covers.rubric, wanted.passing)
        table = with_sets(
            project,
            figure_table.load(
                project,
                scope,
                rubric=covers.rubric,
                within=covers.within,
                options=kept_options(project, covers.rubric),
            ),
            wanted.sets or {},
        )
        columns = {
            name: _scores(name, one.auto)
            for name, one in table.metrics.items()
            if one.metric.is_numeric
        }
        every = _cases(project, covers.within, columns)
        cases = tuple(x for x in every if only is None or x.case.key in only)
        lagging = behind(project, covers, table.metrics.values())
    keys = tuple(case.case.key for case in cases)
    marked = under(table, rubric, table.options)
    return RunCases(
        rubric=rubric,
        runs=covers.runs,
        left_out=covers.left_out,
        keys=keys,
        cases=cases,
        scorers={name: one.scorer for name, one in table.metrics.items()},
        judged=tuple(judged(marked, keys)),
        figures=score_figures(marked, keys),
        whole=ReadCases(project, table),
        lagging=tuple(Lagging(x.what, x.reason, x.n, x.text) for x in lagging),
    )


def with_sets(project: Project, table: FigureTable, sets: Mapping[str, int]) -> FigureTable:
    """Let score sets count that do not by themselves."""
    numbers = figures.metric_keys(project)
    versions = {x.key: x.name for x in figures.scorer_versions(project)}
    own = given(table)
    found = dict(own.metrics)
    for name, chosen in sets.items():
        one = found.get(name)
        if one is not None and one.score_set != chosen:
            auto = read_scores(project, one.metric, numbers[name], chosen).at(table.keys)
            found[name] = replace(one, auto=auto, score_set=chosen, scorer=versions[chosen])
    return derived(replace(own, metrics=found))


def _scores(metric: str, values: Floats) -> list[Score | None]:
    """Make scores of numbers; evaluations with the same number share one."""
    distinct, places = np.unique(values, return_inverse=True)
    made = [None if x != x else Score(metric=metric, value=x) for x in distinct.tolist()]  # noqa: PLR0124
    return [made[place] for place in places.tolist()]


def _cases(
    project: Project, within: Condition, columns: Mapping[str, list[Score | None]]
) -> Iterator[ScoredCase]:
    rows = evaluation_columns.read_operating_named(project, within)
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


def judged(table: FigureTable, keys: Sequence[int]) -> list[Judgement]:
    """Give the judge's overall and verdict of evaluations of a table."""
    places = np.searchsorted(table.keys, np.array(keys, dtype=np.int64))
    overall, verdicts = table.auto_overall()[places].tolist(), table.auto_verdicts()[places]
    return [
        (None if math.isnan(value) else value, _NAMES[code])
        for value, code in zip(overall, verdicts.tolist(), strict=True)
    ]


_NAMES: Final[dict[int, Verdict]] = {PASS: "pass", FAIL: "fail", OPEN: "incomplete"}


def score_figures(table: FigureTable, keys: Sequence[int] | None = None) -> dict[str, Quantity]:
    """Give the figures of scores and verdicts, over all evaluations of a table or over some."""
    inside = np.ones(table.keys.size, dtype=np.bool_)
    if keys is not None:
        inside = np.isin(table.keys, np.array(keys, dtype=np.int64))
    clusters = None if table.clusters is None else table.clusters[inside]
    columns = {name: one.auto[inside] for name, one in table.metrics.items()}
    columns["overall"] = table.auto_overall()[inside]
    found = {name: mean_of(values, clusters) for name, values in columns.items()}
    if why_no_verdict(table) is not None:
        return found | {"percent": NO_QUANTITY, "kappa": NO_QUANTITY}
    auto, human = table.auto_verdicts()[inside], table.human_verdicts()[inside]
    judged, both = auto != OPEN, (auto != OPEN) & (human != OPEN)
    n = int(np.count_nonzero(both))
    return found | {
        "pass_rate": share_of(auto == PASS, judged, clusters),
        "percent": share_of(auto == human, both, clusters),
        "kappa": Quantity(_kappa(auto[both], human[both]) if n else None, n),
    }


def _kappa(auto: "np.ndarray[tuple[int], np.dtype[np.int8]]", human: Ints) -> float | None:
    counts = np.array(
        [[float(((human == x) & (auto == y)).sum()) for y in (FAIL, PASS)] for x in (FAIL, PASS)]
    )
    value = float(kappa(counts[None], np.array([[0.0, 1.0], [1.0, 0.0]])).value[0])
    return value if np.isfinite(value) else None
