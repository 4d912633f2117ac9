"""The cases of a scope with the one score a metric that counts, as reports read them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.label import Label
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.scoring.summaries.scored import ScoredCase, scored_case
from reviewer.services import figure_table
from reviewer.services.covered import Covered, covered
from reviewer.services.figure_rules import derivations
from reviewer.services.figure_table import FigureTable
from reviewer.services.reporting.verdicts import VerdictAgreement, verdict_agreement
from reviewer.store import figures, labels, reading
from reviewer.store.project import Project

BLOCK = 250


@dataclass(frozen=True, slots=True)
class RunCases:
    """What a report is made of.

    Attributes:
        left_out: Runs of other rubrics.
        keys: The evaluations, in the order of their arrival.
        scorers: Whose scores count, by metric.
        verdicts: Judge against people, over the same evaluations.
    """

    rubric: Rubric
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    keys: tuple[int, ...]
    cases: tuple[ScoredCase, ...]
    scorers: Mapping[str, str | None]
    verdicts: VerdictAgreement
    labels: Mapping[int, tuple[Label, ...]] = field(default_factory=dict)


def read(
    project: Project,
    scope: Scope,
    *,
    only: Collection[int] | None = None,
    sets: Mapping[str, int] | None = None,
    with_labels: Callable[[str], bool] = lambda _: False,
) -> RunCases:
    """Read the cases of a scope.

    Args:
        project: the project.
        scope: which evaluations, and whose scores and labels.
        only: of these, the evaluations that are asked for.
        sets: score sets to take instead of those that count by themselves, by metric.
        with_labels: tells by a rubric's name whether people's current labels are read, too.

    Raises:
        ReviewerError: The scope names something that is not there.
    """
    with figures.snapshot(project):
        covers = covered(project, scope)
        table = figure_table.load(project, scope, rubric=covers.rubric, within=covers.within)
        wanted = None if only is None else set(only)
        keys = [key for key in table.keys.tolist() if wanted is None or key in wanted]
        chosen = _sets(table) | dict(sets or {})
        cases = tuple(_cases(project, table, keys, chosen))
        labelled = keys if with_labels(covers.rubric.name) else []
        said = {key: _labels(project, key) for key in labelled}
        versions = {x.key: x.name for x in figures.scorer_versions(project)}
    return _found(covers, table, keys, cases, said, _names(table, chosen, versions))


def _found(
    covers: Covered,
    table: FigureTable,
    keys: list[int],
    cases: tuple[ScoredCase, ...],
    said: Mapping[int, tuple[Label, ...]],
    scorers: Mapping[str, str | None],
) -> RunCases:
    return RunCases(
        rubric=covers.rubric,
        runs=covers.runs,
        left_out=covers.left_out,
        keys=tuple(keys),
        cases=cases,
        scorers=scorers,
        verdicts=verdict_agreement(table, keys),
        labels=said,
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


def _cases(
    project: Project, table: FigureTable, keys: list[int], sets: Mapping[str, int]
) -> Iterator[ScoredCase]:
    derived = _Derived(table)
    for start in range(0, len(keys), BLOCK):
        block = keys[start : start + BLOCK]
        scores = reading.chosen_scores(project.conn, block, sets)
        evaluations = {x.key: x for x in reading.evaluations(project.conn, block)}
        for key in block:
            if key in evaluations:
                yield scored_case(evaluations[key], [*scores[key], *derived.of(evaluations[key])])


class _Derived:
    """Scores that follow from others, where an evaluation has none of its own."""

    def __init__(self, table: FigureTable) -> None:
        self._places = {key: place for place, key in enumerate(table.keys.tolist())}
        self._ways = derivations(table.rubric)
        self._tables = {
            name: table.metrics[name]
            for name in self._ways
            if bool(table.metrics[name].derived_auto.any())
        }

    def of(self, evaluation: Evaluation) -> Iterator[Score]:
        place = self._places[evaluation.key]
        for name, table in self._tables.items():
            if table.derived_auto[place]:
                way = self._ways[name]
                yield Score(
                    metric=name,
                    value=float(table.auto[place]),
                    reasoning=f"Derived: {way.way.replace('_', ' ')} of {', '.join(way.parts)}.",
                )


def _labels(project: Project, key: int) -> tuple[Label, ...]:
    return tuple(entry.label for entry in labels.current(project.conn, key))
