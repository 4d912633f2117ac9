"""The fields of a report, each declared once: what it is called, what it says, where it stands.

The document holds its fields in this order, the trend line the first of them. Templates may name
every field. One with a title needs no place in them: it stands as a line under Performance.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from reviewer.domain.evaluation import as_number
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import brief
from reviewer.reports import sections, sections_run
from reviewer.reports.document import LISTED, Fields, Rows
from reviewer.reports.rendering import Kind
from reviewer.reports.report import GUEST_RESPONSE, Report, Result, overall_top
from reviewer.reports.targets import Target, TargetResult, count_targets, title_of, titled, without
from reviewer.reports.wording import money, number
from reviewer.stats.reasons import NO_RULE


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
    "reached": "is reached",
    "missed": "is missed",
    "cannot be said": "cannot be said yet",
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
                top=_top(metric) if metric else overall_top(report.rubric),
                unit=metric.unit if metric else None,
                scorer=report.found.scorers.get(name),
            )
        )
    return made


def _top(metric: Metric) -> float | None:
    return metric.bounds[1] if metric.bounds else None


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
            top=overall_top(rubric),
            passed=result.passed,
            scores=tuple(_scores(rubric, result)),
        )
        for result in results
        for case in (result.scored.case,)
    ]


def _scores(rubric: Rubric, result: Result) -> Iterator[ScoreLine]:
    for name, metric in rubric.by_name.items():
        score = result.scored.scores.get(name)
        if score is not None and score.value is not None:
            number, top = as_number(score.value), _top(metric)
            yield ScoreLine(
                name=name,
                title=metric.heading,
                value=str(score.value) if number is None else brief(number),
                top=None if top is None else f"{top:g}",
                reasoning=score.reasoning,
            )


Place = Literal["trend", "document", "templates"]


def _each(found: Iterable[Result | Target]) -> list[Fields]:
    return [one.to_json() for one in found]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a report.

    Attributes:
        name: What document and templates call it.
        value: What it says of a report.
        place: Where it stands beside templates, which may name every field.
        json: Writes its value in the document.
        title: What it is called where it stands on its own, empty where templates place it.
        kinds: The kinds of report in which it stands on its own.
        write: Writes its value there.
        whole: Writes in the document what says more than the trend line.
        rich: Whether templates are told its value, which says more than the document.
    """

    name: str
    value: Callable[[Report], Any]
    place: Place = "document"
    json: Callable[[Any], object] = lambda value: value
    title: str = ""
    kinds: tuple[Kind, ...] = ("html", "md", "pdf")
    write: Callable[[Any], str] = number
    rich: bool = False
    whole: Callable[[Any], object] | None = None


class Line(NamedTuple):
    """A field that stands on its own."""

    title: str
    words: str


def _results(report: Report) -> Iterator[Fields]:
    """Read the results again with their texts; what is gone meanwhile is passed over."""
    results = iter(report.run.results)
    for scored in report.found.whole.read(report.found.keys):
        yield replace(
            next(x for x in results if x.scored.case.key == scored.case.key), scored=scored
        ).to_json()


FIELDS: Final = (
    Field("timestamp", lambda report: report.timestamp, "trend"),
    Field("pass_rate", lambda report: report.run.pass_rate, "trend"),
    Field("avg_scores", lambda report: report.run.averages, "trend",
          lambda found: {name: average.value for name, average in found.items()}),
    Field("performance", lambda report: report.run.operations, "trend",
          lambda found: {"avg_latency_ms": found.latency.average,
                         "avg_cost_usd": found.average_cost},
          whole=lambda found: {"avg_latency_ms": found.latency.average, **found.to_json()}),
    Field("total_cases", lambda report: report.run.total_cases),
    Field("passed", lambda report: report.run.passed),
    Field("failed", lambda report: report.run.failed),
    Field("best_cases", lambda report: report.run.best, json=_each),
    Field("worst_cases", lambda report: report.run.worst, json=_each),
    Field("failure_patterns", lambda report: report.run.patterns,
          json=lambda found: {pattern.name: pattern.to_json() for pattern in found}),
    Field("targets", lambda report: report.run.targets, json=_each, rich=True),
    Field("results", lambda report: Rows(len(report.run.results), lambda: _results(report))),
    Field("title", sections.title, "templates"),
    Field("scope_words", sections_run.scope_words, "templates"),
    Field("made_at", lambda report: report.moment.strftime("%Y-%m-%d %H:%M UTC"), "templates"),
    Field("project", lambda report: report.project, "templates"),
    Field("rubric", lambda report: report.rubric, "templates"),
    Field("runs", lambda report: report.found.runs, "templates"),
    Field("left_out", lambda report: report.found.left_out, "templates"),
    Field("filters", lambda report: tuple(report.wanted.filters), "templates"),
    Field("incomplete", lambda report: report.run.incomplete, "templates"),
    Field("has_rule", lambda report: report.has_rule, "templates"),
    Field("fail_rate", lambda report: None if (rate := report.run.pass_rate) is None else 1 - rate,
          "templates"),
    Field("gate", gate, "templates"),
    Field("averages", averages, "templates"),
    Field("operations", lambda report: report.run.operations, "templates"),
    Field("total_cost", lambda report: report.run.operations.total_cost, "templates",
          title="Total cost", kinds=("md",), write=money),
    Field("average_cost", lambda report: report.run.operations.average_cost, "templates",
          title="Avg cost", kinds=("md",), write=money),
    Field("targets_counted", lambda report: count_targets(report.run.targets), "templates"),
    Field("patterns", lambda report: tuple(patterns(report)), "templates"),
    Field("look", look, "templates"),
    Field("top", lambda report: report.wanted.top, "templates"),
    Field("best", lambda report: cases(report.rubric, report.run.best), "templates"),
    Field("worst", lambda report: cases(report.rubric, report.run.worst), "templates"),
    Field("people", lambda report: report.people, "templates"),
    Field("stale", lambda report: [x.text for x in report.lagging], "templates"),
    Field("tables", lambda report: report.own.tables(), "templates"),
    Field("system", lambda report: report.own.document, "templates"),
)  # fmt: skip
"""All fields of a report."""


def named(report: Report, kind: Kind) -> Fields:
    """Give what a template may name: the JSON document, every field, and what stands alone.

    Where a field writes itself otherwise in the document, shipped templates are told the field.
    """
    alone = [
        Line(field.title, field.write(field.value(report)))
        for field in FIELDS
        if field.title and kind in field.kinds
    ]
    return {
        **document(report),
        **{x.name: x.value(report) for x in FIELDS if x.place == "templates" or x.rich},
        "lines": alone,
        "facts": partial(sections.facts, report),
        # read as they are written: some templates tell none of them
        "sections": partial(sections.told, report, alone),
    }


def trend_line(report: Report) -> Fields:
    """Give the line that the history file keeps of a run: of how many, by whom, of which part."""
    made = {x.name: x.json(x.value(report)) for x in FIELDS if x.place == "trend"}
    passing = {} if report.wanted.passing is None else {"passing_score": report.wanted.passing}
    return {
        **made,
        "total_cases": report.run.total_cases,
        "runs": list(report.found.runs),
        "scorers": dict(report.found.scorers),
        "selection": dict(report.wanted.selection),
        **passing,
    }


def summary(report: Report) -> Fields:
    """Give the summary in the system's own fields, or totals and averages; no single cases."""
    own: Fields | None = report.own.document.get("summary")
    made = _written(report)
    return dict(own or _ruled(report, {name: made[name] for name in _TOTALS}))


_TOTALS: Final = ("total_cases", "passed", "failed", "pass_rate", "avg_scores", "performance")


def document(report: Report) -> Fields:
    """Give the JSON document: the fields of the guest-response report, for every rubric.

    Other rubrics add their system's own fields under `system`; where people's figures are part of
    the report, they stand under `figures`. What lags behind stands under `stale`. Lists of
    responses are `Rows`, which `plain` reads.
    """
    made = _written(report)
    if report.rubric.name != GUEST_RESPONSE:
        made = {
            "schema": 1,
            "rubric": report.rubric.name,
            "runs": list(report.found.runs),
            **_ruled(report, made),
            "system": report.own.document,
        }
    stale = {"stale": [entry._asdict() for entry in report.lagging]}
    if report.figures is None:
        return made | (stale if report.lagging else {})
    look = report.run.where_to_look
    return {
        **made,
        "project": report.project,
        "scorers": dict(report.found.scorers),
        "where_to_look": look.to_json() if look else None,
        "figures": {key: report.figures[key] for key in _FIGURES if key in report.figures},
        **stale,
        "trust": {
            "headline": report.figures["trust"]["headline"],
            "metrics": {name: block["trust"] for name, block in report.figures["metrics"].items()},
        },
        **({} if report.evidence is None else report.evidence.to_json()),
    }


_FIGURES: Final = (
    "preset", "as_of", "level", "filters", "window", "metrics", "satisfaction", "pass",
    "labelers", "runs",
)  # fmt: skip


def _written(report: Report) -> Fields:
    return {x.name: (x.whole or x.json)(x.value(report)) for x in FIELDS if x.place != "templates"}


def _ruled(report: Report, made: Fields) -> Fields:
    """Leave the counts of pass and fail open where the rubric has no rule for them."""
    if report.has_rule:
        return made
    nothing = {"passed": None, "failed": None, "pass_rate": None}
    return made | nothing | {"undefined": {"pass_rate": NO_RULE}}
