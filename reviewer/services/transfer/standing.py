"""What counts at this moment: the auto score of record, whose it is, and which labels stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviewer.domain.entries import current_labels, decisions
from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope, ScorerVersion, aspects, aspects_of
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.project.figure_rules import value_of
from reviewer.services.transfer import disagreements
from reviewer.store.project import Project

Fields = disagreements.Fields
_STREAMS = ("adjudication", "comment")


@dataclass(frozen=True)
class _Standing:
    """One metric's columns as plain lists, and the version of record by run."""

    metric: Metric
    autos: list[float]
    counts: list[int]
    versions: Mapping[str, ScorerVersion | None]

    @classmethod
    def of(cls, table: MetricTable) -> "_Standing":
        versions = {record.run: record.version for record in table.records}
        return cls(table.metric, table.auto.tolist(), table.human.count.tolist(), versions)


@dataclass(frozen=True)
class Standing:
    """What counts of every evaluation in a scope, as its figures count it."""

    project: Project
    scope: Scope
    _spelt: dict[tuple[str, str], dict[str, str] | None] = field(default_factory=dict)

    @cached_property
    def _tables(self) -> list[dict[str, _Standing]]:
        return [part[0] for part in self._loaded]

    @cached_property
    def _loaded(self) -> list[tuple[dict[str, _Standing], list[int]]]:
        return [
            ({name: _Standing.of(x) for name, x in table.metrics.items()}, table.keys.tolist())
            for table in disagreements.tables(self.project, self.scope)
        ]

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        return {
            key: (number, position)
            for number, (_, keys) in enumerate(self._loaded)
            for position, key in enumerate(keys)
        }

    def _find(self, key: int, metric: str) -> tuple[_Standing, int] | None:
        place = self._places.get(key)
        found = self._tables[place[0]].get(metric) if place else None
        return (found, place[1]) if found is not None and place else None

    def of(self, key: int, metric: str) -> tuple[Value | None, bool]:
        """Give the auto score that counts, and whether anything that people said does.

        `key` is the evaluation's number.
        """
        found = self._find(key, metric)
        if found is None:
            return None, False
        columns, place = found
        return value_of(columns.metric, columns.autos[place]), columns.counts[place] > 0

    def version(self, run: str, metric: str) -> ScorerVersion | None:
        """Give the scorer version whose scores count."""
        return next(
            (
                x[metric].versions[run]
                for x in self._tables
                if metric in x and run in x[metric].versions
            ),
            None,
        )

    def is_of_record(self, run: str, score: Fields) -> bool:
        """Tell whether a score of a record is of the version that counts."""
        place = run, score["metric"]
        if place not in self._spelt:
            version = self.version(*place)
            self._spelt[place] = None if version is None else aspects(version)
        return self._spelt[place] == aspects_of(score)


def stands(labels: list[Fields]) -> tuple[set[int], set[int]]:
    """Give which entries of a record are the latest of their stream, and which stand in the end.

    Both by their identity; where a decision stands, it alone does.
    """
    latest = current_labels(labels)
    decided = decisions(labels)
    current = {id(x) for x in latest.values()} | {id(x) for x in decided.values()}
    standing = {id(x) for x in decided.values()} | {
        id(x)
        for (metric, _, turn), x in latest.items()
        if (metric, turn) not in decided and x.get("kind", "label") == "label"
    }
    return current, standing
