from pathlib import Path
from typing import Any

import pytest

from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition
from reviewer.store.staleness import Lag, lag
from tests.building import build_project, record


@pytest.mark.parametrize(
    ("said", "expected"),
    [(None, 0), ("judge@v3", 0), ("v3", 0), ("judge@v4", 1), ("v4", 1), ("judge", 1)],
)
def test_labels_given_beside_another_judge_are_counted(
    tmp_path: Path, said: str | None, expected: int
) -> None:
    label: dict[str, Any] = {"metric": "accuracy", "labeler": "ann", "value": 2}
    if said is not None:
        label["judge_version"] = said
    score = {"metric": "accuracy", "value": 3, "scorer": "judge", "scorer_version": "v3"}
    cases = [record(1, scores=[score], labels=[label]), record(2)]
    with Project.open(build_project(tmp_path / "p.review", evaluations=cases)) as project:
        metric = figures.metric_keys(project)["accuracy"]

        def found(within: str, scorer: tuple[int, str] | None = (1, "judge@v3")) -> Lag:
            return lag(
                project, Condition(within), metric=metric, rubric_version="1", scorer=scorer
            )

        assert found("1") == Lag(judge_versions=expected)
        assert found("e.id = 2") == Lag()
        assert found("1", None) == Lag()
