"""Metrics that a rubric may have at a tick: each with its scorer, its scale and its parameters.

They weigh nothing and are not labelled until somebody says otherwise, so that having one changes
no figure that is there.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviewer.domain.change import RubricChanged
from reviewer.domain.errors import RubricError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import listed
from reviewer.scoring.registry import SCORERS
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session

_OF_ONES_OWN: Final = frozenset({"regex", "contains", "numeric", "json_schema"})
"""Scorers that mean nothing without parameters that only the rubric's author knows."""
_YES_OR_NO: Final = frozenset({"tool_usage", "error_handling", "exact_match"})
_UNITS: Final = {"answer_length": "characters", "latency": "ms", "cost": "USD"}
_WITH: Final[dict[str, tuple[str, str, dict[str, JsonValue]]]] = {
    "tool_credit": ("tool_usage", "Tool usage, partial credit", {"partial_credit": True}),
}
"""More metrics of a scorer: its name, a title, and the parameters that differ."""


def names() -> tuple[str, ...]:
    """Give the names of all, in the order of their scorers."""
    return (*(name for name in SCORERS if name not in _OF_ONES_OWN), *_WITH)


def metric_of(name: str) -> Metric:
    """Make the metric of a name.

    Raises:
        RubricError: There is none of that name.
    """
    if name not in names():
        raise RubricError(f"There is no ready metric {name!r}; there are: {', '.join(names())}.")
    scorer_name, title, differing = _WITH.get(name, (name, "", {}))
    scorer = SCORERS[scorer_name]
    described = scorer.gives == "measure"
    shared = not described and (bool(differing) or name not in _YES_OR_NO)
    return Metric(
        name=name,
        title=title or scorer.title,
        description=scorer.help.split(". ")[0].rstrip(".") + ".",
        weight=0.0,
        scale="measure" if described else "range" if shared else "binary",
        min=0.0 if shared else None,
        max=1.0 if shared else None,
        unit=_UNITS.get(name),
        labelled=False,
        scorer=scorer_name,
        parameters={option.name: option.default for option in scorer.options} | differing,
    )


def every() -> tuple[Metric, ...]:
    """Give all of them."""
    return tuple(map(metric_of, names()))


def add(session: Session, name: str, wanted: Sequence[str]) -> str:
    """Let a rubric of the project have metrics from now on, and say so; empty where it had them.

    Raises:
        RubricError: There is no such rubric or metric.
    """
    rubric = rubrics.current(session.project, name)
    new = [metric_of(x) for x in dict.fromkeys(wanted) if x not in rubric.by_name]
    if not new:
        return ""
    kept = rubrics.save_version(session.project, replace(rubric, metrics=(*rubric.metrics, *new)))
    session.publish(RubricChanged(name))
    said = listed([metric.name for metric in new])
    return f"The rubric {name} has {said} from now on, with weight 0 (version {kept.version})."
