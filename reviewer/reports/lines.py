"""Parts of a report as its templates write them: averages, the gate, patterns, cases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import as_number
from reviewer.domain.wording import brief
from reviewer.reports.document import Fields
from reviewer.reports.own_part import LISTED
from reviewer.reports.patterns import titled, without
from reviewer.reports.report import Report
from reviewer.reports.run_report import Result
from reviewer.reports.targets import TargetResult, title_of


@dataclass(frozen=True, slots=True)
class Average:
    """The mean score of a metric or of the overall, as templates write it."""

    name: str
    title: str
    value: float | None
    n: int
    top: float | None
    unit: str | None
    scorer: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """The least pass rate that the rubric wants, and whether the judge's reaches it."""

    wanted: str
    value: float | None
    n: int
    interval: tuple[float | None, float | None] | None
    result: TargetResult
    words: str
    corrected: Fields | None


_GATE_WORDS: Final = {
    "met": "is reached",
    "missed": "is not reached",
    "too few": "cannot be told yet: too few cases",
}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One score of a case, as templates write it."""

    name: str
    title: str
    value: str
    top: str | None
    reasoning: str | None


@dataclass(frozen=True, slots=True)
class CaseLines:
    """One of the best or the worst cases."""

    id: str
    run: str
    category: str | None
    query: str | None
    response: str | None
    overall: float | None
    top: float | None
    passed: bool | None
    scores: tuple[ScoreLine, ...]


@dataclass(frozen=True, slots=True)
class PatternLine:
    """A failure pattern, of whose responses the first are named."""

    name: str
    title: str
    count: int
    n: int
    share: float | None
    advice: str
    responses: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The failed responses that show a pattern, of which the first are named."""

    title: str
    ids: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look first."""

    text: str
    title: str
    failures: int
    failed: tuple[Failed, ...]


def averages(report: Report) -> list[Average]:
    """Give the means of the metrics and of the overall."""
    made = []
    for name, found in report.run.averages.items():
        metric = report.rubric.by_name.get(name)
        made.append(
            Average(
                name=name,
                title=title_of(report.rubric, name),
                value=found.value,
                n=found.n,
                top=_top(metric) if metric else _overall_top(report.rubric),
                unit=metric.unit if metric else None,
                scorer=report.found.scorers.get(name),
            )
        )
    return made


def _top(metric: Metric) -> float | None:
    return metric.bounds[1] if metric.bounds else None


def _overall_top(rubric: Rubric) -> float | None:
    tops = {_top(metric) for metric in rubric.overall_metrics if metric.weight}
    return tops.pop() if len(tops) == 1 else 1.0


def gate(report: Report) -> Gate | None:
    """Give the target of the pass rate, None where the rubric has none."""
    found = next((x for x in report.run.targets if x.name == "pass_rate"), None)
    if found is None:
        return None
    return Gate(
        wanted=found.target,
        value=found.value,
        n=found.n,
        interval=None if found.low is None else (found.low, found.high),
        result=found.result,
        words=_GATE_WORDS[found.result],
        corrected=None if report.figures is None else report.figures["pass"]["corrected"],
    )


def patterns(report: Report) -> Iterator[PatternLine]:
    """Give the patterns that any case could show."""
    for pattern in report.run.patterns:
        title = titled(pattern.name)
        if pattern.n:
            yield PatternLine(
                name=pattern.name,
                title=title,
                count=pattern.count,
                n=pattern.n,
                share=pattern.share,
                advice=without(pattern.advice, title),
                responses=pattern.responses[:LISTED],
                more=max(pattern.count - LISTED, 0),
            )


def look(report: Report) -> Look | None:
    """Say where to look first, None where the pass rate is not low."""
    found = report.run.where_to_look
    if found is None:
        return None
    return Look(
        text=without(found.text, "Where to look"),
        title=title_of(report.rubric, found.metric),
        failures=found.metric_failures,
        failed=tuple(
            Failed(titled(name), ids[:LISTED], len(ids)) for name, ids in found.failed.items()
        ),
    )


def cases(rubric: Rubric, results: Sequence[Result]) -> list[CaseLines]:
    """Give cases with their scores, in the rubric's order."""
    return [
        CaseLines(
            id=case.id,
            run=case.run,
            category=case.category,
            query=case.question,
            response=case.response,
            overall=result.overall,
            top=_overall_top(rubric),
            passed=result.passed,
            scores=tuple(_scores(rubric, result)),
        )
        for result in results
        for case in (result.scored.case,)
    ]


def _scores(rubric: Rubric, result: Result) -> Iterator[ScoreLine]:
    for name, metric in rubric.by_name.items():
        score = result.scored.scores.get(name)
        if score is None or score.value is None:
            continue
        number, top = as_number(score.value), _top(metric)
        yield ScoreLine(
            name=name,
            title=metric.heading,
            value=str(score.value) if number is None else brief(number),
            top=None if top is None else f"{top:g}",
            reasoning=score.reasoning,
        )
