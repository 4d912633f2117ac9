"""What was scored or labelled twice, and which answers stayed the same."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.store import repeats
from reviewer.store.project import Project
from tests.building import build_project, record


def scored(value: int | None, **more: Any) -> dict[str, Any]:
    return {"metric": "accuracy", "value": value, "scorer": "judge", **more}


def labelled(value: int, at: str, **more: Any) -> dict[str, Any]:
    return {
        "metric": "accuracy", "labeler": "ann", "value": value, "at": at, "blind": True, **more
    }  # fmt: skip


def test_all_values_without_error_of_a_repeated_score_are_read(tmp_path: Path) -> None:
    again = [scored(4), scored(2), scored(None, error="timeout"), scored(5, scorer="other")]
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=again), record(2)])
    calls: list[int] = []
    with Project.open(path) as project:
        found = repeats.read_repeats(project, (1, 2), lambda: calls.append(1))
    assert found.values == [4, 2]
    assert list(found.evaluations) == [1, 1]
    assert len(set(found.score_sets)) == 1
    assert calls


def test_reading_stops_where_it_is_told_to(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyError

    with (
        Project.open(build_project(tmp_path / "a.review", evaluations=1)) as project,
        pytest.raises(KeyError),
    ):
        repeats.read_repeats(project, (1, 1), stop)


def test_only_blind_labels_given_twice_are_read(tmp_path: Path) -> None:
    twice = [labelled(4, "2026-11-01T10:00:00Z"), labelled(3, "2026-11-02T10:00:00Z")]
    seen = [twice[0], {**twice[1], "blind": False}]
    path = build_project(
        tmp_path / "a.review", evaluations=[record(1, labels=twice), record(2, labels=seen)]
    )
    with Project.open(path) as project:
        found = repeats.read_relabels(project)
    assert list(found.evaluations) == [1, 1]
    assert found.values == [4, 3]
    assert list(found.revisions) == [1, 1]


def turn(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def test_the_same_question_and_answer_are_the_same(tmp_path: Path) -> None:
    talk = [turn("user", "hi"), turn("assistant", "hello")]
    later = [{**one, "at": "2026-11-01T00:00:00Z"} for one in talk]
    other = [turn("user", "ho"), talk[1]]
    records = [
        record(1, input="q", response="a"),
        record(2, input="q", response="a"),
        record(3, input="q", response="a "),
        record(4, input="p", response="a"),
        record(5, input="q", response=None),
        record(6, input="q", messages=talk, response="hello"),
        record(7, input="q", messages=later, response="hello"),
        record(8, input="q", messages=other, response="hello"),
    ]
    with Project.open(build_project(tmp_path / "a.review", evaluations=records)) as project:
        pairs = [(1, 2), (1, 3), (1, 4), (5, 5), (6, 7), (6, 8), (1, 6)]
        assert repeats.same_texts(project, pairs) == [
            True, False, False, False, True, False, False
        ]  # fmt: skip
