"""A run has one pass rate, and excluded responses enter it and every other figure nowhere."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.rubric_check import checked
from reviewer.domain.run import Scope
from reviewer.reports.report import Wanted
from reviewer.services.audits import passing
from reviewer.services.audits.auditing import compute
from reviewer.services.audits.passing import WHOLE
from reviewer.services.checks import checking
from reviewer.services.checks.check import Limits
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Reader, Side
from reviewer.services.figures import figure_settings
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.monitoring import trending
from reviewer.services.monitoring.trending import Wish
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases, making
from reviewer.services.transfer import run_details
from reviewer.services.upkeep import projects
from tests.building import build_project
from tests.resources.demo_records import RESOURCES, rubric_of

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "guest-response.toml"))
METRICS = ("relevance", "accuracy", "safety")
DAY = "2026-08-01T12:00:00Z"
RATE: Any = pytest.approx(2 / 3)


def response(name: str, *values: int | None, **more: Any) -> dict[str, Any]:
    scores = [
        {"metric": metric, "value": value, "scorer": "judge"}
        for metric, value in zip(METRICS, values, strict=True)
        if value is not None
    ]
    labels = [
        {
            "metric": x["metric"],
            "labeler": "ann",
            "value": x["value"],
            "at": "2026-08-01T12:00:00Z",
        }
        for x in scores
    ]
    return {
        "id": name, "input": "When?", "response": f"answer {name}", "latency_ms": 100.0,
        "category": "hours", "evaluated_at": DAY, "scores": scores,
        "labels": labels,
    } | more  # fmt: skip


def run_of(name: str) -> list[dict[str, Any]]:
    """Five responses that count, of which three have a verdict, and one that does not count."""
    return [
        response("a1", 5, 5, 5, run=name),
        response("a2", 5, 5, None, run=name),
        response("a3", None, 1, None, run=name),
        response("a4", None, None, None, run=name, error="timeout"),
        response("a5", 3, 4, 5, run=name),
        response(
            "a6", 5, 4, 5, run=name, excluded={"reason": "dup"}, latency_ms=9_000.0,
            evaluated_at="2026-09-09T12:00:00Z",
        ),
    ]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records = [*run_of("r1"), *run_of("r2")]
    return build_project(
        tmp_path / "p.review", evaluations=records, rubric=RUBRIC, runs=("r1", "r2")
    )


@pytest.fixture
def session(path: Path) -> Any:
    with closing(Session.open(path, "lead")) as opened:
        opened.blind = False
        figure_settings.change(opened, "published", "window_months=none")
        yield opened


def test_runs_count_what_every_other_command_counts(session: Session) -> None:
    for run in projects.list_runs(session.project):
        assert (run.evaluations, run.labelled, run.excluded) == (5, 4, 1)
        assert run.pass_rate == RATE
        assert (run.first, run.last) == ("2026-08-01", "2026-08-01")
    details = run_details.of_run(session.project, "r1")
    assert [(x.name, x.evaluations, x.labelled) for x in details.categories] == [("hours", 5, 4)]
    assert [dict(x.metrics) for x in details.score_sets] == [
        {"relevance": 3, "accuracy": 4, "safety": 2}
    ]


def test_every_pass_rate_is_the_same(session: Session) -> None:
    scope = Scope(runs=("r2",))
    audit = compute(session, StatsRequest(scope=scope))
    block = audit.document.passing
    assert (block.auto_rate, block.n_auto) == (RATE, 3)
    assert passing.read(session, audit, WHOLE).block.auto_rate == RATE
    report = making.build(session.project, Wanted(scope=scope)).run
    assert (report.pass_rate, report.total_cases) == (RATE, 5)
    assert {x.scored.case.id for x in (*report.best, *report.worst)} == {"a1", "a5"}
    performed = cases.of_scope(session.project, scope)
    assert next(x for x in performed.targets if x.name == "pass_rate").value == RATE
    (check,) = checking.run(session, scope, Limits(min_pass_rate=0.5)).checks
    assert (check.value, check.n) == (RATE, 3)
    trend = trending.trend(session, Wish(rubric=RUBRIC.name), Silent())
    for point in trend.runs:
        assert point.passing is not None
        assert (point.passing.value, point.passing.n, point.n) == (RATE, 3, 5)
        assert point.p95 is not None
        assert point.p95.value == 100
    found = comparing.figured(Reader(session.project), Side("r1"), Side("r2"))
    assert (found.flips.before_rate, found.flips.after_rate, found.n) == (RATE, RATE, 5)


def test_a_report_with_another_mark_judges_people_and_judge_by_it(session: Session) -> None:
    found = making.build(session.project, Wanted(scope=Scope(runs=("r2",)), passing=4.0)).run
    assert (found.passed, found.failed) == (1, 2)
