"""Many slices or metrics on one screen: which differences may be coloured.

Source: Benjamini and Hochberg 1995, over the slices that are large enough to be tested at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHOWN_FROM: Final = 10
"""Evaluations below which a slice shows no estimate and no colour."""
FEW: Final = f"fewer than {SHOWN_FROM} evaluations"
NO_TEST: Final = "nothing was tested here"


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjust p values of one screen so that few of those called different are not.

    Args:
        p_values: one a slice or metric; None stays None and does not count.

    Raises:
        ValueError: for a p value outside 0 to 1.
    """
    known = [(p, at) for at, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise ValueError("A p value lies between 0 and 1.")
    adjusted: list[float | None] = [None] * len(p_values)
    least, count = 1.0, len(known)
    for rank, (p, at) in enumerate(sorted(known, reverse=True)):
        least = min(least, p * count / (count - rank))
        adjusted[at] = least
    return tuple(adjusted)


def level_left(p_values: Sequence[float | None], level: float = 0.95) -> float:
    """Give the level that Benjamini and Hochberg leave for each interval of one screen.

    Intervals at this level exclude 0 exactly where the adjusted p value says so, and among those
    that do no more miss the truth than the level promises (Benjamini and Yekutieli 2005).

    Args:
        p_values: one a figure, of the test that its interval inverts; None does not count.
        level: wanted over all of them together.

    Raises:
        ValueError: for a p value outside 0 to 1 or a level that is no share.
    """
    known = sorted(p for p in p_values if p is not None)
    if any(not 0 <= p <= 1 for p in known) or not 0 < level < 1:
        raise ValueError("A p value lies between 0 and 1, and a level inside.")
    spare, count = 1 - level, len(known)
    selected = max((at for at, p in enumerate(known, 1) if p < at * spare / count), default=1)
    return level if selected >= count else 1 - selected * spare / count


@dataclass(frozen=True, slots=True)
class SliceVerdict:
    """Hold what may be said of one slice.

    Attributes:
        shown: whether its estimate may be shown; else a dash.
        adjusted: p value adjusted for all slices of the screen, None if not tested.
        differs: whether it may be coloured as different.
        reason: why not shown or not tested.
    """

    shown: bool
    adjusted: float | None
    differs: bool
    reason: str | None = None


def judge_slices(
    sizes: Sequence[int], p_values: Sequence[float | None], *, false_share: float = 0.05
) -> tuple[SliceVerdict, ...]:
    """Judge the slices of one screen together.

    Args:
        sizes: evaluations behind each slice.
        p_values: one a slice, None where nothing could be tested.
        false_share: tolerated share of false ones among the slices called different.

    Raises:
        ValueError: for columns of different length.
    """
    if len(sizes) != len(p_values):
        raise ValueError(f"{len(sizes)} slices need as many p values; found {len(p_values)}.")
    large = [n >= SHOWN_FROM for n in sizes]
    tested = [p if fits else None for p, fits in zip(p_values, large, strict=True)]
    return tuple(
        SliceVerdict(
            shown=fits,
            adjusted=p,
            differs=p is not None and p <= false_share,
            reason=(None if p is not None else NO_TEST) if fits else FEW,
        )
        for p, fits in zip(benjamini_hochberg(tested), large, strict=True)
    )
