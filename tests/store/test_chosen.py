"""Which score set counts."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.store.chosen import chosen_score_set
from reviewer.store.project import Project
from tests.building import build_project, record


def score(value: int | None, scorer: str, at: str | None, **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "value": value, "scorer": scorer, **more}
    return fields if at is None else fields | {"at": at}


@pytest.mark.parametrize(
    ("scores", "scorer", "name"),
    [
        ([], None, None),
        ([score(1, "old", "2020-01-01")], None, "old"),
        ([score(1, "old", None)], None, "old"),
        ([score(1, "a", "2026-11-02"), score(2, "b", "2026-11-01")], None, "a"),
        # as moments, not as texts
        ([score(1, "a", "2026-11-02T01:00:00+09:00"), score(2, "b", "2026-11-01T17:00:00Z")],
         None, "b"),
        ([score(1, "a", None), score(2, "b", "1990-01-01")], None, "b"),
        # a score without value chooses nothing
        ([score(1, "a", "2026-11-01"), score(None, "b", "2026-11-02", error="x")], None, "a"),
        ([score(1, "a", "2026-11-02"), score(2, "b", "2026-11-01")], "b", "b"),
        ([score(1, "a", "2026-11-02"), score(2, "b", "2026-11-01")], "c", None),
        (
            [score(1, "j", "2026-11-02", scorer_version="1"),
             score(2, "j", "2026-11-01", scorer_version="2")],
            None, "j@1",
        ),
        (
            [score(1, "j", "2026-11-02", scorer_version="1"),
             score(2, "j", "2026-11-01", scorer_version="2")],
            "j@2", "j@2",
        ),
        (
            [score(1, "j", "2026-11-02", scorer_version="1"),
             score(2, "j", "2026-11-01", scorer_version="2")],
            "j", "j@1",
        ),
    ],
)  # fmt: skip
def test_the_only_one_else_the_newest(
    tmp_path: Path, scores: list[dict[str, Any]], scorer: str | None, name: str | None
) -> None:
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=scores)])
    with Project.open(path) as project:
        found = chosen_score_set(project, 1, "accuracy", scorer)
        assert (found.name if found else None) == name
        assert chosen_score_set(project, 1, "no such metric") is None


def test_each_run_chooses_for_itself(tmp_path: Path) -> None:
    some = [
        record(1, run="a", scores=[score(1, "x", "2026-11-05"), score(1, "y", "2026-11-01")]),
        record(2, run="b", scores=[score(1, "x", "2026-11-05"), score(1, "y", "2026-11-06")]),
    ]
    path = build_project(tmp_path / "a.review", evaluations=some, runs=("a", "b"))
    with Project.open(path) as project:
        found = [chosen_score_set(project, run, "accuracy") for run in (1, 2)]
    assert [version.name for version in found if version] == ["x", "y"]
