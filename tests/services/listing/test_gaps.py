"""The overall gap of evaluations."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.figures import every_score
from reviewer.services.figures.listed_scores import gaps_of
from reviewer.services.project.session import Session
from tests.building import build_project, record

MIXED = Rubric(
    name="mixed",
    metrics=(
        Metric(name="quality", scale="range", min=0, max=10, weight=3),
        Metric(name="errors", scale="range", min=0, max=4, higher_is_better=False),
        Metric(name="tone", scale="categorical", values=("kind", "rude")),
    ),
)


def entry(metric: str, value: float | str, **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value} | more


def gaps(tmp_path: Path, rubric: Rubric, *people: list[dict[str, Any]]) -> dict[int, float]:
    scores = [entry("quality", 5, scorer="j"), entry("errors", 2, scorer="j"),
              entry("tone", "kind", scorer="j")]  # fmt: skip
    records = [
        record(number, scores=scores, labels=[{"labeler": "ann"} | label for label in labels])
        for number, labels in enumerate(people, start=1)
    ]
    path = build_project(tmp_path / "gaps.review", evaluations=records, rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        keys = list(range(1, len(people) + 1))
        every = every_score.gaps_of(session, keys)
        assert gaps_of(session, dict.fromkeys(keys, 1)) == pytest.approx(every)
        return every


def test_unlike_ranges_are_brought_together_and_lower_is_better_is_turned(tmp_path: Path) -> None:
    found = gaps(
        tmp_path,
        MIXED,
        [entry("quality", 10)],
        [entry("errors", 0)],
        [entry("tone", "rude")],
        [],
        [entry("quality", 7), entry("quality", 9, labeler="bo")],
        [entry("quality", 1), entry("quality", 5, kind="adjudication", labeler="lea")],
    )
    assert found == pytest.approx({1: 3 / 8, 2: 1 / 8, 5: 3 / 4 * 0.3, 6: 0.0})


def test_a_missing_score_leaves_no_overall_where_the_rubric_says_so(tmp_path: Path) -> None:
    more = (*MIXED.metrics, Metric(name="speed", scale="range", min=0, max=1))
    strict = replace(MIXED, metrics=more, missing="null")
    assert gaps(tmp_path, strict, [entry("quality", 10)]) == {}
