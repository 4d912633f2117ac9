"""Which values evaluations have in a field, each with how many: what a filter can ask for."""

from reviewer.store.project import Project
from reviewer.store.scoping import Condition

_SEEN = "FROM visible_evaluations v"
_VALUES = {
    "category": f"SELECT v.category, count(*) {_SEEN} WHERE v.category IS NOT NULL",
    "model": f"SELECT v.model, count(*) {_SEEN} WHERE v.model IS NOT NULL",
    "complexity": f"SELECT v.complexity, count(*) {_SEEN} WHERE v.complexity IS NOT NULL",
    "run": f"SELECT r.name, count(*) {_SEEN} JOIN runs r ON r.id = v.run WHERE 1",
    "tag": f"SELECT t.tag, count(*) {_SEEN} JOIN tags t ON t.evaluation = v.id WHERE 1",
    "queue": f"SELECT q.name, count(DISTINCT v.id) {_SEEN} "
    "JOIN queue_items i ON i.evaluation = v.id JOIN queues q ON q.id = i.queue WHERE 1",
    "labeler": f"SELECT l.name, count(DISTINCT v.id) {_SEEN} JOIN current_labels c "
    "ON c.evaluation = v.id AND c.kind = 'label' AND c.turn = -1 "
    "JOIN labelers l ON l.id = c.labeler WHERE 1",
}
_NUMBERS = {
    "latency": "v.latency_ms",
    "cost": "v.cost_usd",
    "tokens_in": "v.tokens_in",
    "tokens_out": "v.tokens_out",
    "turns": "v.turns",
    "date": "v.dated",
}


def count(project: Project, within: Condition) -> int:
    """Count the visible evaluations `v` within a condition."""
    found = project.conn.execute(
        f"SELECT count(*) {_SEEN} WHERE {within.sql}", within.parameters
    ).fetchone()
    return int(found[0])


def values(project: Project, within: Condition, field: str, limit: int) -> list[tuple[str, int]]:
    """Give the values of a field that has names for values, the most frequent first."""
    return project.conn.execute(
        f"{_VALUES[field]} AND ({within.sql}) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit:d}",
        within.parameters,
    ).fetchall()


def numbers(project: Project, within: Condition, field: str, at: tuple[float, ...]) -> list[float]:
    """Give the numbers of a field at some shares of their order, 0 the least and 1 the greatest.

    Empty where no evaluation has one.
    """
    column = _NUMBERS[field]
    found = project.conn.execute(
        f"SELECT {column} {_SEEN} WHERE ({within.sql}) "
        f"AND typeof({column}) IN ('integer', 'real')",
        within.parameters,
    ).fetchall()
    found.sort()
    return [float(found[round(share * (len(found) - 1))][0]) for share in at] if found else []
