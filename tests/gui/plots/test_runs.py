"""One figure over runs: points, intervals, and names where there is room."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.runs import RunDot, RunsChart


@pytest.fixture
def chart(qtbot: QtBot) -> RunsChart:
    made = RunsChart(Theme())
    qtbot.addWidget(made)
    made.resize(600, 190)
    made.show()
    return made


def test_runs_without_the_figure_are_no_points(chart: RunsChart) -> None:
    dots = [
        RunDot("v1", 4.0, 3.5, 4.5, "v1: 4"),
        RunDot("v2", None, None, None, "v2: none"),
        RunDot("v3", 4.2, None, None, "v3: 4.2"),
    ]
    chart.show_runs("Overall", dots)
    assert [(spot.x, spot.y, spot.key) for spot in chart.spots] == [(0, 4.0, "v1"), (2, 4.2, "v3")]
    assert "v2; none; none; none" in chart.accessibleDescription()


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_any_number_of_runs(chart: RunsChart, count: int) -> None:
    dots = [RunDot(f"a rather long name of run {k}", k, k - 1, k + 1, "") for k in range(count)]
    chart.show_runs("Overall", dots)
    assert len(chart.spots) == count
    chart.resize(150, 190)
    chart.show_runs("Overall", dots[:1])
    assert len(chart.spots) == min(count, 1)


def test_nothing_known_draws_nothing(chart: RunsChart) -> None:
    chart.show_runs("Cost", [RunDot("v1", None, None, None, "")])
    assert chart.spots == ()
