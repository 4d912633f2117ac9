"""Which corrected estimate fits labels that were chosen in a given way, and why.

Labels drawn at random or by the judge's score can stand for the rest; labels of a separate
golden set tell the judge's errors only; browsing and searching tell nothing about the rest.
"""

from dataclasses import dataclass
from typing import Final, Literal

from reviewer.stats.estimate import TUNED_FROM, EstimateMethod, method_for

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
NO_JUDGE: Final = "no verdict of the judge in scope"
GOLDEN_MEAN: Final = "a separate golden set corrects pass rates, not means"
_SENTENCES: Final[dict[EstimateMethod, str]] = {
    "human_only": "nothing was judged: the labels chosen at random stand alone",
    "ppi++": f"{TUNED_FROM} random labels or more: the weight of the judge's scores is fitted",
    "stratified": "labels were drawn by stratum: each level of the judge counts by its share",
    "post_stratified": "each verdict of the judge counts by its share among all judged",
    "rogan_gladen": "labels of a separate golden set: the judge is taken to err alike here",
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
    golden: bool = False,
) -> EstimateChoice:
    """Choose the estimate of a mean or of a pass rate.

    Args:
        chosen: labelled evaluations by how they were chosen.
        kind: `mean` of scores, or `rate` of verdicts.
        n_all: evaluations that could be labelled: the judged ones, all where nothing was judged.
        judged: whether there are automatic scores or verdicts.
        judge_varies: whether the usable labels' automatic scores differ at all.
        golden: whether the labels belong to a separate golden set, not to these evaluations.

    Raises:
        ValueError: for more labels than evaluations, unless they are a separate golden set.
    """
    total = chosen.total
    if golden:
        return _golden(kind, total, judged=judged)
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


def _golden(kind: Kind, total: int, *, judged: bool) -> EstimateChoice:
    if not total or not judged or kind == "mean":
        reason = GOLDEN_MEAN if kind == "mean" else NO_LABEL if not total else NO_JUDGE
        return EstimateChoice("none", (), 0, total, reason)
    return EstimateChoice("rogan_gladen", EVERY_WAY, total, 0, _SENTENCES["rogan_gladen"])


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
