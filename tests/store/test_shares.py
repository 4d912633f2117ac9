"""What of a project waits to be sent."""

from pathlib import Path

from reviewer.store import shares
from reviewer.store.project import Project
from tests.building import build_project, record


def steps(project: Project, after: int) -> int:
    """Count how far SQLite goes to tell whether anything comes, in hundreds of instructions."""
    taken = 0

    def one() -> None:
        nonlocal taken
        taken += 1

    project.conn.set_progress_handler(one, 100)
    shares.is_free(project.conn, (after, shares.LAST))
    project.conn.set_progress_handler(None, 0)
    return taken


def test_parts_of_the_order_of_changes_are_asked_for(tmp_path: Path) -> None:
    labels = [{"metric": x, "labeler": "ann", "value": 3} for x in ("relevance", "accuracy")]
    path = build_project(
        tmp_path / "p.review", evaluations=[record(n, labels=labels) for n in range(500)]
    )
    with Project.open(path) as project:
        conn, first = project.conn, project.conn.execute("SELECT min(seq) FROM labels").fetchone()
        begin = int(first[0]) - 1
        (ann,) = conn.execute("SELECT id FROM labelers WHERE name = 'ann'").fetchone()
        whole, parts = [(0, shares.LAST)], [(begin, begin + 10), (begin + 900, shares.LAST)]
        for spans, count in ((whole, 1_000), (parts, 110), ([(1_000_000, shares.LAST)], 0)):
            for who in (None, ann):
                assert shares.waiting(conn, spans, who) == (count, count)
            made = shares.made_in(project, spans, 2_000)
            assert len(made) == count
            assert [x.seq for x in made] == sorted({x.seq for x in made})
        assert [x.seq - begin for x in shares.made_in(project, parts, 12)] == [
            *range(1, 11),
            901,
            902,
        ]
        assert shares.is_free(conn, (0, begin))
        assert not shares.is_free(conn, (begin, begin + 1))
        # a lead's file is asked for each page that comes
        assert steps(project, 0) <= 2
