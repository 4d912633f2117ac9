"""What is missing where there is no mean, no gap or no verdict, in words."""

from typing import Final

NO_SCORE: Final = "no auto score in scope"
NO_PAIR: Final = "no evaluation inside the window has both scores"
TOO_FEW: Final = "too few labelled evaluations on this side"
NO_MARK_OF_METRIC: Final = "the metric has no pass mark"
NO_RULE: Final = 'the rubric has pass_rule = "none"'
NO_MARK: Final = "no metric of the rubric has a pass mark"
