"""A band whose labels are too few is no number, wherever it is shown."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.figures.bands import (
    Band,
    BandOrScore,
    of_metrics,
    shown_adjusted,
    shown_band,
)
from reviewer.stats.deviations import PUBLISHED, RECOMMENDED, DeviationOptions, Gate
from tests.services.figure_projects import SIMPLE, again, case, figures, label, score

HARD = replace(RECOMMENDED, clip="hard")
ENDS = (1.0, 5.0)


def adjusted(auto: float | None, band: float, options: DeviationOptions) -> BandOrScore:
    return shown_adjusted(auto, BandOrScore(band), bounds=ENDS, options=options)


@pytest.mark.parametrize(
    ("options", "value", "mark"),
    [(RECOMMENDED, 5.0, "end of the scale"), (PUBLISHED, 5.3, "off the scale"),
     (HARD, 5.0, "end of the scale")],
)  # fmt: skip
def test_e12_a_response_is_clipped_on_screen_or_marked(
    options: DeviationOptions, value: float, mark: str
) -> None:
    found = adjusted(4.8, 0.5, options)
    assert found.value == pytest.approx(value)
    assert found.mark == mark
    assert adjusted(3.0, 0.5, options) == BandOrScore(3.5)


def test_e12_a_mean_is_held_only_where_that_is_asked_for() -> None:
    for options in (RECOMMENDED, PUBLISHED):
        assert adjusted(3.9, 0.5, options) == BandOrScore(4.4)
    held = shown_adjusted(3.9, BandOrScore(0.5), bounds=ENDS, options=HARD, held=4.25)
    assert held == BandOrScore(4.25, mark="held on the scale")


def test_the_end_of_the_scale_is_on_it() -> None:
    assert adjusted(4.5, 0.5 + 1e-12, RECOMMENDED).mark == ""
    assert shown_adjusted(9.0, BandOrScore(1.0), bounds=None, options=RECOMMENDED).mark == ""


def test_what_is_missing_is_said_and_never_shown_as_a_number() -> None:
    gate = Gate(28, 30, "one_side")
    few = shown_band(Band(0.0, gate), n_labelled=50, n_human=60)
    nobody = shown_band(Band(0.0, gate), n_labelled=0, n_human=0)
    outside = shown_band(Band(0.0, gate), n_labelled=0, n_human=60)
    assert [x.words(str) for x in (few, nobody, outside)] == ["— 28 of 30", "—", "—"]
    assert nobody.reason == "nobody has labelled this"
    assert outside.reason == "no evaluation inside the window has both scores"
    for band in (few, nobody, outside):
        found = shown_adjusted(4.2, band, bounds=ENDS, options=RECOMMENDED)
        assert (found.value, found.words(str)) == (None, band.words(str))
    assert few.to_json() == {
        "value": None, "n": 28, "of": 30,
        "reason": "an error band needs 30 labelled responses on one side; there are 28",
    }  # fmt: skip


def test_a_band_of_metrics_needs_labels_where_all_of_them_do() -> None:
    near, far = Gate(28, 30, "one_side"), Gate(3, 30, "one_side")
    assert of_metrics([1, 3], [Band(0.0, far), Band(0.0, near)]) == Band(0.0, near)
    found = of_metrics([1, 3], [Band(0.0, far), Band(0.4, None)])
    assert found is not None
    assert (round(found.value, 9), found.gate) == (0.3, None)
    assert of_metrics([0, 0], [Band(0.0, far), Band(0.4, None)]) is None


@pytest.mark.parametrize(("preset", "words"), [("published", "30 of 31"), ("recommended", "")])
def test_the_document_keeps_its_numbers_beside_what_is_shown(
    tmp_path: Path, preset: str, words: str
) -> None:
    cases = [case(n, [score("a", 3)], [label("a", 4)] if n < 30 else []) for n in range(60)]
    found: dict[str, Any] = figures(tmp_path / "p.review", cases, SIMPLE, preset=preset)
    block = found["metrics"]["a"]
    assert block["deviation_status"] == ("none" if words else "upper_only")
    assert (block["error_band"], block["adjusted_mean"]) == ((0, 3) if words else (1, 4))
    shown = block["shown"]["adjusted"]
    if words:
        assert (shown["value"], f"{shown['n']} of {shown['of']}") == (None, words)
        assert found["satisfaction"]["shown"]["band"]["of"] == 31
    else:
        assert shown == {"value": 4}
    json.dumps(found, allow_nan=False)


def test_a_metric_without_labels_has_no_adjusted_score(tmp_path: Path) -> None:
    path = tmp_path / "p.review"
    figures(path, [case(1, [score("a", 3)])], SIMPLE)
    block = again(path)["metrics"]["a"]
    assert block["adjusted_mean"] == 3
    assert block["shown"]["adjusted"] == {"value": None, "reason": "nobody has labelled this"}
