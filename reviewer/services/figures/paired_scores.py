"""Scores of two runs or judges on the same cases: the test that fits them, and its level.

One test gives difference, interval and word. Several figures that are looked at together share
what may go wrong: each interval is at the level that Benjamini and Hochberg leave for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.project.insights_words import counted, level_percent
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.paired_means import Shift, paired_shift, shift_of_verdicts
from reviewer.stats.paired_shares import Sign, changed_verdicts
from reviewer.stats.segments import simultaneous_level
from reviewer.stats.slices import level_left

EQUAL: Final = 1e-9
"""Differences up to which two scores are the same."""
Word = Literal["better", "worse", ""]


@dataclass(frozen=True, slots=True)
class Together:
    """Hold at what level each of several figures is told.

    Attributes:
        level: Over all of them.
        each: Of each interval.
        figures: How many are tested together.
    """

    level: float = 0.95
    each: float = 0.95
    figures: int = 1

    @property
    def words(self) -> str:
        """Say the level: `95 % over 6 figures: each at 97.5 %`."""
        if self.figures < 2:
            return level_percent(self.each)
        return (
            f"{level_percent(self.level)} over {counted(self.figures, 'figure')}: each at "
            f"{level_percent(self.each)}"
        )


ALONE: Final = Together()


def together(p_values: Sequence[float | None], level: float = 0.95) -> Together:
    """Give the level of figures that are tested together (Benjamini and Hochberg)."""
    figures = sum(p is not None for p in p_values)
    return Together(level, level_left(p_values, level), max(figures, 1))


def each_of(figures: int, level: float = 0.95) -> Together:
    """Give the level of figures that hold together whichever of them moved (Bonferroni)."""
    return Together(level, simultaneous_level(level, figures) if figures > 1 else level, figures)


def at_one_level(
    shifts: Mapping[str, Shift], level: float = 0.95
) -> tuple[dict[str, Shift], Together]:
    """Bring the intervals of figures that are told together to their level."""
    held = together([shift.p for shift in shifts.values()], level)
    return {name: shift.at(held.each) for name, shift in shifts.items()}, held


def score_shift(
    metric: Metric | None,
    before: Floats,
    after: Floats,
    clusters: Ints | None = None,
    level: float = 0.95,
) -> Shift:
    """Compare a metric's scores on the same cases, whose scores are all there.

    Scores of yes and no are compared as the two rates that their means are.

    Args:
        metric: What was scored; None for an overall.
        before: Shape (n,), scores of the earlier or other side.
        after: Shape (n,), scores of the same cases.
        clusters: Shape (n,), each case's conversation; None where each is its own.
        level: Level of the interval.
    """
    if metric is not None and metric.scale == "binary":
        both = np.concatenate([before, after])
        if np.isin(both, (0.0, 1.0)).all():
            found = changed_verdicts(before == 1, after == 1, clusters, level)
            return shift_of_verdicts(found)
    steps = after - before
    return paired_shift(np.where(np.abs(steps) > EQUAL, steps, 0.0), level, clusters)


def word(sign: Sign, n: int, *, higher_is_better: bool = True) -> Word:
    """Say better or worse where a test tells it and there are ten cases or more."""
    told = word_sign(sign, n)
    if not told:
        return ""
    return "better" if (told > 0) == higher_is_better else "worse"


def word_sign(sign: Sign, n: int) -> Sign:
    """Give which way a difference is told to go: from ten cases on."""
    return sign if n >= INTERVALS_FROM else 0


def is_told(metric: Metric | None) -> bool:
    """Tell whether one way is better: of a plain measure, such as a length, nobody can say."""
    return metric is None or metric.scale != "measure"
