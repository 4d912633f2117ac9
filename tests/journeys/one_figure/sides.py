"""Auto score, human score, date and weight of every evaluation, from the files alone."""

import tomllib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import cached_property
from math import fsum
from statistics import median
from typing import Any

from tests.journeys.one_figure import bands, book
from tests.journeys.one_figure.bands import Options
from tests.journeys.one_figure.book import Book, Evaluation, Opinion

Metric = dict[str, Any]
CHANCE = {"random", "stratum"}
CHOSEN = {"browse", "search", "disputed", "active"}


class Sides:
    """Judge and people on the evaluations of some runs, as somebody sees them.

    Args:
        blind: A labeler whose answers on what they have not yet answered whole count nowhere.
    """

    def __init__(
        self,
        told: Book,
        rubric: str,
        options: Options,
        *,
        runs: Sequence[str],
        as_of: date,
        blind: str = "",
    ) -> None:
        self.book, self.options, self.as_of = told, options, as_of
        self._blind = blind
        self._autos: dict[tuple[int, str], Any] = {}
        self._humans: dict[tuple[int, str], Any] = {}
        self.rubric = tomllib.loads(rubric)
        self.metrics: dict[str, Metric] = {x["name"]: x for x in self.rubric["metrics"]}
        self.evaluations = [x for run in runs for x in told.counted(run)]

    # one evaluation

    def auto(self, one: Evaluation, metric: str) -> Any:
        """Give the auto score of record, or what follows from others."""
        place = (id(one), metric)
        if place not in self._autos:
            found = self.book.score(one, metric)
            self._autos[place] = self._from_parts(one, metric) if found is None else found["value"]
        return self._autos[place]

    def _from_parts(self, one: Evaluation, metric: str, *, people: bool = False) -> float | None:
        parts = self._parts(metric)
        values = [(self.human if people else self.auto)(one, part) for part in parts]
        if not parts or any(x is None for x in values):
            return None
        rule = self.metrics[metric].get("derived") or self.metrics[metric]["fallback"]
        way = rule.split("(")[0]
        if way == "mean":
            return fsum(values) / len(values)
        return float(min(values) if way == "min" else max(values))

    def _parts(self, metric: str) -> list[str]:
        rule = self.metrics[metric].get("derived") or self.metrics[metric].get("fallback", "")
        return [x.strip() for x in rule.partition("(")[2].rstrip(") ").split(",") if x.strip()]

    def opinions(self, one: Evaluation, metric: str) -> list[Opinion]:
        """Give what counts of people: a decision alone, else the labels, oldest first."""
        decided = book.decision(one, metric)
        if decided is not None:
            return [decided]
        without = self._blind if self._blind and self.is_hidden(one) else ""
        found = book.opinions(one, metric, without=without)
        order = {id(entry): place for place, entry in enumerate(one.labels)}
        return sorted(found, key=lambda x: (x.at, order[id(x.entry)]))

    def is_hidden(self, one: Evaluation) -> bool:
        """Tell whether the blind labeler has still to answer a metric."""
        asked = [x["name"] for x in self.rubric["metrics"] if "derived" not in x]
        return not all(
            any(
                x["labeler"] == self._blind and x["metric"] == name and x["kind"] != "withdrawn"
                for x in ({"kind": "label"} | entry for entry in one.labels)
            )
            for name in asked
        )

    def human(self, one: Evaluation, metric: str) -> Any:
        """Give the human score."""
        place = (id(one), metric)
        if place not in self._humans:
            self._humans[place] = self._human(one, metric)
        return self._humans[place]

    def _human(self, one: Evaluation, metric: str) -> Any:
        found = self.opinions(one, metric)
        if not found:
            counts = self.options.derived_labels == "count"
            return self._from_parts(one, metric, people=True) if counts else None
        values = [x.value for x in found]
        if self.metrics[metric].get("scale") == "categorical":
            return max(set(values), key=values.count) if len(set(values)) == 1 else None
        if self.options.label_combine == "latest":
            return values[-1]
        if self.options.label_combine == "median":
            return float(median(values))
        return fsum(values) / len(values)

    def gap(self, one: Evaluation, metric: str) -> float | None:
        """Give human minus auto."""
        auto, human = self.auto(one, metric), self.human(one, metric)
        return None if auto is None or human is None else human - auto

    # the window and the way labels came

    def is_inside(self, day: date | None) -> bool:
        """Tell whether a date lies in the look-back; no date lies in every one."""
        o = self.options
        if day is None or (o.window_months is None and o.window_days is None):
            return True
        if o.window_days is not None:
            start = self.as_of - timedelta(days=o.window_days)
        else:
            start = bands.months_before(self.as_of, o.window_months or 0)
        return start <= day <= self.as_of

    def day(self, one: Evaluation, metric: str) -> date | None:
        """Give the date by which the look-back bounds a metric's gap."""
        if self.options.window_date == "label":
            times = [x.at for x in self.opinions(one, metric) if x.at]
            return book.day_of(max(times, default=None))
        if self.book.score(one, metric) is None and self._parts(metric):
            return oldest(self.day(one, part) for part in self._parts(metric))
        return self.book.day(one, metric)

    def probability(self, one: Evaluation) -> float | None:
        """Give with which chance an evaluation was drawn, None where none is known."""
        drawn = [p for reason, p in self._ways(one) if _by_chance(reason, p)]
        return min((p for p in drawn if p), default=None)

    def _ways(self, one: Evaluation) -> list[tuple[Any, Any]]:
        """Tell how an evaluation came to its labels, whatever the metric."""
        return [
            (x.entry.get("selection_reason"), x.entry.get("selection_prob"))
            for metric in self.metrics
            for x in self._all_opinions(one, metric)
        ]

    def _all_opinions(self, one: Evaluation, metric: str) -> list[Opinion]:
        decided = book.decision(one, metric)
        return [*self.opinions(one, metric), *book.opinions(one, metric)] if decided else (
            self.opinions(one, metric)
        )  # fmt: skip

    def _is_drawn(self, one: Evaluation) -> bool:
        return any(_by_chance(*way) for way in self._ways(one))

    @cached_property
    def _any_drawn(self) -> bool:
        return any(map(self._is_drawn, self.evaluations))

    def is_kept(self, one: Evaluation) -> bool:
        """Tell whether an evaluation counts in agreement and, as recommended, in gaps."""
        if self.options.selection == "all" or not self._any_drawn or self._is_drawn(one):
            return True
        return not any(reason in CHOSEN for reason, _ in self._ways(one))


def oldest(days: Iterable[date | None]) -> date | None:
    """Give the earliest of some dates."""
    return min((x for x in days if x), default=None)


def _by_chance(reason: Any, probability: Any) -> bool:
    return reason in CHANCE or (reason == "active" and bool(probability))
