"""The figures of one metric or of the overall that a screen shows beside the labels.

Gaps are kept by date, and which of them lie inside a window.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from typing_extensions import override

from reviewer.stats.agreement import coefficient_or_reason
from reviewer.stats.deviations import (
    PUBLISHED,
    DeviationOptions,
    Deviations,
    Window,
    deviations,
    deviations_of,
)
from reviewer.stats.ledger import GapLedger, Parted, mean_of_fixed, to_fixed
from reviewer.stats.pairs import Evidence
from reviewer.stats.reasons import NO_PAIR, NO_SCORE, TOO_FEW
from reviewer.stats.satisfaction import Overall

Key = str | int


Chance = tuple[float, float]
"""What an evaluation is worth, and the stratum it was drawn in; see `levels.Chances`."""
PLAIN: Final[Chance] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold one evaluation's automatic and human value of a metric.

    Attributes:
        auto: exact automatic score.
        human: exact human value (mean of current labels, or the adjudication).
        labels: the labels that count in the table; an adjudication stands alone.
        day: evaluation date; None lies in every window.
        chance: with which chance it was drawn.
        chosen: whether somebody chose it, so that it counts only where chance drew none.
    """

    auto: float
    human: float
    labels: tuple[float, ...]
    day: date | None = None
    chance: Chance = PLAIN
    chosen: bool = False

    @property
    def gap(self) -> float:
        """Give human minus auto."""
        return self.human - self.auto


@dataclass(frozen=True, slots=True)
class Figures:
    """Hold the figures of a metric, or of the overall, as of one day.

    Attributes:
        n_auto, auto_mean: over all auto scores in scope, whatever their date.
        human_mean: over the evaluations with both inside the window; their number and mean gap
            are `deviations.n_labelled` and `deviations.gap_mean`.
        adjusted_mean: auto_mean plus band, never clipped.
        n_pairs: evaluations with both, whatever their date.
        kappa_quadratic: over those; None for the overall.
        coverage_mean: mean labelled share of the weight; None for a metric.
        undefined: reasons by name.
    """

    n_auto: int
    auto_mean: float | None
    human_mean: float | None
    deviations: Deviations
    adjusted_mean: float | None
    n_pairs: int = 0
    kappa_quadratic: float | None = None
    coverage_mean: float | None = None
    undefined: Mapping[str, str] = field(default_factory=dict)


def figures_of(
    autos: tuple[int, float | None],
    human_mean: float | None,
    found: Deviations,
    *,
    agreement: tuple[int, float | None, str | None] = (0, None, None),
    coverage_mean: float | None = None,
) -> Figures:
    """Put figures together and name the reason of each that is missing.

    Args:
        autos: number and mean of the auto scores.
        human_mean: mean human value inside the window.
        found: deviations inside the window.
        agreement: number of pairs, quadratic kappa, and the reason where it is None.
        coverage_mean: for the overall only.
    """
    n_auto, auto_mean = autos
    undefined: dict[str, str] = {}
    if auto_mean is None:
        undefined.update(auto_mean=NO_SCORE, adjusted_mean=NO_SCORE)
    if human_mean is None:
        undefined.update(human_mean=NO_PAIR, gap_mean=NO_PAIR)
    for name, value in (("upper_deviation", found.upper), ("lower_deviation", found.lower)):
        if value is None:
            undefined[name] = TOO_FEW
    if agreement[2]:
        undefined["kappa_quadratic"] = agreement[2]
    return Figures(
        n_auto=n_auto,
        auto_mean=auto_mean,
        human_mean=human_mean,
        deviations=found,
        adjusted_mean=None if auto_mean is None else auto_mean + found.band,
        n_pairs=agreement[0],
        kappa_quadratic=agreement[1],
        coverage_mean=coverage_mean,
        undefined=undefined,
    )


def in_order(day: date | None, key: Key) -> tuple[date, str]:
    """Give the place of an evaluation among others: by date, then by id."""
    return day or date.min, str(key)


def quadratic_kappa(evidence: Evidence) -> tuple[float | None, str | None]:
    """Give quadratic kappa, or None and why."""
    return coefficient_or_reason(evidence, "kappa_quadratic")


def overall_figures(
    overalls: Mapping[Key, tuple[Overall, date | None]],
    span: Window,
    options: DeviationOptions = PUBLISHED,
    left_out: Collection[Key] = (),
) -> Figures:
    """Work out the overall's figures from the overalls and dates of all evaluations.

    Those left out make no deviations, but their auto scores are there.
    """
    scores = [found.auto for found, _ in overalls.values() if found.auto is not None]
    ordered = sorted(overalls.items(), key=lambda item: in_order(item[1][1], item[0]))
    inside = [
        found
        for key, (found, day) in ordered
        if key not in left_out and span.contains(day) and counts(found, options)
    ]
    return figures_of(
        (len(scores), _mean(scores)),
        _mean([found.human for found in inside if found.human is not None]),
        deviations([found.gap for found in inside if found.gap is not None], options),
        coverage_mean=_mean([found.covered for found in inside]),
    )


def counts(found: Overall, options: DeviationOptions) -> bool:
    """Tell whether an evaluation's overall gap makes deviations and band."""
    if found.gap is None or (found.mixed and options.exclude_mixed):
        return False
    return found.covered > 0 or not options.require_weighted_label


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


class GapWindow(Parted):
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

    @override
    def part(self) -> None:
        """Share nothing with the window that this one was copied from."""
        self.inside = self.inside.copy()
        self._entries = dict(self._entries)
        self._by_day = {day: set(keys) for day, keys in self._by_day.items()}

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
        return deviations_of(
            self.inside, options, recent=self._recent() if options.top_which == "recent" else None
        )

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
