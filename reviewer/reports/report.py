"""A report: what was asked for, the figures of its run, the system's own part, and people's."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.reports.cases import (
    Lagging,
    Operations,
    RunCases,
    ScoredCase,
    mean,
    operations_of,
    share,
)
from reviewer.reports.document import Fields, OwnPart
from reviewer.reports.evidence import Evidence
from reviewer.reports.people import People, corrected_of, people_of
from reviewer.reports.systems import agent_rubric, faq_bot, harness, virtual_agent
from reviewer.reports.targets import (
    FailurePattern,
    Target,
    WhereToLook,
    failure_patterns,
    judge_targets,
    names_of,
    where_to_look,
)
from reviewer.scoring.overall import GUEST_PASS_AT
from reviewer.stats.clustering import Quantity
from reviewer.stats.satisfaction import Verdict, reaches

BEST_AND_WORST: Final = 5
GUEST_RESPONSE: Final = "guest-response"


@dataclass(frozen=True, slots=True)
class Result:
    """Hold one response's result.

    Attributes:
        marks: pass marks by metric, for those that have one.
        overall: the mean of the metrics; None with one missing.
        metrics: those whose scores are told.
    """

    scored: ScoredCase
    marks: Mapping[str, float]
    overall: float | None
    verdict: Verdict
    metrics: tuple[str, ...]

    @property
    def passed(self) -> bool | None:
        """Tell whether it passed; None while incomplete."""
        return None if self.verdict == "incomplete" else self.verdict == "pass"

    def to_json(self) -> dict[str, JsonValue]:
        """Give the result in the report's field names."""
        case = self.scored.case
        return {
            "id": case.id,
            "category": case.category,
            "query": case.question,
            "response": case.response,
            "context": case.context,
            "scores": {name: self._score(name) for name in self.metrics},
            "overall_score": self.overall,
            "passed": self.passed,
            "latency_ms": case.latency_ms,
            "cost_usd": case.cost_usd,
            **self._beside(),
        }

    def _beside(self) -> dict[str, JsonValue]:
        """Give what else the record holds, so that a report opens again as what it was."""
        case = self.scored.case
        held: dict[str, JsonValue] = {
            "run": case.run or None,
            "case": case.case,
            "model": case.model,
            "expected": case.expected,
            "expected_keywords": list(case.keywords),
            "expected_tools": list(case.tools_expected),
            "tools_used": list(case.tools_used),
            "error": case.error,
            "template_matched": case.template_matched,
            "direct_substitution": case.direct_substitution,
            "cache": case.cache,
            "occurred_at": case.occurred_at,
            "evaluated_at": case.evaluated_at,
        }
        return {name: value for name, value in held.items() if value not in (None, [])}

    def _score(self, name: str) -> dict[str, JsonValue]:
        value, score = self.scored.value(name), self.scored.scores.get(name)
        mark = self.marks.get(name)
        return {
            "score": score.value if value is None and score else value,
            "reasoning": self.scored.reasoning(name),
            "passed": None if value is None or mark is None else reaches(value, mark),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """Hold the figures of one run.

    Attributes:
        incomplete: results with a metric missing and none failed: neither passed nor failed.
        averages: by metric, and `overall`, over the results that have it.
        best, worst: up to five by overall, ties by id; incomplete results are in neither.
        where_to_look: only where the pass rate is low.
    """

    results: tuple[Result, ...]
    passed: int
    failed: int
    incomplete: int
    averages: Mapping[str, Quantity]
    operations: Operations
    best: tuple[Result, ...]
    worst: tuple[Result, ...]
    patterns: tuple[FailurePattern, ...]
    targets: tuple[Target, ...] = ()
    where_to_look: WhereToLook | None = None

    @property
    def total_cases(self) -> int:
        """Count all results."""
        return len(self.results)

    @property
    def pass_rate(self) -> float | None:
        """Give the share that passed of all that passed or failed."""
        return share(self.passed, self.passed + self.failed)


def run_report(
    found: RunCases,
    top: int = BEST_AND_WORST,
    corrected: Mapping[str, Quantity] | None = None,
) -> RunReport:
    """Work out the report of one run of any rubric, with `top` of the best and of the worst.

    `corrected` are figures by the names of targets as people's labels correct them.

    Raises:
        RubricError: for a target that is no comparison.
    """
    cases, rubric = found.cases, found.rubric
    marks = marks_of(rubric)
    names = tuple(marks if rubric.name == GUEST_RESPONSE else rubric.by_name)
    results = tuple(
        Result(scored, marks, *how, names) for scored, how in zip(cases, found.judged, strict=True)
    )
    ranked = [result for result in results if result.overall is not None]
    patterns = failure_patterns(cases, rubric, marks)
    counts = Counter(result.verdict for result in results)
    made = RunReport(
        results=results,
        passed=counts["pass"],
        failed=counts["fail"],
        incomplete=counts["incomplete"],
        averages={
            name: _average(scored.value(name) for scored in cases)
            for name in (names if results else marks)
        }
        | {"overall": _average(result.overall for result in results)},
        operations=operations_of([scored.case for scored in cases]),
        best=tuple(sorted(ranked, key=lambda x: (-(x.overall or 0), x.scored.case.id))[:top]),
        worst=tuple(sorted(ranked, key=lambda x: (x.overall or 0, x.scored.case.id))[:top]),
        patterns=patterns,
    )
    failed = {
        name: result.scored
        for name, result in zip(names_of(cases), results, strict=True)
        if result.verdict == "fail"
    }
    rate = Quantity(made.pass_rate, made.passed + made.failed)
    known = {**made.averages, "pass_rate": rate, **made.operations.figures(), **found.figures}
    return replace(
        made,
        where_to_look=where_to_look(rate.value, failed, patterns, rubric, marks),
        targets=judge_targets(rubric, known, corrected),
    )


def _average(values: Iterable[float | None]) -> Quantity:
    """Average what is there; what is no finite number is counted all the same."""
    found = [value for value in values if value is not None]
    return Quantity(mean(found), len(found))


def marks_of(rubric: Rubric) -> dict[str, float]:
    """Give the pass marks: a metric's own, or the overall's where it has the same range.

    Guest responses pass by each metric of the overall, at the published mark where none is said.
    """
    if rubric.name == GUEST_RESPONSE:
        marks = {x.name: (x.pass_at, rubric.pass_at) for x in rubric.overall_metrics}
        return {
            name: next((x for x in found if x is not None), GUEST_PASS_AT)
            for name, found in marks.items()
        }
    whole = {metric.bounds for metric in rubric.overall_metrics if metric.weight}
    shared = rubric.pass_at if rubric.pass_rule == "overall" and len(whole) == 1 else None
    return {
        metric.name: mark
        for metric in rubric.metrics
        if metric.higher_is_better and (mark := _mark(metric, shared)) is not None
    }


def overall_top(rubric: Rubric) -> float:
    """Give the end of the overall's scale: that of its metrics, 1 where these differ."""
    tops = {x.bounds[1] for x in rubric.overall_metrics if x.weight and x.bounds}
    return tops.pop() if len(tops) == 1 else 1.0


def _mark(metric: Metric, shared: float | None) -> float | None:
    if metric.pass_at is not None:
        return metric.pass_at
    return shared if metric.weight and metric.kind.is_answered else None


def with_pass_mark(rubric: Rubric, mark: float | None) -> Rubric:
    """Give a rubric with another pass mark: of each metric that has one, or of the overall.

    Raises:
        RubricError: The rubric has no pass rule, the mark is off a scale, or the metrics have
            different ranges, on which one mark would mean different things.
    """
    if mark is None:
        return rubric
    if rubric.pass_rule == "none":
        raise RubricError(f"The rubric {rubric.name} has no pass rule, so no mark can be passed.")
    for metric in rubric.overall_metrics:
        low, high = metric.bounds or (mark, mark)
        if metric.weight and not low <= mark <= high:
            raise RubricError(
                f"The pass mark {mark:g} is off the scale of {metric.name}, which runs from "
                f"{low:g} to {high:g}."
            )
    if rubric.pass_rule == "overall":
        return replace(rubric, pass_at=mark)
    own = [metric for metric in rubric.metrics if metric.pass_at is not None]
    mine = own or list(rubric.overall_metrics)
    ranges = {metric.bounds for metric in mine}
    if len(ranges) > 1:
        names = ", ".join(metric.name for metric in mine)
        raise RubricError(
            f"One pass mark does not fit metrics on different ranges ({names}); give each its own "
            "in the rubric."
        )
    marked = tuple(
        replace(metric, pass_at=mark) if metric in mine else metric for metric in rubric.metrics
    )
    return replace(rubric, metrics=marked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a report is about.

    Attributes:
        only: Of the scope, the evaluations that are asked for; None for all.
        sets: Score sets that count instead of those that do by themselves, by metric.
        passing: A pass mark in place of the rubric's.
        top: How many of the best and of the worst are told.
        people: Whether the figures of people's labels are part of it.
        preset, options: How figures are made, where it is not as the project keeps it.
        selection: What was evaluated of the runs, by name; empty for all of them.
    """

    scope: Scope
    only: Collection[int] | None = None
    sets: Mapping[str, int] | None = None
    passing: float | None = None
    top: int = BEST_AND_WORST
    people: bool = True
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    selection: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def filters(self) -> Iterator[str]:
        """Say what bounds the report."""
        scope = self.scope
        named = {
            "metric": scope.metrics,
            "labeler": scope.labelers,
            "category": scope.categories,
            "tag": scope.tags,
            "judge": (scope.scorer,) if scope.scorer else (),
            "where": tuple(f"{name}={value}" for name, value in scope.where),
        }
        yield from (f"{name}: {', '.join(values)}" for name, values in named.items() if values)
        if scope.blind_only:
            yield "blind labels only"
        if isinstance(scope.window_months, int):
            months = f"{scope.window_months} months"
            yield f"last {months}" if scope.as_of is None else f"{months} to {scope.as_of}"
        if self.passing is not None:
            yield f"pass mark {self.passing:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report's figures, from which every kind of file is written.

    Whatever holds the text of every response is read while it is written; until then the project
    is open, and read as of one moment.

    Attributes:
        project: The name of the file.
        run: Its results are without texts, but for the best and the worst.
        figures: The document of `stats`, None where people's figures were not asked for.
        moment: When the report was made.
        evidence: What stands behind people's figures, None without them.
    """

    project: str
    wanted: Wanted
    found: RunCases
    run: RunReport
    own: OwnPart
    figures: Fields | None
    people: People | None
    moment: datetime
    evidence: Evidence | None = None

    @property
    def rubric(self) -> Rubric:
        """Give the rubric with the pass mark that was asked for."""
        return self.found.rubric

    @property
    def timestamp(self) -> str:
        """Give the moment as the documents have it."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def lagging(self) -> tuple[Lagging, ...]:
        """Give what the report mixes and what lags behind, as people's figures say it if any."""
        if self.figures is None:
            return self.found.lagging
        return tuple(Lagging(**entry) for entry in self.figures["stale"])

    @property
    def has_rule(self) -> bool:
        """Tell whether responses pass or fail."""
        return self.rubric.pass_rule != "none"


_SYSTEMS: Final = {
    "agent-rubric": agent_rubric.own_part,
    harness.RUBRIC: harness.own_part,
    faq_bot.RUBRIC: faq_bot.own_part,
    "virtual-agent": virtual_agent.own_part,
}


def report_of(
    project: str,
    wanted: Wanted,
    found: RunCases,
    figures: Fields | None,
    moment: datetime,
    evidence: Evidence | None = None,
) -> Report:
    """Work out a report.

    Args:
        project: the name of the file.
        wanted: what it is about.
        found: its cases.
        figures: the document of `stats`; None without people's figures.
        moment: when it is made.
        evidence: what stands behind people's figures.

    Raises:
        RubricError: a target of the rubric is no comparison.
    """
    run = run_report(found, wanted.top, None if figures is None else corrected_of(figures))
    told = sorted({result.scored.case.key for result in (*run.best, *run.worst)})
    whole = {scored.case.key: scored for scored in found.whole.read(told)}

    def read(results: tuple[Result, ...]) -> tuple[Result, ...]:
        return tuple(replace(x, scored=whole[x.scored.case.key]) for x in results)

    make = _SYSTEMS.get(found.rubric.name)
    return Report(
        project=project,
        wanted=wanted,
        found=found,
        run=replace(run, best=read(run.best), worst=read(run.worst)),
        own=make(found) if make else OwnPart({}),
        figures=figures,
        people=None if figures is None else people_of(figures, found.rubric),
        moment=moment,
        evidence=evidence,
    )
