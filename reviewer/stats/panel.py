"""Agreement of several labelers: of all together, and of every pair of them.

They need not all have labelled the same units.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewer.stats import coefficients as co
from reviewer.stats.agreement import Agreement
from reviewer.stats.catalogue import FIGURES, gap_reason, reason, table_statistic
from reviewer.stats.coefficients import Floats, divided
from reviewer.stats.consensus import ties
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Statistic,
    at_least,
    by_conversation,
    containing,
    percentile_interval,
    resample,
)
from reviewer.stats.pairs import Evidence, places
from reviewer.stats.reasons import NO_OVERLAP, ONE_LEVEL, ONE_PAIR, SAME, UNORDERED
from reviewer.stats.values import Scale

SEE_LABELERS: Final = "more than two labelers: see labelers"
# beyond this, distances between all categories in every resample take seconds
_LARGEST: Final = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Hold how often each combination of label counts occurs.

    Attributes:
        scale: the declared scale of k values.
        patterns: shape (d, k), distinct counts of labels by category, each with a label or more.
        units: shape (d,), how many units have that pattern.
        labelers: number of people.
    """

    scale: Scale
    patterns: Floats
    units: Floats
    labelers: int


def counts_of(labels: Iterable[float], scale: Scale) -> tuple[int, ...]:
    """Count one unit's labels by category.

    Raises:
        ValueError: for a label that is not on the scale.
    """
    counts = [0] * len(scale.values)
    for label in labels:
        place = scale.index(label)
        if place is None:
            raise ValueError(f"The label {label} is not on the scale {list(scale.values)}.")
        counts[place] += 1
    return tuple(counts)


def panel_of(units: Iterable[Sequence[float]], scale: Scale, labelers: int) -> Panel:
    """Collect units given as the lists of their labels."""
    return panel_of_counts(Counter(counts_of(labels, scale) for labels in units), scale, labelers)


def panel_of_counts(counts: Mapping[tuple[int, ...], int], scale: Scale, labelers: int) -> Panel:
    """Make a panel of kept counts of patterns, in the patterns' order."""
    ordered = sorted(pattern for pattern in counts if any(pattern))
    return Panel(
        scale,
        np.array(ordered, dtype=np.float64).reshape(-1, len(scale.values)),
        np.array([counts[pattern] for pattern in ordered], dtype=np.float64),
        labelers,
    )


def panel_agreement(
    panel: Panel,
    policy: IntervalPolicy | None = None,
    conversations: tuple[Sequence[Sequence[float]], NDArray[np.int64]] | None = None,
) -> Agreement:
    """Work out every figure a panel of interchangeable labelers has; intervals with a policy.

    Units with one label count for the shares of the categories only, from which Fleiss and Gwet
    take chance agreement (as irrCAC does), or not at all (Krippendorff); `n` counts those with
    two or more, `n_no_majority` those of them without one value that most people gave.

    Args:
        panel: the counts.
        policy: intervals only with one.
        conversations: the units' labels and the conversation of each, to draw those whole.
    """
    sizes = panel.patterns.sum(axis=1)
    n = round(float(panel.units[sizes >= 2].sum()))
    values: dict[str, float | None] = {}
    statistics = _statistics(panel)
    of_two = {*FIGURES, "limits"} - statistics.keys()
    undefined = dict.fromkeys(sorted(of_two), SEE_LABELERS)
    for name in statistics:
        value = float(statistics[name](panel.units[None])[0]) if n else float("nan")
        why = _reason(name, value, panel.scale, n)
        values[name] = None if why else value
        if why:
            undefined[name] = why
    tied = (sizes >= 2) & ties(panel.patterns)
    found = Agreement(
        n=n,
        n_table=n,
        n_no_majority=round(float(panel.units[tied].sum())),
        labelers=panel.labelers,
        values=values,
        undefined=undefined,
    )
    if policy is None or n < INTERVALS_FROM:
        return found
    wanted = {name: statistics[name] for name in statistics if name not in undefined}
    if panel.patterns.size * panel.patterns.shape[1] > _LARGEST:
        wanted.pop("alpha_ordinal", None)
    made = _cut(resample(panel.units, wanted, policy), policy, approximate=n < APPROXIMATE_BELOW)
    if conversations is not None:
        made = at_least(_of_conversations(panel, wanted, policy, *conversations), made)
    return replace(found, intervals={x: containing(made[x], values[x] or 0.0) for x in made})


def _reason(name: str, value: float, scale: Scale, n: int) -> str | None:
    if not n:
        return NO_OVERLAP
    if not scale.ordered and FIGURES[name].ordered:
        return UNORDERED
    if n < 2 and not FIGURES[name].is_share:
        return ONE_PAIR
    if np.isnan(value):
        return ONE_LEVEL if len(scale.values) < 2 else SAME
    return None


def _of_conversations(
    panel: Panel,
    statistics: dict[str, Statistic],
    policy: IntervalPolicy,
    units: Sequence[Sequence[float]],
    clusters: NDArray[np.int64],
) -> dict[str, Interval]:
    places = {tuple(row): at for at, row in enumerate(panel.patterns.astype(int).tolist())}
    cells = np.array([places.get(counts_of(x, panel.scale), -1) for x in units], dtype=np.intp)
    codes = np.unique(clusters, return_inverse=True)[1]
    draws = by_conversation(cells, codes, len(panel.units), policy)
    if draws is None:
        return {}
    drawn = {name: statistic(draws) for name, statistic in statistics.items()}
    return _cut(drawn, policy, approximate=int(codes.max()) + 1 < APPROXIMATE_BELOW)


def _cut(
    drawn: dict[str, Floats], policy: IntervalPolicy, *, approximate: bool
) -> dict[str, Interval]:
    intervals: dict[str, Interval] = {}
    for name, values in drawn.items():
        interval = percentile_interval(values, policy, method="bootstrap", approximate=approximate)
        if interval:
            intervals[name] = interval
    return intervals


def _statistics(panel: Panel) -> dict[str, Statistic]:
    values = np.array(panel.scale.values, dtype=np.float64)
    ranks = np.arange(len(values))
    near = (np.abs(ranks[:, None] - ranks[None, :]) <= 1).astype(np.float64)
    places = np.arange(len(values), dtype=np.float64)
    return {
        "percent": lambda draws: _pooled(panel, draws, np.eye(len(values))),
        "within_one": lambda draws: _pooled(panel, draws, near),
        "fleiss": lambda draws: _fleiss(panel, draws),
        "ac1": lambda draws: _gwet(panel, draws, co.agreement_weights(places, 0)),
        "ac2": lambda draws: _gwet(panel, draws, co.agreement_weights(values, 2)),
        "alpha_nominal": lambda draws: _alpha(panel, draws, None),
        "alpha_ordinal": lambda draws: _alpha_ordinal(panel, draws),
        "alpha_interval": lambda draws: _alpha(panel, draws, values),
    }


def _agreeing(panel: Panel, weights: Floats) -> tuple[Floats, Floats]:
    """Give each pattern's agreeing and all ordered pairs of labels."""
    counts, sizes = panel.patterns, panel.patterns.sum(axis=1)
    return (counts * (counts @ weights)).sum(axis=1) - sizes, sizes * (sizes - 1)


def _pooled(panel: Panel, draws: Floats, weights: Floats) -> Floats:
    agreeing, pairs = _agreeing(panel, weights)
    return divided(draws @ agreeing, draws @ pairs)


def _observed(panel: Panel, draws: Floats, weights: Floats) -> Floats:
    agreeing, pairs = _agreeing(panel, weights)
    paired = (pairs > 0).astype(np.float64)
    return divided(draws @ (agreeing / np.maximum(pairs, 1)), draws @ paired)


def _shares(panel: Panel, draws: Floats) -> Floats:
    sizes = panel.patterns.sum(axis=1, keepdims=True)
    return divided(draws @ (panel.patterns / sizes), draws.sum(axis=1, keepdims=True))


def _fleiss(panel: Panel, draws: Floats) -> Floats:
    observed = _observed(panel, draws, np.eye(panel.patterns.shape[1]))
    chance = (_shares(panel, draws) ** 2).sum(axis=1)
    room = np.where(1 - chance > 1e-12, 1 - chance, 0.0)
    return divided(observed - chance, room)


def _gwet(panel: Panel, draws: Floats, weights: Floats) -> Floats:
    k = panel.patterns.shape[1]
    if k < 2:
        return np.full(len(draws), np.nan)
    shares = _shares(panel, draws)
    chance = weights.sum() / (k * (k - 1)) * (shares * (1 - shares)).sum(axis=1)
    return divided(_observed(panel, draws, weights) - chance, 1 - chance)


def _pairable(panel: Panel) -> tuple[Floats, Floats]:
    """Give the counts of units with two labels or more (else zeros), and their m - 1."""
    sizes = panel.patterns.sum(axis=1, keepdims=True)
    return np.where(sizes >= 2, panel.patterns, 0.0), np.maximum(sizes - 1, 1)[:, 0]


def _alpha(panel: Panel, draws: Floats, values: Floats | None) -> Floats:
    """Give alpha for categories (no values) or for values whose distances count."""
    counts, freedom = _pairable(panel)
    sizes, totals = counts.sum(axis=1), draws @ counts
    n = totals.sum(axis=1)
    if values is None:
        unequal = (sizes**2 - (counts**2).sum(axis=1)) / freedom
        return 1 - divided((n - 1) * (draws @ unequal), n**2 - (totals**2).sum(axis=1))
    places = values - values.mean()
    observed = 2 * (sizes * (counts @ places**2) - (counts @ places) ** 2) / freedom
    expected = 2 * (n * (totals @ places**2) - (totals @ places) ** 2)
    some = np.where(expected > 1e-12 * n**2, expected, 0.0)
    return 1 - divided((n - 1) * (draws @ observed), some)


def _alpha_ordinal(panel: Panel, draws: Floats) -> Floats:
    counts, freedom = _pairable(panel)
    k = counts.shape[1]
    own = counts[:, :, None] * np.eye(k)
    pairs = (counts[:, :, None] * counts[:, None, :] - own) / freedom[:, None, None]
    return co.alpha_ordinal((draws @ pairs.reshape(len(counts), -1)).reshape(-1, k, k)).value


Ints = NDArray[np.int64]
AT_ONCE = 64
"""Pairs of people that are compared in one go, with a table of all levels each."""
FROM_TABLE = ("percent", "kappa", "kappa_quadratic", "alpha_ordinal")
PAIR_FIGURES = (*FROM_TABLE, "mae", "bias")


class _Share(NamedTuple):
    """What one person and all later ones both labelled, in columns of one length.

    Attributes:
        pairs: The number of the pair: the first person's times all people, and the second's.
        gaps: The second's label minus the first's.
        first: The place of the first's label on the scale.
        second: The same of the second's, -1 off the scale.
    """

    pairs: Ints
    gaps: Floats
    first: Ints
    second: Ints


@dataclass(frozen=True, slots=True)
class PairFigures:
    """The figures of two people, the first before the second.

    Attributes:
        n: How many things both labelled.
        figures: By name, as in `PAIR_FIGURES`; bias is the second minus the first.
        undefined: The reason of every figure that is None.
    """

    first: int
    second: int
    n: int
    figures: dict[str, float | None]
    undefined: dict[str, str]


def pair_figures(
    people: Ints, things: Ints, values: Floats, scale: Scale | None
) -> Iterator[PairFigures]:
    """Compare every two people who have a thing in common, in the order of their numbers.

    Args:
        people: Each label's person, numbered from 0, ascending.
        things: What each label is about, numbered from 0; at most one label a person and thing.
        values: The labels.
        scale: The declared scale, or None for a range without levels.
    """
    many = int(people.max(initial=-1)) + 1
    starts = np.searchsorted(people, np.arange(many + 1))
    nearest, strict = _codes(values, scale)
    size = int(things.max(initial=-1)) + 1
    mine, mine_code = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
    shares: list[_Share] = []
    pairs = 0
    for first in range(many - 1):
        own, later = slice(starts[first], starts[first + 1]), slice(starts[first + 1], None)
        mine.fill(np.nan)
        mine[things[own]], mine_code[things[own]] = values[own], nearest[own]
        shared = starts[first + 1] + np.flatnonzero(np.isfinite(mine[things[later]]))
        if not shared.size:
            continue
        about = things[shared]
        shares.append(
            _Share(
                first * many + people[shared],
                values[shared] - mine[about],
                mine_code[about],
                strict[shared],
            )
        )
        pairs += min(shared.size, many - 1 - first)
        if pairs >= AT_ONCE:
            yield from _compare(shares, many, scale)
            shares, pairs = [], 0
    if shares:
        yield from _compare(shares, many, scale)


def _codes(values: Floats, scale: Scale | None) -> tuple[Ints, Ints]:
    """Place labels on the scale: at the nearest level, and -1 for those off it."""
    if scale is None:
        nothing = np.full(values.size, -1, dtype=np.int64)
        return nothing, nothing
    near, off = places(values, scale)
    return near.astype(np.int64), np.where(off, -1, near).astype(np.int64)


def _compare(shares: list[_Share], many: int, scale: Scale | None) -> Iterator[PairFigures]:
    """Give the comparison of some of `many` people with all later ones."""
    pairs, gaps, first_codes, second_codes = (
        np.concatenate(part) for part in zip(*shares, strict=True)
    )
    there, at, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    n = counts.astype(np.float64)
    columns = {
        "mae": np.bincount(at, np.abs(gaps), there.size) / n,
        "bias": np.bincount(at, gaps, there.size) / n,
    }
    evidence, n_table = Evidence(None, np.zeros((0, 0))), np.zeros(there.size)
    if scale is not None:
        stack = _tables(at, (first_codes, second_codes), (there.size, len(scale.values)))
        evidence, n_table = Evidence(scale, stack), stack.sum(axis=(1, 2))
        columns |= {name: table_statistic(name, scale)(stack) for name in FROM_TABLE}
    for place, (first, second) in enumerate(divmod(pair, many) for pair in there.tolist()):
        total = int(counts[place])
        found = {name: float(column[place]) for name, column in columns.items()}
        why = _undefined(found, evidence, (round(n_table[place]), total))
        yield PairFigures(
            first,
            second,
            total,
            {name: None if name in why else found[name] for name in PAIR_FIGURES},
            why,
        )


def _tables(at: NDArray[np.intp], codes: tuple[Ints, Ints], shape: tuple[int, int]) -> Floats:
    """Count labels by pair, second and first label; shape (pairs, levels, levels)."""
    (pairs, k), (first, second) = shape, codes
    counted = second >= 0
    cells = (at * k + second) * k + first
    counts = np.bincount(cells[counted], minlength=pairs * k * k)
    return counts.reshape(pairs, k, k).astype(np.float64)


def _undefined(
    found: dict[str, float], evidence: Evidence, counts: tuple[int, int]
) -> dict[str, str]:
    gone = {
        name: reason(name, found.get(name, float("nan")), evidence, counts) for name in FROM_TABLE
    }
    gone |= dict.fromkeys(("mae", "bias"), gap_reason(evidence, counts[1]))
    return {name: why for name, why in gone.items() if why}
