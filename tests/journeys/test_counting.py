"""One small set has every rule of counting: the record, its dates, all labels, how they came."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.transfer import importing
from reviewer.store.project import Project

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
RECORD_BUILT = False
"""Whether the first version stays the record, and whether each metric has dates of its own."""
pytestmark = pytest.mark.skipif(
    not VECTORS.is_dir(), reason="needs the settled figures in ../shared/spec/vectors"
)
of_the_record = pytest.mark.skipif(not RECORD_BUILT, reason="the newest version counts as yet")
SCORER = None if RECORD_BUILT else "judge@1"
"""What a figure counts: the record, or the version that it will be."""
PRESET = "recommended"
RUBRIC = Rubric(
    name="counting",
    pass_rule="every",
    metrics=(Metric(name="m", levels=tuple(Level(value=x) for x in range(1, 6)), pass_at=3),),
)


class Silent:
    cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None: ...


@pytest.fixture(scope="module")
def settled() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / "counting.json").read_text())
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, settled: dict[str, Any]) -> Path:
    path = tmp_path_factory.mktemp("counting") / "p.review"
    wanted = importing.ImportRequest(files=(VECTORS / settled["file"],), rubric=RUBRIC)
    importing.run(path, wanted, Silent())
    return path


def document(project: Path, settled: dict[str, Any], *options: tuple[str, str]) -> dict[str, Any]:
    scope = Scope(as_of=date.fromisoformat(settled["as_of"]), scorer=SCORER)
    with Project.open(project) as opened:
        request = StatsRequest(scope=scope, preset=PRESET, options=options)
        found: dict[str, Any] = compute(opened, request).to_json()["metrics"]["m"]
    return found


def test_the_record_is_the_version_that_scored_most(
    project: Path, settled: dict[str, Any]
) -> None:
    found = document(project, settled)
    assert found["n_auto"] == settled["n_auto"]
    assert found["auto_mean"] == pytest.approx(settled["auto_mean"], abs=1e-9)
    assert found["n_human"] == settled["n_human"]


@of_the_record
def test_the_record_is_named_with_what_does_not_count(
    project: Path, settled: dict[str, Any]
) -> None:
    with Project.open(project) as opened:
        scope = Scope(as_of=date.fromisoformat(settled["as_of"]))
        whole = compute(opened, StatsRequest(scope=scope, preset=PRESET)).to_json()
    (found,) = whole["record"]
    expected = settled["record"]
    assert {name: found[name] for name in expected} == expected


def test_what_somebody_chose_is_left_out_and_chances_weigh(
    project: Path, settled: dict[str, Any]
) -> None:
    found, expected = document(project, settled), settled["default"]
    one = found["agreement"]["judge_human"]
    assert (one["n"], one["n_chosen"]) == (expected["n"], expected["n_chosen"])
    for row, cells in zip(
        found["confusion"]["table"], expected["confusion_rows_human"], strict=True
    ):
        assert row == pytest.approx(cells, abs=1e-9)
    for name in ("percent", "bias"):
        assert one[name] == pytest.approx(expected[name], abs=1e-9)
    # a probability reweights nothing but the table and the bias
    always = document(project, settled, ("window_months", "none"))
    assert always["gap_mean"] == pytest.approx(expected["gap_mean_any_date"], abs=1e-9)
    assert always["n_chosen"] == expected["n_chosen"]


@of_the_record
def test_the_window_goes_by_the_scores_that_count(project: Path, settled: dict[str, Any]) -> None:
    found, expected = document(project, settled), settled["default"]["six_months"]
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_everything_counts_where_it_is_asked_for(project: Path, settled: dict[str, Any]) -> None:
    expected = settled["selection=all"]
    one = document(project, settled, ("selection", "all"))["agreement"]["judge_human"]
    assert (one["n"], one["n_chosen"]) == (expected["n"], expected["n_chosen"])
    for name in ("percent", "bias"):
        assert one[name] == pytest.approx(expected[name], abs=1e-9)
    # labels without a probability weigh 1, so all do, and no word is claimed of them
    assert one["words"] == {}
    assert "all count 1" in one["note"]
