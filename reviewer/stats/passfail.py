"""The judge as a classifier of pass and fail: does it fail what people fail?

Where labels were drawn with different chances or share conversations, the rates are drawn anew.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.catalogue import is_plain
from reviewer.stats.clustering import design_effect, widened
from reviewer.stats.coefficients import Floats, divided
from reviewer.stats.draws import table_draws
from reviewer.stats.estimate import Corrected
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Statistic,
    Weights,
    at_least,
    containing,
    percentile_interval,
    share_of_groups,
    wilson,
)
from reviewer.stats.label_counts import Judged, label_evidence
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.pairs import Evidence, Labels
from reviewer.stats.quantiles import normal_quantile
from reviewer.stats.rates import (
    COUNTED,
    NO_AUTO_FAIL,
    NO_AUTO_PASS,
    NO_HUMAN_FAIL,
    NO_HUMAN_PASS,
    RateEntry,
    cells_of,
)
from reviewer.stats.values import Scale

NO_PAIR = "no evaluation has both verdicts"
NO_FAIL = "nobody failed any of the labelled items"


@dataclass(frozen=True, slots=True)
class PassFail:
    """Hold the figures of a two by two table of verdicts, with FAIL as the positive class.

    Attributes:
        n: items with both verdicts.
        values: the figures by their names in `rates`.
        intervals: Wilson intervals by name, from 10 items of the rate's own class.
        undefined: reasons by name.
    """

    n: int
    values: Mapping[str, float | None] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float | None:
        """Give a figure by its name in `rates`; None if it is undefined."""
        return self.values.get(name)


def pass_fail(table: Sequence[Sequence[float]], level: float = 0.95) -> PassFail:
    """Work out the pass and fail figures.

    Args:
        table: ((both fail, human fails and judge passes), (human passes and judge fails, both
            pass)): rows human, columns auto, FAIL first. Re-weighted counts are allowed.
        level: level of the intervals.
    """
    (caught, missed), (alarmed, passed) = table
    cells = (caught, missed, alarmed, passed)
    failed, good = caught + missed, alarmed + passed
    auto_failed, auto_passed = caught + alarmed, missed + passed
    n = failed + good
    values: dict[str, float | None] = {}
    undefined: dict[str, str] = {}
    intervals: dict[str, Interval] = {}
    for entry in COUNTED:
        part, whole = (sum(cells[x] for x in cells_of(x)) for x in (entry.hits, entry.whole))
        values[entry.name] = part / whole if whole else None
        if not whole:
            undefined[entry.name] = entry.empty if n else NO_PAIR
        elif whole >= INTERVALS_FROM and (interval := wilson(part, whole, level)):
            intervals[entry.name] = interval
    margins = failed * good * auto_failed * auto_passed
    mixed: dict[str, tuple[float, Callable[[], float], str]] = {
        "f1": (failed + auto_failed, lambda: 2 * caught / (failed + auto_failed), NO_FAIL),
        "balanced_accuracy": (
            failed * good,
            lambda: (caught / failed + passed / good) / 2,
            NO_HUMAN_PASS if failed else NO_HUMAN_FAIL,
        ),
        "mcc": (
            margins,
            lambda: (caught * passed - missed * alarmed) / math.sqrt(margins),
            _empty_margin((failed, good, auto_failed)),
        ),
    }
    for name, (defined, value, why) in mixed.items():
        values[name] = value() if defined else None
        if not defined:
            undefined[name] = why if n else NO_PAIR
    return PassFail(round(n), values, intervals, undefined)


def _empty_margin(margins: tuple[float, float, float]) -> str:
    reasons = zip(margins, (NO_HUMAN_FAIL, NO_HUMAN_PASS, NO_AUTO_FAIL), strict=True)
    return next((why for margin, why in reasons if not margin), NO_AUTO_PASS)


NO_LABEL: Final = "needs a label among judge-{}"
VERDICTS: Final = Scale((0.0, 1.0))
_WEIGHTED: Final = ("catch_rate", "specificity", "f1", "balanced_accuracy", "mcc")
_PRIOR: Final = 0.5


def verdict_evidence(
    auto: NDArray[np.intp],
    human: NDArray[np.intp],
    weights: Weights | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Evidence:
    """Count verdicts of judge and people, 0 for a fail and 1 for a pass, columns of one length."""
    judge, people = auto.astype(np.float64), human.astype(np.float64)
    labels = Labels(np.arange(judge.size), people)
    judged = Judged(judge, people, labels, weights, clusters)
    return label_evidence(judged, VERDICTS, label_table="each")


def drawn_pass_fail(
    evidence: Evidence, judged: tuple[int, int], policy: IntervalPolicy, *, of_strata: bool
) -> PassFail:
    """Work out the judge as a classifier from verdicts that count what they weigh.

    Args:
        evidence: the verdicts.
        judged: of all judged evaluations, failed and passed.
        policy: level, seed and number of resamples.
        of_strata: whether labels were chosen by verdict or by level, so that a verdict without
            labels stands for nothing known.
    """
    counts = _counts(evidence)
    raw = pass_fail(counts.tolist(), policy.level)
    missing = _missing(counts, judged) if of_strata and counts.sum() else None
    if missing:
        return replace(
            raw,
            values={**raw.values, **dict.fromkeys(_WEIGHTED)},
            intervals={},
            undefined=dict.fromkeys(_WEIGHTED, missing)
            | {name: why for name, why in raw.undefined.items() if name not in _WEIGHTED},
        )
    if is_plain(evidence):
        return raw
    found = pass_fail(evidence.table.tolist(), policy.level)
    found = replace(found, n=raw.n, intervals=raw.intervals)
    return replace(found, intervals=_intervals(found, evidence, counts, policy))


def _counts(evidence: Evidence) -> Floats:
    """Count the verdicts without their weights."""
    answers = evidence.answers
    return evidence.table if answers is None else replace(answers, weights=None).table()


def _missing(counts: Floats, judged: tuple[int, int]) -> str | None:
    """Say which verdict has no label."""
    for column, word in enumerate(("fails", "passes")):
        if judged[column] and not counts[:, column].sum():
            return NO_LABEL.format(word)
    return None


def _intervals(
    found: PassFail, evidence: Evidence, counts: Floats, policy: IntervalPolicy
) -> Mapping[str, Interval]:
    """Draw the intervals of the rates that have enough labels for one."""
    if evidence.conversations is None and evidence.weights is None:
        return found.intervals
    entries: dict[str, RateEntry] = {x.name: x for x in COUNTED if x.name in found.intervals}
    few = _groups(evidence, counts, _EVERY) < APPROXIMATE_BELOW
    rough = evidence.conversations is not None and few
    made: dict[str, Interval] = {}
    statistics = {name: _share(entry) for name, entry in entries.items()}
    drawn = table_draws(evidence, statistics, policy, prior=_PRIOR)
    for name, (values, method) in drawn.items():
        entry = entries[name]
        value = found[entry.name]
        one = percentile_interval(values, policy, method=method, approximate=rough)
        if one is not None and value is not None:
            groups = _groups(evidence, counts, cells_of(entry.whole))
            made[name] = containing(share_of_groups(one, value, groups, policy.level), value)
    if evidence.conversations is None or not drawn:
        return made
    alone = replace(evidence, conversations=None)
    return at_least(made, _intervals(found, alone, counts, policy))


_EVERY: Final = cells_of((None, None))


def _groups(evidence: Evidence, counts: Floats, places: list[int]) -> int:
    """Count what is drawn: verdicts in some places of the table, or their conversations."""
    found = evidence.conversations
    if found is None:
        return int(counts.ravel()[places].sum())
    cells = found.table
    if evidence.answers is not None:
        own = 2 * evidence.answers.shares.argmax(axis=1) + evidence.answers.columns
        cells = np.where(cells >= 0, own[cells], -1)
    return len(np.unique(found.codes[np.isin(cells, places)]))


def _share(entry: RateEntry) -> Statistic:
    """Give the function of stacked tables that computes a rate."""
    hits, whole = cells_of(entry.hits), cells_of(entry.whole)
    return lambda stack: divided(
        stack.reshape(-1, 4)[:, hits].sum(axis=1), stack.reshape(-1, 4)[:, whole].sum(axis=1)
    )


Verdicts = NDArray[np.int8]

WEAK_BELOW: Final = 0.3
"""Youden's J (both hit rates minus 1) under which the estimate is marked."""
NO_FAIL_IN_SET: Final = "no human-failed item in the golden set"
NO_PASS_IN_SET: Final = "no human-passed item in the golden set"
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
        missing = NO_VERDICT if not judged else NO_FAIL_IN_SET if catch is None else NO_PASS_IN_SET
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
