"""Formulas with their numbers come to the figure that the page shows."""

import re
from collections.abc import Iterator
from contextlib import closing
from math import isclose
from pathlib import Path

import pytest

from reviewer.domain.progress import Silent
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_agreement import (
    TITLES,
    agreement_steps,
    corrected_steps,
    gap_steps,
)
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    path: Path = projects.make_demo(
        tmp_path_factory.mktemp("demo") / "demo.review", None, Silent()
    )
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        yield auditing.refine(session, auditing.compute(session, StatsRequest()))


def worked_out(formula: str) -> float:
    """Compute the left side of a formula as it is written."""
    left = formula.rpartition(" = ")[0]
    plain = left.replace("−", "-").replace("×", "*").replace(",", "")
    assert re.fullmatch(r"[-+*/(). 0-9]+", plain), plain
    return float(eval(plain))  # noqa: S307 - digits and signs only


def said(formula: str) -> float:
    return float(formula.rpartition(" = ")[2].replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("metric", ["relevance", "accuracy", "safety"])
@pytest.mark.parametrize("name", sorted(TITLES))
def test_every_formula_comes_to_its_figure(audit: Audit, metric: str, name: str) -> None:
    block = audit.document.metrics[metric]
    steps = agreement_steps(audit.frame, block, name)
    value = getattr(block.judge_human, name)
    if value is None:
        assert steps[0].text.startswith("There is none")
        return
    formula = steps[0].formula
    if " = " not in formula:
        assert formula.startswith(f"{value:.4f}".rstrip("0").replace("-", "−"))
        return
    assert isclose(said(formula), value, abs_tol=6e-5)
    assert isclose(worked_out(formula), value, abs_tol=2e-3), formula
    if name in block.judge_human.intervals:
        assert steps[1].title.startswith("Interval")


@pytest.mark.parametrize("metric", ["relevance", "accuracy", "safety"])
def test_means_and_band_come_to_their_figures(audit: Audit, metric: str) -> None:
    gaps = audit.document.metrics[metric].gaps
    steps = {step.title: step for step in gap_steps(gaps)}
    for title in ("Auto mean", "Human mean", "Adjusted mean"):
        formula = steps[title].formula
        assert isclose(worked_out(formula), said(formula), abs_tol=2e-3)
    assert gaps.adjusted_mean is not None
    assert isclose(said(steps["Adjusted mean"].formula), gaps.adjusted_mean, abs_tol=6e-5)


def test_a_corrected_mean_tells_its_method(audit: Audit) -> None:
    found = audit.document.metrics["accuracy"].corrected
    steps = corrected_steps(found)
    assert found.method in steps[0].text
    assert f"{found.n:,}" in steps[0].text
