"""Small projects for tests, made without the window or an importer.

    path = build_project(tmp_path / "small.review", evaluations=20)
    with closing(Session.open(path, "ann")) as session: ...

`record(3, category="policies")` gives a native record to change; records can be handed in instead
of a number. Labels and marks inside records arrive as an import would bring them.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from reviewer.domain.evaluation import now_text
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.services.labelling import undo
from reviewer.services.project.session import BLIND, SIGHTED, Session
from reviewer.store import journal, of_record, rows, states
from reviewer.store.project import Project
from reviewer.store.rows import Names
from reviewer.store.rubrics import packed

CATEGORIES = ("amenities", "policies", "directions")
_LEVELS = tuple(
    Level(value=value, title=title)
    for value, title in enumerate(("Failed", "Poor", "Fair", "Good", "Excellent"), start=1)
)
RUBRIC = Rubric(
    name="guest",
    missing="renormalise",
    pass_rule="every",
    metrics=tuple(
        Metric(name=name, pass_at=3, levels=_LEVELS)
        for name in ("relevance", "accuracy", "safety")
    ),
)


def record(number: int, **changed: Any) -> dict[str, Any]:
    """A native record: id c-0001 and so on, three scores by "judge", a category in turn."""
    fields: dict[str, Any] = {
        "id": f"c-{number:04}",
        "category": CATEGORIES[number % 3],
        "input": f"Question {number}: is the pool heated?",
        "response": f"Answer {number}: the pool bar opens at nine.",
        "latency_ms": 100.0 * number,
        "evaluated_at": f"2026-11-{number % 28 + 1:02}T12:00:00Z",
        "scores": [
            {
                "metric": name,
                "value": (number + place) % 5 + 1,
                "scorer": "judge",
                "reasoning": "so",
            }
            for place, name in enumerate(("relevance", "accuracy", "safety"))
        ],
    }
    return fields | changed


def build_project(
    path: Path,
    *,
    evaluations: int | Iterable[dict[str, Any]] = 12,
    rubric: Rubric = RUBRIC,
    runs: Sequence[str] = ("agent v7",),
) -> Path:
    """Make a project file; a record goes into the run it names, else into the first of `runs`."""
    with Project.create(path) as project:
        run_keys = _add_runs(project, rubric, runs)
        if isinstance(evaluations, int):
            evaluations = (record(number) for number in range(1, evaluations + 1))
        names, made = Names(project), rows.Rows()
        last = 0
        for last, fields in enumerate(evaluations, start=1):
            run = run_keys[fields.get("run", runs[0])]
            rows.add_record(made, names, fields, (last, run, 1))
        with project.write() as conn:
            for statement, some in (
                (rows.EVALUATIONS, made.evaluations),
                (rows.SCORES, made.scores),
                (rows.TURNS, made.turns),
                (rows.TAGS, made.tags),
                (rows.SEARCH, made.search),
            ):
                conn.executemany(statement, some)
            for statement, some in (
                (rows.LABELS, made.labels),
                (rows.MARKS, made.marks),
                (rows.EXCLUSIONS, made.exclusions),
            ):
                first = project.next_seq(len(some) or 1)
                conn.executemany(statement, ((first + n, *row) for n, row in enumerate(some)))
            conn.execute("UPDATE counters SET value = ? WHERE name = 'visible'", (last,))
            states.refresh(conn, made.labelled)
            brought: dict[tuple[int, int], dict[int, int]] = {}
            rows.count_scored(brought, made.scores, {x[0]: x[1] for x in made.evaluations})
            of_record.fix(project, brought)
    return path


def _add_runs(project: Project, rubric: Rubric, runs: Sequence[str]) -> dict[str, int]:
    with project.write() as conn:
        conn.execute("INSERT INTO rubrics(id, name) VALUES (1, ?)", (rubric.name,))
        conn.execute(
            "INSERT INTO rubric_versions(rubric, version, body, created_at, seq) "
            "VALUES (1, ?, ?, ?, ?)",
            (str(rubric.version), packed(rubric), now_text(), project.next_seq()),
        )
        conn.execute(
            "INSERT INTO imports(id, source, format, state, started_at, seq) "
            "VALUES (1, 'built.jsonl', 'native', 'done', ?, ?)",
            (now_text(), project.next_seq()),
        )
        conn.executemany(
            "INSERT INTO runs(id, name, rubric, imported_at, source, import) "
            "VALUES (?, ?, 1, ?, 'built.jsonl', 1)",
            ((key, name, now_text()) for key, name in enumerate(runs, start=1)),
        )
    return {name: key for key, name in enumerate(runs, start=1)}


def let_see(path: Path, *, blind: bool = False) -> None:
    """Let everybody see a project's auto scores before they answer."""
    with closing(Project.open(path)) as project:
        project.set_setting(BLIND, "yes" if blind else SIGHTED)


def undone(session: Session) -> str | None:
    """Undo, and give the title of what was taken back."""
    taken = undo.undo(session)
    return taken.title if taken else None


def redone(session: Session) -> str | None:
    """Redo, and give the title of what was done again."""
    taken = undo.redo(session)
    return taken.title if taken else None


def next_undo(session: Session, passing: str = "") -> str | None:
    """The title of the labeler's newest action that is not of a kind."""
    conn, me = session.project.conn, session.labeler.key
    found = journal.top(conn, me, "done")
    while found is not None and found.kind == passing:
        found = journal.top(conn, me, "done", beyond=found)
    return found.title if found else None


def next_redo(session: Session) -> str | None:
    """The title of the action that was undone last."""
    found = journal.top(session.project.conn, session.labeler.key, "undone")
    return found.title if found else None
