"""Formulas with their numbers come to the figure that the page shows."""

import re
from collections.abc import Iterator
from contextlib import closing
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_agreement import (
    agreement_steps,
    corrected_steps,
    gap_steps,
)
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.stats.catalogue import FIGURES
from tests.services.audits.audit_projects import SCOPE, audited
from tests.services.figure_projects import SIMPLE, case, label, score


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    path: Path = projects.make_demo(
        tmp_path_factory.mktemp("demo") / "demo.review", None, Silent()
    )
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        request = StatsRequest(scope=Scope(every_run=True))
        yield auditing.refine(session, auditing.compute(session, request))


def worked_out(formula: str) -> float:
    """Compute the left side of a formula as it is written."""
    left = formula.rpartition(" = ")[0]
    plain = left.replace("−", "-").replace("×", "*").replace(",", "")
    assert re.fullmatch(r"[-+*/(). 0-9√]+", plain), plain
    rooted = plain.replace("√", "sqrt")
    return float(eval(rooted, {"sqrt": sqrt}))  # noqa: S307 - digits, signs and roots only


def said(formula: str) -> float:
    return float(formula.rpartition(" = ")[2].replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("metric", ["relevance", "accuracy", "safety"])
@pytest.mark.parametrize("name", sorted(x for x, entry in FIGURES.items() if entry.formula))
def test_every_formula_comes_to_its_figure(audit: Audit, metric: str, name: str) -> None:
    block = audit.document.metrics[metric]
    steps = agreement_steps(audit.frame, block, name)
    value = block.judge_human[name]
    if value is None:
        assert steps[0].text.startswith("There is none")
        return
    formula = steps[0].formula
    assert isclose(said(formula), value, abs_tol=6e-5)
    assert isclose(worked_out(formula), value, abs_tol=2e-3), formula
    if name in block.judge_human.intervals:
        assert steps[1].title.startswith("Interval")


@pytest.mark.parametrize("metric", ["relevance", "accuracy", "safety"])
def test_means_and_band_come_to_their_figures(audit: Audit, metric: str) -> None:
    gaps = audit.document.metrics[metric].gaps
    steps = {step.title: step for step in gap_steps(gaps)}
    titles = ["Auto mean", "Human mean"]
    if metric == "accuracy":
        titles.append("Adjusted mean")
    else:
        side = max(gaps.deviations.n_higher, gaps.deviations.n_lower)
        assert steps["Adjusted mean"].formula == f"— {side} of 30"
        assert steps["Error band"].formula == f"band = — {side} of 30"
    for title in titles:
        formula = steps[title].formula
        assert isclose(worked_out(formula), said(formula), abs_tol=2e-3)
    if metric != "accuracy":
        return
    assert gaps.adjusted_mean is not None
    assert isclose(said(steps["Adjusted mean"].formula), gaps.adjusted_mean, abs_tol=6e-5)


def test_a_corrected_mean_tells_its_method(audit: Audit) -> None:
    found = audit.document.metrics["accuracy"].corrected
    steps = corrected_steps(found)
    assert found.method in steps[0].text
    assert f"{found.n:,}" in steps[0].text


@pytest.mark.parametrize("metric", ["relevance", "accuracy", "safety"])
def test_a_corrected_mean_has_its_formula(audit: Audit, metric: str) -> None:
    found = audit.document.metrics[metric].corrected
    (formula,) = [
        step.formula
        for step in corrected_steps(found, audit.frame.table.metrics[metric])
        if step.formula
    ]
    assert found.mean is not None
    assert isclose(said(formula), found.mean, abs_tol=6e-5)
    assert isclose(worked_out(formula), found.mean, abs_tol=2e-3), formula


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("random", {}),
    ("stratum", {}),
    ("active", {"selection_prob": 0.3}),
    ("browse", {}),
]


@pytest.mark.parametrize(("reason", "more"), WAYS)
@pytest.mark.parametrize("labelled", [12, 40, 60])
def test_however_labels_were_chosen_the_formula_comes_to_the_mean(
    tmp_path: Path, reason: str, more: dict[str, Any], labelled: int
) -> None:
    records = [
        case(
            number,
            [score("a", 1 + number % 5)],
            [label("a", 1 + number % 7 % 5, selection_reason=reason, **more)]
            if number < labelled
            else [],
        )
        for number in range(60)
    ]
    with audited(tmp_path, records, SIMPLE) as (_, audit):
        found = audit.document.metrics["a"].corrected
        steps = corrected_steps(found, audit.frame.table.metrics["a"])
    assert all(step.text for step in steps)
    for formula in (step.formula for step in steps if step.formula):
        assert found.mean is not None
        assert isclose(worked_out(formula), found.mean, abs_tol=2e-3), formula


def test_clipping_is_a_step_of_its_own(tmp_path: Path) -> None:
    records = [
        case(
            number,
            [score("a", 5 if number % 2 else 3)],
            [label("a", 5)] if number < 80 else [],
        )
        for number in range(100)
    ]
    request = StatsRequest(scope=SCOPE, preset="published", options=(("clip", "hard"),))
    with audited(tmp_path, records, SIMPLE, request=request) as (_, audit):
        gaps = audit.document.metrics["a"].gaps
    assert gaps.adjusted_mean == 4 + gaps.band
    assert (gaps.shown_adjusted.value, gaps.shown_adjusted.mark) == (5, "held on the scale")
    steps = {step.title: step for step in gap_steps(gaps)}
    for title in ("Before clipping", "Adjusted mean"):
        formula = steps[title].formula
        assert isclose(worked_out(formula), said(formula), abs_tol=2e-3), formula
    assert said(steps["Adjusted mean"].formula) == 5
    assert "clip=hard" in steps["Adjusted mean"].text
