"""What people reach with each other, and how much of that the judge reaches with them.

Both figures are of the same evaluations and the same formula: a label drawn at random beside
another person's, and beside the judge's score. Every evaluation counts alike, however many people
labelled it. With one formula for both, kappa of people is that of interchangeable raters (its
margins are everybody's), and quadratic kappa comes from exact values, like Lin's coefficient of
concordance (1989), which it equals on a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import cluster_bootstrap
from reviewer.stats.coefficients import Floats, defined, divided
from reviewer.stats.figure import COEFFICIENTS_FROM
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Statistic,
    at_least,
    containing,
    percentile_interval,
    resample,
)
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS, ONE_PAIR, SAME, UNORDERED
from reviewer.stats.values import Scale

Name = Literal["percent", "kappa", "kappa_quadratic"]
NO_UNITS: Final = "no evaluation has labels of two people and a score of the judge"
ONE_SIDE: Final = "there is nobody on one side"
NO_REPEATS: Final = "nothing was labelled twice by the same person"
FEW: Final = f"fewer than {COEFFICIENTS_FROM} evaluations"
NOTHING_TO_REACH: Final = (
    "people do not agree with each other beyond chance: there is nothing to reach"
)
NO_BOUND: Final = "people's own agreement is not known well enough to measure the judge by it"

_PLAIN: Final = 8
"""Columns before the shares of the levels: mean, mean square, pairs' mean product, judge, its
square, product with the judge, people's equal pairs, equal to the judge."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Hold what each evaluation adds to both figures.

    Attributes:
        sums: shape (n, 8 + 2k), per evaluation; the last 2k are people's and the judge's shares
            of the k levels.
        labels: labels in all.
        scale: the declared scale; None for a range without levels.
        judged: False where there is no judge, as for repeats of one person.
        shared: False where evaluations with one label are in, which tell nothing of people.
        ordered: False for categories.
    """

    sums: Floats
    labels: int
    scale: Scale | None
    judged: bool = True
    shared: bool = True

    @property
    def ordered(self) -> bool:
        """Tell whether distances between values count."""
        return self.scale is None or self.scale.ordered


@dataclass(frozen=True, slots=True)
class Reach:
    """Hold one statistic of people among themselves and with the judge.

    Attributes:
        name: the statistic.
        n: evaluations with two labels or more.
        labels: labels on them.
        people, judge: the statistic; None with a reason under `undefined`.
        share: judge by people; None with a reason.
        intervals: by `people`, `judge`, `share`; few evaluations have none.
        undefined: reasons by the same names; `interval` says why the share has none.
    """

    name: Name
    n: int
    labels: int
    people: float | None
    judge: float | None
    share: float | None
    intervals: dict[str, Interval]
    undefined: dict[str, str]


def units_of(
    groups: Sequence[Floats], judge: Floats | None, scale: Scale | None, *, least: int = 2
) -> Units:
    """Collect evaluations given as the lists of their labels.

    Args:
        groups: each evaluation's labels by different people (or one person's repeats).
        judge: shape (n,), the judge's scores beside them; None without a judge.
        scale: the declared scale; None for a range without levels.
        least: labels below which an evaluation is left out. With 1 there is no figure of people
            among themselves: one of them may stand in the judge's place, beside the rest.
    """
    kept = [at for at, group in enumerate(groups) if len(group) >= least]
    k = 0 if scale is None else len(scale.values)
    sizes = np.array([len(groups[at]) for at in kept], dtype=np.int64)
    n = len(kept)
    values = np.concatenate([groups[at] for at in kept]) if n else np.zeros(0)
    unit = np.repeat(np.arange(n), sizes)
    sums = np.zeros((n, _PLAIN + 2 * k))
    units = Units(sums, int(sizes.sum()), scale, judged=judge is not None, shared=least > 1)
    if not n:
        return units
    total, squares = np.bincount(unit, values), np.bincount(unit, values**2)
    pairs = np.maximum(sizes * (sizes - 1), 1)
    sums[:, 0], sums[:, 1] = total / sizes, squares / sizes
    sums[:, 2] = (total**2 - squares) / pairs
    if scale is not None:
        counts = np.zeros((n, k))
        np.add.at(counts, (unit, places(values, scale)[0]), 1)
        sums[:, 6] = (counts * (counts - 1)).sum(axis=1) / pairs
        sums[:, _PLAIN : _PLAIN + k] = counts / sizes[:, None]
    if judge is not None:
        own = judge[kept]
        sums[:, 3], sums[:, 4], sums[:, 5] = own, own**2, own * sums[:, 0]
        if scale is not None:
            level = places(own, scale)[0]
            rows = np.arange(n)
            sums[:, 7] = sums[rows, _PLAIN + level]
            sums[rows, _PLAIN + k + level] = 1
    return units


def _figures(units: Units, name: Name) -> tuple[Statistic, Statistic]:
    """Give the functions of mean columns, shape (sets, columns), for people and judge."""
    k = 0 if units.scale is None else len(units.scale.values)
    mine, other = slice(_PLAIN, _PLAIN + k), slice(_PLAIN + k, None)
    if name == "percent":
        return (lambda m: m[:, 6]), (lambda m: m[:, 7])
    if name == "kappa":
        return (
            lambda m: _beyond(m[:, 6], (m[:, mine] ** 2).sum(axis=1)),
            lambda m: _beyond(m[:, 7], (m[:, mine] * m[:, other]).sum(axis=1)),
        )
    return (
        lambda m: 1 - _distance(m[:, 1] - m[:, 2], m[:, 1] - m[:, 0] ** 2),
        lambda m: (
            1
            - _distance(m[:, 1] - 2 * m[:, 5] + m[:, 4], m[:, 1] - 2 * m[:, 0] * m[:, 3] + m[:, 4])
        ),
    )


def _beyond(observed: Floats, chance: Floats) -> Floats:
    room = np.where(1 - chance > 1e-12, 1 - chance, 0.0)
    return divided(observed - chance, room)


def _distance(observed: Floats, chance: Floats) -> Floats:
    return divided(observed, np.where(chance > 1e-12, chance, 0.0))


def reach(
    units: Units,
    name: Name,
    policy: IntervalPolicy | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Reach:
    """Work out a statistic of people, of the judge, and the share the judge reaches.

    Args:
        units: the evaluations.
        name: the statistic.
        policy: intervals only with one, from 10 evaluations on.
        clusters: shape (n,), each evaluation's conversation, drawn whole; None where none is
            shared.
    """
    n = len(units.sums)
    why = _reason(units, name)
    if why is not None:
        told = dict.fromkeys(("people", "judge", "share"), why)
        return Reach(name, n, units.labels, None, None, None, {}, told)
    of_people, of_judge = _figures(units, name)
    middle = units.sums.mean(axis=0, keepdims=True)
    people = defined(of_people(middle)) if units.shared else None
    judge = defined(of_judge(middle)) if units.judged else None
    undefined = {}
    for one, value, there in (("people", people, units.shared), ("judge", judge, units.judged)):
        if value is None and there:
            undefined[one] = SAME
    share = None
    if people is None or judge is None:
        undefined["share"] = undefined.get("people", undefined.get("judge", ONE_SIDE))
    elif people <= 1e-9:
        undefined["share"] = NOTHING_TO_REACH
    else:
        share = judge / people
    values = {"people": people, "judge": judge, "share": share}
    found: dict[str, Interval] = {}
    if policy is not None and n >= INTERVALS_FROM:
        found = _intervals(units, name, values, policy, clusters)
        if share is not None and "share" not in found:
            undefined["interval"] = NO_BOUND
    return Reach(name, n, units.labels, people, judge, share, found, undefined)


def _reason(units: Units, name: Name) -> str | None:
    n = len(units.sums)
    if not n:
        return NO_UNITS if units.judged else NO_REPEATS
    if name != "kappa_quadratic" and units.scale is None:
        return NO_LEVELS
    if name == "kappa_quadratic" and not units.ordered:
        return UNORDERED
    if name != "percent" and n < COEFFICIENTS_FROM:
        return ONE_PAIR if n == 1 else FEW
    return None


def _intervals(
    units: Units,
    name: Name,
    values: dict[str, float | None],
    policy: IntervalPolicy,
    clusters: NDArray[np.int64] | None,
) -> dict[str, Interval]:
    rows, counts = np.unique(units.sums, axis=0, return_counts=True)
    statistics = _statistics(units, name, np.hstack([rows, np.ones((len(rows), 1))]))
    wanted = {one: statistics[one] for one, value in values.items() if value is not None}
    drawn = resample(counts.astype(np.float64), wanted, policy)
    few = len(units.sums) < APPROXIMATE_BELOW
    made = {x: _cut(column, policy, approximate=few) for x, column in drawn.items()}
    found = {x: one for x, one in made.items() if one is not None}
    if clusters is not None:
        found = _by_conversation(units, name, found, policy, clusters)
    return {x: containing(one, values[x] or 0.0) for x, one in found.items()}


def _statistics(units: Units, name: Name, known: Floats) -> dict[str, Statistic]:
    """Give functions of drawn counts of the rows of `known`, whose last column counts."""
    of_people, of_judge = _figures(units, name)

    def middle(draws: Floats) -> Floats:
        sums = draws @ known
        means: Floats = sums[:, :-1] / sums[:, -1:]
        return means

    def share(draws: Floats) -> Floats:
        means = middle(draws)
        people = of_people(means)
        return divided(of_judge(means), np.where(people > 1e-9, people, 0.0))

    return {
        "people": lambda draws: of_people(middle(draws)),
        "judge": lambda draws: of_judge(middle(draws)),
        "share": share,
    }


def _cut(values: Floats, policy: IntervalPolicy, *, approximate: bool) -> Interval | None:
    """Cut off both tails; none where more than a tail of the draws has nothing to reach."""
    if np.isnan(values).mean() > (1 - policy.level) / 2:
        return None
    return percentile_interval(values, policy, method="bootstrap", approximate=approximate)


def _by_conversation(
    units: Units,
    name: Name,
    alone: dict[str, Interval],
    policy: IntervalPolicy,
    clusters: NDArray[np.int64],
) -> dict[str, Interval]:
    codes = np.unique(clusters, return_inverse=True)[1]
    groups = int(codes.max()) + 1
    sums = np.zeros((groups, units.sums.shape[1] + 1))
    np.add.at(sums, codes, np.hstack([units.sums, np.ones((len(codes), 1))]))
    statistics = _statistics(units, name, np.eye(sums.shape[1]))
    made = {x: cluster_bootstrap(sums, statistics[x], policy) for x in alone}
    # a single conversation tells nothing of others
    return at_least({x: one for x, one in made.items() if one is not None}, alone)
