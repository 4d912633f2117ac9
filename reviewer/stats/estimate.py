"""Corrected estimates: what few labels and many automatic scores say together.

Sources: Angelopoulos and others 2023 (prediction-powered inference) in the form of the survey
regression estimator, where the mean over all scores includes the labelled evaluations.

Which estimate fits depends on how labels were chosen: those drawn at random or by the judge's
score can stand for the rest; browsing and searching tell nothing about the rest.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

from reviewer.stats.coefficients import OUT_OF_RANGE, Moments
from reviewer.stats.intervals import wilson
from reviewer.stats.quantiles import beta_quantile, t_quantile

Target = Literal["future", "run"]
EstimateMethod = Literal[
    "none",
    "human_only",
    "ppi",
    "ppi++",
    "stratified",
    "post_stratified",
    "rogan_gladen",
    "census",
]
TUNED_FROM: Final = 30
"""Labels from which the weight of the automatic scores is fitted."""
CORRECTED_FROM: Final = 10
"""Labels from which an estimate is given: with 2 its interval covers 53 % instead of 95 %."""
ALIKE: Final = "the labels do not vary, so nobody knows how far off it may be"
AT_END: Final = "the estimate lies off the scale; shown is the end of the scale"
_NO_WIDTH = 1e-9


@dataclass(frozen=True, slots=True)
class Corrected:
    """Hold a corrected estimate with its interval, or the reason why there is none.

    Attributes:
        value: the estimated mean (or pass rate) of the evaluations the labels came from.
        low, high: ends of its interval; None below two labels.
        method: how it was made.
        n: labels used.
        weight: how much of the automatic scores' difference is added (lambda); None if not used.
        reason: why `value`, or else its interval, is None.
        note: what to know before relying on it, None if nothing.
    """

    value: float | None
    low: float | None
    high: float | None
    method: EstimateMethod
    n: int
    weight: float | None = None
    reason: str | None = None
    note: str | None = None


def corrected_mean(
    pairs: Moments,
    *,
    n_all: int,
    auto_mean_all: float | None,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate the mean human score of all evaluations.

    All labelled gives the census, no auto scores human_only, fewer than 30 labels the published
    adjusted mean (weight 1), more the fitted weight.

    Args:
        pairs: moments of the labelled evaluations with an automatic score, chosen at random.
        n_all: all evaluations with an automatic score, the labelled included.
        auto_mean_all: mean of their automatic scores.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    n = pairs.n
    if not n:
        return Corrected(None, None, None, "none", 0, reason="no label chosen at random")
    if auto_mean_all is None or n >= n_all:
        method: EstimateMethod = "human_only" if auto_mean_all is None else "census"
        found = ppi(pairs, max(n_all, n), pairs.auto_mean, weight=0.0, target=target, level=level)
    else:
        method = method_for(n, judge_varies=pairs.s_auto > 0)
        weight = 1.0 if method == "ppi" else None
        found = ppi(pairs, n_all, auto_mean_all, weight=weight, target=target, level=level)
    used = None if method in {"human_only", "census"} else found.weight
    return Corrected(found.value, found.low, found.high, method, n, used, found.reason)


def supported(
    found: Corrected, what: str = "mean", bounds: tuple[float, float] | None = None
) -> Corrected:
    """Give what its labels support of an estimate.

    Below 10 labels that is nothing, and without a width no interval: labels that are all alike
    say nothing about how far off they are. Estimate and ends stop at the ends of the scale, where
    the true mean lies too: an interval covers as often as before.

    Args:
        found: the estimate.
        what: the estimated figure, for the reason.
        bounds: the ends of the scale, None where it has none.
    """
    if found.value is None:
        return found
    if found.n < CORRECTED_FROM:
        reason = f"{found.n} of the {CORRECTED_FROM} labels that a corrected {what} needs"
        return Corrected(None, None, None, "none", found.n, reason=reason)
    if bounds is not None:
        low, value, high = (
            None if x is None else min(max(x, bounds[0]), bounds[1])
            for x in (found.low, found.value, found.high)
        )
        note = found.note
        if value != found.value:
            note = f"{note}; {AT_END}" if note else AT_END
        found = replace(found, low=low, value=value, high=high, note=note)
    if found.low is None or found.high is None or found.high - found.low > _NO_WIDTH:
        return found
    return replace(found, low=None, high=None, reason=ALIKE)


def method_for(n: int, *, judge_varies: bool) -> EstimateMethod:
    """Choose between the published adjusted mean and the fitted weight for n random labels."""
    return "ppi++" if n >= TUNED_FROM and judge_varies else "ppi"


def ppi(
    pairs: Moments,
    n_all: int,
    auto_mean_all: float,
    *,
    weight: float | None = None,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate a mean with a given weight of the automatic scores, or with the fitted one.

    Weight 0 uses people only, 1 is the adjusted mean, None fits the regression slope, where the
    judge has one: scores that are all alike count with weight 1.
    """
    n = pairs.n
    fitted = weight is None and _varies(pairs)
    slope = pairs.s_cross / pairs.s_auto if fitted else 1.0 if weight is None else weight
    moved = auto_mean_all - pairs.auto_mean
    value = pairs.human_mean + slope * moved
    freedom = n - 2 if fitted else n - 1
    if freedom < 1:
        reason = "an interval needs at least two labels"
        return Corrected(value, None, None, "ppi", n, slope, reason)
    rest = pairs.s_human - 2 * slope * pairs.s_cross + slope**2 * pairs.s_auto
    leverage = 1 + n * moved**2 / pairs.s_auto if fitted else 1.0
    variance = (1 - n / n_all) * max(rest, 0.0) / freedom / n * leverage
    if target == "future":
        variance += pairs.s_human / (n - 1) / n_all
    half = t_quantile(0.5 + level / 2, freedom) * math.sqrt(max(variance, 0.0))
    method: EstimateMethod = "ppi++" if fitted else "ppi"
    if not math.isfinite(half):
        return Corrected(value, None, None, method, n, slope, OUT_OF_RANGE)
    return Corrected(value, value - half, value + half, method, n, slope)


def _varies(pairs: Moments) -> bool:
    """Tell whether automatic scores differ by more than rounding does."""
    return pairs.s_auto > 1e-24 * pairs.n * max(pairs.auto_mean**2, 1e-200)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCounts:
    """Hold labelled verdicts and the judge's verdicts on everything.

    Attributes:
        both_pass, judge_pass_only, human_pass_only, both_fail: labelled evaluations; fractions
            where people are split or labels are weighted.
        judged_pass: of all judged evaluations, the labelled included.
        judged: all of them.
    """

    both_pass: float
    judge_pass_only: float
    human_pass_only: float
    both_fail: float
    judged_pass: int
    judged: int


def corrected_pass_rate(
    counts: VerdictCounts,
    *,
    n: int | None = None,
    judged_effect: float = 1.0,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate the pass rate people would give, with labels chosen at random or by verdict.

    None, with the reason, while a verdict the judge gave has no label.

    Args:
        counts: labelled verdicts and how many the judge passed.
        n: labels behind weighted counts; else their sum.
        judged_effect: how many times conversations widen the variance of the judge's own rate.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    c = counts
    if n is None:
        n = round(c.both_pass + c.judge_pass_only + c.human_pass_only + c.both_fail)
    if not c.judged or not n:
        reason = "no label chosen at random" if c.judged else "no verdict of the judge in scope"
        return Corrected(None, None, None, "none", n, reason=reason)
    for labelled, judged, word in (
        (c.both_pass + c.judge_pass_only, c.judged_pass, "passes"),
        (c.human_pass_only + c.both_fail, c.judged - c.judged_pass, "fails"),
    ):
        if judged and not labelled:
            reason = f"needs a label among judge-{word}"
            return Corrected(None, None, None, "none", n, reason=reason)
    value, low, high = pass_rate(counts, judged_effect=judged_effect, target=target, level=level)
    method: EstimateMethod = "census" if n >= c.judged else "post_stratified"
    return Corrected(value, low, high, method, n)


def human_pass_rate(passed: float, n: float, level: float = 0.95) -> Corrected:
    """Estimate a pass rate from people alone, with Wilson's interval, which is never empty.

    Args:
        passed: passes; fractions where people are split or labels are weighted.
        n: labels, or what weighted ones are worth.
        level: level of the interval.
    """
    interval = wilson(passed, n, level)
    if interval is None:
        return Corrected(None, None, None, "none", 0, reason="no label chosen at random")
    return Corrected(passed / n, interval.low, interval.high, "human_only", round(n))


def pass_rate(
    counts: VerdictCounts,
    *,
    judged_effect: float = 1.0,
    target: Target = "future",
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Work out the post-stratified rate and its ends; a verdict without label enters as one half.

    Each verdict's rate is smoothed by half a pass and half a fail; the weighted sum's mean and
    variance are matched by a Beta distribution, whose interval is widened to hold the estimate.

    Raises:
        ValueError: where the judge gave no verdict.
    """
    if counts.judged < 1:
        raise ValueError("A pass rate needs a verdict of the judge.")
    share = counts.judged_pass / counts.judged
    arms = (
        (share, counts.both_pass, counts.both_pass + counts.judge_pass_only),
        (1 - share, counts.human_pass_only, counts.human_pass_only + counts.both_fail),
    )
    value = mean = variance = 0.0
    smoothed: list[float] = []
    for weight, passed, labelled in arms:
        rate = (passed + 0.5) / (labelled + 1)
        smoothed.append(rate)
        value += weight * (passed / labelled if labelled else 0.5)
        mean += weight * rate
        rest = 1.0
        if target == "run" and weight:
            rest = max(1 - labelled / (weight * counts.judged), 0.0)
        variance += weight**2 * rate * (1 - rate) / (labelled + 2) * rest
    if target == "future":
        worth = counts.judged / judged_effect
        variance += (smoothed[0] - smoothed[1]) ** 2 * share * (1 - share) / worth
    if variance <= 0:
        return value, value, value
    size = mean * (1 - mean) / variance - 1
    a, b = mean * size, (1 - mean) * size
    low, high = beta_quantile(0.5 - level / 2, a, b), beta_quantile(0.5 + level / 2, a, b)
    return value, min(low, value), max(high, value)


Way = Literal["random", "stratum", "active", "unknown", "convenience"]
Kind = Literal["mean", "rate"]
DRAWN: Final[tuple[Way, ...]] = ("random", "stratum", "active")
EVERY_WAY: Final[tuple[Way, ...]] = (*DRAWN, "unknown", "convenience")

NO_LABEL: Final = "no label yet"
UNKNOWN: Final = "how labels were chosen is unknown (import --selection random)"
CONVENIENCE: Final = (
    "labels were chosen by browsing or searching: a convenience sample gives no corrected figure"
)
NO_STRATA: Final = (
    "labels were drawn by the judge's scores, but nothing was judged: they cannot be weighted"
)
_SENTENCES: Final[dict[EstimateMethod, str]] = {
    "human_only": "nothing was judged: the labels chosen at random stand alone",
    "ppi++": f"{TUNED_FROM} random labels or more: the weight of the judge's scores is fitted",
    "stratified": "labels were drawn by stratum: each level of the judge counts by its share",
    "post_stratified": "each verdict of the judge counts by its share among all judged",
    "census": "every evaluation is labelled",
}
_SHIFTED: Final = (
    "the auto mean plus these labels' mean gap, without the thresholds of the adjusted mean"
)
_FEW: Final = f"fewer than {TUNED_FROM} random labels: {_SHIFTED}"
_CONSTANT: Final = f"the judge gave one score only: {_SHIFTED}"
_WEIGHTED: Final = "labels were drawn with probabilities: each counts 1 over its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class HowChosen:
    """Count labelled evaluations by how they came to be labelled.

    Attributes:
        random: drawn at random from all.
        stratum: drawn at random within levels of the judge's scores.
        active: drawn with a recorded probability.
        unknown: imported, without a reason, or active without its probability.
        convenience: met while browsing or searching, or because they were disputed.
    """

    random: int = 0
    stratum: int = 0
    active: int = 0
    unknown: int = 0
    convenience: int = 0

    def __post_init__(self) -> None:
        """Check the counts.

        Raises:
            ValueError: for a negative count.
        """
        if min(self.count(way) for way in EVERY_WAY) < 0:
            raise ValueError("The number of evaluations chosen in a way cannot be negative.")

    def count(self, way: Way) -> int:
        """Give the number of one way."""
        found: int = getattr(self, way)
        return found

    @property
    def total(self) -> int:
        """Count all labelled evaluations."""
        return sum(self.count(way) for way in EVERY_WAY)


@dataclass(frozen=True, slots=True)
class EstimateChoice:
    """Hold the estimate that fits, what it uses, and a sentence that says why.

    Attributes:
        method: `none` where no corrected number may be shown.
        ways: the labels it uses, by how they were chosen.
        n, n_excluded: labelled evaluations used and left out.
        reason: why this method, or why none.
        weighted: whether each label counts 1 over the probability it was drawn with.
    """

    method: EstimateMethod
    ways: tuple[Way, ...]
    n: int
    n_excluded: int
    reason: str
    weighted: bool = False


def choose_estimate(
    chosen: HowChosen,
    *,
    kind: Kind,
    n_all: int,
    judged: bool = True,
    judge_varies: bool = True,
) -> EstimateChoice:
    """Choose the estimate of a mean or of a pass rate.

    Args:
        chosen: labelled evaluations by how they were chosen.
        kind: `mean` of scores, or `rate` of verdicts.
        n_all: evaluations that could be labelled: the judged ones, all where nothing was judged.
        judged: whether there are automatic scores or verdicts.
        judge_varies: whether the usable labels' automatic scores differ at all.

    Raises:
        ValueError: for more labels than evaluations.
    """
    total = chosen.total
    if total > n_all:
        raise ValueError(f"{total} labelled evaluations cannot come from {n_all}.")
    if total and total == n_all:
        return EstimateChoice("census", EVERY_WAY, total, 0, _SENTENCES["census"])
    # strata are the judge's levels: without scores there is nothing to weight them by
    ways = tuple(way for way in DRAWN if chosen.count(way) and (judged or way != "stratum"))
    if not ways:
        return EstimateChoice("none", (), 0, total, _refusal(chosen))
    n = sum(chosen.count(way) for way in ways)
    method, reason, weighted = _usable(ways, n, kind, judged=judged, judge_varies=judge_varies)
    return EstimateChoice(method, ways, n, total - n, reason, weighted)


def _refusal(chosen: HowChosen) -> str:
    if not chosen.total:
        return NO_LABEL
    if chosen.stratum:
        return NO_STRATA
    return CONVENIENCE if chosen.convenience == chosen.total else UNKNOWN


def _usable(
    ways: tuple[Way, ...], n: int, kind: Kind, *, judged: bool, judge_varies: bool
) -> tuple[EstimateMethod, str, bool]:
    """Give method, sentence, and whether labels are weighted."""
    if "active" in ways:
        method: EstimateMethod = "post_stratified" if kind == "rate" else "ppi"
        return (method if judged else "human_only"), _WEIGHTED, True
    if not judged:
        method = "human_only"
    elif kind == "rate":
        method = "post_stratified"
    elif "stratum" in ways:
        method = "stratified"
    else:
        method = method_for(n, judge_varies=judge_varies)
    plain = _FEW if n < TUNED_FROM else _CONSTANT
    return method, _SENTENCES.get(method, plain), False
