"""A comparison in sentences that stand alone, and its formulas with the numbers filled in.

A is the side after, B the side before, as the window names them.
"""

from collections.abc import Mapping, Sequence

from reviewer.services.comparing.comparison import Comparison, Flips, MetricPair, OverallPair
from reviewer.services.explaining.explanations_words import Step, numeral
from reviewer.services.project.insights_words import (
    counted,
    decimals,
    level_percent,
    signed,
    two,
)
from reviewer.stats.paired_means import Shift
from reviewer.stats.paired_shares import McNemar

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
    return f"[{with_digits(scale * low, digits)}, {with_digits(scale * high, digits)}]"


def change(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """Write a difference with its sign and interval, all with as many decimals."""
    if value is None:
        return DASH
    sign = "+" if round(value, digits) > 0 else ""
    return f"{sign}{with_digits(value, digits)} {interval(low, high, digits=digits)}".strip()


def with_digits(value: float, digits: int) -> str:
    """Write a figure with so many decimals and a true minus."""
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def percent(share: float | None) -> str:
    """Write a share as a percentage."""
    return DASH if share is None else f"{100 * share:.1f} %"


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


def level_words(found: Comparison) -> str:
    """Say at what level the differences are told, and that they share it."""
    return f"{found.scores.words}."


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
    part = judges_part(pair)
    judge = (
        f"; {part} ({counted(pair.judge.n, 'unchanged answer')})" if part and pair.judge else ""
    )
    means = pair.before_mean, pair.after_mean
    return _mean_sentence(found, pair.metric.heading, means, pair.shift, judge)


def overall_sentence(found: Comparison, pair: OverallPair) -> str:
    """Say the difference of the overall."""
    means = pair.before_mean, pair.after_mean
    return _mean_sentence(found, "overall score", means, pair.shift, "")


def _mean_sentence(
    found: Comparison,
    what: str,
    means: tuple[float | None, float | None],
    shift: Shift,
    more: str,
) -> str:
    before, after = means
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


def metric_steps(found: Comparison, pair: MetricPair) -> Sequence[Step]:
    """Give a metric's difference as formulas."""
    steps = list(_mean_steps(found, (pair.before_mean, pair.after_mean), pair.shift))
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


def overall_steps(found: Comparison, pair: OverallPair) -> Sequence[Step]:
    """Give the difference of the overall as formulas."""
    return _mean_steps(found, (pair.before_mean, pair.after_mean), pair.shift)


def _mean_steps(
    found: Comparison, means: tuple[float | None, float | None], shift: Shift
) -> Sequence[Step]:
    before, after = means
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
    together = f" {level_words(found)}" if flips is found.flips else ""
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
        return f"${value:,.2f}"
    return f"${value:.{decimals(value)}f}".rstrip("0").rstrip(".") if value else "$0"
