"""Scores that a job makes, added beside what is there."""

from pathlib import Path

from reviewer.store import new_scores
from reviewer.store.project import Project


def test_a_block_looks_at_its_own_evaluations_only(tmp_path: Path) -> None:
    seen: list[str] = []
    with Project.create(tmp_path / "p.review") as project:
        project.hasty()
        with project.write() as conn:
            new_scores.add_changed(conn, [new_scores.row(1, 1, 1, {"value": 1.0})], 1)
            conn.set_trace_callback(seen.append)
            again = [
                new_scores.row(*x) for x in ((1, 1, 1, {"value": 2.0}), (2, 1, 1, {"value": 1.0}))
            ]
            new_scores.add_changed(conn, again, 1)
            conn.set_trace_callback(None)
            known = next(x for x in seen if "BETWEEN 1 AND 2" in x)
            plan = conn.execute(f"EXPLAIN QUERY PLAN {known}").fetchone()[3]
            found = conn.execute("SELECT evaluation, ordinal, value FROM scores ORDER BY 1, 2")
            assert found.fetchall() == [(1, 0, 1.0), (1, 1, 2.0), (2, 0, 1.0)]
    # an index of all that was scored would make a job slower with every block
    assert "USING PRIMARY KEY (evaluation>? AND evaluation<?)" in plan
