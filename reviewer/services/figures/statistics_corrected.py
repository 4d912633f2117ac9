"""Corrected estimates: which labels may stand for the rest, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, HumanColumns, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.statistics_blocks import Correction
from reviewer.stats.clustering import (
    ONE,
    cluster_codes_of,
    clustered_ppi,
    design_effect,
    level_of_conversations,
    verdicts_effect,
    widened,
)
from reviewer.stats.coefficients import moments
from reviewer.stats.estimate import (
    NO_LABEL,
    Corrected,
    EstimateChoice,
    HowChosen,
    Kind,
    VerdictCounts,
    Way,
    choose_estimate,
    corrected_mean,
    corrected_pass_rate,
    human_pass_rate,
    supported,
)
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.reasons import UNORDERED
from reviewer.stats.strata import (
    Drawn,
    drawn_by_level,
    drawn_mean,
    drawn_pass_rate,
    level_rates,
    pooled_probabilities,
    strata_by_level,
    stratified_mean,
)

Verdicts = np.ndarray[tuple[int], np.dtype[np.int8]]
Codes = NDArray[np.int8]
NONE_JUDGED = "no overlap: no judged evaluation is labelled yet"

_WAYS: dict[Way, Choice] = {
    "random": Choice.RANDOM,
    "stratum": Choice.STRATUM,
    "active": Choice.ACTIVE,
    "unknown": Choice.UNKNOWN,
    "convenience": Choice.CONVENIENCE,
}


@dataclass(frozen=True, slots=True)
class Ways:
    """How each evaluation came to be labelled.

    Attributes:
        chosen: Codes of `Choice`.
        probability: With which it was drawn, NaN where none is known.
        clusters: The conversation it comes from; None where no two share one.
    """

    chosen: Codes
    probability: Floats
    clusters: Ints | None = None


def best_ways(columns: Sequence[HumanColumns], clusters: Ints | None = None) -> Ways:
    """Give the best-known way in which each evaluation was chosen, over its metrics."""
    chosen: Codes = reduce(np.maximum, (x.chosen for x in columns))
    drawn: Floats = np.broadcast_to(np.float64(np.nan), chosen.shape)
    for one in columns:
        # columns may hold a million: those without any probability are passed over
        if np.isfinite(one.probability).any():
            drawn = np.fmax(drawn, np.where(one.chosen == chosen, one.probability, np.nan))
    return Ways(chosen, drawn, clusters)


def metric_correction(
    table: MetricTable, level: float, clusters: Ints | None = None
) -> Correction:
    """Estimate the mean human score of all evaluations of a metric.

    The mean of a metric of passes and fails is a pass rate, and is estimated as one.
    """
    if not table.metric.is_numeric:
        return Correction(reason=UNORDERED)
    case = _case_of(table, level, clusters)
    return case.rate() if _is_rate(table, case) else case.mean()


def metric_rows(table: MetricTable) -> Flags:
    """Tell which evaluations' labels `metric_correction` uses."""
    if not table.metric.is_numeric:
        return np.zeros(table.auto.size, dtype=np.bool_)
    case = _case_of(table, 0.95, None)
    return case.used("rate" if _is_rate(table, case) else "mean")


def _case_of(table: MetricTable, level: float, clusters: Ints | None) -> "_Case":
    human = table.whole
    ways = Ways(human.chosen, human.probability, clusters)
    has_human = np.asarray(human.count > 0)
    return _Case(
        table.auto, human.score, table.has_auto, has_human, ways, level, table.metric.bounds
    )


def _is_rate(table: MetricTable, case: "_Case") -> bool:
    return table.metric.kind.is_binary and case.is_of_verdicts()


def pass_correction(auto: Verdicts, human: Verdicts, ways: Ways, level: float) -> Correction:
    """Estimate the pass rate that people would give; verdicts by the codes of the columns."""
    return _case_of_verdicts(auto, human, ways, level).rate()


def pass_rows(auto: Verdicts, human: Verdicts, ways: Ways) -> Flags:
    """Tell which evaluations' labels `pass_correction` uses."""
    return _case_of_verdicts(auto, human, ways, 0.95).used("rate")


def _case_of_verdicts(auto: Verdicts, human: Verdicts, ways: Ways, level: float) -> "_Case":
    judge, people = ((x == PASS).astype(np.float64) for x in (auto, human))
    return _Case(judge, people, auto != OPEN, human != OPEN, ways, level)


@dataclass(frozen=True, slots=True)
class _Case:
    """The automatic and human values of all evaluations, and how each came to be labelled."""

    auto: Floats
    human: Floats
    judged: Flags
    answered: Flags
    ways: Ways
    level: float
    bounds: tuple[float, float] | None = None

    @property
    def is_judged(self) -> bool:
        return bool(self.judged.any())

    @property
    def labelled(self) -> Flags:
        return self.judged & self.answered if self.is_judged else self.answered

    @property
    def n_all(self) -> int:
        return int(np.count_nonzero(self.judged)) if self.is_judged else self.judged.size

    @property
    def autos(self) -> Floats:
        return self.auto if self.judged.all() else self.auto[self.judged]

    def is_of_verdicts(self) -> bool:
        """Tell whether the judge gave nothing but 0 and 1."""
        return bool(np.isin(self.autos, (0.0, 1.0)).all())

    def mean(self) -> Correction:
        choice, chosen = self._choice("mean")
        if choice.method == "none":
            return self._refused(choice)
        usable = self._usable(choice, chosen)
        human = self.human[usable]
        auto = self.auto[usable] if self.is_judged else None
        if choice.weighted:
            drawn = Drawn(human, self._probabilities(chosen, usable), auto)
            autos = self.autos if self.is_judged else None
            found = drawn_mean(drawn, autos, n_all=self.n_all, level=self.level)
            found = self._widened(found, usable, drawn.gaps, None)
        elif choice.method == "stratified":
            found = stratified_mean(
                strata_by_level(self.autos, self.auto[usable], human), level=self.level
            )
            found = self._widened(found, usable, human, self.auto[usable])
        else:
            found = corrected_mean(
                moments(np.zeros(human.size) if auto is None else auto, human),
                n_all=self.n_all,
                auto_mean_all=float(self.autos.mean()) if self.is_judged else None,
                level=self.level,
            )
            found = self._by_conversation(found, usable, human)
        return _told(supported(found, bounds=self.bounds), choice)

    def rate(self) -> Correction:
        choice, chosen = self._choice("rate")
        if choice.method == "none":
            return self._refused(choice)
        usable = self._usable(choice, chosen)
        human = self.human[usable]
        auto = self.auto[usable] if self.is_judged else None
        judged_pass = int(self.autos.sum()) if self.is_judged else 0
        left = human if auto is None else human - _means(auto, human)
        # careful where few conversations have one verdict
        effect = verdicts_effect(human > 0.5, left, self._shared(usable))
        level = level_of_conversations(self._shared(usable), self.level)
        if effect is None:
            return _told(Corrected(None, None, None, "none", human.size, reason=ONE), choice)
        if choice.weighted:
            found = drawn_pass_rate(
                Drawn(human, self._probabilities(chosen, usable), auto),
                judged_pass=judged_pass,
                judged=self.n_all,
                effect=effect,
                level=level,
            )
        elif auto is None:
            worth = human.size / effect
            found = human_pass_rate(float(human.sum()) / effect, worth, level)
            found = replace(found, n=human.size)
        else:
            found = corrected_pass_rate(
                VerdictCounts(
                    both_pass=float(human[auto == 1].sum()) / effect,
                    judge_pass_only=float((1 - human[auto == 1]).sum()) / effect,
                    human_pass_only=float(human[auto == 0].sum()) / effect,
                    both_fail=float((1 - human[auto == 0]).sum()) / effect,
                    judged_pass=judged_pass,
                    judged=self.n_all,
                ),
                n=human.size,
                judged_effect=self._judged_effect(),
                level=level,
            )
        return _told(supported(found, "pass rate"), choice)

    def used(self, kind: Kind) -> Flags:
        """Tell which labels stand for the rest."""
        return self._usable(*self._choice(kind))

    def _choice(self, kind: Kind) -> tuple[EstimateChoice, Codes]:
        """Choose the estimate, and give the ways in which labels count for it."""
        chosen = self._by_verdict() if kind == "rate" else self._by_these_levels()
        return self._choose(kind, chosen), chosen

    def _by_verdict(self) -> Codes:
        """Give the ways; levels inside a verdict, labelled at known rates, are undone."""
        chosen = self.ways.chosen
        known = (chosen == Choice.STRATUM) & np.isfinite(self.ways.probability)
        return np.where(known, np.int8(Choice.ACTIVE), chosen)

    def _by_these_levels(self) -> Codes:
        """Give the ways; what was drawn by other levels than these counts by its probability."""
        chosen, drawn = self.ways.chosen, self.ways.probability
        known = self.labelled & (chosen == Choice.STRATUM) & np.isfinite(drawn)
        if not known.any() or not self.is_judged:
            return chosen
        if drawn_by_level(self.autos, self.auto[known], drawn[known]):
            return chosen
        return np.where(known, np.int8(Choice.ACTIVE), chosen)

    def _refused(self, choice: EstimateChoice) -> Correction:
        if choice.reason == NO_LABEL and self.answered.any():
            choice = replace(choice, reason=NONE_JUDGED)
        return _told(None, choice)

    def _choose(self, kind: Kind, chosen: Codes) -> EstimateChoice:
        mine = chosen[self.labelled]
        drawn = self.auto[self.labelled][mine == Choice.RANDOM]
        return choose_estimate(
            HowChosen(**{way: int((mine == code).sum()) for way, code in _WAYS.items()}),
            kind=kind,
            n_all=self.n_all,
            judged=self.is_judged,
            judge_varies=bool(drawn.size and np.ptp(drawn)),
        )

    def _usable(self, choice: EstimateChoice, chosen: Codes) -> Flags:
        fit = np.isin(chosen, [int(_WAYS[way]) for way in choice.ways])
        return np.asarray(self.labelled & fit)

    def _judged_effect(self) -> float:
        """Give how many times conversations widen the variance of the judge's own rate."""
        if self.ways.clusters is None or not self.is_judged:
            return 1.0
        codes = cluster_codes_of(self.ways.clusters[self.judged])
        return 1.0 if codes is None else design_effect(self.autos, codes) or 1.0

    def _shared(self, usable: Flags) -> Ints | None:
        return None if self.ways.clusters is None else self.ways.clusters[usable]

    def _widened(
        self, found: Corrected, usable: Flags, values: Floats, auto: Floats | None
    ) -> Corrected:
        """Widen an interval by the effect of conversations on labels around their level's mean."""
        if self.ways.clusters is None:
            return found
        left = values if auto is None else values - _means(auto, values)
        return widened(found, design_effect(left, self.ways.clusters[usable]))

    def _by_conversation(self, found: Corrected, usable: Flags, human: Floats) -> Corrected:
        clusters = self.ways.clusters
        if clusters is None:
            return found
        auto = self.auto[usable] if self.is_judged else np.zeros(human.size)
        every = self.judged if self.is_judged else usable
        return clustered_ppi(
            found,
            (auto, human),
            clusters[usable],
            autos=(self.auto[every] if self.is_judged else auto, clusters[every]),
            level=self.level,
        )

    def _probabilities(self, chosen: Codes, usable: Flags) -> Floats:
        """Give the probability of every usable label, all ways of drawing taken together."""
        own = np.where(chosen == Choice.RANDOM, np.nan, self.ways.probability)
        by_level = usable & (chosen == Choice.STRATUM) & np.isnan(own)
        if by_level.any() and self.is_judged:
            own[by_level] = level_rates(self.autos, self.auto[by_level])
        return pooled_probabilities(chosen[usable], own[usable], self.n_all)


def _means(auto: Floats, human: Floats) -> Floats:
    """Give, for each label, the mean human score of the labels with the same auto score."""
    _, level = np.unique(auto, return_inverse=True)
    return np.asarray((np.bincount(level, human) / np.bincount(level))[level])


def _told(found: Corrected | None, choice: EstimateChoice) -> Correction:
    if found is None:
        why = choice.reason
        return Correction(n_excluded=choice.n_excluded, reason=why, because=why)
    named = found if found.value is None else replace(found, method=choice.method)
    return Correction(
        mean=named.value,
        low=named.low,
        high=named.high,
        method=named.method,
        n=named.n,
        n_excluded=choice.n_excluded,
        reason=named.reason,
        because=choice.reason,
        note=named.note,
    )
