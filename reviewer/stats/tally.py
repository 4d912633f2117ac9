"""Running tallies: one label changes a few sums, a read never walks over the evaluations.

All sums are exact (see `reviewer.stats.exact`): putting a value in and taking it out again
restores the former state to the last bit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

import numpy as np

from reviewer.stats.auto_sums import AutoSums
from reviewer.stats.coefficients import Floats
from reviewer.stats.deviations import PUBLISHED, DeviationOptions, Deviations, deviations_of
from reviewer.stats.exact import (
    mean_of_fixed,
    product_to_fixed,
    ratio_of_squares,
    to_fixed,
)
from reviewer.stats.figures import (
    Figures,
    Key,
    Pair,
    figures_of,
    in_order,
    overall_figures,
    quadratic_kappa,
)
from reviewer.stats.ledger import GapLedger
from reviewer.stats.levels import is_by_level
from reviewer.stats.moments import Moments
from reviewer.stats.pairs import Evidence, pairs_of_counts
from reviewer.stats.satisfaction import Overall
from reviewer.stats.values import Scale
from reviewer.stats.window import Window


class GapWindow:
    """Keep the gaps of evaluations, and which of them lie inside a window of dates."""

    __slots__ = ("_by_day", "_entries", "covered", "human", "inside", "span")

    def __init__(self, span: Window) -> None:
        """Start empty."""
        self.span = span
        self.inside = GapLedger()
        self.human = 0
        self.covered = 0
        self._entries: dict[Key, tuple[date | None, float, float, float]] = {}
        self._by_day: dict[date | None, set[Key]] = {}

    def put(
        self, key: Key, day: date | None, gap: float, human: float, covered: float = 0.0
    ) -> None:
        """Enter an evaluation; one that is already there must be dropped first."""
        entry = (day, gap, human, covered)
        self._entries[key] = entry
        self._by_day.setdefault(day, set()).add(key)
        if self.span.contains(day):
            self._count(entry, 1)

    def load(self, entries: Iterable[tuple[Key, date | None, float, float, float]]) -> None:
        """Enter many new evaluations: key, date, gap, human value and covered share."""
        inside: list[tuple[float, float, float]] = []
        for key, day, *figures in entries:
            gap, human, covered = figures
            self._entries[key] = (day, gap, human, covered)
            self._by_day.setdefault(day, set()).add(key)
            if self.span.contains(day):
                inside.append((gap, human, covered))
        if self.inside.n:
            for gap, _, _ in inside:
                self.inside.add(gap)
        else:
            self.inside = GapLedger(gap for gap, _, _ in inside)
        self.human += _summed(human for _, human, _ in inside)
        self.covered += _summed(covered for _, _, covered in inside)

    def drop(self, key: Key) -> None:
        """Take an evaluation out; nothing happens if it is not there."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        day = entry[0]
        keys = self._by_day[day]
        keys.discard(key)
        if not keys:
            del self._by_day[day]
        if self.span.contains(day):
            self._count(entry, -1)

    def move(self, span: Window) -> None:
        """Change the window; only evaluations of days that enter or leave are touched."""
        before, self.span = self.span, span
        for day, keys in self._by_day.items():
            by = span.contains(day) - before.contains(day)
            if by:
                for key in keys:
                    self._count(self._entries[key], by)

    def human_mean(self) -> float | None:
        """Give the mean human value inside the window; None without evaluations."""
        return mean_of_fixed(self.human, self.inside.n) if self.inside.n else None

    def covered_mean(self) -> float | None:
        """Give the mean labelled share of the weight inside the window."""
        return mean_of_fixed(self.covered, self.inside.n) if self.inside.n else None

    def deviations(self, options: DeviationOptions) -> Deviations:
        """Work out deviations and band inside the window."""
        recent = self._recent() if options.top_which == "recent" else None
        return deviations_of(self.inside, options, recent=recent)

    def _recent(self) -> list[float]:
        inside = [
            (in_order(day, key), gap)
            for key, (day, gap, _, _) in self._entries.items()
            if self.span.contains(day)
        ]
        return [gap for _, gap in sorted(inside)]

    def _count(self, entry: tuple[date | None, float, float, float], by: int) -> None:
        _, gap, human, covered = entry
        if by > 0:
            self.inside.add(gap)
        else:
            self.inside.remove(gap)
        self.human += by * to_fixed(human)
        self.covered += by * to_fixed(covered)


def _summed(values: Iterable[float]) -> int:
    return sum(to_fixed(value) * count for value, count in Counter(values).items())


class PairTally:
    """Keep one metric's figures while people label.

    `put` an evaluation's pair whenever its human value or auto score changes, with None when it
    has no longer both; keep `autos` in step with the auto scores, labelled or not.

    Attributes:
        judged: shape (k,), how many automatic scores each level has in all, for labels that were
            chosen by them.
    """

    __slots__ = (
        "_counts",
        "_off_grid",
        "_pairs",
        "_signs",
        "_sums",
        "_table",
        "autos",
        "judged",
        "n_no_majority",
        "n_rounded",
        "scale",
        "window",
    )

    def __init__(self, scale: Scale | None, span: Window) -> None:
        """Start empty, on a declared scale (None: a range without levels)."""
        self.scale = scale
        self.window = GapWindow(span)
        self.autos = AutoSums()
        self.judged: Floats | None = None
        self.n_no_majority = 0
        self.n_rounded = 0
        self._pairs: dict[Key, Pair] = {}
        self._counts: dict[tuple[float, float], int] = {}
        self._off_grid = 0
        self._signs = {1: 0, 0: 0, -1: 0}
        self._table = [0] * (len(scale.values) ** 2 if scale else 0)
        # auto, human, auto², human², auto x human, gap, gap², |gap|
        self._sums = [0] * 8

    def __len__(self) -> int:
        """Count the pairs, whatever their date."""
        return len(self._pairs)

    def get(self, key: Key) -> Pair | None:
        """Give an evaluation's pair."""
        return self._pairs.get(key)

    def put(self, key: Key, pair: Pair | None) -> None:
        """Set an evaluation's pair, or take it out with None."""
        before = self._pairs.pop(key, None)
        if before is not None:
            self._count(before, -1)
            self.window.drop(key)
        if pair is not None:
            self._pairs[key] = pair
            self._count(pair, 1)
            self.window.put(key, pair.day, pair.gap, pair.human)

    def load(self, pairs: Iterable[tuple[Key, Pair]]) -> None:
        """Set many evaluations' pairs; equal ones are counted together."""
        found = dict(pairs)
        for key in found.keys() & self._pairs.keys():
            self.put(key, None)
        alike = Counter(
            (pair.auto, pair.human, pair.majority, pair.sign) for pair in found.values()
        )
        for (auto, human, most, sign), count in alike.items():
            self._count(Pair(auto, human, most, sign=sign), count)
        self._pairs.update(found)
        self.window.load((key, pair.day, pair.gap, pair.human, 0.0) for key, pair in found.items())

    def move(self, span: Window) -> None:
        """Change the window, as on a new day."""
        self.window.move(span)

    def pairs(self) -> Mapping[Key, Pair]:
        """Give every evaluation's pair."""
        return self._pairs

    def gaps(self) -> Iterator[tuple[float, int]]:
        """Go through the distinct gaps inside the window and their counts, lowest first."""
        return self.window.inside.items()

    def figures(self, options: DeviationOptions = PUBLISHED) -> Figures:
        """Read the figures, equal to `metric_figures` over all evaluations."""
        return figures_of(
            (self.autos.n, self.autos.mean()),
            self.window.human_mean(),
            self.window.deviations(options),
            agreement=(len(self._pairs), *quadratic_kappa(self._evidence(exact=False))),
        )

    def evidence(self) -> Evidence:
        """Read what `agreement` needs, over all pairs whatever their date."""
        return self._evidence(exact=True)

    def table_evidence(self) -> Evidence:
        """Read what the coefficients of the table need: they are the same whatever n."""
        return self._evidence(exact=False)

    def moments(self) -> Moments:
        """Read means and centred sums of all pairs, rounded once each."""
        n = len(self._pairs)
        if not n:
            return Moments(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        auto, human, auto_2, human_2, cross, gap, gap_2, size = self._sums
        return Moments(
            n=n,
            auto_mean=mean_of_fixed(auto, n),
            human_mean=mean_of_fixed(human, n),
            s_auto=ratio_of_squares(n * auto_2 - auto * auto, n),
            s_human=ratio_of_squares(n * human_2 - human * human, n),
            s_cross=ratio_of_squares(n * cross - auto * human, n),
            s_gap=ratio_of_squares(n * gap_2 - gap * gap, n),
            mae=mean_of_fixed(size, n),
        )

    def _evidence(self, *, exact: bool) -> Evidence:
        k = len(self.scale.values) if self.scale else 0
        off = (self._off_grid or not self.scale) and exact
        return Evidence(
            self.scale,
            np.array(self._table, dtype=np.float64).reshape(k, k),
            pairs_of_counts(self._counts) if off else None,
            n_no_majority=self.n_no_majority,
            n_rounded=self.n_rounded,
            judged=self.judged if is_by_level(self._signs[1], self._signs[-1]) else None,
        )

    def _count(self, pair: Pair, by: int) -> None:
        auto, human, gap = pair.auto, pair.human, pair.gap
        sums = self._sums
        self._signs[pair.sign] += by
        step = to_fixed(gap)
        sums[0] += by * to_fixed(auto)
        sums[1] += by * to_fixed(human)
        sums[2] += by * product_to_fixed(auto, auto)
        sums[3] += by * product_to_fixed(human, human)
        sums[4] += by * product_to_fixed(auto, human)
        sums[5] += by * step
        sums[6] += by * product_to_fixed(gap, gap)
        sums[7] += by * abs(step)
        left = self._counts.get((auto, human), 0) + by
        if left:
            self._counts[auto, human] = left
        else:
            del self._counts[auto, human]
        if self.scale is not None:
            self._place(pair, self.scale, by)

    def _place(self, pair: Pair, scale: Scale, by: int) -> None:
        row = None if pair.majority is None else scale.index(pair.majority)
        column, moved = scale.nearest(pair.auto)
        if row is None:
            self.n_no_majority += by
        else:
            self._table[row * len(scale.values) + column] += by
            self.n_rounded += by * moved
        if row is None or moved or pair.majority != pair.human:
            self._off_grid += by


class SatisfactionTally:
    """Keep the figures of the overall while people label.

    `put` the overall of every evaluation in scope, worked out with `require_weighted_label` off;
    the options decide at reading which of them count. Both presets are kept up to date; other
    combinations are worked out when asked for.

    Attributes:
        autos: The overalls of automatic scores. `put` counts its own in; evaluations that nobody
            labelled can be counted here alone, and taken out before their first `put`.
    """

    __slots__ = ("_overalls", "_windows", "autos", "span")

    def __init__(self, span: Window) -> None:
        """Start empty."""
        self.span = span
        self.autos = AutoSums()
        self._overalls: dict[Key, tuple[Overall, date | None]] = {}
        self._windows = {kept: GapWindow(span) for kept in _KEPT}

    def __len__(self) -> int:
        """Count the evaluations that were put."""
        return len(self._overalls)

    def get(self, key: Key) -> Overall | None:
        """Give an evaluation's overall."""
        found = self._overalls.get(key)
        return found[0] if found else None

    def put(self, key: Key, found: Overall | None, day: date | None = None) -> None:
        """Set an evaluation's overall, or take it out with None."""
        self._drop(key)
        if found is None:
            return
        self._overalls[key] = (found, day)
        if found.auto is not None:
            self.autos.add(found.auto)
        if found.gap is not None and found.human is not None:
            for (no_mixed, weighted), window in self._windows.items():
                if not (no_mixed and found.mixed) and (found.covered > 0 or not weighted):
                    window.put(key, day, found.gap, found.human, found.covered)

    def load(self, overalls: Iterable[tuple[Key, Overall, date | None]]) -> None:
        """Set many new evaluations' overalls."""
        found = {key: (one, day) for key, one, day in overalls}
        self._overalls.update(found)
        known = Counter(one.auto for one, _ in found.values() if one.auto is not None)
        for auto, count in known.items():
            self.autos.add(auto, count)
        for (no_mixed, weighted), window in self._windows.items():
            window.load(
                (key, day, one.gap, one.human, one.covered)
                for key, (one, day) in found.items()
                if one.gap is not None
                and one.human is not None
                and not (no_mixed and one.mixed)
                and (one.covered > 0 or not weighted)
            )

    def _drop(self, key: Key) -> None:
        before = self._overalls.pop(key, None)
        if before is None:
            return
        if before[0].auto is not None:
            self.autos.remove(before[0].auto)
        for window in self._windows.values():
            window.drop(key)

    def move(self, span: Window) -> None:
        """Change the window, as on a new day."""
        self.span = span
        for window in self._windows.values():
            window.move(span)

    def figures(self, options: DeviationOptions = PUBLISHED) -> Figures:
        """Read the figures, equal to `overall_figures` over all evaluations."""
        window = self._windows.get((options.exclude_mixed, options.require_weighted_label))
        if window is None:
            return overall_figures(self._overalls, self.span, options)
        return figures_of(
            (self.autos.n, self.autos.mean()),
            window.human_mean(),
            window.deviations(options),
            coverage_mean=window.covered_mean(),
        )

    def gaps(self, options: DeviationOptions = PUBLISHED) -> Iterator[tuple[float, int]]:
        """Go through the distinct gaps inside the window and their counts, lowest first."""
        window = self._windows.get((options.exclude_mixed, options.require_weighted_label))
        return window.inside.items() if window else iter(())

    def overalls(self) -> Mapping[Key, tuple[Overall, date | None]]:
        """Give every evaluation's overall and date."""
        return self._overalls


_KEPT = ((False, False), (True, True))
