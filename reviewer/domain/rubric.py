"""Rubrics: named sets of metrics with scales, level texts, weights, pass rule and grades.

The names and limits beside a field are what `rubric_check` holds a rubric from outside to.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from reviewer.domain.errors import RubricError
from reviewer.domain.evaluation import LARGEST, JsonValue, Value, value_problem
from reviewer.domain.scales import SCALES, Scale

ScaleKind = Literal["ordinal", "binary", "range", "categorical", "measure"]
PassRule = Literal["every", "overall", "none"]
RepeatPolicy = Literal["mean", "median", "newest"]
TIE = "tie"
_CLOSED = {"extra": "forbid"}
_NUMBERS = (float, int)
_BY_EITHER_NAME = {"extra": "forbid", "populate_by_name": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One described step of a scale."""

    __pydantic_config__ = _CLOSED

    value: float | int | str
    title: str = ""
    description: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """A band of the overall score in its own scale, lower edge included."""

    __pydantic_config__ = _BY_EITHER_NAME

    lowest: float = field(metadata={"alias": "from"})
    grade: str
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the evaluated agent may use, as shown beside expected and used tools."""

    __pydantic_config__ = _BY_EITHER_NAME

    name: str
    purpose: str = field(default="", metadata={"alias": "for"})
    when: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do when a failure pattern shows."""

    __pydantic_config__ = _CLOSED

    when: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named pass mark, such as conservative or lenient."""

    __pydantic_config__ = _CLOSED

    name: str
    pass_at: float
    use: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A pre-check that keeps an evaluation out, visibly."""

    __pydantic_config__ = _CLOSED

    name: str
    limit: float | int | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One property that is scored, with its scale, weight and pass mark."""

    __pydantic_config__ = _CLOSED

    name: str = field(metadata={"min_length": 1})
    title: str = ""
    description: str = ""
    weight: float = field(default=1.0, metadata={"ge": 0, "allow_inf_nan": False})
    pass_at: float | None = None
    family: str | None = None
    scale: ScaleKind = "ordinal"
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    unit: str | None = None
    higher_is_better: bool = True
    derived: str | None = None
    fallback: str | None = None
    labelled: bool = True
    scorer: str | None = None
    judge: str | None = None
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    levels: tuple[Level, ...] = ()

    def __post_init__(self) -> None:
        problem = self.kind.problem()
        if problem is not None:
            raise ValueError(f"metric {self.name}: {problem}")
        if len({x.value for x in self.levels}) != len(self.levels):
            raise ValueError(f"metric {self.name}: two levels have the same value")

    @property
    def heading(self) -> str:
        """Give the title to show, or the id where the rubric gives none."""
        words = self.name.replace("_", " ")
        return self.title or words[:1].upper() + words[1:]

    @cached_property
    def kind(self) -> Scale:
        """Give its scale, with all that depends on it."""
        levels = tuple(level.value for level in self.levels)
        return SCALES[self.scale](levels, (self.min, self.max), self.values, self.unit)

    @property
    def is_numeric(self) -> bool:
        """Tell whether gaps and means make sense on this scale."""
        return self.kind.is_numeric

    @property
    def has_means(self) -> bool:
        """Tell whether a value between two others says something; else the most frequent does."""
        return self.kind.has_means

    @property
    def is_labelled(self) -> bool:
        """Tell whether people give this metric a label."""
        return self.labelled and self.kind.is_answered and self.derived is None

    @cached_property
    def sorted_levels(self) -> tuple[Level, ...]:
        """Give the levels from the lowest to the highest value."""
        return tuple(sorted(self.levels, key=lambda level: float(level.value)))

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """Give the numeric values that labels lie on, ascending; empty for an open range."""
        return self.kind.grid

    @cached_property
    def bounds(self) -> tuple[float, float] | None:
        """Give the lowest and highest possible number, None for categories and measures."""
        return self.kind.bounds

    @cached_property
    def key_values(self) -> tuple[Value, ...]:
        """Give the values that the keys 1 to 9 and 0 set, lowest first."""
        return self.kind.answers

    @cached_property
    def _held(self) -> tuple[float, float]:
        low, high = self.kind.held_at_once
        # a range may be wider than what is kept of whole numbers
        return max(low, -LARGEST), min(high, LARGEST)

    def score_problem(self, value: object) -> str | None:
        """Say why a value cannot be an auto score of this metric, None where it can."""
        low, high = self._held
        if value.__class__ in _NUMBERS and low <= value <= high:
            return None
        problem = value_problem(value)
        if problem is None and not self.kind.takes(value):
            problem = self._expects(value)
        return problem

    def label_problem(self, value: object, *, averaged: bool = False) -> str | None:
        """Say why a value cannot be a label; `averaged` labels may lie between levels."""
        problem = self.score_problem(value)
        if problem is not None or averaged or not self.kind.by_levels:
            return problem
        if self.grid and not any(abs(float(str(float(value))) - x) < 1e-9 for x in self.grid):  # type: ignore[arg-type]
            return self._expects(value)
        return None

    def _expects(self, value: object) -> str:
        return f"{value!r} is not on the scale of {self.name}: {self.describe_scale()} expected"

    def describe_scale(self) -> str:
        """Name the permitted values in words."""
        return self.kind.describe()


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """A named, versioned set of metrics and how they make an overall score.

    Attributes:
        preset: How deviations, bands and adjusted scores are computed where no other preset is
            named or kept.
        ask_unsure: Whether labelers may say of an answer that they are unsure of it.
    """

    __pydantic_config__ = _CLOSED

    name: str = field(metadata={"min_length": 1})
    version: str | int = "1"
    description: str = ""
    combine: Literal["weighted_mean"] = "weighted_mean"
    missing: Literal["renormalise", "null"] = "renormalise"
    pass_rule: PassRule = "none"
    pass_at: float | None = None
    repeat_policy: RepeatPolicy = "mean"
    preset: Literal["published", "recommended"] = "recommended"
    ask_unsure: bool = False
    metrics: tuple[Metric, ...] = field(metadata={"min_length": 1})
    grades: tuple[Grade, ...] = ()
    tools: tuple[Tool, ...] = ()
    targets: dict[str, JsonValue] = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()
    presets: tuple[Preset, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()

    def __post_init__(self) -> None:
        counts = Counter(metric.name for metric in self.metrics)
        twice = {name for name, count in counts.items() if count > 1}
        if twice:
            raise ValueError(f"the metric {sorted(twice)[0]} is declared twice")
        if self.pass_rule == "overall" and self.pass_at is None:
            raise ValueError('pass_rule "overall" needs pass_at')

    @cached_property
    def by_name(self) -> dict[str, Metric]:
        """Give the metrics by their ids."""
        return {metric.name: metric for metric in self.metrics}

    @cached_property
    def labelled_metrics(self) -> tuple[Metric, ...]:
        """Give the metrics that people label, in the rubric's order."""
        return tuple(metric for metric in self.metrics if metric.is_labelled)

    @cached_property
    def overall_metrics(self) -> tuple[Metric, ...]:
        """Give the metrics that take part in the overall score."""
        return tuple(m for m in self.metrics if m.kind.in_overall and m.derived is None)

    def pass_mark(self, word: str) -> float:
        """Give the pass mark that has a name, such as conservative.

        Raises:
            RubricError: The rubric has none of that name.
        """
        for preset in self.presets:
            if preset.name == word:
                return preset.pass_at
        known = "".join(f", or {preset.name} ({preset.pass_at:g})" for preset in self.presets)
        raise RubricError(f"The pass mark {word!r}: a number is expected{known}.")
