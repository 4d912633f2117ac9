"""What a metric takes as a score."""

import pytest

from reviewer.domain.rubric import Metric

WIDE = Metric(name="wide", scale="range", min=0, max=1e25)


@pytest.mark.parametrize("value", [0, 2**63 - 1, 1e24])
def test_a_wide_range_takes_what_can_be_kept(value: float) -> None:
    assert WIDE.score_problem(value) is None
    assert WIDE.label_problem(value) is None


@pytest.mark.parametrize("value", [2**63, 10**25, -(10**25)])
def test_a_number_beyond_what_can_be_kept_is_refused_also_within_its_range(value: int) -> None:
    assert "at most 19 digits" in (WIDE.score_problem(value) or "")
    assert "at most 19 digits" in (WIDE.label_problem(value) or "")
