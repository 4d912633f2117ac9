"""Evaluations with several labels each, as columns and as plain loops over them."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import Weights
from reviewer.stats.label_counts import Judged
from reviewer.stats.pairs import Labels
from reviewer.stats.values import Scale

SCALE = Scale((1, 2, 3, 4, 5))
Case = tuple[float, tuple[float, ...]]
"""An auto score and the labels of its evaluation."""

ON_LEVELS = st.integers(1, 5).map(float)
AUTOS = ON_LEVELS | st.sampled_from([2.5, 10 / 3, 4.25, 1.1])
LABELS = st.lists(ON_LEVELS, min_size=1, max_size=4).map(tuple)
MEANS = st.lists(ON_LEVELS | st.just(2.5), min_size=1, max_size=4).map(tuple)
CASES = st.lists(st.tuples(AUTOS, LABELS), min_size=1, max_size=40)


def judged(
    cases: Sequence[Case],
    weights: Sequence[float] | None = None,
    clusters: Sequence[int] | None = None,
) -> Judged:
    """Put cases into columns; weights are of evaluations drawn one by one."""
    each = None
    if weights is not None:
        each = Weights(np.array(weights), np.zeros(len(weights), dtype=np.intp))
    pairs = [(at, value) for at, (_, labels) in enumerate(cases) for value in labels]
    return Judged(
        np.array([auto for auto, _ in cases], dtype=np.float64),
        np.array([sum(labels) / len(labels) for _, labels in cases], dtype=np.float64),
        Labels(
            np.array([at for at, _ in pairs], dtype=np.int64),
            np.array([value for _, value in pairs], dtype=np.float64),
        ),
        each,
        None if clusters is None else np.array(clusters, dtype=np.int64),
    )


def nearest(auto: float) -> int:
    """Find the level nearest to an auto score, the lower of two."""
    return min(range(5), key=lambda at: (round(abs(SCALE.values[at] - auto), 9), at))


def most_given(labels: Sequence[float]) -> float | None:
    """Give the one value that most people gave."""
    counts = Counter(labels)
    best = [value for value, n in counts.items() if n == max(counts.values())]
    return best[0] if len(best) == 1 else None


def shared_rows(cases: Sequence[Case], *, majority: bool) -> list[tuple[int, int, int, Fraction]]:
    """Give each label that enters the table: evaluation, human place, auto place, its part."""
    rows = []
    for at, (auto, labels) in enumerate(cases):
        used: Sequence[float] = labels
        if majority:
            most = most_given(labels)
            used = () if most is None else (most,)
        known = [int(value) - 1 for value in used if value in SCALE.values]
        rows += [(at, place, nearest(auto), Fraction(1, len(known))) for place in known]
    return rows


def table_of(
    cases: Sequence[Case], *, majority: bool = False, weights: Sequence[float] | None = None
) -> Floats:
    """Count the table by a loop, rows human and columns auto."""
    cells = [[Fraction(0)] * 5 for _ in range(5)]
    for at, row, column, part in shared_rows(cases, majority=majority):
        cells[row][column] += part * (1 if weights is None else Fraction(weights[at]))
    return np.array(cells, dtype=np.float64)
