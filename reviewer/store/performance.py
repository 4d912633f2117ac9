"""How long responses took and what they cost, as columns, without any text."""

import math
from array import array
from dataclasses import dataclass, field

from reviewer.store.project import Project
from reviewer.store.scoping import COLUMNS, Condition

_BLOCK = 20_000


@dataclass(frozen=True, slots=True)
class Performance:
    """Columns of one length, evaluations in ascending order of their keys; unknown is NaN.

    Attributes:
        cases: The test case of each, its own id where it names none.
        latencies: Milliseconds.
        costs: US dollars.
    """

    cases: list[str] = field(default_factory=list)
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    costs: "array[float]" = field(default_factory=lambda: array("d"))


def read(project: Project, within: Condition) -> Performance:
    """Read the columns within a condition."""
    found = Performance()
    rows = project.conn.execute(
        f"SELECT {COLUMNS['case']}, e.latency_ms, e.cost_usd FROM visible_evaluations e "
        f"WHERE {within.sql} ORDER BY e.id",
        within.parameters,
    )
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        for case, latency, cost in block:
            found.cases.append(str(case))
            found.latencies.append(_number(latency))
            found.costs.append(_number(cost))
    return found


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
