"""What a release may be held to, read from the words of the command line."""

import math
from dataclasses import dataclass, fields
from typing import Final

from reviewer.domain.errors import ReviewerError

AGREEMENTS: Final = (
    "percent", "within_one", "kappa", "fleiss", "kappa_linear", "kappa_quadratic",
    "alpha_nominal", "alpha_ordinal", "alpha_interval", "ac1", "ac2", "icc", "icc_c", "pearson",
    "spearman", "kendall_b",
)  # fmt: skip
"""Statistics of agreement of which more is better."""
LATENCIES: Final = {
    "average": "average", "mean": "average", "p50": "p50", "median": "p50", "p95": "p95",
    "p99": "p99",
}  # fmt: skip
"""Statistics of latency by the names they may have."""
OVERALL: Final = "overall"


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
    def any(self) -> bool:
        """Tell whether there is anything to check."""
        return bool(self._asked())

    @property
    def only_coverage(self) -> bool:
        """Tell whether coverage is all that is to be checked: else it binds the others."""
        return self._asked() == ["min_coverage"]

    def _asked(self) -> list[str]:
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
    if statistic not in AGREEMENTS:
        raise ReviewerError(
            f"--min-agreement {text!r}: there is no statistic {statistic!r}; there are: "
            f"{', '.join(AGREEMENTS)}."
        )
    return AgreementLimit(statistic, _number(number, "--min-agreement", text), metric or None)


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
