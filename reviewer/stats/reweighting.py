"""Agreement on verdicts when labels were chosen by the judge's verdict.

Labelling more of what the judge failed distorts kappa, AC1 and the catch rate (verification
bias, Begg and Greenes 1983). Each verdict's labels are given the weight that verdict has among
all judged evaluations before anything is computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats import coefficients as co
from reviewer.stats.coefficients import Floats, divided
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Levels,
    Statistic,
    at_least,
    by_conversation,
    containing,
    percentile_interval,
    share_of_conversations,
)
from reviewer.stats.levels import level_weights
from reviewer.stats.passfail import NO_HUMAN_FAIL, NO_HUMAN_PASS, PassFail, pass_fail
from reviewer.stats.reasons import NO_OVERLAP, SAME

NO_LABEL: Final = "needs a label among judge-{}"
_WEIGHTED: Final = ("percent", "catch_rate", "specificity", "f1", "balanced_accuracy", "mcc")


@dataclass(frozen=True, slots=True)
class Reweighted:
    """Hold verdict agreement as it would be on all judged evaluations; None has its reason."""

    n: int
    percent: float | None
    kappa: float | None
    ac1: float | None
    catch_rate: float | None
    specificity: float | None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)


def reweight(table: Floats, judged: Sequence[float]) -> Floats:
    """Scale a table's columns (auto) to their shares among all judged; the total stays.

    Args:
        table: shape (k, k), labelled counts, rows human, columns auto.
        judged: of all judged evaluations, how many in each column.

    Raises:
        ValueError: if a column that was judged has no label.
    """
    labelled, shares = table.sum(axis=0), np.asarray(judged, dtype=np.float64)
    if ((labelled == 0) & (shares > 0)).any():
        raise ValueError("A verdict that the judge gave has no label, so nothing can be weighted.")
    weights = np.divide(shares, labelled, out=np.zeros_like(shares), where=labelled > 0)
    scaled: Floats = table * weights * table.sum() / max(shares.sum(), 1.0)
    return scaled


def reweighted_verdicts(
    table: Sequence[Sequence[int]],
    judged: tuple[int, int],
    policy: IntervalPolicy | None = None,
) -> Reweighted:
    """Work out verdict agreement re-weighted to all judged evaluations.

    Args:
        table: labelled counts, rows human, columns auto, FAIL first.
        judged: of all judged evaluations, failed and passed.
        policy: intervals only with one; each verdict's people are drawn from Beta(counts + 1/2).
    """
    counts = np.array(table, dtype=np.float64)
    n = round(float(counts.sum()))
    missing = _missing(counts, judged)
    if missing:
        none: dict[str, Any] = dict.fromkeys(_STATISTICS)
        return Reweighted(n, **none, undefined=dict.fromkeys(_STATISTICS, missing))
    stack = reweight(counts, judged)[None]
    points = {name: float(statistic(stack)[0]) for name, statistic in _STATISTICS.items()}
    undefined = {name: _REASONS[name] for name, value in points.items() if np.isnan(value)}
    values: dict[str, Any] = {
        name: None if name in undefined else value for name, value in points.items()
    }
    intervals: dict[str, Interval] = {}
    if policy is not None and n >= INTERVALS_FROM:
        for name in values.keys() - undefined.keys():
            drawn = _STATISTICS[name](_draws(counts, judged, policy))
            interval = percentile_interval(drawn, policy, method="dirichlet", approximate=False)
            if interval:
                intervals[name] = containing(interval, points[name])
    return Reweighted(n, **values, intervals=intervals, undefined=undefined)


def reweighted_pass_fail(
    table: Sequence[Sequence[int]], judged: tuple[int, int], policy: IntervalPolicy
) -> PassFail:
    """Work out the judge as a classifier, re-weighted to all judged evaluations.

    Precision and the share of passes that people confirm are rates within one verdict, which no
    weight changes; the others are weighted.

    Args:
        table: labelled counts, rows human, columns auto, FAIL first.
        judged: of all judged evaluations, failed and passed.
        policy: level, seed and number of resamples.
    """
    raw, counts = pass_fail(table, policy.level), np.array(table, dtype=np.float64)
    missing = _missing(counts, judged)
    if missing and counts.sum():
        gone: dict[str, Any] = dict.fromkeys(_WEIGHTED)
        return replace(
            raw,
            **gone,
            intervals={},
            undefined=dict.fromkeys(_WEIGHTED, missing)
            | {name: why for name, why in raw.undefined.items() if name not in _WEIGHTED},
        )
    if missing:
        return raw
    found = pass_fail(reweight(counts, judged).tolist(), policy.level)
    drawn = reweighted_verdicts(table, judged, policy).intervals
    intervals = {name: drawn.get(name, one) for name, one in raw.intervals.items()}
    return replace(found, n=raw.n, intervals=intervals)


def by_conversation_pass_fail(
    found: PassFail,
    cells: NDArray[np.intp],
    codes: NDArray[np.intp],
    judged: tuple[int, int] | None,
    policy: IntervalPolicy,
) -> PassFail:
    """Give the figures intervals that draw whole conversations.

    Args:
        found: the figures.
        cells: shape (n,), each labelled evaluation's flat cell: 2 if people passed, plus 1 if the
            judge did.
        codes: shape (n,), its conversation from 0.
        judged: of all judged evaluations, failed and passed, where labels were chosen by verdict.
        policy: level, seed and number of resamples.
    """
    draws = by_conversation(cells, codes, 4, policy)
    if draws is None:
        return replace(found, intervals={})
    if judged is not None:
        counts = np.bincount(cells, minlength=4).astype(np.float64)
        labelled = counts.reshape(2, 2).sum(axis=0)
        levels = Levels(
            np.array([0, 1, 0, 1]), level_weights(labelled, np.array(judged, dtype=np.float64))
        )
        draws = levels.evened(draws, counts)
    rough = int(codes.max(initial=-1)) + 1 < APPROXIMATE_BELOW
    made: dict[str, Interval] = {}
    for name in found.intervals:
        value = getattr(found, name)
        one = percentile_interval(
            _RATES[name](draws.reshape(-1, 2, 2)), policy, method="bootstrap", approximate=rough
        )
        if one is not None and value is not None:
            groups = len(np.unique(codes[np.isin(cells, _CLASSES[name])]))
            wide = share_of_conversations(one, value, groups, policy.level)
            made[name] = containing(wide, value)
    return replace(found, intervals=at_least(made, found.intervals))


def _missing(counts: Floats, judged: tuple[int, int]) -> str | None:
    if not counts.sum():
        return NO_OVERLAP
    for column, word in enumerate(("fails", "passes")):
        if judged[column] and not counts[:, column].sum():
            return NO_LABEL.format(word)
    return None


def _draws(counts: Floats, judged: tuple[int, int], policy: IntervalPolicy) -> Floats:
    rng = np.random.default_rng(policy.seed)
    stack = np.zeros((policy.resamples, 2, 2))
    for column in (0, 1):
        share = judged[column] / sum(judged)
        human = rng.dirichlet(counts[:, column] + 0.5, size=policy.resamples)
        stack[:, :, column] = share * human * counts.sum()
    return stack


def _identity(stack: Floats) -> Floats:
    return co.gwet(stack, np.eye(2))


def _unequal(stack: Floats) -> Floats:
    return co.kappa(stack, 1 - np.eye(2))


_STATISTICS: Final[dict[str, Statistic]] = {
    "percent": co.percent,
    "kappa": _unequal,
    "ac1": _identity,
    "catch_rate": lambda stack: divided(stack[:, 0, 0], stack[:, 0].sum(axis=1)),
    "specificity": lambda stack: divided(stack[:, 1, 1], stack[:, 1].sum(axis=1)),
}
_RATES: Final[dict[str, Statistic]] = {
    **_STATISTICS,
    "precision": lambda stack: divided(stack[:, 0, 0], stack[:, :, 0].sum(axis=1)),
    "npv": lambda stack: divided(stack[:, 1, 1], stack[:, :, 1].sum(axis=1)),
}
_CLASSES: Final = {
    "percent": (0, 1, 2, 3),
    "catch_rate": (0, 1),
    "specificity": (2, 3),
    "precision": (0, 2),
    "npv": (1, 3),
}
_REASONS: Final = {
    "percent": NO_OVERLAP,
    "kappa": SAME,
    "ac1": NO_OVERLAP,
    "catch_rate": NO_HUMAN_FAIL,
    "specificity": NO_HUMAN_PASS,
}
