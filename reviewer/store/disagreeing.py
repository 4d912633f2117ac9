"""The texts that stand beside a disagreement: reasoning, decision and cause."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.domain.values import Value
from reviewer.store.labels import NO_TIME
from reviewer.store.project import Project

_LISTED = "IN (SELECT value FROM json_each(?))"
_SCORES = (
    "SELECT s.evaluation, m.name, s.score_set, s.value, s.reasoning FROM scores s "
    "JOIN metrics m ON m.id = s.metric "
    f"WHERE s.evaluation {_LISTED} AND s.latest = 1 AND s.turn = -1"
)
_DECIDED = (
    "SELECT c.evaluation, m.name FROM current_labels c JOIN metrics m ON m.id = c.metric "
    f"WHERE c.evaluation {_LISTED} AND c.decided = 1 AND c.kind = 'adjudication'"
)
_AFTER = (
    "SELECT 1 FROM current_labels {0} WHERE {0}.evaluation = d.evaluation "
    "AND {0}.metric = d.metric AND {0}.turn = -1 AND {1} AND "
    f"(ifnull({{0}}.at_us, {NO_TIME}), {{0}}.label) > (ifnull(d.at_us, {NO_TIME}), d.label)"
)
_LATER_DECISION = _AFTER.format("x", "x.decided = 1 AND x.kind = 'adjudication'")
_LATER_LABEL = _AFTER.format("x", "x.decided = 0 AND x.kind IN ('label', 'not_applicable')")
_NEWER = (
    "SELECT d.evaluation, m.name FROM current_labels d JOIN metrics m ON m.id = d.metric "
    f"WHERE d.evaluation {_LISTED} AND d.turn = -1 AND d.decided = 1 AND d.kind = 'adjudication' "
    f"AND NOT EXISTS ({_LATER_DECISION}) AND EXISTS ({_LATER_LABEL})"
)
_CAUSES = (
    "SELECT k.evaluation, m.name, k.labeler, k.value, k.note FROM marks k "
    "LEFT JOIN metrics m ON m.id = k.metric "
    f"WHERE k.evaluation {_LISTED} AND k.kind = 'cause' ORDER BY k.id"
)
_RUNS = f"SELECT e.id, r.name FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.id {_LISTED}"


@dataclass(slots=True)
class Texts:
    """What belongs to a few evaluations, by number and metric."""

    runs: dict[int, str] = field(default_factory=dict)
    scores: dict[tuple[int, str, int], tuple[Value, str | None]] = field(default_factory=dict)
    decided: set[tuple[int, str]] = field(default_factory=set)
    outdated: set[tuple[int, str]] = field(default_factory=set)
    causes: dict[tuple[int, str], Value | None] = field(default_factory=dict)


def read(project: Project, keys: Sequence[int]) -> Texts:
    """Read what belongs to a few evaluations."""
    listed = ("[" + ",".join(map(str, keys)) + "]",)
    conn = project.conn
    texts = Texts(runs=dict(conn.execute(_RUNS, listed)))
    for key, metric, score_set, value, reasoning in conn.execute(_SCORES, listed):
        texts.scores[key, metric, score_set] = (value, reasoning)
    texts.decided = {(key, metric) for key, metric in conn.execute(_DECIDED, listed)}
    texts.outdated = {(key, metric) for key, metric in conn.execute(_NEWER, listed)}
    texts.causes = _causes(conn.execute(_CAUSES, listed).fetchall())
    return texts


def _causes(rows: Sequence[tuple[Any, ...]]) -> dict[tuple[int, str], Value | None]:
    """Give the latest cause that its labeler has not taken back."""
    newest: dict[tuple[int, str, int], tuple[Value | None, str | None]] = {}
    for key, metric, labeler, value, note in rows:
        # what comes later stands later
        newest.pop((key, metric, labeler), None)
        newest[key, metric, labeler] = (value, note)
    return {
        (key, metric): note if value is None else value
        for (key, metric, _), (value, note) in newest.items()
        if value is None or value not in (0, "")
    }


def identities(project: Project) -> dict[int, str]:
    """Give the ids of all labelled evaluations by number."""
    return dict(
        project.conn.execute(
            "SELECT id, ext_id FROM visible_evaluations "
            "WHERE id IN (SELECT evaluation FROM current_labels)"
        )
    )
