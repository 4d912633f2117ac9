"""Latency, cost and cache figures of a run, each None where no record carries it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.reports.systems.scored import mean, percentile, present, share
from reviewer.scoring.case import Case

FAST_BELOW_MS = 1000.0


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Hold latencies in milliseconds; percentiles are linear between neighbours.

    Attributes:
        n: cases that carry a latency.
        fast_share: the share below one second.
    """

    n: int
    average: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    fast_share: float | None

    def to_json(self) -> dict[str, JsonValue]:
        """Give the figures by name."""
        return {
            "n": self.n,
            "average": self.average,
            "p50": self.p50,
            "p95": self.p95,
            "p99": self.p99,
            "fast_share": self.fast_share,
        }


@dataclass(frozen=True, slots=True)
class Rate:
    """Hold a share and what it is a share of; None of nothing."""

    part: int
    n: int

    @property
    def value(self) -> float | None:
        """Give the share."""
        return share(self.part, self.n)


@dataclass(frozen=True, slots=True)
class Operations:
    """Hold how a run performed.

    Attributes:
        warm, cold: the latencies of the cases whose cache was so.
        total_cost, average_cost: US dollars over the cases that carry a cost.
        template_match: matched, of all that say whether they were.
        direct_substitution: substituted, of all that matched; of none where no record says so.
    """

    latency: LatencyFigures
    warm: LatencyFigures
    cold: LatencyFigures
    total_cost: float | None
    average_cost: float | None
    n_cost: int
    template_match: Rate
    direct_substitution: Rate

    @property
    def cache_effect_p95(self) -> float | None:
        """Give how many milliseconds the cache saves at p95: cold − warm."""
        return _less(self.cold.p95, self.warm.p95)

    @property
    def cache_effect_p99(self) -> float | None:
        """Give how many milliseconds the cache saves at p99: cold − warm."""
        return _less(self.cold.p99, self.warm.p99)

    def to_json(self) -> dict[str, JsonValue]:
        """Give all figures by name."""
        return {
            "latency_ms": self.latency.to_json(),
            "warm": self.warm.to_json(),
            "cold": self.cold.to_json(),
            "cache_effect_ms": {"p95": self.cache_effect_p95, "p99": self.cache_effect_p99},
            "total_cost_usd": self.total_cost,
            "avg_cost_usd": self.average_cost,
            "template_match_rate": self.template_match.value,
            "direct_substitution_rate": self.direct_substitution.value,
        }


def latency_figures(latencies: Iterable[float | None]) -> LatencyFigures:
    """Work out the figures of latencies in milliseconds."""
    found = sorted(present(latencies))
    return LatencyFigures(
        n=len(found),
        average=mean(found),
        p50=percentile(found, 0.5),
        p95=percentile(found, 0.95),
        p99=percentile(found, 0.99),
        fast_share=share(sum(1 for value in found if value < FAST_BELOW_MS), len(found)),
    )


def operations(cases: Sequence[Case]) -> Operations:
    """Work out how a run performed."""
    costs = present(case.cost_usd for case in cases)
    says = [case.template_matched for case in cases if case.template_matched is not None]
    matched = [case for case in cases if case.template_matched]
    substitution_known = any(case.direct_substitution is not None for case in cases)
    return Operations(
        latency=latency_figures(case.latency_ms for case in cases),
        warm=latency_figures(case.latency_ms for case in cases if case.cache == "warm"),
        cold=latency_figures(case.latency_ms for case in cases if case.cache == "cold"),
        total_cost=math.fsum(costs) if costs else None,
        average_cost=mean(costs),
        n_cost=len(costs),
        template_match=Rate(sum(says), len(says)),
        direct_substitution=Rate(
            sum(1 for case in matched if case.direct_substitution),
            len(matched) if substitution_known else 0,
        ),
    )


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
