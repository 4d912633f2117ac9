"""Labels that were given to a text which stands, byte for byte, in another run too."""

from dataclasses import dataclass
from typing import Any

from reviewer.store.project import Project
from reviewer.store.schema import WHOLE
from reviewer.store.unseen import shown_runs

# begins with the labels, which are few, and finds the other text by its id or its case
_SAME = """
    FROM current_labels c
    JOIN labels l ON l.id = c.place
    JOIN labels k ON k.id = c.comment
    JOIN visible_evaluations o ON o.id = c.evaluation AND o.run = :other
    JOIN visible_evaluations n ON n.id IN (
        SELECT id FROM evaluations
            WHERE run = :run AND ext_id = coalesce(o.case_id, o.ext_id) AND case_id IS NULL
        UNION ALL SELECT id FROM evaluations
            WHERE case_id = coalesce(o.case_id, o.ext_id) AND run = :run)
    WHERE c.kind NOT IN ('withdrawn', 'comment')
    AND o.response IS n.response AND o.input IS n.input AND o.turns = n.turns
    AND json_extract(o.extra, '$.context') IS json_extract(n.extra, '$.context')
    AND NOT EXISTS (
        SELECT 1 FROM turns a JOIN turns b ON b.evaluation = n.id AND b.position = a.position
        WHERE a.evaluation = o.id AND a.role <> 'system'
            AND json_remove(a.body, '$.at') <> json_remove(b.body, '$.at'))
    AND NOT EXISTS (
        SELECT 1 FROM labels mine WHERE mine.evaluation = n.id AND mine.metric = l.metric
            AND mine.labeler = l.labeler AND mine.turn = l.turn
            AND mine.kind NOT IN ('withdrawn', 'comment')
            AND (mine.kind = 'adjudication') = c.decided)
"""


@dataclass(frozen=True, slots=True)
class Carried:
    """One label to copy: the evaluation that gets it, and the label's fields."""

    id: str
    source: str
    fields: dict[str, Any]


def other_runs(project: Project, run: int) -> list[tuple[int, str]]:
    """Give the other runs of the same rubric, the newest first."""
    return list(
        project.conn.execute(
            "SELECT o.id, o.name FROM runs n JOIN runs o ON o.rubric = n.rubric AND o.id <> n.id "
            f"WHERE n.id = ? AND {shown_runs('o')} ORDER BY o.id DESC",
            (run,),
        )
    )


def count(project: Project, run: int, other: int) -> int:
    """Count the labels of another run that fit texts of a run."""
    row = project.conn.execute(f"SELECT count(*) {_SAME}", {"run": run, "other": other})
    return int(row.fetchone()[0])


def read(project: Project, run: int, other: int) -> list[Carried]:
    """Read the labels of another run that fit texts of a run, oldest first."""
    names = dict(project.conn.execute("SELECT id, name FROM metrics"))
    people = dict(project.conn.execute("SELECT id, name FROM labelers"))
    rows = project.conn.execute(
        "SELECT n.ext_id, o.ext_id, l.metric, l.labeler, l.value, l.kind, k.comment, l.at, "
        f"l.blind, l.turn {_SAME} ORDER BY l.id",
        {"run": run, "other": other},
    )
    return [
        Carried(
            id=row[0],
            source=row[1],
            fields={
                "metric": names[row[2]],
                "labeler": people[row[3]],
                "value": row[4],
                "kind": row[5],
                "comment": row[6],
                "at": row[7],
                "blind": None if row[8] is None else bool(row[8]),
                "turn": None if row[9] == WHOLE else row[9],
            },
        )
        for row in rows
    ]
