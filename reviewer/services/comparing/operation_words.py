"""How the responses of both sides came about, in words: latency, cost, cache and templates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from reviewer.reports.operations import LatencyFigures, Operations
from reviewer.services.comparing.comparison import Comparison
from reviewer.services.comparing.comparison_words import (
    DASH,
    dollars,
    interval,
    percent,
    shared_words,
    test_words,
    with_digits,
)
from reviewer.services.explaining.explanations_words import Step, numeral
from reviewer.services.project.insights_words import level_percent
from reviewer.stats.paired_means import Shift


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One figure of how responses came about, on both sides.

    Attributes:
        b, a: In words.
        n_b, n_a: Of how many responses.
        shift: The paired difference A − B, where it is a mean.
        digits: Decimals of the difference.
        tip: What the figure is.
    """

    name: str
    b: str
    a: str
    n_b: str
    n_a: str
    shift: Shift | None = None
    digits: int = 0
    tip: str = ""


@dataclass(frozen=True, slots=True)
class _Figure:
    """One figure that either side may know; `n` counts its responses where that says something."""

    name: str
    value: Callable[[Operations], float | None]
    write: Callable[[float | None], str]
    n: Callable[[Operations], int] | None = None
    tip: str = ""


def _ms(value: float | None) -> str:
    return DASH if value is None else with_digits(value, 0)


def _latencies(kind: str, part: Callable[[Operations], LatencyFigures]) -> Iterator[_Figure]:
    def n(side: Operations) -> int:
        return part(side).n

    yield _Figure(f"{kind}mean, ms", lambda side: part(side).average, _ms, n)
    if not kind:
        yield _Figure("p50, ms", lambda side: part(side).p50, _ms, n)
    yield _Figure(f"{kind}p95, ms", lambda side: part(side).p95, _ms, n)
    yield _Figure(f"{kind}p99, ms", lambda side: part(side).p99, _ms, n)
    if not kind:
        yield _Figure("under 1 s", lambda side: part(side).fast_share, percent, n)


_FIGURES: Final = (
    *_latencies("", lambda side: side.latency),
    *_latencies("warm cache, ", lambda side: side.warm),
    *_latencies("cold cache, ", lambda side: side.cold),
    _Figure("cache effect at p95, ms", lambda side: side.cache_p95, _ms,
            tip="What the cache saves at p95: cold − warm."),
    _Figure("cache effect at p99, ms", lambda side: side.cache_p99, _ms,
            tip="What the cache saves at p99: cold − warm."),
    _Figure("cost a request", lambda side: side.average_cost, dollars, lambda side: side.n_cost),
    _Figure("cost of all", lambda side: side.total_cost, dollars, lambda side: side.n_cost),
    _Figure("template match", lambda side: side.template_match, percent,
            lambda side: side.n_template, "Matched, of all that say whether they were."),
    _Figure("direct substitution", lambda side: side.direct_substitution, percent,
            lambda side: side.n_direct, "Substituted, of those that matched a template."),
)  # fmt: skip


def operation_rows(found: Comparison) -> tuple[OperationRow, ...]:
    """Give the figures of latency, cost, cache and templates that either side knows."""
    before, after = found.before_operations, found.after_operations
    if before is None or after is None:
        return ()
    means = {"mean, ms": (found.latency, 0), "cost a request": (found.cost, 4)}
    rows = []
    for one in _FIGURES:
        b, a = (one.write(one.value(side)) for side in (before, after))
        n_b, n_a = ("" if one.n is None else f"n = {one.n(x):,}" for x in (before, after))
        shift, digits = means.get(one.name, (None, 0))
        rows.append(OperationRow(one.name, b, a, n_b, n_a, shift, digits, one.tip))
    return tuple(row for row in rows if {row.b, row.a} != {DASH})


def latency_words(found: Comparison) -> str:
    """Say the percentiles of both sides in a line."""
    parts = []
    for letter, side in (("A", found.after_operations), ("B", found.before_operations)):
        if side is None or not side.latency.n:
            continue
        latency = side.latency
        cost = "" if side.average_cost is None else f" · {dollars(side.average_cost)} a request"
        parts.append(
            f"{letter}: p50 {_ms(latency.p50)} · p95 {_ms(latency.p95)} · p99 "
            f"{_ms(latency.p99)} ms{cost}."
        )
    return " ".join(parts)


def operation_sentence(found: Comparison, row: OperationRow) -> str:
    """Say one figure of both sides."""
    of = [f"{row.a} in {found.after.title}", f"{row.b} in {found.before.title}"]
    counts = [f"{n}" for n in (row.n_a, row.n_b) if n]
    change = ""
    if row.shift is not None and row.shift.difference is not None:
        ends = interval(row.shift.low, row.shift.high, digits=row.digits)
        shown = with_digits(row.shift.difference, row.digits)
        change = (
            f"; paired difference {shown} {ends} on {shared_words(row.shift)}, "
            f"{test_words(row.shift)}"
        )
    known = f" ({' and '.join(counts)})" if counts else ""
    return f"{_upper(row.name)}: {' against '.join(of)}{known}{change}."


def operation_steps(row: OperationRow) -> tuple[Step, ...]:
    """Say how one figure comes about."""
    what = row.tip or (
        "Percentiles are linear between neighbours; responses without the figure are left out."
    )
    steps = [Step(_upper(row.name), what, f"A {row.a} ({row.n_a}), B {row.b} ({row.n_b})")]
    if row.shift is not None and row.shift.difference is not None:
        steps.append(
            Step(
                "Difference A − B",
                f"{test_words(row.shift)} over {shared_words(row.shift)}, at "
                f"{level_percent(row.shift.level)}.",
                f"{numeral(row.shift.difference)} "
                f"{interval(row.shift.low, row.shift.high, digits=row.digits)}",
            )
        )
    return tuple(steps)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
