"""Why a figure is undefined, in words."""

import math
from typing import Final

from reviewer.stats.catalogue import GAP_NAMES, PAIR_NAMES, SHARES
from reviewer.stats.pairs import Evidence

NO_OVERLAP: Final = "no overlap: no evaluation has both"
ONE_PAIR: Final = "only one pair: the two agree or they do not"
FEW: Final = "fewer than 3 pairs"
SAME: Final = (
    "everyone gave the same score: agreement 100 %, chance-corrected agreement cannot be computed"
)
ONE_SCORE: Final = "one side gave one score only"
UNORDERED: Final = "the categories have no order"
NO_LEVELS: Final = "the scale has no levels"
ONE_LEVEL: Final = "the scale has one level only"
NO_MAJORITY: Final = "no evaluation has a majority label on the scale"
NO_SCORE: Final = "no auto score in scope"
NO_PAIR: Final = "no evaluation inside the window has both scores"
TOO_FEW: Final = "too few labelled evaluations on this side"
NO_MARK_OF_METRIC: Final = "the metric has no pass mark"
NO_LABEL: Final = "no evaluation has a label on a level of the scale"
NOT_DRAWN: Final = "it comes with the intervals, from the same draws"
ONE_SIDED: Final = "one side gave one score only: how sure it is cannot be told"
ALIKE_GAPS: Final = "all gaps are of one size: how sure their mean is cannot be told"


_NEEDS_ORDER: Final = frozenset(
    {"within_one", "kappa_linear", "kappa_quadratic", "ac2", "alpha_ordinal"}
    | {*PAIR_NAMES, *GAP_NAMES}
)
_CORRELATIONS: Final = frozenset({"pearson", "spearman", "kendall_b"})


def reason(name: str, value: float, evidence: Evidence, counts: tuple[int, int]) -> str | None:
    """Say why a figure of two raters is undefined; None if it is defined.

    Args:
        name: the figure's name in `Agreement`.
        value: what its formula gave, NaN if it gave nothing.
        evidence: what it was computed from.
        counts: pairs in the table, and exact pairs.
    """
    n_table, n_pairs = counts
    if evidence.scale is None and name not in PAIR_NAMES:
        return NO_LEVELS
    if not n_pairs and not n_table:
        return NO_OVERLAP
    if evidence.scale is not None and not evidence.scale.ordered and name in _NEEDS_ORDER:
        return UNORDERED
    if name in PAIR_NAMES:
        return _pair_reason(name, value, n_pairs)
    return _table_reason(name, value, evidence, n_table)


def _table_reason(name: str, value: float, evidence: Evidence, n: int) -> str | None:
    if not n:
        tied = evidence.n_no_majority and not evidence.n_off_level
        return NO_MAJORITY if tied else NO_LABEL
    if name not in SHARES and n < 2:
        return ONE_PAIR
    if math.isnan(value):
        single = evidence.scale is not None and len(evidence.scale.values) < 2
        return ONE_LEVEL if single else SAME
    return None


def _pair_reason(name: str, value: float, n: int) -> str | None:
    if n < 2:
        return ONE_PAIR
    if name in _CORRELATIONS and n < 3:
        return FEW
    if math.isnan(value):
        return ONE_SCORE if name in _CORRELATIONS else SAME
    return None


def gap_reason(evidence: Evidence, n: int) -> str | None:
    """Say why mean and spread of the gap are undefined; None if they are defined."""
    if evidence.scale is not None and not evidence.scale.ordered:
        return UNORDERED
    if n < 2:
        return ONE_PAIR if n else NO_OVERLAP
    return None
