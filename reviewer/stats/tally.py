"""Running tallies: one label changes a few sums, a read never walks over the evaluations.

All sums are exact (see `reviewer.stats.ledger`): putting a value in and taking it out again
restores the former state to the last bit. Auto scores have a tally of their own, labelled or not.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.deviations import PUBLISHED, DeviationOptions, Deviations, Window
from reviewer.stats.figures import (
    PLAIN,
    Figures,
    GapWindow,
    Key,
    Pair,
    figures_of,
    quadratic_kappa,
)
from reviewer.stats.intervals import Chances, Weights, weights_of
from reviewer.stats.label_counts import LabelCounts
from reviewer.stats.ledger import mean_of_fixed, to_fixed
from reviewer.stats.pairs import Evidence
from reviewer.stats.values import Counting, Scale


class DrawnTally:
    """Keep how the labelled evaluations of a scope were chosen, for all its tallies.

    Attributes:
        n: how many of them chance drew. As soon as it drew one, those that somebody chose count
            no more, unless all are asked for.
    """

    __slots__ = ("n",)

    def __init__(self, n: int = 0) -> None:
        """Start with so many."""
        self.n = n

    def leaves_out(self, rule: Counting) -> bool:
        """Tell whether evaluations that somebody chose are left out."""
        return rule.selection == "drawn" and self.n > 0


class _Counted:
    """The pairs that count together."""

    __slots__ = ("labels", "n", "window")

    def __init__(self, labels: LabelCounts, span: Window) -> None:
        self.labels = labels
        self.window = GapWindow(span)
        self.n = 0

    def copy(self) -> "_Counted":
        made = copy(self)
        made.labels, made.window = self.labels.copy(), self.window.copy()
        return made

    def put(self, key: Key, pair: Pair) -> None:
        self.count(pair, 1)
        self.window.put(key, pair.day, pair.gap, pair.human)

    def drop(self, key: Key, pair: Pair) -> None:
        self.count(pair, -1)
        self.window.drop(key)

    def load(self, pairs: Mapping[Key, Pair]) -> None:
        alike = Counter((x.auto, x.human, x.labels, x.chance) for x in pairs.values())
        for (auto, human, labels, chance), count in alike.items():
            self.count(Pair(auto, human, labels, chance=chance), count)
        self.window.load((key, x.day, x.gap, x.human, 0.0) for key, x in pairs.items())

    def count(self, pair: Pair, by: int) -> None:
        self.n += by
        self.labels.count(pair, by)


class _KeptPairs:
    """Hold one metric's pairs, and tell which of them count.

    Attributes:
        n_chosen: pairs that somebody chose.
    """

    __slots__ = ("_bare", "_drawn", "_every", "_pairs", "_rule", "_scope", "autos", "n_chosen")

    def __init__(
        self,
        scale: Scale | None,
        span: Window,
        rule: Counting,
        scope: DrawnTally,
        judged: Floats | None = None,
    ) -> None:
        """Start empty.

        Args:
            scale: the declared scale (None: a range without levels).
            span: the window of dates.
            rule: which labels count, and how.
            scope: how the labelled evaluations of the whole scope were chosen.
            judged: shape (k,), how many automatic scores each level has in all.
        """
        labels = LabelCounts(scale, rule.label_table)
        labels.judged = judged
        self.autos = AutoSums()
        self.n_chosen = 0
        self._bare = 0
        self._rule = rule
        self._scope = scope
        self._pairs: dict[Key, Pair] = {}
        self._every = _Counted(labels, span)
        self._drawn: _Counted | None = None

    def __len__(self) -> int:
        """Count the pairs that agreement is computed from, whatever their date."""
        return self._counted.n

    @property
    def _counted(self) -> _Counted:
        """Give what agreement is computed from."""
        if self._drawn is None or not self._scope.leaves_out(self._rule):
            return self._every
        return self._drawn

    @property
    def _is_alike(self) -> bool:
        """Tell whether every evaluation counts 1: chance drew none, or one has no probability."""
        return not self._scope.n or (self._rule.selection == "all" and self._bare > 0)

    @property
    def is_mixed(self) -> bool:
        """Tell whether chosen evaluations without a probability stand among drawn ones."""
        return self._is_alike and self._scope.n > 0 and self.n_chosen > 0

    @property
    def has_drawn(self) -> bool:
        """Tell whether chance drew any evaluation of the scope."""
        return self._scope.n > 0

    @property
    def n_left_out(self) -> int:
        """Count the pairs that agreement is not computed from, as somebody chose them."""
        return len(self._pairs) - len(self)

    @property
    def n_table(self) -> int:
        """Count the evaluations in the table of judge and people."""
        return self._counted.labels.n_table

    @property
    def scale(self) -> Scale | None:
        """Give the declared scale."""
        return self._every.labels.scale

    def get(self, key: Key) -> Pair | None:
        """Give an evaluation's pair."""
        return self._pairs.get(key)


class PairTally(_KeptPairs):
    """Keep one metric's figures while people label.

    `put` an evaluation's pair whenever its human value or auto score changes, with None when it
    has no longer both; keep `autos` in step with the auto scores, labelled or not. What somebody
    chose is kept apart as soon as there is any, so that the first evaluation that chance draws
    costs no more than any other label.
    """

    __slots__ = ()

    def put(self, key: Key, pair: Pair | None) -> None:
        """Set an evaluation's pair, or take it out with None."""
        before = self._pairs.pop(key, None)
        if before is not None:
            self._every.drop(key, before)
            if self._drawn is not None and not before.chosen:
                self._drawn.drop(key, before)
            self._count_chosen(before, -1)
        if pair is not None:
            self._count_chosen(pair, 1)
            self._pairs[key] = pair
            self._every.put(key, pair)
            if self._drawn is not None and not pair.chosen:
                self._drawn.put(key, pair)

    def _count_chosen(self, pair: Pair, by: int) -> None:
        if not pair.chosen:
            return
        if not self.n_chosen:
            self._drawn = self._every.copy()
        self.n_chosen += by
        self._bare += by * (pair.chance == PLAIN)
        if not self.n_chosen:
            self._drawn = None

    def load(self, pairs: Iterable[tuple[Key, Pair]]) -> None:
        """Set many evaluations' pairs; equal ones are counted together."""
        found = dict(pairs)
        for key in found.keys() & self._pairs.keys():
            self.put(key, None)
        plain = {key: pair for key, pair in found.items() if not pair.chosen}
        self._pairs.update(plain)
        self._every.load(plain)
        if self._drawn is not None:
            self._drawn.load(plain)
        for key in found.keys() - plain.keys():
            self.put(key, found[key])

    def move(self, span: Window) -> None:
        """Change the window, as on a new day."""
        self._every.window.move(span)
        if self._drawn is not None:
            self._drawn.window.move(span)

    def pairs(self) -> Mapping[Key, Pair]:
        """Give every evaluation's pair."""
        return self._pairs

    def counted_pairs(self) -> Iterator[tuple[Key, Pair]]:
        """Go through the pairs that agreement is computed from."""
        leaves_out = self._scope.leaves_out(self._rule)
        return ((key, x) for key, x in self._pairs.items() if not (leaves_out and x.chosen))

    def gaps(self, options: DeviationOptions) -> Iterator[tuple[float, int]]:
        """Go through the distinct gaps inside the window and their counts, lowest first."""
        return self._window(options).inside.items()

    def deviations(self, options: DeviationOptions) -> Deviations:
        """Work out deviations and band inside the window."""
        return self._window(options).deviations(options)

    def _window(self, options: DeviationOptions) -> GapWindow:
        return self._every.window if options.band_selection == "all" else self._counted.window

    def figures(self, options: DeviationOptions = PUBLISHED) -> Figures:
        """Read the figures, equal to `metric_figures` over all evaluations."""
        window = self._window(options)
        return figures_of(
            (self.autos.n, self.autos.mean()),
            window.human_mean(),
            window.deviations(options),
            agreement=(len(self), *quadratic_kappa(self.table_evidence())),
        )

    def evidence(self) -> Evidence:
        """Read what `agreement` needs, over all pairs whatever their date."""
        return self._counted.labels.evidence(exact=True, alike=self._is_alike)

    def table_evidence(self) -> Evidence:
        """Read what the coefficients of the table need: they are the same whatever n."""
        return self._counted.labels.evidence(exact=False, alike=self._is_alike)

    def weights(self, pairs: Collection[Pair]) -> Weights | None:
        """Give what each of the pairs counts that agreement is computed from; None for 1."""
        if self._is_alike or not pairs:
            return None
        worth, strata = np.array([pair.chance for pair in pairs], dtype=np.float64).T
        scale, places = self.scale, None
        if scale is not None:
            places = np.array([scale.nearest(pair.auto)[0] for pair in pairs], dtype=np.intp)
        return weights_of(Chances(worth, strata), places, self._every.labels.judged)


class AutoSums:
    """Keep number and sum of automatic scores."""

    __slots__ = ("n", "total")

    def __init__(self) -> None:
        """Start empty."""
        self.n = 0
        self.total = 0

    def add(self, value: float, count: int = 1) -> None:
        """Count one score in, or several equal ones."""
        self.n += count
        self.total += count * to_fixed(value)

    def remove(self, value: float) -> None:
        """Take one score out."""
        self.n -= 1
        self.total -= to_fixed(value)

    def add_many(self, n: int, total: float) -> None:
        """Count many scores in whose sum is known."""
        self.n += n
        self.total += to_fixed(total)

    def mean(self) -> float | None:
        """Give the mean; None without scores."""
        return mean_of_fixed(self.total, self.n) if self.n else None


class ClippedSums:
    """Give the mean of fixed automatic scores that are moved by a band and held on the scale."""

    __slots__ = ("_sums", "_values")

    def __init__(self, values: Floats) -> None:
        """Sort the scores once; each mean then takes two searches."""
        self._values = np.sort(values)
        self._sums = np.concatenate([[0.0], np.cumsum(self._values)])

    def mean(self, band: float, bounds: tuple[float, float]) -> float | None:
        """Give the mean of min(max(score + band, low), high); None without scores."""
        n, (low, high) = len(self._values), bounds
        if not n:
            return None
        first = int(np.searchsorted(self._values, low - band))
        last = int(np.searchsorted(self._values, high - band, side="right"))
        middle = float(self._sums[last] - self._sums[first]) + (last - first) * band
        return (first * low + middle + (n - last) * high) / n
