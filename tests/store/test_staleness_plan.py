"""Looking for what lags behind asks for one score a label, however many scores there are."""

from pathlib import Path

from reviewer.store.project import Project
from reviewer.store.scoping import Condition
from reviewer.store.staleness import lag
from tests.building import build_project


def test_each_label_looks_its_score_up_by_key(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review", evaluations=3)
    asked: list[str] = []
    with Project.open(path) as project:
        project.conn.set_trace_callback(asked.append)
        lag(project, Condition(sql="1"), metric=1, rubric_version="1", scorer=(1, "judge@2"))
        project.conn.set_trace_callback(None)
        (query,) = [x for x in asked if "current_labels" in x]
        plan = [row[3] for row in project.conn.execute(f"EXPLAIN QUERY PLAN {query}")]
    looked_up = [line for line in plan if line.startswith(("SEARCH s ", "SCAN s"))]
    key = "SEARCH s USING PRIMARY KEY (evaluation=? AND metric=? AND score_set=? AND turn=?)"
    assert looked_up == [key, key]
