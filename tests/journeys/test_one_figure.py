"""One figure says one thing: wherever it stands, with whatever a project keeps.

One project (`one_figure/world.py`), every surface, both presets, every option that can be kept.
`one_figure/oracle.py` works the figures out from the imported files alone. A cell that fails says
a line a figure: surface, figure, what the project keeps, expected, found. A surface alone:

    pytest tests/journeys/test_one_figure.py -k "Trend"
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.journeys.one_figure import guard, surfaces_python
from tests.journeys.one_figure.expected import Kept
from tests.journeys.one_figure.project import document
from tests.journeys.one_figure.surfaces_commands import of_document
from tests.journeys.one_figure.world import NEWEST

FEW = "min_records=3"
"""Lets bands exist in a small project."""
EVERYWHERE = (
    Kept("published", (FEW,)),
    Kept("recommended", (FEW,)),
    Kept("published", ("label_table=majority",)),
    Kept("recommended", ("label_combine=latest",)),
    Kept("published", (FEW, "label_combine=median", "window_months=12")),
    Kept("recommended", (FEW, "one_sided=own_side", "band_gate=both")),
    Kept("recommended", (FEW, "clip=none", "selection=all", "band_gate=labelled")),
    Kept("published", (FEW, "clip=hard", "label_combine=consensus")),
)
"""What a project keeps while every surface is read."""
OPTIONS = (
    "window_months=12", "window_months=none", "window_days=60", "window_date=label",
    "label_combine=mean", "label_combine=median", "label_combine=latest",
    "label_combine=consensus", "label_table=majority", "selection=all", "derived_labels=count",
    "clip=none", "clip=display", "clip=hard", "band_gate=any", "band_gate=both", "band_gate=sum",
    "band_gate=labelled", "one_sided=mean_gap", "one_sided=own_side", "one_sided=none",
    "deviation_rule=gt", "deviation_rule=ge", "band_rule=gt", "min_labelled=40", "tie_eps=0.6",
    "top_which=smallest", "top_which=recent", "top_num=5", "top_rounding=floor",
    "top_rounding=half_up", "band_population=discordant", "deviation_denominator=side",
    "deviation_denominator=labelled", "require_weighted_label=true",
    "require_weighted_label=false", "exclude_mixed=true", "exclude_mixed=false",
)  # fmt: skip
"""Every option, in turn, in the document of `stats`."""
DEFAULT_RUN = ("stats --json", "stats", "report.json", "report.md", "report.html", "check")
"""What means the newest run where none is named (R2)."""


@pytest.fixture(scope="module", autouse=True)
def _projects() -> Iterator[None]:
    yield
    guard.forget()


def named(kept: Kept) -> str:
    return kept.name


@pytest.mark.parametrize("surface", guard.COMMANDS)
@pytest.mark.parametrize("kept", EVERYWHERE, ids=named)
def test_commands(kept: Kept, surface: str) -> None:
    found = guard.COMMANDS[surface](guard.project(kept))
    wanted = guard.expected(kept) | guard.corrected(kept)
    guard.hold(guard.red(surface, kept, found, wanted))


@pytest.mark.parametrize("surface", DEFAULT_RUN)
def test_without_a_run_the_newest_is_meant(surface: str) -> None:
    kept = EVERYWHERE[0]
    found = guard.COMMANDS[surface](replace(guard.project(kept), scope=()))
    wanted = guard.expected(kept) | guard.corrected(kept)
    guard.hold(guard.red(f"{surface} without --run", kept, found, wanted))


class TestWindow:
    """Apart from the commands, so that both can be read at the same time."""

    @pytest.mark.parametrize("surface", guard.WINDOW)
    @pytest.mark.parametrize("kept", EVERYWHERE, ids=named)
    def test_of_a_lead(self, kept: Kept, surface: str, qapp: QApplication) -> None:  # noqa: ARG002
        found = guard.on_screen(kept)[surface]
        if isinstance(found, Exception):
            raise found
        wanted = guard.expected(kept) | guard.corrected(kept)
        guard.hold(guard.red(surface, kept, found, wanted))

    @pytest.mark.parametrize("surface", guard.HIDDEN)
    @pytest.mark.parametrize("kept", EVERYWHERE[:1], ids=named)
    def test_of_somebody_blind(self, kept: Kept, surface: str, qapp: QApplication) -> None:  # noqa: ARG002
        found = guard.on_screen(kept, blind=True)[surface]
        if isinstance(found, Exception):
            raise found
        shown = {name: x for name, x in found.items() if not name.endswith("corrected")}
        wanted = guard.expected(kept, blind=True)
        guard.hold(guard.red(f"{surface}, blind", kept, shown, wanted))


@pytest.mark.parametrize("rubric", ["agent-rubric", "guest-response"])
def test_python(rubric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    project = tmp_path / "kept.review"
    read = surfaces_python.agent if rubric == "agent-rubric" else surfaces_python.guest
    found = {"reviewer.api": read(project), "stats": surfaces_python.of_stats(project)}
    wanted = surfaces_python.expected(project, rubric, tmp_path)
    kept = Kept("recommended")
    guard.hold(
        [x for name in found for x in guard.red(f"{name} of {rubric}", kept, found[name], wanted)]
    )


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("preset", ["published", "recommended"])
def test_every_option(preset: str, option: str) -> None:
    kept = Kept(preset, (FEW, option))
    changes = [part for one in kept.options for part in ("--option", one)]
    told = document(
        "stats", guard.base(), "--run", NEWEST, "--preset", preset, *changes, "--metric",
        "accuracy", "--metric", "completion",
    )  # fmt: skip
    wanted = guard.expected_gaps(kept)
    guard.hold(guard.red("stats --option", kept, of_document(told), wanted))
