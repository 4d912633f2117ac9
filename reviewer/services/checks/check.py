"""One line of `reviewer check`: a figure, its limit, and whether it holds."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from reviewer.stats.intervals import Interval

Side = Literal["least", "most"]
State = Literal["holds", "fails", "cannot_be_said"]
DECIMALS = 9
"""Decimals on which figures are compared with limits."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what is behind it: its interval, or the reason where something is missing."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @classmethod
    def of(
        cls, value: float | None, n: int, interval: Interval | None, reason: str | None = None
    ) -> "Figure":
        """Make one of a value and its interval, where it has one."""
        if interval is None:
            return cls(value, n, reason=reason)
        return cls(value, n, interval.low, interval.high, reason)

    def to_json(self) -> dict[str, Any]:
        """Give it; the reason only where something is missing."""
        found = {"value": self.value, "n": self.n, "low": self.low, "high": self.high}
        return found | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Hold one figure against its limit.

    Attributes:
        name: What was checked, such as `min-pass-rate` or `min-agreement accuracy kappa`.
        value: The figure; a word for a status; None where it is undefined.
        limit: What it is held to.
        n: How many evaluations, labels or cases are behind the value.
        state: Whether it holds; an undefined value never does.
        low, high: The ends of the value's interval, None where it has none.
        coverage: Share of the evaluations it applies to that the value covers, None where that
            says nothing.
        people, corrected: What people's labels say, beside a pass rate of the judge.
        judge: Whose scores the value is made of, empty where that says nothing.
        reason: Why it does not hold or is undefined; None where it holds.
    """

    name: str
    value: float | int | str | None
    limit: float | int | str
    n: int
    state: State
    low: float | None = None
    high: float | None = None
    coverage: float | None = None
    people: Figure | None = None
    corrected: Figure | None = None
    judge: str = ""
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """Tell whether it holds."""
        return self.state == "holds"

    def to_json(self) -> dict[str, Any]:
        """Give the entry of the document; the reason only where there is one."""
        found: dict[str, Any] = {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "n": self.n,
            "low": self.low,
            "high": self.high,
            "coverage": self.coverage,
            "people": None if self.people is None else self.people.to_json(),
            "corrected": None if self.corrected is None else self.corrected.to_json(),
            "state": self.state,
            "ok": self.ok,
        }
        return found | ({"reason": self.reason} if self.reason else {})

    def covering(self, share: float | None, least: float) -> "Check":
        """Give the check with its coverage; below the least it does not hold, whatever it says."""
        if share is None:
            return self
        found = replace(self, coverage=share)
        if round(share, DECIMALS) >= round(least, DECIMALS):
            return found
        why = (
            f"only {100 * share:.1f} % of the evaluations are scored, and the least is "
            f"{100 * least:g} % (--min-coverage)"
        )
        joined = f"{why}; {self.reason}" if self.reason else why
        return replace(found, state="fails", reason=joined)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a figure is held: to the least or the most, by itself or by an end of its interval."""

    side: Side = "least"
    by_end: bool = False


def held(name: str, figure: Figure, limit: float, rule: Rule | None = None) -> Check:
    """Hold a number to the least or the most that is allowed, compared on 9 decimals.

    Args:
        name: what is checked.
        figure: one without a value fails, and one without an interval where its end counts.
        limit: the least or the most; a value equal to it holds.
        rule: which of them, and whether the end of the interval counts that is nearer to it.
    """
    rule, value = rule or Rule(), figure.value
    plain = _check(name, figure, limit, "fails")
    if value is None:
        return replace(plain, reason=figure.reason or "it is undefined")
    least = rule.side == "least"
    counted, which = value, ""
    if rule.by_end:
        end = figure.low if least else figure.high
        if end is None:
            return replace(plain, reason="it has no interval, whose end would count")
        counted, which = end, "the lower end " if least else "the upper end "
    exact, bound = round(counted, DECIMALS), round(limit, DECIMALS)
    if exact >= bound if least else exact <= bound:
        return replace(plain, state="holds")
    word = "below the least" if least else "above the most"
    return replace(plain, reason=f"{which}{counted:.6g} is {word} that is allowed, {limit:g}")


def held_by_interval(name: str, figure: Figure, least: float) -> Check:
    """Hold a rate to the least by its whole interval: above, below, or not to be said.

    Args:
        name: what is checked.
        figure: the rate with its interval.
        least: what the interval must lie above; an end equal to it does.
    """
    plain = _check(name, figure, least, "cannot_be_said")
    if figure.low is None or figure.high is None:
        return replace(plain, reason=f"it cannot be said: {figure.reason or 'no interval'}")
    bound = round(least, DECIMALS)
    if round(figure.low, DECIMALS) >= bound:
        return replace(plain, state="holds")
    ends = f"{figure.low:.6g} to {figure.high:.6g}"
    if round(figure.high, DECIMALS) < bound:
        return replace(plain, state="fails", reason=f"its interval, {ends}, lies below {least:g}")
    why = f"it cannot be said: {least:g} lies inside the interval, {ends}"
    return replace(plain, reason=why)


def _check(name: str, figure: Figure, limit: float, state: State) -> Check:
    return Check(
        name=name,
        value=figure.value,
        limit=limit,
        n=figure.n,
        state=state,
        low=figure.low,
        high=figure.high,
    )
