"""The overall score, verdict and grade that a system makes of its metrics' scores."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import fixed, in_percent
from reviewer.stats.satisfaction import (
    GradeBand,
    OverallRule,
    Part,
    grade,
    verdict,
    weighted_mean,
)

Scores = Mapping[str, float | None]
HARNESS_WEIGHTS: Final = {"tool_usage": 0.40, "response_quality": 0.40, "error_handling": 0.20}
RUBRIC_WEIGHTS: Final = {
    "factual_accuracy": 0.30,
    "completeness": 0.25,
    "citation_accuracy": 0.15,
    "source_quality": 0.10,
    "tool_efficiency": 0.20,
}
RUBRIC_PASS_AT: Final = 0.7
GUEST_PASS_AT: Final = 3.0
GRADES: Final = (
    GradeBand(0.9, "A", "Excellent response"),
    GradeBand(0.8, "B", "Good, minor issues"),
    GradeBand(0.7, "C", "Acceptable, needs improvement"),
    GradeBand(0.6, "D", "Below acceptable, look into it"),
    GradeBand(0.0, "F", "Poor, significant issues"),
)


class HarnessFinal(Struct, frozen=True):
    """Hold a question's final score with its grade and what the reader should know of it."""

    value: float | None
    grade: GradeBand | None
    warnings: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Write score and grade as 0.92 (92 %) A."""
        return score_and_grade(self.value, self.grade)


def score_and_grade(value: float | None, band: GradeBand | None) -> str:
    """Write a score from 0 to 1 with its grade as 0.92 (92 %) A; a dash without a score."""
    if value is None:
        return "–"
    name = f" {band.grade}" if band else ""
    return f"{fixed(value)} ({in_percent(value, 0)}){name}"


def harness_grade(
    value: float | None, bands: tuple[GradeBand, ...] = GRADES, *, rounded: bool = False
) -> GradeBand | None:
    """Grade a score from 0 to 1.

    The published ranges (90–100, 80–89 …) leave holes: 89.5 % lies in none. Here a grade runs from
    its lower edge, included, to the next one's, so that .895 is a B; `rounded` rounds to whole
    percent first, which makes it an A.
    """
    percent = [GradeBand(100 * band.start, band.grade, band.meaning) for band in bands]
    found = grade(None if value is None else 100 * value, percent, rounded=rounded)
    return next((band for band in bands if found and band.grade == found.grade), None)


def harness_final(
    scores: Scores,
    rubric: Rubric | None = None,
    *,
    error_zeroes_total: bool = False,
    rounded: bool = False,
) -> HarnessFinal:
    """Make the final score: .40 tool usage + .40 response quality + .20 error handling.

    The sum is divided by the weights present. A crash where no tool and no keyword is expected
    scores 0.80, a B, because both other metrics are then 1; the result warns of it, and
    `error_zeroes_total` makes it 0.

    Args:
        scores: by metric, None where there is none.
        rubric: weights, pass mark and grades; without one the published.
        error_zeroes_total: 0 whenever error_handling is 0.
        rounded: grade whole percent.
    """
    rule = overall_rule(rubric) if rubric else _rule(HARNESS_WEIGHTS, 0.7)
    bands = grade_bands(rubric) if rubric and rubric.grades else GRADES
    value = weighted_mean(scores, rule)
    crashed = scores.get("error_handling") == 0
    if value is not None and crashed and error_zeroes_total:
        value = 0.0
    band = harness_grade(value, bands, rounded=rounded)
    warnings: tuple[str, ...] = ()
    passes = not error_zeroes_total and verdict(scores, rule) == "pass"
    if value is not None and crashed and passes:
        warnings = (
            f"The query ended in an error and still scores {score_and_grade(value, band)}: "
            "nothing else lowered the score. error_zeroes_total = true gives it 0.",
        )
    return HarnessFinal(value, band, warnings)


def rubric_overall(scores: Scores, weights: Mapping[str, float] = RUBRIC_WEIGHTS) -> float | None:
    """Make the agent rubric's overall: Σ score·weight / Σ weight over the dimensions present.

    The published code gives 0 where no dimension is present and crashes on a null score; here the
    first is None, and a null score counts as missing.
    """
    return weighted_mean(scores, _rule(weights, None))


def rubric_passed(
    scores: Scores,
    weights: Mapping[str, float] = RUBRIC_WEIGHTS,
    pass_at: float = RUBRIC_PASS_AT,
) -> bool:
    """Tell whether the agent rubric's overall reaches the mark, compared on 9 decimals.

    1·.30 + .6·.10 + .3·.20 over .60 is exactly .70; a plain sum gives 0.6999999999999998 and would
    fail it.
    """
    return verdict(scores, _rule(weights, pass_at)) == "pass"


def overall_rule(rubric: Rubric) -> OverallRule:
    """Give a rubric's rule of overall and verdict, on the range that its metrics share."""
    parts = tuple(part_of(metric) for metric in rubric.overall_metrics if has_extent(metric))
    ranges = {(part.low, part.high) for part in parts if part.weight}
    return OverallRule(
        parts=parts,
        missing=rubric.missing,
        target=ranges.pop() if len(ranges) == 1 else None,
        passing=rubric.pass_rule,
        pass_at=rubric.pass_at,
    )


def grade_bands(rubric: Rubric) -> tuple[GradeBand, ...]:
    """Give a rubric's grades."""
    return tuple(GradeBand(x.lowest, x.grade, x.meaning) for x in rubric.grades)


def _rule(weights: Mapping[str, float], pass_at: float | None) -> OverallRule:
    parts = tuple(Part(name=x, low=0, high=1, weight=weight) for x, weight in weights.items())
    return OverallRule(parts=parts, passing="overall", pass_at=pass_at)


def has_extent(metric: Metric) -> bool:
    """Tell whether a metric has a range, so that it can take part in an overall."""
    return metric.bounds is not None and metric.bounds[0] < metric.bounds[1]


def part_of(metric: Metric) -> Part:
    """Give a metric's place in the overall."""
    low, high = metric.bounds or (0.0, 1.0)
    return Part(
        name=metric.name,
        low=low,
        high=high,
        weight=metric.weight,
        higher_is_better=metric.higher_is_better,
        pass_at=metric.pass_at,
    )
