"""Running tallies as the figures that a screen shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from msgspec import structs

from reviewer.domain.rubric import Metric
from reviewer.scoring.overall import grade_bands
from reviewer.services.figures.bands import (
    Band,
    BandOrScore,
    of_metrics,
    shown_adjusted,
    shown_band,
)
from reviewer.services.figures.statistics_words import (
    MIXED,
    joined,
    left_out_note,
    none_drawn_note,
    skew_note,
)
from reviewer.services.project.figure_rules import scale_values, verdict_rule
from reviewer.services.tallying.live_cases import Case, Rules
from reviewer.services.tallying.live_figures import (
    CaseFigures,
    EvaluationFigures,
    MadeBy,
    MetricFigures,
    OverallFigures,
    PresetFigures,
)
from reviewer.services.tallying.live_loading import MetricTally, Tallies
from reviewer.stats.agreement import Agreement, coefficient, coefficient_or_reason
from reviewer.stats.deviations import PRESETS, DeviationOptions, Deviations, no_gaps
from reviewer.stats.figure import COEFFICIENTS_FROM
from reviewer.stats.figures import Figures
from reviewer.stats.intervals import Interval
from reviewer.stats.reasons import UNORDERED
from reviewer.stats.satisfaction import grade, overall, verdict
from reviewer.stats.tally import ClippedSums

NO_LEVELS = "the overall has no levels"
OVERALL_TITLE = "Overall"


def statistic(metric: Metric) -> str:
    """Name the coefficient that is shown beside a metric."""
    return metric.kind.coefficient


def made_by(tallies: Tallies) -> MadeBy:
    """Say how figures are made, as of the day that the tallies stand at."""
    chosen, span = tallies.choices, tallies.overall.span
    return MadeBy(
        chosen.preset, chosen.options, chosen.changed, span.start, span.end, chosen.look_back
    )


def metric_figures(metric: Metric, tally: MetricTally, how: MadeBy) -> MetricFigures:
    """Read a metric's figures; the interval comes with `with_interval`."""
    pairs, options = tally.pairs, how.options
    if not metric.is_numeric:
        return _named(metric, tally, options)
    found = pairs.figures(options)
    presets = _presets(pairs.deviations, (options, found), len(pairs), metric.bounds)
    band = shown_band(
        _own(found.deviations), n_labelled=found.deviations.n_labelled, n_human=len(pairs)
    )
    return MetricFigures(
        name=metric.name,
        title=metric.heading,
        n_auto=found.n_auto,
        n_labelled=found.deviations.n_labelled,
        n_pairs=pairs.n_table if pairs.scale else found.n_pairs,
        auto_mean=found.auto_mean,
        human_mean=found.human_mean,
        gap_mean=found.deviations.gap_mean,
        adjusted_mean=found.adjusted_mean,
        deviations=found.deviations,
        shown_band=band,
        shown_adjusted=_adjusted(found, band, tally.clipped, options, metric.bounds),
        kappa=found.kappa_quadratic,
        kappa_reason=found.undefined.get("kappa_quadratic"),
        gaps=_histogram(pairs.gaps(options)),
        held_back=tally.held,
        presets=presets,
        made_by=how,
        note=_note(metric, tally),
    )


def band_of(metric: Metric, tallies: Tallies) -> BandOrScore:
    """Show the band of a metric as `metric_figures` does; categories have none."""
    if not metric.is_numeric:
        return BandOrScore(reason=UNORDERED)
    pairs = tallies.metrics[metric.name].pairs
    found = pairs.deviations(tallies.choices.options)
    return shown_band(_own(found), n_labelled=found.n_labelled, n_human=len(pairs))


def _own(found: Deviations) -> Band:
    return Band(found.band, found.gate)


def _adjusted(
    found: Figures,
    band: BandOrScore,
    autos: ClippedSums,
    options: DeviationOptions,
    bounds: tuple[float, float] | None,
) -> BandOrScore:
    held = None
    if options.clip == "hard" and bounds is not None and band.value is not None:
        held = autos.mean(band.value, bounds)
    return shown_adjusted(found.auto_mean, band, bounds=bounds, options=options, held=held)


def _note(metric: Metric, tally: MetricTally) -> str | None:
    """Say what kappa hides where one class dominates, from as many pairs as show it."""
    evidence = tally.pairs.table_evidence()
    table = evidence.table
    chosen = _chosen_note(tally)
    if evidence.scale is None or table.sum() < COEFFICIENTS_FROM:
        return chosen
    varied = min(np.count_nonzero(table.sum(axis=side)) for side in (0, 1)) > 1
    if varied and np.trace(table) < 0.8 * table.sum() - 1e-9:
        return chosen
    plain = {name: coefficient(evidence, name) for name in ("percent", "kappa")}
    found = Agreement(n=len(tally.pairs), n_table=0, values=plain)
    return joined(skew_note(found, evidence, scale_values(metric)), chosen)


def _chosen_note(tally: MetricTally) -> str | None:
    """Say what is left out as chosen, or counts although it was."""
    pairs = tally.pairs
    if pairs.is_mixed:
        return MIXED
    if pairs.n_left_out:
        return left_out_note(pairs.n_left_out)
    return None if not pairs.n_chosen or pairs.has_drawn else none_drawn_note(pairs.n_chosen)


def _named(metric: Metric, tally: MetricTally, options: DeviationOptions) -> MetricFigures:
    pairs = tally.pairs
    kappa, why = coefficient_or_reason(pairs.table_evidence(), "kappa")
    inside = pairs.deviations(options)
    return MetricFigures(
        name=metric.name,
        title=metric.heading,
        n_auto=pairs.autos.n,
        n_labelled=inside.n_labelled,
        n_pairs=pairs.n_table,
        auto_mean=None,
        human_mean=None,
        gap_mean=None,
        adjusted_mean=None,
        deviations=no_gaps(inside.n_labelled, inside.n_equal),
        shown_band=BandOrScore(reason=UNORDERED),
        shown_adjusted=BandOrScore(reason=UNORDERED),
        kappa=kappa,
        kappa_reason=why,
        held_back=tally.held,
        ordered=False,
        note=_chosen_note(tally),
    )


def _histogram(gaps: Iterable[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """Count gaps that differ only by rounding as one."""
    found: dict[float, int] = {}
    for gap, count in gaps:
        place = round(gap, 9) + 0.0
        found[place] = found.get(place, 0) + count
    return tuple(found.items())


def with_interval(found: MetricFigures, interval: Interval | None) -> MetricFigures:
    """Add the interval of kappa."""
    if interval is None:
        return found
    return structs.replace(found, kappa_interval=(interval.low, interval.high))


def overall_figures(rules: Rules, tallies: Tallies) -> MetricFigures:
    """Read the overall's figures."""
    tally, options = tallies.overall, tallies.choices.options
    found = tally.figures(options)
    n_labelled = found.deviations.n_labelled
    band = _overall_band(rules, tallies, found.deviations)
    shown = shown_band(band, n_labelled=n_labelled, n_human=len(tally))
    autos, bounds = tallies.overall_autos, rules.overall.range

    return MetricFigures(
        name="overall",
        title=title_of_overall(rules),
        n_auto=found.n_auto,
        n_labelled=n_labelled,
        n_pairs=n_labelled,
        auto_mean=found.auto_mean,
        human_mean=found.human_mean,
        gap_mean=found.deviations.gap_mean,
        adjusted_mean=None if found.auto_mean is None else found.auto_mean + band.value,
        deviations=replace(found.deviations, band=band.value),
        shown_band=shown,
        shown_adjusted=_adjusted(found, shown, autos, options, bounds),
        kappa_reason=NO_LEVELS,
        gaps=_histogram(tally.gaps(options)),
        held_back=sum(one.held for one in tallies.metrics.values()),
        presets=_presets(
            lambda options: tally.figures(options).deviations, (options, found), len(tally), bounds
        ),
        made_by=made_by(tallies),
    )


def _overall_band(rules: Rules, tallies: Tallies, found: Deviations) -> Band:
    """Give the overall's own band, or that of its metrics by weight where the options say so."""
    options, own = tallies.choices.options, _own(found)
    if options.composite_band != "metrics":
        return own
    weighted = [part for part in rules.overall.parts if part.weight]
    pairs = [tallies.metrics[part.name].pairs for part in weighted]
    bands = [_own(one.deviations(options)) for one in pairs]
    return of_metrics([part.weight for part in weighted], bands) or own


def title_of_overall(rules: Rules) -> str:
    """Name the overall as the rubric does, where it has a derived metric for it."""
    named = [metric.heading for metric in rules.rubric.metrics if metric.name in rules.wholes]
    return named[0] if named else OVERALL_TITLE


def _presets(
    deviations: Callable[[DeviationOptions], Deviations],
    known: tuple[DeviationOptions, Figures],
    n_human: int,
    bounds: tuple[float, float] | None,
) -> dict[str, PresetFigures]:
    """Work out bands and means under every preset; `known` are figures and their options."""
    made = {}
    own, found = known
    for name, options in PRESETS.items():
        gaps = found.deviations if options == own else deviations(options)
        band = shown_band(_own(gaps), n_labelled=gaps.n_labelled, n_human=n_human)
        mean = shown_adjusted(found.auto_mean, band, bounds=bounds, options=options)
        made[name] = PresetFigures(gaps, band, mean)
    return made


def evaluation_figures(
    rules: Rules,
    tallies: Tallies,
    case: Case,
    *,
    autos: Mapping[str, float | None],
    bands: Mapping[str, BandOrScore],
    place: int | None,
) -> EvaluationFigures:
    """Work out the figures of one evaluation; `bands` by metric, the overall's as `overall`."""
    options = tallies.choices.options
    whole = _overall(rules, case, autos, bands["overall"], options)
    metrics: dict[str, CaseFigures] = {}
    for metric in rules.rubric.metrics:
        if not metric.is_numeric:
            metrics[metric.name] = CaseFigures()
            continue
        if metric.name in rules.wholes:
            metrics[metric.name] = CaseFigures(
                auto=whole.auto,
                human=whole.human,
                gap=whole.gap,
                adjusted=whole.adjusted,
                derived=whole.auto is not None,
                bounds=rules.overall.range,
            )
            continue
        auto, human = autos.get(metric.name), case.humans.get(metric.name)
        parts = case.shown.get(metric.name)
        score = human.score if human is not None else None
        made = place is not None and place in tallies.metrics[metric.name].derived_autos
        metrics[metric.name] = CaseFigures(
            auto=auto,
            human=score,
            gap=score - auto if score is not None and auto is not None else None,
            adjusted=shown_adjusted(
                auto, bands[metric.name], bounds=metric.bounds, options=options
            ),
            derived=made,
            from_parts=parts.score if parts is not None and human is None else None,
            parts=() if human is None else human.parts,
            decided=human is not None and human.decided,
            bounds=metric.bounds,
        )
    return EvaluationFigures(metrics, whole)


def _overall(
    rules: Rules,
    case: Case,
    autos: Mapping[str, float | None],
    band: BandOrScore,
    options: DeviationOptions,
) -> OverallFigures:
    if not rules.overall.parts:
        return OverallFigures()
    humans = case.scores()
    rule = replace(rules.overall, require_weighted_label=options.require_weighted_label)
    found = overall(autos, humans, rule)
    best = grade(found.auto if found.human is None else found.human, grade_bands(rules.rubric))
    passing = verdict_rule(rules.rubric, options)
    return OverallFigures(
        auto=found.auto,
        human=found.human,
        gap=found.gap,
        adjusted=shown_adjusted(found.auto, band, bounds=rules.overall.range, options=options),
        covered=found.covered,
        mixed=found.mixed,
        grade=best.grade if best else None,
        meaning=best.meaning if best else "",
        auto_verdict=verdict(autos, passing),
        human_verdict=verdict(humans, passing, need_all=True),
    )
