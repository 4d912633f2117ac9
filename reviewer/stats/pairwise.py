"""Agreement of every pair among many people at once, without intervals."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.catalogue import gap_reason, reason, table_statistic
from reviewer.stats.coefficients import Floats
from reviewer.stats.pairs import Evidence, places
from reviewer.stats.values import Scale

Ints = NDArray[np.int64]
AT_ONCE = 64
"""Pairs of people that are compared in one go, with a table of all levels each."""
FROM_TABLE = ("percent", "kappa", "kappa_quadratic", "alpha_ordinal")
PAIR_FIGURES = (*FROM_TABLE, "mae", "bias")


class _Share(NamedTuple):
    """What one person and all later ones both labelled, in columns of one length.

    Attributes:
        pairs: The number of the pair: the first person's times all people, and the second's.
        gaps: The second's label minus the first's.
        first: The place of the first's label on the scale.
        second: The same of the second's, -1 off the scale.
    """

    pairs: Ints
    gaps: Floats
    first: Ints
    second: Ints


@dataclass(frozen=True, slots=True)
class PairFigures:
    """The figures of two people, the first before the second.

    Attributes:
        n: How many things both labelled.
        figures: By name, as in `PAIR_FIGURES`; bias is the second minus the first.
        undefined: The reason of every figure that is None.
    """

    first: int
    second: int
    n: int
    figures: dict[str, float | None]
    undefined: dict[str, str]


def pair_figures(
    people: Ints, things: Ints, values: Floats, scale: Scale | None
) -> Iterator[PairFigures]:
    """Compare every two people who have a thing in common, in the order of their numbers.

    Args:
        people: Each label's person, numbered from 0, ascending.
        things: What each label is about, numbered from 0; at most one label a person and thing.
        values: The labels.
        scale: The declared scale, or None for a range without levels.
    """
    many = int(people.max(initial=-1)) + 1
    starts = np.searchsorted(people, np.arange(many + 1))
    nearest, strict = _codes(values, scale)
    size = int(things.max(initial=-1)) + 1
    mine, mine_code = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
    shares: list[_Share] = []
    pairs = 0
    for first in range(many - 1):
        own, later = slice(starts[first], starts[first + 1]), slice(starts[first + 1], None)
        mine.fill(np.nan)
        mine[things[own]], mine_code[things[own]] = values[own], nearest[own]
        shared = starts[first + 1] + np.flatnonzero(np.isfinite(mine[things[later]]))
        if not shared.size:
            continue
        about = things[shared]
        shares.append(
            _Share(
                first * many + people[shared],
                values[shared] - mine[about],
                mine_code[about],
                strict[shared],
            )
        )
        pairs += min(shared.size, many - 1 - first)
        if pairs >= AT_ONCE:
            yield from _compare(shares, many, scale)
            shares, pairs = [], 0
    if shares:
        yield from _compare(shares, many, scale)


def _codes(values: Floats, scale: Scale | None) -> tuple[Ints, Ints]:
    """Place labels on the scale: at the nearest level, and -1 for those off it."""
    if scale is None:
        nothing = np.full(values.size, -1, dtype=np.int64)
        return nothing, nothing
    near, off = places(values, scale)
    return near.astype(np.int64), np.where(off, -1, near).astype(np.int64)


def _compare(shares: list[_Share], many: int, scale: Scale | None) -> Iterator[PairFigures]:
    """Give the comparison of some of `many` people with all later ones."""
    pairs, gaps, first_codes, second_codes = (
        np.concatenate(part) for part in zip(*shares, strict=True)
    )
    there, at, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    n = counts.astype(np.float64)
    columns = {
        "mae": np.bincount(at, np.abs(gaps), there.size) / n,
        "bias": np.bincount(at, gaps, there.size) / n,
    }
    evidence, n_table = Evidence(None, np.zeros((0, 0))), np.zeros(there.size)
    if scale is not None:
        stack = _tables(at, (first_codes, second_codes), (there.size, len(scale.values)))
        evidence, n_table = Evidence(scale, stack), stack.sum(axis=(1, 2))
        columns |= {name: table_statistic(name, scale)(stack) for name in FROM_TABLE}
    for place, (first, second) in enumerate(divmod(pair, many) for pair in there.tolist()):
        total = int(counts[place])
        found = {name: float(column[place]) for name, column in columns.items()}
        why = _undefined(found, evidence, (round(n_table[place]), total))
        yield PairFigures(
            first,
            second,
            total,
            {name: None if name in why else found[name] for name in PAIR_FIGURES},
            why,
        )


def _tables(at: NDArray[np.intp], codes: tuple[Ints, Ints], shape: tuple[int, int]) -> Floats:
    """Count labels by pair, second and first label; shape (pairs, levels, levels)."""
    (pairs, k), (first, second) = shape, codes
    counted = second >= 0
    cells = (at * k + second) * k + first
    counts = np.bincount(cells[counted], minlength=pairs * k * k)
    return counts.reshape(pairs, k, k).astype(np.float64)


def _undefined(
    found: dict[str, float], evidence: Evidence, counts: tuple[int, int]
) -> dict[str, str]:
    gone = {
        name: reason(name, found.get(name, float("nan")), evidence, counts) for name in FROM_TABLE
    }
    gone |= dict.fromkeys(("mae", "bias"), gap_reason(evidence, counts[1]))
    return {name: why for name, why in gone.items() if why}
