"""The history of labels and the current entries beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.domain.label import Label
from reviewer.store import labelers, labels
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.open(build_project(tmp_path / "small.review", evaluations=3)) as project:
        yield project


def put(project: Project, value: int | None, at: str, **fields: Any) -> labels.Entry:
    label = Label(evaluation=1, metric="accuracy", labeler="ann", value=value, at=at, **fields)
    with project.write() as conn:
        return labels.append(
            conn,
            replace(label, seq=project.next_seq()),
            metric=labels.metric_key(conn, label.metric),
            labeler=labelers.ensure(conn, label.labeler),
            at_us=1,
            revision=1,
        )


def test_what_is_appended_reads_back_with_every_field(project: Project) -> None:
    entry = put(
        project, 4, "2026-11-20T10:00:00Z", comment="clear", blind=True, seconds=2.5,
        rubric_version="1", judge_version="judge@2", selection_reason="random", selection_prob=0.1,
    )  # fmt: skip
    assert labels.read(project.conn, entry.key) == entry
    assert labels.current(project.conn, 1) == [entry]
    assert labels.history(project.conn, 1) == [entry]


def test_a_decision_stands_beside_a_label_until_it_is_withdrawn(project: Project) -> None:
    put(project, 2, "t1")
    decision = put(project, 4, "t2", kind="adjudication")
    later = put(project, 3, "t3")
    metric, ann = later.metric, later.labeler
    standing = labels.current_of(project.conn, 1, metric=metric, labeler=ann)
    assert standing == [later, decision]
    put(project, None, "t4", kind="withdrawn")
    standing = labels.current_of(project.conn, 1, metric=metric, labeler=ann)
    assert [entry.label.kind for entry in standing] == ["withdrawn"]


def test_before_is_what_was_current_when_an_entry_arrived(project: Project) -> None:
    first, second, third = (put(project, value, "t") for value in (1, 2, 3))
    assert labels.before(project.conn, first) is None
    assert labels.before(project.conn, second) == first
    assert labels.before(project.conn, third) == second


def test_a_live_time_never_lies_before_what_it_follows() -> None:
    ahead = labels.Entry(
        key=1,
        label=Label(
            evaluation=1, metric="a", labeler="ann", value=1, at="2199-01-01T00:00:00+05:30"
        ),
        metric=1,
        labeler=1,
        at_us=7_226_562_600_000_000,
    )
    assert labels.live_time([ahead]) == ("2199-01-01T00:00:00+05:30", 7_226_562_600_000_000)
    text, micros = labels.live_time([])
    assert text.endswith("Z")
    assert micros > 1_700_000_000_000_000


def test_since_reads_in_the_order_of_changes_up_to_a_limit(project: Project) -> None:
    entries = [put(project, value, "t") for value in (1, 2, 3)]
    start = entries[0].label.seq
    assert labels.since(project.conn, start, 10) == entries[1:]
    assert labels.since(project.conn, start, 1) == entries[1:2]
