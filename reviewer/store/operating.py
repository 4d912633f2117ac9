"""How responses came about, in columns: case, latency, cost, cache, templates; no text is read."""

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from reviewer.store.project import Project
from reviewer.store.scoping import COLUMNS, Condition

_BLOCK = 5_000
# both are read from an index alone, without a look at a single text
_CASES = """
    SELECT id, case_id FROM evaluations INDEXED BY evaluations_case
    WHERE case_id IS NOT NULL AND run = (SELECT id FROM runs WHERE name = ?)
"""
_IDS = """
    SELECT id, ext_id FROM evaluations INDEXED BY evaluations_identity
    WHERE run = (SELECT id FROM runs WHERE name = ?)
"""
_HOW = """e.latency_ms, e.cost_usd,
        CASE WHEN instr(e.extra, '"cache"') > 0 THEN json_extract(e.extra, '$.cache') END,
        CASE WHEN instr(e.extra, '"template_matched"') > 0
            THEN json_extract(e.extra, '$.template_matched') END,
        CASE WHEN instr(e.extra, '"direct_substitution"') > 0
            THEN json_extract(e.extra, '$.direct_substitution') END"""
_COLUMNS = f"SELECT {_HOW} FROM visible_evaluations e WHERE {{within}} ORDER BY e.id"
_NAMED = (
    f"SELECT e.id, e.ext_id, r.name, e.case_id, e.category, {_HOW} FROM visible_evaluations e "
    "JOIN runs r ON r.id = e.run WHERE {within} ORDER BY e.id"
)


def read_cases(
    project: Project, run: str, n: int, go_on: Callable[[], None]
) -> tuple[list[int], list[str]]:
    """Read the keys of a run's evaluations and the case of each, else its id; in any order.

    Evaluations that are not to be seen are among them. `n` is how many there are to be seen.
    """
    keys, names = _columns(project, _CASES, run, go_on)
    if len(keys) >= n:
        return keys, names
    every, ids = _columns(project, _IDS, run, go_on)
    own = dict(zip(keys, names, strict=True))
    return every, [own.get(key, name) for key, name in zip(every, ids, strict=True)]


def _columns(
    project: Project, query: str, run: str, go_on: Callable[[], None]
) -> tuple[list[int], list[str]]:
    keys: list[int] = []
    names: list[str] = []
    rows = project.conn.execute(query, (run,))
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        go_on()
        some, said = zip(*block, strict=True)
        keys += some
        names += said
    return keys, names


def read(
    project: Project, within: Condition, go_on: Callable[[], None]
) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Read the evaluations within a condition in the order of their keys, block by block.

    Yields:
        Columns of one length: latency in ms, cost in $, cache, template matched (1, 0 or None),
        directly substituted (1, 0 or None).
    """
    rows = project.conn.execute(_COLUMNS.format(within=within.sql), within.parameters)
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        go_on()
        yield tuple(zip(*block, strict=True))


def read_named(project: Project, within: Condition) -> Iterator[tuple[Any, ...]]:
    """Read the evaluations within a condition in the order of their keys, one by one.

    Yields:
        Key, id, run, case and category, then what `read` gives.
    """
    yield from project.conn.execute(_NAMED.format(within=within.sql), within.parameters)


_PERFORMANCE_BLOCK = 20_000


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


def read_performance(project: Project, within: Condition) -> Performance:
    """Read the columns within a condition."""
    found = Performance()
    rows = project.conn.execute(
        f"SELECT {COLUMNS['case']}, e.latency_ms, e.cost_usd FROM visible_evaluations e "
        f"WHERE {within.sql} ORDER BY e.id",
        within.parameters,
    )
    for block in iter(lambda: rows.fetchmany(_PERFORMANCE_BLOCK), []):
        for case, latency, cost in block:
            found.cases.append(str(case))
            found.latencies.append(_number(latency))
            found.costs.append(_number(cost))
    return found


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
