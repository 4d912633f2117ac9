"""Counts of labels that were given beside another text, rubric or judge than now stands."""

from dataclasses import dataclass

from reviewer.store.project import Project
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition


@dataclass(frozen=True, slots=True)
class Lag:
    """How many current labels of one metric lag behind.

    Attributes:
        text_changed: Labels of evaluations whose text was replaced afterwards.
        rubric_version: Labels that say they followed another version of the rubric.
        judge_versions: Labels that say they were given beside another scorer version.
        rescored: Labels older than a repeated score by the same scorer version.
    """

    text_changed: int = 0
    rubric_version: int = 0
    judge_versions: int = 0
    rescored: int = 0


_LAG = f"""
    SELECT sum(l.revision <> e.revision),
        sum(l.rubric_version IS NOT NULL AND l.rubric_version <> ?),
        sum(l.judge_version IS NOT NULL AND ? IS NOT NULL AND l.judge_version NOT IN (?, ?)),
        sum(EXISTS (SELECT 1 FROM scores s WHERE s.evaluation = c.evaluation
            AND s.metric = c.metric AND s.score_set = ? AND s.turn = {WHOLE} AND s.latest = 1
            AND s.ordinal > 0 AND julianday(s.at) > julianday(l.at)))
    FROM current_labels c JOIN labels l ON l.id = c.label
    JOIN visible_evaluations e ON e.id = c.evaluation
    WHERE c.metric = ? AND c.turn = {WHOLE} AND c.value IS NOT NULL AND {{within}}
"""


def lag(
    project: Project,
    within: Condition,
    *,
    metric: int,
    rubric_version: str,
    scorer: tuple[int, str] | None,
) -> Lag:
    """Count the lagging labels of a metric; `scorer` is the key and name of the score set."""
    key, name = scorer or (-1, None)
    # a label may name the judge whole, or its version alone
    version = name.rpartition("@")[2] if name else None
    row = project.conn.execute(
        _LAG.format(within=within.sql),
        (rubric_version, name, name, version, key, metric, *within.parameters),
    ).fetchone()
    return Lag(*(int(x or 0) for x in row))
