"""One guest response before a judge, from a script."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import as_number
from reviewer.reports.run_report import GUEST_RESPONSE
from reviewer.services.project import rubrics
from reviewer.services.scripting import outside
from reviewer.stats.satisfaction import reaches

Context = str | Mapping[str, Any]
Found = tuple[float, str, bool]
"""Score, reasoning, and whether it passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked about a response, of whom, and from which score on it passes."""

    metric: str
    template: str
    model: str
    passing: float
    base_url: str | None = None


def prompt_of(metric: str) -> str:
    """Give the text of the prompt that ships for a property of guest responses."""
    return outside.prompt_of(GUEST_RESPONSE, metric)


def judged_now(asking: Asking, query: str, response: str, context: Context) -> Found:
    """Judge a response where no event loop runs.

    Raises:
        ReviewerError: One runs already, or as `judged`.
    """
    found: Found = outside.run(judged(asking, query, response, context))
    return found


async def judged(asking: Asking, query: str, response: str, context: Context) -> Found:
    """Judge a response.

    Raises:
        ReviewerError: The judge cannot be reached, its key is missing, its reply is no score, or
            the template is wrong.
    """
    rubric = rubrics.shipped()[GUEST_RESPONSE]
    metric = _metric(rubric, asking.metric)
    judge = outside.judge_of(asking.model, asking.base_url, {asking.metric: asking.template})
    given = context if isinstance(context, str) else dict(context)
    case = {"input": query, "response": response, "context": given or None}
    (score,) = await outside.judged(outside.evaluation_of(case), rubric, [metric], judge)
    value = as_number(score.value)
    if value is None:
        raise ReviewerError(f"The judge's reply is no score: {score.error}")
    return value, score.reasoning or "", reaches(value, asking.passing)


def _metric(rubric: Rubric, name: str) -> Metric:
    """Give a metric of the rubric, or one of that name with the same five levels."""
    known = rubric.by_name.get(name)
    if known is not None:
        return known
    return replace(rubric.metrics[0], name=name, title="", description="")
