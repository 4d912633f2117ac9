"""Agreement of two raters: every coefficient with its interval or the reason why there is none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from reviewer.stats.catalogue import (
    GAP_NAMES,
    PAIR_NAMES,
    TABLE_NAMES,
    mean_gaps,
    pair_point,
    points,
    resampled,
    table_statistic,
)
from reviewer.stats.intervals import (
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    containing,
    t_interval,
)
from reviewer.stats.levels import weighted
from reviewer.stats.moments import Moments, weighted_moments
from reviewer.stats.pairs import Evidence
from reviewer.stats.reasons import gap_reason, reason

NO_ERROR = "labels were chosen by the judge's scores: the interval says how sure kappa is"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Hold the agreement of two raters, or of a panel.

    Every figure that is None has its reason under `undefined`. Figures of categories come from
    the table of majority labels and nearest levels, the others from the exact values.

    Attributes:
        n: pairs (of a panel: units with two labels or more) behind the exact figures.
        n_table: pairs behind the figures of categories.
        labelers: how many people, for a panel.
        bias: mean of human minus auto.
        limits: Bland and Altman's, bias ± 1.96 standard deviations of the gap.
        icc, icc_c: ICC(A,1) and ICC(C,1).
        ac2: Gwet's, with quadratic weights.
        note: what to know of the labels before relying on the figures.
        weighted: whether each of the judge's levels counts by its share of all judged.
    """

    n: int
    n_table: int
    n_no_majority: int = 0
    n_rounded: int = 0
    labelers: int | None = None
    percent: float | None = None
    within_one: float | None = None
    kappa: float | None = None
    kappa_se: float | None = None
    kappa_linear: float | None = None
    kappa_quadratic: float | None = None
    fleiss: float | None = None
    ac1: float | None = None
    ac2: float | None = None
    alpha_nominal: float | None = None
    alpha_ordinal: float | None = None
    alpha_interval: float | None = None
    icc: float | None = None
    icc_c: float | None = None
    pearson: float | None = None
    spearman: float | None = None
    kendall_b: float | None = None
    mae: float | None = None
    bias: float | None = None
    sd_gap: float | None = None
    limits: tuple[float, float] | None = None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None
    weighted: bool = False


def agreement(evidence: Evidence, policy: IntervalPolicy | None = None) -> Agreement:
    """Work out every figure of two raters; intervals only with a policy."""
    values: dict[str, Any] = {}
    undefined: dict[str, str] = {}
    counted = weighted(evidence)
    pairs = counted.exact()
    moments = weighted_moments(pairs.auto, pairs.human, pairs.counts)
    n_table = round(float(evidence.table.sum()))
    for name, value in points(counted, pairs).items():
        why = reason(name, value, evidence, (n_table, pairs.n))
        if name == "kappa_se" and evidence.judged is not None:
            why = why or NO_ERROR
        values[name] = None if why else value
        if why:
            undefined[name] = why
    found = Agreement(
        n=pairs.n,
        n_table=n_table,
        n_no_majority=evidence.n_no_majority,
        n_rounded=evidence.n_rounded,
        **values,
        **_gap_figures(moments, evidence, undefined),
        undefined=undefined,
        weighted=evidence.judged is not None,
    )
    if policy is None:
        return found
    made = _intervals(found, evidence, moments, policy)
    held = {name: containing(one, getattr(found, name)) for name, one in made.items()}
    return replace(found, intervals=held)


def coefficient(evidence: Evidence, name: str) -> float | None:
    """Work out one coefficient only, by its name in `Agreement`; None if undefined."""
    return coefficient_or_reason(evidence, name)[0]


def coefficient_or_reason(evidence: Evidence, name: str) -> tuple[float | None, str | None]:
    """Work out one coefficient only: its value, or None and the reason."""
    n_table = round(float(evidence.table.sum()))
    counted = weighted(evidence)
    if name in TABLE_NAMES:
        value = float("nan")
        if evidence.scale is not None:
            value = float(table_statistic(name, evidence.scale)(counted.table[None])[0])
        n = n_table + evidence.n_no_majority
    else:
        pairs = counted.exact()
        value, n = pair_point(name, pairs), pairs.n
    why = reason(name, value, evidence, (n_table, n))
    return (None, why) if why else (value, None)


def coefficient_interval(evidence: Evidence, name: str, policy: IntervalPolicy) -> Interval | None:
    """Work out the interval of one coefficient only; None below 10 pairs or if undefined."""
    value = coefficient(evidence, name)
    if value is None:
        return None
    interval = resampled(evidence, (name,), policy).get(name)
    return None if interval is None else containing(interval, value)


def _gap_figures(
    moments: Moments, evidence: Evidence, undefined: dict[str, str]
) -> dict[str, Any]:
    why = gap_reason(evidence, moments.n)
    if why:
        undefined.update(dict.fromkeys(GAP_NAMES, why))
        return {}
    sd = math.sqrt(moments.s_gap / (moments.n - 1))
    bias = moments.bias
    limits = (bias - 1.96 * sd, bias + 1.96 * sd)
    return {"mae": moments.mae, "bias": bias, "sd_gap": sd, "limits": limits}


def _intervals(
    found: Agreement, evidence: Evidence, moments: Moments, policy: IntervalPolicy
) -> dict[str, Interval]:
    names = [name for name in (*TABLE_NAMES, *PAIR_NAMES) if name not in found.undefined]
    intervals = resampled(evidence, tuple(names), policy)
    n, bias, sd = moments.n, found.bias, found.sd_gap
    if evidence.judged is not None or evidence.conversations is not None:
        return intervals | (mean_gaps(evidence, policy) if n >= INTERVALS_FROM and sd else {})
    if n >= INTERVALS_FROM and bias is not None and sd is not None:
        squares = moments.s_gap + n * bias**2 - n * moments.mae**2
        spread = {"bias": (bias, sd), "mae": (moments.mae, math.sqrt(max(squares, 0) / (n - 1)))}
        for name, (mean, deviation) in spread.items():
            interval = t_interval(mean, deviation, n, policy.level)
            if interval:
                intervals[name] = interval
    return intervals
