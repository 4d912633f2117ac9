"""The history of marks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.domain.evaluation import Mark
from reviewer.store import labelers, marks
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.open(build_project(tmp_path / "small.review", evaluations=2)) as project:
        yield project


def put(project: Project, labeler: str = "ann", **fields: Any) -> marks.Entry:
    mark = Mark(evaluation=1, labeler=labeler, at="2026-11-20", **fields)
    with project.write() as conn:
        key = labelers.ensure(conn, labeler)
        return marks.append(conn, replace(mark, seq=project.next_seq()), labeler=key)


def test_what_is_appended_reads_back(project: Project) -> None:
    for fields in (
        {"kind": "highlight", "turn": 2, "start": 1, "end": 9, "note": "made up"},
        {"kind": "reveal", "value": "complete"},
        {"kind": "skip", "value": False},
        {"kind": "flag", "value": True},
    ):
        entry = put(project, **fields)
        assert marks.read(project.conn, entry.key) == entry


def test_a_later_mark_on_the_same_thing_replaces_an_earlier(project: Project) -> None:
    put(project, kind="flag", value=True)
    first = put(project, kind="highlight", start=1, end=4, note="a")
    other = put(project, kind="highlight", start=1, end=5)
    put(project, "bo", kind="highlight", start=1, end=4)
    put(project, kind="flag", value=False)
    newer = put(project, kind="highlight", start=1, end=4, note="b")
    current = marks.current(project.conn, 1)
    assert [entry.key for entry in current] == [other.key, other.key + 1, newer.key]
    found = marks.newest(marks.history(project.conn, 1), first.thing)
    assert found == newer
    assert len(marks.history(project.conn, 1)) == 6
    assert marks.history(project.conn, 2) == []


def test_since_reads_in_the_order_of_changes(project: Project) -> None:
    entries = [put(project, kind="flag", value=value) for value in (True, False, True)]
    assert marks.since(project.conn, entries[0].mark.seq, 9) == entries[1:]
