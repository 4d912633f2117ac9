"""Whole sets with settled figures come out right: imported, computed, shown."""

import json
import math
from contextlib import closing
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Progress
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.figure_settings import FigureSettings
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import importing
from reviewer.store.project import Project

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
FILES = ("set-1.jsonl", "set-2.jsonl", "set-3.jsonl")
PRESETS = ("published", "recommended")
pytestmark = pytest.mark.skipif(
    not VECTORS.is_dir(), reason="needs the settled figures in ../shared/spec/vectors"
)


class Silent:
    cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None: ...


@cache
def expectations() -> dict[str, dict[str, Any]]:
    return {one["file"]: one for one in json.loads((VECTORS / "sets.json").read_text())}


def rubric(expected: dict[str, Any]) -> Rubric:
    low, high = expected["scale"]
    levels = tuple(Level(value=value) for value in range(low, high + 1))
    return Rubric(
        name="settled",
        metrics=tuple(
            Metric(name=name, weight=weight, levels=levels)
            for name, weight in expected["weights"].items()
        ),
    )


@pytest.fixture(scope="module", params=FILES)
def imported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    file = str(request.param)
    expected = expectations()[file]
    path = tmp_path_factory.mktemp("vectors") / "settled.review"
    progress: Progress = Silent()
    importing.run(
        path,
        importing.ImportRequest(files=(VECTORS / file,), rubric=rubric(expected)),
        progress,
    )
    return path, expected


def assert_same(found: dict[str, Any], expected: dict[str, Any], where: str) -> None:
    for name, value in expected.items():
        if isinstance(value, float):
            assert math.isclose(found[name], value, rel_tol=1e-9, abs_tol=1e-9), (where, name)
        else:
            assert found[name] == value, (where, name)


@pytest.mark.parametrize("preset", PRESETS)
def test_metrics_and_satisfaction(imported: tuple[Path, dict[str, Any]], preset: str) -> None:
    path, expected = imported
    scope = Scope(as_of=date.fromisoformat(expected["as_of"]))
    with Project.open(path) as project:
        document = compute(project, StatsRequest(scope=scope, preset=preset)).to_json()
    json.dumps(document, allow_nan=False)
    settled = expected["expect"][preset]
    for name, figures in settled["metrics"].items():
        assert_same(document["metrics"][name], figures, name)
    assert_same(document["satisfaction"], settled["satisfaction"], "satisfaction")


@pytest.mark.parametrize("preset", PRESETS)
def test_live_figures(imported: tuple[Path, dict[str, Any]], preset: str) -> None:
    path, expected = imported
    scope = Scope(as_of=date.fromisoformat(expected["as_of"]))
    settled = expected["expect"][preset]
    with closing(Session.open(path, "somebody new")) as session:
        session.blind = False
        tallies = load_tallies(
            path, scope, Hidden(session.labeler.name), settings=FigureSettings(preset)
        )
        live = LiveFigures(session, tallies)
        whole = live.overall()
        for name, figures in (*settled["metrics"].items(), ("", settled["satisfaction"])):
            found = live.metric(name) if name else whole
            assert found is not None
            gaps = found.deviations
            shown = {
                "n_labelled": gaps.n_labelled,
                "n_higher": gaps.n_higher,
                "n_lower": gaps.n_lower,
                "n_equal": gaps.n_equal,
                "upper_deviation": gaps.upper,
                "lower_deviation": gaps.lower,
                "error_band": gaps.band,
                "deviation_status": gaps.status,
                "auto_mean": found.auto_mean,
                "adjusted_mean": found.adjusted_mean,
            }
            assert_same(shown, figures, name)
        for name, figures in settled["evaluations"].items():
            key = reading.key_of(session, name)
            assert key is not None
            overall = live.evaluation(key).overall
            shown = {field: getattr(overall, field) for field in figures}
            assert_same(shown, figures, name)
