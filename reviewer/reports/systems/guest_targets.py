"""Targets of a run: each a line that is met, missed, or rests on too few cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from reviewer.reports.systems.conditions import bounds_of

TargetResult = Literal["met", "missed", "too few"]
FEWEST: Final = 10
"""Cases below which a target is neither met nor missed."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that a target may name, with the cases behind it and the ends of its interval."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Hold one target's line.

    Attributes:
        wanted: as the rubric writes it, such as ">= 0.8".
        value: None where no case carries the figure.
        n: the cases behind the value.
        low, high: the ends of its interval, None where it has none.
    """

    name: str
    wanted: str
    value: float | None
    n: int
    result: TargetResult
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Give the line."""
        found: dict[str, JsonValue] = {
            "name": self.name,
            "target": self.wanted,
            "value": self.value,
            "n": self.n,
            "result": self.result,
        }
        return found if self.low is None else found | {"low": self.low, "high": self.high}


def judge_targets(
    targets: Mapping[str, JsonValue], figures: Mapping[str, Figure], fewest: int = FEWEST
) -> tuple[Target, ...]:
    """Compare figures with a rubric's targets on 9 decimals; exactly 80 % meets ">= 0.8".

    The published text wants a pass rate above 80 %, its check fails below 80 %: the two differ at
    exactly 80 %, and the rubric's sign decides.

    Args:
        targets: the rubric's `[targets]`.
        figures: by the targets' names; one that is absent rests on no case.
        fewest: the least number of cases for a verdict.

    Raises:
        RubricError: for a target that is no comparison.
    """
    return tuple(
        _judged(name, wanted, figures.get(name, Figure(None, 0)), fewest)
        for name, wanted in targets.items()
    )


def _judged(name: str, wanted: JsonValue, figure: Figure, fewest: int) -> Target:
    bounds = bounds_of(name, wanted)
    text = wanted if isinstance(wanted, str) else f">= {wanted}"
    result: TargetResult = "too few"
    if figure.value is not None and figure.n >= max(fewest, 1):
        result = "met" if all(bound.holds(figure.value) for bound in bounds) else "missed"
    return Target(name, text, figure.value, figure.n, result, figure.low, figure.high)


def count_targets(targets: Sequence[Target]) -> str:
    """Count the targets in one line: 5 met, 2 missed, 1 too few."""
    return ", ".join(
        f"{sum(target.result == result for target in targets)} {result}"
        for result in ("met", "missed", "too few")
    )
