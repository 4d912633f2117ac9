"""One figure over runs: points, intervals, and names where there is room."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.runs import RunDot, RunMark, RunsChart, RunSeries


@pytest.fixture
def chart(qtbot: QtBot) -> RunsChart:
    made = RunsChart(Theme())
    qtbot.addWidget(made)
    made.resize(600, 190)
    made.show()
    return made


ROLES = ("auto", "human", "adjusted")


def one(title: str, dots: list[RunDot]) -> list[RunSeries]:
    return [RunSeries(title, "auto", tuple(dots))]


def test_runs_without_the_figure_are_no_points(chart: RunsChart) -> None:
    dots = [
        RunDot("v1", 4.0, 3.5, 4.5, "v1: 4"),
        RunDot("v2", None, None, None, "v2: none"),
        RunDot("v3", 4.2, None, None, "v3: 4.2"),
    ]
    chart.show_runs(one("Overall", dots))
    assert [(spot.x, spot.y, spot.key) for spot in chart.spots] == [(0, 4.0, "v1"), (2, 4.2, "v3")]
    assert "v2; none; none; none" in chart.accessibleDescription()


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_any_number_of_runs(chart: RunsChart, count: int) -> None:
    dots = [RunDot(f"a rather long name of run {k}", k, k - 1, k + 1, "") for k in range(count)]
    chart.show_runs(one("Overall", dots))
    assert len(chart.spots) == count
    chart.resize(150, 190)
    chart.show_runs(one("Overall", dots[:1]))
    assert len(chart.spots) == min(count, 1)


def test_nothing_known_draws_nothing(chart: RunsChart) -> None:
    chart.show_runs(one("Cost", [RunDot("v1", None, None, None, "")]))
    assert chart.spots == ()


def test_several_figures_stand_beside_each_other_with_what_changed(chart: RunsChart) -> None:
    judge = RunSeries(
        "judge", "auto", (RunDot("v1", 90, 80, 95, "by judge"), RunDot("v2", 70, 60, 75, ""))
    )
    people = RunSeries(
        "people", "human", (RunDot("v1", 60, 50, 70, ""), RunDot("v2", None, None, None, ""))
    )
    chart.show_runs([judge, people], [RunMark(1, "judge", "another judge: a → b")])
    places = [(round(spot.x, 3), spot.y, spot.key) for spot in chart.spots[:3]]
    assert places == [(-0.065, 90, "v1"), (0.935, 70, "v2"), (0.065, 60, "v1")]
    mark = chart.spots[3]
    assert (mark.x, mark.words, mark.key) == (0.5, "another judge: a → b", None)
    # what is drawn is heard and copied, too
    assert chart.accessibleDescription().splitlines() == [
        "run, judge, low, high, people, low, high, changed",
        "v1; 90; 80; 95; 60; 50; 70; ",
        "v2; 70; 60; 75; none; none; none; another judge: a → b",
    ]


@pytest.mark.parametrize("count", [1, 3, 200])
def test_names_of_series_are_apart_and_inside(chart: RunsChart, count: int) -> None:
    dots = tuple(RunDot(f"v{k}", 50.0, 40, 60, "") for k in range(count))
    chart.show_runs([RunSeries(x, y, dots) for x, y in zip("abc", ROLES, strict=True)])
    names = [x for x in chart._passing if isinstance(x, chart.pg.TextItem)]
    heights = sorted(x.pos().y() for x in names)
    assert len(set(heights)) == 3
    low, high = chart.area.viewRange()[1]
    assert low < heights[0]
    assert heights[-1] < high
