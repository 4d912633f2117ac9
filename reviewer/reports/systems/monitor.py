"""The production monitor: samples, their figures, and the status with its certainty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from reviewer.reports.systems.scored import mean
from reviewer.stats.intervals import Interval, wilson

Status = Literal["healthy", "warning", "critical", "insufficient_data"]
PREVIEW: Final = 200
"""Characters of an output that a sample keeps."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Say where the statuses begin: below `critical`, below `warning`, else healthy."""

    warning: float = 0.85
    critical: float = 0.70


PUBLISHED: Final = Thresholds()


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

    def to_json(self) -> dict[str, JsonValue]:
        """Give status and certainty."""
        return {"status": self.status, "uncertain": self.uncertain}


@dataclass(frozen=True, slots=True)
class MonitorSample:
    """Hold one sampled answer."""

    query: str | None
    output_preview: str
    score: float | None
    passed: bool
    timestamp: str

    def to_json(self) -> dict[str, JsonValue]:
        """Give the sample in the monitor's field names."""
        return {
            "query": self.query,
            "output_preview": self.output_preview,
            "score": self.score,
            "passed": self.passed,
            "timestamp": self.timestamp,
        }


@dataclass(frozen=True, slots=True)
class MonitorMetrics:
    """Hold the figures of the samples so far."""

    sample_count: int
    pass_rate: float | None
    average_score: float | None
    status: MonitorStatus

    def to_json(self) -> dict[str, JsonValue]:
        """Give the figures in the monitor's field names; the status alone without samples."""
        if not self.sample_count:
            return {"status": self.status.status}
        return {
            "sample_count": self.sample_count,
            "pass_rate": self.pass_rate,
            "average_score": self.average_score,
            "status": self.status.status,
        }


def preview(output: str | None) -> str:
    """Shorten an output to what a sample keeps."""
    return (output or "")[:PREVIEW]


def monitor_status(
    passed: int, total: int, thresholds: Thresholds = PUBLISHED, level: float = 0.95
) -> MonitorStatus:
    """Colour a pass rate: .70 is a warning, .85 healthy, compared on 9 decimals.

    17 of 20 are healthy but uncertain; 980 of 1,000 are healthy beyond doubt.
    """
    interval = wilson(passed, total, level)
    if interval is None:
        return MonitorStatus("insufficient_data", uncertain=True)
    status = _status(passed / total, thresholds)
    ends = (_status(interval.low, thresholds), _status(interval.high, thresholds))
    return MonitorStatus(status, uncertain=ends != (status, status), interval=interval)


def monitor_metrics(
    samples: Sequence[MonitorSample], thresholds: Thresholds = PUBLISHED
) -> MonitorMetrics:
    """Work out the figures of the samples in the chosen window."""
    passed = sum(sample.passed for sample in samples)
    status = monitor_status(passed, len(samples), thresholds)
    return MonitorMetrics(
        sample_count=len(samples),
        pass_rate=passed / len(samples) if samples else None,
        average_score=mean(sample.score for sample in samples),
        status=status,
    )


def _status(rate: float, thresholds: Thresholds) -> Status:
    exact = round(rate, 9)
    if exact < round(thresholds.critical, 9):
        return "critical"
    return "warning" if exact < round(thresholds.warning, 9) else "healthy"
