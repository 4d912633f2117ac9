"""What was scored or labelled more than once, and which answers stayed the same between runs."""

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from reviewer.domain.evaluation import Value
from reviewer.domain.uids import Uid
from reviewer.store.project import Project

_SPAN = 50_000
_BLOCK = 20_000


@dataclass(frozen=True, slots=True)
class RepeatColumns:
    """Scores of evaluations that one score set scored repeatedly, repeats beside each other."""

    evaluations: "array[int]" = field(default_factory=lambda: array("q"))
    metrics: "array[int]" = field(default_factory=lambda: array("q"))
    score_sets: "array[int]" = field(default_factory=lambda: array("q"))
    values: list[Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RelabelColumns:
    """Blind labels where one person has several on the same thing, oldest first within it.

    Attributes:
        times: Microseconds since 1970 UTC.
        revisions: The text's revision that was labelled.
        rounds: 0 for the first time a person was asked, 1 for the first repeat and so on.
    """

    evaluations: "array[int]" = field(default_factory=lambda: array("q"))
    metrics: "array[int]" = field(default_factory=lambda: array("q"))
    labelers: "array[int]" = field(default_factory=lambda: array("q"))
    values: list[Value] = field(default_factory=list)
    times: "array[int]" = field(default_factory=lambda: array("q"))
    revisions: "array[int]" = field(default_factory=lambda: array("q"))
    rounds: "array[int]" = field(default_factory=lambda: array("q"))


_REPEATS = """
    SELECT s.evaluation, s.metric, s.score_set, s.value FROM scores s
    WHERE s.evaluation BETWEEN ? AND ? AND s.turn = -1 AND s.ordinal >= 0
        AND s.value IS NOT NULL
        AND (s.extra IS NULL OR json_extract(s.extra, '$.error') IS NULL)
        AND EXISTS (SELECT 1 FROM scores t WHERE t.evaluation = s.evaluation
            AND t.metric = s.metric AND t.score_set = s.score_set AND t.turn = -1
            AND t.ordinal > 0)
    ORDER BY s.evaluation, s.metric, s.score_set, s.ordinal
"""
_REPEATED = """
    SELECT DISTINCT s.metric, s.score_set FROM evaluations e
    CROSS JOIN scores s ON s.evaluation = e.id AND s.turn = -1 AND s.ordinal > 0
    WHERE e.run = ? AND s.value IS NOT NULL AND EXISTS (SELECT 1 FROM scores t
        WHERE t.evaluation = s.evaluation AND t.metric = s.metric AND t.score_set = s.score_set
        AND t.turn = -1 AND t.ordinal BETWEEN 0 AND s.ordinal - 1 AND t.value IS NOT NULL)
"""
_RELABELS = """
    SELECT l.evaluation, l.metric, l.labeler, l.value, l.at_us, l.revision,
        (SELECT count(*) FROM queue_items q WHERE q.evaluation = l.evaluation
            AND q.labeler = l.labeler AND q.since > 0 AND q.since < l.seq), l.uid, l.restores
    FROM labels l
    WHERE l.kind = 'label' AND l.turn = -1 AND l.blind = 1 AND l.value IS NOT NULL
        AND l.at_us IS NOT NULL AND ifnull(l.aggregate, 0) = 0
        AND EXISTS (SELECT 1 FROM labels o WHERE o.evaluation = l.evaluation
            AND o.metric = l.metric AND o.labeler = l.labeler AND o.id <> l.id
            AND o.kind = 'label' AND o.turn = -1 AND o.blind = 1)
    ORDER BY l.evaluation, l.metric, l.labeler, l.at_us, l.id
"""
_SAME = """
    WITH pairs(place, one, other) AS (SELECT key, value ->> 0, value ->> 1 FROM json_each(?))
    SELECT a.input IS b.input AND a.response IS b.response
        AND (a.response IS NOT NULL OR a.turns > 0) AND a.turns = b.turns
        AND (a.turns = 0 OR NOT EXISTS (SELECT 1 FROM turns x JOIN turns y
            ON y.evaluation = b.id AND y.position = x.position
            WHERE x.evaluation = a.id AND (x.role <> y.role
                OR json_extract(x.body, '$.content') IS NOT json_extract(y.body, '$.content'))))
    FROM pairs p JOIN evaluations a ON a.id = p.one JOIN evaluations b ON b.id = p.other
    ORDER BY p.place
"""
_PAIRS = 2_000


def _nothing() -> None:
    """Go on."""


def read_repeats(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> RepeatColumns:
    """Read all values without error of what one score set scored more than once.

    Args:
        project: The project.
        span: The lowest and the highest evaluation.
        go_on: Called between blocks; it may raise to stop reading.
    """
    columns = RepeatColumns()
    for first, last in _spans(*span):
        go_on()
        for evaluation, metric, score_set, value in project.conn.execute(_REPEATS, (first, last)):
            columns.evaluations.append(evaluation)
            columns.metrics.append(metric)
            columns.score_sets.append(score_set)
            columns.values.append(value)
    return columns


def repeated(project: Project, run: int) -> frozenset[tuple[int, int]]:
    """Give which score sets scored an evaluation of a run more than once, each after a metric."""
    return frozenset(project.conn.execute(_REPEATED, (run,)))


def _spans(low: int, high: int) -> Iterator[tuple[int, int]]:
    for first in range(low, high + 1, _SPAN):
        yield first, min(first + _SPAN - 1, high)


def read_relabels(project: Project) -> RelabelColumns:
    """Read the blind labels of everything that one person labelled more than once.

    What was undone, and what an undo brought back, is no further label.
    """
    columns = RelabelColumns()
    targets = (columns.evaluations, columns.metrics, columns.labelers)
    for _, group in groupby(_fetched(project.conn.execute(_RELABELS)), key=lambda row: row[:3]):
        for *keys, value, at, revision, asked in _left(group):
            for target, key in zip(targets, keys, strict=True):
                target.append(key)
            columns.values.append(value)
            columns.times.append(at)
            columns.revisions.append(revision)
            columns.rounds.append(asked)
    return columns


def _fetched(rows: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        yield from block


def _left(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Give the labels of one thing, oldest first, that no undo took back."""
    given: dict[Uid, tuple[Any, ...]] = {}
    left: list[Uid] = []
    for *row, uid, restores in rows:
        if restores not in given:
            given[uid] = tuple(row)
            left.append(uid)
        elif restores in left:
            del left[left.index(restores) + 1 :]
        else:
            left.append(restores)
    return [given[uid] for uid in left]


def same_texts(
    project: Project,
    pairs: Sequence[tuple[int, int]],
    go_on: Callable[[], None] = _nothing,
) -> list[bool]:
    """Tell of each pair of evaluations whether question and answer are the same to the byte.

    Of a conversation, the role and content of every turn count, tool results included. An
    evaluation without any answer is never the same as another. `go_on` is called now and then; it
    may raise to stop reading.
    """
    found: list[bool] = []
    for start in range(0, len(pairs), _PAIRS):
        go_on()
        some = json.dumps([list(pair) for pair in pairs[start : start + _PAIRS]])
        found += [bool(same) for (same,) in project.conn.execute(_SAME, (some,))]
    return found
