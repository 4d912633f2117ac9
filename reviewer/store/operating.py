"""How responses came about, in columns: latency, cost, cache and templates."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from reviewer.store.project import Project
from reviewer.store.scoping import Condition

_BLOCK = 5_000
_COLUMNS = """
    SELECT coalesce(e.case_id, e.ext_id), e.latency_ms, e.cost_usd,
        CASE WHEN instr(e.extra, '"cache"') > 0 THEN json_extract(e.extra, '$.cache') END,
        CASE WHEN instr(e.extra, '"template_matched"') > 0
            THEN json_extract(e.extra, '$.template_matched') END,
        CASE WHEN instr(e.extra, '"direct_substitution"') > 0
            THEN json_extract(e.extra, '$.direct_substitution') END
    FROM visible_evaluations e WHERE {within} ORDER BY e.id
"""


def read(
    project: Project, within: Condition, go_on: Callable[[], None]
) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Read the evaluations within a condition in the order of their keys, block by block.

    Yields:
        Columns of one length: case, latency in ms, cost in $, cache, template matched (1, 0 or
        None), directly substituted (1, 0 or None).
    """
    rows: sqlite3.Cursor = project.conn.execute(
        _COLUMNS.format(within=within.sql), within.parameters
    )
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        go_on()
        yield tuple(zip(*block, strict=True))
