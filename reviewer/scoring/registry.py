"""The table of deterministic scorers."""

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
from reviewer.scoring.error_handling import ERROR_HANDLING
from reviewer.scoring.feedback import USER_FEEDBACK
from reviewer.scoring.general import CONTAINS, NUMERIC, REGEX
from reviewer.scoring.json_shape import JSON_SCHEMA
from reviewer.scoring.keywords import RESPONSE_QUALITY
from reviewer.scoring.retrieval import RETRIEVAL
from reviewer.scoring.scorer import Deterministic
from reviewer.scoring.tool_usage import TOOL_USAGE

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
