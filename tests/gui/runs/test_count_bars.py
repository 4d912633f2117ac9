"""Counts by name as bars: the longest fills the width, and what is left out is said."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.spread_card import CountBars, CountRow

FIGURE = "auto_fill"


def coloured(row: CountRow, theme: Theme) -> int:
    """How many pixels of a row's middle line are the bar's."""
    shown = row.grab().toImage()
    bar, middle = theme.colour(FIGURE), shown.height() // 2
    return sum(shown.pixelColor(x, middle) == bar for x in range(shown.width()))


def test_bars_are_as_long_as_their_counts(qtbot: QtBot) -> None:
    theme = Theme("light")
    bars = CountBars(theme, "Category")
    qtbot.addWidget(bars)
    bars.show_counts({"policies": 1000, "amenities": 500}, 5)
    bars.resize(800, 60)
    bars.show()
    long, short = (coloured(row, theme) for row in bars.rows.values())
    assert long > 100
    assert 0.4 < short / long < 0.6
    assert bars.rows["policies"].accessibleName() == "Category policies: 1,000"
    assert bars.rows["policies"].toolTip() == "policies: 1,000"


def test_what_has_no_bar_is_counted(qtbot: QtBot) -> None:
    bars = CountBars(Theme("light"), "Category")
    qtbot.addWidget(bars)

    def more(most: int) -> list[str]:
        bars.show_counts({"a": 3, "b": 2, "c": 1}, most)
        return [x.text() for x in bars.findChildren(QLabel)]

    assert more(3) == []
    assert more(1)[-1] == "and 2 more"
    assert list(bars.rows) == ["a"]
    with qtbot.waitSignal(bars.chosen) as asked:
        bars.rows["a"].click()
    assert asked.args == ["a"]
