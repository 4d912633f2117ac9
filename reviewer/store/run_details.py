"""What one run holds: its categories, its score sets, and the imports that brought it."""

from dataclasses import dataclass

from reviewer.domain.run import ScorerVersion
from reviewer.store.exclusions import COUNTED
from reviewer.store.project import Project
from reviewer.store.query import values_of


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One import as the project remembers it; `counts` is the JSON text that it left."""

    number: int
    source: str
    format: str
    state: str
    started_at: str
    finished_at: str | None
    counts: str | None


@dataclass(frozen=True, slots=True)
class SetRow:
    """One score set's scores of one metric in a run; `newest` is the time of the last."""

    version: ScorerVersion
    metric: str
    scores: int
    failed: int
    newest: str | None


def run_key(project: Project, name: str) -> int | None:
    """Give a run's number, None where there is no such run."""
    row = project.conn.execute("SELECT id FROM runs WHERE name = ?", (name,)).fetchone()
    return None if row is None else int(row[0])


def categories(project: Project, run: int) -> list[tuple[str | None, int, int]]:
    """Give category, number of evaluations and how many have a label, the largest first.

    Excluded evaluations count nowhere here.
    """
    return list(
        project.conn.execute(
            "SELECT e.category, count(*), count(l.evaluation) FROM visible_evaluations e "
            "LEFT JOIN (SELECT DISTINCT evaluation FROM current_labels "
            "    WHERE kind IN ('label', 'adjudication')) l ON l.evaluation = e.id "
            f"WHERE e.run = ? AND {COUNTED} "
            "GROUP BY e.category ORDER BY count(*) DESC, e.category",
            (run,),
        )
    )


def score_sets(project: Project, run: int) -> list[SetRow]:
    """Give the score sets of a run with their metrics, in the order of their arrival."""
    rows = project.conn.execute(
        "SELECT s.id, s.scorer, s.version, s.model, s.prompt_hash, s.parameters, m.name, c.n, "
        "    c.failed, c.newest "
        "FROM (SELECT x.score_set, x.metric, count(*) AS n, sum(x.value IS NULL) AS failed, "
        "        max(x.at) AS newest "
        "    FROM scores x JOIN visible_evaluations e ON e.id = x.evaluation "
        f"    WHERE e.run = ? AND x.ordinal >= 0 AND {COUNTED} GROUP BY x.score_set, x.metric) c "
        "JOIN score_sets s ON s.id = c.score_set JOIN metrics m ON m.id = c.metric "
        "ORDER BY s.id, m.id",
        (run,),
    )
    names = ("key", "scorer", "version", "model", "prompt_hash", "parameters")
    return [
        SetRow(ScorerVersion(**dict(zip(names, row[:6], strict=True))), *row[6:]) for row in rows
    ]


def imports(project: Project, run: int) -> list[ImportRow]:
    """Give the imports that brought evaluations, scores or labels of a run, the newest first."""
    rows = project.conn.execute(
        "WITH mine AS (SELECT id, import FROM evaluations WHERE run = ?1), "
        "used AS (SELECT import FROM mine UNION SELECT import FROM runs WHERE id = ?1 "
        "    UNION SELECT import FROM labels WHERE evaluation IN (SELECT id FROM mine) "
        "    UNION SELECT import FROM scores WHERE evaluation IN (SELECT id FROM mine)) "
        "SELECT id, source, format, state, started_at, finished_at, counts FROM imports "
        "WHERE id IN (SELECT import FROM used) AND state IN ('done', 'undone') ORDER BY id DESC",
        (run,),
    )
    return [ImportRow(*row) for row in rows]


def all_categories(project: Project) -> list[str]:
    """Give the categories of the whole project by name."""
    return values_of(
        project.conn,
        "SELECT DISTINCT category FROM visible_evaluations WHERE category IS NOT NULL ORDER BY 1",
    )
