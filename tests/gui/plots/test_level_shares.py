"""Shares of levels by run: bars, what is said of them, and where they are found."""

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.level_shares import LevelShares, Panel, Row

ROWS = (
    Row("v2", "agent v2", "…v2", (1, 0, 3)),
    Row("v1", "agent v1", "…v1", (0, 0, 0)),
)


def panel(title: str) -> Panel:
    return Panel(title.lower(), title, ("1 Poor", "2 Fair", "3 Good"), ROWS)


@pytest.fixture
def chart(qtbot: QtBot) -> LevelShares:
    made = LevelShares(Theme())
    qtbot.addWidget(made)
    made.resize(700, 200)
    made.show_panels([panel("Accuracy"), panel("Safety")])
    made.show()
    return made


def test_a_level_says_how_many_and_what_it_stands_for(chart: LevelShares) -> None:
    assert [spot.key for spot in chart.spots] == [
        ("accuracy", "v2", 0), ("accuracy", "v2", 2), ("safety", "v2", 0), ("safety", "v2", 2),
    ]  # fmt: skip
    assert chart.spots[1].words == "agent v2\nAccuracy 3 Good: 3 of 4 (75.0 %)"
    lines = chart.accessibleDescription().splitlines()
    assert lines[:2] == [
        "metric, run, level, scores, share", "Accuracy; agent v2; 1 Poor; 1; 0.25",
    ]  # fmt: skip
    assert "Safety; agent v1; 3 Good; 0; 0" in lines


def test_a_bar_is_found_over_all_of_its_length(chart: LevelShares) -> None:
    box = chart.area.plotItem.vb
    spot = chart.spots[1]
    for x in (spot.x - 0.3, spot.x + 0.3):
        assert chart._nearest(box.mapViewToScene(QPointF(x, spot.y))) == 1
    below = QPointF(spot.x, spot.y - 1)
    assert chart._nearest(box.mapViewToScene(below)) is None


@pytest.mark.parametrize(("width", "across"), [(700, 2), (260, 1)])
def test_panels_stand_beside_each_other_where_there_is_room(
    chart: LevelShares, width: int, across: int
) -> None:
    chart.resize(width, chart.height())
    assert len({int(spot.x) for spot in chart.spots}) == across
    assert chart.area.height() == chart.height()


def test_nothing_to_draw_is_drawn_without_complaint(chart: LevelShares) -> None:
    chart.show_panels([])
    assert chart.spots == ()
