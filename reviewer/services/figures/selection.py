"""How the labelled evaluations of a scope were chosen: which count, and what each of them weighs.

Labels that somebody chose by browsing, by searching or because opinions differ say nothing of all
the others. As soon as chance drew one evaluation of the scope they are left out; those that it
drew count 1 over the probability it drew them with.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.stats.figures import PLAIN, Chance
from reviewer.stats.intervals import BY_LEVEL, UNKNOWN, Chances
from reviewer.stats.values import SelectionRule

Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """How each evaluation of a scope came to be labelled, whatever the metric; n evaluations.

    Attributes:
        ways: The best-known way of its labels, codes of `Choice`; as chosen where nobody labelled.
        probability: The smallest of its labels that chance drew, or of all where it drew none;
            NaN where none is known.
        has_drawn: Whether chance drew any of the scope.
    """

    ways: Codes
    probability: Floats
    has_drawn: bool

    def at(self, rows: Ints | Flags) -> "Selection":
        """Give some of the scope's evaluations."""
        return Selection(self.ways[rows], self.probability[rows], self.has_drawn)

    @property
    def chosen(self) -> Flags:
        """Tell which evaluations nobody drew: somebody chose them, or nobody labelled them."""
        return np.asarray(self.ways == Choice.CONVENIENCE)

    def left_out(self, rule: SelectionRule) -> Flags:
        """Tell which evaluations do not count, since somebody chose them."""
        if rule == "all" or not self.has_drawn:
            return np.zeros(self.ways.size, dtype=np.bool_)
        return self.chosen

    def is_mixed(self, rule: SelectionRule) -> bool:
        """Tell whether chosen evaluations without a probability stand among drawn ones."""
        bare = self.chosen & np.isnan(self.probability)
        return rule == "all" and self.has_drawn and bool(bare.any())

    def chances(self, rule: SelectionRule) -> Chances | None:
        """Give with which chance the evaluations were drawn; None where all count alike."""
        if not self.has_drawn or self.is_mixed(rule):
            return None
        known = np.isfinite(self.probability) & (self.ways != Choice.UNKNOWN)
        of_strata = self.ways == Choice.STRATUM
        by_level = of_strata & ~known
        if not (known | by_level).any():
            return None
        worth = np.full(self.ways.size, UNKNOWN)
        worth[known] = 1 / self.probability[known]
        worth[by_level] = BY_LEVEL
        return Chances(worth, np.where(of_strata & known, self.probability, 0.0))

    @property
    def n_drawn(self) -> int:
        """Count the evaluations that chance drew."""
        return int(np.count_nonzero(self.ways > Choice.UNKNOWN))

    @property
    def n_unknown(self) -> int:
        """Count evaluations of which nobody knows how they were chosen."""
        return int(np.count_nonzero(self.ways == Choice.UNKNOWN))


def chance_of(way: Choice, probability: float | None) -> Chance:
    """Give the chance of one evaluation, as `Selection.chances` gives those of many."""
    if way == Choice.UNKNOWN:
        return PLAIN
    if probability is None:
        return (BY_LEVEL, 0.0) if way == Choice.STRATUM else PLAIN
    return 1 / probability, probability if way == Choice.STRATUM else 0.0


def selection_of(size: int, places: Ints, chosen: Codes, drawn: Floats) -> Selection:
    """Put together the entries of `size` evaluations, of all metrics.

    Args:
        size: How many evaluations there are.
        places: Each entry's evaluation.
        chosen: How it was chosen, codes of `Choice`.
        drawn: With which probability, NaN where none is known.
    """
    ways = np.full(size, Choice.CONVENIENCE, dtype=np.int8)
    np.maximum.at(ways, places, chosen)
    counted = (chosen > Choice.UNKNOWN) | (ways[places] <= Choice.UNKNOWN)
    probability = np.full(size, np.nan)
    if np.isfinite(drawn).any():
        np.fmin.at(probability, places[counted], drawn[counted])
    return Selection(ways, probability, bool((ways > Choice.UNKNOWN).any()))
