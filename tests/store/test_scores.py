"""What counts of values that one version gave more than once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.store import of_record
from reviewer.store.of_record import Record
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record


def said(value: int, at: str | None = None) -> dict[str, Any]:
    return {"metric": "accuracy", "value": value, "scorer": "judge"} | ({"at": at} if at else {})


@pytest.mark.parametrize(
    ("policy", "counts"),
    [
        ("newest", (4, "2026-11-03")),
        ("mean", (2.5, "2026-11-03")),
        ("median", (2.0, "2026-11-03")),
    ],
)
def test_repeats_count_by_their_times_whatever_order_they_came_in(
    tmp_path: Path, policy: Any, counts: tuple[float, str]
) -> None:
    scores = [said(2, "2026-11-02"), said(4, "2026-11-03"), said(2), said(2, "2026-11-01")]
    path = build_project(
        tmp_path / "p.review",
        evaluations=[record(1, scores=scores)],
        rubric=replace(RUBRIC, repeat_policy=policy),
    )
    with Project.open(path) as project:
        conn = project.conn
        ((metric, score_set),) = conn.execute("SELECT DISTINCT metric, score_set FROM scores")
        with project.write():
            who = conn.execute("INSERT INTO labelers(name) VALUES ('lead') RETURNING id")
            wanted = Record(run=1, metric=metric, score_set=score_set, with_repeats=True)
            of_record.name(project, wanted, labeler=who.fetchall()[0][0])
        found = conn.execute("SELECT value, at FROM scores WHERE latest = 1").fetchall()
    assert found == [counts]
