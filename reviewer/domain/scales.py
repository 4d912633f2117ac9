"""The scales of metrics: what values they take, what people may answer, how they are told.

A scale is a class here with everything that depends on it; elsewhere nothing asks for its name.
"""

from dataclasses import dataclass
from typing import ClassVar

from reviewer.domain.evaluation import Value, as_number, as_written

KEYS = 10
"""Values that keys set: 1 to 9 and 0."""
UNBOUNDED = (-(2.0**62), 2.0**62)
NOWHERE = (1.0, 0.0)
"""Bounds that hold nothing."""


@dataclass(frozen=True)
class Scale:
    """What all scales share; numbers in an order unless one says otherwise.

    Attributes:
        title: what it is called where somebody chooses one.
        keys: keys of a rubric's file that belong to it alone.
        coefficient: the coefficient of agreement that suits it.
        is_numeric: whether gaps and means make sense.
        has_means: whether a value between two others says something; else the most frequent does.
        is_answered: whether people may label it.
        in_overall: whether it may take part in the overall score.
        is_binary: whether the answers are yes and no.
        is_open: whether any number between its ends will do.
        by_levels: whether its levels, where it has any, go from low to high.
        steps_from_levels: whether the distance of two answers is that of its levels.
        levels: the values that a rubric describes, in its order.
        ends: the lowest and the highest number that it declares.
        names: the categories that it declares.
        unit: what a measure is in.
    """

    levels: tuple[Value, ...] = ()
    ends: tuple[float | None, float | None] = (None, None)
    names: tuple[str, ...] = ()
    unit: str | None = None

    title: ClassVar[str]
    keys: ClassVar[frozenset[str]] = frozenset()
    coefficient: ClassVar[str] = "kappa_quadratic"
    is_numeric: ClassVar[bool] = True
    has_means: ClassVar[bool] = True
    is_answered: ClassVar[bool] = True
    in_overall: ClassVar[bool] = True
    is_binary: ClassVar[bool] = False
    is_open: ClassVar[bool] = False
    by_levels: ClassVar[bool] = True
    steps_from_levels: ClassVar[bool] = False

    def problem(self) -> str | None:
        """Say what is missing or wrong in the declaration, None where nothing is."""
        if any(isinstance(level, str) for level in self.levels):
            return "the levels of this scale are numbers"
        return None

    @property
    def values(self) -> tuple[Value, ...]:
        """Give the declared values as the rubric writes them, lowest first."""
        return tuple(sorted(self.levels, key=float))

    @property
    def answers(self) -> tuple[Value, ...]:
        """Give the values that keys set, lowest first."""
        return self.values[:KEYS]

    @property
    def grid(self) -> tuple[float, ...]:
        """Give the numeric values that labels lie on, ascending; empty for an open range."""
        return tuple(map(float, self.values))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Give the lowest and highest possible number, None where there are none."""
        return None

    @property
    def held_at_once(self) -> tuple[float, float]:
        """Give the bounds in which any number is a score; a million scores are asked."""
        return self.bounds or UNBOUNDED

    def takes(self, value: object) -> bool:
        """Tell whether a value that can be stored is on the scale."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.bounds is None or self.bounds[0] <= value <= self.bounds[1]

    def number_of(self, value: Value) -> float | None:
        """Give a value as a number, None off the scale."""
        return as_number(value)

    def value_of(self, number: float) -> Value:
        """Give a number as people write it: whole numbers whole."""
        return as_written(number)

    def word(self, value: Value | None) -> str | None:
        """Give what people say for a value, None where they say the value."""
        return value if isinstance(value, str) else None

    def describe(self) -> str:
        """Name the permitted values in words."""
        return "one of " + ", ".join(f"{x:g}" for x in self.grid)


class Ordinal(Scale):
    """Levels in an order."""

    title = "Levels, ordered"
    keys = frozenset({"levels"})
    steps_from_levels = True

    def problem(self) -> str | None:
        """Say what is missing or wrong in the declaration, None where nothing is."""
        if not self.levels:
            return "an ordinal scale needs [[metrics.levels]]"
        return super().problem()

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Give the lowest and the highest level."""
        return self.grid[0], self.grid[-1]


class Binary(Scale):
    """Yes or no, as 1 and 0."""

    title = "Yes or no"
    has_means = False
    is_binary = True

    @property
    def values(self) -> tuple[Value, ...]:
        """Give no and yes."""
        return 0, 1

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Give 0 and 1."""
        return 0.0, 1.0

    @property
    def held_at_once(self) -> tuple[float, float]:
        """Hold nothing at once: between the two lies no score."""
        return NOWHERE

    def problem(self) -> str | None:
        """Find nothing: its levels only describe."""
        return None

    def takes(self, value: object) -> bool:
        """Tell whether a value is 0, 1, true or false."""
        return isinstance(value, int | float) and value in (0, 1)

    def word(self, value: Value | None) -> str | None:
        """Say yes and no."""
        return ("yes" if value else "no") if value in (0, 1) else None

    def describe(self) -> str:
        """Name the permitted values in words."""
        return "0 or 1"


class Range(Scale):
    """Any number between two; levels, where there are any, are what labels lie on."""

    title = "Any number of a range"
    keys = frozenset({"min", "max"})
    is_open = True

    def problem(self) -> str | None:
        """Say what is missing or wrong in the declaration, None where nothing is."""
        if self.bounds is None or self.bounds[0] >= self.bounds[1]:
            return "a range needs min below max"
        return super().problem()

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Give its ends."""
        low, high = self.ends
        return None if low is None or high is None else (low, high)

    @property
    def answers(self) -> tuple[Value, ...]:
        """Give its levels, or five values from end to end."""
        if self.levels or not self.bounds:
            return super().answers
        low, high = self.bounds
        return tuple(low + (high - low) * step / 4 for step in range(5))

    def describe(self) -> str:
        """Name the permitted values in words."""
        low, high = self.ends
        return f"a number from {low:g} to {high:g}"


class Categorical(Scale):
    """Names without order."""

    title = "Categories without order"
    keys = frozenset({"values"})
    coefficient = "kappa"
    is_numeric = False
    has_means = False
    in_overall = False
    by_levels = False

    @property
    def held_at_once(self) -> tuple[float, float]:
        """Hold nothing at once: no number is a category."""
        return NOWHERE

    def problem(self) -> str | None:
        """Say what is missing or wrong in the declaration, None where nothing is."""
        return None if self.names else "a categorical scale needs values"

    @property
    def values(self) -> tuple[Value, ...]:
        """Give the categories as the rubric lists them."""
        return self.names

    @property
    def grid(self) -> tuple[float, ...]:
        """Give none: categories are no numbers."""
        return ()

    def takes(self, value: object) -> bool:
        """Tell whether a value is one of the categories."""
        return isinstance(value, str) and value in self.names

    def number_of(self, value: Value) -> float | None:
        """Give a category's place on the scale, None off it."""
        return float(self.values.index(value)) if value in self.values else None

    def value_of(self, number: float) -> Value:
        """Give the category at a place."""
        return self.names[int(number)]

    def describe(self) -> str:
        """Name the permitted values in words."""
        return "one of " + ", ".join(self.names)


class Measure(Scale):
    """A number of something, such as milliseconds, which people read and do not label."""

    title = "A measure (described, not labelled)"
    keys = frozenset({"unit"})
    is_open = True
    is_answered = False
    in_overall = False
    by_levels = False

    def problem(self) -> str | None:
        """Find nothing: its levels only describe."""
        return None

    def describe(self) -> str:
        """Name the permitted values in words."""
        return "a number" + (f" of {self.unit}" if self.unit else "")


SCALES: dict[str, type[Scale]] = {
    "ordinal": Ordinal,
    "binary": Binary,
    "range": Range,
    "categorical": Categorical,
    "measure": Measure,
}
"""By the names that rubrics give them."""
