"""Current entries and states worked out in bulk: which entry counts, and what is complete."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.store import labels, states
from reviewer.store.project import Project
from reviewer.store.rubrics import packed
from tests.building import RUBRIC, build_project, record

METRICS = [metric.name for metric in RUBRIC.metrics]


def label(metric: str, value: int | None, at: str | None = None, **more: Any) -> dict[str, Any]:
    fields = {"metric": metric, "labeler": "ann", "value": value} | more
    return fields if at is None else fields | {"at": at}


def project_of(tmp_path: Path, *people: dict[str, Any]) -> Project:
    records = [record(number, **fields) for number, fields in enumerate(people, start=1)]
    return Project.open(build_project(tmp_path / "small.review", evaluations=records))


def values(project: Project, evaluation: int = 1) -> list[tuple[str, object, str]]:
    return [
        (x.label.labeler, x.label.value, x.label.kind)
        for x in labels.current(project.conn, evaluation)
    ]


@pytest.mark.parametrize(
    ("entries", "current"),
    [
        # the latest time counts, whatever the order in the file
        ([label("accuracy", 2, "2026-11-02T00:00:00Z"), label("accuracy", 1, "2026-11-01")], 2),
        # as moments, not as texts
        (
            [
                label("accuracy", 1, "2026-11-01T12:00:00+02:00"),
                label("accuracy", 2, "2026-11-01T11:00:00Z"),
            ],
            2,
        ),
        # no time is the earliest
        ([label("accuracy", 2, "1990-01-01"), label("accuracy", 1)], 2),
        # of equal times the later in the file
        ([label("accuracy", 1, "2026-11-01"), label("accuracy", 2, "2026-11-01")], 2),
        ([label("accuracy", 1), label("accuracy", 2)], 2),
        # no older one comes back
        (
            [
                label("accuracy", 1, "2026-11-01"),
                label("accuracy", None, "2026-11-02", kind="withdrawn"),
            ],
            None,
        ),
    ],
)
def test_one_entry_of_a_labeler_is_current(
    tmp_path: Path, entries: list[dict[str, Any]], current: int | None
) -> None:
    with project_of(tmp_path, {"labels": entries}) as project:
        assert [value for _, value, _ in values(project)] == [current]


def test_a_decision_stays_beside_later_labels_until_withdrawn(tmp_path: Path) -> None:
    decided = [
        label("accuracy", 4, "2026-11-02", kind="adjudication"),
        label("accuracy", 3, "2026-11-03"),
    ]
    taken_back = [*decided, label("accuracy", None, "2026-11-04", kind="withdrawn")]
    again = [*taken_back, label("accuracy", 5, "2026-11-05", kind="adjudication")]
    people = ({"labels": decided}, {"labels": taken_back}, {"labels": again})
    with project_of(tmp_path, *people) as project:
        assert values(project, 1) == [("ann", 4, "adjudication"), ("ann", 3, "label")]
        assert values(project, 2) == [("ann", None, "withdrawn")]
        assert values(project, 3) == [("ann", None, "withdrawn"), ("ann", 5, "adjudication")]


def state_of(project: Project, evaluation: int) -> states.State:
    return states.read(project.conn, 1, evaluation)


def test_labels_and_not_applicable_answer_a_metric(tmp_path: Path) -> None:
    some = [label("relevance", 3), label("accuracy", None, kind="not_applicable")]
    complete = [*some, label("safety", 5)]
    turned = [*some, label("safety", 5, turn=2)]
    decided = [*some, label("safety", 5, kind="adjudication")]
    people = [{"labels": x} for x in (some, complete, turned, decided)]
    with project_of(tmp_path, *people) as project:
        found = [(x.answered, x.complete) for x in (state_of(project, n) for n in (1, 2, 3, 4))]
    assert found == [(2, False), (3, True), (2, False), (2, False)]


def test_of_marks_the_last_one_counts_and_a_reveal_stays(tmp_path: Path) -> None:
    def mark(kind: str, **more: Any) -> dict[str, Any]:
        return {"kind": kind, "labeler": "ann", "at": "2026-11-01"} | more

    people = (
        {"marks": [mark("skip"), mark("flag"), mark("skip", value=False)]},
        {"marks": [mark("flag", value=False), mark("flag", value=True), mark("reveal")]},
    )
    with project_of(tmp_path, *people) as project:
        assert state_of(project, 1) == states.State(flagged=True)
        assert state_of(project, 2) == states.State(flagged=True, revealed=True)


def test_a_flag_on_one_metric_is_not_ended_by_another_ones(tmp_path: Path) -> None:
    def flag(metric: str | None, day: int, **more: Any) -> dict[str, Any]:
        fields = {"kind": "flag", "labeler": "ann", "at": f"2026-11-{day:02}"} | more
        return fields if metric is None else fields | {"metric": metric}

    people = (
        {"marks": [flag("accuracy", 1), flag("safety", 2), flag("safety", 3, value=False)]},
        {"marks": [flag("accuracy", 1), flag("accuracy", 2, value=False), flag(None, 1)]},
        {"marks": [flag("accuracy", 1), flag("accuracy", 2, value=False)]},
    )
    with project_of(tmp_path, *people) as project:
        assert [state_of(project, n).flagged for n in (1, 2, 3)] == [True, True, False]


def test_refreshing_again_changes_nothing_and_touches_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - the same labels every time
    people = [
        {
            "labels": [
                label(
                    chance.choice(METRICS),
                    chance.randint(1, 5),
                    f"2026-11-{chance.randint(1, 9)}",
                    labeler=chance.choice(["ann", "bo"]),
                )
                for _ in range(12)
            ]
        }
        for _ in range(6)
    ]
    with project_of(tmp_path, *people) as project:

        def everything() -> list[Any]:
            queries = ("SELECT * FROM current_labels", "SELECT * FROM states")
            return [project.conn.execute(query).fetchall() for query in queries]

        before = everything()
        with project.write() as conn:
            states.refresh(conn, range(1, 7))
        assert everything() == before
        with project.write() as conn:
            conn.execute("DELETE FROM current_labels WHERE evaluation IN (2, 3)")
            states.refresh(conn, [2])
        rows = {evaluation for evaluation, *_ in everything()[0]}
        assert rows == {1, 2, 4, 5, 6}


def test_a_new_version_of_the_rubric_changes_what_is_complete(tmp_path: Path) -> None:
    done = {"labels": [label(name, 3) for name in METRICS]}
    with project_of(tmp_path, done) as project:
        assert state_of(project, 1).complete
        fewer = replace(RUBRIC, version="2", metrics=RUBRIC.metrics[:2])
        more = replace(RUBRIC.metrics[0], name="tone")
        wider = replace(RUBRIC, version="3", metrics=(*RUBRIC.metrics, more))
        for rubric, expected in ((wider, (3, False)), (fewer, (2, True))):
            with project.write() as conn:
                conn.execute(
                    "INSERT INTO rubric_versions(rubric, version, body, created_at, seq) "
                    "VALUES (1, ?, ?, '', ?)",
                    (rubric.version, packed(rubric), project.next_seq()),
                )
                states.refresh(conn, states.evaluations_of_rubric(conn, 1))
            found = state_of(project, 1)
            assert (found.answered, found.complete) == expected
