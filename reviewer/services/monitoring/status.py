"""The monitor's figures from samples: pure functions, for the window, scripts and `reviewer.api`.

The status of a pass rate is `healthy`, `warning`, `critical` or `insufficient_data`; it is
uncertain where the 95 % interval (Wilson) reaches into another status.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.monitoring import CRITICAL, WARNING
from reviewer.reports.systems import monitor
from reviewer.reports.systems.monitor import (
    MonitorMetrics,
    MonitorSample,
    MonitorStatus,
    Thresholds,
)

WORDS: Final = {
    "healthy": "healthy",
    "warning": "warning",
    "critical": "critical",
    "insufficient_data": "insufficient data",
}
"""The statuses in words."""
LEVEL: Final = 0.95
_SEVERITY: Final = {"healthy": 0, "warning": 1, "critical": 2}


def sample(
    query: str | None, output: str | None, *, score: float | None, passed: bool, timestamp: str
) -> MonitorSample:
    """Make a sample; of the output the first 200 characters are kept."""
    return MonitorSample(query, monitor.preview(output), score, passed, timestamp)


def measure(
    samples: Sequence[MonitorSample], *, warning: float = WARNING, critical: float = CRITICAL
) -> MonitorMetrics:
    """Work out count, pass rate, average score and status of samples."""
    return monitor.monitor_metrics(samples, Thresholds(warning, critical))


def status_of(
    passed: int, total: int, *, warning: float = WARNING, critical: float = CRITICAL
) -> MonitorStatus:
    """Give the status of so many passes among so many samples, and whether it is uncertain."""
    return monitor.monitor_status(passed, total, Thresholds(warning, critical), LEVEL)


def reaches(status: str, alarm: str) -> bool:
    """Tell whether a status is as bad as an alarm (`warning` or `critical`), or worse."""
    return _SEVERITY.get(status, -1) >= _SEVERITY[alarm]


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
        return self.passed / self.total if self.total else None

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
        return (
            f"pass rate {100 * self.passed / self.total:.1f} % (95 % {100 * interval.low:.1f} to "
            f"{100 * interval.high:.1f}, n {self.total:,})"
        )
