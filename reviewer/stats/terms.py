"""What the words around figures mean, one sentence each, beside those that catalogues explain."""

from collections.abc import Mapping
from typing import Final

TERMS: Final[Mapping[str, str]] = {
    "Adjusted mean": "The mean of all the judge's scores plus the error band.",
    "Agreement": "How well two sides give the same values beyond chance: 1 is always, 0 as often "
    "as chance would.",
    "Blind": "Given before the labeler saw the judge's score.",
    "Corrected": "What people would give to everything, estimated from few labels drawn by chance "
    "and the judge's scores of all, with an interval.",
    "Decided": "A lead's value where opinions differ; it stands above the labels.",
    "Drawn by chance": "Chosen by a draw, so that what people say of it can stand for the rest.",
    "Error band": "What follows from the gaps on labelled responses and is added to the judge's "
    "scores.",
    "Gap": "People's score minus the judge's: below zero the judge is too kind.",
    "Interval": "Where the true figure lies, at the level that stands beside it; it holds for one "
    "look.",
    "Kappa": "Agreement with what chance alone would give taken off; weighted kappas count near "
    "values as partly the same.",
    "Overall": "The rubric's weighted mean of its metrics.",
    "People's own": "How well people agree with each other: what a judge can reach with them.",
    "Targets": "What the rubric wants; reached or missed where all of the corrected figure's "
    "interval lies on one side.",
}
"""By the word, in the order of the alphabet."""
