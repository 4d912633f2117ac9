"""How many labels a wanted precision takes, and when a verdict may be given while labelling."""

import math
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.stats.estimate import Target
from reviewer.stats.moments import Moments
from reviewer.stats.quantiles import normal_quantile

WORST_CASE_BELOW: Final = 20
"""Labels below which the judge's correlation with people is taken as 0."""
WIDTH_FROM: Final = 30
"""Labels from which labelling may stop because the interval is narrow enough."""
UNREACHABLE: Final = "even with every evaluation labelled the interval stays wider"
FEW: Final = "planning needs the spread of at least two labels"
Verdict = Literal["pass", "fail", "open"]


def labels_needed(
    *,
    sd: float,
    correlation: float,
    half_width: float,
    n_all: int,
    target: Target = "future",
    level: float = 0.95,
) -> float | None:
    """Work out how many random labels bring the interval to the wanted half-width.

    Args:
        sd: standard deviation of the human scores.
        correlation: of human and automatic scores; 0 plans without the judge.
        half_width: wanted, above 0.
        n_all: judged evaluations.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.

    Returns:
        The number, not rounded; None where not even labelling everything is enough.

    Raises:
        ValueError: for a spread, correlation, width or number out of bounds.
    """
    if not (sd >= 0 and -1 <= correlation <= 1 and half_width > 0 and n_all > 0):
        raise ValueError(
            "Planning needs a spread of 0 or more, a correlation between -1 and 1, and a width "
            f"and a number above 0; found {sd}, {correlation}, {half_width}, {n_all}."
        )
    explained = correlation**2
    rest, wanted = (1 - explained) * sd**2, (half_width / normal_quantile(0.5 + level / 2)) ** 2
    if target == "run":
        return rest / (wanted + rest / n_all)
    room = wanted - explained * sd**2 / n_all
    if room < 0 or rest > room * n_all * (1 + 1e-12):
        return None
    return rest / room if rest else 0.0


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Hold how many labels a wanted half-width takes.

    Attributes:
        needed: labels in all; None if it cannot be reached.
        more: labels still missing.
        without_judge: labels in all if there were no automatic scores; None if unreachable.
        half_width: the wanted one.
        correlation: the one planned with: 0 below 20 labels, the worst case.
        reason: why `needed` is None.
    """

    needed: int | None
    more: int | None
    without_judge: int | None
    half_width: float
    correlation: float
    reason: str | None = None


def plan_labels(
    pairs: Moments,
    *,
    n_all: int,
    half_width: float,
    target: Target = "future",
    level: float = 0.95,
) -> LabelPlan:
    """Plan from the labels there are.

    Args:
        pairs: moments of the labelled evaluations with an automatic score.
        n_all: judged evaluations, the labelled included.
        half_width: wanted.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    n = pairs.n
    if n < 2:
        return LabelPlan(None, None, None, half_width, 0.0, FEW)
    sd = math.sqrt(pairs.s_human / (n - 1))
    room = math.sqrt(pairs.s_auto * pairs.s_human)
    known = room > 0 and n >= WORST_CASE_BELOW
    correlation = min(max(pairs.s_cross / room, -1.0), 1.0) if known else 0.0

    def whole(rho: float) -> int | None:
        found = labels_needed(
            sd=sd,
            correlation=rho,
            half_width=half_width,
            n_all=n_all,
            target=target,
            level=level,
        )
        return None if found is None else min(math.ceil(round(found, 9)), n_all)

    needed = whole(correlation)
    more = None if needed is None else max(needed - n, 0)
    reason = UNREACHABLE if needed is None else None
    return LabelPlan(needed, more, whole(0.0), half_width, correlation, reason)


def kappa_labels(n: int, half_width: float, wanted: float) -> int:
    """Count the labels more that bring the interval of a coefficient to the wanted half-width.

    The half-width falls with the root of the number of labels; conversations and weights, which
    are in the interval there is, stay as they are.

    Raises:
        ValueError: for a number or a width that is not above 0.
    """
    if n < 1 or half_width <= 0 or wanted <= 0:
        raise ValueError(
            "Planning needs labels, and an interval and a width above 0; "
            f"found {n}, {half_width}, {wanted}."
        )
    return max(math.ceil(round(n * (half_width / wanted) ** 2, 9)) - n, 0)


@dataclass(frozen=True, slots=True)
class PlannedLooks:
    """Set beforehand after how many labels a release verdict may be given.

    Looking after every label and stopping once the interval leaves the target gives a wrong
    verdict up to one time in four; few looks, each at a stricter level, keep the promised error.

    Attributes:
        at: numbers of labels, increasing.
        level: the level promised over all looks together.
    """

    at: tuple[int, ...] = (30, 60, 120, 240)
    level: float = 0.95

    def __post_init__(self) -> None:
        """Check the plan.

        Raises:
            ValueError: for looks that do not increase from 1 or a level outside 0 to 1.
        """
        steps = zip((0, *self.at), self.at, strict=False)
        if not self.at or any(a >= b for a, b in steps) or not 0 < self.level < 1:
            raise ValueError(
                "Planned looks need increasing numbers of labels and a level between 0 and 1; "
                f"found {list(self.at)} and {self.level}."
            )

    @property
    def level_each(self) -> float:
        """Give the level of the interval at each look (Bonferroni)."""
        return 1 - (1 - self.level) / len(self.at)

    def next_look(self, n: int) -> int | None:
        """Give the number of labels of the next look after n; None after the last."""
        return next((at for at in self.at if at > n), None)

    def verdict(self, low: float | None, high: float | None, *, threshold: float) -> Verdict:
        """Judge an interval of `level_each` taken at a planned look against a target."""
        if low is None or high is None or low < threshold <= high:
            return "open"
        return "pass" if low >= threshold else "fail"


def is_narrow_enough(n: int, half_width: float | None, *, wanted: float) -> bool:
    """Tell whether labelling may stop because of the width, which needs no planned look."""
    return n >= WIDTH_FROM and half_width is not None and round(half_width - wanted, 9) <= 0
