"""Scores of two runs or judges on the same cases: the test that fits them, and its level.

One test gives difference, interval and word. Several figures that are looked at together share
what may go wrong: each interval is at the level that Benjamini and Hochberg leave for it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted, level_percent
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.stats.clustering import joined_clusters
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.paired import Shift, paired_shift, shift_of_verdicts
from reviewer.stats.paired_shares import Sign, changed_verdicts
from reviewer.stats.segments import level_left, simultaneous_level

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
    if (
        metric is not None
        and metric.kind.is_binary
        and np.isin(np.concatenate([before, after]), (0.0, 1.0)).all()
    ):
        return shift_of_verdicts(changed_verdicts(before == 1, after == 1, clusters, level))
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
    return metric is None or metric.kind.is_answered


@dataclass(frozen=True, slots=True, eq=False)
class SharedCases:
    """The cases that are on both sides: positions in the columns of the one and of the other.

    Attributes:
        only_before, only_after: Cases that are on one side only.
        clusters: What shared cases belong together, as a conversation of either side or as one
            case answered several times; None where each is its own.
    """

    before: Ints
    after: Ints
    only_before: int = 0
    only_after: int = 0
    clusters: Ints | None = None

    @property
    def n(self) -> int:
        """Count the shared cases."""
        return int(self.before.size)


def same_cases(n: int, clusters: Ints | None = None) -> SharedCases:
    """Give the shared cases of two sides that are the same evaluations."""
    every = np.arange(n, dtype=np.int64)
    return SharedCases(every, every, clusters=clusters)


def shared_cases(
    before: Sequence[str],
    after: Sequence[str],
    clusters: tuple[Ints | None, Ints | None] = (None, None),
) -> SharedCases:
    """Find the shared cases, in the order of the later side.

    Args:
        before: Each evaluation's case.
        after: The same of the later side.
        clusters: The conversations of both sides, in the same orders; None where none is shared.
    """
    rows, others, alone = _matched(numbered(before), numbered(after))
    columns = [
        codes[places]
        for codes, places in ((clusters[0], rows), (clusters[1], others))
        if codes is not None
    ]
    if len(set(after)) < len(after):
        columns.append(
            np.unique(np.array(after, dtype=np.str_), return_inverse=True)[1].ravel()[others]
        )
    return SharedCases(rows, others, *alone, clusters=joined_clusters(columns))


def numbered(names: Sequence[str]) -> Sequence[str]:
    """Tell repeated cases apart by how often each came before: `7`, then `7 (2)`."""
    known = set(names)
    if len(known) == len(names):
        return names
    seen: Counter[str] = Counter()
    made: list[str] = []
    for name in names:
        seen[name] += 1
        own, again = name, seen[name]
        while again > 1 and own in known:
            own = f"{name} ({again})"
            again += 1
        known.add(own)
        made.append(own)
    return made


def _matched(before: Sequence[str], after: Sequence[str]) -> tuple[Ints, Ints, tuple[int, int]]:
    if before == after:
        every = np.arange(len(after), dtype=np.int64)
        return every, every, (0, 0)
    places = dict(zip(before, range(len(before)), strict=True))
    left = np.array([places.get(case, -1) for case in after], dtype=np.int64)
    right = np.flatnonzero(left >= 0)
    n = int(right.size)
    return left[right], right, (len(places) - n, len(after) - n)
