"""Bars hold every gap once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.gui.plots.histogram import WIDEST, Histogram, bars


@given(st.dictionaries(st.integers(-400, 400).map(lambda x: x / 100), st.integers(1, 9)))
def test_every_gap_is_counted_once(gaps: dict[float, int]) -> None:
    found = bars(sorted(gaps.items()))
    assert sum(bar.n for bar in found) == sum(gaps.values())
    assert len(found) <= max(len(gaps) if len(gaps) <= WIDEST else WIDEST + 1, 0)
    assert [bar.gap for bar in found] == sorted(bar.gap for bar in found)
    assert all(bar.low <= bar.high for bar in found)


def test_titles_do_not_touch_where_room_is_short(qtbot: QtBot) -> None:
    theme = Theme("light")
    theme.start()
    plot = Histogram(theme)
    qtbot.addWidget(plot)
    plot.show_gaps(tuple((n / 10 - 0.7, 3) for n in range(12)))
    plot.show()
    measures = theme.metrics(TextStyle.TINY)
    counts = []
    for width in (900, 260, 120):
        plot.resize(width, plot.height())
        QApplication.processEvents()
        ((ticks),) = plot.area.getAxis("bottom")._tickLevels
        widest = max(measures.horizontalAdvance(title) for _, title in ticks)
        apart = min(b - a for (a, _), (b, _) in pairwise(ticks)) if len(ticks) > 1 else 99
        assert apart * width / 12 >= widest
        counts.append(len(ticks))
    assert counts[0] == 12
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) == 3
