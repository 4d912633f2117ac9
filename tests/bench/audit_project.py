"""A project of 100,000 evaluations on 5 metrics with 20,000 labels by 5 people, made by SQL.

Dates end today, one category in eight is judged too high, and every 50th evaluation has labels by
two people. The file stays in the temporary folder until it is deleted.
"""

import shutil
import tempfile
import time
from pathlib import Path

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.store import states
from reviewer.store.project import Project
from tests.building import build_project

COUNT, EVERY, DAYS = 100_000, 50, 300
METRICS = ("relevance", "accuracy", "safety", "helpfulness", "politeness")
MORE = ("tone", "length", "grounding", "completeness")
LABELERS = ("first", "second", "third", "fourth", "fifth")


def _rubric(names: tuple[str, ...]) -> Rubric:
    levels = tuple(Level(value=x) for x in range(1, 6))
    metrics = tuple(Metric(name=name, pass_at=3, levels=levels) for name in names)
    return Rubric(name="bench", pass_rule="every", metrics=metrics)


# multiplying by a large odd number and keeping the upper bits scatters whole numbers evenly
_EVALUATIONS = """
    INSERT INTO evaluations(
        id, run, ext_id, category, input, response, dated, evaluated_at, import)
    WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < :count)
    SELECT n, 1, printf('item-%08d', n), 'category ' || (n * 7919 % 8),
        replace(hex(randomblob(100)), 'A', ' '),
        replace(hex(randomblob(300)), 'A', ' '), :first + n * :step, '2026-06-01T00:00:00Z', 1
    FROM many
"""
_SCORES = """
    INSERT INTO scores(evaluation, metric, score_set, value, reasoning, latest, import)
    SELECT e.id, m.id, 1, ((e.id * 8 + m.id * 2) * 2654435761 >> 13) % 5 + 1,
        replace(hex(randomblob(75)), 'A', ' '), 1, 1
    FROM evaluations e, metrics m
"""
_LABELS = """
    INSERT INTO labels(
        seq, evaluation, metric, labeler, value, at, at_us, blind, selection_reason, uid)
    SELECT 0, evaluation, metric, labeler, min(5, max(1, value - worse + (chance % 7 = 0)
        - (chance % 11 < 3))), '2026-06-02T00:00:00Z', dated + 3600000000, 1, 'random',
        randomblob(16)
    FROM (SELECT s.evaluation, s.metric, l.id AS labeler, s.value, e.dated,
            e.category = 'category 3' AS worse,
            ((s.evaluation * 31 + s.metric * 7 + l.id * 1009) * 2654435761 >> 12) AS chance
        FROM evaluations e JOIN scores s ON s.evaluation = e.id, labelers l
        WHERE e.id % :every = 0 AND l.id IN (1 + e.id / :every % 5, 1 + (e.id / :every + 1) % 5))
"""


def audit_project(folder: Path, count: int = COUNT, metrics: int = len(METRICS)) -> Path:
    """Give a fresh copy of the project in a folder; it is built at the first call."""
    names = (*METRICS, *MORE)[:metrics]
    wide = "" if metrics == len(METRICS) else f"x{metrics}"
    source = Path(tempfile.gettempdir()) / f"reviewer-bench-audit-{count}{wide}.review"
    if not source.exists():
        part = source.with_suffix(".part")
        part.unlink(missing_ok=True)
        build_project(part, evaluations=0, rubric=_rubric(names), runs=("bench",))
        _fill(part, count, names)
        part.rename(source)
    return Path(shutil.copy(source, folder / "audit.review"))


def _fill(path: Path, count: int, names: tuple[str, ...]) -> None:
    step = DAYS * 86_400_000_000 // count
    dates = {"count": count, "step": step, "first": int(time.time() * 1e6) - step * count}
    with Project.open(path) as project, project.write() as conn:
        conn.executemany(
            "INSERT OR IGNORE INTO metrics(name) VALUES (?)", [(name,) for name in names]
        )
        conn.execute("INSERT INTO score_sets(scorer, version) VALUES ('judge', 'v1')")
        conn.executemany("INSERT INTO labelers(name) VALUES (?)", [(name,) for name in LABELERS])
        conn.execute(_EVALUATIONS, dates)
        conn.execute(_SCORES)
        conn.execute(_LABELS, {"every": EVERY})
        conn.execute("UPDATE counters SET value = ? WHERE name = 'visible'", (count,))
        labelled = conn.execute("SELECT DISTINCT evaluation FROM labels").fetchall()
        states.refresh(conn, {key for (key,) in labelled})
