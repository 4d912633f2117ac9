"""A matrix writes every figure, names what has no room in short, and is chosen by keys."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.matrix import MatrixCell, MatrixChart

CELLS: list[list[MatrixCell | None]] = [
    [MatrixCell("7", 0.7, "ann, a: 7", ("ann", "a")), None],
    [MatrixCell("1", 0.1, "bo, a: 1", ("bo", "a")), MatrixCell("3", 0.3, "bo, b: 3", ("bo", "b"))],
]


def shown(qtbot: QtBot, look: str) -> MatrixChart:
    theme = Theme(look)
    theme.start()
    plot = MatrixChart(theme, "A table", "human_fill")
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.show_cells(["ann", "bo"], ["a metric with a very long name" * 3, "b"], CELLS)
    plot.show()
    QApplication.processEvents()
    return plot


def test_every_figure_is_written_and_copied(qtbot: QtBot) -> None:
    for look in ("light", "dark"):
        plot = shown(qtbot, look)
        texts = [x.toPlainText() for x in plot._passing if isinstance(x, plot.pg.TextItem)]
        assert sorted(texts) == ["1", "3", "7"]
        rows = plot.copies.data_text().splitlines()
        assert [row.rsplit(",", 2)[1:] for row in rows[1:]] == [["7", ""], ["1", "3"]]
        ((top,),) = [plot.area.getAxis("top")._tickLevels]
        assert top[0][1].endswith("…")
        assert top[1][1] == "b"


def test_a_cell_is_chosen_by_keys(qtbot: QtBot) -> None:
    plot = shown(qtbot, "light")
    plot.setFocus()
    for _ in range(3):
        QTest.keyClick(plot, Qt.Key.Key_Right)
    with qtbot.waitSignal(plot.spot_chosen) as chosen:
        QTest.keyClick(plot, Qt.Key.Key_Return)
    assert chosen.args == [("bo", "b")]
