"""The guard's own arithmetic comes to the settled figures, so that it may judge the program's."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.one_figure.bands import band_of, options_of
from tests.journeys.one_figure.book import Book
from tests.journeys.one_figure.oracle import Gaps, Oracle

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
PRESETS = ("published", "recommended")
LEVELS = "levels = [{value = 1}, {value = 2}, {value = 3}, {value = 4}, {value = 5}]"
pytestmark = pytest.mark.skipif(
    not VECTORS.is_dir(), reason="needs the settled figures in ../shared/spec/vectors"
)


def test_it_asks_nothing_of_the_program() -> None:
    folder = Path(__file__).parent / "one_figure"
    for name in ("bands", "book", "expected", "oracle", "sides", "tables", "world"):
        lines = (folder / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert not [x for x in lines if x.startswith(("from reviewer", "import reviewer"))], name


def settled(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8")) if VECTORS.is_dir() else []


def oracle(
    file: str, rubric: str, preset: str, as_of: str, changes: dict[str, str] | None = None
) -> Oracle:
    text = (VECTORS / file).read_text(encoding="utf-8")
    told = Book([[json.loads(line) for line in text.splitlines()]])
    made = options_of(preset, changes or {})
    return Oracle(told, rubric, made, runs=tuple(told.runs), as_of=date.fromisoformat(as_of))


def rubric(weights: dict[str, float]) -> str:
    metrics = (
        f'[[metrics]]\nname = "{name}"\nweight = {weight}\n{LEVELS}\n'
        for name, weight in weights.items()
    )
    return 'name = "settled"\n' + "".join(metrics)


def told(gaps: Gaps) -> dict[str, Any]:
    band = gaps.band
    return {
        "n_labelled": band.n_labelled,
        "n_higher": band.n_higher,
        "n_lower": band.n_lower,
        "n_equal": band.n_equal,
        "upper_deviation": band.upper,
        "lower_deviation": band.lower,
        "error_band": band.band,
        "deviation_status": band.status,
        "auto_mean": gaps.auto_mean,
        "adjusted_mean": gaps.adjusted_mean,
    }


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("case", settled("sets.json"), ids=lambda case: case["file"])
def test_whole_sets(case: dict[str, Any], preset: str) -> None:
    made = oracle(case["file"], rubric(case["weights"]), preset, case["as_of"])
    expected = case["expect"][preset]
    for name, figures in expected["metrics"].items():
        found = told(made.gaps(name))
        assert {x: found[x] for x in figures} == pytest.approx(figures, abs=1e-9), name
    found = told(made.satisfaction())
    figures = expected["satisfaction"]
    assert {x: found[x] for x in figures} == pytest.approx(figures, abs=1e-9)
    by_id = {one.id: one for one in made.evaluations}
    for name, figures in expected["evaluations"].items():
        auto, human, mixed = made.overall(by_id[name])
        assert auto == pytest.approx(figures["auto"]), name
        assert human == pytest.approx(figures["human"]), name
        assert mixed == figures["mixed"], name


@pytest.mark.parametrize("case", settled("deviations.json"))
def test_deviations(case: dict[str, Any]) -> None:
    changes = {name: str(value).lower() for name, value in case["options"].items()}
    found = band_of(case["gaps"], options_of(case["preset"], changes))
    shown = {
        "n_labelled": found.n_labelled,
        "n_higher": found.n_higher,
        "n_lower": found.n_lower,
        "n_equal": found.n_equal,
        "upper_deviation": found.upper,
        "lower_deviation": found.lower,
        "error_band": found.band,
        "deviation_status": found.status,
    }
    assert {x: shown[x] for x in case["expect"]} == pytest.approx(case["expect"], abs=1e-9)


@pytest.mark.parametrize("how", ["each", "majority"])
@pytest.mark.parametrize("case", settled("label_table.json"), ids=lambda case: case["file"])
def test_tables_of_every_label(case: dict[str, Any], how: str) -> None:
    weights = dict.fromkeys(case["metrics"], 1.0)
    made = oracle(case["file"], rubric(weights), "recommended", "2026-08-31", {"label_table": how})
    for name, expected in case["metrics"].items():
        table = made.table(name)
        assert table is not None
        assert (table.n, table.n_no_majority) == (expected["n"], expected["n_no_majority"]), name
        found = {
            "percent": table.percent(),
            "kappa": table.kappa(),
            "kappa_linear": table.kappa("linear"),
            "kappa_quadratic": table.kappa("quadratic"),
        }
        assert found == pytest.approx({x: expected[how][x] for x in found}, abs=1e-9), name


def test_what_counts() -> None:
    case = settled("counting.json")
    text = f'name = "one"\npass_rule = "every"\n[[metrics]]\nname = "m"\npass_at = 3\n{LEVELS}\n'
    made = oracle(case["file"], text, "recommended", case["as_of"])
    gaps, table = made.gaps("m"), made.table("m")
    assert made.book.record["r", "m"] == ("judge", case["record"]["version"])
    assert dict(made.book.versions("r", "m")) == {("judge", "1"): 10, ("judge", "2"): 3}
    assert (gaps.n_auto, gaps.auto_mean, gaps.n_human) == (10, 3.6, case["n_human"])
    expected = case["default"]
    assert table is not None
    assert table.n == expected["n"]
    for row, wanted in zip(table.cells, expected["confusion_rows_human"], strict=True):
        assert row == pytest.approx(wanted)
    assert table.percent() == pytest.approx(expected["percent"])
    assert made.bias("m") == pytest.approx(expected["bias"])
    months = expected["six_months"]
    found = told(gaps) | {"gap_mean": gaps.gap_mean}
    assert {x: found[x] for x in months} == pytest.approx(months)
    ever = oracle(case["file"], text, "recommended", case["as_of"], {"window_months": "none"})
    assert ever.gaps("m").gap_mean == pytest.approx(expected["gap_mean_any_date"])
    every = oracle(case["file"], text, "recommended", case["as_of"], {"selection": "all"})
    table = every.table("m")
    assert table is not None
    assert table.n == case["selection=all"]["n"]
    assert table.percent() == pytest.approx(case["selection=all"]["percent"])
    assert every.bias("m") == pytest.approx(case["selection=all"]["bias"])
