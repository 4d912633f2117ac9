"""What overall gaps are worked out from: human and auto scores of labelled evaluations."""

import json
from collections.abc import Sequence

from reviewer.store.labels import NO_TIME
from reviewer.store.project import Project

Thing = tuple[int, int]
"""The keys of an evaluation and a metric."""

_COUNTING = """
    kind IN ('label', 'adjudication') AND turn = -1 AND typeof(value) IN ('integer', 'real')
"""


def human_scores(project: Project, wanted: Sequence[int] | None = None) -> dict[Thing, float]:
    """Give human scores: the latest decision, else the mean of the current labels.

    Of all evaluations, or of the `wanted` ones; categories have no place in a gap.
    """
    only, values = _only(wanted)
    found = {
        (evaluation, metric): mean
        for evaluation, metric, mean in project.conn.execute(
            "SELECT evaluation, metric, avg(value) FROM current_labels "
            f"WHERE {_COUNTING} {only} AND kind = 'label' GROUP BY evaluation, metric",
            values,
        )
    }
    decisions = project.conn.execute(
        "SELECT evaluation, metric, value FROM current_labels "
        f"WHERE {_COUNTING} {only} AND decided = 1 ORDER BY ifnull(at_us, {NO_TIME}), place",
        values,
    )
    found.update({(evaluation, metric): value for evaluation, metric, value in decisions})
    return found


def auto_scores(
    project: Project, wanted: Sequence[int] | None = None
) -> list[tuple[int, int, int, float]]:
    """Give (evaluation, metric, score set, value) of every labelled, or `wanted`, evaluation."""
    labelled = f"AND evaluation IN (SELECT evaluation FROM current_labels WHERE {_COUNTING})"
    only, values = _only(wanted) if wanted is not None else (labelled, ())
    # + keeps SQLite from walking a whole index for a few evaluations
    return project.conn.execute(
        "SELECT evaluation, metric, score_set, value FROM scores "
        f"WHERE +latest = 1 AND +turn = -1 AND typeof(value) <> 'text' {only}",
        values,
    ).fetchall()


def runs_of(project: Project, wanted: Sequence[int]) -> dict[int, int]:
    """Give the runs of some visible evaluations by the evaluations' keys."""
    rows = project.conn.execute(
        "SELECT v.id, v.run FROM json_each(?) k "
        "CROSS JOIN visible_evaluations v ON v.id = k.value",
        (json.dumps(list(wanted)),),
    )
    return dict(rows.fetchall())


def _only(wanted: Sequence[int] | None) -> tuple[str, tuple[str, ...]]:
    if wanted is None:
        return "", ()
    return "AND evaluation IN (SELECT value FROM json_each(?))", (json.dumps(list(wanted)),)
