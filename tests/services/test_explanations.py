"""Explanations carry the numbers of the case and name the option that decided."""

from reviewer.services.explanations import explain
from reviewer.services.live_figures import CaseFigures, MetricFigures, PresetFigures
from reviewer.stats.deviations import PRESETS, deviations


def figures(gaps: list[float], auto_mean: float = 3.0, n_auto: int = 500) -> MetricFigures:
    found = {name: deviations(gaps, options) for name, options in PRESETS.items()}
    presets = {
        name: PresetFigures(deviations=one, adjusted_mean=auto_mean + one.band)
        for name, one in found.items()
    }
    published = found["published"]
    return MetricFigures(
        name="accuracy",
        title="Accuracy",
        n_auto=n_auto,
        n_labelled=published.n_labelled,
        n_pairs=published.n_labelled,
        auto_mean=auto_mean,
        human_mean=None,
        gap_mean=published.gap_mean,
        adjusted_mean=auto_mean + published.band,
        deviations=published,
        presets=presets,
    )


def texts(found: MetricFigures, case: CaseFigures | None = None) -> dict[str, str]:
    return {step.title: step.text for step in explain(found, case, "published")}


def test_exactly_thirty_on_each_side_has_a_band_and_no_deviation() -> None:
    said = texts(figures([1.0] * 30 + [-0.5] * 30 + [0.0] * 40))
    assert said["Upper deviation"] == (
        "None: people were higher 30 times, and more than 30 are needed."
    )
    assert "0.15, because both sides have at least 30" in said["Error band"]
    assert "500 auto scores + band = 3 + 0.15 = 3.15" in said["Adjusted mean"]
    assert "Upper 1, lower −0.5, band 0.15" in said["With the preset “recommended”"]


def test_one_side_alone_is_named_with_the_option_that_decided() -> None:
    said = texts(figures([1.0] * 60 + [-2.0] * 5 + [0.0] * 35))
    assert "one_sided = own_side" in said["Error band"]
    assert "largest 9/10 of 60 gaps, rounded to 54 (ceil), is 1" in said["Upper deviation"]
    assert "band 0.5" in said["With the preset “recommended”"]


def test_too_few_labels_are_said() -> None:
    said = texts(figures([1.0] * 3))
    assert said["Error band"].startswith("0: the sides have 3 and 0")
    assert said["With the preset “recommended”"] == "The same."


def test_nothing_labelled_is_said() -> None:
    said = texts(figures([]), CaseFigures(auto=4.0))
    assert "no human score yet" in said["Gap of this response"]
    assert "No evaluation has both" in said["Mean gap"]


def test_the_case_in_view_is_worked_out() -> None:
    case = CaseFigures(auto=5.0, human=2.0, gap=-3.0, adjusted=4.2)
    said = texts(figures([1.0]), case)
    assert said["Gap of this response"] == "human − auto = 2 − 5 = −3."
