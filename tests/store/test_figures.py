from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition
from tests.building import build_project, record

ALL = Condition("1")


def label(value: Any, labeler: str = "ann", **more: Any) -> dict[str, Any]:
    return {
        "metric": "accuracy",
        "labeler": labeler,
        "value": value,
        "at": "2026-11-10T00:00:00Z",
        **more,
    }


def built(tmp_path: Path, *cases: dict[str, Any]) -> Project:
    return Project.open(build_project(tmp_path / "p.review", evaluations=cases))


def values(project: Project, **scope: Any) -> list[Any]:
    return figures.read_labels(project, Scope(**scope)).values


def test_dates_come_as_microseconds_and_missing_ones_as_such(tmp_path: Path) -> None:
    undated = record(2)
    del undated["evaluated_at"]
    with built(tmp_path, record(1), undated) as project:
        found = figures.read_evaluations(project, ALL)
    assert found.keys.tolist() == [1, 2]
    expected = datetime(2026, 11, 2, 12, tzinfo=UTC).timestamp() * 1_000_000
    assert found.dates.tolist() == [expected, figures.UNDATED]


def test_a_version_is_in_use_where_it_scored(tmp_path: Path) -> None:
    runs = ("scored", "bare")
    cases = [record(1, run="scored"), record(2, run="bare", scores=[])]
    path = build_project(tmp_path / "p.review", evaluations=cases, runs=runs)
    with Project.open(path) as project:
        metric = figures.metric_keys(project)["accuracy"]
        used = [
            figures.score_sets_in_use(project, metric, Condition("e.run = ?", (run,)))
            for run in (1, 2)
        ]
    assert used == [[1], []]


def test_the_first_score_of_a_version_is_read(tmp_path: Path) -> None:
    scores = [
        {"metric": "accuracy", "value": 2, "scorer": "judge", "at": "2026-11-02"},
        {"metric": "accuracy", "value": 5, "scorer": "judge", "at": "2026-11-03"},
        {"metric": "accuracy", "value": None, "scorer": "judge", "error": "no reply",
         "at": "2026-11-04"},
        {"metric": "accuracy", "value": 1, "scorer": "judge", "turn": 0, "at": "2026-11-05"},
        {"metric": "accuracy", "value": 3, "scorer": "other", "at": "2026-11-01"},
    ]  # fmt: skip
    with built(tmp_path, record(1, scores=scores)) as project:
        metric = figures.metric_keys(project)["accuracy"]
        names = {x.key: x.name for x in figures.scorer_versions(project)}
        used = figures.score_sets_in_use(project, metric, ALL)
        assert [names[key] for key in used] == ["judge", "other"]
        assert list(figures.read_scores(project, metric, used[0])) == [((2,), [1], "1")]
        assert figures.scores_of(project, 1) == {
            ("accuracy", used[0]): 2, ("accuracy", used[1]): 3,
        }  # fmt: skip


def test_current_entries_count_and_withdrawn_ones_do_not(tmp_path: Path) -> None:
    later = "2026-11-11T00:00:00Z"
    labels = [
        label(2),
        label(4, at=later),
        label(5, "bob"),
        label(None, "bob", kind="withdrawn", at=later),
        label(None, "cyd", kind="not_applicable"),
        label(1, "dee", turn=1),
        label(3, "lead", kind="adjudication"),
    ]
    with built(tmp_path, record(1, labels=labels)) as project:
        assert values(project) == [4, 3]
        assert values(project, labelers=("ann", "lead")) == [4]
        rows = figures.read_labels_of(project, 1, frozenset(), blind_only=False)
        assert [row[3] for row in rows] == [4, 3]
        with pytest.raises(ReviewerError, match="no labeler 'zoe'"):
            values(project, labelers=("zoe",))


def test_blind_entries_are_the_newest_known_to_be_blind(tmp_path: Path) -> None:
    labels = [
        label(2, blind=True),
        label(3, blind=True, at="2026-11-11T00:00:00Z"),
        label(5, blind=False, at="2026-11-12T00:00:00Z"),
        label(4, "bob"),
    ]
    with built(tmp_path, record(1, labels=labels)) as project:
        assert values(project, blind_only=True) == [3]
        assert values(project) == [5, 4]


def test_what_was_begun_and_not_finished_is_hidden(tmp_path: Path) -> None:
    reveal = {"kind": "reveal", "labeler": "ann", "at": "2026-11-10"}
    cases = [
        record(1, labels=[label(3)]),
        record(2, labels=[label(3)], marks=[reveal]),
        record(3),
        record(4, labels=[label(3) | {"metric": x} for x in ("accuracy", "relevance", "safety")]),
    ]
    with built(tmp_path, *cases) as project:
        (ann,) = figures.labeler_keys(project, ("ann",))
        assert figures.hidden_from(project, ann).tolist() == [1]
        assert [figures.is_open_to(project, ann, key) for key in (1, 2, 3, 4)] == [
            True, False, True, False,
        ]  # fmt: skip


def test_groups_stand_in_the_order_of_evaluations(tmp_path: Path) -> None:
    with built(tmp_path, record(1, tier=2), record(2, meta={"tier": "x"}), record(3)) as project:
        assert figures.read_groups(project, ALL, "tier") == ["2", "x", None]
        assert figures.read_groups(project, ALL, "category") == [
            "policies", "directions", "amenities",
        ]  # fmt: skip


def test_what_was_touched_since_is_found_once(tmp_path: Path) -> None:
    with built(tmp_path, record(1, labels=[label(1), label(2, "bob")]), record(2)) as project:
        assert figures.touched_since(project, 0, 10) == [1]
        with figures.snapshot(project) as seq:
            assert figures.touched_since(project, seq, 10) == []


def test_a_snapshot_sees_one_moment(tmp_path: Path) -> None:
    with built(tmp_path, record(1)) as project, closing(Project.open(project.path)) as other:
        with figures.snapshot(project) as seq:
            with other.write():
                other.next_seq()
            with figures.snapshot(project) as again:
                assert again == seq
        with figures.snapshot(project) as after:
            assert after == seq + 1
