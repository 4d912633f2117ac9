"""Cases with all their texts, read in blocks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.label import Label
from reviewer.domain.values import Value
from reviewer.scoring.summaries.scored import ScoredCase, scored_case
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.project.figure_rules import Derivation, derivations, value_of
from reviewer.store import labels, reading
from reviewer.store.project import Project

BLOCK = 250


@dataclass(frozen=True, slots=True)
class WholeCases:
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

    def by_key(self, keys: Iterable[int]) -> dict[int, ScoredCase]:
        """Read the cases of a few evaluations."""
        return {scored.case.key: scored for scored in self.read(sorted(set(keys)))}

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
