"""Weights of evaluations that were drawn with different chances: each counts 1 over its own.

Labelling more of one kind than of another distorts every coefficient (verification bias, Begg and
Greenes 1983). Where evaluations were drawn by the judge's levels and nobody wrote down with which
probabilities, the labelled share of each level stands in: a level then counts by its share of all
judged ones, and one that nobody labelled stands for nothing.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import Weights

UNKNOWN: Final = 0.0
"""Worth of an evaluation whose probability is not known: it counts 1."""
BY_LEVEL: Final = -1.0
"""Worth of an evaluation drawn by the judge's level, whose labelled share is its probability."""
DECIMALS: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Hold with which chance evaluations were drawn.

    Attributes:
        worth: shape (n,), 1 over the probability, `UNKNOWN`, or `BY_LEVEL`.
        strata: shape (n,), a number above 0 of what was drawn together, such as the probability
            of a stratum; 0 for evaluations that were drawn one by one.
    """

    worth: Floats
    strata: Floats

    @property
    def of_strata(self) -> bool:
        """Tell whether any were drawn in strata, such as the judge's levels or verdicts."""
        return bool(((self.worth == BY_LEVEL) | (self.strata != 0)).any())

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Chances":
        """Give some of the rows."""
        return Chances(self.worth[rows], self.strata[rows])


def weights_of(
    chances: Chances,
    places: NDArray[np.intp] | None,
    judged: Floats | None,
    counts: Floats | None = None,
) -> Weights | None:
    """Give what each evaluation counts; together they count as many as they are.

    Those with a probability share their number by 1 over it; all others count 1.

    Args:
        chances: how each was drawn.
        places: shape (n,), the level nearest to each auto score; None without levels, where a
            level stands for nothing and what was drawn by one counts 1.
        judged: shape (k,), how many auto scores each level has in all.
        counts: shape (n,), how often each row occurs; None for once.

    Returns:
        None where all count alike.
    """
    worth, strata = chances.worth, chances.strata
    often = np.ones(worth.size) if counts is None else counts
    if not worth.any():
        return None
    by_level = worth == BY_LEVEL
    if places is None or judged is None:
        worth = np.where(by_level, UNKNOWN, worth)
    elif by_level.any():
        labelled = np.bincount(places[by_level], often[by_level], len(judged))
        rates = np.divide(judged, labelled, out=np.zeros(len(judged)), where=labelled > 0)
        worth = np.where(by_level, rates[places], worth)
        strata = np.where(by_level, -1.0 - places, strata)
    known = worth > 0
    total = float((worth * often)[known].sum())
    each = np.ones(worth.size)
    each[known] = worth[known] * (often[known].sum() / total if total else 0.0)
    if not known.any() or not np.ptp(worth[known]):
        each[:] = 1.0
    # what is left of rounding must not tell two ways of adding up apart
    each = np.round(each, DECIMALS)
    kinds, groups = np.unique(strata, return_inverse=True)
    if (each == 1).all() and kinds.size == 1:
        return None
    return Weights(each, np.where(strata == 0, 0, groups + 1).astype(np.intp))
