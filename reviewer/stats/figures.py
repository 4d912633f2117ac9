"""The figures of one metric or of the overall that a screen shows beside the labels."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from reviewer.stats.agreement import coefficient_or_reason
from reviewer.stats.deviations import PUBLISHED, DeviationOptions, Deviations, deviations
from reviewer.stats.pairs import Evidence
from reviewer.stats.reasons import NO_PAIR, NO_SCORE, TOO_FEW
from reviewer.stats.satisfaction import Overall
from reviewer.stats.window import Window

Key = str | int


Chance = tuple[float, float]
"""What an evaluation is worth, and the stratum it was drawn in; see `levels.Chances`."""
PLAIN: Final[Chance] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold one evaluation's automatic and human value of a metric.

    Attributes:
        auto: exact automatic score.
        human: exact human value (mean of current labels, or the adjudication).
        labels: the labels that count in the table; an adjudication stands alone.
        day: evaluation date; None lies in every window.
        chance: with which chance it was drawn.
        chosen: whether somebody chose it, so that it counts only where chance drew none.
    """

    auto: float
    human: float
    labels: tuple[float, ...]
    day: date | None = None
    chance: Chance = PLAIN
    chosen: bool = False

    @property
    def gap(self) -> float:
        """Give human minus auto."""
        return self.human - self.auto


@dataclass(frozen=True, slots=True)
class Figures:
    """Hold the figures of a metric, or of the overall, as of one day.

    Attributes:
        n_auto, auto_mean: over all auto scores in scope, whatever their date.
        human_mean: over the evaluations with both inside the window; their number and mean gap
            are `deviations.n_labelled` and `deviations.gap_mean`.
        adjusted_mean: auto_mean plus band, never clipped.
        n_pairs: evaluations with both, whatever their date.
        kappa_quadratic: over those; None for the overall.
        coverage_mean: mean labelled share of the weight; None for a metric.
        undefined: reasons by name.
    """

    n_auto: int
    auto_mean: float | None
    human_mean: float | None
    deviations: Deviations
    adjusted_mean: float | None
    n_pairs: int = 0
    kappa_quadratic: float | None = None
    coverage_mean: float | None = None
    undefined: Mapping[str, str] = field(default_factory=dict)


def figures_of(
    autos: tuple[int, float | None],
    human_mean: float | None,
    found: Deviations,
    *,
    agreement: tuple[int, float | None, str | None] = (0, None, None),
    coverage_mean: float | None = None,
) -> Figures:
    """Put figures together and name the reason of each that is missing.

    Args:
        autos: number and mean of the auto scores.
        human_mean: mean human value inside the window.
        found: deviations inside the window.
        agreement: number of pairs, quadratic kappa, and the reason where it is None.
        coverage_mean: for the overall only.
    """
    n_auto, auto_mean = autos
    undefined: dict[str, str] = {}
    if auto_mean is None:
        undefined.update(auto_mean=NO_SCORE, adjusted_mean=NO_SCORE)
    if human_mean is None:
        undefined.update(human_mean=NO_PAIR, gap_mean=NO_PAIR)
    for name, value in (("upper_deviation", found.upper), ("lower_deviation", found.lower)):
        if value is None:
            undefined[name] = TOO_FEW
    if agreement[2]:
        undefined["kappa_quadratic"] = agreement[2]
    return Figures(
        n_auto=n_auto,
        auto_mean=auto_mean,
        human_mean=human_mean,
        deviations=found,
        adjusted_mean=None if auto_mean is None else auto_mean + found.band,
        n_pairs=agreement[0],
        kappa_quadratic=agreement[1],
        coverage_mean=coverage_mean,
        undefined=undefined,
    )


def in_order(day: date | None, key: Key) -> tuple[date, str]:
    """Give the place of an evaluation among others: by date, then by id."""
    return day or date.min, str(key)


def quadratic_kappa(evidence: Evidence) -> tuple[float | None, str | None]:
    """Give quadratic kappa, or None and why."""
    return coefficient_or_reason(evidence, "kappa_quadratic")


def overall_figures(
    overalls: Mapping[Key, tuple[Overall, date | None]],
    span: Window,
    options: DeviationOptions = PUBLISHED,
    left_out: Collection[Key] = (),
) -> Figures:
    """Work out the overall's figures from the overalls and dates of all evaluations.

    Those left out make no deviations, but their auto scores are there.
    """
    scores = [found.auto for found, _ in overalls.values() if found.auto is not None]
    ordered = sorted(overalls.items(), key=lambda item: in_order(item[1][1], item[0]))
    inside = [
        found
        for key, (found, day) in ordered
        if key not in left_out and span.contains(day) and counts(found, options)
    ]
    return figures_of(
        (len(scores), _mean(scores)),
        _mean([found.human for found in inside if found.human is not None]),
        deviations([found.gap for found in inside if found.gap is not None], options),
        coverage_mean=_mean([found.covered for found in inside]),
    )


def counts(found: Overall, options: DeviationOptions) -> bool:
    """Tell whether an evaluation's overall gap makes deviations and band."""
    if found.gap is None or (found.mixed and options.exclude_mixed):
        return False
    return found.covered > 0 or not options.require_weighted_label


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
