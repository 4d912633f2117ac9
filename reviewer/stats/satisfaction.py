"""The overall score of one evaluation: weighted means, human side, pass rule and grade."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reviewer.stats.values import Rescale, rescale

Scores = Mapping[str, float | None]
Missing = Literal["renormalise", "null"]
PassRule = Literal["every", "overall", "none"]
Verdict = Literal["pass", "fail", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Describe one metric's place in the overall: its weight, range, direction and pass mark.

    Derived metrics (the overall itself among them) are no parts of their own average; categorical
    and descriptive metrics take no part either.
    """

    name: str
    low: float
    high: float
    weight: float = 1.0
    higher_is_better: bool = True
    pass_at: float | None = None

    def __post_init__(self) -> None:
        """Check weight and range.

        Raises:
            ValueError: for a negative weight or a range that does not run upwards.
        """
        if not self.weight >= 0:
            raise ValueError(
                f"Metric {self.name} has weight {self.weight}; weights must be 0 or more."
            )
        if not self.high > self.low:
            raise ValueError(
                f"Metric {self.name} runs from {self.low} to {self.high}; "
                "the upper end must be above the lower."
            )

    def turned(self, value: float) -> float:
        """Mirror a value where lower is better, so that higher is better for all parts."""
        return value if self.higher_is_better else self.low + self.high - value

    def passes(self, value: float) -> bool:
        """Compare with the pass mark on 9 decimals; True without a mark."""
        return self.pass_at is None or reaches(
            value, self.pass_at, higher_is_better=self.higher_is_better
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallRule:
    """Describe how the parts make the overall.

    Attributes:
        missing: `renormalise` leaves a missing part out; `null` gives no overall then.
        target: the range to bring all parts to; None means their common range, or 0 to 1 where
            they differ.
        range: the range of the overall.
        pass_at: the mark of the overall, read by the pass rule `overall` only.
        require_weighted_label: a label on a metric of weight zero alone does not count.
    """

    parts: tuple[Part, ...]
    missing: Missing = "renormalise"
    target: tuple[float, float] | None = None
    rescale: Rescale = "affine"
    passing: PassRule = "every"
    pass_at: float | None = None
    require_weighted_label: bool = False

    range: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Find the range, once: it is asked for with every evaluation."""
        onto = self.target
        if onto is None:
            ranges = {(part.low, part.high) for part in self.parts}
            onto = ranges.pop() if len(ranges) == 1 else (0.0, 1.0)
        object.__setattr__(self, "range", onto)

    def brought(self, part: Part, value: float, onto: tuple[float, float]) -> float:
        """Bring one value of a part onto the overall's range, higher always better."""
        turned = value if part.higher_is_better else part.turned(value)
        source = (part.low, part.high)
        return turned if source == onto else rescale(turned, source, onto, self.rescale)


@dataclass(frozen=True, slots=True)
class Overall:
    """Hold both overalls of one evaluation.

    Attributes:
        auto: weighted mean of the auto scores; None where a part that counts is missing.
        human: the same with the label where there is one; None without any.
        gap: human minus auto; None unless both exist.
        covered: labelled share of the weight that has a label or an auto score.
        mixed: a weighted metric without auto score is labelled, so the gap also holds a change
            of parts.
    """

    auto: float | None
    human: float | None
    gap: float | None
    covered: float
    mixed: bool


def overall(auto: Scores, human: Scores, rule: OverallRule) -> Overall:
    """Work out both overalls of one evaluation; metrics that are no parts are passed over."""
    judged, people = _Mean(rule), _Mean(rule)
    labelled = known = 0.0
    counts = mixed = False
    for part in rule.parts:
        score, label = auto.get(part.name), human.get(part.name)
        if label is not None and (part.weight or not rule.require_weighted_label):
            counts = True
            labelled += part.weight
            mixed = mixed or (score is None and bool(part.weight))
        else:
            label = score
        brought = judged.add(part, score)
        people.add(part, label, brought if label is score else None)
        if label is not None:
            known += part.weight
    auto_value, human_value = judged.value(), people.value() if counts else None
    gap = human_value - auto_value if auto_value is not None and human_value is not None else None
    return Overall(
        auto=auto_value,
        human=human_value,
        gap=gap,
        covered=labelled / known if known else 0.0,
        mixed=mixed and gap is not None,
    )


class _Mean:
    """A weighted mean on the overall's range, part by part."""

    __slots__ = ("_lacks_part", "_rule", "_total", "_weight")

    def __init__(self, rule: OverallRule) -> None:
        self._rule = rule
        self._total = self._weight = 0.0
        self._lacks_part = False

    def add(self, part: Part, value: float | None, brought: float | None = None) -> float | None:
        """Take a part's value, `brought` onto the overall's range already where that is known."""
        if value is None:
            self._lacks_part |= bool(part.weight)
            return None
        if brought is None:
            brought = self._rule.brought(part, value, self._rule.range)
        self._total += part.weight * brought
        self._weight += part.weight
        return brought

    def value(self) -> float | None:
        """Give the mean; None where a part is missing that may not, or nothing has weight."""
        if self._lacks_part and self._rule.missing == "null":
            return None
        return self._total / self._weight if self._weight else None


def weighted_mean(values: Scores, rule: OverallRule) -> float | None:
    """Give the weighted mean of the values on the overall's range; None where there is none."""
    found = _Mean(rule)
    for part in rule.parts:
        found.add(part, values.get(part.name))
    return found.value()


def reaches(value: float, mark: float, *, higher_is_better: bool = True) -> bool:
    """Compare a value with a mark on 9 decimals, so that .70 computed as .6999999… passes .70."""
    value, mark = round(value, 9), round(mark, 9)
    return value >= mark if higher_is_better else value <= mark


def verdict(values: Scores, rule: OverallRule, *, need_all: bool = False) -> Verdict | None:
    """Tell whether one side's scores pass the rubric; None where it has no pass rule or mark.

    Give auto scores alone or human scores alone. With the rule `every`, one part below its mark
    fails even if others are missing. `need_all` makes the rule `overall` incomplete until every
    weighted part has a value (for the human side, which would else judge by a few parts).
    """
    if rule.passing == "every":
        return _verdict_of_parts(values, rule)
    if rule.passing == "none" or rule.pass_at is None:
        return None
    if need_all and any(part.weight and values.get(part.name) is None for part in rule.parts):
        return "incomplete"
    value = weighted_mean(values, rule)
    if value is None:
        return "incomplete"
    return "pass" if reaches(value, rule.pass_at) else "fail"


def _verdict_of_parts(values: Scores, rule: OverallRule) -> Verdict | None:
    marked = [part for part in rule.parts if part.pass_at is not None]
    if not marked:
        return None
    present = [(part, values.get(part.name)) for part in marked]
    if any(value is not None and not part.passes(value) for part, value in present):
        return "fail"
    return "incomplete" if any(value is None for _, value in present) else "pass"


@dataclass(frozen=True, slots=True)
class GradeBand:
    """Name the grade that begins at a value."""

    start: float
    grade: str
    meaning: str = ""


def grade(
    value: float | None, bands: Sequence[GradeBand], *, rounded: bool = False
) -> GradeBand | None:
    """Find the grade of a value, in the unit of the bands; None below all of them.

    A band runs from its start (included, compared on 9 decimals) up to the next one's start;
    `rounded` rounds the value to a whole number first (half up), as some published tables do.
    """
    if value is None:
        return None
    exact = round(value, 9)
    if rounded:
        exact = float((exact + 0.5) // 1)
    reached = [band for band in bands if exact >= round(band.start, 9)]
    return max(reached, key=lambda band: band.start, default=None)
