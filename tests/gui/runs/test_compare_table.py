"""The words and tones of a comparison's table."""

from typing import Any

import numpy as np
import pytest

from reviewer.domain.rubric import Metric
from reviewer.gui.runs.compare_table import difference_words, mean_words, tone_of
from reviewer.services.comparing.comparison import Flips, MetricPair
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import mcnemar

NOBODY = np.zeros(0)


def pair(sign: float, n: int = 30, **metric: Any) -> MetricPair:
    """A metric that went up or down for sure."""
    shift = Shift(n, sign, 1.0, 0.1, sign - 0.5, sign + 0.5, 0.001)
    return MetricPair(
        metric=Metric(name="length", scale="range", min=0, max=9, **metric),
        before_scorer=None, after_scorer="judge@2", before_mean=3.0, after_mean=3.0 + sign,
        shift=shift, ranks_p=None, errors=shift, before_error=None, after_error=None,
        values=(NOBODY, NOBODY),
        flips=Flips(test=mcnemar(n, lost=0, gained=1), before_rate=0.5, after_rate=0.5),
    )  # fmt: skip


def test_more_is_better_unless_the_scale_is_reversed() -> None:
    assert (tone_of(pair(1.0)), tone_of(pair(-1.0))) == ("adjusted", "alert")
    reversed_scale = {"higher_is_better": False}
    assert tone_of(pair(1.0, **reversed_scale)) == "alert"
    assert tone_of(pair(-1.0, **reversed_scale)) == "adjusted"
    assert tone_of(pair(1.0, n=9)) == ""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((0.5, 0.25, 0.75), "+0.50 [0.25, 0.75]"),
        ((-0.5, None, None), "−0.50"),
        ((99.0, -1.0, 100.0), "+99 [−1, 100]"),
        ((None, None, None), "—"),
    ],
)
def test_large_differences_need_no_hundredths(
    found: tuple[float | None, float | None, float | None], words: str
) -> None:
    assert difference_words(*found) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "—"),
        (3.456, "3.46"),
        (999.5, "999.50"),
        (1234.6, "1,235"),
        (-0.5, "−0.50"),
        (-0.001, "0.00"),
    ],
)
def test_means_are_written_as_their_differences_are(value: float | None, words: str) -> None:
    assert mean_words(value) == words
