"""Guest responses and their report without a project."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from reviewer.domain.evaluation import Label, Score, Value
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_check import checked
from reviewer.domain.run import Scope
from reviewer.reports.cases import RunCases, ScoredCase
from reviewer.reports.report import Report, Wanted, report_of
from reviewer.scoring.overall import overall_rule
from reviewer.scoring.scorer import Case
from reviewer.stats.clustering import Quantity
from reviewer.stats.satisfaction import verdict, weighted_mean
from tests.resources.demo_records import RESOURCES, rubric_of

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "guest-response.toml"))
METRICS = ("relevance", "accuracy", "safety")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Known:
    """Cases that were read already."""

    cases: Mapping[int, ScoredCase]

    def read(self, keys: Sequence[int]) -> Iterator[ScoredCase]:
        """Give some of the cases."""
        return (self.cases[key] for key in sorted(keys))

    def labels(self, key: int) -> tuple[Label, ...]:
        """Give nothing: nobody labelled them."""
        raise NotImplementedError

    def humans(self, key: int) -> dict[str, Value]:
        """Give nothing: nobody labelled them."""
        raise NotImplementedError


def scored(number: int, *values: float | None, **fields: Any) -> ScoredCase:
    """Make a response with its scores, in the order of the metrics."""
    scores = {
        name: Score(metric=name, value=value, reasoning="so")
        for name, value in zip(METRICS, values, strict=False)
    }
    return ScoredCase(Case(key=number, id=f"c-{number:02}", **fields), scores)


def report(
    *cases: ScoredCase,
    rubric: Rubric = RUBRIC,
    figures: Mapping[str, Quantity] | None = None,
) -> Report:
    """Make the report of responses, judged by the rubric's rule."""
    rule = overall_rule(rubric)
    values = [one.values(METRICS) for one in cases]
    found = RunCases(
        rubric=rubric,
        runs=("v1",),
        left_out=(),
        keys=tuple(one.case.key for one in cases),
        cases=cases,
        scorers={},
        judged=tuple(
            (weighted_mean(one, rule), verdict(one, rule) or "incomplete") for one in values
        ),
        figures=figures or {},
        whole=Known({one.case.key: one for one in cases}),
    )
    return report_of("chats.review", Wanted(scope=Scope()), found, None, NOON)
