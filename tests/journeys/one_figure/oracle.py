"""Every figure of a project from its files alone, for the guard to hold all surfaces to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import fsum
from typing import Any

from tests.journeys.one_figure import bands, tables
from tests.journeys.one_figure.bands import Band
from tests.journeys.one_figure.book import Evaluation
from tests.journeys.one_figure.sides import Metric, Sides, oldest


@dataclass(frozen=True)
class Gaps:
    """The block of a metric, or of the overall.

    Attributes:
        adjusted_mean: Never clipped, as documents have it (R17).
        shown_mean: What screens show of it: with `clip=hard` every score is held on the scale.
    """

    n_auto: int
    n_human: int
    auto_mean: float | None
    human_mean: float | None
    gap_mean: float | None
    band: Band
    adjusted_mean: float | None
    shown_mean: float | None
    bounds: tuple[float, float] | None


class Oracle(Sides):
    """The figures of some runs under some options."""

    def bounds(self, metric: str) -> tuple[float, float] | None:
        """Give the ends of a metric's scale."""
        found = self.metrics[metric]
        if found.get("scale") == "binary":
            return 0.0, 1.0
        if found.get("scale") == "range":
            return float(found["min"]), float(found["max"])
        levels = [float(x["value"]) for x in found.get("levels", ())]
        return (min(levels), max(levels)) if levels else None

    def gaps(self, metric: str) -> Gaps:
        """Work out everything of a metric that compares both sides."""
        if metric not in self._blocks:
            self._blocks[metric] = self._gaps(metric)
        return self._blocks[metric]

    @cached_property
    def _blocks(self) -> dict[str, Gaps]:
        return {}

    def _gaps(self, metric: str) -> Gaps:
        autos = [x for one in self.evaluations if (x := self.auto(one, metric)) is not None]
        both = [
            (self.day(one, metric), self.human(one, metric), gap)
            for one in self.evaluations
            if (gap := self.gap(one, metric)) is not None and self._makes_gaps(one)
        ]
        n_human = sum(self.human(one, metric) is not None for one in self.evaluations)
        return self._block(autos, both, n_human, self.bounds(metric))

    def _makes_gaps(self, one: Evaluation) -> bool:
        return self.options.preset == "published" or self.is_kept(one)

    def _block(
        self,
        autos: Sequence[float],
        both: Sequence[tuple[date | None, float, float]],
        n_human: int,
        bounds: tuple[float, float] | None,
    ) -> Gaps:
        inside = [x for x in both if self.is_inside(x[0])]
        inside.sort(key=lambda x: x[0] or date.min)
        band = bands.band_of([gap for _, _, gap in inside], self.options)
        n = len(inside)
        return Gaps(
            n_auto=len(autos),
            n_human=n_human,
            auto_mean=fsum(autos) / len(autos) if autos else None,
            human_mean=fsum(human for _, human, _ in inside) / n if n else None,
            gap_mean=fsum(gap for _, _, gap in inside) / n if n else None,
            band=band,
            adjusted_mean=fsum(autos) / len(autos) + band.band if autos else None,
            shown_mean=bands.shown_mean(autos, band.band, bounds, self.options),
            bounds=bounds,
        )

    # agreement

    def rows(self, metric: str) -> list[tables.Row]:
        """Give the evaluations of the judge-human table with their weights."""
        found = []
        for one in self.evaluations:
            auto, people = self.auto(one, metric), self.opinions(one, metric)
            if auto is None or not people or not self.is_kept(one):
                continue
            if self.options.label_combine == "latest":
                people = people[-1:]
            chance = None if self.options.selection == "all" else self.probability(one)
            found.append((self._number(metric, auto), people, self.human(one, metric), chance))
        # those with a known chance share their number by 1 over it, each other one weighs 1
        known = [chance for *_, chance in found if chance]
        scale = len(known) / fsum(1 / x for x in known) if known else 1.0
        return [
            tables.Row(
                auto=auto,
                people=tuple(self._number(metric, x.value) for x in people),
                human=float(human) if isinstance(human, int | float) else 0.0,
                weight=scale / chance if chance else 1.0,
            )
            for auto, people, human, chance in found
        ]

    def _number(self, metric: str, value: Any) -> float:
        if self.metrics[metric].get("scale") == "categorical":
            return float(self.metrics[metric]["values"].index(value))
        return float(value)

    def table(self, metric: str) -> tables.Table | None:
        """Count the judge-human table; None for a scale without levels."""
        found = self.metrics[metric]
        named = found.get("scale") == "categorical"
        if named:
            values = [float(x) for x in range(len(found["values"]))]
        elif found.get("scale") == "binary":
            values = [0.0, 1.0]
        elif found.get("levels"):
            values = [float(x["value"]) for x in found["levels"]]
        else:
            return None
        return tables.table_of(self.rows(metric), values, how=self.options.label_table)

    def bias(self, metric: str) -> float | None:
        """Give the mean gap by the chance with which evaluations were drawn."""
        rows = self.rows(metric)
        total = fsum(x.weight for x in rows)
        return fsum(x.weight * (x.human - x.auto) for x in rows) / total if rows else None

    # overall and verdicts

    @cached_property
    def parts(self) -> dict[str, Metric]:
        """Give the metrics of the overall."""
        return {
            name: x
            for name, x in self.metrics.items()
            if x.get("scale") not in ("categorical", "measure") and "derived" not in x
        }

    @cached_property
    def overall_bounds(self) -> tuple[float, float]:
        """Give the range that weighted metrics share, else 0 to 1."""
        weighted = {self.bounds(name) for name, x in self.parts.items() if x.get("weight", 1)}
        shared = next(iter(weighted))
        return shared if len(weighted) == 1 and shared is not None else (0.0, 1.0)

    def _shared(self, metric: str, value: float | None) -> float | None:
        """Bring a value to the overall's range, better upwards."""
        ends = self.bounds(metric)
        if value is None or ends is None:
            return None
        low, high = ends
        if self.metrics[metric].get("higher_is_better", True) is False:
            value = low + high - value
        to_low, to_high = self.overall_bounds
        return to_low + (value - low) * (to_high - to_low) / (high - low)

    def overall(self, one: Evaluation) -> tuple[float | None, float | None, bool]:
        """Give both sides of the overall, and whether a label stands without an auto score."""
        auto_sum = human_sum = auto_weight = human_weight = 0.0
        labelled = mixed = False
        for name, metric in self.parts.items():
            weight = float(metric.get("weight", 1))
            auto = self._shared(name, self.auto(one, name))
            human = self._shared(name, self.human(one, name))
            counts = weight > 0 or not self.options.require_weighted_label
            labelled |= human is not None and counts
            mixed |= human is not None and auto is None and weight > 0
            if auto is not None:
                auto_sum, auto_weight = auto_sum + weight * auto, auto_weight + weight
            side = auto if human is None else human
            if side is not None:
                human_sum, human_weight = human_sum + weight * side, human_weight + weight
        auto = auto_sum / auto_weight if auto_weight else None
        human = human_sum / human_weight if labelled and human_weight else None
        return auto, human, mixed

    def overall_gap(self, one: Evaluation) -> float | None:
        """Give the gap of an evaluation's overall."""
        auto, human, _ = self.overall(one)
        return None if auto is None or human is None else human - auto

    def overall_day(self, one: Evaluation) -> date | None:
        """Give the oldest date of the overall's parts."""
        scored = [name for name in self.parts if self.auto(one, name) is not None]
        if self.options.window_date == "label":
            days = [self.day(one, x) for x in self.parts if self.opinions(one, x)]
            return max((x for x in days if x), default=None)
        return oldest(self.day(one, x) for x in scored)

    def satisfaction(self) -> Gaps:
        """Work out the overall's block."""
        autos: list[float] = []
        both: list[tuple[date | None, float, float]] = []
        n_human = 0
        for one in self.evaluations:
            auto, human, mixed = self.overall(one)
            if auto is not None:
                autos.append(auto)
            n_human += human is not None
            if auto is None or human is None or (mixed and self.options.exclude_mixed):
                continue
            if self._makes_gaps(one):
                both.append((self.overall_day(one), human, human - auto))
        return self._block(autos, both, n_human, self.overall_bounds)

    def verdict(self, one: Evaluation, *, people: bool = False) -> bool | None:
        """Tell whether an evaluation passes: every mark is reached; None where one is missing."""
        if self.rubric.get("pass_rule") == "overall":
            side = self.overall(one)[1 if people else 0]
            return None if side is None else side >= self.rubric["pass_at"] - bands.EQUAL
        values = {
            name: (self.human if people else self.auto)(one, name)
            for name, x in self.metrics.items()
            if "pass_at" in x
        }
        reached = [self._reaches(name, x) for name, x in values.items() if x is not None]
        if not all(reached):
            return False
        return True if values and len(reached) == len(values) else None

    def _reaches(self, metric: str, value: float) -> bool:
        mark = float(self.metrics[metric]["pass_at"])
        if self.metrics[metric].get("higher_is_better", True):
            return value >= mark - bands.EQUAL
        return value <= mark + bands.EQUAL

    def pass_rate(self, *, people: bool = False) -> tuple[float | None, int]:
        """Give the share of verdicts that are a pass, and how many verdicts there are."""
        found = [
            x for one in self.evaluations if (x := self.verdict(one, people=people)) is not None
        ]
        return (sum(found) / len(found) if found else None), len(found)
