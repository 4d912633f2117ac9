"""Explanations carry the numbers of the case and name the option that decided."""

from datetime import date
from typing import Any

import pytest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import numeral
from reviewer.services.explaining.explanations import Shown, explain
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.bands import Band, BandOrScore, shown_adjusted, shown_band
from reviewer.services.figures.figure_settings import options_of
from reviewer.services.project.rubrics import shipped
from reviewer.services.tallying.live_figures import (
    CaseFigures,
    EvaluationFigures,
    MadeBy,
    MetricFigures,
    OverallFigures,
    PresetFigures,
)
from reviewer.stats.deviations import PRESETS, PUBLISHED, DeviationOptions, deviations
from tests.services.figure_projects import LEVELS

RUBRIC = Rubric(
    name="two",
    metrics=(
        Metric(name="accuracy", weight=2, levels=LEVELS),
        Metric(name="safety", weight=1, levels=LEVELS),
    ),
)
WINDOW = (date(2026, 2, 28), date(2026, 8, 31))


def figures(
    gaps: list[float], preset: str = "published", title: str = "Accuracy", **changes: str
) -> MetricFigures:
    options = options_of(preset, tuple(changes.items()))
    found = deviations(gaps, options)
    band, adjusted = shown(gaps, options)
    presets = {
        name: PresetFigures(deviations(gaps, other), *shown(gaps, other))
        for name, other in PRESETS.items()
    }
    return MetricFigures(
        name="accuracy",
        title=title,
        n_auto=500,
        n_labelled=found.n_labelled,
        n_pairs=found.n_labelled,
        auto_mean=3.0,
        human_mean=None,
        gap_mean=found.gap_mean,
        adjusted_mean=3.0 + found.band,
        deviations=found,
        shown_band=band,
        shown_adjusted=adjusted,
        presets=presets,
        made_by=MadeBy(preset, options, tuple(changes), *WINDOW),
    )


def shown(gaps: list[float], options: DeviationOptions) -> tuple[BandOrScore, BandOrScore]:
    """The band, and the adjusted mean of auto scores around 3."""
    found = deviations(gaps, options)
    band = shown_band(Band(found.band, found.gate), n_labelled=len(gaps), n_human=len(gaps))
    return band, shown_adjusted(3.0, band, bounds=(1.0, 5.0), options=options)


def steps(found: MetricFigures, case: CaseFigures | None = None) -> dict[str, Step]:
    shown = None if case is None else EvaluationFigures({"accuracy": case})
    made = explain(Shown(rubric=RUBRIC, metric="accuracy", run=found, case=shown))
    return {step.title: step for step in made}


def test_exactly_thirty_on_each_side_has_a_band_and_no_deviation() -> None:
    said = steps(figures([1.0] * 30 + [-0.5] * 30 + [0.0] * 40))
    assert said["Upper deviation"].text == (
        "None: people were higher 30 times, and more than 30 are needed (deviation_rule = gt)."
    )
    assert said["Error band"].formula == "mean gap of all labelled = 0.15"
    assert said["Error band"].text == (
        "Both sides have at least 30 (band_gate = both, band_rule = ge)."
    )
    assert "500 auto scores + band = 3 + 0.15 = 3.15" in said["Adjusted mean"].formula
    assert "Upper 1, lower −0.5, band 0.15" in said["With the preset “recommended”"].text


def test_one_side_alone_is_named_with_the_option_that_decided() -> None:
    said = steps(figures([1.0] * 60 + [-2.0] * 5 + [0.0] * 35))
    assert "one_sided = own_side" in said["Error band"].text
    upper = said["Upper deviation"]
    assert upper.formula == "sum of the largest 54 / 54 = 54 / 54 = 1"
    assert "the largest 9/10 of 60 gaps: 54 (top_rounding = ceil)" in upper.text
    assert "60 are more than 30 (deviation_rule = gt)" in upper.text
    assert "band 0.5" in said["With the preset “recommended”"].text


@pytest.mark.parametrize(
    ("divisor", "formula"),
    [
        ("kept", "sum of the largest 28 / 28 = 20 / 28 = 0.7143"),
        ("side", "sum of the largest 28 / 31 = 20 / 31 = 0.6452"),
        ("labelled", "sum of the largest 28 / 40 = 20 / 40 = 0.5"),
    ],
)
def test_the_divisor_is_that_of_the_option(divisor: str, formula: str) -> None:
    gaps = [0.5] * 27 + [2.0] * 4 + [0.0] * 9
    said = steps(figures(gaps, deviation_denominator=divisor))
    assert said["Upper deviation"].formula == formula
    assert f"deviation_denominator = {divisor}" in said["Upper deviation"].text


def test_with_changed_options_both_presets_are_others() -> None:
    said = steps(figures([1.0] * 40, min_records="50"))
    assert "more than 50" in said["Upper deviation"].text
    assert "band 1" in said["With the preset “published”"].text
    assert "band 1" in said["With the preset “recommended”"].text


def test_too_few_labels_are_said() -> None:
    said = steps(figures([1.0] * 3))
    assert said["Error band"].formula == "— 3 of 31"
    assert said["Adjusted mean"].formula == "— 3 of 31"
    assert "needs 31 labelled responses on one side; there are 3" in said["Adjusted mean"].text
    assert "band — 3 of 30, adjusted mean — 3 of 30" in said["With the preset “recommended”"].text
    assert said["Error band"].text.startswith("The sides have 3 and 0")
    assert said["Mean gap"].formula == "sum of gaps / n = 3 / 3 = 1"
    assert "evaluated from 2026-02-28 to 2026-08-31 (window_months = 6)" in said["Mean gap"].text


def test_nothing_labelled_is_said() -> None:
    said = steps(figures([]), CaseFigures(auto=4.0))
    assert "no human score yet" in said["Gap of this response"].text
    assert "No evaluation has both" in said["Mean gap"].text
    assert said["Error band"] == Step("Error band", "None: nobody has labelled this.")
    assert said["Adjusted score of this response"].formula == ""


def labelled(**more: Any) -> CaseFigures:
    band, _ = shown([1.0] * 31, PUBLISHED)
    adjusted = shown_adjusted(4.5, band, bounds=(1.0, 5.0), options=PUBLISHED)
    return CaseFigures(auto=4.5, human=2.5, gap=-2.0, adjusted=adjusted, bounds=(1.0, 5.0), **more)


def test_the_case_in_view_is_worked_out() -> None:
    found = figures([1.0] * 31)
    said = steps(found, labelled(parts=(2.0, 3.0)))
    assert said["Human score of this response"].formula == "(2 + 3) / 2 = 2.5"
    assert "label_combine = mean" in said["Human score of this response"].text
    assert said["Gap of this response"].formula == "human − auto = 2.5 − 4.5 = −2"
    adjusted = said["Adjusted score of this response"]
    assert (adjusted.formula, adjusted.text) == (
        "auto + band = 4.5 + 1 = 5.5",
        "It lies off the scale. Shown as it is (clip = none).",
    )
    other = said["With the preset “recommended”"].text
    assert "This response: 5 (end of the scale)." in other
    decided = steps(found, labelled(parts=(2.5,), decided=True))
    assert "decision" in decided["Human score of this response"].text


def test_the_overall_is_worked_out_from_its_parts() -> None:
    run = figures([1.0])
    overall = figures([1.0], title="Overall")
    case = EvaluationFigures(
        {"accuracy": CaseFigures(auto=4.0, human=5.0), "safety": CaseFigures(auto=2.0)},
        OverallFigures(auto=10 / 3, human=4.0, gap=2 / 3, covered=2 / 3),
    )
    made = explain(Shown(rubric=RUBRIC, metric="accuracy", run=run, overall=overall, case=case))
    said = {step.title: step for step in made}
    assert said["Overall of this response, auto"].formula == "(2 × 4 + 1 × 2) / (2 + 1) = 3.3333"
    human = said["Overall of this response, human"]
    assert human.formula == "(2 × 5 + 1 × 2) / (2 + 1) = 4"
    assert human.text == (
        "67 % of the weight is labelled. Without a label the auto score stands: safety."
    )
    assert said["Overall of this response, gap"].formula == "human − auto = 4 − 3.3333 = 0.6667"
    assert "Overall: error band" in said


@pytest.mark.parametrize(
    ("system", "metric", "words"),
    [
        ("harness", "response_quality", '"442300" does not stand in "$442,300"'),
        ("harness", "tool_usage", "89.5 %"),
        ("agent-rubric", "factual_accuracy", "0.6999999999999998"),
        ("faq-bot", "politeness", "markers"),
        ("guest-response", "safety", "2.0"),
        ("virtual-agent", "slot_filling", "min_labelled = 50"),
    ],
)
def test_published_contradictions_stand_where_the_metric_is_explained(
    system: str, metric: str, words: str
) -> None:
    made = explain(Shown(rubric=shipped()[system], metric=metric, run=figures([1.0])))
    assert any(words in step.text for step in made)


def test_a_derived_value_is_worked_out_from_its_parts() -> None:
    rubric = shipped()["virtual-agent"]
    case = {
        "slot_filling": CaseFigures(auto=3.0, human=5.0),
        "intent_accuracy": CaseFigures(auto=4.0, human=4.0),
        "request_completion": CaseFigures(auto=2.0, from_parts=4.0),
    }
    made = explain(
        Shown(
            rubric=rubric,
            metric="request_completion",
            run=figures([1.0]),
            case=EvaluationFigures(case),
        )
    )
    said = {step.title: step for step in made}
    assert said["Human score of this response"].formula == "min(5, 4) = 4"
    assert "it counts in no gap" in said["Human score of this response"].text
    assert "Auto score of this response" not in said


def test_zero_is_a_number_and_has_no_sign() -> None:
    assert [numeral(x) for x in (0.0, -0.00001, 10.0, 1234.5, None)] == [
        "0", "0", "10", "1,234.5", "—",
    ]  # fmt: skip
