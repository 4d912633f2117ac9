"""Check scores and labels against the rubric, and leave out the single values that break it."""

from itertools import islice
from typing import Any

from reviewer.domain.rubric import Metric, Rubric
from reviewer.formats.incoming import Fields, Refused
from reviewer.services.transfer.rescaling import Rescaling

NAMED = 20
"""Metrics that a sentence names; a rubric may have thousands."""
MOST_REMEMBERED = 10_000
_GIVEN_KINDS = ("label", "adjudication")


class Admission:
    """What a rubric lets in; verdicts on values are remembered, as the same ones come often."""

    def __init__(self, rubric: Rubric, selection: str | None = None) -> None:
        """Check against a rubric; `selection` is added to labels that do not say why."""
        self.rubric = rubric
        self.rescaling = Rescaling(rubric)
        self._metrics = rubric.by_name
        self._selection = selection if selection in ("random", "stratum") else None
        self._scores: dict[tuple[str, type, Any], str | None] = {}
        self._labels: dict[tuple[str, type, Any], str | None] = {}

    def record(self, fields: Fields, refused: list[Refused]) -> None:
        """Take the scores and labels out of a record that the rubric does not let in."""
        self.rescaling.record(fields)
        scores = fields.get("scores")
        if scores:
            problems = [self._score(score) for score in scores]
            if any(problems):
                fields["scores"] = _kept(scores, problems, "scores", refused)
        labels = fields.get("labels")
        if labels:
            problems = [self.label(label) for label in labels]
            if any(problems):
                fields["labels"] = _kept(labels, problems, "labels", refused)

    def label(self, label: Fields) -> tuple[str, str] | None:
        """Say which key of a label is wrong and why, or None where it is let in."""
        kind = label.get("kind") or "label"
        metric = self._metrics.get(label["metric"])
        if metric is None:
            return "metric", self._unknown(label["metric"])
        if not metric.is_labelled:
            return "metric", f"{metric.name} is computed, not labelled by people"
        if self._selection is not None and "selection_reason" not in label:
            label["selection_reason"] = self._selection
        value = label.get("value")
        if kind not in _GIVEN_KINDS:
            return None if value is None else ("value", f"an entry of kind {kind} has no value")
        if value is None and kind == "adjudication":
            # the decision is taken back
            return None
        if value is None:
            return "value", "a label needs a value; kind not_applicable or withdrawn needs none"
        problem = self._label_problem(metric, value, averaged=bool(label.get("aggregate")))
        return None if problem is None else ("value", problem)

    def _score(self, score: Fields) -> tuple[str, str] | None:
        name, value = score["metric"], score.get("value")
        if value is None:
            if name not in self._metrics:
                return "metric", self._unknown(name)
            return (
                None if score.get("error") else ("value", "a score without value needs an error")
            )
        place = (name, value.__class__, value)
        try:
            problem = self._scores[place]
        except KeyError:
            metric = self._metrics.get(name)
            if metric is None:
                return "metric", self._unknown(name)
            problem = metric.score_problem(value)
            if len(self._scores) < MOST_REMEMBERED:
                self._scores[place] = problem
        return None if problem is None else ("value", problem)

    def _label_problem(self, metric: Metric, value: Any, *, averaged: bool) -> str | None:  # noqa: ANN401
        if averaged:
            return metric.label_problem(value, averaged=True)
        place = (metric.name, value.__class__, value)
        if place not in self._labels:
            problem = metric.label_problem(value)
            if len(self._labels) >= MOST_REMEMBERED:
                return problem
            self._labels[place] = problem
        return self._labels[place]

    def _unknown(self, name: str) -> str:
        there = ", ".join(islice(self._metrics, NAMED))
        if len(self._metrics) > NAMED:
            there += f" and {len(self._metrics) - NAMED:,} more"
        return f"the rubric {self.rubric.name} has no metric {name!r}; it has {there}"


def _kept(
    entries: list[Fields],
    problems: list[tuple[str, str] | None],
    name: str,
    refused: list[Refused],
) -> list[Fields]:
    kept = []
    for index, (entry, problem) in enumerate(zip(entries, problems, strict=True)):
        if problem is None:
            kept.append(entry)
        else:
            key, reason = problem
            refused.append(Refused(f"{name}[{index}].{key}", entry.get(key), reason))
    return kept
