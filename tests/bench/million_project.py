"""A project of a million evaluations on 4 metrics and 100,000 labels, made by SQL alone.

It takes about 2 GB in the temporary folder and stays there until it is deleted.
"""

import tempfile
from pathlib import Path

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.store import states
from reviewer.store.project import Project
from tests.building import build_project

COUNT = 1_000_000
METRICS = ("correctness", "relevance", "helpfulness", "safety")
EVERY = 80
"""Two people label each metric of every 80th evaluation: 100,000 labels."""

_RUBRIC = Rubric(
    name="bench",
    pass_rule="every",
    metrics=tuple(
        Metric(name=name, pass_at=3, levels=tuple(Level(value=x) for x in range(1, 6)))
        for name in METRICS
    ),
)
# multiplying by a large odd number and keeping the upper bits scatters whole numbers evenly
_EVALUATIONS = """
    INSERT INTO evaluations(
        id, run, ext_id, category, input, response, dated, evaluated_at, import)
    WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
    SELECT n, 1, printf('item-%08d', n), 'category ' || (n * 7919 % 8), hex(randomblob(100)),
        hex(randomblob(300)), 1780000000000000 + n * 10000000, '2026-06-01T00:00:00Z', 1
    FROM many
"""
_SCORES = """
    INSERT INTO scores(evaluation, metric, score_set, value, reasoning, latest, import)
    SELECT e.id, m.id, 1, ((e.id * 8 + m.id * 2) * 2654435761 >> 13) % 5 + 1,
        hex(randomblob(75)), 1, 1
    FROM evaluations e, metrics m
"""
_LABELS = """
    INSERT INTO labels(
        seq, evaluation, metric, labeler, value, at, at_us, blind, selection_reason, uid)
    SELECT ?2 + row_number() OVER (), s.evaluation, s.metric, l.id,
        min(5, max(1, s.value + (s.evaluation + l.id) % 3 - 1)),
        '2026-06-02T00:00:00Z', 1780300000000000, 1, 'random', randomblob(16)
    FROM evaluations e JOIN scores s ON s.evaluation = e.id, labelers l WHERE e.id % ?1 = 0
"""


def million_project(count: int = COUNT) -> Path:
    """Give the project's file; it is built at the first call."""
    path = Path(tempfile.gettempdir()) / f"reviewer-bench-million-{count}.review"
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    build_project(part, evaluations=0, rubric=_RUBRIC, runs=("bench",))
    with Project.open(part) as project, project.write() as conn:
        conn.executemany(
            "INSERT OR IGNORE INTO metrics(name) VALUES (?)", [(name,) for name in METRICS]
        )
        conn.execute("INSERT INTO score_sets(id, scorer) VALUES (1, 'judge')")
        conn.executemany("INSERT INTO labelers(name) VALUES (?)", [("ann",), ("bo",)])
        conn.execute(_EVALUATIONS, (count,))
        conn.execute(_SCORES)
        last = project.next_seq()
        labelled = conn.execute(_LABELS, (EVERY, last)).rowcount
        project.next_seq(labelled)
        conn.execute("UPDATE counters SET value = ? WHERE name = 'visible'", (count,))
        states.refresh(conn, range(EVERY, count + 1, EVERY))
    part.rename(path)
    return path
