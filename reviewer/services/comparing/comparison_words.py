"""A comparison in sentences that stand alone, and its formulas with the numbers filled in.

A is the side after, B the side before, as the window names them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.wording import (
    counted,
    decimals,
    fixed,
    in_percent,
    level_percent,
    listed,
    numeral,
    p_words,
    signed,
    two,
    upper_first,
)
from reviewer.reports.cases import LatencyFigures, Operations
from reviewer.services.comparing.comparison import Comparison, Flips, MetricPair, OverallPair
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.statistics_blocks import Staleness, told_once
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import McNemar

DASH = "—"


def interval(low: float | None, high: float | None, scale: float = 1.0, digits: int = 2) -> str:
    """Write the ends of an interval in brackets; nothing where there is none."""
    if low is None or high is None:
        return ""
    return f"[{fixed(scale * low, digits)}, {fixed(scale * high, digits)}]"


def change(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """Write a difference with its sign and interval, all with as many decimals."""
    if value is None:
        return DASH
    sign = "+" if round(value, digits) > 0 else ""
    return f"{sign}{fixed(value, digits)} {interval(low, high, digits=digits)}".strip()


def percent(share: float | None) -> str:
    """Write a share as a percentage."""
    return DASH if share is None else in_percent(share)


TESTS: Mapping[str, str] = {
    "paired t": "paired t test",
    "paired t by conversation": "paired t test by conversation",
    "signs": "sign test, since all differences are alike",
    "signs by conversation": "sign test by conversation, since all differences are alike",
    "McNemar mid-p": "McNemar's mid-p",
    "McNemar mid-p by conversation": "McNemar's mid-p by conversation",
}
"""Tests by their names in the document, in words."""


def test_words(found: Shift | McNemar) -> str:
    """Say which test gave an interval, and its p value."""
    return f"{TESTS.get(found.test, found.test)} p {p_words(found.p)}"


def shared_words(found: Shift | McNemar) -> str:
    """Say how many shared cases a difference is of, and of how many conversations."""
    cases = counted(found.n, "shared case")
    if found.conversations is None:
        return cases
    return f"{cases} of {counted(found.conversations, 'conversation')}"


def judges_part(pair: MetricPair) -> str:
    """Say how much of a difference is the judge; nothing where that is not known or nothing."""
    judge = pair.judge
    if judge is None or judge.difference is None or not round(judge.difference, 2):
        return ""
    ends = interval(judge.low, judge.high)
    return (
        f"{signed(judge.difference)}{' ' + ends if ends else ''} of it is the judge "
        f"({counted(judge.n, 'unchanged answer')})"
    )


def mind(pair: MetricPair) -> str:
    """Say why a difference is not all the answers', empty where it is."""
    return ". ".join(
        upper_first(x).removesuffix(".") for x in (pair.unlike, judges_part(pair)) if x
    )


def judges_sentences(found: Comparison, before: str, after: str) -> str:
    """Say once whether one judge scored both sides, and how much of the change is the judge's.

    Args:
        found: The comparison.
        before: How the side before is called there, such as B.
        after: The same of the side after.
    """
    if found.before.run == found.after.run:
        return "Both sides are the same responses: every difference is the judge's."
    return " ".join((*_not_alike(found, f"{before} and {after}"), *_moved_by_judge(found)))


def _not_alike(found: Comparison, sides: str) -> Iterator[str]:
    titles: dict[str, list[str]] = {}
    for pair in found.metrics.values():
        if pair.unlike:
            titles.setdefault(pair.unlike, []).append(pair.metric.heading)
    if not titles and found.unlike:
        titles = {found.unlike: ["overall", "pass rate"]}
    if titles:
        which = "; ".join(f"{listed(names)} ({why})" for why, names in titles.items())
        yield (
            f"{sides} were not scored alike, so that these are neither better nor worse: {which}."
        )


def _moved_by_judge(found: Comparison) -> Iterator[str]:
    pairs = found.metrics.values()
    moved: dict[int, list[str]] = {}
    for pair in pairs:
        if pair.judge is not None and judges_part(pair):
            part = change(pair.judge.difference, pair.judge.low, pair.judge.high)
            moved.setdefault(pair.judge.n, []).append(f"{pair.metric.heading} by {part}")
    for n, told in moved.items():
        yield f"On {counted(n, 'unchanged answer')} the judge alone moves {listed(told)}."
    is_other = any(x.unlike for x in pairs)
    if is_other and all(x.judge is not None and not x.judge.n for x in pairs):
        yield "How much is the judge's is not known: no answer is the same on both sides."


def lagging_sentences(found: Comparison, before: str, after: str) -> Iterator[str]:
    """Say what lags behind, each thing once for all metrics and sides that it is true of.

    Args:
        found: The comparison.
        before: How the side before is called there, such as B.
        after: The same of the side after.
    """
    letters = {"a": before, "b": after}
    alike: dict[str, list[tuple[str, Staleness]]] = {}
    for side, one in found.stale:
        alike.setdefault(one.alike or one.text, []).append((letters[side], one))
    for same in alike.values():
        sides = sorted({letter for letter, _ in same})
        for text in told_once(x for _, x in same):
            yield f"{listed(sides)}: {text}"


def metric_sentence(found: Comparison, pair: MetricPair) -> str:
    """Say a metric's difference."""
    more = "".join(f"; {x}" for x in (pair.unlike, judges_part(pair)) if x)
    return _mean_sentence(found, pair.metric.heading, pair, more)


def overall_sentence(found: Comparison, pair: OverallPair) -> str:
    """Say the difference of the overall."""
    return _mean_sentence(
        found, "overall score", pair, f"; {found.unlike}" if found.unlike else ""
    )


def _mean_sentence(found: Comparison, what: str, pair: OverallPair, more: str = "") -> str:
    before, after, shift = pair.before_mean, pair.after_mean, pair.shift
    if shift.difference is None or after is None or before is None:
        return f"{what[:1].upper()}{what[1:]} cannot be compared: {shift.reason}."
    ends = f"no interval: {shift.reason}, "
    if shift.low is not None and shift.high is not None:
        ends = f"{level_percent(shift.level)} {signed(shift.low)} to {signed(shift.high)}, "
    return (
        f"Mean {what} of {found.after.title} is {two(after)} against "
        f"{two(before)} of {found.before.title}: {signed(shift.difference)} "
        f"({ends}{test_words(shift)}, {shared_words(shift)}){more}."
    )


def metric_steps(found: Comparison, pair: MetricPair) -> list[Step]:
    """Give a metric's difference as formulas."""
    steps = overall_steps(found, pair)
    steps.append(
        Step(
            "Wilcoxon's signed ranks",
            "Another question, for those who ask it: it takes no part in interval and verdict. "
            "Conversations count by their mean.",
            f"p {p_words(pair.ranks_p)}",
        )
    )
    if pair.judge is not None:
        steps.append(_judge_step(pair, pair.judge))
    if pair.flips.reason is None:
        steps.append(_flips_step(pair.flips))
    return steps


def overall_steps(found: Comparison, pair: OverallPair) -> list[Step]:
    """Give the difference of the overall, or of a metric, as formulas."""
    before, after, shift = pair.before_mean, pair.after_mean, pair.shift
    steps = [
        Step(
            "Difference A − B",
            f"Mean of the differences over {shared_words(shift)}.",
            f"{numeral(after)} − {numeral(before)} = {numeral(shift.difference)}",
        )
    ]
    if shift.low is not None and shift.high is not None:
        steps.append(_interval_step(found, shift))
    steps.append(Step("Test", _TEST_MEANING[shift.method], test_words(shift)))
    return steps


_TEST_MEANING = {
    "t": "The interval is this test inverted: it holds 0 where the test may not exclude it.",
    "signs": (
        "All differences are alike, so that nothing tells their spread: the test is whether "
        "chance alone sends all of them one way."
    ),
    "bootstrap": "The interval is of resampled cases.",
    "mcnemar": (
        "Of the cases that changed sides, did more go one way than chance sends? The interval is "
        "this test inverted."
    ),
}


def _interval_step(found: Comparison, shift: Shift) -> Step:
    title = f"Interval at {level_percent(shift.level)}"
    around = f"{numeral(shift.low)} to {numeral(shift.high)}"
    level = f"{found.scores.words}; it holds for one look."
    if shift.low is None or shift.high is None or shift.se is None or not shift.se:
        return Step(title, f"McNemar's mid-p inverted. {level}", around)
    half = (shift.high - shift.low) / 2
    if shift.conversations is None:
        how = "Student's t on the paired differences: standard error = s / √n."
        error = f"{numeral(shift.sd)} / √{shift.n:,} = {numeral(shift.se)}"
    else:
        how = (
            f"Student's t of {counted(shift.conversations, 'conversation')}: the standard error "
            "is that of their sums, never below s / √n."
        )
        error = f"standard error {numeral(shift.se)}"
    return Step(
        title,
        f"{how} {level}",
        f"{error}; {numeral(shift.difference)} ± {numeral(half)} = {around}",
    )


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
    ends = "" if test.reason is None else f"no interval: {test.reason}, "
    if test.low is not None and test.high is not None:
        low, high = signed(100 * test.low), signed(100 * test.high)
        ends = f"{level_percent(test.level)} {low} to {high}, "
    return (
        f"{what} of {found.after.title} is {percent(flips.after_rate)} against "
        f"{percent(flips.before_rate)} of {found.before.title}: "
        f"{signed(100 * test.difference)} points ({ends}{test_words(test)}, "
        f"{shared_words(test)}): {len(flips.fixed):,} fixed, "
        f"{len(flips.broken):,} broken, {len(flips.both_wrong):,} wrong on both sides."
    )


def pass_steps(found: Comparison, flips: Flips) -> Sequence[Step]:
    """Give the difference of two pass rates as formulas."""
    test = flips.test
    ends = interval(test.low, test.high, 100)
    together = f" {found.scores.words}." if flips is found.flips else ""
    return (
        Step(
            "Difference A − B",
            f"Fixed − broken, of {shared_words(test)}.",
            f"({test.gained:,} − {test.lost:,}) / {test.n:,} = {numeral(test.difference)}",
        ),
        Step(
            f"Interval at {level_percent(test.level)}",
            f"McNemar's mid-p inverted; in points.{together} It holds for one look.",
            ends or DASH,
        ),
        _flips_step(flips),
    )


def _flips_step(flips: Flips) -> Step:
    test = flips.test
    changes = test.changes
    formula = f"{test.gained:,} fixed, {test.lost:,} broken: p {p_words(test.mid)}"
    if changes is None or changes.conversations is None:
        meaning = "With mid-p, on the cases that changed sides."
    else:
        meaning = (
            f"With mid-p, on the cases that changed sides; {counted(test.n, 'case')} of "
            f"{counted(changes.conversations, 'conversation')} are worth {numeral(changes.n)} "
            "single ones."
        )
    return Step("McNemar's test", meaning, formula)


def dollars(value: float | None) -> str:
    """Write dollars, small ones with more digits."""
    if value is None:
        return DASH
    if abs(value) >= 1:
        return f"${fixed(value)}"
    return f"${fixed(value, decimals(value))}".rstrip("0").rstrip(".") if value else "$0"


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
    return DASH if value is None else fixed(value, 0)


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
        if side is not None and side.latency.n:
            latency = side.latency
            cost = (
                "" if side.average_cost is None else f" · {dollars(side.average_cost)} a request"
            )
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
        shown = fixed(row.shift.difference, row.digits)
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
