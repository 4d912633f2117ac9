from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.reports.report import Wanted
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases, making
from reviewer.services.upkeep import projects


@pytest.mark.parametrize(
    "scope", [Scope(), Scope(runs=("hut agent 2.0",)), Scope(categories=("nowhere",))]
)
def test_targets_from_columns_are_those_of_the_report(tmp_path: Path, scope: Scope) -> None:
    path = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    with closing(Session.open(path)) as session:
        told = making.build(session.project, Wanted(scope=scope)).run
        found = cases.of_scope(session.project, scope)
    assert found.rubric == "guest-response"
    for one, other in zip(found.targets, told.targets, strict=True):
        assert (one.name, one.n, one.result) == (other.name, other.n, other.result)
        assert one.corrected == other.corrected
        assert one.reason == other.reason
        assert one.value == (None if other.value is None else pytest.approx(other.value))
    assert found.columns.operations.latency.p95 == (
        None if told.operations.latency.p95 is None else pytest.approx(told.operations.latency.p95)
    )


def test_verdicts_agree_over_what_pass_and_fail_is_told_of(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "d.review", None, Silent())
    with closing(Session.open(path)) as session:
        targets = {one.name: one for one in cases.of_scope(session.project, Scope()).targets}
        block = compute(session.project, StatsRequest()).passing
    assert block.n_chosen
    assert {targets[name].n for name in ("percent", "kappa")} == {block.figures.n}
