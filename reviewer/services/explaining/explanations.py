"""How a figure came about: the formula with the numbers filled in, and the option that decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import in_percent, numeral
from reviewer.scoring.registry import CONTRADICTIONS, how_scored
from reviewer.services.explaining.explanations_words import Step, summed
from reviewer.services.figures.bands import END, OFF, BandOrScore, shown_adjusted
from reviewer.services.project.figure_rules import NO_RULE, derivations, derive, overall_rule
from reviewer.services.tallying.live_figures import (
    CaseFigures,
    EvaluationFigures,
    MadeBy,
    MetricFigures,
    PresetFigures,
)
from reviewer.stats.deviations import PRESETS, DeviationOptions, Deviations
from reviewer.stats.satisfaction import OverallRule, Part

RULE_WORDS = {"gt": "more than", "ge": "at least"}
TOP_WORDS = {"largest": "largest", "smallest": "smallest", "recent": "most recent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is in view: the figures of a metric, of the overall, and of one evaluation.

    Attributes:
        case: None while the evaluation is hidden.
        overall: None where the rubric has no overall.
    """

    rubric: Rubric
    metric: str
    run: MetricFigures
    overall: MetricFigures | None = None
    case: EvaluationFigures | None = None


def explain(shown: Shown) -> tuple[Step, ...]:
    """Explain a metric's figures, then the overall's, and what the presets would say."""
    one = shown.case.metrics.get(shown.metric) if shown.case is not None else None
    steps = _derived_steps(shown) + _metric_steps(shown.run, one)
    scored = how_scored(shown.rubric.by_name[shown.metric])
    if scored is not None:
        title, words = scored
        steps.append(Step(f"The auto score: {title}", words))
    if shown.overall is not None:
        steps += overall_steps(shown.rubric, shown.overall, shown.case)
        whole = None
        if shown.case is not None:
            mine = shown.case.overall
            whole = CaseFigures(mine.auto, mine.human, mine.gap, mine.adjusted)
        title = shown.overall.title
        steps += [
            replace(step, title=f"{title}: {step.title[:1].lower()}{step.title[1:]}")
            for step in _set_steps(shown.overall, whole)
        ]
    found = CONTRADICTIONS.get(shown.rubric.name, ())
    steps += [Step("Where the published texts contradict themselves", text) for text in found[:1]]
    steps += [Step("", text) for text in found[1:]]
    return tuple(steps)


def _derived_steps(shown: Shown) -> list[Step]:
    """Explain a value that follows from other metrics, where nobody gave one."""
    found = derivations(shown.rubric).get(shown.metric)
    case = shown.case.metrics if shown.case is not None else {}
    one = case.get(shown.metric)
    if found is None or one is None or not (one.derived or one.from_parts is not None):
        return []
    parts = [case.get(name) for name in found.parts]
    steps = []
    for side in ("auto", "human"):
        values = [getattr(part, side) for part in parts if part is not None]
        value = one.auto if side == "auto" else one.from_parts
        if value is None or None in values or found.way == "weighted_mean":
            continue
        made = derive(found, dict(zip(found.parts, values, strict=True)), NO_RULE)
        if made is None or round(made - value, 9):
            # a value of its own, which only looks derived because the other side is
            continue
        formula = f"{found.way}({', '.join(map(numeral, values))}) = {numeral(value)}"
        words = f"Worked out from {', '.join(found.parts)}."
        if side == "human":
            words += " Nobody labelled it: it counts in no gap (derived_labels = none)."
        steps.append(Step(f"{side.capitalize()} score of this response", words, formula))
    return steps


def _metric_steps(figures: MetricFigures, case: CaseFigures | None) -> list[Step]:
    if not figures.ordered:
        words = "The values are categories: none is higher than another, so there is no gap."
        return [Step("No gap", words)]
    steps = [] if case is None else _case_steps(case, figures.made_by)
    return [*steps, *_set_steps(figures, case)]


def _set_steps(figures: MetricFigures, case: CaseFigures | None) -> list[Step]:
    """Explain what follows from the gaps of all evaluations, for a metric or for the overall."""
    options = figures.made_by.options
    steps = [_gap_step(figures), *_side_steps(figures.deviations, options)]
    steps.append(_band_step(figures, options))
    if case is not None and case.auto is not None:
        steps.append(_adjusted_case(case, figures.shown_band, options))
    steps.append(_adjusted_step(figures))
    for name, other in figures.presets.items():
        if name != figures.made_by.preset or figures.made_by.changed:
            steps.append(
                Step(f"With the preset “{name}”", _other_text(figures, other, case, PRESETS[name]))
            )
    return steps


def _case_steps(case: CaseFigures, made_by: MadeBy) -> list[Step]:
    steps = []
    if case.decided and case.human is not None:
        words = "A decision stands above all labels."
        steps.append(Step("Human score of this response", words, f"{numeral(case.human)}"))
    elif len(case.parts) > 1 and case.human is not None:
        how = made_by.options.label_combine
        formula = f"{how} of {', '.join(map(numeral, case.parts))} = {numeral(case.human)}"
        if how == "mean":
            formula = summed(case.parts, f"{len(case.parts)}", case.human)
        words = f"{len(case.parts)} people labelled it (label_combine = {how})."
        if how == "consensus":
            words += " A consensus takes all labels together: it weighs people by how they err."
        steps.append(Step("Human score of this response", words, formula))
    if case.human is None or case.auto is None or case.gap is None:
        missing = "human score" if case.human is None else "auto score"
        words = f"There is no {missing} yet, so there is no gap."
        return [*steps, Step("Gap of this response", words)]
    formula = f"human − auto = {numeral(case.human)} − {numeral(case.auto)} = {numeral(case.gap)}"
    side = "higher than" if case.gap > 0 else "lower than" if case.gap < 0 else "the same as"
    words = f"People are {side} the judge."
    if abs(case.gap) <= made_by.options.tie_eps and case.gap:
        words = f"Within tie_eps = {made_by.options.tie_eps:g} it counts as equal."
    return [*steps, Step("Gap of this response", words, formula)]


def _gap_step(figures: MetricFigures) -> Step:
    found, made_by = figures.deviations, figures.made_by
    if found.gap_mean is None:
        return Step(
            "Mean gap", f"No evaluation has both an auto and a human score {_window(made_by)}."
        )
    n = found.n_labelled
    total = found.gap_mean * n
    formula = f"sum of gaps / n = {numeral(total)} / {n:,} = {numeral(found.gap_mean)}"
    return Step(
        "Mean gap",
        f"People were higher {found.n_higher:,} times, lower {found.n_lower:,} times, equal "
        f"{found.n_equal:,} times, {_window(made_by)}.",
        formula,
    )


def _window(made_by: MadeBy) -> str:
    if made_by.since is None or made_by.until is None:
        return "with no window (window_months = none)"
    options = made_by.options
    length = f"window_months = {options.window_months}"
    if options.window_days is not None:
        length = f"window_days = {options.window_days}"
    what = "labelled" if options.window_date == "label" else "evaluated"
    return f"{what} from {made_by.since} to {made_by.until} ({length})"


def _side_steps(found: Deviations, options: DeviationOptions) -> list[Step]:
    sides = (
        ("Upper deviation", "higher", found.n_higher, found.kept_upper, found.upper),
        ("Lower deviation", "lower", found.n_lower, found.kept_lower, found.lower),
    )
    rule = f"deviation_rule = {options.deviation_rule}"
    share = f"{options.top_num}/{options.top_den}"
    steps = []
    for title, word, count, kept, value in sides:
        if value is None:
            needed = f"{RULE_WORDS[options.deviation_rule]} {options.min_records}"
            words = f"None: people were {word} {count:,} times, and {needed} are needed ({rule})."
            if found.n_labelled < options.min_labelled:
                words = f"None: fewer than {options.min_labelled} are labelled (min_labelled)."
            steps.append(Step(title, words))
            continue
        by = {"kept": kept, "side": count, "labelled": found.n_labelled}
        divisor = by[options.deviation_denominator]
        which = TOP_WORDS[options.top_which]
        formula = (
            f"sum of the {which} {kept:,} / {divisor:,} = {numeral(value * divisor)} / "
            f"{divisor:,} = {numeral(value)}"
        )
        words = (
            f"Kept are the {which} {share} of {count:,} gaps: {kept:,} "
            f"(top_rounding = {options.top_rounding}), divided by the number "
            f"{_DIVISOR[options.deviation_denominator]}; {count:,} are "
            f"{RULE_WORDS[options.deviation_rule]} {options.min_records} ({rule})."
        )
        steps.append(Step(title, words, formula))
    return steps


_DIVISOR = {
    "kept": "kept (deviation_denominator = kept)",
    "side": "on this side (deviation_denominator = side)",
    "labelled": "labelled (deviation_denominator = labelled)",
}


def _band_step(figures: MetricFigures, options: DeviationOptions) -> Step:
    found, shown = figures.deviations, figures.shown_band
    if shown.gate is None and shown.value is None:
        return Step("Error band", f"None: {shown.reason}.")
    enough = f"{RULE_WORDS[options.band_rule]} {options.min_records}"
    gate = f"band_gate = {options.band_gate}, band_rule = {options.band_rule}"
    band = shown.words(numeral)
    if options.composite_band == "metrics":
        words = "The metrics' bands by their weights (composite_band = metrics), for the overall."
        return Step("Error band", words, band)
    formula = f"mean gap of all labelled = {band}"
    if options.band_population == "discordant":
        n = found.n_higher + found.n_lower
        formula = f"mean gap of the {n:,} that differ = {band} (band_population = discordant)"
    reasons = {
        "both_sides": f"Both sides have {enough} ({gate}).",
        "one_side": f"One side has {enough} ({gate}, one_sided = mean_gap).",
        "count": f"The count is {enough} ({gate}).",
        "own_side": "It is the one deviation that exists (one_sided = own_side).",
        "too_few_labelled": f"Fewer than {options.min_labelled} are labelled (min_labelled).",
        "none": (
            f"The sides have {found.n_higher:,} and {found.n_lower:,}, and {enough} are needed "
            f"{_GATES[options.band_gate]} ({gate}, one_sided = {options.one_sided})."
        ),
    }
    means = found.band_source in ("both_sides", "one_side", "count")
    return Step("Error band", reasons[found.band_source], formula if means else band)


_GATES = {
    "both": "on both",
    "any": "on one of them",
    "sum": "together",
    "labelled": "in all, equal ones included",
}


def _adjusted_case(case: CaseFigures, band: BandOrScore, options: DeviationOptions) -> Step:
    title, shown = "Adjusted score of this response", case.adjusted
    if band.value is None or shown.value is None:
        return Step(title, f"None: {shown.reason}.", shown.words(numeral) if shown.gate else "")
    value = (case.auto or 0.0) + band.value
    formula = f"auto + band = {numeral(case.auto)} + {numeral(band.value)} = {numeral(value)}"
    words = f"Shown as it is (clip = {options.clip})."
    if shown.mark == OFF:
        words = f"It lies off the scale. {words}"
    elif shown.mark == END:
        words = f"Shown as {numeral(shown.value)}, the end of the scale (clip = {options.clip})."
    return Step(title, words, formula)


def _adjusted_step(figures: MetricFigures) -> Step:
    if figures.auto_mean is None or figures.adjusted_mean is None:
        return Step("Adjusted mean", "There are no auto scores in scope.")
    shown, band = figures.shown_adjusted, figures.shown_band.value
    if shown.value is None or band is None:
        formula = shown.words(numeral) if shown.gate else ""
        return Step("Adjusted mean", f"None: {shown.reason}.", formula)
    formula = (
        f"mean of {figures.n_auto:,} auto scores + band = {numeral(figures.auto_mean)} + "
        f"{numeral(band)} = {numeral(figures.adjusted_mean)}"
    )
    words = "It has no error bar: the corrected mean with its interval stands on the Audit page."
    if figures.made_by.options.clip == "hard":
        formula = f"mean of {figures.n_auto:,} adjusted scores = {numeral(shown.value)}"
        words = f"Each score is held on the scale before the mean (clip = hard). {words}"
    elif shown.mark:
        words = f"{shown.note} {words}"
    return Step("Adjusted mean", words, formula)


def _other_text(
    figures: MetricFigures,
    other: PresetFigures,
    case: CaseFigures | None,
    options: DeviationOptions,
) -> str:
    found, mine = other.deviations, figures.deviations
    here = None
    if case is not None and case.auto is not None:
        here = shown_adjusted(case.auto, other.band, bounds=case.bounds, options=options)
    same = (found.upper, found.lower, other.band) == (mine.upper, mine.lower, figures.shown_band)
    mine_here = None if case is None else case.adjusted
    if same and other.adjusted == figures.shown_adjusted and here in (None, mine_here):
        return "The same."
    words = (
        f"Upper {numeral(found.upper)}, lower {numeral(found.lower)}, band "
        f"{other.band.words(numeral)}, adjusted mean {other.adjusted.marked(numeral)}."
    )
    return words if here is None else f"{words} This response: {here.marked(numeral)}."


Values = Mapping[str, float | None]


def overall_steps(
    rubric: Rubric, figures: MetricFigures, case: EvaluationFigures | None
) -> list[Step]:
    """Explain the overall of an evaluation, on the judge's and on people's side."""
    rule = overall_rule(rubric, figures.made_by.options)
    title = figures.title
    steps = [Step(f"{title}: how it is made", _rule_words(rule))]
    if case is None:
        return steps
    autos = {name: one.auto for name, one in case.metrics.items()}
    found = case.overall
    if found.auto is None:
        steps.append(Step(f"{title} of this response, auto", _missing(rule, autos)))
    else:
        formula = _weighted(rule, autos, found.auto)
        steps.append(Step(f"{title} of this response, auto", "", formula))
    return [*steps, *_human(title, rule, case, autos)]


def _human(title: str, rule: OverallRule, case: EvaluationFigures, autos: Values) -> list[Step]:
    found = case.overall
    if found.human is None:
        words = "Nobody labelled a metric that counts, or a part is missing."
        return [Step(f"{title} of this response, human", words)]
    merged = {part.name: _said(case.metrics.get(part.name), autos, part) for part in rule.parts}
    borrowed = [
        part.name
        for part in rule.parts
        if part.weight
        and merged[part.name] is not None
        and _label(case.metrics.get(part.name)) is None
    ]
    words = f"{in_percent(found.covered, 0)} of the weight is labelled."
    if borrowed:
        words += f" Without a label the auto score stands: {', '.join(borrowed)}."
    if found.mixed:
        words += " It is mixed: a labelled metric has no auto score."
    steps = [Step(f"{title} of this response, human", words, _weighted(rule, merged, found.human))]
    if found.gap is not None:
        gap = f"{numeral(found.human)} − {numeral(found.auto)} = {numeral(found.gap)}"
        steps.append(Step(f"{title} of this response, gap", "", f"human − auto = {gap}"))
    return steps


def _label(one: CaseFigures | None) -> float | None:
    return None if one is None else one.human


def _said(one: CaseFigures | None, autos: Values, part: Part) -> float | None:
    label = _label(one)
    return autos.get(part.name) if label is None else label


def _weighted(rule: OverallRule, values: Values, result: float) -> str:
    """Write the weighted mean of the values there are, each on the range of the overall."""
    terms, weights = [], []
    for part in rule.parts:
        value = values.get(part.name)
        if value is not None and part.weight:
            brought = rule.brought(part, value, rule.range)
            terms.append(f"{numeral(part.weight)} × {numeral(brought)}")
            weights.append(numeral(part.weight))
    return f"({' + '.join(terms)}) / ({' + '.join(weights)}) = {numeral(result)}"


def _missing(rule: OverallRule, values: Values) -> str:
    gone = [part.name for part in rule.parts if part.weight and values.get(part.name) is None]
    words = f"There is none: {', '.join(gone)} has no score." if gone else "There is none."
    return f"{words} The rubric says missing = {rule.missing}."


def _rule_words(rule: OverallRule) -> str:
    low, high = rule.range
    weights = ", ".join(f"{part.name} {numeral(part.weight)}" for part in rule.parts)
    words = (
        f"Mean of the metrics by weight ({weights}), from {numeral(low)} to {numeral(high)}. "
        "Where a metric is missing "
    )
    words += "there is no overall" if rule.missing == "null" else "the others share its weight"
    turned = [part.name for part in rule.parts if not part.higher_is_better]
    if turned:
        words += f"; lower is better for {', '.join(turned)}, which is turned round"
    there = [part for part in rule.parts if part.weight]
    other = [part.name for part in there if (part.low, part.high) != (low, high)]
    if other:
        words += f"; brought to that range (rescale = {rule.rescale}): {', '.join(other)}"
    return f"{words}."
