"""Bars hold every gap once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.histogram import WIDEST, Histogram, bars


@given(st.dictionaries(st.integers(-400, 400).map(lambda x: x / 100), st.integers(1, 9)))
def test_every_gap_is_counted_once(gaps: dict[float, int]) -> None:
    found = bars(sorted(gaps.items()))
    assert sum(bar.n for bar in found) == sum(gaps.values())
    assert len(found) <= WIDEST + 1
    assert [bar.gap for bar in found] == sorted(bar.gap for bar in found)
    assert all(bar.low <= bar.high for bar in found)


def shown(qtbot: QtBot, gaps: tuple[tuple[float, int], ...]) -> Histogram:
    theme = Theme("light")
    theme.start()
    plot = Histogram(theme)
    qtbot.addWidget(plot)
    plot.show_gaps(gaps)
    plot.resize(600, plot.height())
    plot.show()
    QApplication.processEvents()
    return plot


def test_bars_stand_where_their_gaps_lie(qtbot: QtBot) -> None:
    plot = shown(qtbot, ((-2.7, 1), (-0.7, 2), (-0.3, 3), (0.0, 9)))
    assert list(plot._bars.opts["x"]) == [-2.7, -0.7, -0.3, 0.0]
    # the bars nearest each other do not touch
    assert plot._bars.opts["width"] < 0.3
    ((ticks,),) = [plot.area.getAxis("bottom")._tickLevels]
    assert "0" in [title for _, title in ticks]
    assert all(x == round(x, 1) for x, _ in ticks)


def test_a_bar_is_found_within_its_own_room_alone(qtbot: QtBot) -> None:
    plot = shown(qtbot, ((-1.0, 1), (-0.5, 2), (2.0, 3)))
    box = plot.area.plotItem.vb

    def at(x: float) -> int | None:
        return plot._nearest(box.mapViewToScene(QPointF(x, 0.5)))

    assert [at(-1.0), at(-0.6), at(2.1)] == [0, 1, 2]
    assert at(1.0) is None


def test_gaps_that_nearly_meet_share_a_bar() -> None:
    found = bars([(-2.0, 1), (0.333, 2), (0.334, 3), (2.0, 1)])
    assert [bar.n for bar in found] == [1, 5, 1]
    assert (found[1].low, found[1].high) == (0.333, 0.334)


def test_counts_and_ticks_do_not_touch_where_room_is_short(qtbot: QtBot) -> None:
    plot = shown(qtbot, tuple((n / 10 - 0.7, 1000 + n) for n in range(12)))
    measures = plot.theme.metrics(TextStyle.TINY)
    counts = []
    for width in (900, 260, 120):
        plot.resize(width, plot.height())
        QApplication.processEvents()
        ((low, high), _) = plot.area.plotItem.vb.viewRange()
        pixel = (high - low) / width
        ((ticks),) = plot.area.getAxis("bottom")._tickLevels
        for (a, first), (b, second) in pairwise(ticks):
            wide = measures.horizontalAdvance(first) + measures.horizontalAdvance(second)
            assert (b - a) / pixel >= wide / 2
        written = sorted(x.pos().x() for x in plot._counts if x.isVisible())
        least = measures.horizontalAdvance("1,000") * pixel
        assert all(b - a >= least for a, b in pairwise(written))
        assert plot._counts[-1].isVisible()
        counts.append(len(written))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 12
    assert counts[-1] < 6
