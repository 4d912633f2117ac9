"""How the responses of both sides came about, in words: latency, cost, cache and templates."""

from collections.abc import Callable
from dataclasses import dataclass

from reviewer.reports.systems.operations import LatencyFigures
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


def operation_rows(found: Comparison) -> tuple[OperationRow, ...]:
    """Give the figures of latency, cost, cache and templates that either side knows."""
    before, after = found.before_operations, found.after_operations
    if before is None or after is None:
        return ()
    effects = (
        (before.cache_effect_p95, after.cache_effect_p95),
        (before.cache_effect_p99, after.cache_effect_p99),
    )
    costs = (before.n_cost, after.n_cost)
    matches = (before.template_match, after.template_match)
    substitutions = (before.direct_substitution, after.direct_substitution)
    rows = [
        *_latency_rows("", before.latency, after.latency, found.latency),
        *_latency_rows("warm cache, ", before.warm, after.warm),
        *_latency_rows("cold cache, ", before.cold, after.cold),
        *(
            _row(f"cache effect at {name}, ms", _both(_ms, *pair),
                 tip=f"What the cache saves at {name}: cold − warm.")
            for name, pair in zip(("p95", "p99"), effects, strict=True)
        ),
        _row("cost a request", _both(dollars, before.average_cost, after.average_cost),
             ns=costs, shift=found.cost, digits=4),
        _row("cost of all", _both(dollars, before.total_cost, after.total_cost), ns=costs),
        _row("template match", _both(percent, *(x.value for x in matches)),
             ns=(matches[0].n, matches[1].n), tip="Matched, of all that say whether they were."),
        _row("direct substitution", _both(percent, *(x.value for x in substitutions)),
             ns=(substitutions[0].n, substitutions[1].n),
             tip="Substituted, of those that matched a template."),
    ]  # fmt: skip
    return tuple(row for row in rows if {row.b, row.a} != {DASH})


def _latency_rows(
    kind: str, before: LatencyFigures, after: LatencyFigures, shift: Shift | None = None
) -> list[OperationRow]:
    ns = (before.n, after.n)
    percentiles = [
        _row(f"{kind}{name}, ms", _both(_ms, getattr(before, name), getattr(after, name)), ns=ns)
        for name in ("p50", "p95", "p99")
    ]
    mean = _row(f"{kind}mean, ms", _both(_ms, before.average, after.average), ns=ns, shift=shift)
    if kind:
        return [mean, *percentiles[1:]]
    fast = _both(percent, before.fast_share, after.fast_share)
    return [mean, *percentiles, _row("under 1 s", fast, ns=ns)]


def _both(
    write: Callable[[float | None], str], before: float | None, after: float | None
) -> tuple[str, str]:
    return write(before), write(after)


def _row(
    name: str,
    both: tuple[str, str],
    *,
    ns: tuple[int, int] | None = None,
    shift: Shift | None = None,
    digits: int = 0,
    tip: str = "",
) -> OperationRow:
    n_b, n_a = ("", "") if ns is None else (f"n = {n:,}" for n in ns)
    return OperationRow(name, *both, n_b, n_a, shift, digits, tip)


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


def _ms(value: float | None) -> str:
    return DASH if value is None else with_digits(value, 0)
