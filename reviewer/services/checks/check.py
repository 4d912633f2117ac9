"""One line of `reviewer check`: a figure, its limit as it was typed, and whether it holds."""

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import as_typed, in_percent
from reviewer.stats.clustering import Quantity

Side = Literal["least", "most"]
State = Literal["holds", "fails", "cannot_be_said"]
DECIMALS = 9
"""Decimals on which figures are compared with limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Hold one figure against its limit.

    Attributes:
        name: What was checked, such as `min-pass-rate` or `min-agreement accuracy kappa`.
        value: The figure; a word for a status; None where it is undefined.
        limit: What it is held to.
        n: How many evaluations, labels, cases or labelers are behind the value.
        state: Whether it holds; an undefined value never does.
        low, high: The ends of the value's interval, None where it has none.
        coverage: Share of the evaluations it applies to that the value covers, None where that
            says nothing.
        people, corrected: What people's labels say, beside a pass rate of the judge.
        judge: Whose scores the value is made of, empty where that says nothing.
        reason: Why it does not hold or is undefined; where it holds, only what to know before
            relying on that.
    """

    name: str
    value: float | int | str | None
    limit: float | int | str
    n: int
    state: State
    low: float | None = None
    high: float | None = None
    coverage: float | None = None
    people: Quantity | None = None
    corrected: Quantity | None = None
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
            "people": _beside(self.people),
            "corrected": _beside(self.corrected),
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
            f"only {in_percent(share)} of the evaluations are scored, and the least is "
            f"{100 * least:g} % (--min-coverage)"
        )
        joined = f"{why}; {self.reason}" if self.reason else why
        return replace(found, state="fails", reason=joined)


def _beside(found: Quantity | None) -> dict[str, Any] | None:
    """Give a figure beside the checked one; the reason only where something is missing."""
    if found is None:
        return None
    made = asdict(found)
    return made if found.reason else {name: made[name] for name in made if name != "reason"}


def held(
    name: str, figure: Quantity, limit: float, *, side: Side = "least", by_end: bool = False
) -> Check:
    """Hold a number to the least or the most that is allowed, compared on 9 decimals.

    Args:
        name: what is checked.
        figure: one without a value fails, and one without an interval where its end counts.
        limit: the least or the most; a value equal to it holds.
        side: which of them.
        by_end: whether the end of the interval counts that is nearer to the limit.
    """
    counted, which = figure.value, ""
    plain = _check(name, figure, limit, "fails")
    if counted is None:
        return replace(plain, reason=figure.reason or "it is undefined")
    least = side == "least"
    if by_end:
        end = figure.low if least else figure.high
        if end is None:
            return replace(plain, reason="it has no interval, whose end would count")
        counted, which = end, "the lower end " if least else "the upper end "
    exact, bound = round(counted, DECIMALS), round(limit, DECIMALS)
    if exact >= bound if least else exact <= bound:
        return replace(plain, state="holds")
    word = "below the least" if least else "above the most"
    return replace(
        plain, reason=f"{which}{as_typed(counted)} is {word} that is allowed, {limit:g}"
    )


def held_by_interval(name: str, figure: Quantity, least: float) -> Check:
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
    ends = f"{as_typed(figure.low)} to {as_typed(figure.high)}"
    if round(figure.high, DECIMALS) < bound:
        return replace(plain, state="fails", reason=f"its interval, {ends}, lies below {least:g}")
    return replace(plain, reason=f"it cannot be said: {least:g} lies inside the interval, {ends}")


def _check(name: str, figure: Quantity, limit: float, state: State) -> Check:
    return Check(
        name=name,
        value=figure.value,
        limit=limit,
        n=figure.n,
        state=state,
        low=figure.low,
        high=figure.high,
    )


LATENCIES: Final = {
    "average": "average", "mean": "average", "p50": "p50", "median": "p50", "p95": "p95",
    "p99": "p99",
}  # fmt: skip
"""Statistics of latency by the names they may have."""
OVERALL: Final = "overall"
ALTERNATIVE: Final = ("alt_omega", "alt_rho")
"""Figures of the alternative annotator test, beside the coefficients of agreement."""


@dataclass(frozen=True, slots=True)
class AgreementLimit:
    """The least agreement of judge and people, on one metric or (None) on every labelled one."""

    statistic: str
    least: float
    metric: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is to be checked; what is None, empty or False is not.

    Attributes:
        min_pass_rate: The judge's, from 0 to 1.
        max_gap: Of every labelled metric's mean gap, whatever its sign.
        min_labels: Labelled evaluations of every labelled metric.
        targets: Whether the rubric's targets must be met.
        min_score: The least mean auto score by metric, or of the overall.
        baseline: The run that nothing may be worse than.
        max_drop: How far a mean or the pass rate may lie below the baseline's.
        max_avg_cost: US dollars a response.
        max_latency: Milliseconds by statistic.
        monitor: The status from which the monitor's check fails.
        min_corrected_pass_rate: What the interval of the corrected rate must lie above.
        min_coverage: The least share of evaluations that must be scored, 1 where none is named.
        lower, upper: Whether the lower end counts for every least, the upper one for every most.
        passing: A pass mark in place of every pass mark of the rubric.
        evaluated: A job, or `last`, to whose plan the checks are bound.
    """

    min_pass_rate: float | None = None
    min_agreement: tuple[AgreementLimit, ...] = ()
    max_gap: float | None = None
    min_labels: int | None = None
    targets: bool = False
    min_score: tuple[tuple[str, float], ...] = ()
    baseline: str | None = None
    max_drop: float | None = None
    max_avg_cost: float | None = None
    max_latency: tuple[tuple[str, float], ...] = ()
    monitor: str | None = None
    min_corrected_pass_rate: float | None = None
    min_coverage: float | None = None
    lower: bool = False
    upper: bool = False
    passing: float | None = None
    evaluated: str | None = None

    @property
    def coverage(self) -> float:
        """Give the least share that must be scored."""
        return 1.0 if self.min_coverage is None else self.min_coverage

    @property
    def asked(self) -> list[str]:
        """Name what is to be checked."""
        given = {x.name: getattr(self, x.name) for x in fields(self) if x.name not in _HOW}
        return [name for name, x in given.items() if x is not None and x is not False and x != ()]


_HOW: Final = frozenset({"lower", "upper", "passing", "evaluated"})
"""Limits that say how others are checked, and check nothing themselves."""


def share_limit(option: str, share: float | None) -> None:
    """Refuse what is no share.

    Raises:
        ReviewerError: It is none.
    """
    if share is not None and not 0 <= share <= 1:
        raise ReviewerError(f"{option} {share:g}: a share from 0 to 1 is expected.")


def agreement_limit(text: str) -> AgreementLimit:
    """Read STAT:X or METRIC:STAT:X.

    Raises:
        ReviewerError: It is neither, or there is no such statistic.
    """
    *names, number = text.rsplit(":", 1)
    metric, _, statistic = (names[0] if names else "").rpartition(":")
    if not names or not statistic:
        raise ReviewerError(
            f"--min-agreement {text!r}: STAT:X or METRIC:STAT:X is expected, such as kappa:0.6."
        )
    from reviewer.stats.catalogue import FIGURES

    there = [name for name, entry in FIGURES.items() if entry.is_coefficient]
    there += ALTERNATIVE
    if statistic not in there:
        raise ReviewerError(
            f"--min-agreement {text!r}: there is no statistic {statistic!r}; there are: "
            f"{', '.join(there)}."
        )
    least = _number(number, "--min-agreement", text)
    if statistic in ALTERNATIVE and not 0 <= least <= 1:
        raise ReviewerError(
            f"--min-agreement {text!r}: {statistic} is a share, so that a number from 0 to 1 is "
            "expected."
        )
    return AgreementLimit(statistic, least, metric or None)


def score_limit(text: str) -> tuple[str, float]:
    """Read METRIC:X.

    Raises:
        ReviewerError: It is something else.
    """
    name, sign, number = text.rpartition(":")
    if not (name and sign):
        raise ReviewerError(
            f"--min-score {text!r}: METRIC:X is expected, such as accuracy:4 or overall:4."
        )
    return name, _number(number, "--min-score", text)


def latency_limit(text: str) -> tuple[str, float]:
    """Read STAT:MS.

    Raises:
        ReviewerError: It is something else, or there is no such statistic.
    """
    name, sign, number = text.rpartition(":")
    if not sign or name not in LATENCIES:
        raise ReviewerError(
            f"--max-latency {text!r}: STAT:MS is expected with STAT one of "
            f"{', '.join(LATENCIES)}, such as p95:1000."
        )
    return LATENCIES[name], _number(number, "--max-latency", text)


def _number(text: str, option: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ReviewerError(f"{option} {whole!r}: a number is expected behind the colon.")
    return number
