"""The history of labels and the current entries beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.domain.evaluation import Label
from reviewer.store import labelers, labels, states
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.open(build_project(tmp_path / "small.review", evaluations=3)) as project:
        yield project


def put(
    project: Project,
    value: int | None,
    at: str,
    *,
    labeler: str = "ann",
    restored: labels.Entry | None = None,
    **fields: Any,
) -> labels.Entry:
    label = Label(evaluation=1, metric="accuracy", labeler=labeler, value=value, at=at, **fields)
    with project.write() as conn:
        return labels.append(
            conn,
            replace(label, seq=project.next_seq()),
            metric=labels.metric_key(conn, label.metric),
            labeler=labelers.ensure(conn, label.labeler),
            revision=1,
            restored=restored,
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
    standing = labels.standing(project.conn, 1, metric=metric, labeler=ann)
    assert standing == labels.Standing(later, decision, later)
    withdrawn = put(project, None, "t4", kind="withdrawn", of="label")
    standing = labels.standing(project.conn, 1, metric=metric, labeler=ann)
    assert standing == labels.Standing(withdrawn, decision, withdrawn)
    # one from before does not say what it ends
    put(project, None, "t5", kind="withdrawn")
    assert labels.standing(project.conn, 1, metric=metric, labeler=ann).decision is None


def test_a_decision_without_a_value_ends_the_decision_alone(project: Project) -> None:
    label = put(project, 2, "2026-11-20T10:00:00Z")
    put(project, 4, "2026-11-20T10:01:00Z", kind="adjudication")
    put(project, None, "2026-11-20T10:02:00Z", kind="adjudication")
    found = labels.standing(project.conn, 1, metric=label.metric, labeler=label.labeler)
    assert found == labels.Standing(label, None, label)
    assert labels.current(project.conn, 1) == [label]


def test_a_comment_ends_nothing_and_shows_beside_the_label(project: Project) -> None:
    alone = put(project, None, "2026-11-20T10:00:00Z", kind="comment", comment="which one?")
    assert labels.current(project.conn, 1) == [alone]
    label = put(project, 2, "2026-11-20T10:01:00Z", blind=True)
    assert labels.current(project.conn, 1) == [label]
    later = put(project, None, "2026-11-20T10:02:00Z", kind="comment", comment="the first")
    found = labels.standing(project.conn, 1, metric=label.metric, labeler=label.labeler)
    assert found == labels.Standing(label, None, later)
    shown = labels.current(project.conn, 1)
    assert [(x.key, x.label.value, x.label.blind, x.label.comment) for x in shown] == [
        (label.key, 2, True, "the first")
    ]
    assert labels.said_before(project.conn, later) == label
    assert labels.before(project.conn, label) is None


def test_what_is_restored_takes_the_place_of_what_it_restores(project: Project) -> None:
    early = put(project, 2, "2026-11-20T10:00:00Z", kind="adjudication")
    other = put(project, 3, "2026-11-20T10:01:00Z", kind="adjudication", labeler="bo")
    put(project, 5, "2026-11-20T10:02:00Z", kind="adjudication")
    back = put(project, 2, "2026-11-20T10:03:00Z", kind="adjudication", restored=early)
    assert (back.label.restores, back.first) == (early.uid, early.label.seq)
    assert labels.origin(project.conn, back) == early
    assert labels.current(project.conn, 1) == [back, other]
    row = project.conn.execute(
        "SELECT label, place, at_us FROM current_labels WHERE labeler = ?", (back.labeler,)
    ).fetchone()
    assert row == (back.key, early.key, early.at_us)
    with project.write() as conn:
        states.refresh(conn, [1])
    assert labels.current(project.conn, 1) == [back, other]


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
    assert labels.live_time([None, ahead]) == "2199-01-01T00:00:00+05:30"
    text = labels.live_time([])
    assert text.endswith("Z")
    assert text > "2024-01-01"


def test_since_reads_in_the_order_of_changes_up_to_a_limit(project: Project) -> None:
    entries = [put(project, value, "t") for value in (1, 2, 3)]
    start = entries[0].label.seq
    assert labels.since(project.conn, start, 10) == entries[1:]
    assert labels.since(project.conn, start, 1) == entries[1:2]
