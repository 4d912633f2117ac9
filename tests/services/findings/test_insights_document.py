"""What the numbers say, as JSON: every topic with its sentence, on projects counted by hand."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.findings import insights
from reviewer.services.project.session import Session
from reviewer.stats.deviations import PUBLISHED
from reviewer.stats.paired_shares import mcnemar
from reviewer.store.project import Project
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")
TOPICS = {
    "labels_needed", "calibration", "self_consistency", "run_change", "labeler_drift",
    "consensus", "slices",
}  # fmt: skip


def scores(value: float, at: str = "2026-11-01T10:00:00Z") -> list[dict[str, Any]]:
    return [{"metric": name, "value": value, "scorer": "judge", "at": at} for name in METRICS]


def labels(value: float, who: str = "ann", **more: Any) -> list[dict[str, Any]]:
    entry = {"labeler": who, "value": value, "blind": True, "at": "2026-11-10T10:00:00Z"}
    return [{"metric": name} | entry | more for name in METRICS]


BEFORE = [5, 5, 5, 5, 1, 1, 1, 5, 5, 1]
AFTER = [5, 5, 5, 1, 5, 5, 1, 5, 5, 1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two runs of ten cases; the later one repeats a score, and has labels of two people."""
    made = [
        record(n, run=run, id=f"{run}-{n}", case=f"case {n}", scores=scores(value),
               response=f"{run} answer {n}")
        for run, values in (("old", BEFORE), ("new", AFTER))
        for n, value in enumerate(values)
    ]  # fmt: skip
    newer = made[10:]
    newer[0]["scores"] += scores(2, "2026-11-02T10:00:00Z")
    for place, one in enumerate(newer):
        one["labels"] = labels(4) + labels(4 if place % 2 else 3, "bob")
        one["meta"] = {"language": "en" if place < 5 else "de"}
    return build_project(tmp_path / "two.review", evaluations=made, runs=("old", "new"))


def document(path: Path, **request: Any) -> dict[str, Any]:
    with Project.open(path) as project:
        found = insights.compute(project, StatsRequest(**request))
    json.dumps(found, allow_nan=False)
    return found


def test_every_topic_of_every_metric_is_there_with_a_sentence(path: Path) -> None:
    found = document(path)
    assert list(found["metrics"]) == list(METRICS)
    for topics in found["metrics"].values():
        assert set(topics) == TOPICS
        assert all(topic["sentence"] for topic in topics.values())
    assert set(found["pass"]) == {"labels_needed", "run_change", "golden"}
    assert list(document(path, scope=Scope(metrics=("safety",)))["metrics"]) == ["safety"]


def test_figures_are_those_of_the_window(path: Path) -> None:
    with contextlib.closing(Session.open(path, "lead")) as session:
        session.blind = False
        source = insights.read(session, Scope(), options=PUBLISHED)
    shown = insights.of_metric(source, "accuracy")
    found = document(path)["metrics"]["accuracy"]
    assert found["self_consistency"]["judges"][0]["flips"]["rate"] == 1
    assert shown.consistency.judges[0].keys == (11,)
    assert found["consensus"]["n_tied"] == 5
    assert shown.consensus.tied == (11, 13, 15, 17, 19)
    assert "tied" not in found["consensus"]
    assert found["labels_needed"]["sentence"] == shown.labels.sentence


def test_verdicts_of_both_runs_are_compared_case_by_case(path: Path) -> None:
    found = document(path)["pass"]["run_change"]
    # case 0 was scored again and passes by the first score
    verdicts = mcnemar(10, lost=1, gained=2)
    assert found["verdicts"]["mid"] == verdicts.mid
    assert (found["verdicts"]["gained"], found["verdicts"]["lost"]) == (2, 1)
    assert found["sentence"] == (
        "Pass rate +10.00 points since old: 2 newly pass, 1 newly fail (10 shared cases, "
        "p = 0.625)."
    )
    with contextlib.closing(Session.open(path, "lead")) as session:
        source = insights.read(session, Scope(), options=PUBLISHED)
    assert insights.of_metric(source, "safety").pass_change.flipped == (14, 15, 16)


def test_slices_go_by_the_field_of_the_request(path: Path) -> None:
    found = document(path, group_by="meta.language")
    assert found["slice_by"] == "meta.language"
    slices = found["metrics"]["accuracy"]["slices"]["slices"]
    assert {one["category"] for one in slices} == {"en", "de"}
    assert document(path)["slice_by"] == "category"


def test_the_tag_gold_makes_a_golden_set_that_nobody_has_to_name(tmp_path: Path) -> None:
    made = [
        record(n, tags=["gold"] if n < 8 else [], scores=scores(5 if n % 4 else 1),
               labels=labels(5 if n % 2 else 1, kind="adjudication") if n < 8 else [])
        for n in range(40)
    ]  # fmt: skip
    found = document(build_project(tmp_path / "gold.review", evaluations=made))["pass"]["golden"]
    assert (found["set"], found["n_failed"], found["n_caught"]) == ("tag:gold", 4, 2)
    assert found["corrected"]["method"] == "rogan_gladen"
    assert found["sentence"].startswith("On the golden set the judge catches 50 % of 4 failures")


def test_without_a_golden_set_the_remedy_is_said(path: Path) -> None:
    found = document(path)["pass"]["golden"]
    assert found["reason"] == found["sentence"][0].lower() + found["sentence"][1:-1]
    assert "tag gold" in found["sentence"]


def test_no_evaluation_has_reasons_too(tmp_path: Path) -> None:
    path = build_project(tmp_path / "empty.review", evaluations=[])
    found = document(path)
    assert all(topic["reason"] for topic in found["metrics"]["accuracy"].values())


def test_a_topic_tells_everything_that_it_worked_out(path: Path) -> None:
    found = document(path)["metrics"]["relevance"]
    assert set(found["run_change"]) == {
        "sentence", "reason", "before", "after", "before_scorer", "after_scorer", "paired",
        "anchors", "change", "verdicts", "verdicts_reason",
    }  # fmt: skip
    assert set(found["consensus"]) == {
        "sentence", "reason", "people", "shared", "n_tied", "n_changed", "not_weighed",
    }  # fmt: skip
    assert set(found["consensus"]["people"][0]) == {
        "labeler", "n", "majority", "weighed", "accuracy",
    }  # fmt: skip
