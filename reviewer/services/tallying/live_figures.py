"""What live figures say: of one evaluation, of one metric, of the overall score."""

from collections.abc import Mapping
from datetime import date
from typing import Literal

from msgspec import Struct, field

from reviewer.services.figures.bands import BandOrScore
from reviewer.stats.deviations import RECOMMENDED, DeviationOptions, Deviations


class CaseFigures(Struct, frozen=True):
    """One metric of one evaluation.

    Attributes:
        human: The human score; None while nobody's label counts.
        gap: Human minus auto.
        adjusted: What stands where auto plus band is shown.
        derived: Whether the auto score was worked out from other metrics.
        from_parts: What labels of other metrics come to, where nobody labelled this one: shown,
            and counted nowhere.
        parts: The single labels behind the human score; a decision stands alone.
        decided: Whether the human score is a decision.
        bounds: The ends of the scale, None where it has none.
    """

    auto: float | None = None
    human: float | None = None
    gap: float | None = None
    adjusted: BandOrScore = BandOrScore()
    derived: bool = False
    from_parts: float | None = None
    parts: tuple[float, ...] = ()
    decided: bool = False
    bounds: tuple[float, float] | None = None


class OverallFigures(Struct, frozen=True):
    """The overall (satisfaction) of one evaluation."""

    auto: float | None = None
    human: float | None = None
    gap: float | None = None
    adjusted: BandOrScore = BandOrScore()
    covered: float = 0.0
    mixed: bool = False
    grade: str | None = None
    meaning: str = ""
    auto_verdict: Literal["pass", "fail", "incomplete"] | None = None
    human_verdict: Literal["pass", "fail", "incomplete"] | None = None


class EvaluationFigures(Struct, frozen=True):
    """All figures of one evaluation that the labeler may see."""

    metrics: dict[str, CaseFigures] = field(default_factory=dict)
    overall: OverallFigures = field(default_factory=OverallFigures)


class PresetFigures(Struct, frozen=True):
    """What one preset makes of the gaps; `deviations.band_source` says what decided the band."""

    deviations: Deviations
    band: BandOrScore
    adjusted: BandOrScore


class MadeBy(Struct, frozen=True):
    """How figures are made: the options, the preset they start from, and what differs from it.

    Attributes:
        since, until: The first and the last day of the window, None where it has no bound.
        look_back: How the window is said beside what it bounds.
    """

    preset: str = "recommended"
    options: DeviationOptions = RECOMMENDED
    changed: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    look_back: str = ""


class MetricFigures(Struct, frozen=True):
    """The figures of one metric (or of the overall) over a scope.

    Attributes:
        n_auto: Evaluations with an auto score.
        n_labelled: Evaluations with auto and human score inside the window.
        n_pairs: Evaluations behind kappa, whatever their date: those with a majority label.
        deviations: By the options in use, and so is `adjusted_mean`, which is never clipped.
        shown_band: What stands where the band is shown.
        shown_adjusted: The same of the adjusted mean.
        kappa: Quadratic kappa (plain kappa of categories), None with `kappa_reason`.
        kappa_interval: 95 % interval, from 10 pairs on.
        gaps: How often each gap occurs, inside the window.
        held_back: The labeler's answers that count only after the reveal.
        presets: What each preset makes of the gaps, by name.
        ordered: False where the values are categories, which have no gaps and plain kappa.
        made_by: The options and the window in use.
        note: What kappa hides, where one class dominates, and how evaluations were chosen.
    """

    name: str
    title: str
    n_auto: int
    n_labelled: int
    n_pairs: int
    auto_mean: float | None
    human_mean: float | None
    gap_mean: float | None
    adjusted_mean: float | None
    deviations: Deviations
    shown_band: BandOrScore
    shown_adjusted: BandOrScore
    kappa: float | None = None
    kappa_reason: str | None = None
    kappa_interval: tuple[float, float] | None = None
    gaps: tuple[tuple[float, int], ...] = ()
    held_back: int = 0
    presets: Mapping[str, PresetFigures] = field(default_factory=dict)
    ordered: bool = True
    made_by: MadeBy = field(default_factory=MadeBy)
    note: str | None = None
