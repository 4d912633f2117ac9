"""What the numbers say, as the JSON that `stats --insights` adds to its document."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from reviewer.services.figures.covered import covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_document import Json, golden_json
from reviewer.services.figures.statistics_options import choices
from reviewer.services.findings import insights, insights_source
from reviewer.services.findings.insights_source import By, Wanted
from reviewer.services.findings.insights_values import MetricInsights, Topic
from reviewer.store.project import Project

TOPICS: Mapping[str, str] = {
    "labels_needed": "labels",
    "calibration": "calibration",
    "self_consistency": "consistency",
    "run_change": "change",
    "labeler_drift": "drift",
    "consensus": "consensus",
    "slices": "slices",
}
"""The keys of the document, and the topics they stand for."""
_INTERNAL = frozenset(
    {"keys", "compared", "moved", "judge_moved", "flipped", "tied", "changes", "rates", "rest"}
)
"""Numbers of evaluations in the project file and of the way, which say nothing outside it."""


def compute(project: Project, request: StatsRequest) -> Json:
    """Give every topic of the listed metrics and of the pass rate.

    Raises:
        ReviewerError: The request names something that the project does not have.
    """
    wanted = Wanted(request.golden, request.group_by or "category")
    rubric = covered(project, request.scope).rubric
    made_by = choices(
        project, request.scope, rubric, preset=request.preset, options=request.options
    )
    source = insights_source.read(
        project, request.scope, by=By(made_by.options), level=request.level, wanted=wanted
    )
    names = [
        name
        for name in source.table.metrics
        if not request.scope.metrics or name in request.scope.metrics
    ]
    found = {name: insights.of_metric(source, name) for name in names}
    first = next(iter(found.values()), None)
    return {
        "slice_by": source.slice_by,
        "metrics": {name: _of_metric(one) for name, one in found.items()},
        "pass": {} if first is None else _of_pass(first),
    }


def _of_metric(found: MetricInsights) -> Json:
    return {name: plain(getattr(found, topic)) for name, topic in TOPICS.items()}


def _of_pass(found: MetricInsights) -> Json:
    golden: Json = topic_json(found.golden)
    if found.golden.golden is not None:
        golden |= golden_json(found.golden.golden)
    return {
        "labels_needed": plain(found.pass_labels),
        "run_change": plain(found.pass_change),
        "golden": golden,
    }


def topic_json(found: Topic) -> Json:
    """Give a topic's sentence, and why it has no figures."""
    return {"sentence": found.sentence, "reason": found.reason}


def plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Give values of insights as JSON, without the numbers of evaluations."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name not in _INTERNAL]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return value
