"""How a figure came about, in sentences with the numbers filled in."""

from dataclasses import dataclass

from reviewer.services.live_figures import CaseFigures, MetricFigures, PresetFigures
from reviewer.stats.deviations import PRESETS, DeviationOptions, Deviations

RULE_WORDS = {"gt": "more than", "ge": "at least"}


@dataclass(frozen=True, slots=True)
class Step:
    """One figure: its name, the formula with the case's numbers, and what decided it."""

    title: str
    text: str


def explain(figures: MetricFigures, case: CaseFigures | None, preset: str) -> tuple[Step, ...]:
    """Explain gap, deviations, band and adjusted scores of a metric, and the other preset's view.

    `case` is the evaluation in view, None while it is hidden.
    """
    options = PRESETS[preset]
    steps = [_case_step(case)] if case is not None else []
    steps.append(_gap_step(figures))
    steps += _side_steps(figures.deviations, options)
    steps.append(Step("Error band", _band_text(figures.deviations, options)))
    steps.append(_adjusted_step(figures))
    steps += [
        Step(f"With the preset “{name}”", _other_text(figures, other))
        for name, other in figures.presets.items()
        if name != preset
    ]
    return tuple(steps)


def _case_step(case: CaseFigures) -> Step:
    if case.human is None or case.auto is None or case.gap is None:
        missing = "human score" if case.human is None else "auto score"
        return Step("Gap of this response", f"There is no {missing} yet, so there is no gap.")
    words = f"human − auto = {_n(case.human)} − {_n(case.auto)} = {_n(case.gap)}"
    if case.derived:
        words += "; a value was worked out from other metrics"
    return Step("Gap of this response", words + ".")


def _gap_step(figures: MetricFigures) -> Step:
    found = figures.deviations
    if found.gap_mean is None:
        return Step("Mean gap", "No evaluation has both an auto and a human score in the window.")
    return Step(
        "Mean gap",
        f"The mean of {found.n_labelled} gaps in the window is {_n(found.gap_mean)}: people "
        f"were higher {found.n_higher} times, lower {found.n_lower} times, "
        f"equal {found.n_equal} times.",
    )


def _side_steps(found: Deviations, options: DeviationOptions) -> list[Step]:
    share = f"{options.top_num}/{options.top_den}"
    steps = []
    sides = (
        ("Upper deviation", "higher", found.n_higher, found.kept_upper, found.upper),
        ("Lower deviation", "lower", found.n_lower, found.kept_lower, found.lower),
    )
    for title, word, count, kept, value in sides:
        if value is None:
            needed = f"{RULE_WORDS[options.deviation_rule]} {options.min_records}"
            text = f"None: people were {word} {count} times, and {needed} are needed."
        else:
            text = (
                f"The mean of the {options.top_which} {share} of {count} gaps, rounded to {kept} "
                f"({options.top_rounding}), is {_n(value)}."
            )
        steps.append(Step(title, text))
    return steps


def _band_text(found: Deviations, options: DeviationOptions) -> str:
    enough = f"{RULE_WORDS[options.band_rule]} {options.min_records}"
    population = "all labelled" if options.band_population == "labelled" else "all differing"
    gate = f"band_gate = {options.band_gate}"
    mean = f"the mean gap of {population}, {_n(found.band)}"
    texts = {
        "both_sides": f"{mean}, because both sides have {enough} ({gate}).",
        "one_side": f"{mean}, because one side has {enough} (one_sided = mean_gap).",
        "count": f"{mean}, because the count is {enough} ({gate}).",
        "own_side": f"{_n(found.band)}: the one deviation that exists (one_sided = own_side).",
        "too_few_labelled": f"0: fewer than {options.min_labelled} are labelled (min_labelled).",
        "none": (
            f"0: the sides have {found.n_higher} and {found.n_lower}, and {enough} are needed "
            f"on {'both' if options.band_gate == 'both' else 'one'} ({gate})."
        ),
    }
    text = texts[found.band_source]
    return text[:1].upper() + text[1:]


def _adjusted_step(figures: MetricFigures) -> Step:
    if figures.auto_mean is None or figures.adjusted_mean is None:
        return Step("Adjusted mean", "There are no auto scores in scope.")
    return Step(
        "Adjusted mean",
        f"mean of {figures.n_auto} auto scores + band = {_n(figures.auto_mean)} + "
        f"{_n(figures.deviations.band)} = {_n(figures.adjusted_mean)}. It has no error bar: the "
        "corrected mean with its interval stands on the Audit page.",
    )


def _other_text(figures: MetricFigures, other: PresetFigures) -> str:
    found = other.deviations
    if found == figures.deviations:
        return "The same."
    capped = ", shown at the end of the scale" if other.capped else ""
    return (
        f"Upper {_n(found.upper)}, lower {_n(found.lower)}, band {_n(found.band)}, adjusted mean "
        f"{_n(other.adjusted_mean)}{capped}."
    )


def _n(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:.4f}".rstrip("0").rstrip(".").replace("-", "−") or "0"
