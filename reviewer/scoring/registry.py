"""The table of deterministic scorers, and what holds where published texts are at odds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from reviewer.domain.rubric import Metric
from reviewer.scoring.answers import (
    ANSWER_LENGTH,
    COSINE,
    COST,
    EXACT_MATCH,
    KEYWORD_RECALL,
    LATENCY,
    POLITENESS,
)
from reviewer.scoring.feedback import USER_FEEDBACK
from reviewer.scoring.general import CONTAINS, JSON_SCHEMA, NUMERIC, REGEX
from reviewer.scoring.harness import ERROR_HANDLING, RESPONSE_QUALITY, TOOL_USAGE
from reviewer.scoring.retrieval import RETRIEVAL
from reviewer.scoring.scorer import Deterministic

_ALL = (
    TOOL_USAGE,
    RESPONSE_QUALITY,
    ERROR_HANDLING,
    EXACT_MATCH,
    KEYWORD_RECALL,
    COSINE,
    POLITENESS,
    ANSWER_LENGTH,
    LATENCY,
    COST,
    *RETRIEVAL,
    USER_FEEDBACK,
    REGEX,
    CONTAINS,
    NUMERIC,
    JSON_SCHEMA,
)
SCORERS: Final[Mapping[str, Deterministic]] = MappingProxyType({x.name: x for x in _ALL})
"""Every deterministic scorer by its name."""


def scorer_for(metric: Metric) -> Deterministic | None:
    """Find the scorer that a metric names, or without a name (and judge) the one made for it."""
    if metric.scorer is not None:
        return SCORERS.get(metric.scorer)
    if metric.judge is not None:
        return None
    return next((scorer for scorer in _ALL if metric.name in scorer.metrics), None)


CONTRADICTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "harness": (
            "The published grades run 90–100, 80–89 and so on, so that 89.5 % has none. Here a "
            "grade begins at its lower mark, on the unrounded share: 89.5 % is a B.",
            "A crash where nothing was expected scores 0.80, a B, as published; "
            "error_zeroes_total = true makes it 0.",
        ),
        "agent-rubric": (
            "With no dimension scored the published code gives 0, and it fails on an empty score; "
            "here there is no overall, and an empty score counts as missing.",
            "1 × .30 + .6 × .10 + .3 × .20 over .60 is exactly .70, but the published sum ends at "
            "0.6999999999999998. Pass marks are compared on 9 decimals, so it passes.",
        ),
        "faq-bot": (
            "Two politeness markers are published, please and happy to help; the others are this "
            "program's and can be edited in the rubric.",
        ),
        "guest-response": (
            "For scores of 3, 5 and 5 the published source prints an overall of 2.0; their mean "
            "is 4.333.",
            "The pass rate is to be above 80 % in the text and fails below 80 % in the published "
            "check; exactly 80 % meets the target here.",
            "The published target “kappa above 80 % agreement” names two figures: the target "
            "holds the share of equal verdicts, and kappa stands beside it.",
        ),
        "virtual-agent": (
            "A deviation needs more than 30 cases in one published sentence, a band at least 30 "
            "in another and the dashboard at least 50 in a third. The preset “published” takes "
            "the first two word for word, “recommended” takes 30 everywhere, and "
            "min_labelled = 50 gives the third.",
        ),
    }
)
"""Sentences by the name of the shipped rubric."""


def how_scored(metric: Metric) -> tuple[str, str] | None:
    """Give title and help of the program that scores a metric; None where a judge does.

    The help tells contradictions between published text and published code as well.
    """
    scorer = scorer_for(metric)
    return None if scorer is None else (scorer.title, scorer.help)
