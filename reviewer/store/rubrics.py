"""The rubrics of a project and their versions; nothing is overwritten."""

import json

from reviewer.domain.evaluation import now_text
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_keys import keys_of, rubric_of
from reviewer.store import states
from reviewer.store.project import Project
from reviewer.store.query import values_of


def names(project: Project) -> tuple[str, ...]:
    """Give the names of the rubrics, that of the newest run first."""
    return tuple(
        values_of(
            project.conn,
            "SELECT b.name FROM rubrics b LEFT JOIN runs r ON r.rubric = b.id "
            "GROUP BY b.id ORDER BY max(ifnull(r.id, 0)) DESC, b.id",
        )
    )


def versions(project: Project, name: str) -> tuple[Rubric, ...]:
    """Give every version of a rubric, the newest first."""
    rows = project.conn.execute(
        "SELECT v.body FROM rubric_versions v JOIN rubrics b ON b.id = v.rubric "
        "WHERE b.name = ? ORDER BY v.seq DESC",
        (name,),
    )
    return tuple(rubric_of(json.loads(body)) for (body,) in rows)


def dates(project: Project, name: str) -> tuple[tuple[str, str], ...]:
    """Give every version of a rubric with the moment it was added, the oldest first."""
    rows = project.conn.execute(
        "SELECT v.version, v.created_at FROM rubric_versions v JOIN rubrics b ON b.id = v.rubric "
        "WHERE b.name = ? ORDER BY v.seq",
        (name,),
    )
    return tuple((str(version), str(at)) for version, at in rows)


def packed(rubric: Rubric) -> str:
    """Write a rubric as text for its column."""
    return json.dumps(keys_of(rubric), ensure_ascii=False, separators=(",", ":"))


def of_run(project: Project, run: str) -> str | None:
    """Give the name of a run's rubric, None where there is no such run."""
    row = project.conn.execute(
        "SELECT b.name FROM runs r JOIN rubrics b ON b.id = r.rubric WHERE r.name = ?", (run,)
    ).fetchone()
    return None if row is None else str(row[0])


def add(project: Project, rubric: Rubric) -> None:
    """Add a version; the states of everybody on that rubric's evaluations follow it."""
    with project.write() as conn:
        conn.execute("INSERT OR IGNORE INTO rubrics(name) VALUES (?)", (rubric.name,))
        key = conn.execute("SELECT id FROM rubrics WHERE name = ?", (rubric.name,)).fetchone()[0]
        conn.execute(
            "INSERT INTO rubric_versions(rubric, version, body, created_at, seq) "
            "VALUES (?, ?, ?, ?, ?)",
            (key, str(rubric.version), packed(rubric), now_text(), project.next_seq()),
        )
        touched = states.evaluations_of_rubric(conn, key)
        if touched:
            states.refresh(conn, touched)


def drop_unused(project: Project, name: str) -> None:
    """Remove a rubric that no run uses, as after a cancelled import."""
    with project.write() as conn:
        unused = (
            "SELECT id FROM rubrics WHERE name = ? AND NOT EXISTS "
            "(SELECT 1 FROM runs WHERE runs.rubric = rubrics.id)"
        )
        conn.execute(f"DELETE FROM rubric_versions WHERE rubric IN ({unused})", (name,))
        conn.execute(f"DELETE FROM rubrics WHERE id IN ({unused})", (name,))
