"""Evaluations of a queue that are given out one by one: who has answered and who holds them."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from reviewer.store.query import number_of, values_of


def answered(
    conn: sqlite3.Connection, evaluations: Sequence[int], labelers: Sequence[int]
) -> dict[int, frozenset[int]]:
    """Give who of some labelers has answered each of some evaluations whole."""
    return _grouped(
        conn.execute(
            "SELECT s.evaluation, s.labeler FROM json_each(?) w "
            "JOIN states s ON s.evaluation = w.value WHERE s.complete = 1 "
            "AND s.labeler IN (SELECT value FROM json_each(?))",
            (json.dumps(evaluations), json.dumps(labelers)),
        )
    )


def held(conn: sqlite3.Connection, queue: int) -> dict[int, frozenset[int]]:
    """Give who has a place for each evaluation of a queue."""
    return _grouped(
        conn.execute("SELECT evaluation, labeler FROM queue_items WHERE queue = ?", (queue,))
    )


def visible(conn: sqlite3.Connection, evaluations: Sequence[int]) -> frozenset[int]:
    """Give those of some evaluations that are here."""
    return frozenset(
        values_of(
            conn,
            "SELECT v.id FROM json_each(?) w JOIN visible_evaluations v ON v.id = w.value",
            (json.dumps(evaluations),),
        )
    )


def skipped(conn: sqlite3.Connection, labeler: int) -> int:
    """Count what a labeler has put aside in open queues."""
    return number_of(
        conn,
        "SELECT count(*) FROM states WHERE labeler = ?1 AND skipped = 1 AND complete = 0 AND "
        "evaluation IN (SELECT evaluation FROM queue_items WHERE labeler = ?1 AND queue IN "
        "(SELECT id FROM queues WHERE state = 'open'))",
        (labeler,),
    )


def append(
    conn: sqlite3.Connection,
    queue: int,
    parts: Mapping[int, Iterable[tuple[int, str, float | None]]],
) -> None:
    """Give labelers more evaluations (key, kind, chance) at the end; call inside `write`."""
    for labeler, items in parts.items():
        first = number_of(
            conn,
            "SELECT ifnull(max(position) + 1, 0) FROM queue_items WHERE queue = ? AND labeler = ?",
            (queue, labeler),
        )
        conn.executemany(
            "INSERT INTO queue_items(queue, labeler, position, evaluation, kind, prob) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ((queue, labeler, at, *item) for at, item in enumerate(items, first)),
        )


def replan(conn: sqlite3.Connection, queue: int, plan: str) -> None:
    """Let a queue have another plan; call inside `Project.write`."""
    conn.execute("UPDATE queues SET plan = ? WHERE id = ?", (plan, queue))


def let_go(conn: sqlite3.Connection, queue: int, places: Iterable[tuple[int, int]]) -> None:
    """Take places (labeler, evaluation) away of which nothing is answered; inside `write`."""
    conn.executemany(
        "DELETE FROM queue_items WHERE queue = ?1 AND labeler = ?2 AND evaluation = ?3 "
        "AND NOT EXISTS (SELECT 1 FROM states WHERE labeler = ?2 AND evaluation = ?3 "
        "AND answered > 0)",
        ((queue, *place) for place in places),
    )


def tell_moved(conn: sqlite3.Connection) -> None:
    """Let windows read anew whose places are others now; call inside `write`."""
    conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")


def _grouped(rows: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for evaluation, labeler in rows:
        found[evaluation].add(labeler)
    return {key: frozenset(them) for key, them in found.items()}
