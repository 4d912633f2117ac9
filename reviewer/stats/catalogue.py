"""The coefficients by name: their formula, their value, and their resampled interval."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats import coefficients as co
from reviewer.stats import moments as mo
from reviewer.stats import ranks
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Levels,
    Method,
    Statistic,
    at_least,
    by_conversation,
    percentile_interval,
    resample,
    share_of_conversations,
    wilson,
)
from reviewer.stats.levels import pair_levels, table_levels
from reviewer.stats.pairs import Evidence, Pairs, binned, grid_of, spearman
from reviewer.stats.values import Scale

TABLE_NAMES: Final = (
    "percent",
    "within_one",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "fleiss",
    "ac1",
    "ac2",
    "alpha_nominal",
    "alpha_ordinal",
)
PAIR_NAMES: Final = ("alpha_interval", "icc", "icc_c", "pearson", "spearman", "kendall_b")
GAP_NAMES: Final = ("mae", "bias", "sd_gap", "limits")
SHARES: Final = frozenset({"percent", "within_one"})
_DENSE: Final = 2500
_MANY_PAIRS: Final = 5000


_FROM_MOMENTS: Final[dict[str, Callable[[mo.MomentStack], Floats]]] = {
    "pearson": mo.pearson,
    "icc": mo.icc_agreement,
    "icc_c": mo.icc_consistency,
    "alpha_interval": mo.alpha_interval,
}


_FROM_RANKS: Final = {"spearman": ranks.spearman, "kendall_b": ranks.kendall_b}


_MEANS: Final[dict[str, Callable[[Floats], Floats]]] = {"bias": np.positive, "mae": np.abs}


def table_statistic(name: str, scale: Scale) -> Statistic:
    """Give the function of stacked tables, shape (tables, k, k), that computes a coefficient."""
    values = np.array(scale.values, dtype=np.float64)
    powers = {"kappa": 0, "kappa_linear": 1, "kappa_quadratic": 2}
    if name in powers:
        distances = co.disagreement(values, powers[name])
        return lambda stack: co.kappa(stack, distances)
    if name in {"ac1", "ac2"}:
        weights = co.agreement_weights(values, 0 if name == "ac1" else 2)
        return lambda stack: co.gwet(stack, weights)
    plain: dict[str, Statistic] = {
        "percent": co.percent,
        "within_one": co.within_one,
        "fleiss": co.scott,
        "alpha_nominal": lambda stack: co.alpha_nominal(co.coincidences(stack)),
        "alpha_ordinal": lambda stack: co.alpha_ordinal(co.coincidences(stack)),
    }
    return plain[name]


def pair_statistic(name: str, pairs: Pairs) -> Statistic:
    """Give the function of resampled counts of pairs, shape (sets, pairs), for a coefficient."""
    if name == "spearman":
        return lambda draws: spearman(pairs, draws)
    if name == "kendall_b":
        place, shape = grid_of(pairs)
        return lambda draws: co.kendall_b(_dense(draws, place, shape))
    if name in _MEANS:
        gaps = _MEANS[name](pairs.human - pairs.auto)
        return lambda draws: co.divided((draws * gaps).sum(axis=1), draws.sum(axis=1))
    formula = _FROM_MOMENTS[name]
    return lambda draws: formula(pairs.moments(draws))


def _dense(draws: Floats, place: NDArray[np.intp], shape: tuple[int, int]) -> Floats:
    flat = np.zeros((len(draws), shape[0] * shape[1]))
    flat[:, place] = draws
    return flat.reshape(-1, *shape)


def pair_point(name: str, pairs: Pairs) -> float:
    """Compute one coefficient of exact pairs; NaN if undefined."""
    return pair_points((name,), pairs)[name]


def pair_points(names: Sequence[str], pairs: Pairs) -> dict[str, float]:
    """Compute coefficients of exact pairs; NaN if undefined."""
    there = pairs.counts > 0
    if not there.any():
        return dict.fromkeys(names, float("nan"))
    some = pairs
    if not there.all():
        some = Pairs(pairs.auto[there], pairs.human[there], pairs.counts[there])
    stack = mo.weighted_moments(some.auto, some.human, some.counts).arrays()
    found = {x: float(_FROM_MOMENTS[x](stack)[0]) for x in names if x in _FROM_MOMENTS}
    if len(found) < len(names):
        left, right = ranks.rank_places(some.auto), ranks.rank_places(some.human)
        for name in names:
            if name in _FROM_RANKS:
                found[name] = _FROM_RANKS[name](left, right, some.counts)
    return found


def points(evidence: Evidence, pairs: Pairs) -> dict[str, float]:
    """Compute every coefficient of the table and of the exact pairs; NaN if undefined."""
    found = dict.fromkeys((*TABLE_NAMES, "kappa_se"), float("nan"))
    if evidence.scale is not None and evidence.table.any():
        stack = evidence.table[None]
        for name in TABLE_NAMES:
            found[name] = float(table_statistic(name, evidence.scale)(stack)[0])
        values = np.array(evidence.scale.values, dtype=np.float64)
        found["kappa_se"] = co.kappa_se(evidence.table, co.disagreement(values, 0))
    return found | pair_points(PAIR_NAMES, pairs)


def resampled(
    evidence: Evidence, names: tuple[str, ...], policy: IntervalPolicy
) -> dict[str, Interval]:
    """Make the intervals of defined coefficients of the table and of the exact pairs."""
    if evidence.conversations is not None:
        alone = resampled(replace(evidence, conversations=None), names, policy)
        return at_least(from_conversations(evidence, names, policy), alone)
    intervals: dict[str, Interval] = {}
    n = round(float(evidence.table.sum()))
    on_grid = evidence.pairs is None
    if evidence.scale is not None and n >= INTERVALS_FROM:
        wanted = [name for name in names if name in TABLE_NAMES or on_grid]
        intervals |= _from_table(evidence, evidence.scale, wanted, policy)
    if evidence.pairs is not None and evidence.pairs.n >= INTERVALS_FROM and policy.resamples:
        wanted = [name for name in names if name in PAIR_NAMES]
        intervals |= _from_pairs(evidence.pairs, wanted, policy, pair_levels(evidence))
    return intervals


def _from_table(
    evidence: Evidence, scale: Scale, names: list[str], policy: IntervalPolicy
) -> dict[str, Interval]:
    k, n = len(scale.values), float(evidence.table.sum())
    levels = table_levels(evidence)
    intervals: dict[str, Interval] = {}
    groups: dict[float, dict[str, Statistic]] = {}
    for name in names:
        if name in SHARES and levels is None:
            point = float(table_statistic(name, scale)(evidence.table[None])[0])
            interval = wilson(round(point * n), n, policy.level)
            if interval:
                intervals[name] = interval
            continue
        prior = 0.5 if k == 2 else 1 / (k * k) if name in {"ac1", "ac2"} else 0.0
        groups.setdefault(prior, {})[name] = _on_draws(name, evidence, scale)
    for prior, statistics in groups.items():
        drawn = resample(evidence.table.ravel(), statistics, policy, prior=prior, levels=levels)
        method: Method = "dirichlet" if prior else "bootstrap"
        rough = k > 2 and n < APPROXIMATE_BELOW
        for name, values in drawn.items():
            interval = percentile_interval(values, policy, method=method, approximate=rough)
            if interval:
                intervals[name] = interval
    return intervals


def _on_draws(name: str, evidence: Evidence, scale: Scale) -> Statistic:
    if name in PAIR_NAMES:
        return pair_statistic(name, evidence.exact())
    statistic, k = table_statistic(name, scale), len(scale.values)
    return lambda draws: statistic(draws.reshape(-1, k, k))


def _from_pairs(
    pairs: Pairs, names: list[str], policy: IntervalPolicy, levels: Levels | None
) -> dict[str, Interval]:
    """Resample exact pairs; very many distinct ones in bins, moved to the exact value."""
    intervals: dict[str, Interval] = {}
    rough = pairs.n < APPROXIMATE_BELOW
    if levels is not None:
        # bins would join levels, which are drawn one by one
        statistics = {name: pair_statistic(name, pairs) for name in names}
        drawn = resample(pairs.counts, statistics, policy, levels=levels)
        return _cut(drawn, policy, approximate=rough)
    _, shape = grid_of(pairs)
    coarse = [
        name
        for name in names
        if len(pairs.counts) > _MANY_PAIRS
        or (name == "kendall_b" and shape[0] * shape[1] > _DENSE)
    ]
    for chosen, source in (
        ([name for name in names if name not in coarse], pairs),
        (coarse, binned(pairs) if coarse else pairs),
    ):
        statistics = {name: pair_statistic(name, source) for name in chosen}
        if not statistics:
            continue
        for name, values in resample(source.counts, statistics, policy).items():
            shift = (
                pair_point(name, pairs) - pair_point(name, source) if source is not pairs else 0
            )
            interval = percentile_interval(
                values,
                policy,
                method="bootstrap",
                approximate=rough or source is not pairs,
                shift=shift,
            )
            if interval:
                intervals[name] = interval
    return intervals


def from_conversations(
    evidence: Evidence, names: Sequence[str], policy: IntervalPolicy
) -> dict[str, Interval]:
    """Resample whole conversations instead of pairs; few of them are marked approximate."""
    found, scale, n = evidence.conversations, evidence.scale, float(evidence.table.sum())
    if found is None:
        return {}
    rough = int(found.codes.max(initial=-1)) + 1 < APPROXIMATE_BELOW
    drawn: dict[str, Floats] = {}
    of_table = [name for name in names if name in TABLE_NAMES]
    if of_table and scale is not None and n >= INTERVALS_FROM:
        counts, k = evidence.table.ravel(), len(scale.values)
        draws = by_conversation(found.table, found.codes, k * k, policy)
        levels = table_levels(evidence)
        if draws is not None:
            draws = draws if levels is None else levels.evened(draws, counts)
            stack = draws.reshape(-1, k, k)
            drawn |= {name: table_statistic(name, scale)(stack) for name in of_table}
    pairs, rest = evidence.exact(), [name for name in names if name not in TABLE_NAMES]
    if rest and pairs.n >= INTERVALS_FROM and len(pairs.counts) <= _MANY_PAIRS:
        draws = by_conversation(found.exact, found.codes, len(pairs.counts), policy)
        levels = pair_levels(evidence)
        if draws is not None:
            draws = draws if levels is None else levels.evened(draws, pairs.counts)
            drawn |= {name: pair_statistic(name, pairs)(draws) for name in rest}
    made = _cut(drawn, policy, approximate=rough)
    for name in SHARES & made.keys():
        groups = len(np.unique(found.codes[found.table >= 0]))
        share = float(drawn[name][0])
        made[name] = share_of_conversations(made[name], share, groups, policy.level)
    return made


def mean_gaps(evidence: Evidence, policy: IntervalPolicy) -> dict[str, Interval]:
    """Resample the intervals of bias and MAE of labels that are not single random pairs."""
    if evidence.conversations is not None:
        return from_conversations(evidence, tuple(_MEANS), policy)
    pairs, levels = evidence.exact(), pair_levels(evidence)
    statistics = {name: pair_statistic(name, pairs) for name in _MEANS}
    drawn = resample(pairs.counts, statistics, policy, levels=levels)
    return _cut(drawn, policy, approximate=pairs.n < APPROXIMATE_BELOW)


def _cut(
    drawn: dict[str, Floats], policy: IntervalPolicy, *, approximate: bool
) -> dict[str, Interval]:
    found = {
        name: percentile_interval(values, policy, method="bootstrap", approximate=approximate)
        for name, values in drawn.items()
    }
    return {name: interval for name, interval in found.items() if interval is not None}
