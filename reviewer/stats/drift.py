"""Two runs or two judges on the same items: how much of a change was the judge?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.contrast import Codes, design_of_difference, satterthwaite
from reviewer.stats.paired_means import CONSTANT, Shift, paired_shift
from reviewer.stats.paired_shares import sign_beyond_chance, told_apart
from reviewer.stats.quantiles import t_quantile, t_two_sided

NO_ANCHOR: Final = "fewer than two unchanged answers are in both runs"


@dataclass(frozen=True, slots=True)
class Measured:
    """Hold a figure with its standard error and degrees of freedom."""

    value: float
    se: float
    freedom: float


@dataclass(frozen=True, slots=True)
class SystemChange:
    """Split the change of a headline figure into the judge's and the system's part.

    Attributes:
        headline: change as it stands.
        judge, judge_low, judge_high: mean change on unchanged answers.
        system, low, high: what is left for the system, with the ends of its interval.
        anchors: unchanged answers.
        reason: why the split, or an interval, is missing.
        p: of the test that the system's interval inverts.
        rest: the system's part with its standard error, None without a split.
    """

    headline: float
    judge: float | None
    judge_low: float | None
    judge_high: float | None
    system: float | None
    low: float | None
    high: float | None
    anchors: int
    reason: str | None = None
    p: float | None = None
    rest: Measured | None = None

    def at(self, level: float) -> "SystemChange":
        """Give it with an interval of the system's part of another level."""
        rest = self.rest
        if rest is None or not rest.se:
            return self
        half = t_quantile(0.5 + level / 2, rest.freedom) * rest.se
        sign = sign_beyond_chance(rest.value, self.p, level)
        low, high = told_apart(rest.value - half, rest.value + half, sign)
        return replace(self, low=low, high=high)


def measured(shift: Shift) -> Measured | None:
    """Give a mean difference the form of a headline; None where it has no standard error."""
    if shift.difference is None or shift.se is None:
        return None
    units = shift.n if shift.conversations is None else shift.conversations
    return Measured(shift.difference, shift.se, units - 1)


def headline_change(
    before: Sequence[float] | Floats,
    after: Sequence[float] | Floats,
    clusters: tuple[Codes, Codes] | None = None,
) -> Measured | None:
    """Measure the difference of two means of different answers (Welch); None below two each.

    Args:
        before: scores, shape (n,).
        after: shape (m,).
        clusters: the conversations of both, numbered together; None where none is shared.
    """
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if min(len(old), len(new)) < 2:
        return None
    value = float(new.mean() - old.mean())
    parts = [float(x.var(ddof=1)) / len(x) if np.ptp(x) else 0.0 for x in (old, new)]
    variance, freedom = sum(parts), satterthwaite(parts, [len(old) - 1, len(new) - 1])
    if clusters is not None and variance > 0:
        second = np.arange(len(old) + len(new)) >= len(old)
        effect, groups = design_of_difference(
            np.concatenate([old, new]), second, np.concatenate(clusters), variance
        )
        if groups < 2:
            return None
        variance, freedom = variance * effect, min(freedom, groups - 1)
    return Measured(value, math.sqrt(variance), freedom)


def system_change(
    headline: Measured,
    anchor_shifts: Sequence[float] | Floats,
    level: float = 0.95,
    clusters: Codes | None = None,
) -> SystemChange:
    """Take the judge's own drift off a headline change.

    Args:
        headline: change of the mean over answers that are new in the second run.
        anchor_shifts: second minus first score of answers that are the same to the byte.
        level: level of the intervals.
        clusters: the conversations of the unchanged answers; None where each is its own.
    """
    anchor = paired_shift(anchor_shifts, level, clusters)
    part = measured(anchor)
    if part is None:
        nothing = (None,) * 6
        return SystemChange(headline.value, *nothing, anchors=anchor.n, reason=NO_ANCHOR)
    value = headline.value - part.value
    variances = [headline.se**2, part.se**2]
    se, freedom = (
        math.sqrt(sum(variances)),
        satterthwaite(variances, [headline.freedom, part.freedom]),
    )
    found = SystemChange(
        headline.value,
        anchor.difference,
        anchor.low,
        anchor.high,
        value,
        None,
        None,
        anchor.n,
        reason=None if se else CONSTANT,
        p=t_two_sided(value / se, freedom) if se else None,
        rest=Measured(value, se, freedom),
    )
    return found.at(level)
