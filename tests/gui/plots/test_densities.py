"""Two spreads over one logarithmic axis: every number counts once, and nothing breaks it."""

import csv
import io

import numpy as np
import pytest

from reviewer.gui.plots.densities import FEWEST, MOST, Densities, Spread
from reviewer.gui.window import MainWindow


@pytest.fixture
def chart(window: MainWindow) -> Densities:
    return Densities(window.surroundings.theme, "Latency", "ms")


def rows(chart: Densities) -> list[list[float]]:
    _, *lines = csv.reader(io.StringIO(chart.copies.data_text()))
    return [[float(x) for x in line] for line in lines]


def test_shares_add_up_and_the_steps_cover_every_number(chart: Densities) -> None:
    rng = np.random.default_rng(3)
    before, after = rng.lognormal(5, 1, 900), rng.lognormal(4.5, 1, 400)
    chart.show_spreads(
        (Spread("B", "neutral_fill", before), Spread("A", "auto_fill", after, (("A p50", 90.0),)))
    )
    found = rows(chart)
    assert len(found) == 20
    assert sum(row[2] for row in found) == pytest.approx(1)
    assert sum(row[3] for row in found) == pytest.approx(1)
    assert found[0][0] <= min(before.min(), after.min())
    assert found[-1][1] >= max(before.max(), after.max())
    assert "A: " in chart.spots[0].words


@pytest.mark.parametrize(
    ("values", "steps"), [([5.0], FEWEST), ([0.0, 0.0], FEWEST), (list(range(1, 3000)), MOST)]
)
def test_few_and_odd_numbers_are_drawn_in_fewer_steps(
    chart: Densities, values: list[float], steps: int
) -> None:
    chart.show_spreads((Spread("A", "auto_fill", np.array(values, dtype=np.float64)),))
    assert len(rows(chart)) == steps


def test_nothing_is_an_empty_chart_and_a_side_may_be_empty(chart: Densities) -> None:
    chart.show_spreads(())
    assert chart.spots == ()
    chart.show_spreads(
        (Spread("B", "neutral_fill", np.zeros(0)), Spread("A", "auto_fill", np.array([1.0, 9.0])))
    )
    assert {row[2] for row in rows(chart)} == {0.0}


def test_a_name_near_the_end_stands_before_its_line(chart: Densities) -> None:
    values = np.array([10.0, 20.0, 5_000.0, 10_000.0])
    chart.show_spreads((Spread("A", "auto_fill", values, (("p50", 20.0), ("p95", 9_000.0))),))
    names = [x for x in chart._passing if isinstance(x, chart.pg.TextItem)]
    assert [(x.toPlainText(), x.anchor.x()) for x in names] == [
        ("p50 20", 0.0),
        ("p95 9,000", 1.0),
    ]
