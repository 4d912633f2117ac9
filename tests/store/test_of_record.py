"""Which score set counts."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.store import of_record
from reviewer.store.of_record import Record, chosen_score_set
from reviewer.store.project import Project
from tests.building import build_project, record


def score(value: int | None, scorer: str, at: str | None, **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "value": value, "scorer": scorer, **more}
    return fields if at is None else fields | {"at": at}


VERSIONS = [
    score(1, "j", "2026-11-02", scorer_version="1"),
    score(2, "j", "2026-11-03", scorer_version="2"),
    score(3, "k", "2026-11-04", scorer_version="1", parameters={"strict": True}),
    score(3, "k", "2026-11-04", scorer_version="1", parameters={"strict": False}),
]


@pytest.mark.parametrize(
    ("scores", "scorer", "name"),
    [
        ([], None, None),
        ([score(1, "old", "2020-01-01")], None, "old"),
        ([score(1, "old", None)], None, "old"),
        # not the newer one, but of those that scored as many the first of the file
        ([score(1, "a", "2026-11-01"), score(2, "b", "2026-11-02")], None, "a"),
        # a score without value scored nothing
        ([score(None, "b", "2026-11-02", error="x"), score(1, "a", "2026-11-01")], None, "a"),
        ([score(1, "a", "2026-11-02"), score(2, "b", "2026-11-01")], "b", "b"),
        # who did not score it leaves the record alone
        ([score(1, "a", "2026-11-02"), score(2, "b", "2026-11-01")], "c", "a"),
        (VERSIONS, None, "j@1"),
        (VERSIONS, "j@2", "j@2"),
        (VERSIONS, "j", "j@1"),
        (VERSIONS, "k@1 strict=false", "k@1 strict=false"),
    ],
)  # fmt: skip
def test_the_version_of_record_counts_unless_another_is_named(
    tmp_path: Path, scores: list[dict[str, Any]], scorer: str | None, name: str | None
) -> None:
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=scores)])
    with Project.open(path) as project:
        found = chosen_score_set(project, 1, "accuracy", scorer)
        assert (found.name if found else None) == name
        assert chosen_score_set(project, 1, "no such metric") is None


def test_a_name_of_several_versions_beside_the_record_is_refused(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=VERSIONS)])
    with (
        Project.open(path) as project,
        pytest.raises(ReviewerError, match=r"k@1 strict=true, k@1 strict=false"),
    ):
        chosen_score_set(project, 1, "accuracy", "k@1")


def test_the_version_that_scored_most_is_fixed_and_each_run_has_its_own(tmp_path: Path) -> None:
    some = [
        record(1, run="a", scores=[score(1, "x", "2026-11-05")]),
        record(2, run="a", scores=[score(1, "x", "2026-11-05"), score(1, "y", "2026-11-01")]),
        record(3, run="b", scores=[score(1, "x", "2026-11-05"), score(1, "y", "2026-11-06")]),
        record(4, run="b", scores=[score(1, "y", "2026-11-06")]),
    ]
    path = build_project(tmp_path / "a.review", evaluations=some, runs=("a", "b"))
    with Project.open(path) as project:
        found = [chosen_score_set(project, run, "accuracy") for run in (1, 2)]
    assert [version.name for version in found if version] == ["x", "y"]


def test_what_is_named_stands_and_is_taken_back_step_by_step(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=VERSIONS)])

    def name() -> str:
        found = chosen_score_set(project, 1, "accuracy")
        return found.name if found else ""

    with Project.open(path) as project, project.write() as conn:
        metric = conn.execute("SELECT id FROM metrics WHERE name = 'accuracy'").fetchone()[0]
        ann = conn.execute("INSERT INTO labelers(name) VALUES ('ann') RETURNING id").fetchall()[0][
            0
        ]
        entries = []
        for score_set in (2, 3):
            wanted = Record(run=1, metric=metric, score_set=score_set)
            entries.append(of_record.name(project, wanted, labeler=ann))
        assert name() == "k@1 strict=true"
        back = of_record.take_back(project, entries[-1], labeler=ann)
        assert name() == "j@2"
        last = of_record.take_back(project, back, labeler=ann)
        assert name() == "j@1"
        with pytest.raises(ReviewerError, match="An import or a job fixed this version"):
            of_record.take_back(project, last, labeler=ann)
        with pytest.raises(ReviewerError, match="meanwhile"):
            of_record.name(
                project,
                Record(run=1, metric=metric, score_set=2),
                labeler=ann,
                expected=entries[0],
            )
        of_record.fix(project, {(1, metric): {4: 9}})
        assert name() == "j@1"
        assert [x.kind for x in of_record.history(conn) if x.metric == metric] == [
            "fixed", "named", "named", "undone", "undone",
        ]  # fmt: skip
