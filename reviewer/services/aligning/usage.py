"""What a judge version takes, and whether it repeats itself."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.values import Value
from reviewer.services.findings.insights_source import numbered
from reviewer.stats.consistency import FlipRate, Repeatability, flip_rate, repeatability
from reviewer.store import scores
from reviewer.store.project import Project

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
