"""What the words around figures mean, one sentence each, beside those that catalogues explain."""

from collections.abc import Mapping
from typing import Final

from reviewer.stats.catalogue import FIGURES
from reviewer.stats.rates import RATES

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
    "Labeler's place": "Whether the judge represents the other labelers as well as one of them "
    "does (the alternative annotator test).",
    "Limits": "What a lead wants of a judge before anybody relies on it: fails caught, share of "
    "people's agreement, and mean gap.",
    "Overall": "The rubric's weighted mean of its metrics.",
    "People's own": "How well people agree with each other: what a judge can reach with them.",
    "Record": "The scorer version whose scores count in a run; other versions are kept and count "
    "when a lead names them.",
    "Rely on it": "All three limits hold with the whole interval; do not rely on it: one is "
    "missed with the whole interval; else it cannot be said yet.",
    "Targets": "What the rubric wants; reached or missed where all of the corrected figure's "
    "interval lies on one side.",
}
"""By the word, in the order of the alphabet."""


def glossary() -> Mapping[str, str]:
    """Give what every word means, those of the catalogues among them, by the alphabet."""
    rates = {entry.title: entry.meaning for entry in RATES.values() if entry.title}
    # the title of a share is a word of everyday speech
    named = {x.sign if x.is_share else x.title: x.meaning for x in FIGURES.values() if x.meaning}
    figures = {f"{name[:1].upper()}{name[1:]}": what for name, what in named.items()}
    return dict(sorted({**TERMS, **rates, **figures}.items(), key=lambda one: one[0].casefold()))
