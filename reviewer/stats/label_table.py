"""How the labels of each evaluation enter the table of human against automatic scores.

Every label counts, 1 over the labels of its evaluation, so that each evaluation counts 1; or each
evaluation enters with the one value that most people gave, if there is one.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import Weights
from reviewer.stats.pairs import (
    Answers,
    Conversations,
    Evidence,
    Labels,
    alike_rows,
    exact_places,
    pairs_of,
    places,
)
from reviewer.stats.values import LabelTable, Scale, modes

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Hold evaluations that judge and people scored, columns of one length.

    Attributes:
        auto: exact automatic scores.
        human: exact human scores.
        labels: the labels that count, of every evaluation at least one.
        weights: what each evaluation counts; None for 1.
        clusters: the conversation of each; None where no two share one.
    """

    auto: Floats
    human: Floats
    labels: Labels
    weights: Weights | None = None
    clusters: NDArray[np.int64] | None = None


def label_evidence(judged: Judged, scale: Scale | None, *, label_table: LabelTable) -> Evidence:
    """Count what people and judge say of evaluations.

    Args:
        judged: the evaluations.
        scale: the declared scale, or None for a range without levels.
        label_table: whether each label enters the table, or what most people gave.
    """
    auto, human, weights = judged.auto, judged.human, judged.weights
    if scale is None:
        nowhere = np.full(auto.size, -1, dtype=np.intp)
        found = Evidence(None, np.zeros((0, 0)), pairs_of(auto, human, weights))
        return _with_conversations(found, judged, nowhere)
    labels, n_no_majority = _entering(judged, label_table)
    columns, moved = places(auto, scale)
    entries = _entries(labels, scale, auto.size)
    exact = None
    if moved.any() or not _on_grid(entries, human, scale) or weights is not None:
        exact = pairs_of(auto, human, weights)
    table, answers, at = _answers(columns, entries, len(scale.values), weights)
    found = Evidence(
        scale,
        table,
        exact,
        answers,
        n_no_majority=n_no_majority,
        n_rounded=int((moved & (entries.labels > 0)).sum()),
        n_off_level=entries.n_off,
    )
    return _with_conversations(found, judged, at)


def placed_labels(
    judged: Judged, scale: Scale, *, label_table: LabelTable
) -> tuple[NDArray[np.int64], Places, NDArray[np.int64]]:
    """Give the labels that have a place in the table.

    Returns:
        Each one's evaluation and place on the scale, and how many each evaluation has.
    """
    found = _entries(_entering(judged, label_table)[0], scale, judged.auto.size)
    return found.pairs, found.rows, found.labels


def label_shares(judged: Judged, scale: Scale, *, label_table: LabelTable) -> Floats:
    """Give which part of each evaluation's labels lies at each place, shape (n, k).

    An evaluation that is in no table has none.
    """
    labels, _ = _entering(judged, label_table)
    given = _given(_entries(labels, scale, judged.auto.size), len(scale.values))
    shares: Floats = given / np.maximum(given.sum(axis=1, keepdims=True), 1)
    return shares


def _entering(judged: Judged, label_table: LabelTable) -> tuple[Labels, int]:
    """Give the labels that enter the table, and count the evaluations without a majority."""
    most = _most(judged.labels, judged.auto.size)
    missing = np.isnan(most)
    if label_table == "each":
        return judged.labels, int(missing.sum())
    there = np.flatnonzero(~missing)
    return Labels(there, most[there]), int(missing.sum())


def _most(labels: Labels, size: int) -> Floats:
    """Give what most people gave, NaN where several values tie; most have one label only."""
    given = np.bincount(labels.pairs, minlength=size)
    most = np.full(size, np.nan)
    most[labels.pairs] = labels.values
    several = given[labels.pairs] > 1
    if several.any():
        of_several = modes(labels.pairs[several], labels.values[several], size)
        most = np.where(given > 1, of_several, most)
    return most


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Hold the labels that lie on levels.

    Attributes:
        pairs: shape (m,), each one's evaluation.
        rows: shape (m,), its place.
        labels: shape (n,), how many each evaluation has.
        row: shape (n,), the place of an evaluation's last label, -1 where it has none.
        alike: whether all labels of every evaluation are the same.
        n_off: labels between the levels.
    """

    pairs: NDArray[np.int64]
    rows: Places
    labels: NDArray[np.int64]
    row: Places
    alike: bool
    n_off: int


def _entries(labels: Labels, scale: Scale, size: int) -> _Entries:
    rows, off = places(labels.values, scale)
    pairs, rows = labels.pairs[~off], rows[~off]
    row = np.full(size, -1, dtype=np.intp)
    row[pairs] = rows
    alike = bool((row[pairs] == rows).all())
    counts = np.bincount(pairs, minlength=size)
    return _Entries(pairs, rows, counts, row, alike, int(off.sum()))


def _on_grid(entries: _Entries, human: Floats, scale: Scale) -> bool:
    """Tell whether the table says all: one value an evaluation, which is its human score."""
    if not entries.alike or entries.n_off or not (entries.labels > 0).all():
        return False
    return bool((np.array(scale.values)[entries.row] == human).all())


def _answers(
    columns: Places, entries: _Entries, k: int, weights: Weights | None
) -> tuple[Floats, Answers | None, Places]:
    """Give the table, what it is made of, and where each evaluation is counted (-1: nowhere)."""
    there = entries.row >= 0
    if entries.alike and weights is None:
        cells = np.where(there, entries.row * k + columns, -1)
        table = np.bincount(cells[there], minlength=k * k).reshape(k, k).astype(np.float64)
        return table, None, cells
    given = _given(entries, k)[there]
    each, groups = np.ones(columns.size), np.zeros(columns.size, dtype=np.intp)
    if weights is not None:
        each, groups = weights.each, weights.groups
    numbers = (columns, np.unique(each, return_inverse=True)[1], groups)
    rows = np.column_stack([*(x[there] for x in numbers), given])
    first, place, counts = alike_rows(rows)
    own = np.flatnonzero(there)[first]
    answers = Answers(
        columns[own],
        given[first] / given[first].sum(axis=1, keepdims=True),
        counts.astype(np.float64),
        None if weights is None else Weights(each[own], groups[own]),
    )
    at = np.full(columns.size, -1, dtype=np.intp)
    at[there] = place
    return answers.table(), answers, at


def _given(entries: _Entries, k: int) -> NDArray[np.int64]:
    """Count each evaluation's labels by place, in lowest terms: twice as many say the same."""
    size = entries.row.size
    if entries.alike:
        given = np.zeros((size, k), dtype=np.int64)
        there = np.flatnonzero(entries.row >= 0)
        given[there, entries.row[there]] = 1
        return given
    cells = entries.pairs * k + entries.rows
    given = np.bincount(cells, minlength=size * k).reshape(size, k).astype(np.int64)
    lowest: NDArray[np.int64] = given // np.maximum(np.gcd.reduce(given, axis=1), 1)[:, None]
    return lowest


def _with_conversations(found: Evidence, judged: Judged, at: Places) -> Evidence:
    if judged.clusters is None:
        return found
    codes = np.unique(judged.clusters, return_inverse=True)[1]
    exact = at
    if found.pairs is not None:
        exact = exact_places(judged.auto, judged.human, judged.weights)
    return replace(found, conversations=Conversations(codes, at, exact))
