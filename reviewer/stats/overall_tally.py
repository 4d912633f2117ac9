"""The overall's figures while people label: one label moves a few sums."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date

from reviewer.stats.auto_sums import AutoSums
from reviewer.stats.deviations import PUBLISHED, DeviationOptions
from reviewer.stats.figures import Figures, Key, figures_of, overall_figures
from reviewer.stats.gap_window import GapWindow
from reviewer.stats.satisfaction import Overall
from reviewer.stats.tally import DrawnTally
from reviewer.stats.values import Counting
from reviewer.stats.window import Window


class SatisfactionTally:
    """Keep the figures of the overall while people label.

    `put` the overall of every evaluation in scope, worked out with `require_weighted_label` off;
    the options decide at reading which of them count. Both presets are kept up to date; other
    combinations are worked out when asked for.

    Attributes:
        autos: The overalls of automatic scores. `put` counts its own in; evaluations that nobody
            labelled can be counted here alone, and taken out before their first `put`.
    """

    __slots__ = ("_chosen", "_drawn", "_every", "_overalls", "_rule", "_scope", "autos", "span")

    def __init__(self, span: Window, rule: Counting, scope: DrawnTally) -> None:
        """Start empty."""
        self.span = span
        self.autos = AutoSums()
        self._rule = rule
        self._scope = scope
        self._chosen: set[Key] = set()
        self._overalls: dict[Key, tuple[Overall, date | None]] = {}
        self._every = {kept: GapWindow(span) for kept in _KEPT}
        self._drawn: dict[tuple[bool, bool], GapWindow] | None = None

    def __len__(self) -> int:
        """Count the evaluations that were put."""
        return len(self._overalls)

    def get(self, key: Key) -> Overall | None:
        """Give an evaluation's overall."""
        found = self._overalls.get(key)
        return found[0] if found else None

    def is_chosen(self, key: Key) -> bool:
        """Tell whether somebody chose an evaluation that is in."""
        return key in self._chosen

    def put(
        self, key: Key, found: Overall | None, day: date | None = None, *, chosen: bool = False
    ) -> None:
        """Set an evaluation's overall, or take it out with None.

        Args:
            key: the evaluation.
            found: its overall.
            day: its date.
            chosen: whether somebody chose it, as `Pair.chosen`.
        """
        self._drop(key)
        if found is None:
            return
        if chosen:
            if self._drawn is None:
                self._drawn = {kept: window.copy() for kept, window in self._every.items()}
            self._chosen.add(key)
        self._overalls[key] = (found, day)
        if found.auto is not None:
            self.autos.add(found.auto)
        if found.gap is not None and found.human is not None:
            for kept, window in self._windows(chosen=chosen):
                if _takes(kept, found):
                    window.put(key, day, found.gap, found.human, found.covered)

    def load(self, overalls: Iterable[tuple[Key, Overall, date | None, bool]]) -> None:
        """Set many new evaluations' overalls: key, overall, date, and whether it was chosen."""
        every = list(overalls)
        found = {key: (one, day) for key, one, day, chosen in every if not chosen}
        self._overalls.update(found)
        known = Counter(one.auto for one, _ in found.values() if one.auto is not None)
        for auto, count in known.items():
            self.autos.add(auto, count)
        for kept, window in self._windows(chosen=False):
            window.load(
                (key, day, one.gap, one.human, one.covered)
                for key, (one, day) in found.items()
                if one.gap is not None and one.human is not None and _takes(kept, one)
            )
        for key, one, day, chosen in every:
            if chosen:
                self.put(key, one, day, chosen=True)

    def _windows(self, *, chosen: bool) -> Iterator[tuple[tuple[bool, bool], GapWindow]]:
        """Go through the windows that an evaluation enters."""
        yield from self._every.items()
        if self._drawn is not None and not chosen:
            yield from self._drawn.items()

    def _drop(self, key: Key) -> None:
        before = self._overalls.pop(key, None)
        if before is None:
            return
        if before[0].auto is not None:
            self.autos.remove(before[0].auto)
        for _, window in self._windows(chosen=False):
            window.drop(key)
        self._chosen.discard(key)
        if not self._chosen:
            self._drawn = None

    def move(self, span: Window) -> None:
        """Change the window, as on a new day."""
        self.span = span
        for _, window in self._windows(chosen=False):
            window.move(span)

    def _leaves_out(self, options: DeviationOptions) -> bool:
        return options.band_selection == "drawn" and self._scope.leaves_out(self._rule)

    def _window(self, options: DeviationOptions) -> GapWindow | None:
        kept = (options.exclude_mixed, options.require_weighted_label)
        leaves_out = self._drawn is not None and self._leaves_out(options)
        return (self._drawn or {} if leaves_out else self._every).get(kept)

    def figures(self, options: DeviationOptions = PUBLISHED) -> Figures:
        """Read the figures, equal to `overall_figures` over all evaluations."""
        window = self._window(options)
        if window is None:
            left_out = self._chosen if self._leaves_out(options) else frozenset[Key]()
            return overall_figures(self._overalls, self.span, options, left_out)
        return figures_of(
            (self.autos.n, self.autos.mean()),
            window.human_mean(),
            window.deviations(options),
            coverage_mean=window.covered_mean(),
        )

    def gaps(self, options: DeviationOptions = PUBLISHED) -> Iterator[tuple[float, int]]:
        """Go through the distinct gaps inside the window and their counts, lowest first."""
        window = self._window(options)
        return window.inside.items() if window else iter(())


def _takes(kept: tuple[bool, bool], found: Overall) -> bool:
    """Tell whether an overall counts without mixed ones, with labels of weight only, or both."""
    no_mixed, weighted = kept
    return not (no_mixed and found.mixed) and (found.covered > 0 or not weighted)


_KEPT = ((False, False), (True, True))
