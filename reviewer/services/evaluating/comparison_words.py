"""A comparison in sentences that stand alone, and its formulas with the numbers filled in.

A is the side after, B the side before, as the window names them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviewer.scoring.summaries.operations import LatencyFigures
from reviewer.services.evaluating.comparison import Comparison, Flips, MetricPair
from reviewer.services.explaining.explanations_words import Step, numeral
from reviewer.services.project.insights_words import counted, decimals, signed, two
from reviewer.stats.drift import Shift

SURE = 0.001
DASH = "—"


def p_words(p: float | None) -> str:
    """Write a p value."""
    if p is None:
        return DASH
    return "< 0.001" if p < SURE else f"{p:.3f}"


def interval(low: float | None, high: float | None, scale: float = 1.0, digits: int = 2) -> str:
    """Write the ends of an interval in brackets; nothing where there is none."""
    if low is None or high is None:
        return ""
    return f"[{_digits(scale * low, digits)}, {_digits(scale * high, digits)}]"


def change(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """Write a difference with its sign and interval, all with as many decimals."""
    if value is None:
        return DASH
    sign = "+" if round(value, digits) > 0 else ""
    return f"{sign}{_digits(value, digits)} {interval(low, high, digits=digits)}".strip()


def _digits(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def percent(share: float | None) -> str:
    """Write a share as a percentage."""
    return DASH if share is None else f"{100 * share:.1f} %"


def is_sure(shift: Shift) -> bool:
    """Tell whether an interval excludes 0."""
    return shift.low is not None and shift.high is not None and (shift.low > 0 or shift.high < 0)


def judges_part(pair: MetricPair, *, bare: bool = False) -> str:
    """Say how much of a difference is the judge; nothing where that is not known or nothing.

    A bare one has no interval, for where there is little room.
    """
    judge = pair.judge
    if judge is None or judge.difference is None or not round(judge.difference, 2):
        return ""
    ends = "" if bare else interval(judge.low, judge.high)
    return f"{signed(judge.difference)}{' ' + ends if ends else ''} of it is the judge"


def metric_sentence(found: Comparison, pair: MetricPair) -> str:
    """Say a metric's difference."""
    shift, level = pair.shift, f"{100 * found.level:g} %"
    if shift.difference is None or pair.after_mean is None or pair.before_mean is None:
        return f"{pair.metric.heading} cannot be compared: {shift.reason}."
    ends = (
        ""
        if shift.low is None or shift.high is None
        else f"{level} {signed(shift.low)} to {signed(shift.high)}, "
    )
    tests = f"paired t p {p_words(shift.p)}, Wilcoxon p {p_words(pair.ranks_p)}"
    part = judges_part(pair)
    judge = (
        f"; {part} ({counted(pair.judge.n, 'unchanged answer')})" if part and pair.judge else ""
    )
    return (
        f"Mean {pair.metric.heading} of {found.after.title} is {two(pair.after_mean)} against "
        f"{two(pair.before_mean)} of {found.before.title}: {signed(shift.difference)} "
        f"({ends}{tests}, {counted(shift.n, 'shared case')}){judge}."
    )


def metric_steps(found: Comparison, pair: MetricPair) -> Sequence[Step]:
    """Give a metric's difference as formulas."""
    shift = pair.shift
    steps = [
        Step(
            "Difference A − B",
            f"Mean of the differences over {counted(shift.n, 'shared case')}.",
            f"{numeral(pair.after_mean)} − {numeral(pair.before_mean)} = "
            f"{numeral(shift.difference)}",
        )
    ]
    if shift.se is not None and shift.low is not None and shift.high is not None:
        half = (shift.high - shift.low) / 2
        steps.append(
            Step(
                f"Interval at {100 * found.level:g} %",
                "Student's t on the paired differences: standard error = s / √n.",
                f"{numeral(shift.sd)} / √{shift.n:,} = {numeral(shift.se)}; "
                f"{numeral(shift.difference)} ± {numeral(half)} = "
                f"{numeral(shift.low)} to {numeral(shift.high)}",
            )
        )
    steps.append(
        Step(
            "Tests",
            "Paired t test; Wilcoxon's signed ranks beside it, where scores are not spread like "
            "a bell.",
            f"t: p {p_words(shift.p)}; Wilcoxon: p {p_words(pair.ranks_p)}",
        )
    )
    if pair.judge is not None:
        steps.append(_judge_step(pair, pair.judge))
    if pair.flips.reason is None:
        steps.append(_flips_step(pair.flips))
    return steps


def _judge_step(pair: MetricPair, judge: Shift) -> Step:
    if judge.difference is None:
        text = "No answer is the same on both sides, so the judge's part is not known."
        return Step("The judge's part", text)
    text = (
        "Mean difference on answers that are the same to the byte, which only the judge can "
        f"make: {counted(judge.n, 'answer')}."
    )
    formula = f"{numeral(judge.difference)} {interval(judge.low, judge.high)}".strip()
    if pair.system is not None and pair.system.system is not None:
        ends = interval(pair.system.low, pair.system.high)
        formula += (
            f"; system: {numeral(pair.system.headline)} on new answers − "
            f"{numeral(judge.difference)} = {numeral(pair.system.system)} {ends}"
        )
    return Step("The judge's part", text, formula)


def pass_sentence(found: Comparison, flips: Flips, what: str) -> str:
    """Say the difference of two pass rates."""
    test = flips.test
    if flips.reason is not None or test.difference is None:
        return f"{what} cannot be compared: {flips.reason or test.reason}."
    ends = ""
    if test.low is not None and test.high is not None:
        low, high = signed(100 * test.low), signed(100 * test.high)
        ends = f"{100 * found.level:g} % {low} to {high}, "
    return (
        f"{what} of {found.after.title} is {percent(flips.after_rate)} against "
        f"{percent(flips.before_rate)} of {found.before.title}: "
        f"{signed(100 * test.difference)} points ({ends}McNemar p {p_words(test.exact)}, "
        f"{counted(test.n, 'shared case')}): {len(flips.fixed):,} fixed, "
        f"{len(flips.broken):,} broken, {len(flips.both_wrong):,} wrong on both sides."
    )


def pass_steps(found: Comparison, flips: Flips) -> Sequence[Step]:
    """Give the difference of two pass rates as formulas."""
    test = flips.test
    ends = interval(test.low, test.high, 100)
    return (
        Step(
            "Difference A − B",
            f"Fixed − broken, of {counted(test.n, 'shared case')}.",
            f"({test.gained:,} − {test.lost:,}) / {test.n:,} = {numeral(test.difference)}",
        ),
        Step(
            f"Interval at {100 * found.level:g} %",
            "Of paired shares, after Agresti and Min: half a case in each cell; in points.",
            ends or "—",
        ),
        _flips_step(flips),
    )


def _flips_step(flips: Flips) -> Step:
    test = flips.test
    return Step(
        "McNemar's test",
        "Exact, on the cases that changed sides.",
        f"{test.gained:,} fixed, {test.lost:,} broken: p {p_words(test.exact)}, mid-p "
        f"{p_words(test.mid)}",
    )


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
        shown = _digits(row.shift.difference, row.digits)
        change = (
            f"; paired difference {shown} {ends} on {counted(row.shift.n, 'shared case')}, "
            f"p {p_words(row.shift.p)}"
        )
    known = f" ({' and '.join(counts)})" if counts else ""
    return f"{_upper(row.name)}: {' against '.join(of)}{known}{change}."


def operation_steps(found: Comparison, row: OperationRow) -> tuple[Step, ...]:
    """Say how one figure comes about."""
    what = row.tip or (
        "Percentiles are linear between neighbours; responses without the figure are left out."
    )
    steps = [Step(_upper(row.name), what, f"A {row.a} ({row.n_a}), B {row.b} ({row.n_b})")]
    if row.shift is not None and row.shift.difference is not None:
        steps.append(
            Step(
                "Difference A − B",
                f"Paired t over {counted(row.shift.n, 'shared case')}, at "
                f"{100 * found.level:g} %.",
                f"{numeral(row.shift.difference)} "
                f"{interval(row.shift.low, row.shift.high, digits=row.digits)}",
            )
        )
    return tuple(steps)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def _ms(value: float | None) -> str:
    return DASH if value is None else _digits(value, 0)


def dollars(value: float | None) -> str:
    """Write dollars, small ones with more digits."""
    if value is None:
        return DASH
    if abs(value) >= 1:
        return f"${value:,.2f}"
    return f"${value:.{decimals(value)}f}".rstrip("0").rstrip(".") if value else "$0"
