"""The texts that stand beside a disagreement: reasoning, decision and cause."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewer.domain.values import Value
from reviewer.store import marks
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
    f"(ifnull({{0}}.at_us, {NO_TIME}), {{0}}.place) > (ifnull(d.at_us, {NO_TIME}), d.place)"
)
_LATER_DECISION = _AFTER.format("x", "x.decided = 1 AND x.kind = 'adjudication'")
_LATER_LABEL = _AFTER.format("x", "x.decided = 0 AND x.kind IN ('label', 'not_applicable')")
_NEWER = (
    "SELECT d.evaluation, m.name FROM current_labels d JOIN metrics m ON m.id = d.metric "
    f"WHERE d.evaluation {_LISTED} AND d.turn = -1 AND d.decided = 1 AND d.kind = 'adjudication' "
    f"AND NOT EXISTS ({_LATER_DECISION}) AND EXISTS ({_LATER_LABEL})"
)
_CAUSES = f"k.evaluation {_LISTED} AND k.kind = 'cause'"
_RUNS = f"SELECT e.id, r.name FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.id {_LISTED}"


@dataclass(slots=True)
class Texts:
    """What belongs to a few evaluations, by number and metric."""

    runs: dict[int, str] = field(default_factory=dict)
    scores: dict[tuple[int, str, int], tuple[Value, str | None]] = field(default_factory=dict)
    decided: set[tuple[int, str]] = field(default_factory=set)
    outdated: set[tuple[int, str]] = field(default_factory=set)
    causes: dict[tuple[int, str | None], Value | None] = field(default_factory=dict)


def read(project: Project, keys: Sequence[int]) -> Texts:
    """Read what belongs to a few evaluations."""
    listed = ("[" + ",".join(map(str, keys)) + "]",)
    conn = project.conn
    texts = Texts(runs=dict(conn.execute(_RUNS, listed)))
    for key, metric, score_set, value, reasoning in conn.execute(_SCORES, listed):
        texts.scores[key, metric, score_set] = (value, reasoning)
    texts.decided = {(key, metric) for key, metric in conn.execute(_DECIDED, listed)}
    texts.outdated = {(key, metric) for key, metric in conn.execute(_NEWER, listed)}
    standing = marks.standing(marks.where(conn, _CAUSES, listed))
    for mark in (entry.mark for entry in standing):
        cause = mark.note if mark.value is None else mark.value
        texts.causes[mark.evaluation, mark.metric] = cause
    return texts


def places(project: Project) -> dict[int, tuple[str, str]]:
    """Give the runs and ids of all labelled evaluations by number."""
    rows = project.conn.execute(
        "SELECT v.id, r.name, v.ext_id FROM visible_evaluations v JOIN runs r ON r.id = v.run "
        "WHERE v.id IN (SELECT evaluation FROM current_labels)"
    )
    return {key: (run, identity) for key, run, identity in rows}
