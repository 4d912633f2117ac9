"""Check scores and labels against the rubric, and leave out the single values that break it."""

from collections import Counter
from itertools import islice
from typing import Any, NamedTuple

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import in_percent
from reviewer.formats.incoming import Fields, Refused
from reviewer.services.transfer.rescaling import Rescaling

NAMED = 20
"""Metrics that a sentence names; a rubric may have thousands."""
MOST_REMEMBERED = 10_000
_GIVEN_KINDS = ("label", "adjudication")


MOST_REFUSED = 0.05
"""The share of a metric's values that may be refused without anybody being asked."""


class RefusedShare(NamedTuple):
    """A metric of which more is refused than may pass unasked.

    Attributes:
        example: The first value that was refused, and why.
    """

    metric: str
    refused: int
    seen: int
    example: str

    @property
    def sentence(self) -> str:
        """Say how much is refused and show one."""
        share = in_percent(self.refused / self.seen, 0)
        return (
            f"{self.metric}: {self.refused:,} of {self.seen:,} values ({share}) would be refused, "
            f"such as {self.example}"
        )


class Shares:
    """How many of each metric's values came, and how many were refused."""

    def __init__(self) -> None:
        """Begin with none."""
        self.seen: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def refuse(self, metric: str, value: Any, reason: str) -> None:  # noqa: ANN401 - any JSON
        """Count one refused value, and keep the first."""
        self._refused[metric] += 1
        if metric not in self._examples:
            self._examples[metric] = f"{' '.join(str(value).split())[:60]!r}: {reason}"

    @property
    def refused(self) -> tuple[RefusedShare, ...]:
        """Give the metrics of which anything is refused."""
        return tuple(
            RefusedShare(metric, count, self.seen[metric], self._examples[metric])
            for metric, count in self._refused.items()
        )

    @property
    def too_large(self) -> tuple[RefusedShare, ...]:
        """Give the metrics of which too much is refused."""
        return tuple(x for x in self.refused if x.refused > MOST_REFUSED * x.seen)


class Admission:
    """What a rubric lets in; verdicts on values are remembered, as the same ones come often."""

    def __init__(
        self, rubric: Rubric, selection: str | None = None, shares: Shares | None = None
    ) -> None:
        """Check against a rubric; `selection` is added to labels that do not say why."""
        self.rubric = rubric
        self.rescaling = Rescaling(rubric)
        self.shares = shares or Shares()
        self._metrics = rubric.by_name
        self._selection = selection if selection in ("random", "stratum") else None
        self._scores: dict[tuple[str, type, Any], str | None] = {}
        self._labels: dict[tuple[str, type, Any], str | None] = {}

    def record(self, fields: Fields, refused: list[Refused]) -> None:
        """Take the scores and labels out of a record that the rubric does not let in."""
        self.rescaling.record(fields)
        for one in refused:
            if one.metric:
                self.shares.refuse(one.metric, one.value, one.reason)
                self.shares.seen[one.metric] += 1
        scores = fields.get("scores")
        if scores:
            problems = [self._score(score) for score in scores]
            if any(problems):
                fields["scores"] = self._kept(scores, problems, "scores", refused)
        labels = fields.get("labels")
        if labels:
            for label in labels:
                self.shares.seen[label["metric"]] += 1
            problems = [self.label(label) for label in labels]
            if any(problems):
                fields["labels"] = self._kept(labels, problems, "labels", refused)

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
        self.shares.seen[name] += 1
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

    def label_alone(self, label: Fields) -> tuple[str, str] | None:
        """Say what is wrong with a label that came without its evaluation."""
        self.shares.seen[label["metric"]] += 1
        problem = self.label(label)
        if problem is not None:
            self.shares.refuse(label["metric"], label.get("value"), problem[1])
        return problem

    def _kept(
        self,
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
                self.shares.refuse(entry["metric"], entry.get("value"), reason)
                refused.append(Refused(f"{name}[{index}].{key}", entry.get(key), reason))
        return kept
