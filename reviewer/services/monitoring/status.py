"""The monitor's figures from samples: pure functions, for the window, scripts and `reviewer.api`.

The status of a pass rate is `healthy`, `warning`, `critical` or `insufficient_data`; it is
uncertain where the 95 % interval (Wilson) reaches into another status.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from reviewer.domain.monitoring import CRITICAL, WARNING
from reviewer.domain.wording import fixed, in_percent
from reviewer.reports.cases import mean, share
from reviewer.stats.intervals import Interval, wilson

Status = Literal["healthy", "warning", "critical", "insufficient_data"]
PREVIEW: Final = 200
"""Characters of an output that a sample keeps."""
WORDS: Final = {
    "healthy": "healthy",
    "warning": "warning",
    "critical": "critical",
    "insufficient_data": "insufficient data",
}
"""The statuses in words."""
_SEVERITY: Final = {"healthy": 0, "warning": 1, "critical": 2}


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """Hold the colour of a pass rate, and whether chance alone could have given another.

    Attributes:
        uncertain: the 95 % Wilson interval of the pass rate leaves the colour's range.
        interval: None without samples.
    """

    status: Status
    uncertain: bool
    interval: Interval | None = None


def status_of(
    passed: int, total: int, *, warning: float = WARNING, critical: float = CRITICAL
) -> MonitorStatus:
    """Colour so many passes among so many samples: .70 is a warning, .85 healthy, on 9 decimals.

    17 of 20 are healthy but uncertain; 980 of 1,000 are healthy beyond doubt.
    """

    def status(rate: float) -> Status:
        exact = round(rate, 9)
        if exact < round(critical, 9):
            return "critical"
        return "warning" if exact < round(warning, 9) else "healthy"

    interval = wilson(passed, total)
    if interval is None:
        return MonitorStatus("insufficient_data", uncertain=True)
    found = status(passed / total)
    certain = status(interval.low) == status(interval.high) == found
    return MonitorStatus(found, uncertain=not certain, interval=interval)


def reaches(status: str, alarm: str) -> bool:
    """Tell whether a status is as bad as an alarm (`warning` or `critical`), or worse."""
    return _SEVERITY.get(status, -1) >= _SEVERITY[alarm]


@dataclass(frozen=True, slots=True)
class MonitorSample:
    """Hold one sampled answer, in the monitor's field names."""

    query: str | None
    output_preview: str
    score: float | None
    passed: bool
    timestamp: str

    def to_json(self) -> dict[str, Any]:
        """Give the sample."""
        return asdict(self)


def sample(
    query: str | None, output: str | None, *, score: float | None, passed: bool, timestamp: str
) -> MonitorSample:
    """Make a sample; of the output the first 200 characters are kept."""
    return MonitorSample(query, (output or "")[:PREVIEW], score, passed, timestamp)


@dataclass(frozen=True, slots=True)
class Tally:
    """Some samples as one figure, such as those of a past day.

    Attributes:
        passed, total: Scored samples that pass, and all that are scored.
        average: Their mean score.
    """

    passed: int
    total: int
    average: float | None
    status: MonitorStatus

    @property
    def rate(self) -> float | None:
        """Give the pass rate."""
        return share(self.passed, self.total)

    @property
    def words(self) -> str:
        """Say the status, and whether it is uncertain."""
        word = WORDS[self.status.status]
        return f"{word}, uncertain" if self.total and self.status.uncertain else word

    @property
    def sentence(self) -> str:
        """Say the pass rate with its interval and the number of samples."""
        interval = self.status.interval
        if not self.total or interval is None:
            return "no sample is scored yet"
        low, high = fixed(100 * interval.low, 1), fixed(100 * interval.high, 1)
        rate = in_percent(self.passed / self.total)
        return f"pass rate {rate} (95 % {low} to {high}, n {self.total:,})"

    def to_json(self) -> dict[str, Any]:
        """Give the figures in the monitor's field names; the status alone without samples."""
        if not self.total:
            return {"status": self.status.status}
        return {
            "sample_count": self.total,
            "pass_rate": self.rate,
            "average_score": self.average,
            "status": self.status.status,
        }


def tally_of(
    scored: Iterable[tuple[float | None, bool]],
    *,
    warning: float = WARNING,
    critical: float = CRITICAL,
) -> Tally:
    """Count samples by score and verdict; the average is over all that have a score."""
    found = list(scored)
    passed = sum(passes for _, passes in found)
    status = status_of(passed, len(found), warning=warning, critical=critical)
    return Tally(passed, len(found), mean(score for score, _ in found), status)
