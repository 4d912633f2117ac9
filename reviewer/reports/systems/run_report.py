"""The report of a run of any rubric, in the form of the guest-response report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.systems.guest_response import (
    BEST_AND_WORST,
    GuestReport,
    GuestResult,
    Judgement,
    guest_report,
    known_figures,
    of_results,
    pass_marks,
)
from reviewer.reports.systems.guest_targets import Figure, judge_targets
from reviewer.reports.systems.scored import ScoredCase

GUEST_RESPONSE: Final = "guest-response"


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


def run_report(
    cases: Sequence[ScoredCase],
    rubric: Rubric,
    judged: Sequence[Judgement],
    *,
    figures: Mapping[str, Figure] | None = None,
    top: int = BEST_AND_WORST,
) -> GuestReport:
    """Work out the report of one run of any rubric.

    Args:
        cases: with one score a metric.
        rubric: metrics, targets and advice.
        judged: overall and verdict of every case, as all figures of the run have them.
        figures: what targets need from elsewhere: `percent` and `kappa` of judge and people.
        top: how many of the best and of the worst are told.

    Raises:
        RubricError: for a target that is no comparison.
    """
    if rubric.name == GUEST_RESPONSE:
        return guest_report(cases, rubric, judged=judged, figures=figures, top=top)
    marks, names = marks_of(rubric), tuple(metric.name for metric in rubric.metrics)
    results = [
        GuestResult(scored, marks, *said, names)
        for scored, said in zip(cases, judged, strict=True)
    ]
    found = of_results(results, rubric, marks=marks, top=top)
    known = known_figures(found) | dict(figures or {})
    return replace(found, targets=judge_targets(rubric.targets, known))


def marks_of(rubric: Rubric) -> dict[str, float]:
    """Give the pass marks: a metric's own, or the overall's where it has the same range."""
    if rubric.name == GUEST_RESPONSE:
        return pass_marks(rubric)
    whole = {metric.bounds for metric in rubric.overall_metrics if metric.weight}
    shared = rubric.pass_at if rubric.pass_rule == "overall" and len(whole) == 1 else None
    found = {}
    for metric in rubric.metrics:
        mark = _mark(metric, shared)
        if mark is not None:
            found[metric.name] = mark
    return found


def _mark(metric: Metric, shared: float | None) -> float | None:
    if not metric.higher_is_better:
        return None
    if metric.pass_at is not None:
        return metric.pass_at
    return shared if metric.weight and metric.scale != "measure" else None


def totals(report: GuestReport) -> dict[str, JsonValue]:
    """Give the totals, averages and performance of a run without its cases."""
    return {
        "total_cases": report.total_cases,
        "passed": report.passed,
        "failed": report.failed,
        **{key: value for key, value in report.trend_line("").items() if key != "timestamp"},
    }
