"""What a judge's calls took, and what it said where it was asked again."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reviewer.domain.values import Value


class Call(NamedTuple):
    """One score: its value (None after an error) and what it took, None where nobody knows."""

    evaluation: int
    value: Value | None
    cost_usd: float | None
    latency_ms: float | None


_CALLS = """
    SELECT s.evaluation,
        CASE WHEN s.extra IS NULL OR json_extract(s.extra, '$.error') IS NULL THEN s.value END,
        json_extract(s.extra, '$.cost_usd'), json_extract(s.extra, '$.latency_ms')
    FROM scores s
    WHERE s.evaluation IN (SELECT value FROM json_each(?)) AND s.metric = ? AND s.score_set = ?
        AND s.turn = -1 AND s.ordinal >= 0
    ORDER BY s.evaluation, s.ordinal
"""


def calls(
    conn: sqlite3.Connection, *, metric: int, score_set: int, keys: Sequence[int]
) -> Iterator[Call]:
    """Give every score of some evaluations by one score set, repeats beside each other."""
    listed = "[" + ",".join(map(str, keys)) + "]"
    return (Call(*row) for row in conn.execute(_CALLS, (listed, metric, score_set)))
