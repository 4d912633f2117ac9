"""How much of a change was the judge, and which labelers moved over the weeks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot
from reviewer.stats.contrast import Codes, design_of_difference, satterthwaite
from reviewer.stats.paired import CONSTANT, Shift, paired_shift
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
        low, high = told_apart(
            rest.value - half, rest.value + half, sign_beyond_chance(rest.value, self.p, level)
        )
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
    return SystemChange(
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
    ).at(level)


THRESHOLD: Final = 8.0
SLACK: Final = 0.5
Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Hold how far each label lies from the mean of the others on the same item.

    Attributes:
        rows: which labels have others beside them, in the order given.
        gaps: shape (rows,), label minus the others' mean.
        sd: standard deviation of all gaps around each labeler's own mean; None below two.
    """

    rows: NDArray[np.intp]
    gaps: Floats
    sd: float | None

    def standardised(self) -> Floats:
        """Give gaps in standard deviations; empty while the spread is unknown or 0."""
        if not self.sd:
            return np.zeros(0)
        scaled: Floats = self.gaps / self.sd
        return scaled


def residuals(items: NDArray[np.intp], labelers: NDArray[np.intp], values: Floats) -> Residuals:
    """Work out every label's distance from the others' mean.

    Args:
        items: shape (v,), the item of each current label, numbered from 0.
        labelers: shape (v,), who gave it, numbered from 0.
        values: shape (v,), what was given.

    Raises:
        ValueError: for columns of different length.
    """
    if len({len(items), len(labelers), len(values)}) > 1:
        raise ValueError("Every label needs an item, a labeler and a value.")
    count = np.bincount(items).astype(np.float64)
    total = np.bincount(items, weights=values)
    rows = np.flatnonzero(count[items] > 1)
    mine, value = items[rows], values[rows]
    gaps = value - (total[mine] - value) / (count[mine] - 1)
    if not len(rows):
        return Residuals(rows, gaps, None)
    people = labelers[rows]
    seen = np.bincount(people)
    means = np.bincount(people, weights=gaps) / np.maximum(seen, 1)
    freedom = len(rows) - int((seen > 0).sum())
    left = gaps - means[people]
    sd = math.sqrt(dot(left, left) / freedom) if freedom > 0 else None
    return Residuals(rows, gaps, sd)


@dataclass(frozen=True, slots=True)
class Cusum:
    """Keep both cumulative sums of one labeler.

    Attributes:
        n: residuals seen.
        higher, lower: sums that grow while labels lie above or below the others.
        higher_from, lower_from: number of the residual at which each sum last left 0.
    """

    n: int = 0
    higher: float = 0.0
    lower: float = 0.0
    higher_from: int = 0
    lower_from: int = 0

    def step(self, z: float, threshold: float = THRESHOLD) -> tuple["Cusum", "Alarm | None"]:
        """Take in one standardised residual; after an alarm both sums start again.

        Raises:
            ValueError: for a residual that is not a finite number.
        """
        if not math.isfinite(z):
            raise ValueError(f"A residual must be a finite number; found {z}.")
        higher, lower = max(0.0, self.higher + z - SLACK), max(0.0, self.lower - z - SLACK)
        after = replace(
            self,
            n=self.n + 1,
            higher=higher,
            lower=lower,
            higher_from=self.higher_from if self.higher else self.n,
            lower_from=self.lower_from if self.lower else self.n,
        )
        if max(higher, lower) <= threshold:
            return after, None
        up = higher > lower
        since = after.higher_from if up else after.lower_from
        return Cusum(n=after.n), Alarm(self.n, since, "higher" if up else "lower")


@dataclass(frozen=True, slots=True)
class Alarm:
    """Hold at which residual (from 0) the sums raised the hint, and since when it builds up."""

    at: int
    since: int
    direction: Direction


def cusum(standardised: Iterable[float], threshold: float = THRESHOLD) -> tuple[Alarm, ...]:
    """Find all alarms in one labeler's residuals, oldest first."""
    state, alarms = Cusum(), []
    for z in standardised:
        state, alarm = state.step(float(z), threshold)
        if alarm:
            alarms.append(alarm)
    return tuple(alarms)
