"""What became worse from one run to the next, and what cannot be compared, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import (
    counted,
    decimals,
    fixed,
    in_percent,
    level_percent,
    listed,
    signed,
    upper_first,
)
from reviewer.services.monitoring.run_columns import OVERALL
from reviewer.services.monitoring.trending import RunPoint, Step, Trend
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.regression import LIMIT, Change

P95, COST, PASSING = "p95 latency", "average cost", "pass rate"
OVERALL_TITLE: Final = "overall score"
FEW_SHARED: Final = "too few shared cases"
MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Regression:
    """One figure that became worse.

    Attributes:
        figure: A metric's name, `overall`, `pass rate`, `p95 latency` or `average cost`.
        went: From what to what.
        change: By how much, with its interval in brackets where there is one.
        sentence: All of it, with n; it stands alone.
    """

    run: str
    against: str
    figure: str
    went: str
    change: str
    sentence: str


def of_trend(found: Trend) -> tuple[Regression, ...]:
    """Give the regressions of all runs, the newest run first."""
    return tuple(
        regression for run in reversed(found.runs) for regression in of_point(run, found.limit)
    )


def of_point(run: RunPoint, limit: float = LIMIT) -> Iterator[Regression]:
    """Give what became worse in a run since the one that it is compared with."""
    against = run.against
    if against is None:
        return
    for name, step in {PASSING: run.passing_step, **run.steps}.items():
        if step is not None and step.word == "worse":
            yield _of_step(run, against, name, step)
    for name, change in ((P95, run.p95_step), (COST, run.cost_step)):
        if change is not None and is_regression(change, limit):
            yield _of_change(run, against, name, change)


def unlike_of_trend(found: Trend) -> tuple[str, ...]:
    """Say of each run what cannot be compared with the run before and why, the newest first."""
    return tuple(
        sentence for run in reversed(found.runs) for sentence in unlike_of_point(run, found.rubric)
    )


def unlike_of_point(run: RunPoint, rubric: Rubric) -> Iterator[str]:
    """Say what of a run cannot be compared with the run before, a sentence a reason."""
    steps = {PASSING: run.passing_step, **run.steps}
    why = {name: step.unlike for name, step in steps.items() if step is not None}
    performed = ((P95, run.p95_step), (COST, run.cost_step))
    why |= {
        name: FEW_SHARED
        for name, x in performed
        if x is not None and not x.paired and x.n >= INTERVALS_FROM
    }
    alike: dict[str, list[str]] = {}
    for name, reason in why.items():
        if reason:
            alike.setdefault(reason, []).append(_title(name, rubric))
    for reason, titles in alike.items():
        what = f"{listed(titles)} of {run.name} cannot be compared with {run.against}"
        yield f"{upper_first(reason)} {upper_first(what)}"


def _title(name: str, rubric: Rubric) -> str:
    metric = rubric.by_name.get(name)
    return (OVERALL_TITLE if name == OVERALL else name) if metric is None else metric.heading


def _of_step(run: RunPoint, against: str, name: str, step: Step) -> Regression:
    share = name == PASSING
    went = f"{_value(step.before or 0.0, share=share)} → {_value(step.after or 0.0, share=share)}"
    parts = [
        _signed(x, share=share) for x in (step.difference, step.low, step.high) if x is not None
    ]
    sentence = step_sentence(run, name, step)
    return Regression(run.name, against, name, went, _bracketed(parts), sentence)


def _of_change(run: RunPoint, against: str, name: str, change: Change) -> Regression:
    money = name == COST
    by, *ends = _difference(change, money=money)
    # the unit once is enough
    parts = [by, *(end.replace("$", "").removesuffix(" ms") for end in ends)]
    sentence = change_sentence(run, name, change)
    return Regression(
        run.name, against, name, _went(change, money=money), _bracketed(parts), sentence
    )


def _bracketed(parts: list[str]) -> str:
    return f"{parts[0]} [{parts[1]}, {parts[2]}]" if len(parts) > 2 else parts[0]


def is_regression(change: Change, limit: float = LIMIT) -> bool:
    """Tell whether latency or cost went up too far on the same ten cases or more, beyond chance.

    Other cases may take longer or cost more by themselves.
    """
    return change.paired and change.n >= INTERVALS_FROM and change.is_regression(limit)


def step_sentence(run: RunPoint, name: str, step: Step) -> str:
    """Say a score's or the pass rate's step in a sentence that stands alone."""
    title = {PASSING: "pass rate", OVERALL: OVERALL_TITLE}.get(name, f"average {name}")
    if step.difference is None or step.before is None or step.after is None:
        return f"{run.name}: no change of the {title} can be told: {step.reason}."
    share = name == PASSING
    went = f"{_value(step.before, share=share)} → {_value(step.after, share=share)}"
    change = _signed(step.difference, share=share)
    ends = ""
    if step.low is not None and step.high is not None:
        low, high = _signed(step.low, share=share), _signed(step.high, share=share)
        level = level_percent(step.tested.level if step.tested is not None else 0.95)
        ends = f", {level} {low} to {high}"
    elif step.reason:
        ends = f", {step.reason}"
    conversations = None if step.tested is None else step.tested.conversations
    word = f"{step.word}: " if step.word else ""
    unlike = f" It cannot be compared: {step.unlike}." if step.unlike else ""
    return (
        f"{run.name}: {title} {word}{went} since {run.against} ({change}{ends}, "
        f"n {step.n:,} shared cases{_of(conversations)}).{unlike}"
    )


def change_sentence(run: RunPoint, name: str, change: Change) -> str:
    """Say the step of latency or cost in a sentence that stands alone."""
    if change.difference is None or change.before is None or change.after is None:
        return f"{run.name}: no change of the {name} can be told: {change.reason}."
    money = name == COST
    told, *around = _difference(change, money=money)
    ends = f", {level_percent(change.level)} {' to '.join(around)}" if around else ""
    if not around and change.reason is not None:
        ends = f" ({change.reason})"
    share = change.share
    up = "" if share is None else f" ({signed(100 * share, 0)} %)"
    cases = "shared cases" if change.paired else "at least in each run, not the same cases"
    return (
        f"{run.name}: {name} {_went(change, money=money)}{up} since {run.against}: {told}{ends}, "
        f"n {change.n:,} {cases}{_of(change.conversations)}."
    )


def _of(conversations: int | None) -> str:
    return "" if conversations is None else f" of {counted(conversations, 'conversation')}"


def _value(value: float, *, share: bool) -> str:
    return in_percent(value) if share else fixed(value)


def _signed(value: float, *, share: bool) -> str:
    return signed(100 * value, 1) if share else signed(value)


def _went(change: Change, *, money: bool) -> str:
    """Say from what to what, with as many decimals as let the difference be seen."""
    step = decimals(change.difference or 0.0)
    told = []
    for value in (change.before or 0.0, change.after or 0.0):
        own = decimals(value)
        told.append(_amount(value, max(own, min(step, own + 1)) if money else None))
    return " → ".join(told)


def _difference(change: Change, *, money: bool) -> list[str]:
    """Say a difference and the ends of its interval with their signs and as many decimals."""
    values = [x for x in (change.difference, change.low, change.high) if x is not None]
    digits = None
    if money:
        own = decimals(values[0])
        # no end that is not 0 is to look like it, unless it is next to nothing
        digits = min(max([own, *(decimals(x) - 1 for x in values[1:])]), own + 2)
    return [_amount(x, digits, sign=True) for x in values]


def _amount(value: float, digits: int | None, *, sign: bool = False) -> str:
    """Write dollars with so many decimals, or milliseconds where there are none."""
    shown = round(value, digits or 0)
    lead = MINUS if shown < 0 else "+" if sign and shown > 0 else ""
    if digits is None:
        return f"{lead}{fixed(abs(shown), 0)} ms"
    return f"{lead}${fixed(abs(shown), digits)}" if value else "$0"
