"""A run held to an earlier one, and to the monitor."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.checks import checking
from reviewer.services.checks.check import Check, Limits
from reviewer.services.project.session import Session
from tests.building import build_project, record
from tests.services.monitoring import production

NAMES = ("relevance", "accuracy", "safety")


def build(tmp_path: Path, *, n: int = 40, fall: int = 0, slower: float = 1.0) -> Path:
    rows: list[dict[str, Any]] = []
    for run in ("v1", "v2"):
        for k in range(n):
            value = 5 - (fall if run == "v2" and k % 2 else 0) - (k % 3 == 0)
            rows.append(
                record(
                    k,
                    id=f"{run}-{k}",
                    case=f"case {k}",
                    run=run,
                    latency_ms=(100.0 + k) * (slower if run == "v2" else 1),
                    scores=[{"metric": x, "value": value, "scorer": "judge"} for x in NAMES],
                )
            )
    return build_project(tmp_path / "p.review", evaluations=rows, runs=("v1", "v2"))


def held(path: Path, scope: Scope | None = None, **limits: Any) -> dict[str, Check]:
    session = Session.open(path)
    try:
        made = Limits(**{"baseline": "v1", **limits})
        return {x.name: x for x in checking.baseline_checks(session, scope or Scope(), made)}
    finally:
        session.close()


def test_an_equal_run_holds(tmp_path: Path) -> None:
    found = held(build(tmp_path))
    assert list(found) == [
        "baseline pass rate", "baseline relevance", "baseline accuracy", "baseline safety",
        "baseline overall", "baseline p95 latency",
    ]  # fmt: skip
    assert all(x.ok for x in found.values())
    assert {x.n for x in found.values()} == {40}


def test_any_regression_fails(tmp_path: Path) -> None:
    found = held(build(tmp_path, fall=1))
    assert not found["baseline accuracy"].ok
    assert "worse: 4.65 → 4.15 since v1" in (found["baseline accuracy"].reason or "")
    assert found["baseline pass rate"].ok
    assert found["baseline p95 latency"].ok


def two_judges(tmp_path: Path) -> Path:
    """The newer run is worse, by another judge; it is slower, too, on other cases."""
    rows = [
        record(
            k, id=f"{run}-{k}", case=f"case {k if k < 12 else (run, k)}", run=run,
            latency_ms=(100.0 + k) * (2 if run == "v2" else 1),
            scores=[
                {"metric": x, "value": 5 - (run == "v2") - (k % 3 == 0), "scorer": f"judge {run}"}
                for x in NAMES
            ],
        )
        for run in ("v1", "v2")
        for k in range(40)
    ]  # fmt: skip
    return build_project(tmp_path / "p.review", evaluations=rows, runs=("v1", "v2"))


@pytest.mark.parametrize("limits", [{}, {"max_drop": 2.0}])
def test_what_another_judge_scored_cannot_be_said(tmp_path: Path, limits: dict[str, Any]) -> None:
    found = held(two_judges(tmp_path), **limits)
    scores = [x for name, x in found.items() if "latency" not in name]
    assert {(x.state, x.ok) for x in scores} == {("cannot_be_said", False)}
    assert {x.reason for x in scores} == {
        "another judge: judge v1 → judge v2; let one version score both runs, or name one by "
        "--scorer"
    }


def test_latency_on_other_cases_stops_no_release(tmp_path: Path) -> None:
    found = held(two_judges(tmp_path))["baseline p95 latency"]
    assert found.ok
    assert found.limit == "at most +20 %; not checked: too few shared cases"


def test_a_slower_run_fails(tmp_path: Path) -> None:
    found = held(build(tmp_path, slower=1.3))
    assert [name for name, x in found.items() if not x.ok] == ["baseline p95 latency"]
    assert "(+30 %)" in (found["baseline p95 latency"].reason or "")


def test_p95_of_few_cases_is_not_held_to_anything(tmp_path: Path) -> None:
    found = held(build(tmp_path, n=39, slower=1.5))["baseline p95 latency"]
    assert found.ok
    assert found.limit == (
        "at most +20 %; not checked: 39 cases of the 40 that the interval of a change of p95 needs"
    )


def test_a_drop_may_be_allowed(tmp_path: Path) -> None:
    path = build(tmp_path, fall=1)
    found = held(path, max_drop=0.5)
    assert found["max-drop accuracy"].ok
    assert found["max-drop accuracy"].value == pytest.approx(0.5)
    assert not held(path, max_drop=0.49)["max-drop accuracy"].ok
    assert held(path, max_drop=0.49)["max-drop pass_rate"].ok


def test_too_few_cases_are_undefined(tmp_path: Path) -> None:
    found = held(build(tmp_path, n=6))
    assert not any(x.ok for x in found.values())
    assert found["baseline accuracy"].reason == "6 shared cases: a change can be told from 10"


@pytest.mark.parametrize(
    ("limits", "runs", "words"),
    [
        ({"baseline": "v9"}, (), "There is no run 'v9'"),
        ({}, ("v1",), "v1 is the run itself"),
        ({}, ("v8",), "There is no run 'v8'"),
        ({"baseline": None, "max_drop": 0.1}, (), "--max-drop needs"),
    ],
)
def test_wrong_runs(
    tmp_path: Path, limits: dict[str, Any], runs: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ReviewerError, match=words):
        held(build(tmp_path), Scope(runs=runs), **limits)


def test_the_filters_narrow_both_runs(tmp_path: Path) -> None:
    path = build(tmp_path)
    found = held(path, Scope(categories=("policies",)))
    assert {x.n for x in found.values()} == {13}


def monitored(path: Path, alarm: str) -> list[Check]:
    session = Session.open(path)
    found = list(checking.checks(session, Scope(), Limits(monitor=alarm)))
    session.close()
    return found


@pytest.mark.parametrize(
    ("passing", "warning", "critical"),
    [(100, True, True), (80, False, True), (50, False, False)],
)
def test_the_monitor_stops_a_release(
    tmp_path: Path, passing: int, warning: bool, critical: bool
) -> None:
    rows = [production.record(str(k), float(k < passing)) for k in range(100)]
    path = production.imported(tmp_path / "p.review", production.write(tmp_path / "r.jsonl", rows))
    production.keep(path)
    production.look(path)
    for alarm, ok in (("warning", warning), ("critical", critical)):
        (check,) = monitored(path, alarm)
        assert (check.name, check.n, check.ok) == ("monitor agent-rubric", 100, ok)
        assert ok or check.reason


def test_a_monitor_without_samples_or_no_monitor_fails(tmp_path: Path) -> None:
    path = production.empty(tmp_path / "p.review")
    assert monitored(path, "critical") == [
        Check(
            name="monitor",
            value=None,
            limit="better than critical",
            n=0,
            state="fails",
            reason=checking.NONE_YET,
        )
    ]
    production.keep(path)
    (check,) = monitored(path, "critical")
    assert (check.value, check.ok, check.reason) == (None, False, "no record is sampled yet")
