from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import figures
from reviewer.domain.run import Scope
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from tests.building import build_project, record

Document = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Twelve evaluations of 2024 with a label each on one metric."""
    labels = [{"metric": "accuracy", "labeler": "ann", "value": 4, "blind": True}]
    records = [record(n, labels=labels, evaluated_at="2024-03-01T12:00:00Z") for n in range(1, 13)]
    return build_project(tmp_path / "p.review", evaluations=records)


def _document(project: Path, **asked: Any) -> Document:
    with closing(Session.open(project)) as session:
        return statistics.compute(session.project, StatsRequest(**asked)).to_json()


def test_figures_stand_beside_their_n(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(project, scope=Scope(window_months=None))
    figures.show(document)
    shown = capsys.readouterr().out
    first = "Rubric guest; run agent v7, the newest; preset recommended; no window; intervals"
    assert shown.startswith(first.replace(", the newest", ""))
    row = next(line.split() for line in shown.splitlines() if line.strip().startswith("accuracy"))
    block = document["metrics"]["accuracy"]
    assert row[:6] == ["accuracy", "judge", "12", f"{block['auto_mean']:.2f}", "12", "12"]
    assert "Mind:" not in shown


def test_labels_outside_the_window_are_said(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures.show(_document(project))
    assert "every labelled evaluation lies outside the window" in capsys.readouterr().out


def test_what_the_window_bounds_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures.show(_document(project))
    shown = capsys.readouterr().out
    assert "; gaps, deviations and bands of the last 6 months (" in shown
    assert "n both, last 6 months" in shown
    figures.show(_document(project, scope=Scope(window_months=600)))
    shown = capsys.readouterr().out
    assert "; everything of 19" in shown
    assert "last 6 months" not in shown


def test_agreement_is_told_without_what_was_decided_over_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"metric": "accuracy", "value": 4, "blind": True}
    decided = said | {"labeler": "lead", "kind": "adjudication", "value": 2}
    records = [
        record(n, labels=[said | {"labeler": "ann"}, *([decided] if n == 1 else [])])
        for n in range(1, 13)
    ]
    path = build_project(tmp_path / "p.review", evaluations=records)
    figures.show(_document(path, scope=Scope(window_months=None)))
    shown = capsys.readouterr().out
    assert "Without the one decision that was made where judge and people differ: " in shown


def test_a_band_without_labels_enough_is_no_number(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _document(project, scope=Scope(window_months=None))
    side = max(document["metrics"]["accuracy"][name] for name in ("n_higher", "n_lower"))
    figures.show(document)
    lines = capsys.readouterr().out.splitlines()
    accuracy = next(line for line in lines if line.strip().startswith("accuracy"))
    assert accuracy.count(f"— {side} of 30") == 2
    relevance = next(line for line in lines if line.strip().startswith("relevance"))
    assert "of 30" not in relevance
    assert "—" in relevance


def test_runs_that_are_pooled_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = [{"metric": "accuracy", "labeler": "ann", "value": 4, "blind": True}]
    records = [
        record(n, run=run, labels=labels) for n, run in enumerate(["v1"] * 12 + ["v2"] * 15)
    ]
    path = build_project(tmp_path / "p.review", evaluations=records, runs=("v1", "v2"))
    figures.show(_document(path))
    newest = capsys.readouterr().out
    assert "; run v2, the newest; left out: v1; " in newest
    assert "By run" not in newest
    document = _document(path, scope=Scope(every_run=True))
    figures.show(document)
    pooled = capsys.readouterr().out
    assert "; runs v1, v2; preset" in pooled
    assert "By run" in pooled
    assert "Pass by run" in pooled
    for run in ("v1", "v2"):
        alone = _document(path, scope=Scope(runs=(run,)))
        mine = document["runs"][run]
        block = alone["metrics"]["accuracy"]
        for name in ("n_auto", "auto_mean", "human_mean", "gap_mean", "adjusted_mean"):
            assert mine["metrics"]["accuracy"][name] == block[name]
        kappa = block["agreement"]["judge_human"]["kappa_quadratic"]
        assert mine["metrics"]["accuracy"]["kappa_quadratic"] == kappa
        assert mine["pass"] == alone["pass"]
    assert "runs" not in alone


def test_groups_are_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures.show(_document(project, group_by="category"))
    shown = capsys.readouterr().out
    assert "Mean correlation within groups by category" in shown
    assert "Correlation of the means of groups by category" in shown


def test_a_crowd_does_not_fill_the_screen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _document(project)
    pair = {"a": "ann", "b": "bob", "metric": "accuracy", "n": 12, "percent": 0.5, "bias": 0.0}
    document["labelers"] = [{**pair, "kappa_quadratic": 0.5, "intervals": {}}] * 150
    figures.show(document)
    shown = capsys.readouterr().out
    assert shown.count("ann and bob") == 100
    assert "and 50 more pairs" in shown


def test_hostile_names_are_harmless(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(project)
    document["stale"] = [{"text": "evil\x1b[2Jname"}]
    document["filters"]["left_out"] = ["run\x07"]
    figures.show(document)
    shown = capsys.readouterr().out
    assert "evil·[2Jname" in shown
    assert "\x07" not in shown
