"""Why a figure is undefined, in words."""

from typing import Final

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
NO_LABEL: Final = "no evaluation has a label on a level of the scale"
NOT_DRAWN: Final = "it comes with the intervals, from the same draws"
ONE_SIDED: Final = "one side gave one score only: how sure it is cannot be told"
ALIKE_GAPS: Final = "all gaps are of one size: how sure their mean is cannot be told"
NO_SCORE: Final = "no auto score in scope"
NO_PAIR: Final = "no evaluation inside the window has both scores"
TOO_FEW: Final = "too few labelled evaluations on this side"
NO_MARK_OF_METRIC: Final = "the metric has no pass mark"
NO_RULE: Final = 'the rubric has pass_rule = "none"'
NO_MARK: Final = "no metric of the rubric has a pass mark"
