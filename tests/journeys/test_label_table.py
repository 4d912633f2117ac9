"""The judge–human tables of whole sets: every label counts, or what most people gave."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.services.figures.figure_settings import FigureSettings
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import importing
from reviewer.store.project import Project

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
pytestmark = pytest.mark.skipif(
    not VECTORS.is_dir(), reason="needs the settled figures in ../shared/spec/vectors"
)
TABLES = ("each", "majority")


class Silent:
    cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None: ...


@pytest.fixture(scope="module", params=[0, 1, 2])
def imported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    expected = json.loads((VECTORS / "label_table.json").read_text())[request.param]
    path = tmp_path_factory.mktemp("labels") / "p.review"
    levels = tuple(Level(value=value) for value in range(1, 6))
    rubric = Rubric(
        name="settled", metrics=tuple(Metric(name=x, levels=levels) for x in expected["metrics"])
    )
    wanted = importing.ImportRequest(files=(VECTORS / expected["file"],), rubric=rubric)
    importing.run(path, wanted, Silent())
    return path, expected["metrics"]


@pytest.mark.parametrize("table", TABLES)
def test_coefficients_come_from_the_table(
    imported: tuple[Path, dict[str, Any]], table: str
) -> None:
    path, expected = imported
    with Project.open(path) as project:
        options = (("label_table", table),)
        document = compute(project, StatsRequest(options=options)).to_json()
    for name, metric in expected.items():
        block = document["metrics"][name]
        found = block["agreement"]["judge_human"]
        assert (found["n"], found["n_no_majority"]) == (metric["n"], metric["n_no_majority"])
        cells = sum(map(sum, block["confusion"]["table"]))
        wanted = dict(metric[table])
        assert cells == pytest.approx(wanted.pop("n", metric["n"]))
        for figure, value in wanted.items():
            assert found[figure] == pytest.approx(value, abs=1e-9), (name, figure)


@pytest.mark.parametrize("table", TABLES)
def test_live_figures_are_those_of_the_document(
    imported: tuple[Path, dict[str, Any]], table: str
) -> None:
    path, expected = imported
    settings = FigureSettings("recommended", (("label_table", table),))
    scope = StatsRequest().scope
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, scope, Hidden("ann"), settings=settings))
        document = compute(
            session.project, StatsRequest(preset="recommended", options=settings.options)
        )
        for name, metric in expected.items():
            found, block = live.metric(name), document.metrics[name].judge_human
            assert found is not None
            assert found.kappa == pytest.approx(metric[table]["kappa_quadratic"], abs=1e-9)
            assert found.n_pairs == block.n_table
            ends = block.intervals["kappa_quadratic"]
            assert found.kappa_interval == (ends.low, ends.high)
