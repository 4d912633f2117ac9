"""Queues and their items in the file: names in any case, and repeats that restart a state."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import labelers, queues, states
from reviewer.store.project import Project
from reviewer.store.queues import NewQueue
from tests.building import RUBRIC, build_project, record


def project_of(tmp_path: Path) -> Project:
    done: list[dict[str, Any]] = [
        {"metric": metric.name, "labeler": "ann", "value": 3} for metric in RUBRIC.metrics
    ]
    marks = [{"kind": kind, "labeler": "ann", "at": "2026-11-01"} for kind in ("flag", "reveal")]
    made = [record(1, labels=done, marks=marks), record(2), record(3)]
    return Project.open(build_project(tmp_path / "a.review", evaluations=made))


def add(project: Project, name: str = "Q") -> int:
    with project.write() as conn:
        me = labelers.ensure(conn, "ann")
        key = queues.add(project, NewQueue(name, "custom", "{}", "random", blind=True), me)
        queues.put_items(
            conn, key, me, [(3, "label", 0.5), (1, "repeat", None), (2, "gold", None)]
        )
    return key


def test_a_queue_is_found_by_its_name_in_any_case(tmp_path: Path) -> None:
    with project_of(tmp_path) as project:
        key = add(project)
        found = queues.find(project.conn, "q")
        assert found is not None
        assert (found.key, found.name, found.blind, found.is_open) == (key, "Q", True, True)
        assert found.labeler == "ann"
        assert queues.find(project.conn, "R") is None
        assert queues.read(project.conn, 99) is None
        with pytest.raises(ProjectError):
            add(project)
        other = add(project, "R")
        assert [row.key for row in queues.every(project.conn)] == [other, key]
        with project.write() as conn:
            queues.set_open(conn, key, is_open=False)
            queues.rename(conn, key, "S")
            queues.delete(conn, other)
        assert [(row.name, row.is_open) for row in queues.every(project.conn)] == [("S", False)]


def test_items_stand_in_order_with_their_states(tmp_path: Path) -> None:
    with project_of(tmp_path) as project:
        key = add(project)
        items = queues.items(project.conn, key, 1)
        assert [(x.evaluation, x.kind, x.prob, x.complete) for x in items] == [
            (3, "label", 0.5, False), (1, "repeat", None, True), (2, "gold", None, False),
        ]  # fmt: skip
        assert queues.chance(project.conn, key, 1, 3) == ("label", 0.5)
        assert queues.chance(project.conn, key, 2, 3) is None
        assert queues.people(project.conn, key) == [(1, "ann")]
        assert queues.of_labeler(project.conn, 1) == [key]
        assert queues.waiting_repeats(project.conn, 1) == [1]
        with project.write() as conn:
            conn.execute("UPDATE evaluations SET hidden = 1 WHERE id = 3")
        assert [x.evaluation for x in queues.items(project.conn, key, 1)] == [1, 2]


def test_a_repeat_restarts_the_state_and_survives_a_refresh(tmp_path: Path) -> None:
    with project_of(tmp_path) as project:
        key = add(project)
        assert states.read(project.conn, 1, 1).complete
        repeat = queues.items(project.conn, key, 1)[1]
        with project.write():
            since = queues.begin_repeat(project, key, 1, repeat)
        again = states.State(repeat_from=since)
        assert states.read(project.conn, 1, 1) == again
        assert not queues.has_waiting(project.conn, key, 1)
        assert queues.begun(project.conn, key, 1) == 1
        with project.write() as conn:
            states.refresh(conn, [1, 2, 3])
        assert states.read(project.conn, 1, 1) == again
        assert states.answered(project.conn, 1, 1, ["accuracy"]) == frozenset()
        assert states.of_labeler(project.conn, 1)[1] == again
