"""What of a project waits to be sent."""

from pathlib import Path

from reviewer.store import shares
from reviewer.store.project import Project
from tests.building import build_project, record


def steps(project: Project, seq: int, most: int) -> int:
    """Count how far SQLite goes to count what waits, in thousands of its instructions."""
    taken = 0

    def one() -> None:
        nonlocal taken
        taken += 1

    project.conn.set_progress_handler(one, 1_000)
    shares.waiting(project.conn, seq, most=most)
    project.conn.set_progress_handler(None, 0)
    return taken


def test_no_more_is_counted_than_one_asks_for(tmp_path: Path) -> None:
    labels = [{"metric": x, "labeler": "ann", "value": 3} for x in ("relevance", "accuracy")]
    path = build_project(
        tmp_path / "p.review", evaluations=[record(n, labels=labels) for n in range(500)]
    )
    with Project.open(path) as project:
        assert shares.waiting(project.conn, 0) == 1_000
        assert shares.waiting(project.conn, 0, most=7) == 7
        assert shares.waiting(project.conn, 0, project.conn.execute(
            "SELECT id FROM labelers WHERE name = 'ann'").fetchone()[0], most=3) == 3  # fmt: skip
        assert shares.waiting(project.conn, 1_000_000, most=7) == 0
        # a lead's file is asked for each page that comes
        assert steps(project, 0, most=7) < 3 < steps(project, 0, most=-1)
