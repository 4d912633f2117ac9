"""Pass rate from a separate golden set: what the judge's known errors say about its verdicts.

Source: Rogan and Gladen 1978, with the smoothed interval of Lee and others 2025. It assumes that
the judge errs on today's evaluations as it does on the golden set. On labels drawn at random
from the evaluations themselves it is about twice as wide as the post-stratified rate.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import design_effect, widened
from reviewer.stats.estimate import Corrected
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.quantiles import normal_quantile

Verdicts = NDArray[np.int8]

WEAK_BELOW: Final = 0.3
"""Youden's J (both hit rates minus 1) under which the estimate is marked."""
NO_FAIL: Final = "no human-failed item in the golden set"
NO_PASS: Final = "no human-passed item in the golden set"
NO_VERDICT: Final = "no verdict of the judge in scope"
USELESS: Final = "on the golden set the judge does no better than chance, so nothing follows"
OUTSIDE: Final = "the judge's verdicts here do not fit its errors on the golden set"
WEAK: Final = "the judge barely tells passes from fails on the golden set: take this as a hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """Hold how the judge did on labelled items that are no part of what is estimated.

    Attributes:
        fails, caught: items people failed, and those of them the judge failed.
        passes, kept: items people passed, and those of them the judge passed.
    """

    fails: int
    caught: int
    passes: int
    kept: int

    def __post_init__(self) -> None:
        """Check the counts.

        Raises:
            ValueError: for a part that is negative or larger than its whole.
        """
        if not (0 <= self.caught <= self.fails and 0 <= self.kept <= self.passes):
            raise ValueError(
                f"A golden set cannot have {self.caught} of {self.fails} fails caught and "
                f"{self.kept} of {self.passes} passes kept."
            )

    @property
    def catch_rate(self) -> float | None:
        """Give the share of human-failed items that the judge fails; None without any."""
        return self.caught / self.fails if self.fails else None

    @property
    def keep_rate(self) -> float | None:
        """Give the share of human-passed items that the judge passes; None without any."""
        return self.kept / self.passes if self.passes else None


def rogan_gladen(
    golden: GoldenSet, *, judged_pass: int, judged: int, level: float = 0.95
) -> Corrected:
    """Estimate the pass rate people would give to judged evaluations outside the golden set.

    Args:
        golden: the judge's hits and misses on the golden set.
        judged_pass: of the judged evaluations, those the judge passed.
        judged: all of them, the golden set not included.
        level: level of the interval.

    Raises:
        ValueError: if more are passed than judged.
    """
    if not 0 <= judged_pass <= judged:
        raise ValueError(f"The judge cannot have passed {judged_pass} of {judged} evaluations.")
    n = golden.fails + golden.passes
    catch, keep = golden.catch_rate, golden.keep_rate
    if catch is None or keep is None or not judged:
        missing = NO_VERDICT if not judged else NO_FAIL if catch is None else NO_PASS
        return Corrected(None, None, None, "none", n, reason=missing)
    power = catch + keep - 1
    if power <= 0:
        return Corrected(None, None, None, "none", n, reason=USELESS)
    value = min(max((judged_pass / judged + catch - 1) / power, 0.0), 1.0)
    note = WEAK if power < WEAK_BELOW else None
    ends = _ends(golden, judged_pass, judged, level)
    if ends is None or ends[1] <= 0 or ends[0] >= 1:
        reason = USELESS if ends is None else OUTSIDE
        return Corrected(value, None, None, "rogan_gladen", n, reason=reason, note=note)
    low, high = min(max(ends[0], 0.0), value), max(min(ends[1], 1.0), value)
    return Corrected(value, low, high, "rogan_gladen", n, note=note)


def by_conversation(
    found: Corrected, auto: Verdicts, human: Verdicts, conversations: NDArray[np.int64]
) -> Corrected:
    """Widen the interval of an estimate where evaluations share conversations.

    The estimate moves with each verdict by its first-order influence; the influences of one
    conversation are added up, on the golden set and outside together.

    Args:
        found: what `rogan_gladen` gave for these verdicts.
        auto: shape (n,), the judge's verdicts, none open.
        human: shape (n,), people's on the golden set, open on all others.
        conversations: shape (n,), the number of each one's conversation.
    """
    if found.value is None or found.low is None or found.high is None:
        return found
    moved = np.zeros(auto.size)
    weights = {FAIL: 1 - found.value, PASS: -found.value, OPEN: 1.0}
    for group, weight in weights.items():
        here = human == group
        hits = (auto[here] == (PASS if group == OPEN else group)).astype(np.float64)
        moved[here] = weight * (hits - hits.mean()) / hits.size
    _, codes = np.unique(conversations, return_inverse=True)
    wide = widened(found, design_effect(moved, codes))
    if wide.low is None or wide.high is None:
        return wide
    return replace(wide, low=max(wide.low, 0.0), high=min(wide.high, 1.0))


def _ends(
    golden: GoldenSet, judged_pass: int, judged: int, level: float
) -> tuple[float, float] | None:
    """Give both ends from smoothed rates, not clipped; None where those no longer tell apart."""
    z = normal_quantile(0.5 + level / 2)
    share = (judged_pass + z * z / 2) / (judged + z * z)
    catch, keep = (golden.caught + 1) / (golden.fails + 2), (golden.kept + 1) / (golden.passes + 2)
    power = catch + keep - 1
    if power <= 0:
        return None
    # clipping here already would make the interval wider than its coverage asks for
    value = (share + catch - 1) / power
    of_catch = catch * (1 - catch) / (golden.fails + 2)
    of_keep = keep * (1 - keep) / (golden.passes + 2)
    centre = value + 2 * z * z * (value * of_keep - (1 - value) * of_catch)
    variance = (
        share * (1 - share) / (judged + z * z) + (1 - value) ** 2 * of_catch + value**2 * of_keep
    )
    half = z * math.sqrt(variance) / power
    return centre - half, centre + half
