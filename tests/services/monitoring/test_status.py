"""The monitor's figures from samples."""

import pytest

from reviewer.services.monitoring import view
from reviewer.services.monitoring.view import MonitorSample


def sample(*, score: float, passed: bool) -> MonitorSample:
    return view.sample_of(
        "Q?", "x" * 300, score=score, passed=passed, timestamp="2026-11-20T09:00:00Z"
    )


def test_a_sample_keeps_200_characters() -> None:
    found = sample(score=0.8, passed=True).to_json()
    assert list(found) == ["query", "output_preview", "score", "passed", "timestamp"]
    assert found["output_preview"] == "x" * 200


def test_metrics_of_samples() -> None:
    metrics = view.tally_of([(0.8, True)] * 17 + [(0.4, False)] * 3)
    assert metrics.to_json() == {
        "sample_count": 20,
        "pass_rate": 0.85,
        "average_score": pytest.approx(0.74),
        "status": "healthy",
    }
    assert metrics.status.uncertain
    assert view.tally_of([]).to_json() == {"status": "insufficient_data"}


def test_thresholds_can_be_moved() -> None:
    assert view.status_of(9, 10, warning=0.95, critical=0.9).status == "warning"
