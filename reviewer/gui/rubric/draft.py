"""A rubric while it is edited: the keys of its file, which may break rules until it is kept."""

import copy
from dataclasses import replace

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.rubric_keys import Keys, keys_of
from reviewer.services.jobs import scorers
from reviewer.services.project import rubrics

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
        self.kept = rubric
        self.keys: Keys = keys_of(rubric)

    @property
    def metrics(self) -> list[Keys]:
        """Give the metrics' keys, in order."""
        found: list[Keys] = self.keys["metrics"]
        return found

    def rows(self, name: str) -> list[Keys]:
        """Give the rows of `grades` or `tools`."""
        found: list[Keys] = self.keys[name]
        return found

    @property
    def names(self) -> frozenset[str]:
        """Give the ids of the metrics."""
        return frozenset(row["name"] for row in self.metrics)

    def tick(self, metric: Metric, *, on: bool) -> None:
        """Put a metric at the end, as the kept rubric has it where it has it, or take it out."""
        self.metrics[:] = [row for row in self.metrics if row["name"] != metric.name]
        if on:
            known = self.kept.by_name.get(metric.name, metric)
            self.metrics.extend(keys_of(replace(self.kept, metrics=(known,)))["metrics"])

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

    def consequence(self) -> str:
        """Say what keeping the draft does to labels that are there already."""
        before, now = self.kept.by_name, self.rubric().by_name
        gone = [metric.heading for name, metric in before.items() if name not in now]
        moved = [
            now[name].heading
            for name, metric in before.items()
            if name in now and _scale(metric) != _scale(now[name])
        ]
        words = []
        if gone:
            words.append(f"Labels of {', '.join(gone)} stay in the project and count no more.")
        if moved:
            words.append(
                f"The scale of {', '.join(moved)} changes: labels given before keep their values, "
                "and figures that mix the two are marked."
            )
        return " ".join(words)

    def is_changed(self) -> bool:
        """Tell whether keeping the draft would make a new version."""
        try:
            found = self.rubric()
        except RubricError:
            return True
        return found != self.kept

    def replace(self, rubric: Rubric) -> None:
        """Take everything but name and version from another rubric, such as an imported one."""
        self.keys = keys_of(rubric) | {"name": self.kept.name, "version": self.kept.version}


def new_metric(rows: list[Keys]) -> Keys:
    """Make a metric with five levels and an id that no other has."""
    taken = {row["name"] for row in rows}
    number = len(rows) + 1
    while f"metric_{number}" in taken:
        number += 1
    metric = {"name": f"metric_{number}", "scale": "ordinal", "weight": 1.0}
    return metric | {"levels": copy.deepcopy(list(_NEW_LEVELS))}


def _scale(metric: Metric) -> tuple[object, ...]:
    levels = sorted(str(level.value) for level in metric.levels)
    return (metric.scale, metric.min, metric.max, metric.values, levels)


def _reference_problem(rubric: Rubric) -> str:
    """Find what the rubric's own rules allow, but nobody can mean."""
    for metric in rubric.metrics:
        bounds = metric.bounds
        if metric.pass_at is not None and bounds and not bounds[0] <= metric.pass_at <= bounds[1]:
            return (
                f"The pass mark {metric.pass_at:g} of {metric.heading} lies outside its scale; "
                f"{metric.describe_scale()} is expected."
            )
        misfit = scorers.misfit(metric)
        if misfit is not None:
            return f"{misfit[0].upper()}{misfit[1:]}. Name another scorer, or none."
    weights = [metric.weight for metric in rubric.overall_metrics]
    if weights and not any(weights):
        return "Every weight is 0, so there is no overall score; give one metric a weight."
    if rubric.pass_rule == "every" and all(metric.pass_at is None for metric in rubric.metrics):
        return "The pass rule asks for every pass mark, but no metric has one; give one."
    return ""
