"""How near one judge version is to people on some responses, and what it costs and repeats."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats
from reviewer.services.figures.request import Choices
from reviewer.services.figures.statistics_agreement import evidence_of, judged_rows
from reviewer.services.figures.statistics_words import (
    chosen_notes,
    joined,
    left_out_words,
    weights_at,
)
from reviewer.services.findings.insights_source import numbered
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.agreement import Agreement, agreement, coefficient_interval
from reviewer.stats.calibration import FlipRate, Repeatability, flip_rate, repeatability
from reviewer.stats.catalogue import FIGURES, PAIR_NAMES, TABLE_NAMES
from reviewer.stats.ceiling import Reach
from reviewer.stats.draws import mean_gaps
from reviewer.stats.figure import COEFFICIENTS_FROM, WORDS_FROM
from reviewer.stats.intervals import INTERVALS_FROM, Interval, IntervalPolicy, containing
from reviewer.stats.paired import RatedTwice
from reviewer.stats.pairs import Evidence
from reviewer.stats.values import Counting
from reviewer.store import scores
from reviewer.store.project import Project

STATISTICS = (*TABLE_NAMES, *PAIR_NAMES)
"""What judges may be put in order by: agreement, of which more is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One judge version against people.

    Attributes:
        n: Labelled responses behind the figure.
        value: The statistic; None with a reason.
        word: What the lower end of the interval means, or how many labels that takes.
        bias: Mean gap, human minus auto; None with a reason.
        reach: The judge as one of the people, where several labelled the same; None elsewhere.
        reason: Why there is no figure.
        note: What to know of the labels.
    """

    n: int
    value: float | None
    interval: Interval | None = None
    word: str = ""
    bias: float | None = None
    bias_interval: Interval | None = None
    reach: Reach | None = None
    reason: str | None = None
    note: str | None = None

    @property
    def few(self) -> str | None:
        """Say that a screen shows no figure of so few responses, None where it does."""
        if self.n >= COEFFICIENTS_FROM:
            return None
        return f"{self.n} of the {COEFFICIENTS_FROM} labelled responses that a figure needs"

    def to_json(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        reach = self.reach
        return {
            "n": self.n,
            "value": self.value,
            "interval": ends(self.interval),
            "word": self.word or None,
            "bias": self.bias,
            "bias_interval": ends(self.bias_interval),
            "reach": None
            if reach is None
            else {
                "n": reach.n,
                "people": reach.people,
                "judge": reach.judge,
                "share": reach.share,
                "interval": ends(reach.intervals.get("share")),
                "reason": reach.undefined.get("share"),
            },
            "reason": self.reason,
            "note": self.note,
        }


def ends(interval: Interval | None) -> list[float] | None:
    """Give both ends of an interval, None where there is none."""
    return None if interval is None else [interval.low, interval.high]


def title_of(statistic: str) -> str:
    """Name a statistic in words."""
    entry = FIGURES[statistic]
    return f"percent {entry.title}" if entry.is_share else entry.title


def suited(metric: Metric) -> str:
    """Name the statistic that suits a scale: quadratic κ, κ on categories, ICC without levels."""
    scale = scale_of(metric)
    if scale is None:
        return "icc"
    return "kappa_quadratic" if scale.ordered else "kappa"


def standing(whole: FigureTable, table: MetricTable, name: str, made_by: Choices) -> Standing:
    """Work out one statistic and the bias, as the Audit page does for the same responses."""
    options, policy = made_by.options, made_by.policy
    evidence = evidence_of(whole, table, options.counting)
    found = agreement(evidence, replace(policy, resamples=0))
    n = found.pairs(name)
    note = joined(
        *chosen_notes(whole, table, options.selection), *left_out_words(found, options.label_table)
    )
    value = found[name]
    if not found.n:
        return Standing(n=0, value=None, reason="it scored none of the labelled responses")
    if value is None:
        why = found.undefined.get(name)
        return Standing(n=n, value=None, reason=why, **_bias(found, evidence, policy), note=note)
    interval = coefficient_interval(evidence, name, policy)
    few_words = f"not enough labels: {n} of {WORDS_FROM}"
    return Standing(
        n=n,
        value=value,
        interval=interval,
        word=few_words if n < WORDS_FROM else "",
        **_bias(found, evidence, policy),
        note=note,
    )


def _bias(found: Agreement, evidence: Evidence, policy: IntervalPolicy) -> dict[str, Any]:
    bias = found["bias"]
    if bias is None:
        return {}
    made = found.intervals.get("bias")
    resampled = evidence.weights is not None or evidence.conversations is not None
    if resampled and found.n >= INTERVALS_FROM and found["sd_gap"]:
        drawn = mean_gaps(evidence, policy).get("bias")
        made = None if drawn is None else containing(drawn, bias)
        made = None if made is None or made.low == made.high else made
    return {"bias": bias, "bias_interval": made}


def only(table: MetricTable, auto: Floats, kept: Flags) -> MetricTable:
    """Give a metric's columns with other auto scores, and those only where they are kept."""
    return replace(table, auto=np.where(kept, auto, np.nan))


def rated_twice(
    whole: FigureTable,
    table: MetricTable,
    autos: tuple[Floats, Floats],
    kept: Flags,
    counting: Counting,
) -> RatedTwice:
    """Give the labelled responses among those kept that two judge versions scored."""
    left_out = whole.selection.left_out(counting.selection)
    both = kept & table.has_human & np.isfinite(autos[0]) & np.isfinite(autos[1]) & ~left_out
    rows = np.flatnonzero(both)
    first, second = (
        replace(
            judged_rows(whole, one, rows, counting.label_combine),
            weights=weights_at(whole, one, rows, counting.selection),
        )
        for one in (replace(table, auto=auto) for auto in autos)
    )
    return RatedTwice(first, second, scale_of(table.metric), counting.label_table)


SAMPLE = 4_000
"""Evaluations that costs are read of; with more, they are taken evenly from all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What scores of one version took.

    Attributes:
        calls: Scores in all, repeats included.
        cost_usd: Of all of them; None where no score tells its cost.
        per_1000: Dollars a thousand scores.
        latency_ms: The median; None where no score tells its time.
        latency_p95: The 95th percentile.
        flips: How often two repeats on the same evaluation differ.
        spread: How numeric repeats vary; None for categories.
    """

    calls: int
    cost_usd: float | None
    per_1000: float | None
    latency_ms: float | None
    latency_p95: float | None
    flips: FlipRate
    spread: Repeatability | None

    def to_json(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        return {
            "calls": self.calls,
            "cost_usd": self.cost_usd,
            "cost_usd_per_1000": self.per_1000,
            "latency_ms": {"p50": self.latency_ms, "p95": self.latency_p95},
            "self_consistency": {
                "n": self.flips.items,
                "repeats": self.flips.repeats,
                "flip_rate": self.flips.rate,
                "within_sd": self.spread.within_sd if self.spread else None,
                "icc": self.spread.icc if self.spread else None,
                "reason": self.flips.reason,
            },
        }


def usage(
    project: Project, metric: Metric, *, number: int, score_set: int, keys: Sequence[int]
) -> Usage:
    """Read what the scores of one metric took.

    Args:
        project: The project.
        metric: The metric.
        number: Its key in the project.
        score_set: The key of the version.
        keys: The evaluations that the version scored.
    """
    some = keys[:: -(-len(keys) // SAMPLE)] if keys else keys
    costs: list[float] = []
    times: list[float] = []
    groups: dict[int, list[Value]] = defaultdict(list)
    read = 0
    for call in scores.calls(project.conn, metric=number, score_set=score_set, keys=some):
        read += 1
        if call.cost_usd is not None:
            costs.append(float(call.cost_usd))
        if call.latency_ms is not None:
            times.append(float(call.latency_ms))
        if call.value is not None:
            groups[call.evaluation].append(call.value)
    calls = round(read * len(keys) / len(some)) if some else 0
    mean = float(np.mean(costs)) if costs else None
    values = numbered(metric, list(groups.values()))
    p50, p95 = (float(x) for x in np.percentile(times, [50, 95])) if times else (None, None)
    return Usage(
        calls=calls,
        cost_usd=None if mean is None else mean * calls,
        per_1000=None if mean is None else mean * 1000,
        latency_ms=p50,
        latency_p95=p95,
        flips=flip_rate([[round(x, 9) for x in group] for group in values]),
        spread=repeatability(values) if metric.is_numeric else None,
    )
