"""Agreement coefficients of two raters from tables of counts, for many tables at once.

A stack has the shape (tables, k, k): rows human, columns auto, counts or fractions of counts.
Every coefficient gives one double a table, NaN where it is not defined, and the terms that it is
made of, so that an explanation tells what was computed; the callers turn NaN into None with a
reason. Sources: Cohen 1960 and 1968, Gwet 2008, Krippendorff 2011, Kendall 1945.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Worked(NamedTuple):
    """Hold a coefficient of many tables and the named terms of its formula, one double a table."""

    value: Floats
    terms: Mapping[str, Floats]


OUT_OF_RANGE: Final = "the values are too large or too small to compute with"


def divided(above: Floats, below: Floats) -> Floats:
    """Divide element by element, NaN where the divisor is not positive."""
    result = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result


def unlike(totals: Floats) -> Floats:
    """Count ordered pairs of different classes from the weights of the classes, on the last axis.

    Of one class they are exactly 0, however its weights are rounded.
    """
    n = totals.sum(axis=-1, keepdims=True)
    return np.asarray((totals * (n - totals)).sum(axis=-1))


def dot(a: Floats, b: Floats) -> float:
    """Add up products of two long columns.

    The usual product spreads them over threads and waits milliseconds for those where the other
    cores are busy.
    """
    return float(np.einsum("i,i->", a, b))


def disagreement(values: Floats, power: int) -> Floats:
    """Give the k by k distances between values: power 0 unequal, 1 absolute, 2 squared."""
    steps = np.abs(values[:, None] - values[None, :])
    weights: Floats = (steps > 0).astype(np.float64) if power == 0 else steps**power
    return weights


def agreement_weights(values: Floats, power: int) -> Floats:
    """Give Gwet's agreement weights: 1 on the diagonal, 0 at the largest distance."""
    steps = disagreement(values, power)
    largest = steps.max(initial=0.0)
    return 1 - steps / largest if largest else np.ones_like(steps)


def percent(stack: Floats) -> Worked:
    """Give the share of pairs in the same category."""
    return _share(np.trace(stack, axis1=1, axis2=2), stack)


def within_one(stack: Floats) -> Worked:
    """Give the share of pairs in the same or a neighbouring category."""
    ranks = np.arange(stack.shape[1])
    near = np.abs(ranks[:, None] - ranks[None, :]) <= 1
    return _share((stack * near).sum(axis=(1, 2)), stack)


def _share(alike: Floats, stack: Floats) -> Worked:
    n = stack.sum(axis=(1, 2))
    return Worked(divided(alike, n), {"alike": alike, "n": n})


def kappa(stack: Floats, distances: Floats) -> Worked:
    """Give Cohen's kappa with the given distances; undefined where chance leaves no room."""
    n = stack.sum(axis=(1, 2))
    rows, columns = stack.sum(axis=2), stack.sum(axis=1)
    expected = ((rows @ distances) * columns).sum(axis=1)
    observed = stack.reshape(len(stack), stack.shape[1] * stack.shape[2]) @ distances.ravel()
    terms = {"observed": divided(observed, n), "expected": divided(expected, n**2)}
    return Worked(1 - divided(n * observed, expected), terms)


def kappa_se(table: Floats, distances: Floats) -> float:
    """Give the standard error of kappa (Fleiss, Cohen and Everitt 1969); NaN if undefined."""
    n = table.sum()
    largest = distances.max(initial=0.0)
    if not n or not largest:
        return float("nan")
    weights, share = 1 - distances / largest, table / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    chance = rows @ weights @ columns
    room = 1 - chance
    if rows @ distances @ columns == 0:
        return float("nan")
    value = ((weights * share).sum() - chance) / room
    spread = weights - (1 - value) * ((weights @ columns)[:, None] + (rows @ weights)[None, :])
    variance = (share * spread**2).sum() - (value - chance * (1 - value)) ** 2
    return float(np.sqrt(max(variance, 0.0) / n) / room)


def gwet(stack: Floats, weights: Floats) -> Worked:
    """Give Gwet's AC1 (identity weights) or AC2; undefined with fewer than two categories."""
    n, k = stack.sum(axis=(1, 2)), stack.shape[1]
    if k < 2:
        return Worked(np.full(len(stack), np.nan), {})
    observed = divided(
        stack.reshape(len(stack), stack.shape[1] * stack.shape[2]) @ weights.ravel(), n
    )
    shares = divided(stack.sum(axis=1) + stack.sum(axis=2), 2 * n[:, None])
    chance = weights.sum() / (k * (k - 1)) * (shares * (1 - shares)).sum(axis=1)
    terms = {"observed": observed, "chance": chance}
    return Worked(divided(observed - chance, 1 - chance), terms)


def scott(stack: Floats) -> Worked:
    """Give Fleiss' kappa, which for two raters is Scott's pi."""
    n = stack.sum(axis=(1, 2))
    both = stack.sum(axis=1) + stack.sum(axis=2)
    unequal = n - np.trace(stack, axis1=1, axis2=2)
    expected = unlike(both)
    terms = {"observed": divided(unequal, n), "expected": divided(expected, 4 * n**2)}
    return Worked(1 - divided(4 * n * unequal, expected), terms)


def coincidences(stack: Floats) -> Floats:
    """Give Krippendorff's coincidence tables of two raters without missing labels."""
    return stack + stack.transpose(0, 2, 1)


def alpha_nominal(pairs: Floats) -> Worked:
    """Give Krippendorff's alpha for categories from coincidence tables."""
    counts = pairs.sum(axis=2)
    n = counts.sum(axis=1)
    unequal = n - np.trace(pairs, axis1=1, axis2=2)
    return _beyond_chance(n, unequal, unlike(counts))


def alpha_ordinal(pairs: Floats) -> Worked:
    """Give Krippendorff's alpha for ordered categories.

    His ordinal distance is the difference of the categories' mid-ranks in the pooled counts.
    """
    counts = pairs.sum(axis=2)
    return _alpha(pairs, counts, np.cumsum(counts, axis=1) - counts / 2)


def _alpha(pairs: Floats, counts: Floats, places: Floats) -> Worked:
    squares = (places[:, :, None] - places[:, None, :]) ** 2
    observed = (pairs * squares).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * squares).sum(axis=(1, 2))
    return _beyond_chance(counts.sum(axis=1), observed, expected)


def _beyond_chance(n: Floats, observed: Floats, expected: Floats) -> Worked:
    terms = {"observed": divided(observed, n), "expected": divided(expected, n * (n - 1))}
    return Worked(1 - divided((n - 1) * observed, expected), terms)


def kendall_b(stack: Floats) -> Floats:
    """Give Kendall's tau-b of tables whose rows and columns are in order (not only square)."""
    rows, columns = stack.sum(axis=2), stack.sum(axis=1)
    # strictly below and strictly right of each cell, then strictly below and strictly left
    below = rows_after(stack)
    right = np.flip(np.cumsum(np.flip(below, 2), axis=2), 2) - below
    left = np.cumsum(below, axis=2) - below
    surplus = (stack * (right - left)).sum(axis=(1, 2))
    return divided(2 * surplus, np.sqrt(unlike(rows) * unlike(columns)))


def rows_after(stack: Floats) -> Floats:
    """Sum, for each cell, the cells below it in the same column."""
    return np.flip(np.cumsum(np.flip(stack, 1), axis=1), 1) - stack
