"""Intervals of coefficients from draws: tables and pairs as the labels were drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from reviewer.stats.catalogue import (
    FIGURES,
    MEAN_GAPS,
    PAIR_NAMES,
    SHARES,
    TABLE_NAMES,
    is_varied,
    pair_point,
    pair_statistic,
    table_statistic,
)
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Method,
    Statistic,
    at_least,
    by_conversation,
    percentile_interval,
    resample,
    share_of_groups,
    wilson,
)
from reviewer.stats.pairs import Evidence, Pairs, binned, cells_of, grid_of
from reviewer.stats.values import Scale

_DENSE: Final = 2500
_MANY_PAIRS: Final = 5000


def resampled(
    evidence: Evidence, names: tuple[str, ...], policy: IntervalPolicy
) -> dict[str, Interval]:
    """Make the intervals of defined coefficients of the table and of the exact pairs.

    Where one side gave one score only, a coefficient that is the same in every draw has none.
    """
    if evidence.conversations is not None:
        alone = resampled(replace(evidence, conversations=None), names, policy)
        return at_least(from_conversations(evidence, names, policy), alone)
    intervals: dict[str, Interval] = {}
    on_grid = evidence.pairs is None
    if evidence.scale is not None and evidence.n_table >= INTERVALS_FROM:
        wanted = [name for name in names if name in TABLE_NAMES or on_grid]
        intervals |= _from_table(evidence, evidence.scale, wanted, policy)
    if evidence.pairs is not None and evidence.pairs.n >= INTERVALS_FROM and policy.resamples:
        wanted = [name for name in names if name in PAIR_NAMES]
        intervals |= _from_pairs(evidence.pairs, wanted, policy)
    if evidence.scale is None or is_varied(evidence):
        return intervals
    return {name: one for name, one in intervals.items() if one.low < one.high}


def kappa_error(evidence: Evidence, policy: IntervalPolicy) -> float | None:
    """Give the standard deviation of kappa in the draws that its interval is made of.

    For whatever has no formula: several labels an evaluation, weights, conversations.
    """
    if evidence.scale is None or not policy.resamples or evidence.n_table < 2:
        return None
    drawn = _coefficient_draws(evidence, evidence.scale, ["kappa"], policy)
    values = drawn["kappa"][0] if drawn else np.zeros(0)
    values = values[~np.isnan(values)]
    return float(values.std(ddof=1)) if 2 * len(values) > policy.resamples else None


def _coefficient_draws(
    evidence: Evidence, scale: Scale, names: Sequence[str], policy: IntervalPolicy
) -> dict[str, tuple[Floats, Method]]:
    drawn: dict[str, tuple[Floats, Method]] = {}
    for prior, chosen in _by_prior(names, len(scale.values)).items():
        statistics = {name: _on_tables(name, evidence, scale) for name in chosen}
        drawn |= table_draws(evidence, statistics, policy, prior=prior)
    return drawn


def _on_tables(name: str, evidence: Evidence, scale: Scale) -> Statistic:
    if name in TABLE_NAMES:
        return table_statistic(name, scale)
    statistic = pair_statistic(name, evidence.exact())
    return lambda stack: statistic(stack.reshape(len(stack), -1))


def table_draws(
    evidence: Evidence,
    statistics: Mapping[str, Statistic],
    policy: IntervalPolicy,
    *,
    prior: float = 0.0,
) -> dict[str, tuple[Floats, Method]]:
    """Draw tables as the labels were drawn, and give each statistic of them.

    Whole conversations where evaluations share one; evaluations where some have several labels or
    were drawn one by one with different chances; else the cells of each stratum.

    Args:
        evidence: what is drawn from.
        statistics: functions of stacked tables, shape (tables, k, k).
        policy: level, seed and number of resamples.
        prior: what is added to each cell, where cells are drawn.

    Returns:
        Values and how they were drawn; nothing where there is only one conversation.
    """
    if evidence.conversations is not None:
        stack = _of_conversations(evidence, policy)
        if stack is None:
            return {}
        return {name: (statistic(stack), "bootstrap") for name, statistic in statistics.items()}
    answers, k = evidence.answers, evidence.table.shape[0]
    cells = None if answers is None else cells_of(answers)
    if answers is not None and cells is None:
        on_answers = {name: _after(answers.tables, x) for name, x in statistics.items()}
        made = resample(answers.counts, on_answers, policy, weights=answers.weights)
        return {name: (values, "bootstrap") for name, values in made.items()}
    counts, weights, into = cells or (evidence.table.ravel(), None, None)

    def tables(draws: Floats) -> Floats:
        found: Floats = (draws if into is None else draws @ into).reshape(-1, k, k)
        return found

    on_cells = {name: _after(tables, statistic) for name, statistic in statistics.items()}
    made = resample(counts, on_cells, policy, prior=prior, weights=weights)
    method: Method = "dirichlet" if prior else "bootstrap"
    return {name: (values, method) for name, values in made.items()}


def _after(tables: Statistic, statistic: Statistic) -> Statistic:
    return lambda draws: statistic(tables(draws))


def _by_prior(names: Sequence[str], k: int) -> dict[float, list[str]]:
    found: dict[float, list[str]] = {}
    for name in names:
        prior = 0.5 if k == 2 else 1 / (k * k) if FIGURES[name].family == "gwet" else 0.0
        found.setdefault(prior, []).append(name)
    return found


def _from_table(
    evidence: Evidence, scale: Scale, names: list[str], policy: IntervalPolicy
) -> dict[str, Interval]:
    k, n, plain = len(scale.values), evidence.n_table, evidence.answers is None
    intervals: dict[str, Interval] = {}
    shares = [name for name in names if name in SHARES]
    points = {x: float(table_statistic(x, scale)(evidence.table[None])[0]) for x in shares}
    if plain:
        found = {name: wilson(round(points[name] * n), n, policy.level) for name in shares}
        intervals |= {name: one for name, one in found.items() if one}
        names = [name for name in names if name not in SHARES]
    rough = k > 2 and n < APPROXIMATE_BELOW
    for name, (values, method) in _coefficient_draws(evidence, scale, names, policy).items():
        interval = percentile_interval(values, policy, method=method, approximate=rough)
        if interval and name in SHARES:
            interval = share_of_groups(interval, points[name], n, policy.level)
        if interval:
            intervals[name] = interval
    return intervals


def _from_pairs(pairs: Pairs, names: list[str], policy: IntervalPolicy) -> dict[str, Interval]:
    """Resample exact pairs; very many distinct ones in bins, moved to the exact value."""
    intervals: dict[str, Interval] = {}
    rough = pairs.n < APPROXIMATE_BELOW
    if pairs.weights is not None:
        # bins would join pairs that count differently
        statistics = {name: pair_statistic(name, pairs) for name in names}
        drawn = resample(pairs.counts, statistics, policy, weights=pairs.weights)
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
        if statistics:
            for name, values in resample(source.counts, statistics, policy).items():
                interval = percentile_interval(
                    values,
                    policy,
                    method="bootstrap",
                    approximate=rough or source is not pairs,
                    shift=pair_point(name, pairs) - pair_point(name, source)
                    if source is not pairs
                    else 0,
                )
                if interval:
                    intervals[name] = interval
    return intervals


def from_conversations(
    evidence: Evidence, names: Sequence[str], policy: IntervalPolicy
) -> dict[str, Interval]:
    """Resample whole conversations instead of pairs; few of them are marked approximate."""
    found, scale = evidence.conversations, evidence.scale
    if found is None:
        return {}
    rough = int(found.codes.max(initial=-1)) + 1 < APPROXIMATE_BELOW
    drawn: dict[str, Floats] = {}
    of_table = [name for name in names if name in TABLE_NAMES]
    if of_table and scale is not None and evidence.n_table >= INTERVALS_FROM:
        made_of = _coefficient_draws(evidence, scale, of_table, policy)
        drawn |= {name: values for name, (values, _) in made_of.items()}
    pairs, rest = evidence.exact(), [name for name in names if name not in TABLE_NAMES]
    if rest and pairs.n >= INTERVALS_FROM and len(pairs.counts) <= _MANY_PAIRS:
        draws = by_conversation(found.exact, found.codes, len(pairs.counts), policy)
        if draws is not None:
            weights = pairs.weights
            draws = draws if weights is None else weights.evened(draws, pairs.counts)
            drawn |= {name: pair_statistic(name, pairs)(draws) for name in rest}
    made = _cut(drawn, policy, approximate=rough)
    for name in SHARES & made.keys():
        groups = len(np.unique(found.codes[found.table >= 0]))
        made[name] = share_of_groups(made[name], float(drawn[name][0]), groups, policy.level)
    return made


def _of_conversations(evidence: Evidence, policy: IntervalPolicy) -> Floats | None:
    """Draw conversations and count the tables of their evaluations; None for one of them."""
    found, answers = evidence.conversations, evidence.answers
    if found is None:
        return None
    k, size = evidence.table.shape[0], evidence.table.size
    if answers is None:
        draws = by_conversation(found.table, found.codes, size, policy)
        return None if draws is None else draws.reshape(-1, k, k)
    draws = by_conversation(found.table, found.codes, len(answers.counts), policy)
    if draws is None:
        return None
    weights = answers.weights
    draws = draws if weights is None else weights.evened(draws, answers.counts)
    return answers.tables(draws)


def mean_gaps(evidence: Evidence, policy: IntervalPolicy) -> dict[str, Interval]:
    """Resample the intervals of bias and MAE of labels that are not single random pairs."""
    if evidence.conversations is not None:
        return from_conversations(evidence, MEAN_GAPS, policy)
    pairs = evidence.exact()
    statistics = {name: pair_statistic(name, pairs) for name in MEAN_GAPS}
    drawn = resample(pairs.counts, statistics, policy, weights=pairs.weights)
    return _cut(drawn, policy, approximate=pairs.n < APPROXIMATE_BELOW)


def _cut(
    drawn: dict[str, Floats], policy: IntervalPolicy, *, approximate: bool
) -> dict[str, Interval]:
    found = {
        name: percentile_interval(values, policy, method="bootstrap", approximate=approximate)
        for name, values in drawn.items()
    }
    return {name: interval for name, interval in found.items() if interval is not None}
