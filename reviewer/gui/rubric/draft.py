"""A rubric while it is edited: the keys of its file, which may break rules until it is kept."""

import copy
from typing import Any

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Rubric
from reviewer.services import rubrics

Keys = dict[str, Any]
_NEW_LEVELS = tuple(
    {"value": value, "title": title}
    for value, title in enumerate(("Fail", "Poor", "Acceptable", "Good", "Excellent"), start=1)
)


class Draft:
    """The editable keys of a rubric, and what is wrong with them.

    Attributes:
        keys: As in the rubric's TOML file; lists of metrics, grades and tools hold such keys too.
    """

    def __init__(self, rubric: Rubric) -> None:
        """Begin with a rubric as it is kept."""
        self._kept = rubric
        self.keys: Keys = rubric.model_dump(mode="json", by_alias=True)

    @property
    def kept(self) -> Rubric:
        """Give the rubric that the draft began with."""
        return self._kept

    @property
    def metrics(self) -> list[Keys]:
        """Give the metrics' keys, in order."""
        found: list[Keys] = self.keys["metrics"]
        return found

    def rows(self, name: str) -> list[Keys]:
        """Give the rows of `grades` or `tools`."""
        found: list[Keys] = self.keys[name]
        return found

    def rubric(self) -> Rubric:
        """Give the draft as a rubric.

        Raises:
            RubricError: It breaks a rule; the sentence says which.
        """
        return rubrics.from_document(self.keys, "The rubric")

    def problem(self) -> str:
        """Say what has to be mended before the draft can be kept; nothing if it can."""
        try:
            found = self.rubric()
        except RubricError as error:
            return str(error)
        return _reference_problem(found)

    def is_changed(self) -> bool:
        """Tell whether keeping the draft would make a new version."""
        try:
            found = self.rubric()
        except RubricError:
            return True
        return found != self._kept

    def replace(self, rubric: Rubric) -> None:
        """Take everything but name and version from another rubric, such as an imported one."""
        keys = rubric.model_dump(mode="json", by_alias=True)
        self.keys = keys | {"name": self._kept.name, "version": self._kept.version}

    def add_metric(self) -> int:
        """Add a metric with five levels at the end and give its place."""
        taken = {metric["name"] for metric in self.metrics}
        number = len(self.metrics) + 1
        while f"metric_{number}" in taken:
            number += 1
        metric = {"name": f"metric_{number}", "scale": "ordinal", "weight": 1.0}
        self.metrics.append(metric | {"levels": copy.deepcopy(list(_NEW_LEVELS))})
        return len(self.metrics) - 1

    def remove_metric(self, place: int) -> None:
        """Take a metric out; labels that people gave it stay in the project."""
        del self.metrics[place]

    def move_metric(self, place: int, step: int) -> int:
        """Move a metric up (-1) or down (1) and give its new place."""
        target = min(max(place + step, 0), len(self.metrics) - 1)
        self.metrics.insert(target, self.metrics.pop(place))
        return target


def _reference_problem(rubric: Rubric) -> str:
    """Find what the rubric's own rules allow, but nobody can mean."""
    for metric in rubric.metrics:
        bounds = metric.bounds
        if metric.pass_at is not None and bounds and not bounds[0] <= metric.pass_at <= bounds[1]:
            return (
                f"The pass mark {metric.pass_at:g} of {metric.heading} lies outside its scale; "
                f"{metric.describe_scale()} is expected."
            )
    weights = [metric.weight for metric in rubric.overall_metrics]
    if weights and not any(weights):
        return "Every weight is 0, so there is no overall score; give one metric a weight."
    if rubric.pass_rule == "every" and all(metric.pass_at is None for metric in rubric.metrics):
        return "The pass rule asks for every pass mark, but no metric has one; give one."
    return ""
