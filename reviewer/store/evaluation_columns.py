"""Columns of evaluations beside their figures, read in spans and without their texts.

Where they belong (runs, categories, models, tags), how their responses came about (case, latency,
cost, cache, templates), how long these are and how they begin, and which candidates were compared.
"""

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.store.project import Project
from reviewer.store.scoping import COLUMNS, Condition
from reviewer.store.unseen import shown_runs

_SPAN = 10_000


@dataclass(frozen=True, slots=True)
class EvaluationFields:
    """Columns of one length, keys ascending; a field that is not there is None."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    runs: "array[int]" = field(default_factory=lambda: array("q"))
    categories: list[str | None] = field(default_factory=list)
    models: list[str | None] = field(default_factory=list)


def read_categories(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> EvaluationFields:
    """Read runs and categories, which stand before the texts; models are left empty.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = EvaluationFields()
    for first, last in _spans(*span):
        go_on()
        for key, run, category in project.conn.execute(
            "SELECT id, run, category FROM evaluations WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ):
            columns.keys.append(key)
            columns.runs.append(run)
            columns.categories.append(category)
    return columns


def read_fields(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> EvaluationFields:
    """Read runs, categories and models from the first key to the last.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = EvaluationFields()
    for first, last in _spans(*span):
        go_on()
        for key, run, category, model in project.conn.execute(
            "SELECT id, run, category, model FROM evaluations "
            "WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ):
            columns.keys.append(key)
            columns.runs.append(run)
            columns.categories.append(category)
            columns.models.append(model)
    return columns


def read_tags(project: Project, go_on: Callable[[], None]) -> tuple["array[int]", list[str]]:
    """Read which evaluation has which tag: keys and tags, one row a pair, by tag."""
    keys, tags = array("q"), list[str]()
    rows = project.conn.execute("SELECT evaluation, tag FROM tags ORDER BY tag, evaluation")
    for block in iter(lambda: rows.fetchmany(_SPAN), []):
        go_on()
        for key, tag in block:
            keys.append(key)
            tags.append(tag)
    return keys, tags


def run_names(project: Project) -> dict[int, str]:
    """Give the names of runs by their keys, in the order of import."""
    return dict(
        project.conn.execute(f"SELECT id, name FROM runs WHERE {shown_runs()} ORDER BY id")
    )


def _spans(low: int, high: int) -> Iterator[tuple[int, int]]:
    for first in range(low, high + 1, _SPAN):
        yield first, min(first + _SPAN - 1, high)


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


def read_operating(
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


def read_operating_named(project: Project, within: Condition) -> Iterator[tuple[Any, ...]]:
    """Read the evaluations within a condition in the order of their keys, one by one.

    Yields:
        Key, id, run, case and category, then what `read_operating` gives.
    """
    yield from project.conn.execute(_NAMED.format(within=within.sql), within.parameters)


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
    for block in iter(lambda: rows.fetchmany(_BLOCK), []):
        for case, latency, cost in block:
            found.cases.append(str(case))
            found.latencies.append(_number(latency))
            found.costs.append(_number(cost))
    return found


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


_AT_ONCE = 500
_CANDIDATES = """
    SELECT e.id, json_extract(c.value, '$.id'), json_extract(c.value, '$.model')
    FROM evaluations e, json_each(iif(json_valid(e.extra), e.extra, '{{}}'), '$.candidates') c
    WHERE e.id IN ({marks}) AND instr(e.extra, '"candidates"') > 0
    ORDER BY e.id, c.key
"""


def read_candidates(
    project: Project, keys: Sequence[int]
) -> Iterator[tuple[int, str, str | None]]:
    """Read the candidates of evaluations, in the order they were shown in.

    Yields:
        The evaluation, the candidate's id, and the model it came from, where known.
    """
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        yield from project.conn.execute(_CANDIDATES.format(marks=", ".join("?" * len(some))), some)


NO_RESPONSE = -1
"""The length of a response that is not there."""


@dataclass(frozen=True, slots=True)
class ResponseSizes:
    """Keys of evaluations in ascending order, with revision and length in characters."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    revisions: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))


def read_sizes(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> ResponseSizes:
    """Read revisions and lengths of all evaluations from the first key to the last.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = ResponseSizes()
    for first, last in _spans(*span):
        go_on()
        rows = project.conn.execute(
            f"SELECT id, revision, ifnull(length(response), {NO_RESPONSE}) "
            "FROM evaluations WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ).fetchall()
        if rows:
            keys, revisions, lengths = zip(*rows, strict=True)
            columns.keys.extend(keys)
            columns.revisions.extend(revisions)
            columns.lengths.extend(lengths)
    return columns


def read_beginnings(
    project: Project, keys: Sequence[int], size: int
) -> Iterator[list[tuple[int, str]]]:
    """Read how responses begin, block by block; evaluations without one are left out.

    Yields:
        Keys with at most `size` characters of the response.
    """
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        yield project.conn.execute(
            f"SELECT id, substr(response, 1, {size:d}) FROM evaluations "
            f"WHERE id IN ({marks}) AND response IS NOT NULL",
            tuple(some),
        ).fetchall()
