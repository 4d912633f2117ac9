"""Running tallies as the figures that a screen shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from msgspec import structs

from reviewer.domain.rubric import Metric
from reviewer.scoring.overall import grade_bands
from reviewer.services.figures.statistics_gaps import is_capped
from reviewer.services.figures.statistics_weighting import (
    MIXED,
    left_out_note,
    none_drawn_note,
)
from reviewer.services.figures.statistics_words import joined, skew_note
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
from reviewer.stats.agreement import Agreement, coefficient_or_reason
from reviewer.stats.auto_sums import ClippedSums
from reviewer.stats.deviations import (
    PRESETS,
    DeviationOptions,
    Deviations,
    adjusted,
    composite_band,
)
from reviewer.stats.figures import Figures
from reviewer.stats.intervals import Interval
from reviewer.stats.satisfaction import grade, overall, verdict
from reviewer.stats.words import COEFFICIENTS_FROM, word_of

NO_LEVELS = "the overall has no levels"
OVERALL_TITLE = "Overall"


def statistic(metric: Metric) -> str:
    """Name the coefficient that is shown beside a metric."""
    return "kappa" if metric.scale == "categorical" else "kappa_quadratic"


def made_by(tallies: Tallies) -> MadeBy:
    """Say how figures are made, as of the day that the tallies stand at."""
    chosen, span = tallies.choices, tallies.overall.span
    return MadeBy(chosen.preset, chosen.options, chosen.changed, span.start, span.end)


def metric_figures(metric: Metric, tally: MetricTally, how: MadeBy) -> MetricFigures:
    """Read a metric's figures; the interval comes with `with_interval`."""
    pairs, options = tally.pairs, how.options
    if metric.scale == "categorical":
        return _named(metric, tally, options)
    found = pairs.figures(options)
    presets = _presets(pairs.deviations, found, metric.bounds)
    band = found.deviations.band
    return MetricFigures(
        name=metric.name,
        title=metric.heading,
        n_auto=found.n_auto,
        n_labelled=found.deviations.n_labelled,
        n_pairs=pairs.n_table if pairs.scale else found.n_pairs,
        auto_mean=found.auto_mean,
        human_mean=found.human_mean,
        gap_mean=found.deviations.gap_mean,
        adjusted_mean=_adjusted(found, band, tally.clipped, options, metric.bounds),
        deviations=found.deviations,
        kappa=found.kappa_quadratic,
        kappa_reason=found.undefined.get("kappa_quadratic"),
        gaps=_histogram(pairs.gaps(options)),
        held_back=tally.held,
        presets=presets,
        made_by=how,
        note=_note(metric, tally),
        wordless=pairs.is_mixed,
    )


def band_of(metric: Metric, tallies: Tallies) -> float:
    """Give the band of a metric as `metric_figures` does; categories have none."""
    if metric.scale == "categorical":
        return 0.0
    return tallies.metrics[metric.name].pairs.deviations(tallies.choices.options).band


def _adjusted(
    found: Figures,
    band: float,
    autos: ClippedSums,
    options: DeviationOptions,
    bounds: tuple[float, float] | None,
) -> float | None:
    if options.clip == "hard" and bounds is not None:
        return autos.mean(band, bounds)
    return None if found.auto_mean is None else found.auto_mean + band


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
    plain = [coefficient_or_reason(evidence, name)[0] for name in ("percent", "kappa")]
    found = Agreement(n=len(tally.pairs), n_table=0, percent=plain[0], kappa=plain[1])
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
    same = inside.n_equal
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
        deviations=_nothing(inside.n_labelled, same),
        kappa=kappa,
        kappa_reason=why,
        held_back=tally.held,
        ordered=False,
        note=_chosen_note(tally),
        wordless=pairs.is_mixed,
    )


def _histogram(gaps: Iterable[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """Count gaps that differ only by rounding as one."""
    found: dict[float, int] = {}
    for gap, count in gaps:
        place = round(gap, 9) + 0.0
        found[place] = found.get(place, 0) + count
    return tuple(found.items())


def _nothing(n: int, same: int) -> Deviations:
    return Deviations(n, 0, 0, same, None, None, 0.0, "none", None, 0, 0, "none")


def with_interval(found: MetricFigures, interval: Interval | None) -> MetricFigures:
    """Add the interval of kappa, and the word of its lower bound from 30 pairs on."""
    if interval is None:
        return found
    word = "" if found.wordless else word_of("kappa", found.kappa, interval, found.n_pairs)
    ends = (interval.low, interval.high)
    return structs.replace(found, kappa_interval=ends, kappa_word=word or None)


def overall_figures(rules: Rules, tallies: Tallies) -> MetricFigures:
    """Read the overall's figures."""
    tally, options = tallies.overall, tallies.choices.options
    found = tally.figures(options)
    band = _overall_band(rules, tallies, found.deviations.band)
    autos, bounds = tallies.overall_autos, rules.overall.range

    def deviations(options: DeviationOptions) -> Deviations:
        return tally.figures(options).deviations

    return MetricFigures(
        name="overall",
        title=title_of_overall(rules),
        n_auto=found.n_auto,
        n_labelled=found.deviations.n_labelled,
        n_pairs=found.deviations.n_labelled,
        auto_mean=found.auto_mean,
        human_mean=found.human_mean,
        gap_mean=found.deviations.gap_mean,
        adjusted_mean=_adjusted(found, band, autos, options, bounds),
        deviations=replace(found.deviations, band=band),
        kappa_reason=NO_LEVELS,
        gaps=_histogram(tally.gaps(options)),
        held_back=sum(one.held for one in tallies.metrics.values()),
        presets=_presets(deviations, found, bounds),
        made_by=made_by(tallies),
    )


def _overall_band(rules: Rules, tallies: Tallies, band: float) -> float:
    """Give the overall's own band, or that of its metrics by weight where the options say so."""
    options = tallies.choices.options
    if options.composite_band != "metrics":
        return band
    weighted = [part for part in rules.overall.parts if part.weight]
    bands = [tallies.metrics[part.name].pairs.deviations(options).band for part in weighted]
    found = composite_band([part.weight for part in weighted], bands)
    return band if found is None else found


def title_of_overall(rules: Rules) -> str:
    """Name the overall as the rubric does, where it has a derived metric for it."""
    named = [name for name, x in rules.derivations.items() if x.way == "weighted_mean"]
    return rules.rubric.by_name[named[0]].heading if named else OVERALL_TITLE


def _presets(
    deviations: Callable[[DeviationOptions], Deviations],
    found: Figures,
    bounds: tuple[float, float] | None,
) -> dict[str, PresetFigures]:
    made = {}
    for name, options in PRESETS.items():
        gaps, mean = deviations(options), found.auto_mean
        made[name] = PresetFigures(
            gaps,
            None if mean is None else mean + gaps.band,
            capped=is_capped(mean, gaps.band, bounds, options),
        )
    return made


def evaluation_figures(
    rules: Rules,
    tallies: Tallies,
    case: Case,
    *,
    autos: Mapping[str, float | None],
    bands: Mapping[str, float],
    place: int | None,
) -> EvaluationFigures:
    """Work out the figures of one evaluation; `bands` by metric, the overall's as `overall`."""
    options = tallies.choices.options
    metrics: dict[str, CaseFigures] = {}
    for metric in rules.rubric.metrics:
        if metric.scale == "categorical":
            metrics[metric.name] = CaseFigures()
            continue
        auto, human = autos.get(metric.name), case.humans.get(metric.name)
        score = human.score if human is not None else None
        low, high = metric.bounds or (float("-inf"), float("inf"))
        shown = adjusted(auto, bands[metric.name], low=low, high=high, clip=options.clip)
        made = place is not None and place in tallies.metrics[metric.name].derived_autos
        metrics[metric.name] = CaseFigures(
            auto=auto,
            human=score,
            gap=score - auto if score is not None and auto is not None else None,
            adjusted=shown.shown if shown else None,
            capped=shown.capped if shown else False,
            derived=made or (human is not None and human.derived),
            parts=() if human is None else human.parts,
            decided=human is not None and human.decided,
            bounds=metric.bounds,
        )
    return EvaluationFigures(metrics, _overall(rules, case, autos, bands["overall"], options))


def _overall(
    rules: Rules,
    case: Case,
    autos: Mapping[str, float | None],
    band: float,
    options: DeviationOptions,
) -> OverallFigures:
    if not rules.overall.parts:
        return OverallFigures()
    humans = case.scores()
    rule = replace(rules.overall, require_weighted_label=options.require_weighted_label)
    found = overall(autos, humans, rule)
    low, high = rules.overall.range
    shown = adjusted(found.auto, band, low=low, high=high, clip=options.clip)
    best = grade(found.auto if found.human is None else found.human, grade_bands(rules.rubric))
    passing = verdict_rule(rules.rubric)
    return OverallFigures(
        auto=found.auto,
        human=found.human,
        gap=found.gap,
        adjusted=shown.shown if shown else None,
        covered=found.covered,
        mixed=found.mixed,
        grade=best.grade if best else None,
        meaning=best.meaning if best else "",
        auto_verdict=verdict(autos, passing),
        human_verdict=verdict(humans, passing, need_all=True),
    )
